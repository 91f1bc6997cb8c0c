"""What a person has decided holds, or nothing is written: verdicts on merges, purges, notes of agents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import graphdream
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from tests.support.attacks import World, shell

INES, PURGED = "Ines sails on Sundays, too.", "Grace hides the spare key under the mat."
REJECTIONS = {
    "of others": "UPDATE rejection SET second_id = second_id + 1",
    "revoked": "UPDATE rejection SET revoked_by = 1",
    "gone": "DELETE FROM rejection",
}
PAIRS = {
    "of others": "UPDATE distinct_pair SET second_id = second_id + 1",
    "gone": "DELETE FROM distinct_pair",
}
TOMBSTONES = {
    "of others": "UPDATE tombstone SET digest = replace(replace(digest, 'a', 'b'), '1', '2')",
    "gone": "DELETE FROM tombstone",
    "of a fact gone": "DELETE FROM tombstone WHERE kind = 'fact'",
}


def forge(path: Path, sql: str) -> None:
    with shell(path) as c:
        assert c.execute(sql).rowcount


@contextmanager
def refused(words: str) -> Iterator[None]:
    with pytest.raises(graphdream.GraphdreamError, match=f"not as it was sealed: .*{words}"):
        yield


def run(world: World, *words: str) -> int:
    return main([*words, "--db", str(world.memory)])


@pytest.fixture
def judged(world: World) -> World:
    """A memory in which a person has judged that Ines and Grace are not the same, after a merge."""
    with graphdream.open(world.memory) as graph:
        graph.remember(INES, category="person/Ines/boats")
        merged = graph.edit({"op": "merge_entities", "source": ["Ines"], "target": "Grace"}).pass_id
        graph.undo(merged, all_wrong=True)
    return world


@pytest.mark.parametrize("sql", REJECTIONS.values(), ids=REJECTIONS)
def test_a_merge_that_was_judged_wrong_is_not_made_again(
    sql: str, judged: World, capsys: pytest.CaptureFixture[str]
) -> None:
    forge(judged.memory, sql)
    for words in (["dream"], ["dream", "--compact"], ["undo", "1", "--cascade"]):
        capsys.readouterr()
        assert run(judged, *words) == 1, words
        assert "rejection" in capsys.readouterr().err
    with graphdream.open(judged.memory) as graph, refused("rejection"):
        graph.edit({"op": "merge_entities", "source": ["Ines"], "target": "Grace"})


def test_what_rests_on_no_verdict_is_written(judged: World) -> None:
    forge(judged.memory, REJECTIONS["revoked"])
    with graphdream.open(judged.memory) as graph:
        assert graph.remember("Grace likes tea.", category="person/Grace/taste").handle


def test_a_pass_that_a_person_wants_nevertheless_says_so_on_record(judged: World) -> None:
    forge(judged.memory, REJECTIONS["revoked"])
    assert run(judged, "dream", "--accept-damage") == 0
    with Store.open(judged.memory) as store:
        (inputs,) = store.connection.execute("SELECT inputs FROM pass ORDER BY id DESC LIMIT 1").fetchone()
    assert "rejection 1 was changed behind graphdream's back" in inputs
    assert run(judged, "verify") == 1


@pytest.mark.parametrize("sql", PAIRS.values(), ids=PAIRS)
def test_entities_that_are_distinct_are_not_merged(sql: str, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    with graphdream.open(world.memory) as graph:
        graph.remember(INES, category="person/Ines/boats")
        graph.edit({"op": "mark_distinct", "first": "Ines", "second": "Grace", "reason": "two people"})
    forge(world.memory, sql)
    with graphdream.open(world.memory) as graph, refused("distinct_pair"):
        graph.edit({"op": "merge_entities", "source": ["Ines"], "target": "Grace"})
    assert run(world, "dream") == 1
    assert "distinct_pair" in capsys.readouterr().err


@pytest.fixture
def purged(world: World) -> World:
    """A memory out of which a fact was purged."""
    with graphdream.open(world.memory) as graph:
        told = graph.remember(PURGED, category="person/Grace/keys")
        graph.record_session("s9", summary=f"{PURGED} Nobody knows.")
        graph.export(world.memory.with_name("before.jsonl"))
        graph.purge(told.handle)
    return world


@pytest.mark.parametrize("sql", TOMBSTONES.values(), ids=TOMBSTONES)
def test_what_was_purged_does_not_come_back(sql: str, purged: World, capsys: pytest.CaptureFixture[str]) -> None:
    forge(purged.memory, sql)
    with graphdream.open(purged.memory) as graph:
        with refused("tombstone"):
            graph.remember(PURGED, category="person/Grace/keys", by="agent")
        if "kind" not in sql:  # else the import knows the row by its id, and the summary by its words
            with refused("tombstone"):
                graph.import_file(purged.memory.with_name("before.jsonl"))
            assert graph.record_session("s10", summary=f"{PURGED} Nobody knows.").spooled
    assert run(purged, "recall", "spare key") == 0
    assert "under the mat" not in capsys.readouterr().out


def test_what_nobody_has_purged_is_written_as_before(purged: World) -> None:
    with graphdream.open(purged.memory) as graph:
        assert graph.remember("Grace likes tea.", category="person/Grace/taste", by="agent").handle
        assert not graph.record_session("s10", summary=f"{PURGED} Nobody knows.").spooled
        assert graph.record_session("s11", summary="Grace bought a third boat.").new_session
        assert PURGED not in graph.store.connection.execute("SELECT group_concat(content) FROM summary").fetchone()[0]


def test_a_note_that_was_changed_is_named(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    note = ["--namespace", "session/s1"]
    assert run(world, "working", "put", "plan", "Sail at six.", *note) == 0
    forge(world.memory, "UPDATE working_memory SET value = 'Mallory sails.'")
    capsys.readouterr()
    assert run(world, "working", "get", "plan", *note) == 1
    said = capsys.readouterr()
    assert "Mallory" not in said.out and "expired" not in said.err
    assert "the note 'session/s1/plan' was changed" in said.err
