"""What a newer telling replaced: each thing that was said of an entity, and the later one that ended it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import changes, signals
from graphdream.facts.calibration import Calibration
from graphdream.facts.cover import breaks_off
from graphdream.facts.cuts import Cuts
from graphdream.facts.evidence import Evidence, Table
from graphdream.facts.groups import Group
from graphdream.facts.model import Open
from graphdream.facts.odds import Odds
from graphdream.facts.pairsjudged import TOLD_OVER, cut_of_lines, judge_pairs
from graphdream.facts.reading import NAME
from graphdream.facts.related import are_related, unlike
from graphdream.facts.says import REJECT
from graphdream.facts.statements import Statement, sides_of_names
from graphdream.facts.tellings import Told
from graphdream.facts.twoanswers import TwoAnswers, came_back, find_two_answers
from graphdream.facts.words import LIMITS, NEGATIONS
from graphdream.scoring.trees import Floats

REJECT_STRANGE = 0.6
"""Calibrated probability below which a pair without a word or value in common is offered to nobody."""
_SIGNAL = {name: at for at, name in enumerate(signals.SIGNALS)}
_WRITTEN = _SIGNAL["written"]


@dataclass(frozen=True, slots=True)
class Change:
    """A group whose value is over, and the one that replaced it."""

    old: int
    new: int
    slot: str
    probability: float


@dataclass(slots=True)
class Replaced:
    """What was found: all numbers are positions of groups.

    Attributes:
        changes: group -> the change that ended it.
        disputes: pairs of groups that contradict each other -> the question that both answer.
        left: what is open.
    """

    changes: dict[int, Change] = field(default_factory=dict)
    disputes: dict[tuple[int, int], str] = field(default_factory=dict)
    left: list[Open] = field(default_factory=list)

    def note(self, change: Change) -> None:
        """Keep the likelier of two changes that ended the same."""
        known = self.changes.get(change.old)
        if known is None or known.probability < change.probability:
            self.changes[change.old] = change


def find_replaced(
    evidence: Evidence,
    calibration: Calibration,
    cuts: Cuts,
    groups: Sequence[Group],
    odds: Odds,
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
        folders: entities that are none: what is said there is said of anybody.
    """
    out = Replaced()
    older, newer, table = evidence.in_time()
    place = {statement.at: at for at, one in enumerate(groups) for statement in one.members}
    pairs = judge_pairs(evidence, calibration, odds, cuts)
    worth, timeless, over, records = pairs.worth, pairs.timeless, pairs.over, pairs.records
    told = changes.told_of(groups, evidence)
    found = changes.find_candidates(groups, told, evidence, odds.replaces, odds.timeless, odds.same, over)
    likely = calibration.changes.probability(found.table, changes.SIGNALS)
    known, others = _ended_by(over, evidence, groups, place)
    ends = zip(found.old.tolist(), found.new.tolist(), strict=True)
    likely = np.array(
        [
            max(worth_of, TOLD_OVER) if pair in known else 0.0 if pair in others else worth_of
            for pair, worth_of in zip(ends, likely.tolist(), strict=True)
        ]
    )
    of_sessions = (table[found.row, _WRITTEN] == 0) & ~records[found.row]
    strange = unlike(table[found.row]) & (likely < TOLD_OVER)
    cut = pairs.cut_of(table, found.row, cuts)
    cut = np.where(strange, np.maximum(cuts.told, cut), cut)
    reject = np.where(strange, REJECT_STRANGE, REJECT)
    settled = set[tuple[int, int]]()
    for at in np.flatnonzero(of_sessions & (likely >= reject)).tolist():
        old, new, row = int(found.old[at]), int(found.new[at]), int(found.row[at])
        before, after = (evidence.said[int(side[row])] for side in (older, newer))
        if not _may_replace(groups[old], groups[new]) or _breaks_off(after, groups[old]):
            continue
        settled.add((min(old, new), max(old, new)))
        # It replaced what says less than the whole of it, or who is named is named as something else.
        unsure = before.at not in groups[old].whole or ((old, new) not in known and _turned(before, after, table[row]))
        least = max(cuts.doubtful, cut[at]) if unsure else cut[at]
        # A score does not end what a person told: that it is over must be said, else the person is asked.
        if likely[at] >= least and ((old, new) in known or not _is_of_person(groups[old])):
            out.note(Change(old, new, evidence.slot[row % len(evidence.slot)], float(likely[at])))
        else:
            facts, in_folder = (before.facts[0].id, after.facts[0].id), before.entity in folders
            related = are_related(before, after, table[row], strange=bool(strange[at]), in_folder=in_folder)
            out.left.append(Open("replaces", *facts, float(likely[at]), related))
    two_answers = list(find_two_answers(groups, place, evidence))
    _came_back(two_answers, evidence, cuts, groups, told, settled, out)
    _of_lines(evidence, cuts, groups, place, worth, timeless, told, settled, out)
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
            if came_back(told[old], told[new], groups[new]) and _may_replace(groups[old], groups[new]):
                settled.add((min(old, new), max(old, new)))
                out.note(Change(old, new, evidence.slot[row % len(evidence.slot)], cuts.told))


def _of_lines(
    evidence: Evidence,
    cuts: Cuts,
    groups: Sequence[Group],
    place: Mapping[int, int],
    worth: Floats,
    timeless: Floats,
    told: Sequence[Told],
    settled: set[tuple[int, int]],
    out: Replaced,
) -> None:
    """Judge pairs of lines of files; of all pairs, whether they contradict each other where time tells nothing.

    Args:
        evidence, cuts, groups: as in `find_replaced`.
        place: statement -> its group.
        worth: shape (pairs,), probability that the newer replaced the older.
        timeless: the same as if it had been told well after it.
        told: when each group was told.
        settled: pairs of groups, the lower first, that are judged already.
        out: takes what is found.
    """
    older, newer, table = evidence.in_time()
    # A line that says less of it and was written later, on its own, is it as it stands now: then it is not over.
    last_written = [evidence.tellings.joined(sorted(statement.at for statement in one.members)) for one in groups]
    files = [frozenset(fact.source for statement in one.members for fact in statement.facts) for one in groups]
    denied = _denied(table, evidence)
    cut = cut_of_lines(table, cuts)
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
        of_lines = table[row, _WRITTEN] > 0 and everywhere and last_written[old].before(told[new])
        if of_lines and worth[row] >= cut[row] and _may_replace(groups[old], groups[new]):
            out.note(Change(old, new, slot, float(worth[row])))
        elif (timeless[row] >= cut[row] and worth[row] >= REJECT) or denied[row]:
            if denied[row] or told[old].occasions.isdisjoint(told[new].occasions):
                out.disputes[both] = slot
        elif of_lines and REJECT <= worth[row] < cut[row]:
            facts = evidence.said[a].facts[0].id, evidence.said[b].facts[0].id
            out.left.append(Open("replaces", *facts, float(worth[row])))


def _ended_by(
    over: NDArray[np.bool_], evidence: Evidence, groups: Sequence[Group], place: Mapping[int, int]
) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """(old, new) groups of which the new one tells that the old is over; and those of which it tells of another.

    Where several have the former value, it is the only one that shares a word with the telling; else nobody knows. What
    has ended one already ends no other by its value alone.
    """
    older, newer, table = evidence.in_time()
    meant: dict[int, dict[int, bool]] = {}
    for row in np.flatnonzero(over).tolist():
        old, new = place.get(int(older[row])), place.get(int(newer[row]))
        if old is not None and new is not None and old != new:
            found = meant.setdefault(new, {})
            found[old] = found.get(old, False) or bool(table[row, _SIGNAL["word_both"]] > 0)
    known, others = set[tuple[int, int]](), set[tuple[int, int]]()
    for new, found in meant.items():
        sharing = [old for old, shares in found.items() if shares]
        spent = any(fact.successor for one in groups[new].members for fact in one.facts)
        if sharing or spent:
            others |= {(old, new) for old in found if old not in sharing}
        likely = sharing if sharing or spent else list(found)
        if len(likely) == 1:
            known.add((likely[0], new))
    return known, others


def _turned(before: Statement, after: Statement, row: Table) -> bool:
    """Whether two statements in the same words name somebody on either side of the subject: `Ada leads it`, `it leads
    Bo`. Who does and who is done to are two questions."""
    if row[_SIGNAL["word_a"]] + row[_SIGNAL["word_b"]] > 0:
        return False
    sides = [set(sides_of_names(one).values()) for one in (before, after)]
    return bool(sides[0] and sides[1]) and sides[0].isdisjoint(sides[1])


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
        apart = (one - other) | (other - one)
        out[row] = not NEGATIONS.isdisjoint(apart) and LIMITS.isdisjoint(apart)
    return out


def _may_replace(old: Group, new: Group) -> bool:
    """Whether what a person told is replaced by what a person told, and nothing by a guest."""
    return _is_of_person(new) or not _is_of_person(old)


def _breaks_off(after: Statement, old: Group) -> bool:
    """Whether the newer stops inside what any statement of the older says, or inside a word of a name of it (`led by
    Joan Ob`): it is a piece of that and no other value."""
    words, readings = after.reading.words, [one.reading for one in old.members]
    if any(breaks_off(words, one.words) for one in readings):
        return True
    named = (word for one in readings for word, kind in zip(one.words, one.shape, strict=True) if kind == NAME)
    parts = {part for name in named for part in name.partition("@")[0].split()}
    return words[-1] not in parts and any(part.startswith(words[-1]) for part in parts)


def _is_of_person(group: Group) -> bool:
    return any(fact.authority == "user" for statement in group.members for fact in statement.facts)
