"""Asides: parts of a sentence, set off by a mark, that say nothing of what it is about (`..., said over lunch`).

Who writes a memory adds from whom he has something, when, or how sure he is, to whatever he writes. So the same few
words stand, set off, beside different things that are said of things of different types; what is said of a thing
itself does not. No list is asked. Wrappers (wrappers.py) must be seen left off; an aside is only told from what it
stands beside, so it shows that there is no further fact in it (besides.py), and never that two statements say the same.
Of 32 graphs of 16 vocabularies, 112 more statements that a newer one had replaced were ended, none of them wrongly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from graphdream.facts.reading import LABEL, NAME, NUMBER, SUBJECT, TYPED, Reading
from graphdream.facts.statements import Statement
from graphdream.facts.words import FUNCTION_WORDS

_Part = tuple[str, ...]
"""Words of a part, dates and times as their kind."""

_LONGEST = 7
"""Places in an aside, at most."""
_CARRIES = frozenset((SUBJECT, LABEL, NUMBER))
"""What no aside has."""
_NO_WORDS = TYPED | FUNCTION_WORDS
"""What an aside is not made of alone: `, 3 May` and `, Ada` are said of the thing."""
_ENTITIES = 5
"""Entities beside whose statements an aside stands, at least; so many different sentence forms stand beside it, too."""
_TYPES = 2
"""Types of these entities, at least."""


class Asides:
    """The asides of a memory, learned from all statements, those of the past too.

    Args:
        every: the statements.
        types: entity -> its type; who has none is of no type.
    """

    def __init__(self, every: Sequence[Statement], types: Mapping[int, str]) -> None:
        entities: dict[_Part, set[int]] = defaultdict(set)
        beside: dict[_Part, set[_Part]] = defaultdict(set)
        for one in every:
            for low, high, part in _parts(one.reading):
                entities[part].add(one.entity)
                beside[part].add(one.reading.shape[high:] if low == 0 else one.reading.shape[:low])
        self._known = frozenset(
            part
            for part, of in entities.items()
            if len(of) >= _ENTITIES
            and len(beside[part]) >= _ENTITIES
            and len({types.get(entity, "") for entity in of} - {""}) >= _TYPES
        )
        self._labels = _labels_of(every)
        self._bare: dict[Reading, Reading] = {}

    def is_label(self, words: Sequence[str]) -> bool:
        """Whether some words are the label of statements of several entities: they say what is asked, as `HQ` does."""
        return tuple(words) in self._labels

    def without(self, reading: Reading) -> Reading:
        """A reading without the asides that it begins and ends with; itself, where nothing would remain."""
        found = self._bare.get(reading)
        if found is None:
            found = self._bare[reading] = self._without(reading)
        return found

    def _without(self, reading: Reading) -> Reading:
        low, high = 0, len(reading.words)
        for start, end, part in _parts(reading):
            if part in self._known:
                low, high = (max(low, end), high) if start == 0 else (low, min(high, start))
        return reading if (low, high) == (0, len(reading.words)) or low >= high else reading.between(low, high)


def _labels_of(every: Sequence[Statement]) -> frozenset[_Part]:
    entities: dict[_Part, set[int]] = defaultdict(set)
    for one in every:
        words = one.reading.words
        if LABEL in words:
            entities[words[: words.index(LABEL)]].add(one.entity)
    return frozenset(label for label, of in entities.items() if len(of) >= _ENTITIES)


def _parts(reading: Reading) -> Iterator[tuple[int, int, _Part]]:
    """The places low..high-1 before each mark or label, and behind each mark, with their words. None has the subject or
    a number, which may be what is said, nor values alone; one word before a label says what is asked."""
    words = [w if kind in (NAME, NUMBER) else kind for kind, w in zip(reading.shape, reading.words, strict=True)]
    size = len(words)
    labels = [at for at, word in enumerate(reading.words) if word == LABEL]
    heads = [(0, at, at + (at in labels)) for at in sorted({*reading.marks, *labels}) if 0 < at < size]
    tails = [(at, size, size) for at in sorted(reading.marks) if 0 < at < size]
    for low, high, end in (*heads, *tails):
        tells = not _NO_WORDS.issuperset(reading.shape[low:high]) and (end == high or high - low > 1)
        if tells and high - low <= _LONGEST and _CARRIES.isdisjoint(reading.shape[low:high]):
            yield low, end, ("<" if low == 0 else ">", *words[low:high])
