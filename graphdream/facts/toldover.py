"""What was told in sessions and is over: each thing that was said of an entity, and the later telling that ended it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import changes, signals
from graphdream.facts.calibration import Calibration
from graphdream.facts.changes import Candidates
from graphdream.facts.compounds import is_compound, told_about
from graphdream.facts.cover import breaks_off
from graphdream.facts.cuts import Cuts
from graphdream.facts.endings import Change, Replaced, is_of_person, may_replace
from graphdream.facts.evidence import Evidence, Table
from graphdream.facts.exchanged import in_other_words
from graphdream.facts.groups import Group
from graphdream.facts.holds import Hold
from graphdream.facts.model import Open
from graphdream.facts.odds import Odds
from graphdream.facts.pairsjudged import TOLD_OVER, PairsJudged
from graphdream.facts.reading import NAME
from graphdream.facts.related import are_related, unlike
from graphdream.facts.renewed import says_new
from graphdream.facts.says import REJECT
from graphdream.facts.secondopinion import ask_again, cut_of_second
from graphdream.facts.statements import Statement, sides_of_names
from graphdream.facts.telling import has_form_of
from graphdream.facts.tellings import Told
from graphdream.facts.words import is_of_change
from graphdream.language.labels import label_of
from graphdream.scoring.trees import Floats

REJECT_STRANGE = 0.6
"""Calibrated probability below which a pair without a word or value in common is offered to nobody."""
_SIGNAL = {name: at for at, name in enumerate(signals.SIGNALS)}
_WRITTEN = _SIGNAL["written"]


def end_told(
    evidence: Evidence,
    calibration: Calibration,
    cuts: Cuts,
    groups: Sequence[Group],
    place: Mapping[int, int],
    odds: Odds,
    pairs: PairsJudged,
    told: Sequence[Told],
    folders: Collection[int],
    out: Replaced,
) -> set[tuple[int, int]]:
    """End what a later telling replaced; what is not sure is open.

    Args:
        evidence, calibration, cuts, groups, odds, folders: as in `replaced.find_replaced`.
        place: statement -> its group.
        pairs: what is held of pairs by themselves.
        told: when each group was told.
        out: takes what is found.

    Returns:
        Pairs of groups, the lower first, that are judged.
    """
    older, newer, table = evidence.in_time()
    found = changes.find_candidates(groups, told, evidence, odds.replaces, odds.timeless, odds.same, pairs.over)
    worth = calibration.changes.probability(found.table, changes.SIGNALS)
    again = _again(found, ask_again(groups, told, evidence, odds, pairs.over, calibration.second))
    known, likely = _likely(found, np.maximum(worth, again), pairs, evidence, groups, place)
    of_sessions = (table[found.row, _WRITTEN] == 0) & ~pairs.records[found.row]
    strange = unlike(table[found.row]) & (likely < TOLD_OVER)
    cut = pairs.cut_of(table, found.row, cuts)
    cut = np.where(strange, np.maximum(cuts.told, cut), cut)
    cut = np.where(~pairs.over[found.row], cut_of_second(worth, again, cut, cuts), cut)
    denied = (again < cuts.denied) & ~pairs.over[found.row]
    assured = pairs.assured(found.row, worth, again, cuts)
    reject = np.where(strange, REJECT_STRANGE, REJECT)
    settled, undecided, in_part = set[tuple[int, int]](), list[_Undecided](), set[int]()
    for at in np.flatnonzero(of_sessions & (likely >= reject)).tolist():
        old, new, row = int(found.old[at]), int(found.new[at]), int(found.row[at])
        before, after = (evidence.said[int(side[row])] for side in (older, newer))
        is_piece = groups[new].head.at in evidence.broken or _breaks_off(after, groups[old])
        if is_piece or not may_replace(groups[old], groups[new]):
            continue
        settled.add((min(old, new), max(old, new)))
        says_it = (old, new) in known
        # It replaced what says less than the whole of it, or who is named is named as something else.
        unsure = before.at not in groups[old].whole or (not says_it and _turned(before, after, table[row]))
        least = max(cuts.doubtful, cut[at]) if unsure else cut[at]
        holds = pairs.holds_of(row, groups[old], before, after, says_it=says_it, assured=bool(assured[at]))
        holds |= {Hold.DENIED} if denied[at] else set()
        # A score does not end what a person told: that it is over must be said, else the person is asked.
        sure = likely[at] >= least and (says_it or not is_of_person(groups[old]))
        if sure and not holds:
            out.note(Change(old, new, evidence.slot[row % len(evidence.slot)], float(likely[at])))
            continue
        if sure and Hold.SAYS_MORE in holds:
            in_part.add(new)
        undecided.append(_Undecided(new, row, before, after, float(likely[at]), bool(strange[at]), holds))
    answered = in_part | {change.new for change in out.changes.values()}
    out.left += [one.asked(table, folders, answered) for one in undecided]
    return settled


@dataclass(frozen=True, slots=True)
class _Undecided:
    """A pair told of which nobody knows whether the newer ended the older.

    Attributes:
        new: the group of the newer.
        row: of the pair in `evidence.in_time`.
        before, after: the two statements.
        likely: probability that it did.
        strange: they share no word and no value.
        holds: what holds the older.
    """

    new: int
    row: int
    before: Statement
    after: Statement
    likely: float
    strange: bool
    holds: frozenset[Hold]

    def asked(self, table: Table, folders: Collection[int], answered: Collection[int]) -> Open:
        """The question that it leaves open, and whether a person may be asked it; not so where they share nothing, and
        the newer has ended something else.

        Args:
            table: the signals of all pairs.
            folders: entities that are none.
            answered: groups that ended another in this look, or a part of it; in those before it, their facts are
                successors.
        """
        before, after = self.before, self.after
        apart = Hold.SOMETHING_ELSE in self.holds
        of_anybody = apart or before.entity in folders
        akin = are_related(before, after, table[self.row], strange=self.strange, in_folder=of_anybody)
        if Hold.TWO_THINGS in self.holds:
            alike = in_other_words(before.reading, after.reading) or _labelled_alike(before, after)
            akin = akin and (alike or _tells_its_change(before, after))
        if Hold.PART in self.holds:
            akin = akin and not is_compound(before.reading, after.reading)
        akin = akin and Hold.ON_TOP not in self.holds
        if self.strange or apart:
            akin = akin and self.new not in answered and not any(fact.successor for fact in after.facts)
        return Open("replaces", before.facts[0].id, after.facts[0].id, self.likely, akin)


def _again(found: Candidates, opinion: Mapping[tuple[int, int], float]) -> Floats:
    """What the second opinion holds of candidates, shape (candidates,)."""
    ends = zip(found.old.tolist(), found.new.tolist(), strict=True)
    return np.array([opinion.get(pair, 0.0) for pair in ends], dtype=np.float64)


def _likely(
    found: Candidates,
    worth: Floats,
    pairs: PairsJudged,
    evidence: Evidence,
    groups: Sequence[Group],
    place: Mapping[int, int],
) -> tuple[set[tuple[int, int]], Floats]:
    """Pairs of groups of which the newer tells that the older is over; and for each candidate, the probability that it
    is, by its score (`worth`) and by what is told."""
    known, others = _ended_by(pairs.over, evidence, groups, place)
    ends = zip(found.old.tolist(), found.new.tolist(), strict=True)
    likely = [
        max(scored, TOLD_OVER) if pair in known else 0.0 if pair in others else scored
        for pair, scored in zip(ends, worth.tolist(), strict=True)
    ]
    return known, np.array(likely)


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


def _labelled_alike(before: Statement, after: Statement) -> bool:
    """Whether both have one label: `yeast: fresh, 2 kg`, `yeast: dry, 1 kg`."""
    label = label_of(before.facts[0].content)[0]
    return bool(label) and label == label_of(after.facts[0].content)[0]


def _tells_its_change(before: Statement, after: Statement) -> bool:
    """Whether the newer tells a change, or what is new, of all that the older is about: `The budget for ads is 2000`,
    `Cut the ads budget to 1500`."""
    about, _ = told_about(before.reading)
    changes = says_new(after.reading) or any(map(is_of_change, after.reading.words))
    return bool(about) and changes and all(has_form_of(after.reading, (word,)) for word in about)


def _turned(before: Statement, after: Statement, row: Table) -> bool:
    """Whether two statements in the same words name somebody on either side of the subject: `Ada leads it`, `it leads
    Bo`. Who does and who is done to are two questions."""
    if row[_SIGNAL["word_a"]] + row[_SIGNAL["word_b"]] > 0:
        return False
    sides = [set(sides_of_names(one).values()) for one in (before, after)]
    return bool(sides[0] and sides[1]) and sides[0].isdisjoint(sides[1])


def _breaks_off(after: Statement, old: Group) -> bool:
    """Whether the newer stops inside what any statement of the older says, or inside a word of a name of it (`led by
    Joan Ob`): it is a piece of that and no other value."""
    words, readings = after.reading.words, [one.reading for one in old.members]
    if any(breaks_off(words, one.words) for one in readings):
        return True
    named = (word for one in readings for word, kind in zip(one.words, one.shape, strict=True) if kind == NAME)
    parts = {part for name in named for part in name.partition("@")[0].split()}
    return words[-1] not in parts and any(part.startswith(words[-1]) for part in parts)
