"""The judgement of facts: three questions, each a score over measured signals, cut inside an error budget.

Does another say all that this says; did a newer one replace it; does it say nothing. What is sure enough is done, what
lies in between is left as it is and may be asked about. In doubt, everything stays.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import emptiness, signals
from graphdream.facts.calibration import Calibration
from graphdream.facts.cover import covers
from graphdream.facts.evidence import Evidence, Table, as_if_later, gather_evidence
from graphdream.facts.groups import Group, Says, group
from graphdream.facts.holders import WordStock, anchored, find_empty, guests
from graphdream.facts.model import Fact, FactFindings, Open, Subject
from graphdream.facts.reading import NAME, SUBJECT, ReadingMemory
from graphdream.facts.statements import Statement, StatementMaker
from graphdream.facts.tellings import Told

EDITED = 0.96
"""What is known beforehand of a line whose one value is another in a later telling of the same file and heading: of 428
such pairs in histories of twenty repositories 424 were never true together. The scorer learned it from whole memories,
and in one of a few lines has little to go by."""
REJECT = 0.35
"""Calibrated probability below which a pair is offered to nobody."""
_ENDED, _NEAR = 0.5, 0.2
"""Probability that one ended the other from which they are not taken for one thing, and by how much less than that of
being one it may be."""
_COVERED = 0.4
"""Share of the weight of a statement that one which says the same has at least, where no sentence forms are linked."""
_BEYOND_DOUBT = 0.99
"""Probability from which two statements with different words and no value in common say the same all the same."""
_ALIKE = 0.6
"""Likeness from which two statements are in much the same words."""
_FRAMES = 0.6
"""Share of frame votes from which a word is a way of saying it (links.py)."""
_SIGNAL = {name: at for at, name in enumerate(signals.SIGNALS)}


@dataclass(frozen=True, slots=True)
class Cuts:
    """Calibrated probability from which each question is answered yes; one wrong in so many is the budget.

    Attributes:
        same: another says all that this says.
        replaces: a newer one replaced it, in much the same words.
        told: a newer one replaced it, in other words that lead in to the former value (`from Oslo`, `not Oslo`).
        unlike: a newer one replaced it, in other words.
        empty: it says nothing.
    """

    same: float = 0.96
    replaces: float = 0.92
    told: float = 0.95
    unlike: float = 0.98
    empty: float = 0.97


@dataclass(frozen=True, slots=True)
class _Change:
    """A group whose value is over, and the one that replaced it."""

    old: int
    new: int
    slot: str
    probability: float


def judge(
    facts: Sequence[Fact],
    subjects: Sequence[Subject],
    calibration: Calibration,
    whole_words: Collection[str] = (),
    memory: ReadingMemory | None = None,
    cuts: Cuts | None = None,
) -> FactFindings:
    """Findings over active facts.

    Args:
        facts: facts of any status; what sentences of this memory are like is learned from all of them, and the active
            ones are judged.
        subjects: the entities they hang on.
        calibration: the scorers.
        whole_words: words of running texts.
        memory: readings of an earlier look; it changes nothing but the time that this one takes.
        cuts: where the questions are cut.
    """
    cuts = cuts or Cuts()
    maker = StatementMaker(facts, subjects, memory or ReadingMemory())
    anchors = anchored(facts, subjects, maker)
    evidence = gather_evidence(facts, guests(facts, subjects, anchors), subjects, maker, whole_words)
    said = evidence.said
    names = {subject.id: subject.names for subject in subjects}
    empty = _empty(evidence, calibration, cuts.empty)
    says, open_same = _says(evidence, calibration, cuts.same, names)
    groups = group(said, says, names, empty.keys())
    changes, disputes, open_changes = _changes(evidence, calibration, cuts, groups)
    findings = FactFindings()
    for at in sorted(empty):
        findings.junk.extend((fact.id, "says nothing") for fact in said[at].facts if fact.id >= 0)
    _report(groups, changes, disputes, findings)
    findings.open.extend(open_same + open_changes)
    words = WordStock((fact.content for fact in facts), (name for s in subjects for name in s.names))
    gone = {fact for fact, _ in findings.junk}
    elsewhere = _at_home(groups)
    nothing, copies = find_empty(facts, subjects, gone, elsewhere, anchors, words)
    notes = {fact.id for fact in facts if fact.source.startswith("file:")} - gone
    _drop(nothing, {fact: target for fact, target in elsewhere.items() if fact in notes} | copies, findings)
    return findings


def _empty(evidence: Evidence, calibration: Calibration, cut: float) -> dict[int, float]:
    """Statements that say nothing, and how sure that is; never what a person told, pinned, or a constraint."""
    worth = calibration.empty.probability(evidence.alone, emptiness.SIGNALS)
    return {at: float(worth[at]) for at in np.flatnonzero(worth >= cut).tolist() if not _is_kept(evidence.said[at])}


def _is_kept(statement: Statement) -> bool:
    return statement.protected or any(fact.authority == "user" for fact in statement.facts)


def _says(
    evidence: Evidence, calibration: Calibration, cut: float, names: Mapping[int, tuple[str, ...]]
) -> tuple[list[Says], list[Open]]:
    """Which statements say all that others say, and what is open."""
    one, other, table = evidence.both_ways()
    worth = calibration.same.probability(table, signals.SIGNALS)
    worth = np.where(table[:, _SIGNAL["same_reading"]] > 0, 1.0, worth)  # but for what wraps them they read the same
    # A sentence that tells of a change has all words of what is over, and does not say it.
    ended = calibration.replaces.probability(as_if_later(table), signals.SIGNALS)
    apart = (table[:, _SIGNAL["marks_differ"]] > 0) | (table[:, _SIGNAL["beside_differs"]] > 0)
    joined = (table[:, _SIGNAL["linked"]] > 0) | (table[:, _SIGNAL["one_relation"]] > 0)
    apart |= (table[:, _SIGNAL["cover_a"]] < _COVERED) & ~joined
    # The other is a part of it, or lacks words that are not known to be only a way of saying it.
    part = (table[:, _SIGNAL["inside_b"]] > 0) | (table[:, _SIGNAL["begins_b"]] > 0)
    lacks = (table[:, _SIGNAL["word_a"]] > 0) & (table[:, _SIGNAL["word_b"]] == 0)
    lacks &= ~(table[:, _SIGNAL["frame_a"]] >= _FRAMES)
    apart |= (part | lacks) & (table[:, _SIGNAL["same_reading"]] == 0)
    # Each has words that the other lacks, and no value in common: these words may be two values (purple is not cyan).
    shared = [_SIGNAL[f"{kind}_both"] for kind in ("number", "date", "time", "name")]
    valued = (table[:, shared] > 0).any(axis=1) | (worth >= _BEYOND_DOUBT)
    apart |= (table[:, _SIGNAL["word_a"]] > 0) & (table[:, _SIGNAL["word_b"]] > 0) & ~valued & ~joined
    # One denies or narrows what the other says: `on` is not `on for new modules only`.
    apart |= (table[:, _SIGNAL["negation_a"]] > 0) | (table[:, _SIGNAL["negation_b"]] > 0)
    apart |= ((table[:, _SIGNAL["same_label"]] == 0) & ~joined) | ((ended >= _ENDED) & (ended >= worth - _NEAR))
    said, out, left = evidence.said, list[Says](), list[Open]()
    for row in np.flatnonzero((worth >= REJECT) & ~apart).tolist():
        a, b = said[int(one[row])], said[int(other[row])]
        if worth[row] < cut:
            left.append(Open("same", a.facts[0].id, b.facts[0].id, float(worth[row])))
        elif (
            a.values.keys() <= b.values.keys()
            and covers(b.facts[0].content, a.facts[0].content, names.get(a.entity, ()))
            and _has_code(a, b)
        ):
            out.append(Says(a.at, b.at, float(worth[row])))
    return out, left


def _holds(more: Statement, less: Statement, names: tuple[str, ...]) -> bool:
    """Whether a statement has every value, name and piece of code of another."""
    said = covers(more.facts[0].content, less.facts[0].content, names)
    whole = less.values.keys() <= more.values.keys() and _has_code(less, more)
    return said and whole and _sides(less).items() <= _sides(more).items()


def _sides(statement: Statement) -> dict[str, bool]:
    """Each name that is mentioned -> whether it stands before the subject: `Ada reports to Bo`, `Bo reports to Ada`."""
    shape, words = statement.reading.shape, statement.reading.words
    subject = shape.index(SUBJECT) if SUBJECT in shape else -1
    return {word: at < subject for at, word in enumerate(words) if shape[at] == NAME}


_CODE = re.compile(r"`([^`]+)`")


def _has_code(one: Statement, other: Statement) -> bool:
    """Whether a statement has all that another quotes as code: `run a.py` is not `run b.py`, nor `run a.py --fast`."""
    held = " ".join(other.facts[0].content.casefold().split())
    return all(" ".join(code.casefold().split()) in held for code in _CODE.findall(one.facts[0].content))


def _told(one: Group, evidence: Evidence) -> Told:
    """When the whole of a group was told; pieces of it may be pieces of another."""
    return evidence.tellings.joined(sorted(one.whole))


def _changes(
    evidence: Evidence, calibration: Calibration, cuts: Cuts, groups: Sequence[Group]
) -> tuple[dict[int, _Change], dict[tuple[int, int], str], list[Open]]:
    """Group -> the change that ended it; pairs of groups that contradict each other; what is open."""
    older, newer, table = evidence.in_time()
    worth = calibration.replaces.probability(table, signals.SIGNALS)
    timeless = calibration.replaces.probability(as_if_later(table), signals.SIGNALS)
    place = {statement.at: at for at, one in enumerate(groups) for statement in one.members}
    told = [_told(one, evidence) for one in groups]
    changes: dict[int, _Change] = {}
    disputes: dict[tuple[int, int], str] = {}
    left: list[Open] = []
    denied = _denied(table)
    of_file = np.array([evidence.said[at].facts[0].source.startswith("file:") for at in older.tolist()], dtype=np.bool_)
    worth = np.maximum(worth, np.where(_edited(table) & of_file, EDITED, 0.0))
    records = _records(table)
    worth, timeless = np.where(records, 0.0, worth), np.where(records, 0.0, timeless)
    led_in = table[:, _SIGNAL["led_b"]] > 0
    cuts_of = np.where(table[:, _SIGNAL["ratio"]] >= _ALIKE, cuts.replaces, np.where(led_in, cuts.told, cuts.unlike))
    for row in np.flatnonzero((worth >= REJECT) | (timeless >= cuts_of) | denied).tolist():
        cut = cuts_of[row]
        a, b = int(older[row]), int(newer[row])
        old, new = place.get(a), place.get(b)
        if old is None or new is None or old == new or a not in groups[old].whole:
            continue
        slot = evidence.slot[row % len(evidence.slot)]
        in_turn = told[old].last < told[new].first and told[old].occasions.isdisjoint(told[new].occasions)
        if worth[row] >= cut and in_turn and _may_replace(groups[old], groups[new]):
            known = changes.get(old)
            if known is None or known.probability < worth[row]:
                changes[old] = _Change(old, new, slot, float(worth[row]))
        elif (timeless[row] >= cut and worth[row] >= REJECT) or denied[row]:
            if told[old].occasions.isdisjoint(told[new].occasions):
                disputes[min(old, new), max(old, new)] = slot
        elif REJECT <= worth[row] < cut and in_turn:
            facts = evidence.said[a].facts[0].id, evidence.said[b].facts[0].id
            left.append(Open("replaces", *facts, float(worth[row])))
    return changes, disputes, left


def _edited(table: Table) -> NDArray[np.bool_]:
    """Pairs of lines of one file and heading that differ in one value, told later, neither in a row of such lines."""
    same = (table[:, _SIGNAL["same_aspect"]] > 0) & (table[:, _SIGNAL["same_source"]] > 0)
    value = (table[:, _SIGNAL["one_value"]] > 0) & (table[:, _SIGNAL["ratio"]] >= 0.9)
    alone = (table[:, _SIGNAL["alike_together_a"]] == 0) & (table[:, _SIGNAL["alike_together_b"]] == 0)
    return np.asarray(same & value & alone)


def _records(table: Table) -> NDArray[np.bool_]:
    """Pairs that are about two things, or two entries of a record, so that neither replaces the other.

    Under dated headings each line is a record of its day. Lines with two labels are about what the labels name.
    """
    dated = (table[:, _SIGNAL["same_aspect"]] == 0) & (table[:, _SIGNAL["aspect_bare"]] > 0)
    return np.asarray(dated | (table[:, _SIGNAL["same_label"]] == 0))


def _denied(table: Table) -> NDArray[np.bool_]:
    """Pairs that differ in a word that denies or narrows and in nothing else: `eats nuts`, `never eats nuts`."""
    kinds = ("number", "date", "time", "name", "word", "change", "intent")
    same = np.ones(len(table), dtype=np.bool_)
    for side in "ab":
        for kind in kinds:
            same &= table[:, _SIGNAL[f"{kind}_{side}"]] == 0
    denying = table[:, _SIGNAL["negation_a"]] + table[:, _SIGNAL["negation_b"]]
    shared = table[:, [_SIGNAL[f"{kind}_both"] for kind in kinds]].sum(axis=1)
    return np.asarray(same & (denying > 0) & (shared > 0))


def _may_replace(old: Group, new: Group) -> bool:
    """Whether what a person told is replaced by what a person told, and nothing by a guest."""
    told_by_person = any(fact.authority == "user" for s in old.members for fact in s.facts)
    by_person = any(fact.authority == "user" for s in new.members for fact in s.facts)
    return by_person or not told_by_person


def _at_home(groups: Sequence[Group]) -> dict[int, int]:
    """Fact that hangs on something else -> the fact that says the same of the entity it is about."""
    out: dict[int, int] = {}
    for one in groups:
        if one.survivor.id >= 0:
            for statement in one.members:
                out.update((~fact.id, one.survivor.id) for fact in statement.facts if fact.id < 0)
    return out


def _drop(empty: Sequence[tuple[int, str]], copies: Mapping[int, int], findings: FactFindings) -> None:
    """Report empty subjects; `copies` go into the facts that say the same elsewhere, whatever they were before."""
    findings.junk_subjects.extend(empty)
    into = {loser: survivor for loser, survivor, _ in findings.duplicates}
    findings.duplicates[:] = [found for found in findings.duplicates if found[0] not in copies]
    findings.superseded[:] = [found for found in findings.superseded if found[0] not in copies]
    findings.contradictions[:] = [c for c in findings.contradictions if c[0] not in copies and c[1] not in copies]
    for fact, target in sorted(copies.items()):
        findings.slots.pop(fact, None)
        findings.duplicates.append((fact, into.get(target, target), "copied notes"))


def _report(
    groups: Sequence[Group],
    changes: Mapping[int, _Change],
    disputes: Mapping[tuple[int, int], str],
    findings: FactFindings,
) -> None:
    for place, one in enumerate(groups):
        survivor = one.survivor
        if survivor.id < 0:
            continue
        for statement in one.members:
            how = "copy" if survivor in statement.facts else "says the same"
            for fact in statement.facts:
                if fact.id != survivor.id and fact.id >= 0 and not fact.protected and fact.authority != "user":
                    findings.duplicates.append((fact.id, survivor.id, how))
        change = changes.get(place)
        if change is None or groups[change.new].survivor.id < 0:
            continue
        slot = f"{one.entity}:{change.slot}" if change.slot else ""
        new = groups[change.new].survivor
        findings.slots[new.id] = slot
        stay = [f for s in one.members for f in s.facts if f.id == survivor.id or f.protected or f.authority == "user"]
        for fact in stay:
            if fact.protected:
                findings.contradictions.append((fact.id, new.id, slot))
            elif fact.id >= 0:
                findings.superseded.append((fact.id, new.id, slot, "a later telling"))
    over = set(changes)
    for (a, b), slot in sorted(disputes.items()):
        first, second = groups[a].survivor.id, groups[b].survivor.id
        if first >= 0 and second >= 0 and a not in over and b not in over:
            findings.contradictions.append((first, second, f"{groups[a].entity}:{slot}"))
