"""Consolidation: one list of facts in, one list of findings out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphdream.collector import collector_paused
from graphdream.facts.calibration import Calibration, shipped
from graphdream.facts.judge import judge
from graphdream.facts.model import Fact, FactFindings, Subject
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.sittings import in_sittings
from graphdream.facts.statements import held_at
from graphdream.mutations.specifics import tokens

_MOST_ROUNDS = 10
"""Rounds until nothing new is found, at most; generated graphs take two to four."""


def consolidate(
    facts: Sequence[Fact],
    subjects: Sequence[Subject],
    *,
    corpus: Iterable[str] = (),
    most_rounds: int = _MOST_ROUNDS,
    memory: ReadingMemory | None = None,
    calibration: Calibration | None = None,
) -> FactFindings:
    """Find duplicates, junk, stale values and contradictions among facts whose entities are resolved.

    What counts as a sentence form is learned from the facts, and a graph without its copies teaches a little less
    and a little else. So the judgement is repeated over what remains until it finds nothing: then a second call
    finds nothing either, over what remains with what was taken away as its history. The result depends on the set of
    facts, not on their order.

    Args:
        facts: facts of any status; the active ones are judged, and how this memory puts things is learned from all.
            Ids are unique and not negative.
        subjects: the entities they hang on, after merging.
        corpus: session summaries and other running text; a word that stands there is whole, however rare.
        most_rounds: rounds at most; with fewer than it takes, what is left is found by the next call.
        memory: readings of an earlier call about nearly the same facts; it only saves time.
        calibration: another one than the shipped.

    Returns:
        Findings, chains resolved: no survivor and no newer fact is itself a loser.
    """
    facts = in_sittings(facts)
    active = [fact for fact in facts if fact.status == "active"]
    past = [fact for fact in facts if fact.status != "active"]
    present = list(subjects)
    total = FactFindings()
    memory = memory or ReadingMemory()
    whole = frozenset(token.text for text in corpus for token in tokens(text))
    with collector_paused():
        for round_ in range(1, most_rounds + 1):
            found = judge(active, present, calibration or shipped(), whole, memory, past=past)
            total.duplicates.extend(found.duplicates)
            total.junk.extend(found.junk)
            total.superseded.extend(found.superseded)
            total.junk_subjects.extend(found.junk_subjects)
            total.contradictions.extend(found.contradictions)
            total.open[:] = found.open
            total.slots.update((fact, slot) for fact, slot in found.slots.items() if fact not in total.slots)
            gone = _losers(found)
            dropped = {subject for subject, _ in found.junk_subjects}
            if round_ == most_rounds or not (gone or dropped):
                break
            past += [replace(fact, status="archived") for fact in active if fact.id in gone]
            active = remaining(active, found)
            present = [subject for subject in present if subject.id not in dropped]
    return _resolved(total)


def remaining(facts: Sequence[Fact], found: FactFindings) -> list[Fact]:
    """The facts that stay: survivors as said last when the last of their copies was, newer values as successors."""
    gone = _losers(found)
    held = {fact.id: held_at(fact)[-1] for fact in facts}
    last: dict[int, str] = {}
    for loser, survivor, _ in found.duplicates:
        last[survivor] = max(held[loser], last.get(survivor, ""))
    newer = {new for _, new, _, _ in found.superseded}
    return [
        replace(fact, last_at=max(fact.last_at, last.get(fact.id, "")), successor=fact.successor or fact.id in newer)
        if fact.id in last or fact.id in newer
        else fact
        for fact in facts
        if fact.id not in gone
    ]


def _losers(found: FactFindings) -> set[int]:
    """Facts that a round takes out of the active ones."""
    return {
        *(loser for loser, _, _ in found.duplicates),
        *(fact for fact, _ in found.junk),
        *(old for old, _, _, _ in found.superseded),
    }


def _resolved(total: FactFindings) -> FactFindings:
    """The findings of all rounds as if of one: every loser points at what finally stands for it."""
    into = {loser: survivor for loser, survivor, _ in total.duplicates}
    junk = dict(total.junk)

    def last(fact: int) -> int:
        while fact in into:
            fact = into[fact]
        return fact

    stale = {old for old, _, _, _ in total.superseded}
    ends = ((last(a), last(b), slot) for a, b, slot in total.contradictions)
    disputes = {(min(a, b), max(a, b), slot) for a, b, slot in ends}
    out = FactFindings(
        slots={fact: slot for fact, slot in sorted(total.slots.items()) if fact not in into and fact not in junk},
        contradictions=sorted(
            (a, b, slot) for a, b, slot in disputes if a != b and not {a, b} & stale and not {a, b} & junk.keys()
        ),
        junk_subjects=sorted(total.junk_subjects),
    )
    for loser, _, how in sorted(total.duplicates):
        survivor = last(loser)
        if survivor in junk:
            out.junk.append((loser, junk[survivor]))
        else:
            out.duplicates.append((loser, survivor, how))
    out.junk.extend(total.junk)
    out.junk.sort()
    out.open.extend(sorted(total.open, key=lambda one: (-one.probability, one.first, one.second)))
    out.superseded.extend(sorted((old, last(new), slot, why) for old, new, slot, why in total.superseded))
    return out
