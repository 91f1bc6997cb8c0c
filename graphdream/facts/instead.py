"""Whether a newer statement says what took the place of an older value: `Test runner: Jest`, `Swapped Jest for Vitest`.

It needs none of the words that the older is about: that it has all of its value, as what is over, and one thing in its
place, says so.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from graphdream.facts.clauses import clause_of
from graphdream.facts.reading import DATE, LABEL, MEASURED, NAME, NUMBER, TIME, Reading
from graphdream.facts.telling import ADVERBIAL, has_form_of, kind_told, leads_to, places, tells, tells_what
from graphdream.facts.words import INTENT, JOINS, NEGATIONS, NOW, is_of_change
from graphdream.language.calendar import is_time_unit
from graphdream.language.classes import closed_class, spoken_class
from graphdream.language.forms import LEAST_STEM, share_stem, unelided
from graphdream.language.scripts import is_unspaced

_REPLACES = closed_class("replaces")
_INSTEAD = frozenset(tuple(phrase.split("_")) for phrase in closed_class("instead"))
_BEGIN_INSTEAD = frozenset(phrase[0] for phrase in _INSTEAD)
_OF_NOW = NOW | closed_class("uses")
_ADPOSITIONS = ("from", "to", "towards", "exchange")
_LONGEST = 3
"""Words of a value that tell something, at most; a longer one is a sentence."""
_VERB = 1
"""Words that may be a verb which is not known to tell a change."""
_LEADS_IN = 3
"""Words between what says that something is not so and that, at most, and one: `en vez de a Slack`."""


class _Sureness(IntEnum):
    """How sure it is that one thing took the place of another."""

    NOT = 0
    MAYBE = 1
    SAID = 2


def tells_what_took_its_place(before: Reading, after: Reading) -> bool:
    """Whether a clause of the newer has the whole value of the older as what is over, and one thing in its place, and
    tells nothing else: `from X to Y` with a verb of change, `X for Y` with one of exchange, `Y instead of X` of now."""
    return _how_surely(before, after) is _Sureness.SAID


def may_tell_what_took_its_place(before: Reading, after: Reading) -> bool:
    """The same, also where a verb is not known to tell a change, or something else is told, which may narrow it."""
    return _how_surely(before, after) is not _Sureness.NOT


@lru_cache(maxsize=50_000)
def is_instead_of_another(before: Reading, after: Reading) -> bool:
    """Whether the newer says instead of what something is, and the older has no word of that: `We use Slack`, then `I
    use Zed now rather than VS Code`."""
    if not _says_instead(after.words):
        return False
    over = [at for at in range(1, len(after.words)) if not _leads_in(after, at) and _instead_at(after, at) < at]
    return bool(over) and not any(has_form_of(before, after.words[at].split()) for at in over)


@lru_cache(maxsize=200_000)
def may_tell_an_exchange(after: Reading) -> bool:
    """Whether a statement has what may lead in to a value that is over, and means or labels nothing."""
    if LABEL in after.words or not INTENT.isdisjoint(after.words):
        return False
    words = after.words
    if _says_instead(words) or not _REPLACES.isdisjoint(words):
        return True
    changes = any(map(is_of_change, words))
    return (changes and not spoken_class("exchange", words).isdisjoint(words)) or _says_where_from_and_to(words)


@lru_cache(maxsize=200_000)
def _says_instead(words: tuple[str, ...]) -> bool:
    begun = [at for at, word in enumerate(words) if word in _BEGIN_INSTEAD]
    return any(words[at : at + len(phrase)] == phrase for at in begun for phrase in _INSTEAD)


def _says_where_from_and_to(words: tuple[str, ...]) -> bool:
    is_elided = any(unelided(word) != word for word in words)
    comes = is_elided or not spoken_class("from", words).isdisjoint(words)
    return comes and not leads_to(words).isdisjoint(words)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a newer statement that has an older value.

    Attributes:
        said: the statement.
        value: the places of the value.
        instead: where it is said that something is instead of the value; else the first place of that.
        runs: what else it tells that the older does not, without verbs of change (`_runs`).
        shares: it has more of the older than the value.
        is_about_it: it has, or what is older is a value under a label.
    """

    said: Reading
    value: range
    instead: int
    runs: Sequence[tuple[int, int]]
    shares: bool
    is_about_it: bool

    @property
    def changes(self) -> bool:
        """Whether it tells a change."""
        return any(map(is_of_change, (*self.said.words[: self.instead], *self.said.words[self.value.start :])))

    def sure(self, *, told: bool) -> _Sureness:
        """SAID of what is told, of one thing, and of what the older is about; else MAYBE."""
        return _Sureness.SAID if told and self.is_about_it and len(self.runs) == 1 else _Sureness.MAYBE

    def is_of_a_day(self, low: int, high: int) -> bool:
        """Whether a day stands between two places: then it may be so on that day alone."""
        return any(kind_told(*both) == DATE for both in places(self.said, low, high))


@lru_cache(maxsize=50_000)
def _how_surely(before: Reading, after: Reading) -> _Sureness:
    value = _found(after, _value(before)) if may_tell_an_exchange(after) else range(0)
    if not value:
        return _Sureness.NOT
    instead = _instead_at(after, value.start)
    if _is_over_already(before, after.words[value.start : value.stop]):
        return _Sureness.NOT
    if not NEGATIONS.isdisjoint((*after.words[:instead], *after.words[value.start :])):
        return _Sureness.NOT
    runs = _runs([at for at in _own(before, after, value, instead) if not is_of_change(after.words[at])])
    shares = _shares_another(before, after, _value(before))
    clause = _Clause(after, value, instead, runs, shares, shares or LABEL in before.words)
    if instead < value.start:
        return _by_instead(clause)
    by_way = _by_leaving if _is_led_from(after, value.start) else _by_exchange
    return max(_by_subject(clause), by_way(clause))


def _is_over_already(before: Reading, value: Sequence[str]) -> bool:
    """Whether the older says itself that something else is in the place of a value (`in feet instead of ells`)."""
    found = _found(before, value)
    return bool(found) and _instead_at(before, found.start) < found.start


def _by_instead(one: _Clause) -> _Sureness:
    """`Y instead of X`, of what holds now; a verb may stand beside, and of the past it may have been so once."""
    if not 0 < len(one.runs) <= 1 + _VERB:
        return _Sureness.NOT
    is_now = one.changes or one.shares or not _OF_NOW.isdisjoint(one.said.words)
    return _Sureness.SAID if is_now and one.is_about_it else _Sureness.MAYBE


def _by_subject(one: _Clause) -> _Sureness:
    """`Y replaced X`, `Y hat X ersetzt`."""
    if len(one.runs) != 1 or not _is_short(one.runs[0]) or not _is_object(one.said, one.value, one.runs[0][1]):
        return _Sureness.NOT
    return one.sure(told=not one.is_of_a_day(0, len(one.said.words)))


def _by_leaving(one: _Clause) -> _Sureness:
    """`from X to Y`, with a verb of change."""
    leads = leads_to(one.said.words)
    goes = any(_is_short(run) and not leads.isdisjoint(_lead(one.said, run[0])) for run in one.runs)
    return one.sure(told=one.changes) if goes and len(one.runs) <= 1 + _VERB else _Sureness.NOT


def _by_exchange(one: _Clause) -> _Sureness:
    """`X for Y`, with a verb of exchange; with another one of change, maybe."""
    leads = spoken_class("exchange", one.said.words)
    for low, high in one.runs:
        lead = _lead(one.said, low)
        if low >= one.value.stop and _is_short((low, high)) and not leads.isdisjoint(lead) and JOINS.isdisjoint(lead):
            gives = not _REPLACES.isdisjoint(one.said.words)
            told = gives and not one.is_of_a_day(one.value.stop, low)
            return one.sure(told=told) if one.changes else _Sureness.NOT
    return _Sureness.NOT


def _is_short(run: tuple[int, int]) -> bool:
    return run[1] - run[0] <= _LONGEST


@lru_cache(maxsize=200_000)
def _value(before: Reading) -> tuple[str, ...]:
    """The words of an older value, without numbers: what stands behind its label; without one the only name, or the
    last word; empty where it has none, or that is a sentence."""
    start, end = before.words.index(LABEL) + 1 if LABEL in before.words else 0, len(before.words)
    end = min((mark for mark in before.marks if mark > start), default=end) if start else end
    said = [(kind, word) for kind, word in places(before, start, end) if kind not in MEASURED and tells(kind, word)]
    if not start:
        names = [word for kind, word in said if kind == NAME]
        return tuple(names) if len(names) == 1 else tuple(word for _, word in said[-1:])
    return tuple(word for _, word in said) if len(said) <= _LONGEST else ()


def _found(after: Reading, value: Sequence[str]) -> range:
    """The places of a value, or of its last word, or the first one of a name (`VW Crafter`, `the Crafter`), with the
    number behind it, which is its version; none where it does not stand there, or twice."""
    parts = [part for word in value for part in word.split()]
    if _beginnings(after).isdisjoint(part[:LEAST_STEM] for part in parts):
        return range(0)
    last = () if any(map(is_unspaced, parts)) else parts[-1:]  # a sign is no word
    for said in (value, last, parts[:1] if len(value) == 1 else ()):
        size = len(said)
        found = [at for at in range(len(after.words) - size + 1) if size and _stands(after.words[at : at + size], said)]
        if found:
            end = found[0] + size
            has_version = after.shape[end : end + 1] == (NUMBER,)
            return range(found[0], end + 1 if has_version else end) if len(found) == 1 else range(0)
    return range(0)


@lru_cache(maxsize=200_000)
def _beginnings(one: Reading) -> frozenset[str]:
    """What the words of a statement, and of names in it, begin with, which forms of them share."""
    return frozenset(part[:LEAST_STEM] for word in one.words for part in unelided(word).split())


def _stands(words: Sequence[str], said: Sequence[str]) -> bool:
    return all(_are_forms(one, word) for one, word in zip(words, said, strict=True))


def _are_forms(one: str, word: str) -> bool:
    bare = unelided(one)
    return bare == word or share_stem(bare, word)


def _is_object(after: Reading, value: range, low: int) -> bool:
    """Whether a value is the object of a verb of exchange, and what ends at a place the subject: `Prisma replaced
    Sequelize`, `Prisma hat Sequelize ersetzt`; but not `exists to replace it`."""
    at = value.start
    verb = next((at for at in range(low, len(after.words)) if after.words[at] in _REPLACES), -1)
    if at < low or verb < low or not after.marks.isdisjoint(range(low, max(at, verb) + 1)):
        return False
    between = (*range(low, at), *range(value.stop, max(value.stop, verb)))
    is_bare = all(_leads_in(after, place) for place in between if place != verb)
    leads = (*_lead(after, at), *_lead(after, verb))
    return is_bare and all(spoken_class(name, after.words).isdisjoint(leads) for name in (*_ADPOSITIONS, "where"))


def _is_led_from(after: Reading, at: int) -> bool:
    """Whether a word that says from where leads in to a place, or is elided there (`d'OVH`, `dall'Enel`)."""
    leaves, elided = spoken_class("from", after.words), after.words[at].removesuffix(unelided(after.words[at]))[:-1]
    return not leaves.isdisjoint(_lead(after, at)) or any(one[:-1] == elided for one in leaves if elided)


def _own(before: Reading, after: Reading, value: range, instead: int) -> list[int]:
    """Places of what the clause of an older value tells that the older does not, but for when and how."""
    low, high = clause_of(after, instead)[0], clause_of(after, value.start)[1]  # `than` begins a clause
    return [
        at
        for at, (kind, word) in enumerate(places(after, low, high), low)
        if not (at in value or _leads_in(after, at))
        and tells_what(kind, word)
        and kind_told(kind, word) not in (DATE, TIME)
        and not (is_time_unit(word) or word.endswith(ADVERBIAL) or has_form_of(before, (word,)))
    ]


def _runs(found: Sequence[int]) -> list[tuple[int, int]]:
    """Places that follow upon each other, as the first of each row and the one behind its last."""
    lows = [at for at in found if at - 1 not in found]
    return list(zip(lows, (at + 1 for at in found if at + 1 not in found), strict=True))


def _lead(after: Reading, at: int) -> tuple[str, ...]:
    """The words right before a place that tell nothing: what leads in to it."""
    low = at
    while low and low not in after.marks and _leads_in(after, low - 1):
        low -= 1
    return after.words[low:at]


def _leads_in(after: Reading, at: int) -> bool:
    """Whether a place tells nothing, or is an adposition of the language of the statement, though it be a noun or a
    verb in another (Dutch `door`, `met`)."""
    if not tells(after.shape[at], after.words[at]):
        return True
    return any(after.words[at] in spoken_class(name, after.words) for name in _ADPOSITIONS)


def _instead_at(after: Reading, at: int) -> int:
    """Where something says, right before a place, that what stands there is not so, but something else (`rather than`);
    the place itself where nothing does."""
    if not _says_instead(after.words):
        return at
    for end in range(at, max(at - _LEADS_IN, 0), -1):
        found = next((end - len(phrase) for phrase in _INSTEAD if after.words[:end][-len(phrase) :] == phrase), at)
        if found < at or not _leads_in(after, end - 1):
            return found
    return at


def _shares_another(before: Reading, after: Reading, value: Collection[str]) -> bool:
    """Whether the newer has anything else that the older tells."""
    others = (word for kind, word in places(before) if tells_what(kind, word) and word not in value)
    return any(has_form_of(after, (word,)) for word in others)
