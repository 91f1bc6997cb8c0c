"""Remembering one thing: where it goes, and that what is known is reinforced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import graphdream
from graphdream.errors import AmbiguousNameError, ConflictError, UsageError
from graphdream.mutations.model import DeleteAttribute
from tests.support.graphs import NOW, apply, entity, facts_of


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    """An empty memory with a clock that stands still."""
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        yield graph


def test_a_category_is_an_entity_and_its_aspect(graph: graphdream.Graph) -> None:
    graph.remember("Europe/Berlin", category="user-preferences/timezone", tags=["place"])
    row = graph.store.connection.execute(
        "SELECT entity.name, entity.type, aspect.name, attribute.tags FROM attribute JOIN aspect ON aspect.id = aspect_id"
        " JOIN entity ON entity.id = entity_id"
    ).fetchone()
    assert tuple(row) == ("user-preferences", "category", "timezone", '["place"]')


def test_without_a_category_it_goes_to_whom_it_names(graph: graphdream.Graph) -> None:
    graph.remember("sails", category="person/Avery Holm/hobby")
    graph.remember("Avery Holm prefers Helix")
    assert facts_of(graph.store, "Avery Holm") == {"sails", "Avery Holm prefers Helix"}


def test_the_same_twice_is_one_fact_seen_twice(graph: graphdream.Graph) -> None:
    first = graph.remember("prefers tabs", category="user-preferences/editor")
    again = graph.remember("Prefers tabs.", category="user-preferences/editor")
    assert (again.handle, again.known) == (first.handle, True)


def test_another_value_is_another_fact(graph: graphdream.Graph) -> None:
    graph.remember("favourite colour is purple", category="person/Avery/taste")
    second = graph.remember("favourite colour is cyan", category="person/Avery/taste")
    assert not second.known
    assert len(facts_of(graph.store, "Avery")) == 2


def test_a_blank_text_is_refused(graph: graphdream.Graph) -> None:
    with pytest.raises(UsageError):
        graph.remember("  ")


def test_remembering_is_a_pass_and_can_be_undone(graph: graphdream.Graph) -> None:
    kept = graph.remember("prefers tabs", category="user-preferences/editor")
    graph.undo(kept.pass_id)
    assert graph.store.connection.execute("SELECT count(*) FROM attribute").fetchone()[0] == 0


def test_another_type_is_another_entity(graph: graphdream.Graph) -> None:
    """What was remembered of the planet was added to the person of that name."""
    graph.remember("sings", category="person/Mercury/hobby")
    graph.remember("has no moon", category="planet/Mercury/orbit")
    rows = graph.store.connection.execute("SELECT type FROM entity WHERE name = 'Mercury' ORDER BY id").fetchall()
    assert [row[0] for row in rows] == ["person", "planet"]
    graph.remember("is small", category="planet/Mercury/size")
    graph.remember("writes", category="person/Mercury/hobby")
    assert graph.store.connection.execute("SELECT count(*) FROM entity").fetchone()[0] == 2


def test_an_untyped_entity_fits_any_type(graph: graphdream.Graph) -> None:
    apply(graph.store, [entity("Mercury", kind="unknown", general=["is bright"])])
    graph.remember("has no moon", category="planet/Mercury/orbit")
    assert facts_of(graph.store, "Mercury") == {"is bright", "has no moon"}


def test_a_name_that_fits_two_is_an_error_that_lists_both(graph: graphdream.Graph) -> None:
    graph.remember("sings", category="person/Mercury/hobby")
    graph.remember("has no moon", category="planet/Mercury/orbit")
    with pytest.raises(AmbiguousNameError) as refused:
        graph.remember("is known", category="Mercury/fame")
    assert refused.value.candidates == ("e1 (person)", "e2 (planet)")
    assert graph.store.connection.execute("SELECT count(*) FROM attribute").fetchone()[0] == 2


@pytest.mark.parametrize("purged", [False, True])
def test_what_a_person_has_taken_out_is_not_remembered_again(graph: graphdream.Graph, purged: bool) -> None:
    """It ended in a TypeError."""
    kept = graph.remember("prefers tabs", category="user-preferences/editor")
    if purged:
        graph.purge(kept.handle)
    else:
        graph.edit(DeleteAttribute(content=kept.handle))
    before = len(graph.passes())
    with pytest.raises(ConflictError) as refused:
        graph.remember("Prefers tabs.", category="user-preferences/editor")
    assert len(graph.passes()) == before
    assert "graphdream remember --again" in refused.value.hint
    with pytest.raises(UsageError, match="only the user"):
        graph.remember("Prefers tabs.", category="user-preferences/editor", by="agent", again=True)
    anew = graph.remember("Prefers tabs.", category="user-preferences/editor", again=True)
    assert not anew.known and graph.recall("tabs")[0].authority == "user" and graph.verify().ok


def test_what_was_said_earlier_may_be_told_later(graph: graphdream.Graph) -> None:
    done = graph.remember("Ada Lovelace lives in Oslo.", at="2026-02-03")
    told = graph.store.connection.execute(
        "SELECT first_seen, last_seen FROM attribute WHERE id = ?", (int(done.handle[1:]),)
    ).fetchone()
    assert tuple(told) == ("2026-02-03T00:00:00Z", "2026-02-03T00:00:00Z")
    with pytest.raises(UsageError, match="'soon' is not a time"):
        graph.remember("Ada Lovelace drinks tea.", at="soon")


@pytest.mark.parametrize(
    "told",
    [
        ("The 7:12 train stops at platform 3", "The 7:42 train stops at platform 5", "The 8:12 train stops at platform 3",
         "The 8:42 train stops at platform 6"),
        ("3号室の鍵は青い", "4号室の鍵は赤い", "5号室の鍵は白い", "6号室の鍵は黒い"),
        ("Haken 1 hält Faden 0 Nummer 1", "Haken 14 hält Faden 1 Nummer 4", "Haken 22 hält Faden 2 Nummer 2",
         "Haken 32 hält Faden 3 Nummer 2", "Haken 20 hält Faden 2 Nummer 0"),
    ],
)  # fmt: skip
def test_a_score_ends_nothing_that_a_person_told(graph: graphdream.Graph, told: tuple[str, ...]) -> None:
    """A list told item by item lost some: the scorer was sure at .99 that others had taken their place."""
    for at, text in enumerate(told, 1):
        graph.remember(text, at=f"2026-01-05T09:00:0{at}Z")
    graph.dream(compact=True)
    assert facts_of(graph.store, "general") == set(told)


def test_what_a_person_says_is_over_is_over(graph: graphdream.Graph) -> None:
    moved = "Quay rota moved its headquarters from Taipei to Kigali"
    graph.remember("Headquarters: Taipei", category="project/Quay rota/office", at="2026-01-05")
    graph.remember(moved, category="project/Quay rota/office", at="2026-03-05")
    graph.dream(compact=True)
    assert facts_of(graph.store, "Quay rota") == {moved}


def _times(graph: graphdream.Graph) -> tuple[str | None, ...]:
    row = graph.store.connection.execute("SELECT occurred_at, valid_from, time_precision FROM attribute").fetchone()
    return tuple(time[:10] if time else None for time in row)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("Runa moved to Skagen yesterday", ("2026-03-09", "2026-03-09", None)),
        ("Die Werft zieht nächsten Monat nach Emden um", ("2026-04-01", None, "month")),
        ("Le phare a fermé hier", ("2026-03-09", "2026-03-09", None)),
        ("Das Boot liegt hier", (None, None, None)),  # French `hier` is yesterday
        ("港の会議は3日後に開かれる予定だ", ("2026-03-13", None, None)),
        ("Мост закрыли вчера на ремонт", ("2026-03-09", "2026-03-09", None)),
        ("the ferry runs every Friday", (None, None, None)),
        ("keel laid on 2026-02-01, launched on 2026-03-01", (None, None, None)),
    ],
)
def test_the_time_that_a_text_tells_is_counted_from_when_it_was_said(
    graph: graphdream.Graph, text: str, times: tuple[str | None, ...]
) -> None:
    graph.remember(text, at="2026-03-10")
    assert _times(graph) == times


def test_a_time_that_is_given_stands_for_what_the_text_tells(graph: graphdream.Graph) -> None:
    graph.remember("Runa moved to Skagen yesterday", at="2026-03-10", valid_from="2026-03")
    assert _times(graph) == (None, "2026-03-01", "month")


def test_a_review_beside_a_time_that_the_text_tells(graph: graphdream.Graph) -> None:
    graph.remember("Runa moved to Skagen yesterday", at="2026-03-10", review_after="2026-09")
    assert _times(graph) == ("2026-03-09", "2026-03-09", None)
