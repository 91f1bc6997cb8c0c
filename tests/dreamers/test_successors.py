"""A fact that has replaced another stays where it is: nothing else stands for what it has replaced."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphdream.dreamers.foresight import Foresight
from graphdream.dreamers.gathered import Gathered, SeenEntity, SeenFact
from graphdream.dreamers.local import _fact_mutations, _removals
from graphdream.facts import FactFindings


def fact(number: int, entity: int) -> SeenFact:
    return SeenFact(number, entity, "notes", "is built in Oslo", "attribute", 0.9, "2026-01-01", "", "", "inferred")


VIEW = Gathered(
    mode="compact",
    seen_version=1,
    now="2026-02-01T00:00:00Z",
    entities=(SeenEntity(1, "Lantern", "project", pinned=False), SeenEntity(2, "Lantern 2", "project", pinned=False)),
    facts=(fact(1, 1), fact(2, 2)),
)
COPY = FactFindings(duplicates=[(1, 2, "same words")])
JUNK = FactFindings(junk=[(1, "says nothing")])


@pytest.mark.parametrize(
    ("found", "ops"), [(COPY, ["move_attribute", "merge_attributes"]), (JUNK, ["delete_attribute"])]
)
def test_what_has_replaced_a_fact_neither_leaves_its_entity_nor_is_archived(
    found: FactFindings, ops: list[str]
) -> None:
    assert [one.op for one in _fact_mutations(found, VIEW)] == ops
    replaced = replace(VIEW, facts=(replace(VIEW.facts[0], successor=True), VIEW.facts[1]))
    assert not [*_fact_mutations(found, replaced)]


def test_a_copy_of_its_own_entity_may_still_absorb_it() -> None:
    facts = (replace(fact(1, 1), successor=True), fact(2, 1))
    assert [one.op for one in _fact_mutations(COPY, replace(VIEW, facts=facts))] == ["merge_attributes"]


def test_an_entity_stays_with_a_fact_that_stays() -> None:
    """A name that names nothing, `haha`, was archived with the score of a day that had just replaced an older one."""
    named_nothing = FactFindings(junk=[(1, "says nothing")], junk_subjects=[(1, "a word that names nothing")])
    for successor, ops in ((False, ["delete_attribute", "delete_entity"]), (True, [])):
        view = replace(VIEW, facts=(replace(VIEW.facts[0], successor=successor), VIEW.facts[1]))
        foresight = Foresight(view)
        taken = foresight.take(_fact_mutations(named_nothing, view))
        taken += foresight.take(_removals(named_nothing, view, foresight.has_facts))
        assert [one.op for one in taken] == ops
