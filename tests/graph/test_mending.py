"""What of a file the schema does not show, and can be made right: full-text indexes, numbers of ids that were given."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import graphdream
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify
from tests.support.alltables import live_in_every_table

INDEXES = ("fact_index", "turn_index", "summary_index", "name_index", "turn_signs", "summary_signs", "fact_signs")
DAMAGE = (
    "DELETE FROM {0}_data WHERE id > 10",
    "DELETE FROM {0}_data",
    "UPDATE {0}_data SET block = x'00' WHERE id > 10",
    "DROP TABLE {0}_data",
)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mending") / "memory.db"
    live_in_every_table(path)
    return path


@pytest.fixture
def memory(lived: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(lived, tmp_path / "memory.db"))


def do(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as c:
        c.execute(sql)


def answers(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    for words in (["recall", "log"], ["recall", "boat", "--json"], ["context", "--session", "new", "--message", "Ada"]):
        assert main([*words, "--db", str(path)]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_is_named_and_made_anew(
    index: str, damage: str, memory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = answers(Path(shutil.copy(memory, tmp_path / "before.db")), capsys)
    do(memory, damage.format(index))
    assert main(["doctor", "--db", str(memory)]) == 1
    told = capsys.readouterr().out
    assert f"the full-text index {index} is damaged: graphdream doctor --mend-schema" in told
    assert main(["doctor", "--mend-schema", "--db", str(memory)]) == 0
    assert f"made the full-text index {index} anew" in capsys.readouterr().out
    assert main(["doctor", "--mend-schema", "--db", str(memory)]) == 0
    assert "there was nothing to mend" in capsys.readouterr().out
    assert answers(memory, capsys) == before
    with Store.open(memory) as store:
        assert verify(store).ok


def test_recall_says_how_its_index_is_made_anew(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    do(memory, "DELETE FROM fact_index_data WHERE id > 10")
    assert main(["recall", "Ada", "--db", str(memory)]) == 3
    said = capsys.readouterr().err
    assert "the full-text index fact_index of" in said and "graphdream doctor --mend-schema makes it anew" in said


NUMBERS = [
    ("attribute", "0"), ("attribute", "'ten'"), ("attribute", "NULL"), ("entity", "9223372036854775807"), ("pass", "1"),
    ("pass", "1000000"), ("session", "9223372036854775807"), ("exchange", "0"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "number"), NUMBERS)
def test_a_number_of_ids_that_was_changed_is_named_and_put_right(
    table: str, number: str, memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    do(memory, f"UPDATE sqlite_sequence SET seq = {number} WHERE name = '{table}'")
    for words in (["remember", "Ada swims.", "--wait"], ["dream"]):
        assert main([*words, "--db", str(memory)]) == 3
        said = capsys.readouterr().err
        assert f"the number of the last {table} is " in said and "graphdream doctor --mend-schema puts it right" in said
    assert main(["recall", "Ada", "--db", str(memory)]) == 0
    assert main(["doctor", "--db", str(memory)]) == 1
    assert f"the number of the last {table} is " in capsys.readouterr().out
    assert main(["doctor", "--mend-schema", "--db", str(memory)]) == 0
    assert f"set the number of the last {table} from " in capsys.readouterr().out
    assert main(["remember", "Ada swims.", "--wait", "--db", str(memory)]) == 0
    with Store.open(memory) as store:
        assert verify(store).ok


def test_a_number_that_is_changed_while_a_memory_is_open_ends_no_write_in_an_error_of_ours(memory: Path) -> None:
    with graphdream.open(memory) as graph:
        graph.remember("Ada swims.", category="person/Ada/sports")
        do(memory, "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'attribute'")
        with pytest.raises(graphdream.GraphdreamError, match="the number of the last attribute"):
            graph.remember("Ada runs.", category="person/Ada/sports")


def test_ids_that_were_taken_back_or_purged_are_no_fault(memory: Path) -> None:
    with graphdream.open(memory) as graph:
        told = graph.remember("Ada swims.", category="person/Ada/sports")
        assert told.pass_id is not None
        graph.undo(told.pass_id)
        graph.purge("s2", session=True)
    with Store.open(memory) as store:
        assert store.schema.found == ()
