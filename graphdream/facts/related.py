"""Whether two statements of which a score holds that the one replaced the other have to do with each other at all."""

from __future__ import annotations

from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import signals
from graphdream.facts.evidence import Table
from graphdream.facts.instead import may_tell_what_took_its_place
from graphdream.facts.pairsjudged import says_from_now_on, values_of
from graphdream.facts.reading import LABEL
from graphdream.facts.setto import tells_what_it_was_set_to
from graphdream.facts.statements import Statement
from graphdream.facts.telling import has_form_of, places, tells
from graphdream.facts.twoanswers import SEVERAL_ANSWERS
from graphdream.language.scripts import units

MEANT_ALIKE = 0.3
"""Cosine of what two sentences mean from which they may answer one question."""
MANY_ANSWERS = 0.0
"""Log-odds (oneanswer.py) below which what a sentence says rather has many answers, none of which ends another.

The scorer learned from graphs that are full of changes. Two sentences that have no word in common but a name it called
changes in 690 of 1,128 cases where they tell different things of somebody, in three languages, and in 98 of 132 where
they answer one question in other words. By these two numbers 51 and 47 are left; in generated graphs 32 of 82 changes,
and none of 7 others. They were chosen on these same pairs.
"""
_SIGNAL = {name: at for at, name in enumerate(signals.SIGNALS)}


def are_related(before: Statement, after: Statement, pair: Table, *, strange: bool, in_folder: bool) -> bool:
    """Whether a person may be asked if the newer replaced the older; a model may be asked in any case.

    Args:
        pair: shape (SIGNALS,), what was measured of them.
        strange: they have no telling word in common, and nothing shows that they are two ways of saying it.
        in_folder: what they hang on is nobody, and what is said there is said of anybody.
    """
    one, other = before.reading, after.reading
    if may_tell_what_took_its_place(one, other) or tells_what_it_was_set_to(one, other):
        return True
    if (
        (strange and LABEL in before.reading.words)
        or _is_labelled_else(before, after)
        or _is_labelled_else(after, before)
    ):
        return False
    row = pair[None, :]
    begin_alike = in_folder and _only_begin_alike(before, after, int(_shared(row)[0]))
    if says_from_now_on(before, after) and not begin_alike:
        return True
    # `has been to Prague`, `to Vilnius`: who answers that twice has two answers. Unknown is not less than that.
    several = bool(pair[_SIGNAL["one_both"]] < SEVERAL_ANSWERS)
    return not several and (not (strange or begin_alike) or bool(_akin(row)[0]))


def _is_labelled_else(one: Statement, other: Statement) -> bool:
    """Whether a statement has a label, which says of what the rest is the value, and the other no word of it: `yeast:
    dry`, `flour is 41 kr`."""
    words = one.reading.words
    end = words.index(LABEL) if LABEL in words else 0
    label = {part for kind, word in places(one.reading, 0, end) if tells(kind, word) for part in word.split()}
    return bool(label) and not has_form_of(other.reading, label)


def unlike(table: Table) -> NDArray[np.bool_]:
    """Pairs that have no word and no value in common, and of which no sentence forms are known to be one relation."""
    joined = (table[:, _SIGNAL["linked"]] > 0) | (table[:, _SIGNAL["one_relation"]] > 0)
    return np.asarray((_shared(table) == 0) & ~joined)


def _shared(table: Table) -> Table:
    """How many words and values both have, shape (pairs,)."""
    return np.asarray(table[:, _SIGNAL["word_both"]] + values_of(table)[2])


def _only_begin_alike(one: Statement, other: Statement, shared: int) -> bool:
    """Whether two sentences share so many units, and these are what both begin with: the name of whom they are about,
    which the folder does not tell."""
    alike = takewhile(lambda both: both[0] == both[1], zip(one.reading.words, other.reading.words, strict=False))
    return 0 < shared == len(list(units([word for word, _ in alike])))


def _akin(table: Table) -> NDArray[np.bool_]:
    """Pairs that may answer one question by what they mean, and one that has one answer at a time."""
    least = table[:, [_SIGNAL["one_a"], _SIGNAL["one_b"]]].min(axis=1)
    return np.asarray((table[:, _SIGNAL["sense"]] >= MEANT_ALIKE) & (least >= MANY_ANSWERS))
