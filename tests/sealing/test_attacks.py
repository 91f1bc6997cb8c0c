"""Nine kinds of edit in four ways: each is told or refused by default, when the memory is next opened or read."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphdream
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify
from graphdream.views.skills import Skill
from tests.support.attacks import EDITS, WAYS, World, attack, shell


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


FORGED = [edit for edit in EDITS if edit not in ("tail truncation", "middle deletion", "older complete copy")]
"""Edits after which a row is there that says something else."""


@pytest.mark.parametrize("edit", FORGED)
def test_what_shows_the_graph_leaves_it_out_and_names_it(
    edit: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    attack(world, edit, "left")
    row = {"rollback of one record": "a2", "forged insertion": "a8"}.get(edit, "a1")
    pages = (["entity", "Grace", "--history"], ["entity", "Grace", "--history", "--json"], ["diff", "0..7", "--all"])
    for words in pages:
        assert main([*words, "--db", str(world.memory)]) == 0
        told = capsys.readouterr()
        assert "MongoDB" not in told.out and "Mallory" not in told.out
        assert "warning" in told.err
        assert words[0] == "diff" or ("left out, not being as it was sealed" in told.err and row in told.err)
    with graphdream.open(world.memory) as graph:
        page = graph.entity("Grace", history=True)
        assert row not in {fact.handle for facts in page.facts.values() for fact in facts}
        assert row in graph.store.seal.left_out
        with pytest.raises(graphdream.GraphdreamError, match="not as it was sealed"):
            graph.networkx()


def test_an_overview_tells_no_fact_that_was_forged(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    attack(world, "content", "left")
    for words in (["show", "1"], ["show", "1", "--all"], ["show", "1", "--added"], ["diff", "1"]):
        assert main([*words, "--db", str(world.memory)]) == 0
        told = capsys.readouterr()
        assert "MongoDB" not in told.out and "not being as it was sealed: a1" in told.err
    with graphdream.open(world.memory) as graph:
        examples = [one for kind in graph.overview(1).kinds for one in kind.examples]
        assert examples and not any("MongoDB" in text for one in examples for text in (*one.before, one.after))
        assert graph.store.seal.left_out == {"a1"}


def test_a_pass_that_was_rewritten_is_named_until_a_person_takes_it(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    with shell(world.memory) as c:
        c.execute("UPDATE change SET diff = replace(diff, 'Postgres 16', 'MongoDB') WHERE kind = 4 AND row_id = 1")
        c.execute("UPDATE mutation SET body = replace(body, 'Postgres 16', 'MongoDB') WHERE pass_id = 1")
    for words in (["show", "1"], ["show", "1", "--json"], ["diff", "1", "--json"]):
        assert main([*words, "--db", str(world.memory)]) == 0
        assert "not being as it was sealed: pass 1" in capsys.readouterr().err
    with graphdream.open(world.memory) as graph:
        assert graph.overview(1).kinds == ()
        graph.trust("looked at it")
        graph.store.seal.left_out.clear()
        assert graph.overview(1).kinds
        assert graph.store.seal.left_out == set()


@pytest.mark.parametrize(
    ("table", "column"), [("entity", "name"), ("aspect", "name"), ("alias", "name"), ("link", "type")]
)
def test_of_an_entity_each_row_counts(
    table: str, column: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    with graphdream.open(world.memory) as graph:
        graph.edit({"op": "add_alias", "entity": "Grace", "name": "Gracie"})
        graph.remember("Ines sails too.", category="person/Ines/boats")
        graph.edit({"op": "link", "source": "Grace", "target": "Ines", "type": "knows"})
    with shell(world.memory) as c:
        assert c.execute(f"UPDATE {table} SET {column} = 'Forged' WHERE id = 1").rowcount
    told = main(["entity", "e1", "--db", str(world.memory)])
    said = capsys.readouterr()
    assert "Forged" not in said.out
    assert told == (1 if table == "entity" else 0)
    assert "sealed" in said.err
    assert main(["categories", "--db", str(world.memory)]) == 0
    assert "Forged" not in capsys.readouterr().out
    with graphdream.open(world.memory) as graph, pytest.raises(graphdream.GraphdreamError, match="was sealed"):
        graph.networkx()


def test_skills_and_explanations_rest_on_nothing_forged(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    with graphdream.open(world.memory) as graph:
        graph.skills.put(Skill("mcp/email", summary="Sends mail.", content="Use port 587."))
        graph.skills.put(Skill("mcp/files", summary="Reads files.", content="Use the folder."))
    with shell(world.memory) as c:
        assert c.execute("UPDATE attribute SET content = 'Use Mallory.' WHERE content = 'Use port 587.'").rowcount
    db = ["--db", str(world.memory)]
    assert main(["skills", "list", *db]) == 0
    told = capsys.readouterr()
    assert "mcp/files" in told.out and "mcp/email" not in told.out
    assert "left out, not being as it was sealed" in told.err
    assert main(["skills", "show", "mcp/email", *db]) == 1
    assert "Mallory" not in capsys.readouterr().out
    attack(world, "content", "left")
    assert main(["explain", "a1", "a2", *db]) == 1
    told = capsys.readouterr()
    assert "MongoDB" not in told.out and "not as it was sealed" in told.err


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
