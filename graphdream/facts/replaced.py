"""What a newer telling replaced: each thing that was said of an entity, and the later one that ended it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import changes, signals
from graphdream.facts.calibration import Calibration
from graphdream.facts.cover import breaks_off
from graphdream.facts.cuts import Cuts
from graphdream.facts.edits import find_edits
from graphdream.facts.evidence import Evidence, Table
from graphdream.facts.groups import Group
from graphdream.facts.model import Open
from graphdream.facts.odds import Odds
from graphdream.facts.pairreadings import led_in
from graphdream.facts.says import REJECT
from graphdream.facts.slots import cut_of_told
from graphdream.facts.statements import Statement, day_of_file, sides_of_names
from graphdream.facts.tellings import Told
from graphdream.facts.twoanswers import ONE_ANSWER, TwoAnswers, came_back, find_two_answers
from graphdream.facts.words import FROM_NOW_ON, LIMITS, NEGATIONS
from graphdream.language.scripts import units
from graphdream.mutations.specifics import tokens
from graphdream.scoring.curve import Ints
from graphdream.scoring.trees import Floats

EDITED = 0.96
"""What is known beforehand of a line that was written anew where it stood (edits.py). Of such pairs of lines, in
histories of 48 repositories, 99 of 100 were never true together. The scorer learned it from whole memories, and in one
of a few lines has little to go by."""
TOLD_OVER = 0.97
"""What is known beforehand of a sentence that has all values of an earlier one, led in as over, and another value, with
a word of change and none of intent or denial: of 683 such pairs in graphs of three vocabularies and in histories 680
were changes, in memories of four entities all 62."""
REJECT_STRANGE = 0.6
"""Calibrated probability below which a pair without a word or value in common is offered to nobody."""
MEANT_ALIKE = 0.3
"""Cosine of what two sentences mean from which they may answer one question."""
MANY_ANSWERS = 0.0
"""Log-odds (oneanswer.py) below which what a sentence says rather has many answers, none of which ends another.

The scorer learned from graphs that are full of changes. Two sentences that have no word in common but a name it called
changes in 690 of 1,128 cases where they tell different things of somebody, in three languages, and in 98 of 132 where
they answer one question in other words. By these two numbers 51 and 47 are left; in generated graphs 32 of 82 changes,
and none of 7 others. They were chosen on these same pairs.
"""
_RECORD = 2
"""Values that each of two records has for itself, at least."""
_ALIKE = 0.6
"""Likeness from which two lines are in much the same words."""
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


@dataclass(frozen=True, slots=True)
class PairsJudged:
    """What is held of pairs by themselves, each of shape (pairs,), in the order of `Evidence.in_time`.

    Attributes:
        worth: probability that the newer replaced the older; of pairs told, `changes` says more.
        timeless: the same as if the newer had been told well after the older.
        over: the newer tells that the older is over.
        records: the newer does not replace the older, whatever a score holds of it.
        doubtful: it must be beyond doubt.
    """

    worth: Floats
    timeless: Floats
    over: NDArray[np.bool_]
    records: NDArray[np.bool_]
    doubtful: NDArray[np.bool_]

    def cut_of(self, table: Table, rows: Ints, cuts: Cuts) -> Floats:
        """Where it is cut whether some pairs told are changes; what is told to be over needs no more than its telling.

        Args:
            table: the signals of all pairs.
            rows: shape (n,), those that are asked of.
        """
        by_slot = cut_of_told(table[rows], cuts)
        by_slot = np.where(self.over[rows], np.minimum(cuts.told, by_slot), by_slot)
        return np.where(self.doubtful[rows], np.maximum(cuts.doubtful, by_slot), by_slot)


def judge_pairs(evidence: Evidence, calibration: Calibration, odds: Odds, cuts: Cuts) -> PairsJudged:
    """Judge pairs by what the scorers say, what is known beforehand, and what no score can do."""
    table = evidence.in_time()[2]
    worth, timeless = (calibration.replaces.worth(one, table) for one in (odds.replaces, odds.timeless))
    over = _told_over(table, evidence)
    edits = find_edits(evidence)
    labels = _two_labels(table) & ~edits.rewritten
    entries = (_records(table, edits.lines) | edits.listed | _of_a_moment(table, evidence)) & ~edits.rewritten
    entries |= labels & (worth < cut_of_lines(table, cuts))
    records = entries | ((_two_records(table) | _partly(table, evidence)) & ~over)
    edited = edits.alike | edits.rewritten
    worth = np.maximum(worth, np.where(edited, EDITED, np.where(over, TOLD_OVER, 0.0)))
    return PairsJudged(
        np.where(records, 0.0, worth),
        np.where(records | labels, 0.0, timeless),
        over,
        records,
        _doubtful(table) & ~over,
    )


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
    strange = _unlike(table[found.row]) & (likely < TOLD_OVER)
    cut = np.where(strange, cuts.strange, pairs.cut_of(table, found.row, cuts))
    reject = np.where(strange, REJECT_STRANGE, REJECT)
    akin, shared = _akin(table[found.row]), _shared(table[found.row])
    settled = set[tuple[int, int]]()
    for at in np.flatnonzero(of_sessions & (likely >= reject)).tolist():
        old, new, row = int(found.old[at]), int(found.new[at]), int(found.row[at])
        before, after = (evidence.said[int(side[row])] for side in (older, newer))
        if not _may_replace(groups[old], groups[new]) or breaks_off(after.reading.words, before.reading.words):
            continue
        settled.add((min(old, new), max(old, new)))
        # It replaced what says less than the whole of it, or who is named is named as something else.
        unsure = before.at not in groups[old].whole or ((old, new) not in known and _turned(before, after, table[row]))
        least = max(cuts.doubtful, cut[at]) if unsure else cut[at]
        # A score does not end what a person told: that it is over must be said, else the person is asked.
        if likely[at] >= least and ((old, new) in known or not _is_of_person(groups[old])):
            out.note(Change(old, new, evidence.slot[row % len(evidence.slot)], float(likely[at])))
        else:
            facts = before.facts[0].id, after.facts[0].id
            apart = strange[at] or (before.entity in folders and _only_begin_alike(before, after, int(shared[at])))
            related = not apart or akin[at] or _says_from_now_on(before, after)
            out.left.append(Open("replaces", *facts, float(likely[at]), related=bool(related)))
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


def cut_of_lines(table: Table, cuts: Cuts) -> Floats:
    """Where it is cut whether a line of a file was replaced by a newer one, shape (pairs,)."""
    return np.where(table[:, _SIGNAL["ratio"]] >= _ALIKE, cuts.edited, cuts.unlike)


def _told_over(table: Table, evidence: Evidence) -> NDArray[np.bool_]:
    """Pairs of things told of which the newer tells that the older is over: `moved from Oslo to Bergen` after `lives in
    Oslo`. Of 95 pairs of lines that looked like it, in histories, and were not much alike, none was a change."""
    mine, others, both = _values(table)
    meant = (table[:, _SIGNAL["intent_b"]] > 0) | (table[:, _SIGNAL["negation_b"]] > 0)  # planned, or denied
    out = (table[:, _SIGNAL["led_b"]] > 0) & (mine == 0) & (others > 0) & (both > 0) & ~meant
    out &= table[:, _WRITTEN] == 0
    older, newer, _ = evidence.in_time()
    for row in np.flatnonzero(out & (table[:, _SIGNAL["change_b"]] == 0)).tolist():
        out[row] = _says_from_now_on(*(evidence.said[int(side[row])] for side in (older, newer)))
    return np.asarray(out)


def _says_from_now_on(before: Statement, after: Statement) -> bool:
    """Whether the newer says of itself that it holds from now on, as the older does not (`jetzt`)."""
    return not FROM_NOW_ON.isdisjoint(frozenset(after.reading.words) - frozenset(before.reading.words))


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


def _records(table: Table, lines: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Pairs of two entries of a record, or of a text and a part of it: neither replaces the other.

    Under dated headings each line is a record of its day.
    """
    dated = (table[:, _SIGNAL["same_aspect"]] == 0) & (table[:, _SIGNAL["aspect_bare"]] > 0)
    # But a line of notes is shortened where it stands.
    part = ((table[:, _SIGNAL["inside_b"]] > 0) | (table[:, _SIGNAL["begins_b"]] > 0)) & ~lines
    return np.asarray(dated | part)


def _two_labels(table: Table) -> NDArray[np.bool_]:
    """Pairs of lines with two labels, which are about what the labels name, unless the scorer holds that the line was
    edited with its label (`Next up (Tuesday): ...`).

    Of 790 such pairs, in histories of 98 repositories, 786 were edits; in the 79 that the scorer had not seen, 456 of
    459. What else is known beforehand of edits is no evidence here: of 610 pairs that it alone took for edits 141 stood
    together.
    """
    return np.asarray((table[:, _SIGNAL["same_label"]] == 0) & (table[:, _WRITTEN] > 0))


def _of_a_moment(table: Table, evidence: Evidence) -> NDArray[np.bool_]:
    """Pairs of lines of which each is a record of its moment.

    They stand in a file named after a day, or on two pages of a diary (`memory/2026-03-01.md`): of 198 lines of the
    first kind that a score called replaced, in 74 histories, 95 stood on beside the newer one. Or they were written on
    one day under a heading with a time of day (`Check at 21:26`): of eleven in histories that no scorer had seen, the
    older line stood in eight.
    """
    older, newer, _ = evidence.in_time()
    said = evidence.said
    of_a_day = np.array([any(day_of_file(fact.source) != "" for fact in one.facts) for one in said], dtype=np.bool_)
    on_page = np.array([any(_is_page(fact.source) for fact in one.facts) for one in said], dtype=np.bool_)
    timed = np.array([_has_time_of_day(one.aspect) for one in said], dtype=np.bool_)
    in_file = (table[:, _SIGNAL["same_source"]] > 0) & of_a_day[older]
    in_diary = on_page[older] & on_page[newer]
    in_heading = (table[:, _SIGNAL["same_aspect"]] > 0) & (table[:, _SIGNAL["one_day"]] > 0) & timed[older]
    return np.asarray((table[:, _WRITTEN] > 0) & (in_file | in_diary | in_heading))


def _is_page(source: str) -> bool:
    """Whether a file is a page of a diary: its name begins with its day. A copy of notes is named after them first."""
    return source.replace(":", "/").rpartition("/")[2][:1].isdigit() and day_of_file(source) != ""


@lru_cache(maxsize=10_000)
def _has_time_of_day(heading: str) -> bool:
    return any(token.kind == "time" for token in tokens(heading))


def _two_records(table: Table) -> NDArray[np.bool_]:
    """Pairs of things told of which the newer does not replace the older, whatever the scorer holds of them.

    Each has two values of its own (`parcel 4410: 12 kg`, `parcel 4587: 31 kg`), or the day of the one had passed when
    the other was told, without a word of change; or a number differs, which may be a name (`release 4.1.0 shipped`),
    and their words ask no question with one answer.
    """
    passed = (table[:, _SIGNAL["due_a"]] < 0) & (table[:, _SIGNAL["change_b"]] == 0)
    named = (table[:, _SIGNAL["numbered"]] > 0) & ~(table[:, _SIGNAL["one_both"]] >= ONE_ANSWER)
    records = passed | named | (table[:, _SIGNAL["values_least"]] >= _RECORD)
    return np.asarray((table[:, _WRITTEN] == 0) & records)


def _partly(table: Table, evidence: Evidence) -> NDArray[np.bool_]:
    """Pairs told of which the newer tells that one value of the older is over, which has another one besides.

    `review on 27 April, kickoff on 3 May` stays when the kickoff is moved; `moved from Oslo to Bergen` does not when
    the next move is from Bergen, since the other value was over by then.
    """
    mine, _, both = _values(table)
    out = (table[:, _WRITTEN] == 0) & (table[:, _SIGNAL["led_b"]] > 0) & (both > 0) & (mine > 0)
    older, newer, _ = evidence.in_time()
    for row in np.flatnonzero(out).tolist():
        before, after = (evidence.said[int(side[row])] for side in (older, newer))
        out[row] = not frozenset(before.values) - frozenset(after.values) <= led_in(before.reading.words)
    return np.asarray(out)


def _doubtful(table: Table) -> NDArray[np.bool_]:
    """Pairs told that must be beyond doubt.

    A number that differs may be a name (`PR #12`, `crate 118 to Oslo`); what is meant to be is not so yet (`the limit
    is 8`, `the limit should be 5`).
    """
    meant = (table[:, _SIGNAL["intent_b"]] > 0) & (table[:, _SIGNAL["intent_a"]] == 0)
    return np.asarray((table[:, _WRITTEN] == 0) & ((table[:, _SIGNAL["numbered"]] > 0) | meant))


def _turned(before: Statement, after: Statement, row: Table) -> bool:
    """Whether two statements in the same words name somebody on either side of the subject: `Ada leads it`, `it leads
    Bo`. Who does and who is done to are two questions."""
    if row[_SIGNAL["word_a"]] + row[_SIGNAL["word_b"]] > 0:
        return False
    sides = [set(sides_of_names(one).values()) for one in (before, after)]
    return bool(sides[0] and sides[1]) and sides[0].isdisjoint(sides[1])


def _values(table: Table) -> tuple[Table, Table, Table]:
    """How many values the older has for itself, the newer has for itself, and both have: shape (pairs,) each."""
    kinds = ("number", "date", "time", "name")
    mine, others, both = (
        table[:, [_SIGNAL[f"{kind}_{side}"] for kind in kinds]].sum(axis=1) for side in ("a", "b", "both")
    )
    return mine, others, both


def _unlike(table: Table) -> NDArray[np.bool_]:
    """Pairs that have no word and no value in common, and of which no sentence forms are known to be one relation."""
    joined = (table[:, _SIGNAL["linked"]] > 0) | (table[:, _SIGNAL["one_relation"]] > 0)
    return np.asarray((_shared(table) == 0) & ~joined)


def _shared(table: Table) -> Table:
    """How many words and values both have, shape (pairs,)."""
    return np.asarray(table[:, _SIGNAL["word_both"]] + _values(table)[2])


def _only_begin_alike(one: Statement, other: Statement, shared: int) -> bool:
    """Whether two sentences share so many units, and these are what both begin with: the name of whom they are about,
    which the folder does not tell."""
    alike = takewhile(lambda both: both[0] == both[1], zip(one.reading.words, other.reading.words, strict=False))
    return 0 < shared == len(list(units([word for word, _ in alike])))


def _akin(table: Table) -> NDArray[np.bool_]:
    """Pairs that may answer one question by what they mean, and one that has one answer at a time."""
    least = table[:, [_SIGNAL["one_a"], _SIGNAL["one_b"]]].min(axis=1)
    return np.asarray((table[:, _SIGNAL["sense"]] >= MEANT_ALIKE) & (least >= MANY_ANSWERS))


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


def _is_of_person(group: Group) -> bool:
    return any(fact.authority == "user" for statement in group.members for fact in statement.facts)
