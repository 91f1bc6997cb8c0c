"""What is measured of two statements of one entity: the table that all three questions are judged from.

Every signal is measured for a pair in order (a, b). Read one way it asks whether b says all that a says, read the
other way whether a says all that b says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.facts.asked import COLUMNS, Questions
from graphdream.facts.bags import KINDS, Bags
from graphdream.facts.company import alike, company_of
from graphdream.facts.kept import PairMemory
from graphdream.facts.links import Link, WordRoles
from graphdream.facts.meaning import Meaning
from graphdream.facts.pairreadings import compare_readings
from graphdream.facts.pairs import Pairs
from graphdream.facts.pairtexts import compare_texts
from graphdream.facts.relations import Instance
from graphdream.facts.sidebyside import SideBySide
from graphdream.facts.statements import Statement
from graphdream.facts.tellings import Tellings
from graphdream.facts.values import Values, kinds_met
from graphdream.scoring.curve import Ints

Table = NDArray[np.float32]
Floats = NDArray[np.float64]

_UNLIKE = -1
_ALIKE = 0.6
"""Ratio from which a third text counts as like one of a pair."""

_TYPED = 4
"""The first kinds of units (bags.KINDS) are those of typed values."""

_TEXT = (
    "ratio", "cover_a", "cover_b", "shared", "shared_top", "only_a", "only_b", "only_top_a", "only_top_b",
    *(f"{kind.strip('<>')}_{side}" for side in ("a", "b", "both") for kind in KINDS),
    "prefix", "suffix", "span_a", "span_b", "one_span", "one_value", "begins_a", "begins_b", "cut_a", "cut_b",
    "inside_a", "inside_b", "size_a", "size_b", "same_reading", "marks_differ", "beside_differs",
    "same_label", "same_numbered", "linked", "one_relation", "frame_a", "frame_b", "carries_a", "carries_b",
    "led_a", "led_b", "holders", "kind_meets", "kind_lacks_a", "kind_lacks_b", "form_meets", "company",
    "type_meets", "values_least", "numbered", "due_a", "due_b", "due_between",
    "sense", "sense_free", "sense_only", "sense_value", "one_a", "one_b", "one_both",
)  # fmt: skip
_PLACE = ("same_aspect", "aspect_bare", "aspect_dated", "aspect_size", "same_source", "written")
_WHEN = ("gap", "after", "one_occasion", "one_day", "times_a", "times_b", "apart")
_AMONG = (
    "siblings", "siblings_together", "siblings_turns", "alike_together_a", "alike_together_b", "alike_apart_a",
    "alike_apart_b", "nearer_a", "nearer_b", "burst_a", "burst_b",
)  # fmt: skip
SIGNALS = (*_TEXT, *_PLACE, *_WHEN, *COLUMNS, *_AMONG)
"""Columns of the table, in order."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The signals of pairs in both orders.

    Attributes:
        pairs: the pairs.
        table: shape (pairs, SIGNALS), a = low and b = high.
        back: the same with a = high and b = low.
        slot: per pair, the question that both answer, or "".
    """

    pairs: Pairs
    table: Table
    back: Table
    slot: list[str]


class PairSignals:
    """Measures pairs of statements of one graph.

    Args:
        said: all statements.
        bags: their units.
        links, roles, instances: what links taught about sentences and words.
        questions: what the graph shows of its questions.
        tellings: when each statement was told.
        meaning: what their words mean.
        values: their values.
        kept: what the look before measured of pairs of them.
    """

    def __init__(
        self,
        said: Sequence[Statement],
        bags: Bags,
        links: Sequence[Link],
        roles: WordRoles,
        instances: Sequence[Sequence[Instance]],
        questions: Questions,
        tellings: Tellings,
        meaning: Meaning,
        values: Values,
        kept: PairMemory | None = None,
    ) -> None:
        self._said, self._bags, self._roles, self._meaning, self._values = said, bags, roles, meaning, values
        self._relations = [frozenset(one.relation for one in found) for found in instances]
        self._links: dict[tuple[int, int], float] = {}
        for link in links:
            self._links[link.a, link.b] = max(link.evidence, self._links.get((link.a, link.b), 0.0))
        self._questions, self._tellings = questions, tellings
        self._texts = [s.facts[0].content for s in said]
        self._kept = kept or PairMemory()
        self._readings = [s.reading for s in said]
        self._beside = SideBySide(self._readings)
        self._frame, self._carries = self._word_roles()
        self._company = company_of(said, bags)
        self._holders = np.asarray((bags.table.T @ _by_entity(said) > 0).sum(axis=1)).ravel()

    def _word_roles(self) -> tuple[Floats, Floats]:
        """Per unit, its share of frame votes (0.5 where it has none), and whether it is known to carry values."""
        frame, carries = np.full(len(self._bags.names), 0.5), np.zeros(len(self._bags.names))
        for at, name in enumerate(self._bags.names):
            share = self._roles.share(name)
            if share is not None:
                frame[at], carries[at] = share, float(self._roles.carries(name))
        return frame, carries

    def measure(self, pairs: Pairs) -> Measured:
        """The signals of pairs."""
        low, high = pairs.low, pairs.high
        edges = self._beside.begin_alike(low, high), self._beside.end_alike(low, high)
        span = self._spans(low, high, *edges)
        asked = self._questions.asked(pairs, span)
        text, text_back = self._text(low, high, span, *edges)
        place = self._place(low, high)
        when, when_back = self._when(low, high)
        among, among_back = self._among(low, high, span, text[:, 0], when[:, _WHEN.index("one_occasion")])
        table = np.concatenate([text, place, when, asked.table, among], axis=1).astype(np.float32)
        back = np.concatenate([text_back, place, when_back, asked.table, among_back], axis=1).astype(np.float32)
        return Measured(pairs, table, back, asked.slot)

    def _spans(self, low: Ints, high: Ints, prefix: Ints, suffix: Ints) -> Ints:
        """Shape (pairs, 4): the exchanged span of either statement, -1 where there is not one on both sides.

        Args:
            low, high: shape (pairs,), the statements.
            prefix, suffix: shape (pairs,), tokens that both begin and end with.
        """
        size = self._beside.size
        room = np.minimum(size[low], size[high]) - prefix
        suffix = np.minimum(suffix, np.maximum(room, 0))
        out = np.stack([prefix, size[low] - suffix, prefix, size[high] - suffix], axis=1)
        whole = (out[:, 1] > out[:, 0]) & (out[:, 3] > out[:, 2]) & (prefix + suffix > 0)
        return np.where(whole[:, None], out, _UNLIKE)

    def _text(self, low: Ints, high: Ints, span: Ints, prefix: Ints, suffix: Ints) -> tuple[Table, Table]:
        bags, weight = self._bags, self._bags.weight
        a, b = bags.table[low], bags.table[high]
        both = a.multiply(b).tocsr()
        only_a, only_b = (a - both).tocsr(), (b - both).tocsr()
        for one in (only_a, only_b):
            one.eliminate_zeros()
        mass_a, mass_b, shared = a @ weight, b @ weight, both @ weight
        left_a, left_b = only_a @ weight, only_b @ weight
        kinds = [np.asarray((one @ bags.kind).todense()) for one in (only_a, only_b, both)]
        (ratio, begins, begun, cut, cut_back, inside, inside_back, marks, beside, same_label, numbered) = (
            self._kept.texts.rows(self._texts, low, high, lambda new: compare_texts(self._texts, low[new], high[new])).T
        )
        same_reading, led_a, led_b, *senses, one_both = self._kept.readings.rows(
            self._readings, low, high,
            lambda new: self._read(low[new], high[new], both[new], only_a[new], only_b[new]),
        ).T  # fmt: skip
        size_a, size_b = self._beside.size[low], self._beside.size[high]
        shortest = np.maximum(1, np.minimum(size_a, size_b))
        one_span = (span[:, 0] >= 0).astype(np.float32)
        span_a = np.where(span[:, 0] >= 0, span[:, 1] - span[:, 0], np.nan)
        span_b = np.where(span[:, 0] >= 0, span[:, 3] - span[:, 2], np.nan)
        typed = kinds[0][:, :4].sum(axis=1) + kinds[1][:, :4].sum(axis=1)
        one_value = one_span * (typed == 2) * (kinds[0][:, :4] * kinds[1][:, :4]).sum(axis=1)
        rows = list(zip(low.tolist(), high.tolist(), strict=True))
        linked = np.array([self._links.get(row, 0.0) for row in rows], dtype=np.float32)
        relation = np.array([not self._relations[x].isdisjoint(self._relations[y]) for x, y in rows], dtype=np.float32)
        frame_a, frame_b = _lowest(only_a, self._frame), _lowest(only_b, self._frame)
        carries_a, carries_b = only_a @ self._carries, only_b @ self._carries
        holders = _lowest(both, self._holders.astype(np.float64))
        top_a, top_b, top = (_highest(one, weight) for one in (only_a, only_b, both))
        values_a, values_b = kinds[0][:, :_TYPED], kinds[1][:, :_TYPED]
        meets, lacks_a, lacks_b = kinds_met(values_a, values_b)
        values_least = np.minimum(values_a.sum(axis=1), values_b.sum(axis=1))
        form_meets, type_meets = self._values.forms_meet(only_a, only_b), self._values.types_meet(only_a, only_b)
        due_a, due_b, due_between = self._values.days(low, high, only_a, only_b)
        company = alike(self._company, bags.table, low, high, both)

        def table(sides: tuple[Floats, Floats, Floats], *ab: tuple[Floats | Table, Floats | Table]) -> Table:
            columns = [ratio, *(column for pair in ab[:1] for column in pair), shared, top]
            columns += [column for pair in ab[1:3] for column in pair]
            columns += [kind[:, at] for kind in sides for at in range(len(KINDS))]
            columns += [prefix / shortest, suffix / shortest, *ab[3], one_span, one_value]
            columns += [column for pair in ab[4:8] for column in pair]
            columns += [
                same_reading,
                marks,
                beside,
                same_label,
                numbered,
                linked,
                relation,
                *ab[8],
                *ab[9],
                *ab[10],
                holders,
                meets,
                *ab[11],
                form_meets,
                company,
                type_meets,
                values_least,
                self._values.numbered(low, high, only_a, only_b),
                *ab[12],
                ab[13][0],
                *senses,
                *ab[14],
                one_both,
            ]
            return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)

        cover_a, cover_b = (np.where(m > 0, shared / np.maximum(m, 1e-9), 1.0) for m in (mass_a, mass_b))
        sizes = np.log1p(size_a), np.log1p(size_b)
        ab = (
            (cover_a, cover_b), (left_a, left_b), (top_a, top_b), (span_a, span_b), (begins, begun), (cut, cut_back),
            (inside, inside_back), sizes, (frame_a, frame_b), (carries_a, carries_b), (led_a, led_b),
            (lacks_a, lacks_b), (due_a, due_b), (due_between, -due_between),
            (self._meaning.one[low], self._meaning.one[high]),
        )  # fmt: skip
        forth = table((kinds[0], kinds[1], kinds[2]), *ab)
        back = table((kinds[1], kinds[0], kinds[2]), *((y, x) for x, y in ab))
        return forth, back

    def _read(self, low: Ints, high: Ints, both: Any, only_a: Any, only_b: Any) -> Table:
        """What the readings of pairs show by themselves; arguments as of `Meaning.of_pairs`."""
        words = compare_readings(self._readings, low, high)
        return np.concatenate([words, self._meaning.of_pairs(low, high, both, only_a, only_b)], axis=1)

    def _place(self, low: Ints, high: Ints) -> Table:
        said = self._said
        aspects = [s.aspect for s in said]
        without = ["".join(c for c in one if not c.isdigit()) for one in aspects]
        dated = [one != plain for one, plain in zip(aspects, without, strict=True)]
        of_place = _numbered(list(zip((s.entity for s in said), aspects, strict=True)))
        size = np.log1p(np.bincount(of_place))[of_place] if len(said) else np.zeros(0)
        aspect, bare_aspect = _numbered(aspects), _numbered(without)
        sources = [s.facts[0].source for s in said]
        source, of_file = _numbered(sources), np.array([one.startswith("file:") for one in sources], dtype=np.bool_)
        same, day = aspect[low] == aspect[high], np.array(dated, dtype=np.bool_)
        columns = (
            same, bare_aspect[low] == bare_aspect[high], day[low] | day[high], np.where(same, size[low], np.nan),
            source[low] == source[high], of_file[low] & of_file[high],
        )  # fmt: skip
        return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)

    def _when(self, low: Ints, high: Ints) -> tuple[Table, Table]:
        told = [self._tellings[at] for at in range(len(self._said))]
        first, last = (np.array([getattr(one, name) for one in told], dtype=np.float64) for name in ("first", "last"))
        times = np.array([one.times for one in told], dtype=np.float64)
        occasions = [one.occasions for one in told]
        pairs = zip(low.tolist(), high.tolist(), strict=True)
        together = np.array([not occasions[x].isdisjoint(occasions[y]) for x, y in pairs], dtype=np.bool_)
        day = first.astype(np.int64)[low] == first.astype(np.int64)[high]
        apart = (last[low] < first[high]) | (last[high] < first[low])

        def ordered(a: Ints, b: Ints) -> Table:
            gap = first[b] - last[a]
            log_gap = np.sign(gap) * np.log1p(np.abs(gap))
            columns = (log_gap, gap > 0, together, day, times[a], times[b], apart)
            return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)

        return ordered(low, high), ordered(high, low)

    def _among(self, low: Ints, high: Ints, span: Ints, ratio: Table, together: Table) -> tuple[Table, Table]:
        """How a pair stands among the others of its entity: what else is like either, and when that was told."""
        siblings = self._siblings(low, high, span, together)
        count = len(self._said)
        near = ratio >= _ALIKE
        beside = [np.bincount(one[near & (together > 0)], minlength=count) for one in (low, high)]
        apart = [np.bincount(one[near & (together == 0)], minlength=count) for one in (low, high)]
        told, untold = np.log1p(beside[0] + beside[1]), np.log1p(apart[0] + apart[1])
        nearer_a, nearer_b = _others_best(low, high, ratio, count)
        burst = self._bursts()
        columns = (
            (told[low], told[high]), (untold[low], untold[high]), (nearer_a - ratio, nearer_b - ratio),
            (burst[low], burst[high]),
        )  # fmt: skip
        forth = np.stack([*siblings, *(column for pair in columns for column in pair)], axis=1)
        back = np.stack([*siblings, *(column for x, y in columns for column in (y, x))], axis=1)
        return forth, back

    def _siblings(self, low: Ints, high: Ints, span: Ints, together: Table) -> Table:
        """Of the pairs of an entity with the same words around an exchanged span: how many, told together, in turns."""
        groups: dict[tuple[object, ...], list[int]] = {}
        for row in np.flatnonzero(span[:, 0] >= 0).tolist():
            statement, (begin, end) = self._said[int(low[row])], span[row, :2].tolist()
            words = statement.reading.words
            groups.setdefault((statement.entity, words[:begin], words[end:]), []).append(row)
        out = np.full((3, len(low)), np.nan)
        for rows in groups.values():
            turns = 0
            for row in rows:
                a, b = self._tellings[int(low[row])], self._tellings[int(high[row])]
                turns += not together[row] and a.last >= b.first and b.last >= a.first
            share = float(together[rows].sum()) / len(rows)
            out[:, rows] = np.array([[np.log1p(len(rows))], [share], [turns / len(rows)]])
        return out

    def _bursts(self) -> Floats:
        """Per statement, log of how many statements of its aspect were first told when it was."""
        moments = [(s.entity, s.aspect, self._tellings[s.at].first) for s in self._said]
        size: dict[tuple[int, str, float], int] = {}
        for moment in moments:
            size[moment] = size.get(moment, 0) + 1
        return np.log1p(np.array([size[moment] for moment in moments], dtype=np.float64))


def _others_best(low: Ints, high: Ints, ratio: Table, count: int) -> tuple[Floats, Floats]:
    """For each pair, the best likeness that either of its statements has to a third one, 0.0 where there is none."""
    rows = np.arange(len(low))
    of, pair = np.concatenate([low, high]), np.concatenate([rows, rows])
    order = np.lexsort((-ratio[pair], of))
    of, pair = of[order], pair[order]
    begin = np.searchsorted(of, np.arange(count + 1))
    first = np.full(count, -1)
    best, second = np.zeros(count), np.zeros(count)
    has = begin[1:] > begin[:-1]
    first[has], best[has] = pair[begin[:-1][has]], ratio[pair[begin[:-1][has]]]
    two = begin[1:] > begin[:-1] + 1
    second[two] = ratio[pair[begin[:-1][two] + 1]]
    out = [np.where(first[one] == rows, second[one], best[one]) for one in (low, high)]
    return out[0], out[1]


def _numbered(keys: Sequence[object]) -> Ints:
    """A number for each, the same for the same."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _by_entity(said: Sequence[Statement]) -> Any:
    """Shape (statements, entities), 1.0 where a statement is of an entity."""
    entity = np.unique([s.entity for s in said], return_inverse=True)[1]
    return sparse.csr_matrix(
        (np.ones(len(said)), (np.arange(len(said)), entity)), shape=(len(said), int(entity.max(initial=-1)) + 1)
    )


def _lowest(rows: Any, values: Floats) -> Floats:
    """The lowest value among the units of each row; NaN where a row has none."""
    return _extreme(rows, values, np.minimum)


def _highest(rows: Any, values: Floats) -> Floats:
    """The highest value among the units of each row; NaN where a row has none."""
    return _extreme(rows, values, np.maximum)


def _extreme(rows: Any, values: Floats, which: np.ufunc) -> Floats:
    out = np.full(rows.shape[0], np.nan)
    filled = np.flatnonzero(np.diff(rows.indptr))
    if len(filled):
        out[filled] = which.reduceat(values[rows.indices], rows.indptr[:-1][filled])
    return out
