"""Indexes of scripts without blanks: what is taken out of one is told, as of the indexes over words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphdream.graph import sealedwrite
from graphdream.graph.sealhead import write_head
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from tests.support.attacks import shell

TAKEN_OUT = {
    "fact_signs": "INSERT INTO fact_signs (fact_signs, rowid, content)"
    " SELECT 'delete', id, content || ' ' FROM attribute WHERE content = '伊内斯也划船。'",
    "turn_signs": "INSERT INTO turn_signs (turn_signs, rowid, content)"
    " SELECT 'delete', id, content || ' ' FROM turn WHERE content LIKE '%日志%'",
    "summary_signs": "INSERT INTO summary_signs (summary_signs, rowid, content)"
    " SELECT 'delete', id, content || ' ' FROM summary WHERE content LIKE '%伊内斯%'",
}


def write(path: Path, sql: str) -> None:
    with shell(path) as c:
        assert c.execute(sql).rowcount


@pytest.mark.parametrize("index", TAKEN_OUT)
def test_a_row_taken_out_is_told_and_put_back(index: str, memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = ["--db", str(memory)]
    assert main(["verify", *db]) == 0
    write(memory, TAKEN_OUT[index])
    capsys.readouterr()
    assert main(["recall", "划船 日志", *db]) == 0
    assert f"the full-text index {index} was changed behind graphdream's back" in capsys.readouterr().err
    assert main(["verify", *db]) == 1
    assert index in capsys.readouterr().out
    assert main(["doctor", *db]) == 1
    assert index in capsys.readouterr().out
    assert main(["remember", "Ada rows.", "--wait", *db]) == 1
    assert main(["doctor", "--mend-schema", *db]) == 0
    assert main(["verify", *db]) == 0
    capsys.readouterr()
    assert main(["recall", "划船", *db]) == 0
    told = capsys.readouterr()
    assert told.err == "" and "伊内斯也划船。" in told.out


def test_a_head_of_a_version_that_seals_fewer_indexes_is_no_alarm(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_before(connection: Any, key: Any, state: dict[str, Any], file_key: bytes) -> Any:
        for name in TAKEN_OUT:
            state["indexes"].pop(name)
        return write_head(connection, key, state, file_key)

    with monkeypatch.context() as before, Store.open(memory) as store:
        before.setattr(sealedwrite, "write_head", of_before)
        with store.writing():
            store.connection.execute("UPDATE summary SET tokens = 1 WHERE id = 1")
    with Store.open(memory) as store:
        assert set(TAKEN_OUT).isdisjoint(store.seal.head().state["indexes"])
        assert store.seal.faults(anew=True) == []
        with store.writing():
            pass
        assert set(TAKEN_OUT) <= set(store.seal.head().state["indexes"])
    write(memory, TAKEN_OUT["fact_signs"])
    with Store.open(memory) as store:
        assert [fault.code for fault in store.seal.faults()] == ["index"]
