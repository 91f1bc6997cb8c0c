"""Recall never gets worse by dreaming: what would make a question unanswerable is left out of a pass, or the pass is
refused; the rest goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.dream.probes import Probe, ask, draw_probes
from graphdream.dream.runner import PassOptions, dream
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.journal.passes import list_passes
from graphdream.journal.verify import verify
from tests.support.dreamers import Scripted
from tests.support.graphs import apply, clock, dump, entity, facts_of

COMPACT = PassOptions(mode="compact", loss_cap=1.0)
# Superseding counts as "still said" by the successor: one that says something else loses the answer.
HARM = {"op": "supersede_attribute", "old": "a1", "new": "a2"}
GOOD = {"op": "delete_attribute", "content": "a4"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Ada (e1: a1 about a boat, a2 about tea), Bo (e2: a3 about chess, a4 a scrap), and eight of her name with such boats:
    asked about Ada's boat, they come before Ada's tea."""
    boats = [entity(f"Ada {number}", general=[f"keeps a red boat in harbour number {number}"]) for number in range(8)]
    with Store.open(tmp_path / "memory.db") as store:
        apply(
            store,
            [
                entity("Ada", general=["keeps the red sailing boat in the northern harbour", "likes tea"]),
                entity("Bo", general=["plays chess with Ada on Fridays", "for the"]),
                *boats,
            ],
        )
        yield store


def test_a_change_that_loses_an_answer_is_left_out_and_the_rest_is_done(store: Store) -> None:
    report = dream(store, Scripted(HARM, GOOD), COMPACT, clock=clock)
    assert report.status == "applied"
    assert [(outcome.status, outcome.code) for outcome in report.outcomes] == [
        ("skipped", "harmful"),
        ("applied", "ok"),
    ]
    assert "keeps the red sailing boat in the northern harbour" in facts_of(store, "Ada")
    assert report.figures["left_out_as_harmful"] == 1
    assert report.figures["recall_after"] >= report.figures["recall_before"]
    assert verify(store).ok


@pytest.mark.parametrize("place", ["e2", "Bo"])
def test_what_drives_an_answer_out_is_left_out_though_it_names_nothing_that_was_lost(store: Store, place: str) -> None:
    """Six facts of Bo's come before Ada's boat; the whole pass was refused. By handle they are known by what is found in
    its place; where Bo is named by name nothing tells, and the pass is refused still."""
    boat = "keeps the red sailing boat in the northern harbour"
    told = [f"Ada keeps sailing northern {number}" for number in range(6)]
    record(store, "s1", summary="\n".join(told), clock=clock)
    crowd = [{"op": "create_attribute", "entity": place, "content": text, "session": "s1"} for text in told]
    before = dump(store)
    report = dream(store, Scripted(*crowd, GOOD), COMPACT, clock=clock)
    assert boat in facts_of(store, "Ada")
    if place == "Bo":
        assert report.status == "refused" and dump(store) == before
        return
    assert report.status == "applied" and report.figures["recall_after"] >= report.figures["recall_before"]
    assert {outcome.code for outcome in report.outcomes[:-1]} == {"harmful"}
    assert report.outcomes[-1].status == "applied"
    assert verify(store).ok


def test_a_pass_whose_harm_has_no_name_is_refused_whole(store: Store) -> None:
    """The same harm, addressed by words instead of handles: nothing tells which mutation did it."""
    boat = "keeps the red sailing boat in the northern harbour"
    by_words = {"op": "supersede_attribute", "entity": "Ada", "old": boat, "new": "likes tea"}
    before = dump(store)
    report = dream(store, Scripted(by_words, GOOD), COMPACT, clock=clock)
    if report.status == "applied":  # it was found out by other means, which is better still
        assert boat in facts_of(store, "Ada")
        return
    assert report.status == "refused" and "recall fell from" in report.summary
    assert dump(store) == before
    record = list_passes(store.connection)[-1]
    assert (record["status"], record["error"]) == ("refused", report.summary)
    assert verify(store).ok


def test_a_person_who_allows_for_loss_gets_it(store: Store) -> None:
    options = PassOptions(mode="compact", loss_cap=1.0, recall_tolerance=0.5)
    report = dream(store, Scripted(HARM), options, clock=clock)
    assert report.status == "applied" and report.figures["recall_after"] < report.figures["recall_before"]


def test_the_same_graph_is_asked_the_same_questions(store: Store) -> None:
    from graphdream.dream.gather import gather

    gathered = gather(store, mode="compact", now=clock())
    names = {one.id: one.name for one in gathered.entities}
    first, second = (draw_probes(gathered, names, frozenset({1})) for _ in range(2))
    assert first == second and {probe.fact_id for probe in first} >= {1, 3}
    assert ask(store.connection, first, {}).recall == 1.0


def test_facts_in_scripts_without_blanks_are_asked_about(tmp_path: Path) -> None:
    """A sentence of them counted as one word, so that a memory in Japanese was asked nothing, and could lose anything."""
    from graphdream.dream.gather import gather

    told = ["母は京都に住んでいる", "サーバーのポートは8080", "会议每周二上午十点", "แม่อยู่เชียงใหม่"]
    with Store.open(tmp_path / "memory.db") as store:
        apply(store, [entity("メモ", general=told)])
        gathered = gather(store, mode="compact", now=clock())
        probes = draw_probes(gathered, {1: "メモ"}, frozenset())
        assert {probe.fact_id for probe in probes} == {1, 2, 3, 4}
        assert all(text not in probe.question for text in told for probe in probes)
        assert ask(store.connection, probes, {}).recall == 1.0


def test_the_gate_asks_through_the_search_that_answers_questions(store: Store) -> None:
    """It knows an alias, and takes `north` for kin of `northern`; the bare index has neither word."""
    apply(store, [{"op": "add_alias", "entity": "e1", "name": "Countess"}], actor="person")
    probe = Probe(fact_id=1, entity_id=1, question="Countess north")
    assert ask(store.connection, [probe], {}).found == {1}
