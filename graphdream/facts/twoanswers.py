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
from graphdream.scoring.curve import Ints

ONE_ANSWER = 0.5
"""Log-odds (oneanswer.py) from which the words that two sentences share ask a question with one answer."""
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
    asked = _one_question(table) & (table[:, _SIGNAL["written"]] == 0)
    for row in np.flatnonzero(asked & ~_listed(older, newer, asked, table)).tolist():
        a, b = int(older[row]), int(newer[row])
        one, other = place.get(a), place.get(b)
        if one is None or other is None or one == other:
            continue
        first, last = evidence.said[a].reading.words, evidence.said[b].reading.words
        if not (breaks_off(first, last) or breaks_off(last, first)):  # a piece is no answer
            yield TwoAnswers(one, other, row)


def _one_question(table: Table) -> NDArray[np.bool_]:
    """Shape (pairs,): whether both answer one question that has one answer, in the same words or under one label, and
    neither is a part of the other."""
    value = (table[:, _SIGNAL["one_value"]] > 0) & (table[:, [_SIGNAL["word_a"], _SIGNAL["word_b"]]] == 0).all(axis=1)
    value |= (table[:, _SIGNAL["same_label"]] > 0) & (table[:, _SIGNAL["one_span"]] > 0)
    parts = [_SIGNAL[f"{name}_{side}"] for name in ("begins", "inside") for side in "ab"]
    whole = ~(table[:, parts] > 0).any(axis=1)
    return np.asarray(value & whole & (table[:, _SIGNAL["one_both"]] >= ONE_ANSWER))


def _listed(older: Ints, newer: Ints, asked: NDArray[np.bool_], table: Table) -> NDArray[np.bool_]:
    """Shape (pairs,): whether one of the two stands in a list: a further answer to the same was told together with it.

    Args:
        older, newer: the statements of each pair.
        asked: pairs that answer one question.
        table: their signals.
    """
    together = asked & (table[:, _SIGNAL["one_occasion"]] > 0)
    beside = np.bincount(
        np.concatenate([older[together], newer[together]]),
        minlength=int(max(older.max(initial=0), newer.max(initial=0))) + 1,
    )
    return np.asarray(np.maximum(beside[older], beside[newer]) > together)


def came_back(over: Told, back: Told, group: Group) -> bool:
    """Whether a group, `back`, was told before and after all of another, `over`, and never in the time between."""
    if not over.occasions.isdisjoint(back.occasions):
        return False
    whole = (one for one in group.members if one.at in group.whole)
    times = [days(time) for statement in whole for time in statement.times]
    before, after = sum(time < over.first for time in times), sum(time > over.last for time in times)
    return before > 0 and after > 0 and before + after == len(times)
