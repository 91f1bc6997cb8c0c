"""What may hold beside a newer telling: where the memory shows nothing, a word for *now* does not end it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import signals
from graphdream.facts.evidence import Table
from graphdream.facts.exchanged import do_two_things
from graphdream.facts.reading import Reading
from graphdream.facts.relabelled import answers_label
from graphdream.facts.scoped import is_of_a_part_alone
from graphdream.facts.slots import nothing_shown
from graphdream.facts.subjects import may_be_of_two_subjects
from graphdream.facts.words import CHANGE, NOW

SEVERAL_ANSWERS = -0.6
"""Log-odds, up to which the words that two statements have in common ask a question with several answers. Chosen, not
learned, among some fifty openings that were written for it: `speaks` -.64, `needs a visa for` -2.1; `drives` -.57."""
_MAY = (is_of_a_part_alone, may_be_of_two_subjects, do_two_things)
"""Of two readings, whether both may hold."""
_WRITTEN, _ONE_BOTH = (signals.SIGNALS.index(name) for name in ("written", "one_both"))


def unshown(table: Table) -> NDArray[np.bool_]:
    """Pairs told of which the memory shows nothing of how their question is answered, shape (pairs,)."""
    return np.asarray((table[:, _WRITTEN] == 0) & nothing_shown(table))


def have_several_answers(table: Table) -> NDArray[np.bool_]:
    """Pairs whose words ask a question with several answers, shape (pairs,)."""
    return np.asarray(table[:, _ONE_BOTH] < SEVERAL_ANSWERS)


def may_both_hold(before: Reading, after: Reading, *, several: bool) -> bool:
    """Whether two statements may both hold, where the memory shows nothing of how their question is answered.

    Their words ask a question with several answers, and no word of change tells that the older is over: who speaks
    Danish may speak Finnish, too, and by now does. But a label of one thing (`Goal: ...`) asks for one. Or the newer
    says it of a part alone (scoped.py), of somebody or something else (subjects.py), or another thing that somebody
    does (exchanged.py).

    Args:
        before, after: the older and the newer.
        several: their words ask a question with several answers.
    """
    changed = not (frozenset(after.words) - frozenset(before.words)).isdisjoint(CHANGE - NOW)
    as_well = several and not changed and not answers_label(before, after)
    return as_well or any(may(before, after) for may in _MAY)
