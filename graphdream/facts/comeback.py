"""A value that came back: `Editor: Vim`, then `Editor: Zed`, then Vim again. Zed is over, and Vim holds.

Of two things told in turn (changes.py) the later one holds; a value that came back was told before and after the other.
So it counts when all tellings of the one lie between two neighbouring ones of the other, and the sentences differ in
one value of a question that has one answer. What is told in turns more often is held side by side: neither is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import signals
from graphdream.facts.evidence import Evidence, Table
from graphdream.facts.groups import Group
from graphdream.facts.moments import days
from graphdream.facts.tellings import Told

ONE_ANSWER = 0.5
"""Log-odds (oneanswer.py) from which the words that two sentences share ask a question with one answer."""
_ALIKE = 0.6
"""Likeness from which two sentences are in much the same words."""
_ONE_OTHER = np.log1p(1) + 1e-3
"""What is counted of sentences that are alike and were told together, where there is one pair of them."""
_SIGNAL = {name: at for at, name in enumerate(signals.SIGNALS)}


def one_question(table: Table) -> NDArray[np.bool_]:
    """Shape (pairs,): whether both answer one question that has one answer, in much the same words or under one label.

    Neither stands in a list of more such answers that were told together.
    """
    value = (table[:, _SIGNAL["one_value"]] > 0) & (table[:, _SIGNAL["ratio"]] >= _ALIKE)
    value |= (table[:, _SIGNAL["same_label"]] > 0) & (table[:, _SIGNAL["one_span"]] > 0)
    others = np.maximum(table[:, _SIGNAL["alike_together_a"]], table[:, _SIGNAL["alike_together_b"]])
    listed = others > np.where(table[:, _SIGNAL["one_occasion"]] > 0, _ONE_OTHER, 0.0)
    return np.asarray(value & ~listed & (table[:, _SIGNAL["one_both"]] >= ONE_ANSWER))


def find_comebacks(groups: Sequence[Group], told: Sequence[Told], evidence: Evidence) -> Iterator[tuple[int, int, int]]:
    """Yield (the group that is over, the one whose value came back, row of `evidence.in_time`).

    Args:
        groups: what is said, each thing once.
        told: when each was told.
        evidence: what was measured.
    """
    older, newer, table = evidence.in_time()
    place = {statement.at: at for at, one in enumerate(groups) for statement in one.members}
    of_sessions = table[:, _SIGNAL["written"]] == 0
    for row in np.flatnonzero(of_sessions & one_question(table)).tolist():
        one, other = place.get(int(older[row])), place.get(int(newer[row]))
        if one is None or other is None or one == other:
            continue
        if not told[one].occasions.isdisjoint(told[other].occasions):
            continue
        for over, back in ((one, other), (other, one)):
            if _in_one_gap(told[over], _times(groups[back])):
                yield over, back, row


def _times(group: Group) -> list[float]:
    whole = (one for one in group.members if one.at in group.whole)
    return sorted(days(time) for statement in whole for time in statement.times)


def _in_one_gap(between: Told, times: Sequence[float]) -> bool:
    """Whether something was told before and after all of the other, and never in the time between."""
    before = sum(time < between.first for time in times)
    after = sum(time > between.last for time in times)
    return before > 0 and after > 0 and before + after == len(times)
