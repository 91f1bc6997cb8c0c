"""What is exchanged between two statements in the same words: `the red bike has 7 gears`, `the blue bike has 21`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from graphdream.facts.pairreadings import led_in
from graphdream.facts.reading import MEASURED, NAME, NUMBER, TYPED, Reading
from graphdream.facts.telling import POSSESSIVE, kind_told, places, tells
from graphdream.facts.words import FROM_NOW_ON, FUNCTION_WORDS, INTENT, JOINS, NOW, OF


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A part that one statement has in place of another's.

    Attributes:
        kind: of the value on both sides; "" where it is none.
        word: it is one word on both sides.
        apart: a word that both have stands between it and the exchange before.
    """

    kind: str
    word: bool
    apart: bool


@lru_cache(maxsize=50_000)
def of_two_things(before: Reading, after: Reading) -> bool:
    """Whether two statements are the same sentence but for a value and for one word elsewhere, which tells what it is
    the value of, or for a number and a name: neither ends the other. A word of change beside that does not count, since
    it may be the other thing that changed.

    Where words alone are exchanged they must have a word between them that stays: `head of sales` and `chief of staff`
    are one value each. Names that change places are two things, too: who does, and who is done to.
    """
    if _change_places(before, after):
        return True
    before, after = _without_now(before), _without_now(after)
    found = list[_Exchange]()
    # Where the subject is left off, it is what stays, and each begins with its verb (`opens at 9`, `closes at 18`).
    stays = _begin_with_a_word(before, after)
    between = False
    for what, i, j, k, m in SequenceMatcher(None, before.words, after.words, autojunk=False).get_opcodes():
        mine, theirs = _telling(before, i, j), _telling(after, k, m)
        anew = _OF_CHANGE.intersection(after.words[k:m])
        if mine and anew and anew <= NOW and after.words[m - 1] in NOW and (of_it := _telling(after, k, m, but=NOW)):
            theirs, anew = of_it, frozenset()  # `Grafana now`, in place of `Paperless`; but `now listens`, of `runs`
        if _is_word_for_word((i, j), (k, m)) and not (mine and theirs) and (mine or theirs):
            # A noun may be a word of grammar in another use or language: `la zona este`, `la zona oeste`.
            mine, theirs = ([word] for word in (*before.words[i:j], *after.words[k:m]))
        if what == "equal":
            between = bool(mine)
            stays = stays or between
        elif mine and theirs:
            if anew and not _before_a_word(after, k, m):
                continue  # `moved to`, in place of `lives in`
            exchanged = _exchanged(mine, theirs, between or not found)
            if exchanged is None or (TYPED.intersection(mine) and not _alike(before, after, (i, j), (k, m))):
                return False
            found += exchanged
    if not stays:
        return False
    if {NAME, NUMBER} <= {one.kind for one in found}:
        return True  # to whom, and how much
    if not any(one.word for one in found):
        return False
    words = [one for one in found if not one.kind]
    return len(words) < len(found) or any(one.apart for one in words[1:])


def _is_word_for_word(mine: tuple[int, int], theirs: tuple[int, int]) -> bool:
    return mine[1] - mine[0] == theirs[1] - theirs[0] == 1


def _begin_with_a_word(before: Reading, after: Reading) -> bool:
    """Whether two statements that name no subject begin with a word each that tells something, and no change."""
    if before.named or after.named or not (before.words and after.words):
        return False
    first = {(one.shape[0], one.words[0]) for one in (before, after)}
    return len(first) > 1 and all(
        kind not in TYPED and tells(kind, word) and word not in _OF_CHANGE for kind, word in first
    )


@lru_cache(maxsize=50_000)
def do_two_things(before: Reading, after: Reading) -> bool:
    """Whether two statements of a subject begin with a verb each, have a figure each, and share nothing else: `eats
    at 7`, `wakes at 6`. It may be one thing in other words, too (`earns 500 euros`, `makes 700`)."""
    if not (before.named and after.named):
        return False
    before, after = _without_now(before), _without_now(after)
    (mine, own), (theirs, others) = (_verb_and_rest(one) for one in (before, after))
    apart = bool(mine and theirs) and mine != theirs and _OF_CHANGE.isdisjoint((mine, theirs))
    figures = [[kind for kind, _ in said if kind in MEASURED] for said in (own, others)]
    return apart and all(figures) and figures[0] == figures[1] and {*own}.isdisjoint(others)


def _verb_and_rest(one: Reading) -> tuple[str, list[tuple[str, str]]]:
    """The word that a statement of its subject begins with, "" for none, and what else it tells."""
    said = [(kind, word) for kind, word in places(one) if tells(kind, word)]
    verb = said[0][1] if said and said[0][0] not in TYPED and one.words[:1] != (POSSESSIVE,) else ""
    return verb, said[1:]


def _without_now(reading: Reading) -> Reading:
    """A statement without adverbs of what holds from now on, which would hide what is exchanged beside them (`is now 20
    euros`); before a verb (`now listens on`) such a one tells what has changed."""
    told = [kind not in TYPED and tells(kind, word) for kind, word in places(reading)] + [False]
    kept = [at for at, word in enumerate(reading.words) if word not in NOW or told[at + 1]]
    if len(kept) == len(reading.words):
        return reading
    shape, words = (tuple(row[at] for at in kept) for row in (reading.shape, reading.words))
    return Reading(shape, words, frozenset(), reading.named)


def _exchanged(mine: list[str], theirs: list[str], apart: bool) -> list[_Exchange] | None:
    """What stands in place of what, one by one where there are as many; None where it is put in another way. A word
    behind a number is what it counts (`6 hours`, `5 minutes`) and a part of the value."""
    if len(mine) != len(theirs):
        return None if TYPED.intersection((*mine, *theirs)) else [_Exchange("", word=False, apart=apart)]
    kinds = [(one in TYPED, other in TYPED) for one, other in zip(mine, theirs, strict=True)]
    if any(one != other for one, other in kinds):
        return None
    counts = [at > 0 and mine[at - 1] == NUMBER for at in range(len(mine))]
    return [
        _Exchange(mine[at] if typed else "", not typed, apart and not at)
        for at, (typed, _) in enumerate(kinds)
        if not counts[at] or (typed and mine[at] != NAME)
    ]


def _alike(before: Reading, after: Reading, mine: tuple[int, int], theirs: tuple[int, int]) -> bool:
    """Whether what is exchanged stands in the same words: `is 430` and `is 465`, not `: 430` and `has risen to 465`."""
    one, other = (
        [word for kind, word in places(reading, *span) if not tells(kind, word)]
        for reading, span in ((before, mine), (after, theirs))
    )
    return one == [word for word in other if word not in _OF_CHANGE]


def _change_places(before: Reading, after: Reading) -> bool:
    """Whether names that both have stand in the other order: `Bo owes Ada 20`, then `Ada owes Bo 35`. Not so where one
    is told to be over (`moved from Oslo`), or nothing stands between them but the word for *and*."""
    return _in_another_order(before, after) and led_in(after.words).isdisjoint(_names(before, after))


def _in_another_order(one: Reading, other: Reading) -> bool:
    """Whether two statements have the same names in another order, and not in a list."""
    first, second = _names(one, other), _names(other, one)
    listed = all(JOINS.issuperset(one.words[low + 1 : high]) for low, high in pairwise(first.values()))
    return [*first] != [*second] and first.keys() == second.keys() and not listed


@lru_cache(maxsize=50_000)
def turn_round_names(one: Reading, other: Reading) -> bool:
    """Whether two statements have the same names in another order, and grammar does not tell their parts: `Ruth lent
    Otto 40 euros`, `Otto lent Ruth 40 euros`. What leads in to a name tells its part (`at Kiwi in Oslo`, `in Oslo, at
    Kiwi`); and in a list there is none."""
    first, second = _names(one, other), _names(other, one)
    return _in_another_order(one, other) and not all(
        first[name]
        and one.words[first[name] - 1] in FUNCTION_WORDS - JOINS
        and one.words[first[name] - 1] == other.words[second[name] - 1]
        for name in first
    )


@lru_cache(maxsize=50_000)
def turn_round_figures(one: Reading, other: Reading) -> bool:
    """Whether two statements have the same figures behind the same words, and not each behind its own: `3 crates on
    shelf 5`, `5 crates on shelf 3`."""
    first, second = _led_in_by(one), _led_in_by(other)
    common = first.keys() & second.keys()
    leads, others = ([led[figure] for figure in sorted(common)] for led in (first, second))
    return leads != others and sorted(leads) == sorted(others)


def _led_in_by(one: Reading) -> dict[str, str]:
    """Each figure that stands once -> the word before it; "" where it opens the statement."""
    found = [(word, one.words[at - 1] if at else "") for at, word in enumerate(one.words) if one.shape[at] in MEASURED]
    often = Counter(word for word, _ in found)
    return {word: before for word, before in found if often[word] == 1}


def _names(one: Reading, other: Reading) -> dict[str, int]:
    """Each name that the other has, too -> where it stands; in order."""
    return {word: at for at, (kind, word) in enumerate(places(one)) if kind == NAME and word in other.words}


def in_other_words(before: Reading, after: Reading) -> bool:
    """Whether two statements begin alike, up to whom they are about, and then have a word each and values: it is the
    verb, and `Ada lives in Kiel` and `Ada is based in Husum` may answer one question."""
    words = zip(before.words, after.words, strict=False)
    alike = next((at for at, (one, other) in enumerate(words) if one != other), 0)
    if alike:
        return bool(_telling(before, alike - 1, alike)) and all(_one_word(one, alike) for one in (before, after))
    return all(one.named and one.words[0] != POSSESSIVE and _one_word(one, 0) for one in (before, after))


def _one_word(reading: Reading, low: int) -> bool:
    """Whether what tells something from a place on is a word, which is of nothing that stands before it, and values."""
    kinds = _telling(reading, low, len(reading.words))
    return reading.words[low] not in OF and not TYPED.issuperset(kinds[:1]) and TYPED.issuperset(kinds[1:])


def _telling(reading: Reading, low: int, high: int, *, but: frozenset[str] = frozenset()) -> list[str]:
    """The kinds of the telling words and values at the places low..high-1, but for some words; a weekday is a day in
    any language."""
    told = (both for both in places(reading, low, high) if tells(*both) and both[1] not in but)
    return [kind_told(kind, word) for kind, word in told]


def _before_a_word(reading: Reading, low: int, high: int) -> bool:
    """Whether one word stands before another that tells something: `left eye`, where `left` is no word of change."""
    return high - low == 1 and not TYPED.issuperset(_telling(reading, high, high + 1))


_OF_CHANGE = FROM_NOW_ON | INTENT
