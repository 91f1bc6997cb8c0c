"""Asks a second time what replaced what among things that were told.

The first scorers of changes learned from generated graphs, in which the subject of a sentence is nearly always its
entity. The second ones were taught by word packs and told histories, too: things around a subject, and what people note
of a thing itself, in twelve languages. They also see what two statements say of their own (ownwords.py). Each is
calibrated by itself; a pair is as likely as the surer of the two holds it to be. In memories of word packs both
together find half as much again as the first alone, by scorers that had not seen the pack (docs/measured.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import changes, ownweights, ownwords
from graphdream.facts.calibration import SecondOpinion
from graphdream.facts.changes import Candidates
from graphdream.facts.cuts import Cuts
from graphdream.facts.evidence import Evidence
from graphdream.facts.groups import Group
from graphdream.facts.odds import Odds
from graphdream.facts.ownweights import OwnWeights
from graphdream.facts.tellings import Told
from graphdream.scoring.trees import Floats

SIGNALS = (*changes.SIGNALS, *ownwords.COLUMNS, *ownweights.COLUMNS)
"""Columns of the table, in order: those of the first scorer, and what the best pair of sentences say of their own."""
LEAST = -2.0
"""Log-odds of the best pair of sentences below which nobody is asked again. With scorers that had not seen the source,
of 937,281 candidates in memories of training 64 of 100 had less, and 28 of the 35,462 with a probability of .95."""
_BEST, _WRITTEN = SIGNALS.index("best"), SIGNALS.index("written")


def find_candidates(
    groups: Sequence[Group],
    told: Sequence[Told],
    evidence: Evidence,
    odds: Odds,
    own_words: OwnWeights,
    over: NDArray[np.bool_] | None = None,
    least: float = LEAST,
) -> Candidates:
    """The pairs of groups of which one may have replaced the other, by the second scorer of sentences: arguments as in
    `changes.find_candidates`, table of shape (candidates, SIGNALS). Lines of files are left out, and those whose best
    pair of sentences has less than the `least` log-odds."""
    found = changes.find_candidates(groups, told, evidence, odds.again, odds.again_timeless, odds.same, over)
    kept = (found.table[:, _BEST] >= least) & (found.table[:, _WRITTEN] == 0)
    older, newer, _ = evidence.in_time()
    pairs = [(evidence.said[older[row]].reading, evidence.said[newer[row]].reading) for row in found.row[kept]]
    own = ownwords.columns_of(pairs), own_words.columns_of(pairs)
    table = np.concatenate([found.table[kept], *own], axis=1).astype(np.float32)
    return Candidates(found.old[kept], found.new[kept], found.row[kept], table)


def ask_again(
    groups: Sequence[Group],
    told: Sequence[Told],
    evidence: Evidence,
    odds: Odds,
    over: NDArray[np.bool_],
    second: SecondOpinion,
) -> Mapping[tuple[int, int], float]:
    """(old, new) groups -> probability that the new one replaced the old one."""
    found = find_candidates(groups, told, evidence, odds, second.own_words, over)
    worth = second.changes.probability(found.table, SIGNALS)
    return dict(zip(zip(found.old.tolist(), found.new.tolist(), strict=True), worth.tolist(), strict=True))


def cut_of_second(first: Floats, second: Floats, cut: Floats, cuts: Cuts) -> Floats:
    """Where it is cut whether pairs told are changes, if only the second opinion may be sure: it must be surer than the
    first must be, unless the memory itself shows changes of the question, or words differ.

    Args:
        first, second: probability of each pair, by either.
        cut: where it is cut by the first.
    """
    alone = (first < cut) & (second > first) & (cut >= cuts.told)
    return np.where(alone, np.maximum(cut, cuts.again), cut)
