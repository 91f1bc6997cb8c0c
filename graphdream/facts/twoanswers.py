"""Two answers to a question that has one, of which time alone does not tell which holds.

Of two things told in turn (changes.py) the later one holds. A value that came back was told before and after the
other: `Editor: Vim`, then `Editor: Zed`, then Vim again. Zed is over, and Vim holds, if all tellings of the one lie
between two neighbouring ones of the other. What is told in turns more often, or at one time, is at odds.

Lines of files are left out: of 45,000 lines of notes under version control 1,600 pairs looked like this, and most of
these stood together for good.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import signals
from graphdream.facts.cover import breaks_off
from graphdream.facts.evidence import Evidence, Table
from graphdream.facts.groups import Group
from graphdream.facts.moments import days
from graphdream.facts.tellings import Told

ONE_ANSWER = 0.5
"""Log-odds (oneanswer.py) from which the words that two sentences share ask a question with one answer."""
_ONE_OTHER = np.log1p(1) + 1e-3
"""What is counted of sentences that are alike and were told together, where there is one pair of them."""
_SIGNAL = {name: at for at, name in enumerate(signals.SIGNALS)}


class TwoAnswers(NamedTuple):
    """Two groups that answer one question, and the row of `evidence.in_time` that shows it."""

    one: int
    other: int
    row: int


def find_two_answers(groups: Sequence[Group], place: dict[int, int], evidence: Evidence) -> Iterator[TwoAnswers]:
    """Yield pairs of groups, told in sessions, that give two answers to a question with one.

    Args:
        groups: what is said, each thing once.
        place: statement -> its group.
        evidence: what was measured.
    """
    older, newer, table = evidence.in_time()
    told = table[:, _SIGNAL["written"]] == 0
    for row in np.flatnonzero(told & _one_question(table)).tolist():
        a, b = int(older[row]), int(newer[row])
        one, other = place.get(a), place.get(b)
        if one is None or other is None or one == other:
            continue
        first, last = evidence.said[a].reading.words, evidence.said[b].reading.words
        if not (breaks_off(first, last) or breaks_off(last, first)):  # a piece is no answer
            yield TwoAnswers(one, other, row)


def _one_question(table: Table) -> NDArray[np.bool_]:
    """Shape (pairs,): whether both answer one question that has one answer, in the same words or under one label.

    Neither is a part of the other, nor in a list of more such answers that were told together.
    """
    value = (table[:, _SIGNAL["one_value"]] > 0) & (table[:, [_SIGNAL["word_a"], _SIGNAL["word_b"]]] == 0).all(axis=1)
    value |= (table[:, _SIGNAL["same_label"]] > 0) & (table[:, _SIGNAL["one_span"]] > 0)
    parts = [_SIGNAL[f"{name}_{side}"] for name in ("begins", "inside") for side in "ab"]
    others = np.maximum(table[:, _SIGNAL["alike_together_a"]], table[:, _SIGNAL["alike_together_b"]])
    listed = others > np.where(table[:, _SIGNAL["one_occasion"]] > 0, _ONE_OTHER, 0.0)
    whole = ~(table[:, parts] > 0).any(axis=1)
    return np.asarray(value & whole & ~listed & (table[:, _SIGNAL["one_both"]] >= ONE_ANSWER))


def came_back(over: Told, back: Told, group: Group) -> bool:
    """Whether a group, `back`, was told before and after all of another, `over`, and never in the time between."""
    if not over.occasions.isdisjoint(back.occasions):
        return False
    whole = (one for one in group.members if one.at in group.whole)
    times = [days(time) for statement in whole for time in statement.times]
    before, after = sum(time < over.first for time in times), sum(time > over.last for time in times)
    return before > 0 and after > 0 and before + after == len(times)
