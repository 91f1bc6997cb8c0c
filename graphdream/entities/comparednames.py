"""How two names fit each other: word by word, as what their types allow them to be names of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from graphdream.entities.legal_forms import forms_differ
from graphdream.entities.nicknames import are_forms_of_one, are_nicknames
from graphdream.entities.records import Record
from graphdream.entities.signals import WEAK_TYPES
from graphdream.entities.transcription import Forms, name_words, script_of, transcribed, word_likeness
from graphdream.language.naming import is_organization_type, is_person_type, naming_class

LONE_LETTERS = 2
"""Letters of the longest part of a joined name that may be left out of it (`al-Qasimi`)."""
UNSPACED = frozenset({"CJK", "HIRAGANA", "KATAKANA"})
"""Scripts that write no blanks: one within a name is a habit of who wrote it."""
_INITIAL = re.compile(r"\b[^\W\d_]\.")
"""How an initial is written; a letter without a full stop may be anything in the name of a thing (`Part I`)."""
_JOINED = re.compile(r"[^\W_]+(?:-[^\W_]+)+")
"""Words that hyphens join."""
NICKNAME = 0.9
"""Likeness of a name and its nickname."""
INITIAL = 0.6
"""Likeness of a name and its initial."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the types of two records say of how their names are read.

    Attributes:
        forms: legal forms that are left out of both: of organizations all, of what may be one the telling ones.
        people: whether one is a person and the other may be one: forms of address are left out, and names are used in
            parts and turned round.
        type: of both, where it tells anything: as a word of a name it says nothing (`Project Heron`); else "".
    """

    forms: Forms = "all"
    people: bool = False
    type: str = ""


AS_NAMES = Reading()
"""Of names of which no type is known."""


def reading_of(one: Record, other: Record) -> Reading:
    """How the names of two records are read."""
    return _reading_of(*sorted(record.type.strip().casefold() for record in (one, other)))


@lru_cache(maxsize=65_536)
def _reading_of(one: str, other: str) -> Reading:
    weak = [type_ in WEAK_TYPES for type_ in (one, other)]
    people = [is_person_type(type_) for type_ in (one, other)]
    organizations = [is_organization_type(type_) for type_ in (one, other)]
    may_be = all(w or o for w, o in zip(weak, organizations, strict=True))
    return Reading(
        forms="none" if not may_be else "all" if any(organizations) else "telling",
        people=any(people) and all(w or p for w, p in zip(weak, people, strict=True)),
        type=one if one == other and not any(weak) else "",
    )


@dataclass(frozen=True, slots=True)
class Names:
    """Two names word by word; the shorter is that of fewer words, of as many the one of fewer letters.

    Attributes:
        matched: share of the shorter one's words that are words of the longer one.
        weakest: likeness of those that are least alike, 0..1.
        nickname: whether a usual short form is among them.
        lone: whether the shorter is one word.
        extra: words that the longer has more.
        ordered: whether the words stand in one order.
        turned: whether words that both have, or figures that both have, stand in another order; where a year stands
            among the words says nothing (`2026 offsite`).
        scripts: whether the names are of two scripts.
        titled: whether a form of address that tells a sex is left out of one that is a surname alone.
        split: whether the longer one has, joined by a hyphen, a word that the shorter one has and one that it has not.
        apart: whether each has, before or after the words that they share, a word that the other has not; or a legal
            form that is not the other's.
    """

    matched: float
    weakest: float
    nickname: bool
    lone: bool
    extra: int
    ordered: bool
    scripts: bool
    turned: bool = False
    titled: bool = False
    split: bool = False
    apart: bool = False


@lru_cache(maxsize=400_000)
def compare_names(first: str, second: str, reading: Reading = AS_NAMES) -> Names:
    """Hold two names against each other; of one joined by a slash, the side that fits best."""
    sides = [(a, b) for a in _sides(first) for b in _sides(second)]
    found = [_compare_sides(a, b, reading) for a, b in sides]
    best = max(found, key=lambda names: (names.matched, names.weakest, -names.extra))
    if len(found) == 1 or best.matched < 1.0:
        return best
    return replace(best, matched=1.0, extra=best.extra + 1, apart=False)


def _compare_sides(first: str, second: str, reading: Reading) -> Names:
    ours, theirs = (_told_words(name, reading) for name in (first, second))
    titled = False
    if reading.people:
        titles, bare = zip(*map(_without_titles, (ours, theirs)), strict=True)
        sexes = [frozenset(map(_sex_of, told)) - {""} for told in titles]
        if not (sexes[0] and sexes[1] and sexes[0] != sexes[1]):  # Mr and Mrs Moor are two
            ours, theirs = bare
            short, long = sorted(bare, key=len)
            titled = len(short) == 1 < len(long) and sexes[0] != sexes[1]
    initials = reading.people or bool(_INITIAL.search(first) or _INITIAL.search(second))
    found = _compare_words(ours, theirs, people=reading.people, initials=initials)
    return replace(
        found,
        titled=titled,
        split=found.matched == 1.0 and found.extra > 0 and _is_split(first, second, ours, theirs),
        apart=found.apart or (reading.forms != "none" and forms_differ(first, second)),
    )


def _told_words(name: str, reading: Reading) -> tuple[str, ...]:
    words = name_words(name, reading.forms)
    return tuple(word for word in words if word != reading.type) or words


def _without_titles(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The forms of address that a name begins with, and the name."""
    at = 0
    while at < len(words) - 1 and words[at] in _titles():
        at += 1
    return words[:at], words[at:]


@lru_cache(maxsize=1)
def _titles() -> frozenset[str]:
    return naming_class("men") | naming_class("women") | naming_class("titles")


def _sex_of(title: str) -> str:
    return next((sex for sex in ("men", "women") if title in naming_class(sex)), "")


def _is_split(first: str, second: str, ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether a word of the longer name that the other has not is joined to one that it has."""
    (_, short), (name, _) = sorted(((first, ours), (second, theirs)), key=lambda named: len(named[1]))
    known = {_letters_of(word) for word in short}
    for joined in _JOINED.findall(name):
        parts = [_letters_of(part) for part in joined.casefold().split("-")]
        alone = [part for part in parts if part not in known]
        if len(alone) < len(parts) and any(len(part) > LONE_LETTERS for part in alone):
            return True
    return False


def _letters_of(word: str) -> str:
    return transcribed(word).casefold()


def _sides(name: str) -> tuple[str, ...]:
    """The sides of a name that a slash joins (`Ada/Bela`); a path is one side."""
    parts = [part for part in name.split("/") if part.strip()]
    return (
        tuple(parts) if len(parts) == 2 and "." not in name and all(part[:1].isupper() for part in parts) else (name,)
    )


def _compare_words(one: tuple[str, ...], two: tuple[str, ...], *, people: bool, initials: bool) -> Names:
    short, long = sorted((one, two), key=lambda words: (len(words), sum(map(len, words)), words))
    scripts = script_of(short[0]) != script_of(long[0])
    joined = word_likeness("".join(short), "".join(long)) if (len(short) == 1) != (len(long) == 1) else 0.0
    if joined:  # written apart in one script, or in one of the two names
        blank_tells = script_of(short[0]) not in UNSPACED or script_of(long[0]) not in UNSPACED
        return Names(1.0, joined, nickname=False, lone=blank_tells, extra=0, ordered=True, scripts=scripts)
    places: list[int] = []
    likeness: list[float] = []
    left_over: list[int] = []
    nickname, lone = False, len(short) == 1
    initials = initials and not lone
    for at, word in enumerate(short):
        best, place = max(
            ((_alike(word, other, initials), -there) for there, other in enumerate(long) if there not in places),
            default=(0.0, 0),
        )
        if best:
            places.append(-place)
            likeness.append(best)
            nickname |= best == NICKNAME
        else:
            left_over.append(at)
    free = [at for at in range(len(long)) if at not in places]
    alone, beside = _no_forms_of_one(short, left_over, long, free) if people else (left_over, free)
    return Names(
        matched=len(places) / len(short),
        weakest=min(likeness, default=0.0),
        nickname=nickname,
        lone=lone,
        extra=len(free),
        ordered=places == sorted(places),
        turned=any(
            kept != sorted(kept)
            for figure in (True, False)
            if (kept := [at for at in places if long[at].isdigit() == figure])
        ),
        scripts=scripts,
        apart=_apart(alone, beside, len(short), len(long)),
    )


def _no_forms_of_one(
    short: Sequence[str], left_over: Sequence[int], long: Sequence[str], free: Sequence[int]
) -> tuple[list[int], list[int]]:
    """The words that two names have alone, without those that may be two forms of one first name (Peggy, Maggie)."""
    ours, theirs = list(left_over), list(free)
    for at in left_over:
        for there in theirs:
            if are_forms_of_one(short[at], long[there]):
                ours.remove(at)
                theirs.remove(there)
                break
    return ours, theirs


def _apart(ours: Sequence[int], theirs: Sequence[int], short: int, long: int) -> bool:
    """Whether words that only one name has stand in one place, before or after those that both have, or between."""
    if not ours or not theirs:
        return False
    if len(ours) == short:
        return True
    places = [
        {"before" if all(at < other for other in range(size) if other not in alone)
         else "after" if all(at > other for other in range(size) if other not in alone) else "between" for at in alone}
        for alone, size in ((set(ours), short), (set(theirs), long))
    ]  # fmt: skip
    return bool(places[0] & places[1])


@lru_cache(maxsize=200_000)
def _alike(word: str, other: str, initials: bool) -> float:
    """Likeness of two words of names, 0..1; an initial is like its word in names of people, unless it stands alone."""
    alike = word_likeness(word, other)
    if alike < NICKNAME and are_nicknames(word, other):
        return NICKNAME
    if alike == 0.0 and initials and 1 in (len(word), len(other)) and word[:1] == other[:1] and word.isalpha():
        return INITIAL
    return alike
