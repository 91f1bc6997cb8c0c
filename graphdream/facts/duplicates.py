"""Which statements of one entity say the same.

Three kinds of evidence, strongest first: the statements read the same; one is the other cut short; a link, or
words whose role links taught, shows that they differ only in the way of saying it. Equal values are required
throughout: statements with different numbers, dates or names are never the same (purple is not cyan).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphdream.facts.clauses import says_clause_of
from graphdream.facts.links import Link, WordRoles
from graphdream.facts.reading import DATE, NAME, NUMBER, SUBJECT, TIME, bare
from graphdream.facts.relations import Form
from graphdream.facts.statements import Statement
from graphdream.facts.telling import TellingValues
from graphdream.facts.words import CHANGE, FORMER, INTENT, NEGATIONS, RESTRICTIONS
from graphdream.mutations.specifics import month_name

_LARGEST_POSTING = 24
"""Statements of one entity that share a word, at most; a more common word of its finds no candidates."""
_SHORTEST_PIECE = 3
"""Tokens of a beginning that stops inside a name, at least."""
_MOST_UNKNOWN = 1
"""Words without votes on each side of a paraphrase, at most, where both sides have some."""


@dataclass(frozen=True, slots=True)
class Same:
    """`loser` says nothing that `survivor` does not say.

    Attributes:
        mutual: both say the same; otherwise the survivor says more.
        how: `copy`, `truncated`, `linked`, `paraphrase` or `contained`.
    """

    loser: int
    survivor: int
    how: str
    mutual: bool


class Comparer:
    """Compares statements of one entity, given what the corpus taught about words and forms."""

    def __init__(
        self,
        links: Iterable[Link],
        roles: WordRoles,
        forms: Sequence[Sequence[Form]],
        telling: TellingValues,
        changed: Iterable[tuple[int, int]] = (),
    ) -> None:
        self._forms = [frozenset(found) for found in forms]
        self._linked = {(link.a, link.b) for link in links}
        self._roles = roles
        self._telling = telling
        self._changed = frozenset(changed)

    def compare(self, a: Statement, b: Statement) -> Same | None:
        """Which of two statements may go, if either; the order of the arguments does not matter."""
        a, b = (a, b) if a.at < b.at else (b, a)
        if (a.at, b.at) in self._changed or (b.at, a.at) in self._changed:
            return None
        cut = self._cut_short(a, b)
        if cut is not None:
            return cut
        if _stops_inside(a, b) or _stops_inside(b, a):
            return None
        if _tells_change(a) != _tells_change(b):
            return None
        shared = a.content & b.content
        only_a, only_b = a.content - shared, b.content - shared
        if not only_a and not only_b and _roles(a) != _roles(b):
            return None
        if a.values == b.values:
            if not shared and not a.values:
                return None
            if a.reading.shape == b.reading.shape:
                return None
            linked = (a.at, b.at) in self._linked or self._forms[a.at] & self._forms[b.at]
            if linked and not self._value_in(only_a | only_b) and not self._exchanged(a, b, only_a | only_b):
                return Same(b.at, a.at, "linked", True)
            if self._paraphrase(a, b, only_a, only_b):
                return Same(b.at, a.at, "paraphrase", True)
            clause = says_clause_of(a, b, self._roles)
            found = clause or self._telling.join(a, b)
            if found is not None:
                loser, survivor, mutual = found
                return Same(loser.at, survivor.at, "same clause" if clause else "same value", mutual)
        for less, more, extra, rest in ((a, b, only_b, only_a), (b, a, only_a, only_b)):
            if rest or not less.values <= more.values or len(less.content) + less.values.total() < 2:
                continue
            if len(less.reading.words) > len(more.reading.words) or (more.values and not less.values):
                continue
            if not CHANGE.isdisjoint(less.content) and not _stands_in(less.reading.words, more.reading.words):
                continue
            if extra & RESTRICTIONS or _intends(less) != _intends(more):
                continue
            if self._only_manner(extra, shared, bool(less.values)):
                return Same(less.at, more.at, "contained", False)
        return None

    def _exchanged(self, a: Statement, b: Statement, words: Iterable[str]) -> bool:
        """Whether one span is all that differs and its words are not known to frame: two values of one thing."""
        return self._one_place_differs(a, b) and not all(self._roles.frames(word) for word in words)

    def _value_in(self, words: Iterable[str]) -> bool:
        """Whether some of the words are known to carry values."""
        return any(self._roles.carries(word) for word in words)

    @staticmethod
    def _cut_short(a: Statement, b: Statement) -> Same | None:
        """Whether one is the beginning of the other, cut anywhere, even inside a word."""
        if (name := _cut_in_name(a, b)) is not None:
            return name
        less, more = sorted((a, b), key=lambda s: (len(s.reading.words), len(bare(s.facts[0].content)), s.at))
        short, long = less.reading.words, more.reading.words
        if not short or short[:-1] != long[: len(short) - 1] or not (less.content or less.values):
            return None
        rest = long[len(short) :]
        kind = more.reading.shape[len(short) - 1]
        cut, whole = (word.split("@")[0] for word in (short[-1], long[len(short) - 1]))
        if kind == DATE and less.reading.shape[-1] != DATE:
            whole = month_name(whole)
        elif cut != whole and (kind in (NUMBER, DATE, TIME) or (kind == NAME and not rest)):
            return None  # 3 is not 30, and `Vue` not the beginning of `Vuex`
        if not whole.startswith(cut) or RESTRICTIONS.intersection(rest):
            return None
        if not rest and (cut == whole or len(short) == 1):
            return None
        return Same(less.at, more.at, "truncated", False)

    @staticmethod
    def _one_place_differs(a: Statement, b: Statement) -> bool:
        """Whether the two are one sentence with one span exchanged: the shape of two values of one thing."""
        left, right = a.reading.words, b.reading.words
        low = 0
        while low < min(len(left), len(right)) and left[low] == right[low]:
            low += 1
        high = 0
        while high < min(len(left), len(right)) - low and left[-1 - high] == right[-1 - high]:
            high += 1
        return low + high > 0 and low + high < min(len(left), len(right))

    def _paraphrase(self, a: Statement, b: Statement, only_a: frozenset[str], only_b: frozenset[str]) -> bool:
        """Whether two statements with equal values differ in manner alone."""
        unknown_a = [word for word in only_a if not self._roles.frames(word)]
        unknown_b = [word for word in only_b if not self._roles.frames(word)]
        if self._exchanged(a, b, only_a | only_b):
            return False
        if _intends(a) != _intends(b):
            return False
        if unknown_a and unknown_b:
            # Two unknown words may be two values of what both name; a shared number or day is hardly only asked for.
            measured = any(s in (NUMBER, DATE, TIME) for s in a.reading.shape)
            if not measured or max(len(unknown_a), len(unknown_b)) > _MOST_UNKNOWN:
                return False
        return self._only_manner(only_a | only_b, a.content & b.content, bool(a.values))

    def _only_manner(self, words: frozenset[str], shared: frozenset[str], typed: bool) -> bool:
        """Whether words are only a way of saying it, next to a shared part that carries a value.

        A word without votes passes if the shared part holds a typed value, or a word rarer than it: in a graph
        the value is the rare part of a sentence and its form the common one.
        """
        roles = self._roles
        if not typed and all(roles.frames(word) for word in shared):
            return False
        rarest = min((roles.count(word) for word in shared), default=0)
        for word in words:
            if roles.frames(word):
                continue
            if roles.share(word) is not None or word in NEGATIONS:
                return False
            if not typed and roles.count(word) <= rarest:
                return False
        return True


def _cut_in_name(a: Statement, b: Statement) -> Same | None:
    """Whether one is the beginning of the other, cut inside a name of the subject, so that it does not read as one.

    `heads-up for Abbey P` says nothing of `Abbey Park` by itself.
    """
    less, more = sorted((a, b), key=lambda s: (len(bare(s.facts[0].content)), s.at))
    short, long = (bare(s.facts[0].content).casefold() for s in (less, more))
    words, shape = less.reading.words, more.reading.shape
    same = next((at for at, word in enumerate(words) if more.reading.words[at : at + 1] != (word,)), len(words))
    in_name = same < len(words) and SUBJECT in shape[max(0, same - 1) : same + 1]
    if len(words) < _SHORTEST_PIECE or not in_name or short == long or not long.startswith(short):
        return None
    return Same(less.at, more.at, "truncated", False)


def _roles(statement: Statement) -> dict[str, bool]:
    """Each name that is mentioned -> whether it stands before the subject: `Ada reports to Bo`, `Bo reports to Ada`."""
    shape, words = statement.reading.shape, statement.reading.words
    subject = shape.index(SUBJECT) if SUBJECT in shape else -1
    return {word: at < subject for at, word in enumerate(words) if shape[at] == NAME}


def _stands_in(words: Sequence[str], longer: Sequence[str]) -> bool:
    """Whether all words stand in a longer text, one after the other: `left A` does not stand in `left B for A`."""
    return any(longer[at : at + len(words)] == words for at in range(len(longer) - len(words) + 1))


def _intends(statement: Statement) -> bool:
    """Whether the statement says what is meant to happen, and not what did."""
    return not INTENT.isdisjoint(statement.reading.words)


def _stops_inside(a: Statement, b: Statement) -> bool:
    """Whether the last word of `a` is the beginning of a longer word of `b`: it may be all that is left of a value."""
    last = a.reading.words[-1].split("@")[0] if a.reading.words else ""
    tokens = {token for word in b.reading.words for token in word.split("@")[0].split()}
    return last.isalpha() and last not in tokens and any(token.startswith(last) for token in tokens)


def _tells_change(statement: Statement) -> bool:
    """Whether the statement still holds words of change and of a former value: which value holds is open."""
    words = statement.reading.words
    former = not FORMER.isdisjoint(words) or "longer" in words or ("before" in words and "that" in words)
    return former and not CHANGE.isdisjoint(words)


def candidates(said: Sequence[Statement]) -> Iterator[tuple[int, int]]:
    """Pairs of statements of one entity that share a word or value; each pair once, in order.

    A word that more than 24 statements of an entity share finds no pairs, so that one entity with 50,000
    statements costs no more than as many entities with one.
    """
    by_entity: dict[int, list[Statement]] = defaultdict(list)
    for statement in said:
        by_entity[statement.entity].append(statement)
    for members in by_entity.values():
        if len(members) < 2:
            continue
        postings: dict[str, list[int]] = defaultdict(list)
        for statement in members:
            for token in {*statement.content, *statement.values, *statement.reading.words[:1]}:
                postings[token].append(statement.at)
        pairs: set[tuple[int, int]] = set()
        for at in postings.values():
            if 1 < len(at) <= _LARGEST_POSTING:
                pairs.update((x, y) for i, x in enumerate(at) for y in at[i + 1 :])
        yield from sorted(pairs)
