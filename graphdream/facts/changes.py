"""Sentences that name a value and the one it replaced: `moved from A to B`, `B took over from A`, `B, not A`.

Words alone do not decide: the former value must be what an earlier statement of the same entity says, and of
that statement nothing else may be left but the way of saying it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from graphdream.facts.links import WordRoles
from graphdream.facts.reading import SUBJECT, TYPED, Reading
from graphdream.facts.statements import Statement
from graphdream.facts.words import CHANGE, FORMER, FUNCTION_WORDS

_REACH = 3
"""Function words and verbs between a mark like `from` and the value it marks, at most."""
_LARGEST_POSTING = 24
_MIN_TELLERS = 2
"""Entities on which a form without a word of change must be corroborated ..."""
_MIN_PROVEN = 0.2
"""... and their share of all entities that use the form (chance: an earlier fact with the same name, a few in 100)."""


@dataclass(frozen=True, slots=True)
class Change:
    """A statement that tells of a change, with the statement whose value it replaces.

    Attributes:
        teller: position of the statement that tells.
        former: position of the statement that no longer holds.
        places: tokens of the teller that name the former value, with the word that marks it.
        marked: a word like `from` stands before the former value.
        kinds: what the former value is: `<name>`, `<number>`, `<date>`, `<time>`, or `*` for free words.
    """

    teller: int
    former: int
    places: frozenset[int]
    marked: bool
    kinds: frozenset[str]


def find_changes(said: Sequence[Statement], roles: WordRoles) -> list[Change]:
    """Changes told, corroborated by an earlier statement of the former value.

    A word of change makes one corroborated teller enough. Without one, the sentence form must be seen to tell
    changes: on `_MIN_TELLERS` entities at least, and on a good share of those that use it.
    """
    found: dict[int, list[Change]] = defaultdict(list)
    for teller, others in _tellers(said):
        for other in others:
            change = _former(teller, other, roles)
            if change is not None:
                found[teller.at].append(change)
    silent = [at for at in found if CHANGE.isdisjoint(said[at].reading.words)]
    shapes = {statement.reading.shape for statement in said} if silent else set()
    form_of = {shape: _form(shape, roles) for shape in shapes}
    proven = _proven_forms(said, silent, form_of)
    out = []
    for at, changes in sorted(found.items()):
        if at in silent and form_of[said[at].reading.shape] not in proven:
            continue
        marked = [change for change in changes if change.marked]
        earliest = min(changes, key=lambda change: (said[change.former].times[0], change.former))
        out += marked or [change for change in changes if change.places == earliest.places]
    return out


def _proven_forms(
    said: Sequence[Statement], silent: Sequence[int], form_of: Mapping[tuple[str, ...], tuple[str, ...]]
) -> set[tuple[str, ...]]:
    """The forms without a word of change that are seen to tell changes often enough."""
    told: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for at in silent:
        told[form_of[said[at].reading.shape]].add(said[at].entity)
    told = {form: entities for form, entities in told.items() if len(entities) >= _MIN_TELLERS}
    users: dict[tuple[str, ...], set[int]] = defaultdict(set)
    if told:
        for statement in said:
            users[form_of[statement.reading.shape]].add(statement.entity)
    return {form for form, entities in told.items() if len(entities) >= _MIN_PROVEN * len(users[form])}


def _form(shape: Sequence[str], roles: WordRoles) -> tuple[str, ...]:
    """The sentence form of a shape: without free words that are not known to frame."""
    return tuple(s for s in shape if s in TYPED or s in FUNCTION_WORDS or s in (":", SUBJECT) or not roles.values(s))


def _tellers(said: Sequence[Statement]) -> Iterator[tuple[Statement, list[Statement]]]:
    """Statements that may tell of a change, and the statements of their entity that share a value with them."""
    by_entity: dict[int, list[Statement]] = defaultdict(list)
    for statement in said:
        by_entity[statement.entity].append(statement)
    for members in by_entity.values():
        tellers = [s for s in members if may_tell(s.reading)] if len(members) > 1 else []
        if not tellers:
            continue
        postings: dict[str, list[int]] = defaultdict(list)
        for place, statement in enumerate(members):
            for token in {*statement.content, *statement.values}:
                postings[token].append(place)
        for teller in tellers:
            near = {
                place
                for token in {*teller.content, *teller.values}
                if len(postings[token]) <= _LARGEST_POSTING
                for place in postings[token]
            }
            yield teller, [members[place] for place in sorted(near) if members[place].at != teller.at]


@lru_cache(maxsize=200_000)
def may_tell(reading: Reading) -> bool:
    """Whether there is a word of change, `from ... to`, or two values of one type."""
    words = reading.words
    if not CHANGE.isdisjoint(words) or ("from" in words and ("to" in words or "into" in words)):
        return True
    typed = [s for s in reading.shape if s in TYPED]
    return len(typed) > len(set(typed))


def _former(teller: Statement, other: Statement, roles: WordRoles) -> Change | None:
    """The change if `teller` names the value of `other` as the one that no longer holds."""
    if other.times[0] >= teller.times[0] or len(other.reading.words) >= len(teller.reading.words) + _REACH:
        return None
    words, shape = teller.reading.words, teller.reading.shape
    told = other.content | set(other.values)
    value = {t for t in told if t in other.values or not roles.frames(t)}
    spans = _runs(words, shape, value)
    for low, high in spans:
        covered = set(words[low:high]) & told
        elsewhere = {w for at, w in enumerate(words) if not low <= at < high}
        left = told - covered - elsewhere
        if not covered & value or covered <= elsewhere or any(t in other.values or not roles.frames(t) for t in left):
            continue
        rest = [at for at in range(len(words)) if words[at] not in told and _carries(shape[at], words[at], roles)]
        # Function words inside a value (`University of Turin`) are no value of their own.
        carrying = (at for at in range(low, high) if shape[at] not in FUNCTION_WORDS)
        kinds = frozenset(shape[at] if shape[at] in TYPED else "*" for at in carrying)
        if kinds.isdisjoint(shape[at] if shape[at] in TYPED else "*" for at in rest):
            continue
        mark = _mark_before(words, shape, low)
        if mark is not None:
            return Change(teller.at, other.at, frozenset(range(mark, high)), True, kinds)
        if kinds <= TYPED and any(shape[at] in kinds for at in rest):
            return Change(teller.at, other.at, frozenset(range(low, high)), False, kinds)
    return None


def _carries(shape: str, word: str, roles: WordRoles) -> bool:
    """Whether a token may name a value."""
    if shape in TYPED:
        return True
    return shape not in FUNCTION_WORDS and shape not in (":", SUBJECT) and word not in CHANGE and not roles.frames(word)


def _runs(words: Sequence[str], shape: Sequence[str], value: set[str]) -> list[tuple[int, int]]:
    """Maximal runs of places whose tokens belong to a value, function words inside them included."""
    out = []
    at = 0
    while at < len(words):
        if words[at] not in value:
            at += 1
            continue
        end = last = at
        while end < len(words) and (words[end] in value or (shape[end] in FUNCTION_WORDS and words[end] not in FORMER)):
            last = end if words[end] in value else last
            end += 1
        out.append((at, last + 1))
        at = end
    return out


def _mark_before(words: Sequence[str], shape: Sequence[str], low: int) -> int | None:
    """Place of the mark before a former value: `from`, `not`, `previously`, `no longer ...`, `before that ... was`."""
    for at in range(low - 1, max(-1, low - 2 - _REACH), -1):
        word = words[at]
        if word in FORMER:
            return at
        if (*words[at - 1 : at], word) in (("instead", "of"), ("rather", "than")):
            return at - 1
        if word == "longer" and at and words[at - 1] == "no":
            return at - 1
        if word == "that" and at and words[at - 1] == "before":
            return at - 1
        if shape[at] in TYPED:
            return None
    return None


def without_former(reading: Reading, places: frozenset[int]) -> Reading:
    """The reading with the former value left out: what the statement says now."""
    kept = [at for at in range(len(reading.words)) if at not in places]
    moved = {old: new for new, old in enumerate(kept)}
    return replace(
        reading,
        shape=tuple(reading.shape[at] for at in kept),
        words=tuple(reading.words[at] for at in kept),
        marks=frozenset(moved[m] for m in reading.marks if m in moved),
    )
