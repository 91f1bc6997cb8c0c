"""Sentences whose grammar names the value that no longer holds, matched to the one statement that has it.

`moved its headquarters from Taipei to Kigali` says by itself what is over. In a large graph the forms of a relation
are known, and `changes` finds the earlier statement by them. In a small one nothing shows that `HQ: Taipei` and
`moved its headquarters from ...` are one relation; but if Taipei stands in one earlier statement of the entity only,
there is no other that could be meant.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from graphdream.facts.changes import Change
from graphdream.facts.groups import PARTIAL, Group
from graphdream.facts.reading import DATE, SUBJECT, TYPED, Reading
from graphdream.facts.statements import Statement
from graphdream.facts.words import CHANGE, FUNCTION_WORDS, INTENT, NEGATIONS

_TARGETS = frozenset(("to", "into"))
_REPLACED = frozenset("replaced replaces replacing succeeded succeeds relieved relieves".split())
"""Verbs whose object is over."""
_PASSIVE = frozenset("is are was were been being got".split())
"""Words before a past form that make what stands before them its object."""
_BEFORE = frozenset("previously formerly".split())
_ON = (("for",), ("and",))
"""What follows on `left A`, where the sentence goes on to what came instead."""
_BEFORE_SWITCH = (("from",), ("to",), ("at",), (":",), ("is",))
_SWITCHED = frozenset(("on", "off"))
"""Values that are function words elsewhere: at the end of a statement, or of what a sentence says is over."""
_LONGEST_FRAME = 3
"""Free words of the earlier statement besides the value, at most: more say something of their own."""
_HAS_FIGURES = re.compile(r"\d").search
"""Whether a value is one that two questions about a thing hardly share: an amount, a version, the name of a host."""


@lru_cache(maxsize=200_000)
def former_places(reading: Reading) -> frozenset[int]:
    """Places of the former value that the grammar of a sentence names; empty where it names none.

    Read are `from A to B` and `from A` at the end after a word of change, `replaced A`, `A was replaced by`, `left A
    for B`, `previously A`, `no longer answers on A; use B`, and `..., not A` at the end with a word of change. What is
    meant or denied did not happen.
    """
    words, shape = reading.words, reading.shape
    if not INTENT.isdisjoint(words):
        return frozenset()
    denied = [at for at, word in enumerate(words) if word in NEGATIONS and not _is_switch(words, at)]
    if denied:
        given_up = _given_up(reading) if len(denied) == 1 else frozenset()
        if given_up:
            return given_up
        told = len(denied) == 1 and words[denied[0]] == "not" and denied[0] in reading.marks
        return frozenset(range(denied[0] + 1, len(words))) if told and not CHANGE.isdisjoint(words) else frozenset()
    if "from" in words and not CHANGE.isdisjoint(words):
        starts = (at + 1 for at, word in enumerate(words[:-1]) if word == "from")
        return next((span for start in starts if (span := _span(reading, start))), frozenset())
    for at, word in enumerate(words[:-1]):
        if (word in _REPLACED or word in _BEFORE) and shape[at + 1] in TYPED:
            return frozenset((at + 1,))
        if word == "left" and shape[at + 1] in TYPED and words[at + 2 : at + 3] in _ON:
            return frozenset((at + 1,))
        if (
            word in _REPLACED
            and words[at + 1] == "by"
            and at > 1
            and shape[at - 2] in TYPED
            and words[at - 1] in _PASSIVE
        ):
            return frozenset((at - 2,))
    return frozenset()


def _is_switch(words: Sequence[str], at: int) -> bool:
    """Whether a word is `on` or `off` as a value: from, to or after which something was changed."""
    return at > 0 and words[at] in _SWITCHED and words[at - 1 : at] in _BEFORE_SWITCH


def _given_up(reading: Reading) -> frozenset[int]:
    """Places of what is no longer done, where the sentence goes on to what is done instead."""
    words, shape = reading.words, reading.shape
    for at in range(len(words) - 2):
        if words[at] == "stopped" or words[at : at + 2] == ("no", "longer"):
            verb = at + (1 if words[at] == "stopped" else 2)
            end = min((mark for mark in reading.marks if mark > verb), default=len(words))
            first = next((place for place in range(verb + 1, end) if shape[place] not in FUNCTION_WORDS), end)
            return frozenset(range(first, end)) if end < len(words) else frozenset()
    return frozenset()


def _span(reading: Reading, start: int) -> frozenset[int]:
    """The places from `start` to the target of a change, or to the end where nothing but values follows.

    A colon between them shows that `from` belongs to where it was heard (`from the call: ...`).
    """
    words = reading.words
    end = next((at for at in range(start + 1, len(words) - 1) if words[at] in _TARGETS), None)
    if end is None and all(kind in TYPED for kind in reading.shape[start:]):
        end = len(words)
    return frozenset() if end is None or ":" in words[start:end] else frozenset(range(start, end))


def told_by_grammar(groups: Sequence[Group], known: Collection[Change]) -> list[Change]:
    """Changes that a sentence names and that one earlier group of its entity alone can be the former value of.

    Args:
        groups: what is said; a change joins a teller to a statement of another group of the same entity.
        known: changes that are known already; their tellers are not asked again.
    """
    asked = {change.teller for change in known}
    out = []
    for members in _by_entity(groups):
        for one in members:
            for teller in one.members:
                if teller.at in asked or teller.former:
                    continue
                places = former_places(teller.reading)
                if places:
                    again = any(fact.successor for fact in teller.facts)
                    for former in _over(teller, places, [other for other in members if other is not one], again=again):
                        kinds = frozenset(_kind(teller.reading.shape[at]) for at in places)
                        out.append(Change(teller.at, former.at, places, True, kinds))
    return sorted(out, key=lambda change: (change.teller, change.former))


def _by_entity(groups: Sequence[Group]) -> Iterator[list[Group]]:
    found: dict[int, list[Group]] = defaultdict(list)
    for one in groups:
        found[one.entity].append(one)
    return (members for members in found.values() if len(members) > 1)


def _over(teller: Statement, places: frozenset[int], others: Sequence[Group], *, again: bool) -> list[Statement]:
    """The statements of the former value: the only one that has it, or those that share a word with the teller besides.

    Several are over where they share the same words with it, or where the value is of several words: then they say one
    thing, each in its way. Words that the new value has too (`from paying net 30 to paying net 60`) are no part of it.

    Args:
        again: something is known to be over by this teller already; what else has the value must share a word, or the
            value be one with figures (`the plant in Taipei` is not over because `the archive in Taipei` has moved).
    """
    reading = teller.reading
    stays = {word for at, word in enumerate(reading.words) if at not in places}
    over = {reading.words[at] for at in places} - stays
    value = over & {reading.words[at] for at in places if _carries(reading.shape[at])} or over & _SWITCHED
    if not value:
        return []
    about = {w for at, w in enumerate(reading.words) if at not in places and w in teller.content} - CHANGE
    found = []
    for other in others:
        holder = _holder(other, value, teller)
        if holder is not None:
            found.append((holder, about & holder.content))
    if value <= _SWITCHED:  # of which many things have one
        found = [(holder, shared) for holder, shared in found if shared]
    if again:
        found = [(holder, shared) for holder, shared in found if shared or any(map(_HAS_FIGURES, value))]
    if len(found) > 1 and any(shared for _, shared in found):
        found = [(holder, shared) for holder, shared in found if shared]
    together = len({frozenset(shared) for _, shared in found}) == 1 and (found[0][1] or len(value) > 1)
    return [holder for holder, _ in found] if len(found) == 1 or together else []


def _holder(other: Group, value: set[str], teller: Statement) -> Statement | None:
    """The statement of a group that says the value, was said before the teller, and says little else.

    A date besides is that of the telling (`three weeks, per the April 27 call`).
    """
    if not other.times or other.times[-1] >= teller.times[-1]:
        return None
    stays = set(teller.reading.words)
    for statement in other.members:
        if other.how.get(statement.at) in PARTIAL:
            continue
        reading = statement.reading
        over = former_places(reading)
        now = {w for at, w in enumerate(reading.words) if at not in over and _carries(reading.shape[at])}
        if _is_switch(reading.words, len(reading.words) - 1):
            now.add(reading.words[-1])
        if not value <= now:
            continue
        rest = {
            kind: word
            for at, (kind, word) in enumerate(zip(reading.shape, reading.words, strict=True))
            if at not in over and word not in value and word not in stays and _carries(kind)
        }
        telling = {DATE} - {reading.shape[at] for at, word in enumerate(reading.words) if word in value}
        if TYPED.isdisjoint(rest.keys() - telling) and len(rest.keys() - telling) <= _LONGEST_FRAME:
            return statement
    return None


def _carries(kind: str) -> bool:
    return kind in TYPED or (kind not in FUNCTION_WORDS and kind not in (":", SUBJECT))


def _kind(shape: str) -> str:
    return shape if shape in TYPED else "*"
