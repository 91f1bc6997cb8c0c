"""What the scorers of pairs say, each asked where its answer can matter: most of the time of a look goes there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphdream.facts import changes
from graphdream.facts.calibration import PairJudge
from graphdream.facts.evidence import Evidence, as_if_later
from graphdream.facts.says import may_say
from graphdream.scoring.trees import Floats

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


def odds_of(evidence: Evidence, same: PairJudge, replaces: PairJudge, second: PairJudge) -> Odds:
    """Ask the scorers; `second` is asked of changes as `replaces` is.

    What says the same is asked of pairs of which one may say the other at all, and of those that may be a change.
    """
    in_time, both_ways = evidence.in_time()[2], evidence.both_ways()[2]
    later = as_if_later(in_time)
    found = [judge.log_odds(table) for judge in (replaces, second) for table in (in_time, later)]
    candidates = np.maximum.reduce(found) > changes.LEAST
    asked = may_say(both_ways) | np.concatenate([candidates, candidates])
    said = np.full(len(both_ways), _UNASKED)
    said[asked] = same.log_odds(both_ways[asked])
    return Odds(said, *found)
