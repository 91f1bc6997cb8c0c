"""One round of judgement over the active facts of a graph: what each statement is, and what follows from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from graphdream.facts.changes import Change, find_changes, without_former
from graphdream.facts.duplicates import Comparer, candidates
from graphdream.facts.groups import Group, group
from graphdream.facts.holders import WordStock, anchored, find_empty, guests
from graphdream.facts.junk import JunkJudge
from graphdream.facts.links import Link, WordRoles, find_links
from graphdream.facts.model import Fact, FactFindings, Subject
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.relations import Form, find_forms
from graphdream.facts.skeletons import Skeletons, skeletons
from graphdream.facts.slots import SlotFindings, find_slots
from graphdream.facts.statements import Statement, StatementMaker
from graphdream.facts.telling import TellingValues
from graphdream.facts.told import told_by_grammar
from graphdream.graph.name_gate import name_fault

_LONGEST_CHAIN = 3
"""Changes of one value told one after the other (from A to B, from B to C) that are followed, at most."""


def judge(
    facts: Sequence[Fact],
    subjects: Sequence[Subject],
    whole_words: Collection[str] = (),
    memory: ReadingMemory | None = None,
) -> FactFindings:
    """Findings over active facts, from what these facts show by themselves.

    Read, link sentence forms, tell changes, set junk aside, group what says the same, and order what answers the
    same question in time.

    Args:
        facts: active facts only.
        subjects: the entities they hang on.
        whole_words: words that are whole, however rare.
        memory: readings of an earlier look; it changes nothing but the time that this one takes.
    """
    maker = StatementMaker(facts, subjects, memory or ReadingMemory())
    anchors = anchored(facts, subjects, maker)
    said = maker.make([*facts, *guests(facts, subjects, anchors)])
    found = skeletons([s.reading for s in said], [s.entity for s in said])
    links = find_links(said, found)
    roles = WordRoles(said, links)
    changes: list[Change] = []
    for _ in range(_LONGEST_CHAIN):
        more = find_changes(said, roles)
        if not more:
            break
        changes += more
        said = _as_of_now(said, more)
    if changes:
        found = skeletons([s.reading for s in said], [s.entity for s in said])
        links = find_links(said, found)
        roles = WordRoles(said, links)
    # Junk goes first: a fragment must neither stand for a fact nor count as a mention of its value.
    forms = find_forms(said, found, links, roles)
    comparer = Comparer(links, roles, forms, TellingValues(said, roles), [(c.teller, c.former) for c in changes])
    junk = _junk(said, links, forms, found, subjects, whole_words)
    sound = [statement for statement in said if statement.at not in junk]
    same = [verdict for a, b in candidates(sound) if (verdict := comparer.compare(said[a], said[b])) is not None]
    groups, vague = group(sound, same, {subject.id: subject.names for subject in subjects})
    junk |= dict.fromkeys(vague, "may be the beginning of several facts")
    changes += told_by_grammar(groups, changes)
    types = {subject.id: subject.type for subject in subjects}
    slots = find_slots(groups, forms, changes, types, {s.id for s in subjects if _may_be_several(s)})
    findings = FactFindings()
    for at, why in sorted(junk.items()):
        findings.junk.extend((fact.id, why) for fact in said[at].facts if fact.id >= 0)
    _report(groups, slots, findings)
    words = WordStock((fact.content for fact in facts), (name for s in subjects for name in s.names))
    gone = {fact for fact, _ in findings.junk}
    elsewhere = _at_home(groups)
    empty, copies = find_empty(facts, subjects, gone, elsewhere, anchors, words)
    notes = {fact.id for fact in facts if fact.source.startswith("file:")} - gone
    _drop(empty, {fact: target for fact, target in elsewhere.items() if fact in notes} | copies, findings)
    return findings


def _may_be_several(subject: Subject) -> bool:
    """Whether a person is known by one word only: several people may share it, and their facts were taken for one's."""
    return subject.type == "person" and all(len(name.split()) == 1 for name in subject.names)


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


def _junk(
    said: Sequence[Statement],
    links: Sequence[Link],
    forms: Sequence[Sequence[Form]],
    found: Skeletons,
    subjects: Sequence[Subject],
    whole_words: Collection[str],
) -> dict[int, str]:
    """Unprotected statements that state nothing, and why."""
    whole = {link.a for link in links} | {link.b for link in links}
    whole |= {at for at, known in enumerate(forms) if known}
    judge = JunkJudge(
        said,
        whole=whole,
        formed=set(found.statement.tolist()),
        faulty={s.id for s in subjects if not s.pinned and all(name_fault(name) for name in s.names)},
        subjects=subjects,
        whole_words=whole_words,
    )
    return {
        statement.at: why
        for statement in said
        if not statement.protected and (why := judge.fault(statement)) is not None
    }


def _as_of_now(said: Sequence[Statement], changes: Sequence[Change]) -> list[Statement]:
    """The statements, those that tell of a change read without the value that no longer holds."""
    former: dict[int, set[int]] = defaultdict(set)
    for change in changes:
        former[change.teller] |= change.places
    out = []
    for statement in said:
        places = former.get(statement.at)
        if places:
            old = tuple(statement.reading.words[at] for at in sorted(places))
            statement = replace(statement, reading=without_former(statement.reading, frozenset(places)), former=old)
        out.append(statement)
    return out


def _report(groups: Sequence[Group], slots: SlotFindings, findings: FactFindings) -> None:
    stale = {found.old: found for found in slots.stale}
    for place, one in enumerate(groups):
        survivor = one.survivor
        if survivor.id < 0:
            continue
        for statement in one.members:
            how = one.how.get(statement.at, "copy")
            losers = (f.id for f in statement.facts if f.id != survivor.id and f.id >= 0 and not f.protected)
            findings.duplicates.extend((loser, survivor.id, how) for loser in losers)
        found = stale.get(place)
        if found is not None and groups[found.new].survivor.id >= 0:
            new = groups[found.new].survivor
            for fact in (f for s in one.members for f in s.facts if f.id == survivor.id or f.protected):
                if not fact.protected or (fact.told and new.told):
                    findings.superseded.append((fact.id, new.id, found.slot, found.why))
                else:
                    findings.contradictions.append((fact.id, new.id, found.slot))
        if place in slots.slots:
            findings.slots[survivor.id] = slots.slots[place]
    pairs = ((groups[a].survivor.id, groups[b].survivor.id, slot) for a, b, slot in slots.conflicts)
    findings.contradictions.extend(pair for pair in pairs if pair[0] >= 0 and pair[1] >= 0)
