"""Whether a statement says something besides what a newer one ends: `drives a Skoda and is allergic to cats`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import dropwhile, pairwise

from graphdream.facts.reading import DATE, LABEL, SUBJECT, TIME, TYPED, Reading
from graphdream.facts.telling import kind_told, places
from graphdream.facts.words import (
    ADDS,
    FROM_NOW_ON,
    FUNCTION_WORDS,
    INTENT,
    IS,
    JOINS,
    LEADS_FROM,
    PRONOUNS,
    WAS,
    is_of_change,
)
from graphdream.language.classes import closed_class, spoken_class

_LEAST = 2
"""Words and values of its own with which a part says something; one is a turn of phrase (`, as usual`)."""
_FIRST = 1
"""The same of what comes first: `diabetic, swims on Mondays`."""
_REACH = 3
"""Words behind what says that something is given up, at most."""
_INSTEAD = frozenset(tuple(phrase.split("_")) for phrase in closed_class("instead"))
_GOES_TO = closed_class("to") | closed_class("towards")
_ONE_ANSWER = _GOES_TO | JOINS
"""What may stand between two values that are one answer."""
_LEADS_IN = FUNCTION_WORDS - PRONOUNS - IS - WAS - INTENT - closed_class("has")
"""What may open a phrase that leads in to a sentence, but for articles: conjunctions and adpositions."""


def says_besides(before: Reading, after: Reading) -> bool:
    """Whether the older has a part of which the newer says nothing, beside one that the newer may be about.

    The newer ends that one; who takes the whole for over loses the other. A part ends at a mark or at the word for
    *and*. What comes first, is set off by a mark and led in to is mostly who said it, or when (`as Bo told us, ...`).
    """
    known = frozenset(after.words)
    over = _given_up(before)  # a former value of the same is no other thing
    telling = [word if _tells(kind, word) and word not in over else "" for kind, word in places(before)]
    inside = range(1, len(telling))
    joins = [at for at in inside if before.words[at] in JOINS and not _is_copula(before, after, at)]
    marks = sorted(before.marks.intersection(inside))
    start = before.words.index(LABEL) + 1 if LABEL in before.words else 0
    firsts = [at for at in (joins if _is_led_in(before, start) else [*joins, *marks]) if at > start]
    return (
        any(_besides(telling[:at], _anew(before, telling, at), known, _LEAST) for at in {*marks, *joins})
        or any(_besides(telling[at:], _without_subject(telling[start:at], known), known, _FIRST) for at in firsts)
        or _has_a_further_value(before, after)
        or _lists_another(before, after)
        or _says_two(before, after)
        or _goes_on_besides(before, after)
    )


def _is_copula(before: Reading, after: Reading, at: int) -> bool:
    """Whether a word for *and* is one for *is* here (Spanish `es` is Hungarian `és`, as it is compared, Italian `è` is
    `e`): the newer has it, too, and behind the same word."""
    word = before.words[at]
    found = [_told_before(after, near) for near, one in enumerate(after.words) if one == word] if word in IS else []
    return bool(found) and _told_before(before, at) in found


def _told_before(one: Reading, at: int) -> str:
    """The last word before a place that tells something; "" where there is none."""
    return next((word for kind, word in reversed([*places(one, 0, at)]) if _tells(kind, word)), "")


def _is_led_in(one: Reading, start: int) -> bool:
    """Whether what a statement says from a place on begins with what leads in to when, where or by whom it is said."""
    words = one.words
    if _LEADS_IN.isdisjoint(words[start : start + 1]):
        return False
    return words[start] not in spoken_class("definite", words) | spoken_class("indefinite", words)


def _anew(one: Reading, telling: Sequence[str], at: int) -> Sequence[str]:
    """What tells something from a place on; nothing, where that is a change and what of the same came of it: `was 12
    and became 8`."""
    near, far = ([kind for kind, word in part if _tells(kind, word)] for part in (places(one, 0, at), places(one, at)))
    goes_on = any(map(is_of_change, one.words[at:])) and TYPED.intersection(near).issuperset(far)
    return () if goes_on else telling[at:]


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
    if not others:  # what came in the place of a value may be words: `3 days`, `a month`
        mine = [run for run in mine if not _is_in_place(before, after, run[0])]
        if len(mine) == 1 and len(_own_words(before, after)) <= 1:  # its verb
            return False
    more = len(mine) - len(others)
    if more >= _LEAST and _kinds(before, mine) > _kinds(after, others):
        return True
    beside = {near for run in mine for near in (run[0] - 1, run[-1] + 1) if 0 <= near < len(before.words)}
    words = {before.words[at] for at in beside if before.shape[at] not in TYPED and _tells(*_at(before, at))}
    return more > 0 and not words <= frozenset(after.words)


def _own_values(one: Reading, other: Reading) -> list[list[int]]:
    """Places of the values that a statement says of now and the other does not, those of one answer together (`11:00 to
    19:00`); the year behind a day is a part of it, and a label says of what they are."""
    known, over = frozenset(other.words) - _given_up(other), _given_up(one)
    start = one.words.index(LABEL) if LABEL in one.words else 0
    if _is_led_in(one, start):
        start = max(start, min(one.marks - {0}, default=0))  # `as Bo told us, ...`
    out: list[list[int]] = []
    for at, (kind, word) in enumerate(places(one)):
        if kind in TYPED and at >= start and word not in known | over and not one.is_year(at):
            between = one.words[out[-1][-1] + 1 : at] if out else ()
            if out and _ONE_ANSWER.issuperset(between) and one.marks.isdisjoint(range(out[-1][-1] + 1, at + 1)):
                out[-1].append(at)
            else:
                out.append([at])
    return out


def _own_words(one: Reading, other: Reading) -> list[str]:
    return [w for kind, w in places(one) if kind not in TYPED and _tells(kind, w) and w not in other.words]


def _kinds(one: Reading, values: Iterable[Sequence[int]]) -> set[str]:
    return {one.shape[at] for run in values for at in run}


def _at(one: Reading, at: int) -> tuple[str, str]:
    """Kind and word of a place."""
    return one.shape[at], one.words[at]


def _is_in_place(before: Reading, after: Reading, at: int) -> bool:
    """Whether the newer goes on with a word of its own behind what leads in to a place of the older."""
    lead, known = before.words[at - 1 : at], frozenset(before.words)
    for behind in range(1, len(after.words)) if lead else ():
        if after.words[behind - 1 : behind] == lead:
            telling = (word for kind, word in places(after, behind) if _tells(kind, word))
            if next(telling, "") not in {*known, ""}:
                return True
    return False


@lru_cache(maxsize=200_000)
def _given_up(one: Reading) -> frozenset[str]:
    """The words that a statement says itself of what is over: `no longer in Oslo`, `instead of Parquet`."""
    spoken = spoken_class("from", one.words) | spoken_class("denies", one.words)
    leads = [at + 1 for at, word in enumerate(one.words) if word in LEADS_FROM and word in spoken]
    leads += [
        at + len(phrase)
        for at in range(len(one.words))
        for phrase in _INSTEAD
        if one.words[at : at + len(phrase)] == phrase
    ]
    return frozenset(word for at in leads for word in _phrase(one, at))


def _phrase(one: Reading, at: int) -> list[str]:
    """The first words from a place on that tell something, up to a word of grammar or a mark behind them, or to what
    says where a change goes (`was changed to`)."""
    out: list[str] = []
    for place in range(at, min(at + _REACH, len(one.words))):
        tells = _tells(*_at(one, place))
        if (out and (not tells or place in one.marks)) or one.words[place] in _GOES_TO:
            break
        out += [one.words[place]] * tells
    return out


def _goes_on_besides(before: Reading, after: Reading) -> bool:
    """Whether a phrase of two words follows in the older, of which the newer has none, behind what the newer says is
    given up: `writes Parquet files to the bucket osprey`, then `writes Avro files instead of Parquet`."""
    over, known = _given_up(after), frozenset(after.words) | _given_up(before)
    given_up = [at for at, word in enumerate(before.words) if word in over and _tells(*_at(before, at))]
    parts = [at for at in range(given_up[-1], len(before.words)) if not _tells(*_at(before, at))] if given_up else []
    if not parts:
        return False
    rows: list[list[str]] = [[]]
    for at in range(parts[0], len(before.words)):
        if at in parts or at in before.marks:
            rows.append([])
        if at not in parts and before.shape[at] not in (DATE, TIME):
            rows[-1].append(before.words[at])
    return any(len(row) >= _LEAST and known.isdisjoint(row) for row in rows)


def _besides(near: Sequence[str], far: Sequence[str], known: frozenset[str], least: int) -> bool:
    """Whether the newer, which has the words `known`, is about the near part, and all that it has in common with the
    far one is in the near one, too."""
    about, others = known.intersection(near) - {""}, set(far) - known - {""}
    says = len(others) >= least or (len(far) >= _LEAST and any(word.isdecimal() for word in others))  # `, 6 done`
    return bool(about) and known.intersection(far) - {""} <= about and says


def _without_subject(part: Sequence[str], known: frozenset[str]) -> Sequence[str]:
    """A first part without its first telling word, where that is what the newer is about, too: `the server is called
    heron and has 16 GB`."""
    first = next((at for at, word in enumerate(part) if word), 0)
    return part[first + 1 :] if part[first] in known else part


def _tells(kind: str, word: str) -> bool:
    return kind in TYPED or not (kind == SUBJECT or word == LABEL or word in _TELLS_NOTHING)


_TELLS_NOTHING = FUNCTION_WORDS | FROM_NOW_ON | LEADS_FROM
"""Words that say nothing besides; a former value of the same (`, previously Felix`) is no other thing."""
