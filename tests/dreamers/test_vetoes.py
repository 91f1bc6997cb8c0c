"""A veto on a merge holds pair by pair, however the two would be brought together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphdream.dreamers.gathered import Gathered, SeenEntity, SeenFact
from graphdream.dreamers.vetoes import Vetoes
from graphdream.mutations import model
from graphdream.mutations.applier import Proposal

NAMES = ("Ada Lovelace", "A. Lovelace", "Ada King", "Ada")
VIEW = Gathered(
    "compact", 1, "",
    entities=tuple(SeenEntity(number, name, "person", pinned=False) for number, name in enumerate(NAMES, 1)),
    facts=tuple(SeenFact(number, 1, "general", f"says {number}", "attribute", 0.8, "", "", "", "observed") for number in range(1, 5)),
)  # fmt: skip


def merge(*source: str, into: str) -> model.MergeEntities:
    return model.MergeEntities(source=source, target=into)


def vetoed(*mutations: model.Mutation, blamed: tuple[str, ...] = ()) -> Vetoes:
    """What is thought with after a pass in which these did harm."""
    prints = [Vetoes(VIEW).fingerprints(Proposal.of(one).body, blamed) for one in mutations]
    return Vetoes(replace(VIEW, declined=frozenset().union(*prints)))


def allowed(vetoes: Vetoes, *mutations: model.Mutation) -> list[tuple[str, ...]]:
    return [(*one.source, one.target) for one in vetoes.allowed(mutations) if isinstance(one, model.MergeEntities)]


def test_another_list_of_sources_is_no_way_round_a_veto() -> None:
    """The fingerprint was that of the whole list: one source more or less, and the same two were merged again."""
    vetoes = vetoed(merge("e2", into="e1"))
    assert allowed(vetoes, merge("e2", "e3", into="e1")) == [("e3", "e1")]
    assert allowed(vetoed(merge("e2", "e3", into="e1")), merge("e3", into="e1")) == []


@pytest.mark.parametrize(
    "detour",
    [
        [merge("e1", into="e2")],
        [merge("e1", "e2", into="e3")],
        [merge("e2", into="e3"), merge("e3", into="e1")],
        [merge("e1", into="e4"), merge("e2", into="e3"), merge("e3", into="e4")],
    ],
)  # fmt: skip
def test_two_that_are_to_stay_apart_come_together_by_no_detour(detour: list[model.MergeEntities]) -> None:
    left = allowed(vetoed(merge("e2", into="e1")), *detour)
    together: dict[str, set[str]] = {}
    for *sources, target in left:
        joined = together.setdefault(target, {target}).union(*(together.get(one, {one}) for one in sources))
        together[target] = joined
    assert not any({"e1", "e2"} <= group for group in together.values())
    assert len(left) == len(detour) - 1 or len(detour) == 1


def test_only_the_sources_that_were_harmed_are_meant() -> None:
    vetoes = vetoed(merge("e2", "e3", into="e1"), blamed=("e3", "a9"))
    assert allowed(vetoes, merge("e2", "e3", into="e1")) == [("e2", "e1")]


def test_a_veto_is_passed_on_to_what_has_absorbed_one_of_the_two() -> None:
    """The absorbed row is not shown any more in the next pass, and its veto would be met by nobody."""
    vetoes = vetoed(merge("e2", into="e1"))
    assert allowed(vetoes, merge("e2", into="e3"), merge("e3", into="e1")) == [("e2", "e3")]
    later = replace(
        VIEW, entities=tuple(one for one in VIEW.entities if one.id != 2), declined=frozenset(vetoes.passed_on)
    )
    assert allowed(Vetoes(later), merge("e3", into="e1")) == []


def test_a_veto_is_met_again_whichever_fields_the_proposal_leaves_out() -> None:
    """A body from the journal lacks what stands at its default; the same mutation never met its own veto."""
    old = model.SupersedeAttribute(old="a1", new="a2")
    vetoes = vetoed(old)
    assert vetoes.allowed([model.SupersedeAttribute(old="a1", new="a2", slot="1:home", reason="anew")]) == []
    assert vetoes.allowed([model.SupersedeAttribute(old="a2", new="a1")]) != []


def test_a_veto_rests_on_the_words() -> None:
    vetoes = vetoed(model.DeleteAttribute(content="a1"))
    other = replace(VIEW.facts[0], content="says something else")
    declined = vetoes._vetoed
    assert Vetoes(replace(VIEW, facts=(other, *VIEW.facts[1:]), declined=declined)).allowed(
        [model.DeleteAttribute(content="a1")]
    )
    assert not Vetoes(replace(VIEW, declined=declined)).allowed([model.DeleteAttribute(content="a1")])
