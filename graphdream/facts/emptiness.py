"""What is measured of one statement to tell whether it says anything: how it is cut, what holds it, where it recurs.

A short fact may be perfectly good (`tabs.`, `TTL = 60s`), and a long one a piece of a longer one. What tells is how the
sentences of this memory begin and end, whether another text has the whole of it, and whether its words stand for
something.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.bags import KINDS, Bags
from graphdream.facts.cuts import Cuts
from graphdream.facts.edges import COUNTS, SentenceEnds
from graphdream.facts.model import Subject
from graphdream.facts.pieces import NamePieces, Pieces
from graphdream.facts.reading import SUBJECT, TYPED, Reading
from graphdream.facts.signals import SIGNALS as PAIR_SIGNALS
from graphdream.facts.signals import Measured
from graphdream.facts.statements import Statement
from graphdream.facts.words import CONJUNCTIONS, DANGLING, FUNCTION_WORDS, PRONOUNS
from graphdream.graph.name_gate import name_fault
from graphdream.language.formatting import bare
from graphdream.language.scripts import status_marks

Table = NDArray[np.float32]

SIGNALS = (
    "size", "characters", "letters", "digits", "signs", "free", *(f"n_{kind.strip('<>')}" for kind in KINDS),
    "weight_top", "weight_mean", "opens_closed", "opens_joining", "ends_closed", "ends_dangling", "ends_open",
    "capital", "ends_stop", "brackets", "seam", "pronouns",
    "begins", "begins_inside", "ends", "ends_inside", "opens", "goes_on", "cut_begin", "cut_end",
    "piece", "name_piece", "held", "held_same", "begun", "recurs", "tail",
    "faulty", "crowd", "subject_named", "named", "formed", "linked", "marks", "told", "word_known", "last_known",
    "lone",
)  # fmt: skip
_TYPED = [at for at, kind in enumerate(KINDS) if kind in TYPED]
_KINDS = tuple(f"n_{kind.strip('<>')}" for kind in KINDS)
_WEIGHED = ("weight_top", "weight_mean", "held", "held_same", "begun")
_COUNTED = ("size", *COUNTS, "recurs", "tail", "crowd", "told", "word_known", "last_known", "lone")
"""Signals that are logarithms of a count."""
_WRITTEN = (
    "characters", "letters", "digits", "signs", "ends_open", "capital", "ends_stop", "brackets", "seam", "marks",
)  # fmt: skip
"""What the characters of a text show: log length and shares of letters, digits and signs; how it ends and opens,
brackets left open, whether a sentence begins small; its marks."""
_READ = ("free", "opens_closed", "opens_joining", "ends_closed", "ends_dangling", "pronouns")
"""What the words of a reading show: how many are free; whether the first is of a closed class, joins, whether the last
is of a closed class, dangles; how many are pronouns."""
_SEEN = ("cut_begin", "cut_end", "piece", "name_piece", "faulty", "subject_named", "named", "formed", "linked")
_ENDS_OFTEN = 3
"""Statements of other entities that end alike, from which so ends a whole sentence."""
_OPEN_SIGNS = tuple(",;:(=-–—&/")
_LONGEST = 4_000
_CUT_OUT = ("ends_dangling", "cut_begin", "cut_end", "piece", "name_piece")
"""Signals of which each shows that a text was cut out of another."""


class StatementSignals:
    """Measures the statements of one graph by themselves.

    Args:
        said: all statements.
        bags: their units.
        subjects: the entities.
        measured: the signals of pairs.
        formed, linked: positions of statements in a productive skeleton, and of linked ones.
        whole_words: words of running texts, whole however rare.
        past: what is no longer said; how sentences begin and end, and what recurs, is learned from it too. What a pass
            has left has fewer whole sentences to compare with, and each look would find more that says nothing.
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
        past: Sequence[Statement] = (),
    ) -> None:
        every = [*said, *past]
        self._said, self._bags = said, bags
        self._formed, self._linked = formed, linked
        self._names = NamePieces(subjects, whole_words)
        self._whole_words = whole_words
        self._ends = SentenceEnds(said, self._names.words, past)
        self._pieces = Pieces(every)
        self._faults = {s.id: _share([name_fault(name) is not None for name in s.names]) for s in subjects}
        self._crowd = Counter(statement.entity for statement in said)
        named: dict[int, list[bool]] = defaultdict(list)
        homes: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for statement in said:
            named[statement.entity].append(statement.reading.named)
        for statement in every:
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
        of_texts = _table([written(s.facts[0].content) for s in self._said], _WRITTEN)
        of_readings = _table([_read(s.reading) for s in self._said], _READ)
        out = np.empty((len(self._said), len(SIGNALS)), dtype=np.float32)
        for names, columns in (
            (_KINDS, kinds), (_WEIGHED, weighed), (_COUNTED, np.log1p(self._counted())), (_WRITTEN, of_texts),
            (_READ, of_readings), (_SEEN, self._seen()),
        ):  # fmt: skip
            out[:, [SIGNALS.index(name) for name in names]] = columns
        return out

    def _counted(self) -> NDArray[np.float64]:
        """Shape (statements, _COUNTED), before the logarithm."""
        said, known = self._said, self._ends.words
        words = [s.reading.words for s in said]
        columns = (
            [len(one) for one in words], *self._ends.counts.T, [len(self._homes[one]) for one in words],
            [self._tails[one] for one in words], [self._crowd[s.entity] for s in said], [len(s.times) for s in said],
            [known[one[0]] if one else 0 for one in words], [known[one[-1]] if one else 0 for one in words],
            self._lone(),
        )  # fmt: skip
        return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)

    def _lone(self) -> NDArray[np.int64]:
        """Per statement, how many values it holds that nothing else says of its entity: what would be lost with it."""
        bags = self._bags
        typed = np.flatnonzero(np.asarray(bags.kind[:, _TYPED].sum(axis=1)).ravel()[bags.unit])
        row, unit = bags.row[typed], bags.unit[typed]
        entity = np.array([statement.entity for statement in self._said], dtype=np.int64)[row]
        _, which, times = np.unique(np.stack([entity, unit]), axis=1, return_inverse=True, return_counts=True)
        return np.bincount(row[times[which] == 1], minlength=len(self._said))

    def _faulty(self, statement: Statement) -> float:
        """The share of its subject's names that are none; what somebody wrote may stand under any title (`Notes`)."""
        return self._faults.get(statement.entity, 0.0) if any(f.extracted for f in statement.facts) else 0.0

    def _seen(self) -> NDArray[np.float64]:
        """Shape (statements, _SEEN)."""
        said = self._said
        columns = (
            *self._ends.cut.T,
            [self._pieces.is_piece(s) for s in said], [self._names.is_piece(s) for s in said],
            [self._faulty(s) for s in said], [self._named[s.entity] for s in said],
            [s.reading.named for s in said], [s.at in self._formed for s in said], [s.at in self._linked for s in said],
        )  # fmt: skip
        return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)


def cuts_of(said: Sequence[Statement], alone: Table, cuts: Cuts) -> NDArray[np.float64]:
    """Where the question is cut for each statement.

    Soonest where something shows that it was cut out of another text; latest where a value would be lost with it, where
    it is said of several entities and may be an answer that they share (`is feature complete`), and where no program
    took it from talk: nobody writes a line of notes that says nothing.

    With scorers that had not seen the vocabulary, in graphs of 18: of what shows that it was cut out and has .980 to
    .995, 15 of 3,218 said something; of what neither shows it nor would be missed 17 of 1,014 with .985 to .990, and 10
    of 1,129 with .990 to .995; of the rest 25 of 2,198 with .990 to .995, and 33 of 17,012 with more.

    Args:
        alone: what was measured of each, shape (statements, SIGNALS).

    Returns:
        Shape (statements,).
    """
    measured = dict(zip(SIGNALS, alone.T, strict=True))
    written = np.array([not any(fact.extracted for fact in statement.facts) for statement in said], dtype=np.bool_)
    cut_out = np.any([measured[name] > 0 for name in _CUT_OUT], axis=0) | (measured["held"] >= 1)
    shared = np.rint(np.expm1(measured["recurs"])) > 1
    kept = shared | (measured["lone"] > 0)
    return np.where(written, cuts.lone, np.where(cut_out, cuts.cut_out, np.where(kept, cuts.lone, cuts.empty)))


def shows_a_cut(alone: Table) -> bool:
    """Whether something shows that a statement was cut out of another text; `alone` has its signals."""
    return any(alone[SIGNALS.index(name)] > 0 for name in _CUT_OUT)


def end_as_others(alone: Table) -> frozenset[int]:
    """Positions of statements that end as whole sentences of this memory do: with the same two last words several of
    other entities end, and fewer go on (`240 euros is what the choir has to work with`).

    Args:
        alone: what was measured of each, shape (statements, SIGNALS).
    """
    ends, inside = (np.rint(np.expm1(alone[:, SIGNALS.index(name)])) for name in ("ends", "ends_inside"))
    return frozenset(np.flatnonzero((ends >= _ENDS_OFTEN) & (ends > inside)).tolist())


def _share(truths: Sequence[bool]) -> float:
    """How many of some truths are true, 0..1; NaN of none."""
    return sum(truths) / len(truths) if truths else np.nan


def _table(rows: Sequence[tuple[float, ...]], names: Sequence[str]) -> NDArray[np.float64]:
    """Shape (rows, names), also where there is no row."""
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(names))


@lru_cache(maxsize=200_000)
def _read(reading: Reading) -> tuple[float, ...]:
    """The signals of `_READ`."""
    words = reading.words
    first, last = (words[0], words[-1]) if words else ("", "")
    return (
        sum(kind not in TYPED and kind not in FUNCTION_WORDS and kind not in (":", SUBJECT) for kind in reading.shape),
        first in FUNCTION_WORDS, first in CONJUNCTIONS, last in FUNCTION_WORDS, last in DANGLING,
        sum(word in PRONOUNS for word in words),
    )  # fmt: skip


@lru_cache(maxsize=200_000)
def written(content: str) -> tuple[float, ...]:
    """The signals of a text that its characters show (`_WRITTEN`)."""
    content = content[:_LONGEST]
    text = bare(content)
    characters = max(1, len(text))
    letters = sum(map(str.isalpha, text))
    digits = sum(map(str.isdigit, text))
    signs = len(text) - sum(map(str.isalnum, text)) - sum(map(str.isspace, text))
    stripped = content.rstrip(" \t\n*_`\"'~|\\")
    return (
        float(np.log1p(characters)), letters / characters, digits / characters, signs / characters,
        stripped.endswith(_OPEN_SIGNS), text[:1].isupper(), stripped.endswith((".", "!", "?", "。", "！", "？")),
        text.count("(") - text.count(")") + 3 * (text.count("[") - text.count("]")),
        any(part[:1].islower() for part in text.split(". ")[1:]), len(status_marks(content)),
    )  # fmt: skip
