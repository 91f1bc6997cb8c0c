"""Texts that were cut off: they stop inside a word of another, behind a word that nothing ends with, or in a name.

What took facts out of talk cut some short. Such a text says nothing that the whole one does not say. And it speaks for
no other, and ends none: what it says was lost with its end. In graphs of 4,000 entities every fifth fact that was lost
had gone into the piece of a sentence, or had been replaced by one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from graphdream.facts.cover import has_another_number
from graphdream.facts.reading import Reading
from graphdream.facts.statements import Statement
from graphdream.facts.telling import tells
from graphdream.facts.words import DANGLING, PARTICLES
from graphdream.language.formatting import bare
from graphdream.language.senses import has_sense
from graphdream.mutations.specifics import tokens

_SHORTEST = 3
"""Words before the cut, at least: what fewer begin with may be said of two things (`uses Deno`, `uses Denodo`)."""
_ENDS_ALIKE = 3
"""Words that one text ends with and another goes on behind, at least; two may end a whole sentence in other words."""
_GRAMMAR = 2
"""Words of grammar between what a text ends with and what another goes on with, at most: `with the clients`."""
_LEAST_WORD = 3
_DANGLING = DANGLING - PARTICLES
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_REST_OF_WORD = re.compile(r"[^\W\d_]+")
_REST_OF_NUMBER = re.compile(r"[\d.,]*\d\S*\s+\S")
"""A number that goes on, with a word behind it: `level 9` was cut out of `level 90 percent`."""

Names = Mapping[int, tuple[str, ...]]


def that_break_off(
    said: Sequence[Statement], past: Sequence[Statement], names: Names, ending_alike: Collection[int] = ()
) -> frozenset[int]:
    """Positions of statements that were cut off, be it only perhaps.

    Args:
        said: the statements that are asked about.
        past: what is no longer said; the whole of which one is a piece may have gone before it.
        names: entity -> its names.
        ending_alike: positions of those that end as sentences of this memory do (`emptiness.end_as_others`).
    """
    texts: dict[int, set[str]] = defaultdict(set)
    ends = {(s.entity, s.reading.words[-2]) for s in said if len(s.reading.words) > 1}
    follow: dict[tuple[int, str], set[str]] = defaultdict(set)
    for statement in (*said, *past):
        texts[statement.entity].add(text_of(statement))
        for one, other in pairwise(statement.reading.words):
            if (statement.entity, one) in ends:
                follow[statement.entity, one].add(other)
    ordered = {entity: sorted(found) for entity, found in texts.items()}
    return frozenset(
        statement.at
        for statement in said
        if (dangles(statement.reading) and statement.at not in ending_alike)
        or (
            _may_be_cut(statement)
            and (
                _stops_in_text(text_of(statement), ordered[statement.entity])
                or _stops_in_word(statement, follow)
                or _stops_in_name(statement.reading, names.get(statement.entity, ()))
            )
        )
    )


class KnownWords:
    """Words that are whole beyond doubt: those of names, and those that stand anywhere but at the end of a text."""

    def __init__(self, said: Sequence[Statement], names: Names) -> None:
        self._within: Counter[str] = Counter()
        for statement in said:
            self._within.update(set(statement.reading.words[:-1]))
        self._named = {token.text for found in names.values() for name in found for token in tokens(name)}

    def has(self, word: str, *, beside: Collection[str] = ()) -> bool:
        """Whether a word is known elsewhere than in the text with the words `beside`."""
        return word in self._named or self._within[word] > (word in beside) or has_sense(word)


def is_cut_out(less: Statement, more: Statement, known: KnownWords) -> bool:
    """Whether a text that begins another is beyond doubt that one, cut inside a word.

    The piece is no word that anybody knows, and what it is a piece of is one that is known: `the wheel is in Lanc` was
    cut out of `the wheel is in Lancaster`; `is written in Java` was not out of `is written in JavaScript`.
    """
    short, long = text_of(less), text_of(more)
    last, rest = _LAST_WORD.search(short), _REST_OF_WORD.match(long, len(short))
    if not last or not rest or not is_long_enough(less):
        return False
    return not known.has(last[0]) and known.has(last[0] + rest[0], beside=more.reading.words)


def is_long_enough(less: Statement) -> bool:
    """Whether so much stands before the cut that a text which begins with it says the same, and a program made it."""
    return len(less.reading.words) > _SHORTEST and all(fact.extracted for fact in less.facts)


def dangles(one: Reading) -> bool:
    """Whether a statement ends with a word that nothing ends with: `the port is`."""
    return bool(one.words) and one.words[-1] in _DANGLING


def _may_be_cut(statement: Statement) -> bool:
    """Whether a program took it out of something, or it is a line of a file that ends with no known word: nobody tells
    half a word, and who writes `Java` in the place of `JavaScript` means it."""
    if any(fact.extracted for fact in statement.facts):
        return True
    last = _LAST_WORD.search(text_of(statement))
    written = any(fact.source.startswith("file:") for fact in statement.facts)
    return written and not (last and _is_word(last[0]))


def stops_short(more: Reading, less: Reading) -> bool:
    """Whether a statement ends with three words behind which a longer one goes on, with a word that it has not, or less
    often: `is fed with hay` beside `the mare is fed with hay meal`, `used for cutting wool` beside `a tool for cutting
    wool of lambs`."""
    end = more.words[-_ENDS_ALIKE:]
    if len(more.words) >= len(less.words):
        return False
    alike = (at for at in range(_ENDS_ALIKE, len(less.words)) if less.words[at - _ENDS_ALIKE : at] == end)
    further = (word for at in alike if (word := _goes_on(less, at)))
    return any(less.words.count(word) > more.words.count(word) for word in further)


def _goes_on(one: Reading, at: int) -> str:
    """The next word from a place on that tells something, behind a word of grammar or two; "" where nothing goes on."""
    for place in range(at, min(at + _GRAMMAR + 1, len(one.words))):
        if place in one.marks:
            break
        if tells(one.shape[place], one.words[place]):
            return one.words[place]
    return ""


def _stops_in_text(text: str, ordered: Sequence[str]) -> bool:
    """Whether a text is the beginning of another of the same entity, inside a word of that, or inside a number."""
    goes_on = _REST_OF_WORD if text[-1:].isalpha() else _REST_OF_NUMBER if text[-1:].isdigit() else None
    return goes_on is not None and any(
        goes_on.match(longer, len(text)) and not has_another_number(text, longer) for longer in _going_on(text, ordered)
    )


def _going_on(text: str, ordered: Sequence[str]) -> Iterator[str]:
    """The texts that begin with a text and go on."""
    for at in range(bisect_right(ordered, text), len(ordered)) if text else ():
        if not ordered[at].startswith(text):
            return
        yield ordered[at]


def _stops_in_word(statement: Statement, follow: Mapping[tuple[int, str], Collection[str]]) -> bool:
    """Whether the last word is the beginning of one that stands behind the same word in another of the entity."""
    words = statement.reading.words
    if len(words) <= 1 or not words[-1].isalpha() or _is_word(words[-1]):
        return False
    behind = follow.get((statement.entity, words[-2]), ())
    return any(word.startswith(words[-1]) and word != words[-1] for word in behind)


def _is_word(word: str) -> bool:
    """Whether it is known as a word; of fewer letters a table of many languages has too many."""
    return len(word) >= _LEAST_WORD and has_sense(word)


def _stops_in_name(one: Reading, names: Sequence[str]) -> bool:
    """Whether its last words are the first words of a name of its entity, which it does not call by name."""
    words = tuple(part for word in one.words for part in word.partition("@")[0].split())
    return not one.named and any(
        words[-size:] == called[:size] for called in map(_called, names) for size in range(1, len(called))
    )


@lru_cache(maxsize=50_000)
def _called(name: str) -> tuple[str, ...]:
    return tuple(token.text for token in tokens(name) if token.kind != "mark")


def text_of(statement: Statement) -> str:
    """How it was written, folded, without its formatting."""
    return _folded(statement.facts[0].content)


@lru_cache(maxsize=200_000)
def _folded(content: str) -> str:
    return bare(content).casefold()
