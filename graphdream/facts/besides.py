"""Whether a statement says something besides what a newer one ends: `drives a Skoda and is allergic to cats`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import dropwhile, pairwise

from graphdream.facts.reading import DATE, LABEL, SUBJECT, TIME, TYPED, Reading
from graphdream.facts.telling import kind_told, places
from graphdream.facts.words import ADDS, FROM_NOW_ON, FUNCTION_WORDS, JOINS, LEADS_FROM

_LEAST = 2
"""Words and values of its own with which a part says something; one is a turn of phrase (`, as usual`)."""


def says_besides(before: Reading, after: Reading) -> bool:
    """Whether the older has a part of which the newer says nothing, beside one that the newer may be about.

    The newer ends that one; who takes the whole for over loses the other. A part ends at a mark or at the word for
    *and*. What comes first and is set off by a mark alone is mostly who said it, or when (`as Bo told us, ...`).
    """
    known = frozenset(after.words)
    telling = [word if _tells(kind, word) else "" for kind, word in zip(before.shape, before.words, strict=True)]
    inside = range(1, len(telling))
    joins = [at for at in inside if before.words[at] in JOINS]
    return (
        any(_besides(telling[:at], telling[at:], known) for at in {*before.marks.intersection(inside), *joins})
        or any(_besides(telling[at:], _without_subject(telling[:at]), known) for at in joins)
        or _has_a_further_value(before, after)
        or _lists_another(before, after)
        or _says_two(before, after)
    )


def _lists_another(before: Reading, after: Reading) -> bool:
    """Whether a label is followed by several things, set off by marks, and the newer is about another one, with which
    it shares a word (`Ida: phone 5512, room 14`, then `Ida moved to room 22`) or, where it shares none with any, a kind
    of value: `insurance: Aviva, 12 euros a month`, then `insurance is 14 euros a month`."""
    if LABEL not in before.words:
        return False
    start = before.words.index(LABEL) + 1
    bounds = [start, *sorted(mark for mark in before.marks if mark > start), len(before.words)]
    kinds, known = TYPED.intersection(after.shape), frozenset(after.words)
    parts = [[*places(before, low, high)] for low, high in pairwise(bounds)]
    meant = [any(word in known and _tells(kind, word) for kind, word in part) for part in parts]
    meant = meant if any(meant) else [any(kind in kinds for kind, _ in part) for part in parts]
    others = [part for part, is_meant in zip(parts, meant, strict=True) if not is_meant]
    return any(meant) and any(_says_anew(part, known) for part in others)


def _says_two(before: Reading, after: Reading) -> bool:
    """Whether a part of the older, set off by a mark, begins with what the newer is about and says something of it that
    the newer does not, while the newer has a value of the kind of another part: `the flat is on the third floor, the
    code is 4471`, then `the code of the flat is 5582`."""
    bounds = [0, *sorted(before.marks), len(before.words)]
    parts = [
        [(kind_told(*both), both[1]) for both in places(before, low, high) if _tells(*both)]
        for low, high in pairwise(bounds)
    ]
    kinds = TYPED.intersection(map(kind_told, after.shape, after.words))
    meant = [any(kind in kinds for kind, _ in part) for part in parts]
    known = frozenset(after.words)
    return any(meant) and any(
        _goes_on_anew(part, known) for part, is_meant in zip(parts, meant, strict=True) if not is_meant
    )


def _goes_on_anew(part: Sequence[tuple[str, str]], known: frozenset[str]) -> bool:
    """Whether a part begins with known words, and all behind them is new."""
    rest = [word for _, word in dropwhile(lambda one: one[1] in known, part)]
    return 0 < len(rest) < len(part) and known.isdisjoint(rest)


def _says_anew(part: Sequence[tuple[str, str]], known: frozenset[str]) -> bool:
    """Whether a part tells something, and nothing of it stands in the newer; when it was is not enough."""
    telling = [(kind, word) for kind, word in part if _tells(kind, word)]
    said = any(kind not in (DATE, TIME) for kind, _ in telling)
    return said and known.isdisjoint(word for _, word in telling)


def comes_on_top(before: Reading, after: Reading) -> bool:
    """Whether the newer says of itself that it comes on top of what is (`now also speaks Turkish`), and the older does
    not."""
    return _is_added(after) and not _is_added(before)


def _is_added(one: Reading) -> bool:
    """Whether a statement has an additive adverb. What opens it may join it to the sentence before it (`Also, the rent
    is 560`); and English *too* and *as well* are of degree but where their clause ends."""
    words = one.words
    first = words[0] in ADDS and 1 not in one.marks and _tells(one.shape[1], words[1]) if len(words) > 1 else False
    ends = [at for at in range(1, len(words)) if at + 1 in {len(words), *one.marks} or words[at + 1] in FROM_NOW_ON]
    at_end = any(words[at] == "too" or words[at - 1 : at + 1] == ("as", "well") for at in ends)
    return first or at_end or not ADDS.isdisjoint(words[1:])


def _has_a_further_value(before: Reading, after: Reading) -> bool:
    """Whether the older has more values than the newer has in their place, and one of them beside a word of its own, or
    two and of several kinds: `listens on port 5440` ends the port of `Postgres 15 on port 5433`."""
    mine, others = _own_values(before, after), _own_values(after, before)
    more = len(mine) - len(others)
    if more >= _LEAST and {kind for kind, _ in _at(before, mine)} > {kind for kind, _ in _at(after, others)}:
        return True
    beside = {near for at in mine for near in (at - 1, at + 1) if 0 <= near < len(before.words)}
    words = {word for kind, word in _at(before, beside) if kind not in TYPED and _tells(kind, word)}
    return more > 0 and not words <= frozenset(after.words)


def _own_values(one: Reading, other: Reading) -> list[int]:
    """Places of the values that the other does not have; the year behind a day is a part of it."""
    known = frozenset(other.words)
    values = [at for at, kind in enumerate(one.shape) if kind in TYPED and one.words[at] not in known]
    return [at for at in values if not one.is_year(at)]


def _at(one: Reading, places: Iterable[int]) -> list[tuple[str, str]]:
    """Kind and word of each place."""
    return [(one.shape[at], one.words[at]) for at in places]


def _besides(near: Sequence[str], far: Sequence[str], known: frozenset[str]) -> bool:
    """Whether the newer, which has the words `known`, is about the near part, and all that it has in common with the
    far one is in the near one, too."""
    about, apart = known.intersection(near), set(near) - known - {""}
    others = set(far) - known - {""}
    says = len(others) >= _LEAST or (len(far) >= _LEAST and any(word.isdecimal() for word in others))  # `, 6 done`
    return bool(about and apart) and known.intersection(far) <= about and says


def _without_subject(part: Sequence[str]) -> Sequence[str]:
    """A first part without its first telling word, which may be what both parts are about: `the server is called heron
    and has 16 GB`."""
    first = next((at for at, word in enumerate(part) if word), 0)
    return part[first + 1 :]


def _tells(kind: str, word: str) -> bool:
    return kind in TYPED or not (kind == SUBJECT or word in _TELLS_NOTHING)


_TELLS_NOTHING = FUNCTION_WORDS | FROM_NOW_ON | LEADS_FROM
"""Words that say nothing besides; a former value of the same (`, previously Felix`) is no other thing."""
