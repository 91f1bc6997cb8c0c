"""What is sealed: every table of the file is, or it is said why not; the triggers are those of the migrations."""

from __future__ import annotations

from graphdream.graph.schema import migration_files
from graphdream.graph.sealed import BESIDE, SEALED, all_triggers
from graphdream.graph.store import Store

# What follows from sealed rows, what is covered by the chain of a pass, who writes just now, and the seals themselves.
_NOT_SEALED = {
    "change", "mutation", "lease", "vector", "turn_shape", "session_shape", "talk_shape", "speaker_shape", "seal",
    "seal_node", "sqlite_sequence", "_sqlite_migrations",
}  # fmt: skip


def test_the_triggers_are_those_of_the_migrations():
    text = "".join(file.read_text() for file in migration_files() if file.stem.endswith("seal"))
    assert all_triggers().strip() in text


def test_every_table_is_sealed_or_follows_from_what_is(tmp_path):
    with Store.open(tmp_path / "memory.db") as store:
        tables = {
            row[0]
            for row in store.connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
            )
        }
        indexes = {row[0] for row in store.connection.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%fts5%'")}
        shadows = {name for name in tables if any(name.startswith(f"{index}_") for index in indexes)}
        assert {table.name for table in SEALED.values()} == tables - shadows - _NOT_SEALED


def test_every_column_is_sealed(tmp_path):
    with Store.open(tmp_path / "memory.db") as store:
        for table in BESIDE:
            columns = {row[1] for row in store.connection.execute(f"PRAGMA table_info({table.name})")}
            sealed = {column.removeprefix("hex({0}").removesuffix(")") for column in table.columns}
            assert sealed == columns or table.name == "pass"  # the chain of a pass covers the rest of it
