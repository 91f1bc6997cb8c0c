"""Everything that a pass takes away is accounted for; what nothing stands for is vetoed, and nothing but that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphdream.dream.findings import closed_questions
from graphdream.dream.gather import gather
from graphdream.dream.runner import PassOptions, dream
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.journal.verify import verify
from tests.support.dreamers import Scripted
from tests.support.graphs import apply, clock, entity, facts_of

COMPACT = PassOptions(mode="compact", loss_cap=1.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Ada (e1: a1-a4), a diary of hers (e2: a5, a6), and Bo (e3: a7) who is pinned."""
    with Store.open(tmp_path / "memory.db") as store:
        apply(
            store,
            [
                entity("Ada", general=["keeps bees in Surrey", "keeps bees", "of the", "repairs clocks on Sundays"]),
                entity("diary", "folder", pages=["Ada paints boats in Whitby", "ata sheet of the"]),
                entity("Bo", general=["knows that Ada keeps bees in Surrey"]),
            ],
        )
        yield store


def outcomes(store: Store, *bodies: dict[str, Any], **how: Any) -> list[str]:
    return [outcome.code for outcome in dream(store, Scripted(*bodies, **how), COMPACT, clock=clock).outcomes]


def delete(fact: str) -> dict[str, Any]:
    return {"op": "delete_attribute", "content": fact, "reason": "so"}


def test_a_fact_that_nothing_covers_is_kept_and_the_rest_of_the_plan_is_done(store: Store) -> None:
    """No question was asked about archived facts, so a plan could archive whatever it liked."""
    covered, no_words, bare = delete("a2"), delete("a3"), delete("a4")
    assert outcomes(store, covered, no_words, bare) == ["ok", "ok", "harmful"]
    assert facts_of(store, "Ada") == {"keeps bees in Surrey", "repairs clocks on Sundays"}
    assert verify(store).ok


def test_what_is_covered_by_a_fact_of_somebody_else_may_go(store: Store) -> None:
    assert outcomes(store, delete("a1")) == ["ok"]  # Bo's fact says it whole


def test_of_two_facts_that_cover_each_other_not_both_go(store: Store) -> None:
    assert "harmful" in outcomes(store, delete("a1"), delete("a7"))
    held = facts_of(store, "Ada") | facts_of(store, "Bo")
    assert held & {"keeps bees in Surrey", "knows that Ada keeps bees in Surrey"}


@pytest.mark.parametrize(
    "words", [{"op": "delete_entity", "name": "diary"}, {"op": "delete_aspect", "entity": "diary", "aspect": "pages"}]
)
def test_what_goes_with_an_entity_or_an_aspect_is_asked_about_too(store: Store, words: dict[str, Any]) -> None:
    """Addressed by name, too: the outcome tells whose facts they were."""
    assert outcomes(store, words, delete("a2")) == ["harmful", "ok"]
    assert "Ada paints boats in Whitby" in facts_of(store, "diary")


def test_a_fact_addressed_by_its_words_is_kept_as_well(store: Store) -> None:
    by_words = {"op": "delete_attribute", "entity": "Ada", "content": "repairs clocks on Sundays"}
    assert outcomes(store, by_words, delete("a2")) == ["harmful", "ok"]


def test_what_the_session_says_that_it_came_from_may_go(store: Store) -> None:
    record(store, "s1", summary="Ada told at length how she repairs clocks on Sundays and sells them.")
    body = {"op": "create_attribute", "entity": "Ada", "content": "how she repairs clocks on Sundays", "session": "s1"}
    apply(store, [body], actor="host")
    assert outcomes(store, delete("a8")) == ["ok"]


def test_what_a_later_telling_of_the_same_says_otherwise_may_go(store: Store) -> None:
    later = {
        "op": "create_attribute",
        "entity": "Ada",
        "content": "repairs clocks on Mondays",
        "known_at": "2031-01-01",
    }
    apply(store, [later], actor="host")
    assert outcomes(store, delete("a4")) == ["ok"]


def test_what_a_calibrated_judgement_finds_empty_may_go(store: Store) -> None:
    assert outcomes(store, delete("a6"), delete("a4"), empty={6}) == ["ok", "harmful"]


def test_a_veto_is_on_record_for_whoever_thinks_next(store: Store) -> None:
    outcomes(store, delete("a2"), delete("a4"))
    declined = closed_questions(store.connection)
    assert [one for one in declined if one.startswith("veto ")]
    assert declined == gather(store, mode="compact", now=clock()).declined


def test_a_memory_in_another_script_is_asked_about_alike(store: Store) -> None:
    """No word is between spaces there: two neighbouring characters are what is looked for."""
    apply(store, [entity("小明", general=["小明住在北京朝阳区", "住在北京", "喜欢喝乌龙茶"])])
    assert outcomes(store, delete("a9"), delete("a10")) == ["ok", "harmful"]
