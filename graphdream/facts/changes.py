"""Changes: pairs of things said of one entity of which the later may have replaced the earlier.

A pair of sentences is judged by itself; what a person reads off a memory is more. The same thing is said in several
sentences, at several times; another sentence says the new value, too; a third stood beside both. So the pairs of
sentences are gathered by what they say (groups.py), and a second scorer judges what replaced what, by the best pair and
by all that stands around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import signals
from graphdream.facts.evidence import Evidence, Table
from graphdream.facts.groups import Group
from graphdream.facts.tellings import Told
from graphdream.scoring.curve import Ints
from graphdream.scoring.trees import Floats

_AROUND = (
    "best", "second", "pairs", "timeless", "same_forth", "same_back", "gap_told", "gap_last", "told_a", "told_b",
    "ways_a", "ways_b", "rival", "rivals", "sooner", "others_old", "best_other_old", "beside_a", "beside_b", "next",
    "before",
)  # fmt: skip
"""Of one earlier and one later thing: log-odds of the best and second pair of sentences, log of pairs; best with time
set aside; log-odds that one says the other; log days between the tellings, and the last tellings; log tellings and
sentences of either; log-odds of the best other successor, log of others that are likelier than not, log of others that
came sooner; the same of others that the later one may have replaced; the best log-odds, time aside, with something that
was told along with either; the best with which the later was replaced in turn, or the earlier replaced something."""
SIGNALS = (*_AROUND, *signals.SIGNALS)
"""Columns of the table, in order: what stands around, then the signals of the best pair of sentences."""
LEAST = -4.0
"""Log-odds of a pair of sentences below which it makes no candidate."""
_NONE = -9.0
"""Log-odds of what is not there."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Earlier and later things of one entity, told in turn: all arrays of shape (candidates,).

    Attributes:
        old, new: positions of the groups.
        row: the row of `Evidence.in_time` of the best pair of sentences.
        table: shape (candidates, SIGNALS).
    """

    old: Ints
    new: Ints
    row: Ints
    table: Table


def told_of(groups: Sequence[Group], evidence: Evidence) -> list[Told]:
    """When the whole of each group was told; pieces of it may be pieces of another."""
    return [evidence.tellings.joined(sorted(one.whole)) for one in groups]


def find_candidates(
    groups: Sequence[Group],
    told: Sequence[Told],
    evidence: Evidence,
    replaces: Floats,
    timeless: Floats,
    same: Floats,
    over: NDArray[np.bool_] | None = None,
) -> Candidates:
    """The pairs of groups of which one may have replaced the other.

    Args:
        groups: what is said, each thing once.
        told: when each was told (`told_of`).
        evidence: what was measured.
        replaces: shape (pairs,), log-odds of the rows of `evidence.in_time` that the newer replaced the older.
        timeless: the same as if the newer had been told well after the older.
        same: shape (2 * pairs,), log-odds of the rows of `evidence.both_ways`.
        over: rows of `evidence.in_time` of which the newer tells that the older is over. It may do so on the same
            occasion, where it was told after it. None: none does.
    """
    older, newer, table = evidence.in_time()
    place = np.full(len(evidence.said), -1, dtype=np.int64)
    for at, one in enumerate(groups):
        place[[s.at for s in one.members]] = at
    old, new = place[older], place[newer]
    over = np.zeros(len(older), dtype=np.bool_) if over is None else over
    likely = (np.maximum(replaces, timeless) > LEAST) | over
    rows = np.flatnonzero((old >= 0) & (new >= 0) & (old != new) & likely)
    old, new = old[rows], new[rows]
    in_turn, beside = _in_turn(told, old, new, over[rows])
    along = _best_beside(rows, old, new, beside, timeless, len(groups))
    rows, old, new = rows[in_turn], old[in_turn], new[in_turn]
    order = np.lexsort((rows, -replaces[rows], new, old))
    rows, old, new = rows[order], old[order], new[order]
    fresh = np.ones(len(rows), dtype=np.bool_)
    fresh[1:] = (old[1:] != old[:-1]) | (new[1:] != new[:-1])
    first = np.flatnonzero(fresh)
    count = np.diff(np.append(first, len(rows)))
    second = np.where(count > 1, replaces[rows[np.minimum(first + 1, len(rows) - 1)]] if len(rows) else 0.0, _NONE)
    best_timeless = np.maximum.reduceat(timeless[rows], first) if len(first) else np.zeros(0)
    row, old, new = rows[first], old[first], new[first]
    score = replaces[row]
    half = len(older)
    backward = older[row] != evidence.pairs.low[row]
    forth, back = np.where(backward, same[row + half], same[row]), np.where(backward, same[row], same[row + half])
    start, end = (np.array([getattr(t, name) for t in told]) for name in ("first", "last"))
    times, ways = np.array([t.times for t in told]), np.array([len(g.members) for g in groups])
    rival, rivals, sooner = _rivals(old, score, start[new] if len(told) else score, len(groups))
    other, others, _ = _rivals(new, score, -end[old] if len(told) else score, len(groups))
    into, out_of = np.full(len(groups), _NONE), np.full(len(groups), _NONE)
    np.maximum.at(out_of, old, score)
    np.maximum.at(into, new, score)
    columns = [
        score, second, np.log1p(count), best_timeless, forth, back,
        np.log1p(np.maximum(0, start[new] - end[old])), np.log1p(np.maximum(0, end[new] - end[old])),
        np.log1p(times[old]), np.log1p(times[new]), np.log1p(ways[old]), np.log1p(ways[new]),
        rival, rivals, sooner, others, other, along[old], along[new], out_of[new], into[old],
    ]  # fmt: skip
    around = np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)
    return Candidates(old, new, row, np.concatenate([around, table[row]], axis=1).astype(np.float32))


def _in_turn(
    told: Sequence[Told], old: Ints, new: Ints, over: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether one group was told after the other was over; whether both were told on one occasion or in turns."""
    in_turn, beside = np.zeros(len(old), dtype=np.bool_), np.zeros(len(old), dtype=np.bool_)
    for at, (a, b) in enumerate(zip(old.tolist(), new.tolist(), strict=True)):
        in_turn[at] = told[a].before(told[b]) or (over[at] and told[a].last < told[b].first)
        beside[at] = not in_turn[at] and not told[b].before(told[a])
    return in_turn, beside


def _best_beside(rows: Ints, old: Ints, new: Ints, beside: NDArray[np.bool_], timeless: Floats, count: int) -> Floats:
    """Per group, the best log-odds, time aside, with one that was told along with it."""
    out = np.full(count, _NONE)
    for one in (old, new):
        np.maximum.at(out, one[beside], timeless[rows[beside]])
    return out


def _rivals(of: Ints, score: Floats, when: Floats, count: int) -> tuple[Floats, Floats, Floats]:
    """Of each candidate among those of its group: the best other score, log of likely others, of likely sooner ones."""
    if not len(of):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    size = np.bincount(of, minlength=count)
    best = np.lexsort((-score, of))
    begin = (np.cumsum(size) - size)[of]
    first, second = best[begin], best[np.minimum(begin + 1, len(of) - 1)]
    rival = np.where(size[of] > 1, score[np.where(first == np.arange(len(of)), second, first)], _NONE)
    likely = (score > 0).astype(np.int64)
    rivals = np.log1p(np.bincount(of, weights=likely, minlength=count)[of] - likely)
    order = np.lexsort((when, of))
    fresh = np.ones(len(of), dtype=np.bool_)
    fresh[1:] = (of[order][1:] != of[order][:-1]) | (when[order][1:] != when[order][:-1])
    before = np.cumsum(likely[order]) - likely[order]
    moment = np.maximum.accumulate(np.where(fresh, np.arange(len(of)), 0))
    sooner = np.zeros(len(of))
    sooner[order] = np.log1p(before[moment] - before[begin[order]])
    return rival, rivals, sooner
