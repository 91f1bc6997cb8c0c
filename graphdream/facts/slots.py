"""Slots: questions of which the memory shows, or does not, that an entity has one answer to them at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import signals
from graphdream.facts.asked import SMOOTHING, SOURCES
from graphdream.facts.cuts import Cuts
from graphdream.facts.evidence import Table
from graphdream.scoring.trees import Floats

_OFTEN = 19
"""Consecutive answers of one entity to a question, at least, for a change among them to have been told by now."""
_FEW = 5
"""The same, for a memory to show anything of it; chosen, not learned."""
_ONCE = 0.5
"""Turns from which there was one: a measure of a share has lost its last digits."""
_ONE_ANSWER = 1.2
"""Up to this the words of a statement do not show that what they ask has one answer (`one_a`; oneanswer.py)."""
_BY_SESSIONS = [source for source in SOURCES if source != "label"]
"""What is said to be one question where things are told; labels are of lines of files."""


def changes_shown(table: Table) -> NDArray[np.bool_]:
    """Pairs of which the memory tells changes of the question that both answer, shape (pairs,): some sentence has a
    former answer and the next (`moved from Oslo to Bergen`), of this entity or of another of its type."""
    return np.asarray((_of(table, "told") > 0).any(axis=1))


def nothing_shown(table: Table) -> NDArray[np.bool_]:
    """Pairs of which the memory shows nothing of how the question that both answer is answered, shape (pairs,)."""
    tests = np.rint(np.expm1(_of(table, "tests")))
    return np.asarray(~(tests >= _FEW).any(axis=1) & ~changes_shown(table))


def cut_of_told(table: Table, cuts: Cuts) -> Floats:
    """Where it is cut whether what was told in a session was replaced by what was told later, shape (pairs,).

    Sooner where the memory tells changes of the question that both answer. Later where entities have answered it in
    several ways again and again and it never does: more likely each has several answers (`has a column temp_c`).

    As late where some entity gave its answers in turns, and the words of the older ask for no single one (`spends her
    evenings on the loom`): in graphs of two vocabularies 8 of 15 such pairs with .95 to .995 were two facts, and 22 of
    the 946 others that are cut here.

    Sooner, too, where no value differs: with scorers that had not seen the vocabulary, in graphs of 18, 155 of 156 such
    pairs with .95 to .97 were changes.

    In graphs of two vocabularies 225 of 229 pairs of the first kind with a score of .90 to .97 were changes, but of the
    other answers to questions with such scores four of five; of 24 of the second kind with .97 to .995 only 13.
    """
    shown = changes_shown(table)
    often = (np.rint(np.expm1(_of(table, "tests"))) >= _OFTEN).any(axis=1)
    worded = np.isnan(table[:, signals.SIGNALS.index("kind_meets")])
    several = often | _in_turns(table)
    return np.where(shown, cuts.shown, np.where(several, cuts.listed, np.where(worded, cuts.worded, cuts.told)))


def _in_turns(table: Table) -> NDArray[np.bool_]:
    """Pairs whose question some entity answers in turns, of which the words of the older ask for no single answer."""
    tests, share, one = (table[:, signals.SIGNALS.index(f)] for f in ("relation_tests", "relation_turns", "one_a"))
    turns = share * (np.expm1(tests) + 1.0) - SMOOTHING
    return np.asarray((turns >= _ONCE) & (one <= _ONE_ANSWER))


def _of(table: Table, measure: str) -> Table:
    """One measure of the questions of pairs, shape (pairs, sources); NaN where a pair shares no such question."""
    return table[:, [signals.SIGNALS.index(f"{source}_{measure}") for source in _BY_SESSIONS]]
