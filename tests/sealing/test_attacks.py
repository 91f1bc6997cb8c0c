"""Nine kinds of edit in four ways: each is told or refused by default, when the memory is next opened or read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import graphdream
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify
from tests.support.attacks import EDITS, WAYS, World, attack, live, shell


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lived")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHDREAM_STATE_HOME", str(folder / "state"))
        live(folder)
    return folder


@pytest.fixture
def world(lived: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world of one's own, at the place where it was lived in."""
    kept = lived.with_name(lived.name + "-kept")
    if not kept.exists():
        shutil.copytree(lived, kept)
    shutil.rmtree(lived)
    shutil.copytree(kept, lived)
    monkeypatch.setenv("GRAPHDREAM_STATE_HOME", str(lived / "state"))
    return World(lived / "agent" / "memory.db", lived / "older.db", lived / "other" / "memory.db")


def test_a_world_that_nobody_has_touched_is_sound(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["recall", "Grace log harbour boat"], ["status"], ["verify"], ["trust"], ["dream"], ["export"]):
        assert main([*words, "--db", str(world.memory)]) == 0
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("edit", EDITS)
def test_it_is_told(edit: str, way: str, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    attack(world, edit, way)
    db = ["--db", str(world.memory)]
    with Store.open(world.memory) as store:
        passes = store.connection.execute("SELECT count(*) FROM pass").fetchone()[0]
    capsys.readouterr()
    assert main(["recall", "Grace log harbour sails boat keys", *db]) == 0
    said = capsys.readouterr()
    assert "warning" in said.err
    assert "MongoDB" not in said.out and "Mallory" not in said.out
    assert main(["verify", *db]) == 1
    for words in (["dream", "--compact"], ["export"], ["undo", "1", "--cascade"]):
        assert main([*words, *db]) == 1, words
        assert "not as it was sealed" in capsys.readouterr().err
    with Store.open(world.memory) as store:  # what was refused is on record where the file can be written to, no more
        assert store.connection.execute("SELECT count(*) FROM pass WHERE status = 'applied'").fetchone()[0] <= passes


@pytest.mark.parametrize("format", ["jsonl", "memory"])
@pytest.mark.parametrize("edit", EDITS)
def test_the_library_exports_nothing_of_it(edit: str, format: str, world: World, tmp_path: Path) -> None:
    attack(world, edit, "left")
    with (
        graphdream.open(world.memory) as graph,
        pytest.raises(graphdream.GraphdreamError, match="not as it was sealed"),
    ):
        graph.export(tmp_path / "out", format=format)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("edit", EDITS)
def test_a_person_takes_it_as_it_is(edit: str, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    attack(world, edit, "left")
    db = ["--db", str(world.memory)]
    assert main(["trust", "--reason", "I looked at it", *db]) == 0
    assert main(["verify", *db]) == 0, capsys.readouterr().out
    capsys.readouterr()
    assert main(["recall", "Grace log", *db]) == 0
    assert capsys.readouterr().err == ""
    assert main(["dream", *db]) == 0
    with Store.open(world.memory) as store:
        assert verify(store).ok


@pytest.mark.parametrize("table", ["summary", "turn", "observation"])
def test_what_is_written_over_damage_that_a_person_accepts_is_written(table: str, world: World) -> None:
    with Store.open(world.memory) as store, store.writing():
        session = store.connection.execute("SELECT max(id) FROM session").fetchone()[0]
        if table != "summary":
            store.connection.execute(
                f"INSERT INTO {table} (session_id, position, content) VALUES (?, 1, 'We sail at six.')", (session,)
            )
    with shell(world.memory) as c:
        assert c.execute(f"UPDATE {table} SET content = 'At nine.' WHERE session_id = ?", (session,)).rowcount
    with Store.open(world.memory) as store:
        store.seal.accepting = True
        with store.writing():
            store.connection.execute(f"UPDATE {table} SET read_by = 1 WHERE session_id = ?", (session,))
        assert store.connection.execute(f"SELECT count(*) FROM {table} WHERE read_by = 1").fetchone()[0]
