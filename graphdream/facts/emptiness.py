"""What is measured of one statement to tell whether it says anything: how it is cut, what holds it, where it recurs.

A short fact may be perfectly good (`tabs.`, `TTL = 60s`), and a long one a piece of a longer one. What tells is how the
sentences of this memory begin and end, whether another text has the whole of it, and whether its words stand for
something.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.bags import KINDS, Bags
from graphdream.facts.edges import Ends, SentenceEnds
from graphdream.facts.model import Subject
from graphdream.facts.pieces import NamePieces, Pieces
from graphdream.facts.reading import SUBJECT, TYPED, Reading, bare
from graphdream.facts.signals import SIGNALS as PAIR_SIGNALS
from graphdream.facts.signals import Measured
from graphdream.facts.statements import Statement
from graphdream.facts.words import CONJUNCTIONS, DANGLING, FUNCTION_WORDS, PRONOUNS
from graphdream.graph.name_gate import name_fault
from graphdream.language.scripts import status_marks

Table = NDArray[np.float32]

SIGNALS = (
    "size", "characters", "letters", "digits", "signs", "free", *(f"n_{kind.strip('<>')}" for kind in KINDS),
    "weight_top", "weight_mean", "opens_closed", "opens_joining", "ends_closed", "ends_dangling", "ends_open",
    "capital", "ends_stop", "brackets", "seam", "pronouns",
    "begins", "begins_inside", "ends", "ends_inside", "opens", "goes_on", "cut_begin", "cut_end",
    "piece", "name_piece", "held", "held_same", "begun", "recurs", "tail",
    "faulty", "crowd", "subject_named", "named", "formed", "linked", "marks", "told", "word_known", "last_known",
)  # fmt: skip
_KINDS = tuple(f"n_{kind.strip('<>')}" for kind in KINDS)
_WEIGHED = ("weight_top", "weight_mean", "held", "held_same", "begun")
_COUNTED = (
    "size", "begins", "begins_inside", "ends", "ends_inside", "opens", "goes_on", "recurs", "tail", "crowd", "told",
    "word_known", "last_known",
)  # fmt: skip
"""Signals that are logarithms of a count."""
_SEEN = tuple(name for name in SIGNALS if name not in (*_KINDS, *_WEIGHED, *_COUNTED))
_OPEN_SIGNS = tuple(",;:(=-–—&/")
_LONGEST = 4_000


class StatementSignals:
    """Measures the statements of one graph by themselves.

    Args:
        said: all statements.
        bags: their units.
        subjects: the entities.
        measured: the signals of pairs.
        formed, linked: positions of statements in a productive skeleton, and of linked ones.
        whole_words: words of running texts, whole however rare.
    """

    def __init__(
        self,
        said: Sequence[Statement],
        bags: Bags,
        subjects: Sequence[Subject],
        measured: Measured,
        *,
        formed: Collection[int],
        linked: Collection[int],
        whole_words: Collection[str] = (),
    ) -> None:
        self._said, self._bags = said, bags
        self._formed, self._linked = formed, linked
        self._names = NamePieces(subjects, whole_words)
        self._whole_words = whole_words
        self._ends = SentenceEnds(said, self._names.words)
        self._pieces = Pieces(said)
        self._faulty = {s.id: _share([name_fault(name) is not None for name in s.names]) for s in subjects}
        self._crowd = Counter(statement.entity for statement in said)
        named: dict[int, list[bool]] = defaultdict(list)
        homes: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for statement in said:
            named[statement.entity].append(statement.reading.named)
            homes[statement.reading.words].add(statement.entity)
        self._named = {entity: _share(found) for entity, found in named.items()}
        self._homes = homes
        self._tails: Counter[tuple[str, ...]] = Counter()
        for words in homes:
            if len(words) <= 64:
                self._tails.update(words[at:] for at in range(1, len(words) - 1))
        self._held, self._held_same, self._begun = self._holders(measured)

    def _holders(self, measured: Measured) -> tuple[Table, Table, Table]:
        """Per statement: the largest share of its weight that another has; that another repeats it; begins with it."""
        count = len(self._said)
        held, same, begun = (np.zeros(count, dtype=np.float32) for _ in range(3))
        column = {name: at for at, name in enumerate(PAIR_SIGNALS)}
        for one, table in ((measured.pairs.low, measured.table), (measured.pairs.high, measured.back)):
            np.maximum.at(held, one, table[:, column["cover_a"]] * (table[:, column["only_b"]] > 0))
            np.maximum.at(same, one, table[:, column["ratio"]])
            np.maximum.at(begun, one, table[:, column["begins_a"]])
        return held, same, begun

    def measure(self) -> Table:
        """Shape (statements, SIGNALS)."""
        bags = self._bags
        kinds = np.asarray((bags.table @ bags.kind).todense())
        size = np.maximum(1, kinds.sum(axis=1))
        mass = bags.table @ bags.weight
        top = np.zeros(len(self._said))
        np.maximum.at(top, bags.row, bags.weight[bags.unit])
        weighed = np.stack([top, mass / size, self._held, self._held_same, self._begun], axis=1)
        ends = [self._ends.of(statement) for statement in self._said]
        counted = _table([self._counts(*both) for both in zip(self._said, ends, strict=True)], _COUNTED)
        seen = _table([self._seen(*both) for both in zip(self._said, ends, strict=True)], _SEEN)
        out = np.empty((len(self._said), len(SIGNALS)), dtype=np.float32)
        for names, columns in ((_KINDS, kinds), (_WEIGHED, weighed), (_COUNTED, np.log1p(counted)), (_SEEN, seen)):
            out[:, [SIGNALS.index(name) for name in names]] = columns
        return out

    def _counts(self, statement: Statement, ends: Ends) -> tuple[int, ...]:
        """Counts of one statement, in the order of `_COUNTED`."""
        words = statement.reading.words
        first, last = (words[0], words[-1]) if words else ("", "")
        return (
            len(words), ends.begins, ends.begins_inside, ends.ends, ends.ends_inside, ends.opens, ends.goes_on,
            len(self._homes[words]), self._tails[words], self._crowd[statement.entity], len(statement.times),
            self._ends.words[first], self._ends.words[last],
        )  # fmt: skip

    def _seen(self, statement: Statement, ends: Ends) -> tuple[float, ...]:
        """Shares, and what is so or not, of one statement, in the order of `_SEEN`."""
        written = _written(statement.facts[0].content[:_LONGEST])
        read = _read(statement.reading)
        return (
            *written.share, read.free, *read.edges, *written.ends, read.pronouns, ends.cut_begin, ends.cut_end,
            self._pieces.is_piece(statement), self._names.is_piece(statement),
            self._faulty.get(statement.entity, 0.0), self._named[statement.entity], statement.reading.named,
            statement.at in self._formed, statement.at in self._linked, written.marks,
        )  # fmt: skip


def _share(truths: Sequence[bool]) -> float:
    """How many of some truths are true, 0..1; NaN of none."""
    return sum(truths) / len(truths) if truths else np.nan


def _table(rows: Sequence[tuple[float, ...]], names: Sequence[str]) -> NDArray[np.float64]:
    """Shape (rows, names), also where there is no row."""
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(names))


class _Read(NamedTuple):
    """What the words of a reading show: how many are free, and how many pronouns; whether the first is of a closed
    class, joins, whether the last is of a closed class, dangles."""

    free: int
    edges: tuple[bool, bool, bool, bool]
    pronouns: int


@lru_cache(maxsize=200_000)
def _read(reading: Reading) -> _Read:
    words = reading.words
    first, last = (words[0], words[-1]) if words else ("", "")
    return _Read(
        sum(kind not in TYPED and kind not in FUNCTION_WORDS and kind not in (":", SUBJECT) for kind in reading.shape),
        (first in FUNCTION_WORDS, first in CONJUNCTIONS, last in FUNCTION_WORDS, last in DANGLING),
        sum(word in PRONOUNS for word in words),
    )


class _Written(NamedTuple):
    """What the characters of a text show: log length and shares of letters, digits and signs; how it ends, brackets
    left open, sentences that begin small; its marks."""

    share: tuple[float, ...]
    ends: tuple[float, ...]
    marks: int


@lru_cache(maxsize=200_000)
def _written(content: str) -> _Written:
    text = bare(content)
    characters = max(1, len(text))
    letters = sum(map(str.isalpha, text))
    digits = sum(map(str.isdigit, text))
    signs = sum(not c.isalnum() and not c.isspace() for c in text)
    stripped = content.rstrip(" \t\n*_`\"'~|\\")
    return _Written(
        (float(np.log1p(characters)), letters / characters, digits / characters, signs / characters),
        (
            stripped.endswith(_OPEN_SIGNS),
            text[:1].isupper(),
            stripped.endswith((".", "!", "?", "。", "！", "？")),
            text.count("(") - text.count(")") + 3 * (text.count("[") - text.count("]")),
            any(part[:1].islower() for part in text.split(". ")[1:]),
        ),
        len(status_marks(content)),
    )
