"""Solve the merge threshold for an error budget on labelled entities, and say how far that can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.entities.calibration import Calibration, shipped
from graphdream.entities.corpus import Floats
from graphdream.entities.forms import name_form
from graphdream.entities.labelled import read_entities
from graphdream.entities.scorer import Compared, compare
from graphdream.intervals import wilson


@dataclass(frozen=True, slots=True)
class ClassRate:
    """Merges of one failure class at the threshold.

    Attributes:
        name: of the class.
        merged: labelled pairs of it above the threshold.
        wrong: how many of them are wrong.
        rate: share of them.
        low, high: bounds of the 95 % Wilson interval of the rate.
    """

    name: str
    merged: int
    wrong: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Solved:
    """A threshold solved from a budget.

    Attributes:
        sets: names of the labelled sets.
        threshold: probability at and above which pairs are merged; above 1 where no pair fits the budget.
        merged: labelled pairs above it.
        wrong: how many of them are wrong.
        rate: share of them.
        low, high: bounds of the 95 % Wilson interval of the rate.
        found: share of the true pairs that lie above it.
        blocked: share of the true pairs that were compared at all.
        seen: labelled sets that the scorer was trained on: on those its figures are better than on others.
        classes: the same by failure class.
    """

    max_false_merge_rate: float
    sets: tuple[str, ...]
    seen: tuple[str, ...]
    threshold: float
    merged: int
    wrong: int
    rate: float
    low: float
    high: float
    found: float
    blocked: float
    classes: tuple[ClassRate, ...]

    def as_json(self) -> dict[str, Any]:
        """The result as plain values."""
        return asdict(self)


def calibrate(
    paths: Sequence[Path], *, max_false_merge_rate: float = 0.005, calibration: Calibration | None = None
) -> Solved:
    """Find the lowest threshold whose merges stay within a budget on labelled sets.

    Args:
        paths: entity sets in the format of `graphdream resolve` with a gold `cluster` each.
        max_false_merge_rate: share of the merged pairs that may be wrong, 0..1.

    Raises:
        KeyError: a line has no id or no cluster.
    """
    using = calibration or shipped()
    probabilities, sames, classes, seen, gold = [], [], list[str](), list[str](), 0
    for path in paths:
        labelled = read_entities(path)
        compared = compare(labelled.records)
        expert = using.expert(compared)
        same, known = labelled.same(compared.candidates)
        probabilities.append(expert.probability(expert.score(compared))[known])
        sames.append(same[known])
        classes += [name for name, keep in zip(_classes(compared), known, strict=True) if keep]
        gold += labelled.gold_pairs()
        if labelled.name in expert.sets:
            seen.append(path.name)
    probability, same = np.concatenate(probabilities), np.concatenate(sames)
    threshold = _solve(probability, same, max_false_merge_rate)
    above = probability >= threshold
    merged, wrong = int(above.sum()), int((above & ~same).sum())
    low, high = wilson(wrong, merged)
    return Solved(
        max_false_merge_rate=max_false_merge_rate,
        sets=tuple(path.name for path in paths),
        seen=tuple(seen),
        threshold=threshold,
        merged=merged,
        wrong=wrong,
        rate=wrong / merged if merged else 0.0,
        low=low,
        high=high,
        found=(merged - wrong) / gold if gold else 0.0,
        blocked=int(same.sum()) / gold if gold else 0.0,
        classes=tuple(_rates(np.array(classes), above, same)),
    )


def _solve(probability: Floats, same: NDArray[np.bool_], budget: float) -> float:
    """The lowest probability down to which no more than the budget is wrong; ties are taken whole."""
    order = np.argsort(-probability, kind="stable")
    wrong = np.cumsum(~same[order]) / np.arange(1, len(order) + 1)
    last = np.append(np.diff(probability[order]) != 0, True) if len(order) else np.zeros(0, dtype=np.bool_)
    fits = np.flatnonzero(last & (wrong <= budget))
    return float(probability[order][fits[-1]]) if len(fits) else 1.01


def _classes(compared: Compared) -> list[str]:
    """The failure class of every candidate pair: what tells the two names apart."""
    forms = [name_form(record.name) for record in compared.records]
    pairs = zip(compared.candidates.left.tolist(), compared.candidates.right.tolist(), strict=True)
    return [_class_of(forms[a].tokens, forms[b].tokens) for a, b in pairs]


def _class_of(a: tuple[str, ...], b: tuple[str, ...]) -> str:
    first, second = set(a), set(b)
    if first == second:
        return "equal names"
    apart = first ^ second
    if any(any(sign.isdigit() for sign in word) for word in apart):
        return "numbers differ"
    if first <= second or second <= first:
        return "one name within the other"
    return "some words shared" if first & second else "no word shared"


def _rates(classes: NDArray[np.str_], above: NDArray[np.bool_], same: NDArray[np.bool_]) -> list[ClassRate]:
    rates = []
    for name in sorted(set(classes.tolist())):
        mine = above & (classes == name)
        merged, wrong = int(mine.sum()), int((mine & ~same).sum())
        rates.append(ClassRate(name, merged, wrong, wrong / merged if merged else 0.0, *wilson(wrong, merged)))
    return rates
