"""What reads the journal to write the graph, or to tell of it, takes no forged pass at its word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import graphdream
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify
from tests.support.attacks import FORGERIES, REPLACED, World, change, shell


def run(world: World, *words: str) -> int:
    return main([*words, "--db", str(world.memory)])


@pytest.mark.parametrize("forgery", FORGERIES)
def test_an_undo_writes_nothing_of_a_forged_pass(
    forgery: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    FORGERIES[forgery](world)
    assert run(world, "undo", str(REPLACED)) == 1
    said = capsys.readouterr().err
    assert "not as it was sealed" in said
    assert f"pass {REPLACED}" in said
    assert run(world, "recall", "Grace sails") == 0
    assert "Mallory" not in capsys.readouterr().out
    assert run(world, "verify") == 1


def test_an_undo_that_a_person_wants_nevertheless_says_so_on_record(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    change(world)
    assert run(world, "undo", str(REPLACED), "--accept-damage") == 0
    with Store.open(world.memory) as store:
        (inputs,) = store.connection.execute("SELECT inputs FROM pass ORDER BY id DESC LIMIT 1").fetchone()
    assert json.loads(inputs)["damage"] == [f"pass {REPLACED} was changed behind graphdream's back"]
    assert run(world, "verify") == 1


def test_a_cascade_takes_back_no_forged_pass(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    change(world)
    assert run(world, "undo", "2", "--cascade") == 1
    assert f"pass {REPLACED}" in capsys.readouterr().err


def test_what_was_taken_back_is_taken_back_again_after_a_look_at_the_journal(world: World) -> None:
    with graphdream.open(world.memory) as graph:
        undone = graph.undo(REPLACED)
        again = graph.undo(undone.pass_id)
        assert again.brought_back == (REPLACED,)
        assert verify(graph.store).ok
        with shell(world.memory) as c:
            c.execute("UPDATE pass SET undoes = '[5]' WHERE id = ?", (undone.pass_id,))
        with pytest.raises(graphdream.GraphdreamError, match=f"pass {undone.pass_id} was changed"):
            graph.undo(again.pass_id)


def test_an_entity_is_not_taken_out_again_by_a_forged_journal(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    with graphdream.open(world.memory) as graph:
        graph.remember("Ines sails too.", category="person/Ines/boats")
        merged = graph.edit({"op": "merge_entities", "source": ["Ines"], "target": "Grace"}).pass_id
    with shell(world.memory) as c:
        c.execute("UPDATE change SET diff = replace(diff, 'Ines', 'Mallory') WHERE pass_id >= ?", (merged,))
        (gone,) = c.execute("SELECT id FROM entity WHERE status = 'absorbed'").fetchone()
    capsys.readouterr()
    assert run(world, "unmerge", f"e{gone}") == 1
    assert f"pass {merged} was changed" in capsys.readouterr().err


def test_a_person_who_takes_a_forged_pass_takes_that_one_only(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    change(world)
    assert run(world, "trust", "--reason", "I looked at it") == 0
    assert run(world, "verify") == 0, capsys.readouterr().out
    with shell(world.memory) as c:
        c.execute("UPDATE change SET diff = replace(diff, 'Mallory', 'Trudy') WHERE pass_id = ?", (REPLACED,))
    assert run(world, "verify") == 1
    assert run(world, "undo", str(REPLACED)) == 1


# ---------------------------------------------------------------------- exports


@pytest.mark.parametrize("forgery", ["change", "span", "account", "consent"])
def test_the_past_of_a_forged_journal_is_not_exported(
    forgery: str, world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    FORGERIES[forgery](world)
    out = tmp_path / "past.jsonl"
    assert run(world, "export", "--at", str(REPLACED), "--out", str(out)) == 1
    assert f"pass {REPLACED} was changed" in capsys.readouterr().err
    assert not out.exists()
    with graphdream.open(world.memory) as graph:
        with pytest.raises(graphdream.GraphdreamError, match=f"pass {REPLACED} was changed"):
            graph.export(out, at=REPLACED)
        graph.export(out, at=REPLACED - 1)  # what the passes before it say rests on none that was forged
    assert '"kind":"seal"' in out.read_text()


def test_an_export_of_what_a_person_accepts_bears_no_seal(world: World, tmp_path: Path) -> None:
    out = tmp_path / "past.jsonl"
    assert run(world, "export", "--accept-damage", "--out", str(out)) == 0
    assert '"kind":"seal"' in out.read_text()
    FORGERIES["account"](world)
    assert run(world, "export", "--at", str(REPLACED), "--accept-damage", "--out", str(out), "--force") == 0
    assert '"kind":"seal"' not in out.read_text()
    with shell(world.memory) as c:
        c.execute("UPDATE attribute SET content = 'Mallory sails.' WHERE id = 2")
    assert run(world, "export", "--accept-damage", "--out", str(out), "--force") == 0
    assert '"kind":"seal"' not in out.read_text()
