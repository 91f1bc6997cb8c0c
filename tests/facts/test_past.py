"""Learned from all rows: what a pass has put aside goes on showing how questions are answered in a memory."""

from __future__ import annotations

import numpy as np

from graphdream.facts import emptiness
from graphdream.facts.asked import COLUMNS
from graphdream.facts.edges import COUNTS
from graphdream.facts.evidence import Evidence, gather_evidence
from graphdream.facts.model import Fact, Subject
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.signals import SIGNALS
from graphdream.facts.statements import StatementMaker

NAMES = ("Ada Byron", "Bo Larsen", "Cy Young", "Dee Okafor", "Eli Marsh", "Fay Winter", "Gus Holm", "Hal Dietz")
CITIES = ("Oslo", "Bergen", "Turku", "Malmo", "Aarhus", "Narvik", "Odense", "Vaasa", "Lund")
SUBJECTS = [Subject(id=at, names=(name,), type="person", pinned=False) for at, name in enumerate(NAMES, 1)]


def said(number: int, entity: int, text: str, day: str, status: str = "active") -> Fact:
    return Fact(
        id=number, entity=entity, content=text, aspect="general", kind="attribute", known_at=f"2025-{day}T00:00:00Z",
        source="extraction", session=f"s{day}", confidence=0.8, protected=False, status=status,
    )  # fmt: skip


def lives(status: str) -> list[Fact]:
    """Everybody lived somewhere, and was told later to live somewhere else; `status` of what is over but for the last."""
    facts = []
    for at, subject in enumerate(SUBJECTS):
        last = subject is SUBJECTS[-1]
        facts.append(
            said(
                10 * at + 1,
                subject.id,
                f"{subject.names[0]} lives in {CITIES[at]}",
                f"02-{at + 1:02}",
                "active" if last else status,
            )
        )
        facts.append(said(10 * at + 2, subject.id, f"{subject.names[0]} lives in {CITIES[at + 1]}", f"06-{at + 1:02}"))
    return facts


def of_the_last(facts: list[Fact], *, learning: bool = True) -> dict[str, float]:
    """What the memory shows of the question that the two facts of the last person answer."""
    active = [fact for fact in facts if fact.status == "active"]
    past = [fact for fact in facts if fact.status != "active"] if learning else []
    maker = StatementMaker(active, SUBJECTS, ReadingMemory(), past)
    found = gather_evidence(active, [], SUBJECTS, maker, past=past)
    row = pair_of(found, SUBJECTS[-1].id)
    return {name: float(found.forth[row, SIGNALS.index(name)]) for name in COLUMNS}


def pair_of(found: Evidence, entity: int) -> int:
    rows = [
        row
        for row, (low, high) in enumerate(zip(found.pairs.low.tolist(), found.pairs.high.tolist(), strict=True))
        if found.said[low].entity == found.said[high].entity == entity
    ]
    assert len(rows) == 1
    return rows[0]


def test_what_a_pass_has_superseded_shows_as_much_as_before() -> None:
    """Relearned from what was left, a slot looked like a question with one answer for ever."""
    before, after, forgetting = (
        of_the_last(lives("active")),
        of_the_last(lives("superseded")),
        of_the_last(lives("superseded"), learning=False),
    )
    assert {name: value for name, value in after.items() if not np.isnan(value)} == {
        name: value for name, value in before.items() if not np.isnan(value)
    }
    assert after["frame_tests"] > forgetting["frame_tests"] and after["frame_several"] > forgetting["frame_several"]


def test_history_is_not_judged() -> None:
    facts = lives("absorbed")
    maker = StatementMaker([fact for fact in facts if fact.status == "active"], SUBJECTS, ReadingMemory())
    active = [fact for fact in facts if fact.status == "active"]
    found = gather_evidence(active, [], SUBJECTS, maker, past=[fact for fact in facts if fact.status != "active"])
    assert {fact.id for one in found.said for fact in one.facts} == {fact.id for fact in active}
    assert len(found.alone) == len(found.said)


def test_how_sentences_end_is_learned_from_what_was_put_aside() -> None:
    """Else each look finds fewer whole sentences that end as a short one does, and more of those say nothing."""

    def of_the_newest(facts: list[Fact]) -> list[float]:
        active = [fact for fact in facts if fact.status == "active"]
        past = [fact for fact in facts if fact.status != "active"]
        found = gather_evidence(
            active, [], SUBJECTS, StatementMaker(active, SUBJECTS, ReadingMemory(), past), past=past
        )
        at = next(one.at for one in found.said if one.facts[0].id == facts[-1].id)
        return [float(found.alone[at, emptiness.SIGNALS.index(name)]) for name in (*COUNTS, "recurs", "tail")]

    assert of_the_newest(lives("absorbed")) == of_the_newest(lives("active"))
    assert sum(of_the_newest(lives("active"))) > 0
