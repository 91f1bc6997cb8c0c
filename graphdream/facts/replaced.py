"""What a newer telling replaced: each thing that was said of an entity, and the later one that ended it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import changes, signals
from graphdream.facts.calibration import Calibration
from graphdream.facts.cuts import Cuts
from graphdream.facts.endings import Change, Replaced, may_replace
from graphdream.facts.evidence import Evidence, Table
from graphdream.facts.groups import Group
from graphdream.facts.holds import says_more
from graphdream.facts.listedlines import keep_lists
from graphdream.facts.model import Open
from graphdream.facts.odds import Odds
from graphdream.facts.pairsjudged import PairsJudged, cut_of_lines
from graphdream.facts.says import REJECT
from graphdream.facts.tellings import Told
from graphdream.facts.toldover import end_told
from graphdream.facts.twoanswers import TwoAnswers, came_back, find_two_answers, inflected
from graphdream.facts.words import LIMITS, NEGATIONS

_SIGNAL = {name: at for at, name in enumerate(signals.SIGNALS)}
_WRITTEN = _SIGNAL["written"]


def find_replaced(
    evidence: Evidence,
    calibration: Calibration,
    cuts: Cuts,
    groups: Sequence[Group],
    odds: Odds,
    pairs: PairsJudged,
    folders: Collection[int] = (),
) -> Replaced:
    """Find what replaced what.

    Lines of files are judged line by line, since an edit is in its line; what was told in sessions is judged as
    things that were said (changes.py), since it is said in many ways.

    Args:
        evidence: what was measured.
        calibration: the scorers.
        cuts: where they are cut.
        groups: what is said, each thing once.
        odds: what the scorers say.
        pairs: what is held of pairs by themselves.
        folders: entities that are none: what is said there is said of anybody.
    """
    out = Replaced()
    place = {statement.at: at for at, one in enumerate(groups) for statement in one.members}
    told = changes.told_of(groups, evidence)
    settled = end_told(evidence, calibration, cuts, groups, place, odds, pairs, told, folders, out)
    two_answers = list(find_two_answers(groups, place, evidence))
    _came_back(two_answers, evidence, cuts, groups, told, settled, out)
    otherwise = dict(out.changes)
    _of_lines(evidence, cuts, groups, place, pairs, told, settled, out)
    lines = [old for old, change in out.changes.items() if otherwise.get(old) is not change]
    keep_lists(groups, told, lines, cuts, out)
    for one in two_answers:
        if not (told[one.one].before(told[one.other]) or {one.one, one.other} & out.changes.keys()):
            both = min(one.one, one.other), max(one.one, one.other)
            out.disputes[both] = evidence.slot[one.row % len(evidence.slot)]
    return out


def _came_back(
    two_answers: Sequence[TwoAnswers],
    evidence: Evidence,
    cuts: Cuts,
    groups: Sequence[Group],
    told: Sequence[Told],
    settled: set[tuple[int, int]],
    out: Replaced,
) -> None:
    """End what lies between two tellings of a value; by a rule and no score, so it counts as sure as the cut asks."""
    for one, other, row in two_answers:
        for old, new in ((one, other), (other, one)):
            over = came_back(told[old], told[new], groups[new]) and may_replace(groups[old], groups[new])
            if over and not says_more(groups[old], groups[new].head, evidence.asides):
                settled.add((min(old, new), max(old, new)))
                out.note(Change(old, new, evidence.slot[row % len(evidence.slot)], cuts.told))


def _of_lines(
    evidence: Evidence,
    cuts: Cuts,
    groups: Sequence[Group],
    place: Mapping[int, int],
    pairs: PairsJudged,
    told: Sequence[Told],
    settled: set[tuple[int, int]],
    out: Replaced,
) -> None:
    """Judge pairs of lines of files; of all pairs, whether they contradict each other where time tells nothing.

    Args:
        evidence, cuts, groups: as in `find_replaced`.
        place: statement -> its group.
        pairs: what is held of pairs by themselves.
        told: when each group was told.
        settled: pairs of groups, the lower first, that are judged already.
        out: takes what is found.
    """
    older, newer, table = evidence.in_time()
    worth, timeless = pairs.worth, pairs.timeless
    # A line that says less of it and was written later, on its own, is it as it stands now: then it is not over.
    last_written = [evidence.tellings.joined(sorted(statement.at for statement in one.members)) for one in groups]
    files = [frozenset(fact.source for statement in one.members for fact in statement.facts) for one in groups]
    denied = _denied(table, evidence)
    cut = cut_of_lines(evidence, cuts)
    for row in np.flatnonzero((worth >= REJECT) | (timeless >= cut) | denied).tolist():
        a, b = int(older[row]), int(newer[row])
        old, new = place.get(a), place.get(b)
        if old is None or new is None or old == new or a not in groups[old].whole:
            continue
        both = min(old, new), max(old, new)
        if both in settled and not denied[row]:
            continue
        slot = evidence.slot[row % len(evidence.slot)]
        # What stands in two files is not over where one of them was edited.
        everywhere = len(files[old]) == 1 or files[old] <= files[new]
        # Nobody edits a line into a piece of it.
        piece = table[row, _SIGNAL["cut_b"]] > 0 and b in evidence.broken
        of_lines = table[row, _WRITTEN] > 0 and everywhere and not piece and last_written[old].before(told[new])
        if of_lines and worth[row] >= cut[row] and may_replace(groups[old], groups[new]):
            out.note(Change(old, new, slot, float(worth[row])))
        elif (timeless[row] >= cut[row] and worth[row] >= REJECT) or denied[row]:
            one_name = inflected(evidence.said[a].reading, evidence.said[b].reading)
            if denied[row] or not (one_name or told[old].occasions & told[new].occasions):
                out.disputes[both] = slot
        elif of_lines and REJECT <= worth[row] < cut[row]:
            facts = evidence.said[a].facts[0].id, evidence.said[b].facts[0].id
            out.left.append(Open("replaces", *facts, float(worth[row])))


def _denied(table: Table, evidence: Evidence) -> NDArray[np.bool_]:
    """Pairs that differ in a word that denies and in nothing else: `eats nuts`, `never eats nuts`. What narrows denies
    no whole, alone or beside a denial: `eats only nuts`, `opens at 9` and `does not open before 9`."""
    kinds = ("number", "date", "time", "name", "word", "change", "intent")
    same = np.ones(len(table), dtype=np.bool_)
    for side in "ab":
        for kind in kinds:
            same &= table[:, _SIGNAL[f"{kind}_{side}"]] == 0
    denying = table[:, _SIGNAL["negation_a"]] + table[:, _SIGNAL["negation_b"]]
    shared = table[:, [_SIGNAL[f"{kind}_both"] for kind in kinds]].sum(axis=1)
    out = np.asarray(same & (denying > 0) & (shared > 0))
    older, newer, _ = evidence.in_time()
    for row in np.flatnonzero(out).tolist():
        one, other = (Counter(evidence.said[int(side[row])].reading.words) for side in (older, newer))
        mine, theirs = one - other, other - one
        denied = NEGATIONS.isdisjoint(mine) != NEGATIONS.isdisjoint(theirs)  # `never` in place of `not` denies nothing
        out[row] = denied and LIMITS.isdisjoint([*mine, *theirs])
    return out
