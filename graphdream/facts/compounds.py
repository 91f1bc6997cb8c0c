"""Whether a newer sentence is about something of what an older one is about: `rent is 520`, `rent deposit is 900`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile

from graphdream.facts.reading import DATE, LABEL, NUMBER, TIME, TYPED, Reading
from graphdream.facts.telling import places, says_how_often, tells
from graphdream.facts.words import (
    CHANGE,
    FROM_NOW_ON,
    FUNCTION_WORDS,
    IS,
    JOINS,
    LEADS_FROM,
    NOW,
    RESTRICTIONS,
    is_of_change,
)
from graphdream.language.classes import closed_class, spoken_class
from graphdream.language.forms import share_stem
from graphdream.language.scripts import is_unspaced

_LONGEST = 4
"""Words of what a sentence is about, at most."""
_SAID = frozenset((NUMBER, DATE, TIME))
"""Kinds of values that are said of something; a name may be a part of what it is called."""
_VERB = 1
"""Words behind what a sentence is about that may be its verb, where no copula follows."""
_OF_A_KIND = 2
"""Words that name a kind of something, at least."""
_SIGNS = 2
"""Signs of a word, in scripts without blanks."""
_ANEW = closed_class("anew")
"""Adjectives that mean new, or of now."""


@lru_cache(maxsize=50_000)
def is_of_a_part(before: Reading, after: Reading) -> bool:
    """Whether the newer is about a thing of the thing: what the older is about, as its label or before its copula, is
    there a part of a longer name (`rent deposit is`, `the rent for the garage is`, `la fianza del alquiler es`); or the
    newer has a word between that and the verb which both have (`the gym costs`, `the gym locker costs`).

    Neither ends the other. One word behind it, without a copula, is the verb (`rent rises to 560 euros`), and words of
    change are no name.
    """
    about, at = _place(before, after)
    if not about:
        return _has_between(before, after)
    if at < 0 or any(kind in _SAID or word in IS for kind, word in places(after, 0, at)):
        return False
    known = frozenset(before.words)
    if _is_of_something(after, at + len(about), known):
        return True
    further, copula = _goes_on(after, at + len(about), known)
    start = max((place for place in range(at) if place in after.marks or after.words[place] == LABEL), default=0)
    before_it = _tell(places(after, start, at), known)
    if copula:
        return further > 0 or (before_it and _leads_in(after, start, at))
    return not before_it and further > _VERB * (_SIGNS if is_unspaced(about[-1]) else 1)


def is_compound(before: Reading, after: Reading) -> bool:
    """Whether the part is beyond doubt, for a newer one that is about a part: its name goes on without a word between
    (`rent deposit is`, not `rent from June is`)."""
    about, at = _place(before, after)
    behind = at + len(about)
    if not about:
        return _has_between(before, after)
    if at < 0 or behind == len(after.words):
        return False
    adjoins = tells(after.shape[behind], after.words[behind]) and after.words[behind] not in LEADS_FROM
    return adjoins and _goes_on(after, behind, frozenset(before.words))[1]


def _place(before: Reading, after: Reading) -> tuple[tuple[str, ...], int]:
    """What the older is about, and where the newer has it; -1 where it has not."""
    about = _about(before)
    found = (at for at in range(len(after.words) - len(about) + 1) if after.words[at : at + len(about)] == about)
    return about, next(found, -1)


def is_of_another_thing(less: Reading, more: Reading) -> bool:
    """Whether a statement that has all words of another may be about something else: of a part of what that is about,
    or of a kind, by a word behind what leads in to it (`the server`, `the backup server`)."""
    return is_of_a_part(less, more) or _is_of_a_kind(less, more)


@lru_cache(maxsize=50_000)
def names_a_kind(before: Reading, after: Reading) -> bool:
    """Whether the newer begins with a kind of what the older begins with, and goes on alike: `the timeout is 30 s`,
    `the upload timeout is 120 s now`. It may be the same thing, called by more words; but what says that it is new
    (`the new rent is`), a word of change, and how often it is (`the monthly rent is`) name no kind."""
    if _has_a_kind_between(before, after):
        return True
    first, start = _opening(before), _opening(after)
    if first < 0 or start < 0 or before.shape[first] in _SAID or first + 1 == len(before.words):
        return False
    head = next((at for at in range(start + 1, len(after.words)) if after.words[at] == before.words[first]), -1)
    between = list(places(after, start, head)) if head > 0 else []
    kind = [both for both in between if both[1] not in _ANEW]  # `the new chair`; but `the new vice chair`
    if not kind or not all(tells(*both) and _may_name_a_kind(both, before) for both in kind):
        return False
    if not {*range(start + 1, head + 1)}.isdisjoint(after.marks):
        return False
    goes_on = next((word for word in after.words[head + 1 :] if word not in NOW), "")
    said = before.words[first + 1]
    return goes_on == said or all(word == LABEL or word in IS for word in (goes_on, said))


def _has_a_kind_between(before: Reading, after: Reading) -> bool:
    """Whether the newer has a word that names a kind right before the last word of what the older is about: `Ruth's
    phone: 5512`, `Ruth's work phone is 7781`."""
    (mine, is_told), (theirs, is_whole) = told_about(before), told_about(after)
    if not (is_told and is_whole) or len(mine) < _OF_A_KIND or theirs[-1:] != mine[-1:]:
        return False
    kind = theirs[len(mine) - 1 : -1]
    return theirs[: len(mine) - 1] == mine[:-1] and bool(kind) and not any(map(says_how_often, kind))


@lru_cache(maxsize=50_000)
def are_two_kinds(before: Reading, after: Reading) -> bool:
    """Whether the older is about a kind of something, as its label or before its copula, and the newer about another
    kind of it: `guest Wi-Fi password`, `office Wi-Fi password`; `clave del taller`, `clave del almacén`. Where the
    newer has a copula, the older may be a name and a value (`right eye -2.5`, `the left eye is -3.0 now`)."""
    kind, is_told = told_about(before)
    other, is_whole = told_about(after)
    if not is_told and is_whole:
        kind = _before_value(before)
    head, start = kind[-1:], _opening(after)
    if len(kind) < _OF_A_KIND or start < 0:
        return False
    if not is_whole:  # `the Bergen office has 20 desks`: up to the head
        near = [word for shape, word in places(after, start, start + _LONGEST) if tells(shape, word)]
        other = near[: near.index(head[0]) + 1] if head[0] in near else []
    alike = frozenset(kind) & frozenset(other)
    apart = (any(not _is_among(word, theirs) for word in mine) for mine, theirs in ((kind, other), (other, kind)))
    return bool(alike) and len(kind) == len(other) and all(apart)


@lru_cache(maxsize=50_000)
def are_of_two_names(before: Reading, after: Reading) -> bool:
    """Whether the older is a name and a value, and the newer says a value of its kind of something whose name it does
    not have: `metformin 500 mg`, `ramipril is now 5 mg`."""
    mine, (theirs, is_whole) = _before_value(before), told_about(after)
    if not (mine and theirs and is_whole) or told_about(before)[1] or before.named or after.named:
        return False
    kinds = [{kind for kind in one.shape if kind in _SAID} for one in (before, after)]
    known = [word for word in before.words if word not in FUNCTION_WORDS]
    shared = any(_is_among(word, known) for word in theirs) or any(_is_among(word, after.words) for word in mine)
    return not (shared or kinds[0].isdisjoint(kinds[1]))


def _before_value(one: Reading) -> list[str]:
    """The telling words that a statement opens with, up to its first number, date or time; none where that opens it,
    or more than a name stands before it."""
    end = next((at for at, kind in enumerate(one.shape) if kind in _SAID), 0)
    said = [word for kind, word in places(one, 0, end) if tells(kind, word)]
    return said if len(said) <= _LONGEST and one.marks.isdisjoint(range(1, end + 1)) else []


@lru_cache(maxsize=50_000)
def are_two_of_a_number(before: Reading, after: Reading) -> bool:
    """Whether two statements begin with one word and two numbers, go on with the same, and tell no change: `Key 3 opens
    the loft`, `Key 8 opens the loft`. The number is a name; so it is before what is said of now (`pump 5 now runs`)."""
    first, other = _opening(before), _opening(after)
    if first < 0 or other < 0 or before.words[first] != after.words[other]:
        return False
    numbers = [
        one.words[at + 1 : at + 2]
        for one, at in ((before, first), (after, other))
        if NUMBER in one.shape[at + 1 : at + 2]
    ]
    behind = other + 2 + (after.words[other + 2 : other + 3] != () and after.words[other + 2] in NOW)
    goes_on = before.words[first + 2 : first + 3] == after.words[behind : behind + 1] != ()
    said = frozenset(after.words[:other] + after.words[behind:])
    changed = not (said - frozenset(before.words)).isdisjoint(FROM_NOW_ON)
    return len(numbers) == 2 and numbers[0] != numbers[1] and goes_on and not changed


def told_about(reading: Reading) -> tuple[list[str], bool]:
    """What stands before the label's mark or the copula and tells something, but for what is new or of now; and whether
    there is either."""
    end = next((at for at, word in enumerate(reading.words[:-1]) if word == LABEL or word in IS), 0)
    said = [word for kind, word in places(reading, 0, end) if tells(kind, word)]
    about = [word for word in said if not (word in _ANEW or word in NOW)]
    return (about if len(about) <= _LONGEST else []), end > 0


def _is_among(word: str, others: Iterable[str]) -> bool:
    return any(word == other or share_stem(word, other) for other in others)


def _opening(reading: Reading) -> int:
    """The place of the first word that tells something, where nothing but function words leads in to it; else -1."""
    first = next((at for at, both in enumerate(places(reading)) if tells(*both)), -1)
    led_in = first >= 0 and FUNCTION_WORDS.issuperset(reading.words[:first])
    return first if led_in and not reading.named else -1


def _may_name_a_kind(both: tuple[str, str], before: Reading) -> bool:
    kind, word = both
    says_when = word in FROM_NOW_ON or word in _ANEW or says_how_often(word)
    return kind not in _SAID and not says_when and word not in before.words


def _is_of_a_kind(less: Reading, more: Reading) -> bool:
    first = next((at for at, both in enumerate(places(less)) if tells(*both)), 0)
    if not first or less.words[:first] != more.words[:first] or FUNCTION_WORDS.isdisjoint(less.words[:first]):
        return False
    rest = less.words[first:]
    at = next((at for at in range(first, len(more.words)) if more.words[at : at + len(rest)] == rest), first)
    return _tell(places(more, first, at), frozenset(less.words))


def _about(reading: Reading) -> tuple[str, ...]:
    """What stands before the label's mark or the copula, without what leads in to it; empty where there is neither."""
    end = next((at for at, word in enumerate(reading.words[:-1]) if word == LABEL or word in IS), 0)
    start = next((at for at, (kind, word) in enumerate(places(reading, 0, end)) if tells(kind, word)), end)
    short = 0 < end - start <= _LONGEST and not _SAID.intersection(reading.shape[start:end])
    return reading.words[start:end] if short else ()


def _goes_on(after: Reading, low: int, known: frozenset[str]) -> tuple[int, bool]:
    """How many telling words that the older has not stand from a place on, up to a value, a mark or a change; and
    whether a copula or the mark of a label follows."""
    found = 0
    for at, (kind, word) in enumerate(places(after, low), low):
        if word in IS or word == LABEL:
            return found, True
        if kind in _SAID or at in after.marks or word in _STOPS or (is_of_change(word) and word not in NOW):
            break
        found += word not in NOW and tells(kind, word) and word not in known
    return found, False


def _is_of_something(after: Reading, at: int, known: frozenset[str]) -> bool:
    """Whether a place is the word for *of*, and behind it stands a thing that the older does not have (`the retry limit
    of the uploader`)."""
    behind = (place for place in range(at + 1, len(after.words)) if after.words[place] not in FUNCTION_WORDS)
    thing = next(behind, -1)
    if thing < 0 or after.words[at] not in spoken_class("of", after.words) or {*range(at, thing + 1)} & after.marks:
        return False
    kind, word = after.shape[thing], after.words[thing]
    return kind not in _SAID and tells(kind, word) and word not in known and word not in FROM_NOW_ON


def _leads_in(after: Reading, start: int, at: int) -> bool:
    """Whether what opens a clause leads in to a place by a function word (`la fianza del`), and tells no change."""
    return after.words[at - 1] in FUNCTION_WORDS and FROM_NOW_ON.isdisjoint(after.words[start:at])


def _has_between(before: Reading, after: Reading) -> bool:
    """Whether both begin alike, and the newer has a telling word between that and the one with which the older goes
    on."""
    mine, theirs = (_from_first(one) for one in (before, after))
    alike = next((at for at, (one, other) in enumerate(zip(mine, theirs, strict=False)) if one != other), 0)
    if not alike or mine[alike][0] in TYPED or not any(tells(*both) for both in mine[:alike]):
        return False
    verb = next((at for at, both in enumerate(theirs) if at > alike and both == mine[alike]), -1)
    leads_to_value = alike + 1 < len(mine) and mine[alike + 1][0] in TYPED  # `the car has 120 hp`
    if verb < 0 or not (tells(*mine[alike]) or leads_to_value):
        return False
    between = theirs[alike:verb]
    if any(kind in TYPED or word in _CHANGES for kind, word in between):
        return False
    until_now = takewhile(lambda both: both[1] not in NOW, between)
    return _tell(until_now, frozenset(word for _, word in mine))


def _from_first(reading: Reading) -> list[tuple[str, str]]:
    """The places from the first word that tells something on."""
    found = list(places(reading))
    return found[next((at for at, both in enumerate(found) if tells(*both)), len(found)) :]


def _tell(between: Iterable[tuple[str, str]], known: frozenset[str]) -> bool:
    return any(tells(kind, word) and kind not in _SAID and word not in known for kind, word in between)


_STOPS = (CHANGE - NOW) | RESTRICTIONS | JOINS
"""Words behind which nothing is a part of a name."""
_CHANGES = _STOPS | LEADS_FROM
"""The same, and what leads in to a former value; in some languages it is the word for *of*, too."""
