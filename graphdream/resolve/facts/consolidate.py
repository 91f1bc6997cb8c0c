"""Consolidation: one list of facts in, one list of findings out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from graphdream.graph.name_gate import name_fault
from graphdream.mutations.specifics import tokens
from graphdream.resolve.facts.changes import Change, find_changes, without_former
from graphdream.resolve.facts.duplicates import Comparer, candidates
from graphdream.resolve.facts.groups import Group, group
from graphdream.resolve.facts.junk import JunkJudge
from graphdream.resolve.facts.links import Link, WordRoles, find_links
from graphdream.resolve.facts.model import Fact, FactFindings, Subject
from graphdream.resolve.facts.relations import Form, find_forms
from graphdream.resolve.facts.skeletons import Skeletons, skeletons
from graphdream.resolve.facts.slots import SlotFindings, find_slots
from graphdream.resolve.facts.statements import Statement, statements

_LONGEST_CHAIN = 3
"""Changes of one value told one after the other (from A to B, from B to C) that are followed, at most."""


def consolidate(facts: Sequence[Fact], subjects: Sequence[Subject], *, corpus: Sequence[str] = ()) -> FactFindings:
    """Find duplicates, junk, stale values and contradictions among facts whose entities are resolved.

    The result depends on the set of facts, not on their order; a second call over what remains active after
    applying it finds nothing.

    Args:
        facts: facts of any status; only active ones are judged.
        subjects: the entities they hang on, after merging.
        corpus: session summaries and other running text, read for how sentences of this memory begin and end.
    """
    active = [fact for fact in facts if fact.status == "active"]
    said, _ = statements(active, subjects)
    found = skeletons([s.reading for s in said], [s.entity for s in said])
    links = find_links(said, found)
    changes: list[Change] = []
    for _ in range(_LONGEST_CHAIN):
        more = find_changes(said, WordRoles(said, links))
        if not more:
            break
        changes += more
        said = _as_of_now(said, more)
        found = skeletons([s.reading for s in said], [s.entity for s in said])
        links = find_links(said, found)
    roles = WordRoles(said, links)
    # Junk goes first: a fragment must neither stand for a fact nor count as a mention of its value.
    forms = find_forms(said, found, links, roles)
    comparer = Comparer(links, roles, forms, [(c.teller, c.former) for c in changes])
    junk = _junk(said, links, forms, found, subjects)
    sound = [statement for statement in said if statement.at not in junk]
    same = [verdict for a, b in candidates(sound) if (verdict := comparer.compare(said[a], said[b])) is not None]
    groups, vague = group(sound, same)
    junk |= dict.fromkeys(vague, "may be the beginning of several facts")
    slots = find_slots(groups, forms, changes)
    findings = FactFindings()
    for at, why in sorted(junk.items()):
        findings.junk.extend((fact.id, why) for fact in said[at].facts)
    _report(groups, slots, findings)
    return findings


def _junk(
    said: Sequence[Statement],
    links: Sequence[Link],
    forms: Sequence[Sequence[Form]],
    found: Skeletons,
    subjects: Sequence[Subject],
) -> dict[int, str]:
    """Unprotected statements that state nothing, and why."""
    whole = {link.a for link in links} | {link.b for link in links}
    whole |= {at for at, known in enumerate(forms) if known}
    judge = JunkJudge(
        said,
        whole=whole,
        formed=set(found.statement.tolist()),
        faulty={s.id for s in subjects if not s.pinned and all(name_fault(name) for name in s.names)},
        known={token.text for s in subjects for name in s.names for token in tokens(name)},
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
        for statement in one.members:
            how = one.how.get(statement.at, "copy")
            findings.duplicates.extend(
                (fact.id, survivor.id, how) for fact in statement.facts if fact.id != survivor.id and not fact.protected
            )
        found = stale.get(place)
        if found is not None:
            new = groups[found.new].survivor
            for fact in (f for s in one.members for f in s.facts if f.id == survivor.id or f.protected):
                if not fact.protected:
                    findings.superseded.append((fact.id, new.id, found.slot, found.why))
                else:
                    findings.contradictions.append((fact.id, new.id, found.slot))
        if place in slots.slots:
            findings.slots[survivor.id] = slots.slots[place]
    findings.contradictions.extend(
        (groups[a].survivor.id, groups[b].survivor.id, slot) for a, b, slot in slots.conflicts
    )
