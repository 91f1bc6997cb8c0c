"""What holds a statement that a newer one seems to have replaced: what neither score nor likeness can show."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from graphdream.facts.asides import Asides
from graphdream.facts.besides import comes_on_top, says_besides
from graphdream.facts.bothhold import may_both_hold
from graphdream.facts.compounds import (
    are_of_two_names,
    are_two_kinds,
    are_two_of_a_number,
    is_of_a_part,
    names_a_kind,
)
from graphdream.facts.counted import give_figures_of_two, have_two_things
from graphdream.facts.difference import tells_a_difference
from graphdream.facts.exchanged import of_two_things
from graphdream.facts.groups import Group
from graphdream.facts.instead import is_instead_of_another
from graphdream.facts.nolonger import denies_less
from graphdream.facts.objects import is_another_change, is_done_by_another, is_done_to_another
from graphdream.facts.othertimes import moved_another
from graphdream.facts.predicates import say_something_else
from graphdream.facts.present import tells_no_present
from graphdream.facts.reading import Reading
from graphdream.facts.statements import Statement
from graphdream.facts.subjects import are_of_two_subjects


class Hold(Enum):
    """Why a statement stays beside a newer one; the value says it to a person."""

    TWO_THINGS = "it is the same sentence of another thing, so it stays"
    PART = "the newer one is about something of what it is about, so it stays"
    KIND = "the newer one may be about a kind of what it is about, so it stays"
    TWO_SUBJECTS = "the newer one is about something else, so it stays"
    SOMETHING_ELSE = "it says something else of what both begin with, so it stays"
    NOT_NOW = "the newer one does not say what holds now, so it stays"
    ANOTHER_TIME = "the newer one moved another time of it, so it stays"
    BOTH = "both may hold, and nothing here shows that the newer one ends it, so it stays"
    DENIES_LESS = "the newer one denies only some of it, so it stays"
    DIFFERENCE = "the newer one tells by how much, and not what it is, so it stays"
    ON_TOP = "the newer one says that it comes on top, so it stays"
    SAYS_MORE = "it says something besides, so it stays, and somebody is asked"
    DENIED = "a second scorer doubts that the newer one ends it, so it stays"


_OF_SOMETHING_ELSE = (
    are_of_two_subjects,
    is_done_to_another,
    is_done_by_another,
    is_another_change,
    is_instead_of_another,
)
_ARE_TWO = (of_two_things, are_two_kinds, are_of_two_names, are_two_of_a_number, give_figures_of_two, have_two_things)


def find_holds(
    old: Group,
    before: Statement,
    after: Statement,
    *,
    says_it: bool,
    in_part: bool = False,
    unshown: bool = False,
    several: bool = False,
    asides: Asides | None = None,
) -> frozenset[Hold]:
    """What holds a statement of a group.

    Args:
        old: what says the same as the older.
        before, after: the older and the newer.
        says_it: the newer tells that the older is over, so they are of one thing.
        in_part: the newer tells that a part of the older is over.
        unshown: the memory shows nothing of how their question is answered.
        several: their words ask a question with several answers.
        asides: what the memory adds to whatever it says.
    """
    found = set(_of_pair(before, after) if not (says_it or in_part) else ())
    if in_part or says_more(old, after, asides):
        found.add(Hold.SAYS_MORE)
    if unshown and not says_it and may_both_hold(before.reading, after.reading, several=several):
        found.add(Hold.BOTH)
    return frozenset(found)


def give_way(holds: frozenset[Hold], *, unshown: bool) -> frozenset[Hold]:
    """What still holds a statement of which two scorers that learned from different memories are sure that it was
    replaced.

    Where the memory shows how their question is answered, it is only that it says something besides, of which no scorer
    knows. Where it shows nothing (`unshown`), it is all but that both may hold. In graphs of 18 vocabularies and in
    word packs all 30 pairs of the first kind and all 94 of the second were changes.
    """
    return holds - {Hold.BOTH} if unshown else holds & {Hold.SAYS_MORE}


def says_more(old: Group, after: Statement, asides: Asides | None) -> bool:
    """Whether all that say the whole of something say more than what a newer statement is about, asides left out."""
    return all(says_besides(_bare(one, asides), after.reading) for one in old.members if one.at in old.whole)


def _bare(one: Statement, asides: Asides | None) -> Reading:
    return asides.without(one.reading) if asides else one.reading


def _of_pair(before: Statement, after: Statement) -> Iterator[Hold]:
    one, other = before.reading, after.reading
    if any(are_two(one, other) for are_two in _ARE_TWO):
        yield Hold.TWO_THINGS
    if is_of_a_part(one, other):
        yield Hold.PART
    if names_a_kind(one, other):
        yield Hold.KIND
    if any(is_else(one, other) for is_else in _OF_SOMETHING_ELSE):
        yield Hold.TWO_SUBJECTS
    if say_something_else(one, other):
        yield Hold.SOMETHING_ELSE
    if moved_another(one, other):
        yield Hold.ANOTHER_TIME
    if tells_no_present(before, after):
        yield Hold.NOT_NOW
    if denies_less(one, other):
        yield Hold.DENIES_LESS
    if tells_a_difference(one, other):
        yield Hold.DIFFERENCE
    if comes_on_top(one, other):
        yield Hold.ON_TOP
