"""A part of a full-text index that was crafted: it is whole to SQLite, and lacks a row, or has one that is none."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from tests.support.attacks import shell

FROM_ROWS = {
    "fact_signs": "SELECT id, content || ' ' FROM attribute WHERE content LIKE '%划船%'",
    "turn_signs": "SELECT id, content || ' ' FROM turn WHERE content LIKE '%日志%'",
    "summary_signs": "SELECT id, content || ' ' FROM summary WHERE content LIKE '%伊内斯%'",
    "turn_index": "SELECT id, content FROM turn",
    "summary_index": "SELECT id, content FROM summary",
    "name_index": "SELECT rowid, names FROM name_index",
    "fact_index": "SELECT rowid, name, path, content, tags FROM fact_index",
}
SWAP = {"划船": "骑马", "日志": "飞机", "伊内斯": "马洛里", "log": "hog", "Ines": "Inez", "ines": "inez"}


@pytest.fixture
def told(memory: Path) -> Path:
    with Store.open(memory) as store:
        record(store, "s8", summary="Ada sold the boat.")
    return memory


def craft(path: Path, index: str) -> None:
    """Write the parts anew as SQLite makes them of other words of the same length, and leave its own records alone."""
    with shell(path) as c, closing(sqlite3.connect(":memory:")) as scratch:
        (sql,) = c.execute("SELECT sql FROM sqlite_master WHERE name = ?", (index,)).fetchone()
        c.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
        rows = c.execute(FROM_ROWS[index]).fetchall()
        assert rows
        columns = ["content"] if len(rows[0]) == 2 and index != "name_index" else ["names"]
        columns = ["name", "path", "content", "tags"] if index == "fact_index" else columns
        scratch.execute(
            sql.replace("content = 'turn', content_rowid = 'id',", "").replace(
                "content = 'summary', content_rowid = 'id',", ""
            )
        )
        for row_id, *texts in rows:
            for old, new in SWAP.items():
                texts = [text.replace(old, new) for text in texts]
            scratch.execute(
                f"INSERT INTO {index} (rowid, {', '.join(columns)}) VALUES (?{', ?' * len(texts)})", (row_id, *texts)
            )
        scratch.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
        parts = scratch.execute(f"SELECT block FROM {index}_data WHERE id > 10 ORDER BY id").fetchall()
        own = c.execute(f"SELECT id FROM {index}_data WHERE id > 10 ORDER BY id").fetchall()
        assert len(parts) == len(own)
        for (block,), (place,) in zip(parts, own, strict=True):
            c.execute(f"UPDATE {index}_data SET block = ? WHERE id = ?", (block, place))


@pytest.mark.parametrize("index", FROM_ROWS)
def test_it_is_told_by_verify_and_doctor_and_made_anew(
    index: str, told: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(told)]
    craft_and_seal(told, index)
    capsys.readouterr()
    assert main(["verify", *db]) == 1
    assert index in capsys.readouterr().out
    assert main(["doctor", *db]) == 1
    assert index in capsys.readouterr().out
    assert main(["doctor", "--mend-schema", *db]) == 0
    assert f"made the full-text index {index} anew" in capsys.readouterr().out
    assert main(["verify", *db]) == 0


def craft_and_seal(path: Path, index: str) -> None:
    """Craft parts of an index whose own records are as the head says: it was put together by this program before."""
    with Store.open(path) as store, store.writing():
        store.connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    craft(path, index)
    with Store.open(path) as store:
        assert store.seal.faults(anew=True) == []
