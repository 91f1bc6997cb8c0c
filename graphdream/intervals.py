"""How far a rate that was counted can be trusted."""

from __future__ import annotations

import math

Z_95 = 1.959963984540054  # two-sided 95 % of the normal distribution


def wilson(hits: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """Interval of a rate, which holds for small counts and for rates near 0 and 1, too.

    Args:
        hits: events seen.
        trials: draws; 0 gives (0, 1).
        z: width in standard errors.

    Returns:
        Lower and upper bound in 0..1.

    Source: Wilson, Journal of the American Statistical Association 22, 1927, 209-212.
    """
    if trials <= 0:
        return 0.0, 1.0
    rate, square = hits / trials, z * z
    middle = rate + square / (2 * trials)
    half = z * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    scale = 1 + square / trials
    low = 0.0 if hits == 0 else max(0.0, (middle - half) / scale)
    high = 1.0 if hits == trials else min(1.0, (middle + half) / scale)
    return low, high
