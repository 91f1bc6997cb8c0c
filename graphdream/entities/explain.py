"""Why two records are, or are not, taken for one thing: every signal, the threshold, and what decided."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from graphdream.entities.budget import NOTHING, cut_within
from graphdream.entities.calibration import Calibration, Sort, shipped
from graphdream.entities.guards import find_guards
from graphdream.entities.records import Record
from graphdream.entities.resolver import deciding, resolve
from graphdream.entities.scorer import compare
from graphdream.entities.signals import DIRECTION, SIGNALS
from graphdream.entities.telling import Telling, find_telling

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Signal:
    """One measured property of a pair.

    Attributes:
        name: of the property.
        value: None where it does not apply.
        speaks: for, against, either way.
    """

    name: str
    value: float | None
    speaks: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a pair was judged.

    Attributes:
        first: name of one.
        second: name of the other.
        verdict: "same", "distinct", "undecided" or "never compared".
        why: in words.
        probability: calibrated, 0..1; None where the pair was never compared.
        threshold: probability at and above which pairs are merged, at this error budget.
        signals: what was measured.
        telling: (name, value, log-odds that it moves the pair by) of what was measured, the most telling first.
    """

    first: str
    second: str
    verdict: str
    why: str
    probability: float | None
    threshold: float
    signals: tuple[Signal, ...]
    telling: tuple[Telling, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The explanation as plain values."""
        return asdict(self)

    def as_text(self) -> str:
        """The explanation as lines of text."""
        lines = [f"{self.first!r} and {self.second!r}: {self.verdict}", f"  {self.why}"]
        if self.probability is not None:
            lines.append(f"  probability {self.probability:.4f}, merged from {self.threshold:.4f}")
        lines += [
            f"  {signal.name:>16}  {signal.value:8.3f}  {signal.speaks}"
            for signal in self.signals
            if signal.value is not None
        ]
        return "\n".join(lines)


def explain(
    records: Sequence[Record], first: str, second: str, *, max_false_merge_rate: float = 0.005,
    distinct: Collection[Pair] = (), calibration: Calibration | None = None, sort: Sort = "auto",
) -> Explanation:  # fmt: skip
    """Explain one pair among all records: what else is there decides how rare a name or a fact is.

    Raises:
        KeyError: `first` or `second` is not the id of a record.
    """
    by_id = {record.id: record for record in records}
    names = by_id[first].name, by_id[second].name
    resolution = resolve(
        records, max_false_merge_rate=max_false_merge_rate, distinct=distinct, calibration=calibration, sort=sort
    )
    merged = resolution.clusters[first] == resolution.clusters[second]
    compared = compare(records)
    using = calibration or shipped()
    expert = using.expert(compared, sort)
    place = {record.id: at for at, record in enumerate(compared.records)}
    low, high = sorted((place[first], place[second]))
    found = np.flatnonzero(
        (np.minimum(compared.candidates.left, compared.candidates.right) == low)
        & (np.maximum(compared.candidates.left, compared.candidates.right) == high)
    )
    if not len(found):
        why = "no blocking channel found them alike" + ("; others brought them together" if merged else "")
        return Explanation(*names, "same" if merged else "never compared", why, None, resolution.threshold, ())
    log_odds = expert.score(compared)
    known = using.known(compared, expert)
    within = cut_within(expert, compared, log_odds, max_false_merge_rate, known)
    heard = bool(within.sure[found[0]] > 0)
    if known is not None and within.threshold == NOTHING:  # no pair merges; one that is likely enough by itself would
        within = replace(within, threshold=1.0 - max_false_merge_rate)
    probability = float(deciding(expert.probability(log_odds), within, known)[found[0]])
    guards = find_guards(compared, found[:1]).get(int(found[0]), ())
    known_distinct = _pair(first, second) in _pairs(distinct)
    enough = bool(found[0] in within.likely)
    verdict, why = _judged(merged, probability, enough, heard or not expert.agreed, known_distinct, guards)
    row = compared.pairs.table[found[0]]
    telling = find_telling(expert, compared, int(found[0]), log_odds, using.prior, known)
    signals = tuple(map(_signal, SIGNALS, row))
    return Explanation(*names, verdict, why, probability, within.threshold, signals, telling)


def _judged(
    merged: bool, probability: float, enough: bool, heard: bool, known_distinct: bool, guards: tuple[str, ...]
) -> tuple[str, str]:
    if known_distinct:
        return "distinct", "a person, or an undone merge, says that they are not the same"
    if guards and not merged:
        return "distinct", f"not merged unasked: {', '.join(guards)}"
    if merged and enough:
        return "same", "likely enough for the error budget"
    if merged:
        return "same", "not likely enough by itself: records that both are the same as bring them together"
    if enough:
        return "distinct", "likely enough by itself, but the cluster that they would make contradicts itself"
    if not heard:
        why = "inside a budget a list merges what its names and its facts agree on, and groups that stand off; not this"
        return "undecided" if probability >= 0.5 else "distinct", why
    if probability >= 0.5:
        return "undecided", "more likely the same than not, but not likely enough for the error budget"
    return "distinct", "not likely enough"


def _signal(name: str, value: float) -> Signal:
    speaks = {1: "for", -1: "against"}.get(DIRECTION.get(name, 0), "either way")
    return Signal(name, None if math.isnan(value) else round(float(value), 4), speaks)


def _pair(first: str, second: str) -> Pair:
    return (first, second) if first < second else (second, first)


def _pairs(distinct: Collection[Pair]) -> set[Pair]:
    return {_pair(*pair) for pair in distinct}
