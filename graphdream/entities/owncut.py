"""Where to cut a list's scores once they are told in the list's own terms (selftraining.py).

Nobody can say at which score a list's pairs stop being true ones, but where the wrong ones begin shows without a label:
they are many, so from there on every step down adds a large part of what is above it. The true ones, whose scores are
spread, are lost slowly when the cut is raised. So the cut lies where raising it by one unit of log-odds loses few
pairs, near where the cuts of labelled lists lie; below a quiet share it does not matter how few. Source: the rate at
which a population shrinks along an axis, the hazard of survival analysis (Cox and Oakes 1984, Analysis of Survival
Data, chapter 2), taken as evidence on where a second population begins. Measured by `bench/resolve.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphdream.entities.corpus import Floats

PLACES = np.arange(-3.0, 4.01, 0.5)
"""Log-odds at which a cut may lie."""
RAISED = 1.0
"""By how much (log-odds) a cut is raised to see what that loses."""
QUIET = 0.4
"""Loss, in e-folds of the pairs above the cut, that is as good as none (a third of them): true pairs go as fast."""
COST = 16.0
"""What an e-fold of the pairs costs, in squared log-odds of distance from the usual cut."""


@dataclass(frozen=True, slots=True)
class OwnCut:
    """What a list says of its cut.

    Attributes:
        loss: shape (len(PLACES),), e-folds of the pairs above each place that are lost when it is raised, at least
            `QUIET`.
    """

    loss: Floats

    def at(self, usual: float) -> float:
        """The cut of the list; `usual` is where it lies on labelled lists, and here if all places are alike."""
        return float(PLACES[np.argmin(COST * self.loss + (PLACES - usual) ** 2)])


def measure_own_cut(log_odds: Floats) -> OwnCut:
    """Look at a list's scores.

    Args:
        log_odds: shape (pairs,), in the list's own terms.
    """
    # one pair more on either side: of no pairs none are lost
    above, raised = (1.0 + _count_above(log_odds, PLACES + by) for by in (0.0, RAISED))
    return OwnCut(np.maximum(np.log(above / raised) / RAISED, QUIET))


def _count_above(log_odds: Floats, places: Floats) -> Floats:
    """How many pairs score higher than each place, shape of `places`."""
    return np.asarray(len(log_odds) - np.searchsorted(np.sort(log_odds), places, side="right"), dtype=np.float64)
