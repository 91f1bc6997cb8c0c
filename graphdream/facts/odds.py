"""What the scorers of pairs say, each asked where its answer can matter: most of the time of a look goes there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphdream.facts import changes, signals
from graphdream.facts.calibration import Judge, PairJudge
from graphdream.facts.evidence import Evidence, as_if_later
from graphdream.facts.says import may_say
from graphdream.scoring.trees import Floats

_WRITTEN = signals.SIGNALS.index("written")
_UNASKED = -9.0
"""Log-odds of what nobody asks: as good as no."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Log-odds of the pairs of a graph.

    Attributes:
        same: shape (2 * pairs,), rows of `Evidence.both_ways`: the other says all that the one says.
        replaces: shape (pairs,), rows of `Evidence.in_time`: the newer replaced the older.
        timeless: the same as if the newer had been told well after the older.
        again, again_timeless: what the second scorer of changes holds of the same.
    """

    same: Floats
    replaces: Floats
    timeless: Floats
    again: Floats
    again_timeless: Floats


def odds_of(evidence: Evidence, same: PairJudge, replaces: PairJudge, second: Judge) -> Odds:
    """Ask the scorers; `second` is asked of changes as `replaces` is, but for lines of files, which have one scorer.

    What says the same is asked of pairs of which one may say the other at all, and of those that may be a change.
    """
    in_time, both_ways = evidence.in_time()[2], evidence.both_ways()[2]
    later = as_if_later(in_time)
    replaced, timeless = (replaces.log_odds(table) for table in (in_time, later))
    told = in_time[:, _WRITTEN] == 0
    again, again_timeless = replaced.copy(), timeless.copy()
    for odds, table in ((again, in_time), (again_timeless, later)):
        odds[told] = second.trees.log_odds(table[told], signals.SIGNALS)
    candidates = np.maximum.reduce([replaced, timeless, again, again_timeless]) > changes.LEAST
    asked = may_say(both_ways) | np.concatenate([candidates, candidates])
    said = np.full(len(both_ways), _UNASKED)
    said[asked] = same.log_odds(both_ways[asked])
    return Odds(said, replaced, timeless, again, again_timeless)
