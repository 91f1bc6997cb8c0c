"""Who asks in the words of what was replaced is told what stands now."""

from __future__ import annotations

import pytest

from graphdream.dream.probes import Probe, ask
from graphdream.graph.store import Store
from graphdream.recall.search import recall
from support.graphs import apply

OLD = "The blue backup drive sits in the drawer."
LATER, NEWEST = "Copies go to the cloud on Sundays.", "Tapes, in Basel."
ASKED = "blue backup drive drawer"


def fact(store: Store, content: str) -> str:
    """The handle of a fact."""
    found = store.connection.execute("SELECT id FROM attribute WHERE content = ?", (content,)).fetchone()
    return f"a{found[0]}"


@pytest.fixture
def moved(memory: Store) -> Store:
    """A memory whose statement was replaced twice, each time in other words."""
    apply(
        memory,
        [
            {"op": "create_entity", "name": "Desk", "type": "place"},
            {"op": "create_attribute", "entity": "Desk", "aspect": "things", "content": OLD},
        ],
        actor="person",
    )
    for old, new in ((OLD, LATER), (LATER, NEWEST)):
        apply(memory, [{"op": "supersede_attribute", "old": fact(memory, old), "new": new}], actor="person")
    return memory


def test_the_newest_stands_for_what_it_replaced(moved: Store) -> None:
    found = [hit for hit in recall(moved, ASKED) if hit.kind == "fact"]
    assert [hit.text for hit in found][:1] == [NEWEST]
    assert found[0].parts["replaced"] > 0 and found[0].score == pytest.approx(sum(found[0].parts.values()))
    assert OLD not in [hit.text for hit in found]


def test_what_has_these_words_itself_goes_before(moved: Store) -> None:
    apply(
        moved,
        [
            {
                "op": "create_attribute",
                "entity": "Desk",
                "aspect": "more",
                "content": "The drawer of the blue backup drive is locked.",
            }
        ],
        actor="person",
    )
    texts = [hit.text for hit in recall(moved, ASKED) if hit.kind == "fact"]
    assert texts[:2] == ["The drawer of the blue backup drive is locked.", NEWEST]


def test_history_is_told_in_its_own_words(moved: Store) -> None:
    shown = {hit.text: hit.parts for hit in recall(moved, ASKED, include_superseded=True) if hit.kind == "fact"}
    assert OLD in shown and not any("replaced" in parts for parts in shown.values())


def test_what_was_put_aside_afterwards_stands_for_nothing(moved: Store) -> None:
    apply(moved, [{"op": "delete_attribute", "content": fact(moved, NEWEST)}], actor="person")
    assert not {hit.text for hit in recall(moved, ASKED) if hit.kind == "fact"} & {OLD, NEWEST}


def test_the_probes_of_a_pass_ask_likewise_where_the_judgement_is_calibrated(moved: Store) -> None:
    """Who else replaces a fact must have it found by its own words: a model may say that tea replaced a boat."""
    old = Probe(int(fact(moved, OLD)[1:]), 1, ASKED)
    assert not ask(moved.connection, [old], {}).found
    assert ask(moved.connection, [old], {}, replaced={old.fact_id}).found == {old.fact_id}
