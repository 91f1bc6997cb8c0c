"""The judgement of facts: three questions, each a score over measured signals, cut inside an error budget.

Does another say all that this says; did a newer one replace it; does it say nothing. What is sure enough is done, what
lies in between is left as it is and may be asked about. In doubt, everything stays.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from graphdream.facts import emptiness, signals
from graphdream.facts.calibration import Calibration
from graphdream.facts.cuts import Cuts
from graphdream.facts.endings import Replaced
from graphdream.facts.evidence import Evidence, gather_evidence
from graphdream.facts.groups import Group, group
from graphdream.facts.holders import WordStock, anchored, find_empty, guests
from graphdream.facts.model import Fact, FactFindings, Subject
from graphdream.facts.odds import odds_of
from graphdream.facts.pairsjudged import edited_into, judge_pairs
from graphdream.facts.reading import TYPED, ReadingMemory
from graphdream.facts.replaced import find_replaced
from graphdream.facts.says import find_says
from graphdream.facts.settings import is_setting
from graphdream.facts.statements import Statement, StatementMaker
from graphdream.facts.words import NARROWS, NEGATIONS, QUANTIFIERS
from graphdream.graph.categories import FOLDER, GENERAL

_ANSWERS = NEGATIONS | QUANTIFIERS
"""Words that answer by themselves what an aspect asks."""
_ONE_ENTITY = 1.5
"""Entities of which something is said, up to which it is said of one: a logarithm has lost its last digits."""
_FEW = 200
"""Statements of a memory that is small: the scorer has learned what a talk is from graphs of thousands."""


def judge(
    facts: Sequence[Fact],
    subjects: Sequence[Subject],
    calibration: Calibration,
    whole_words: Collection[str] = (),
    memory: ReadingMemory | None = None,
    cuts: Cuts | None = None,
    past: Sequence[Fact] = (),
) -> FactFindings:
    """Findings over active facts.

    Args:
        facts: the active facts, which are judged.
        subjects: the entities they hang on.
        calibration: the scorers.
        whole_words: words of running texts.
        memory: readings of an earlier look; it changes nothing but the time that this one takes.
        cuts: where the questions are cut.
        past: facts that are history; how questions are answered in this memory is learned from them too.
    """
    cuts = cuts or Cuts()
    evidence, anchors = weigh(facts, subjects, whole_words, memory or ReadingMemory(), past)
    said = evidence.said
    names = {subject.id: subject.names for subject in subjects}
    empty = find_worthless(evidence, calibration, cuts)
    odds = odds_of(evidence, calibration.same, calibration.replaces, calibration.second.replaces)
    pairs = judge_pairs(evidence, calibration, odds, cuts)
    over = edited_into(evidence, pairs, cuts) | np.concatenate([pairs.over, pairs.over])
    says, open_same = find_says(evidence, calibration.same, calibration.replaces, odds.same, cuts, names, over)
    groups = group(said, says, names, empty.keys())
    folders = {subject.id for subject in subjects if subject.type == FOLDER}
    replaced = find_replaced(evidence, calibration, cuts, groups, odds, pairs, folders)
    findings = FactFindings()
    for at in sorted(empty):
        findings.junk.extend((fact.id, "says nothing") for fact in said[at].facts if fact.id >= 0)
    _report(groups, replaced, findings)
    findings.open.extend(open_same + replaced.left)
    words = WordStock((fact.content for fact in facts), (name for s in subjects for name in s.names))
    gone = {fact for fact, _ in findings.junk}
    elsewhere = _at_home(groups)
    nothing, copies = find_empty(facts, subjects, gone, elsewhere, anchors, words)
    notes = {fact.id for fact in facts if fact.source.startswith("file:")} - gone
    _drop(nothing, {fact: target for fact, target in elsewhere.items() if fact in notes} | copies, findings)
    return findings


def weigh(
    facts: Sequence[Fact],
    subjects: Sequence[Subject],
    whole_words: Collection[str],
    memory: ReadingMemory,
    past: Sequence[Fact],
) -> tuple[Evidence, frozenset[int]]:
    """What is measured of facts before anything is judged of them: arguments as in `judge`; and where they are at home
    (`holders.anchored`)."""
    there = {subject.id for subject in subjects}
    known = [fact for fact in past if fact.entity in there]
    maker = StatementMaker(facts, subjects, memory, known)
    anchors = anchored(facts, subjects, maker)
    visitors = guests(facts, subjects, anchors)
    return gather_evidence(facts, visitors, subjects, maker, whole_words, known, kept=memory.pairs), anchors


def find_worthless(evidence: Evidence, calibration: Calibration, cuts: Cuts) -> dict[int, float]:
    """Statements that say nothing, and how sure that is; never what a person told, pinned, a constraint, all that an
    aspect says, or a setting of one entity; what several have may be how a talk goes (`assistant: sure`), but a small
    memory does not show how: there three doors may be `blue`."""
    worth = calibration.empty.probability(evidence.alone, emptiness.SIGNALS)
    sure = np.flatnonzero(worth >= emptiness.cuts_of(evidence.said, evidence.alone, cuts)).tolist()
    recurs = evidence.alone[:, emptiness.SIGNALS.index("recurs")] > np.log1p(_ONE_ENTITY)
    if len(evidence.said) < _FEW:
        sure = [at for at in sure if not recurs[at] or emptiness.shows_a_cut(evidence.alone[at])]
    kept = _narrowed(evidence, sure) | {at for at in sure if _is_kept(evidence.said[at], recurs=bool(recurs[at]))}
    return {at: float(worth[at]) for at in sure if at not in kept}


def _narrowed(evidence: Evidence, sure: Collection[int]) -> set[int]:
    """Those of some statements with which another begins that goes on to narrow it: `eats fish`, beside `eats fish only
    on Fridays`. It was not cut out of that, since it says more."""
    one, other, table = evidence.both_ways()
    begun = np.isin(one, list(sure)) & (table[:, signals.SIGNALS.index("begins_a")] > 0)
    out = set[int]()
    for row in np.flatnonzero(begun).tolist():
        less, more = (evidence.said[int(side[row])].reading.words for side in (one, other))
        if not NARROWS.isdisjoint(frozenset(more) - frozenset(less)):
            out.add(int(one[row]))
    return out


def _is_kept(statement: Statement, *, recurs: bool) -> bool:
    told = any(fact.authority == "user" for fact in statement.facts)
    is_answer = _answers_its_aspect(statement) or (is_setting(statement) and not recurs)
    return statement.protected or told or is_answer


def _answers_its_aspect(statement: Statement) -> bool:
    """Whether it is nothing but what answers an aspect that asks for it: values (`41%` under `progress`), that there is
    none (`no` under `allergies`), or a letter (`B` under `channel`)."""
    shape, words = statement.reading.shape, statement.reading.words
    if statement.aspect != GENERAL and len(words) == 1 and len(words[0]) == 1 and words[0].isalpha():
        return True
    return bool(shape) and statement.aspect != GENERAL and all(kind in TYPED or kind in _ANSWERS for kind in shape)


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
    replaced: Replaced,
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
        change = replaced.changes.get(place)
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
    over = replaced.changes.keys()
    for (a, b), slot in sorted(replaced.disputes.items()):
        first, second = groups[a].survivor.id, groups[b].survivor.id
        if first >= 0 and second >= 0 and a not in over and b not in over:
            findings.contradictions.append((first, second, f"{groups[a].entity}:{slot}"))
