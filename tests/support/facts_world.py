"""A small made-up memory in which every relation is said in several ways, for the tests of fact consolidation."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphdream.facts import Fact, FactFindings, Subject, consolidate
from graphdream.facts.reading import Reading, ReadingMemory
from graphdream.facts.statements import StatementMaker

CITIES = "Porto Ghent Turin Graz Brno Lund Cork Bath Nice Bonn Lviv Riga Oulu Pisa Split".split()
GIVEN = "Ada Bela Cleo Dora Elif Finn Gaia Hugo Iris Juno Karl Lena Milo Nora Otto Pia Quin Rosa Sven Tara".split()
FAMILY = (
    "Abend Birk Calder Dahl Ewing Falk Gale Hart Ives Joss Kerr Lund Moss Nash Orr Pell Quist Rand Stow Thorn".split()
)
DRINKS = [
    "green tea",
    "a flat white",
    "cold cocoa",
    "black coffee",
    "oat milk",
    "ginger beer",
    "mint syrup",
    "elder wine",
]
HOME = ["{n} lives in {v}", "home base is {v}", "{n} is settled in {v}", "mail for {n} goes to {v}"]
DRINK = ["{n} always orders {v}", "the usual for {n}: {v}", "{n} never refuses {v}"]
MOVED = "{n} moved to {v} from {old}"


def fact(number: int, entity: int, content: str, day: int = 1, **changes: object) -> Fact:
    """A plain fact, learned on a day of 2025 (1..365)."""
    made = Fact(
        id=number,
        entity=entity,
        content=content,
        aspect="general",
        kind="attribute",
        known_at=f"2025-{(day - 1) // 28 + 1:02d}-{(day - 1) % 28 + 1:02d}T12:00:00Z",
        source="extraction",
        session=f"ses_{day}",
        confidence=0.8,
        protected=False,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def told_weeks_apart(before: str, after: str, *, weeks: int = 6, besides: str = "") -> list[Fact]:
    """Two facts of entity 1, told in two sessions, and two that have nothing to do with them.

    Args:
        besides: what the other two begin with.
    """
    others = (f"{besides}hums when it rains", f"{besides}keeps old maps")
    told = [fact(0, 1, before, day=2), fact(1, 1, after, day=2 + 7 * weeks, session="ses_later")]
    return told + [fact(2 + at, 1, text, day=2) for at, text in enumerate(others)]


ONDREA = Subject(1, ("Ondrea",), "person", False)


def judged_weeks_apart(before: str, after: str) -> FactFindings:
    """What is found of two facts of Ondrea that were told weeks apart (`told_weeks_apart`)."""
    return consolidate(told_weeks_apart(before, after), [ONDREA])


def ends_it(before: str, after: str) -> bool:
    """Whether the newer of two facts of Ondrea replaced the older, and nothing else became of them."""
    found = judged_weeks_apart(before, after)
    return [one[:2] for one in found.superseded] == [(0, 1)] and not found.duplicates and not found.junk


def both_stay(before: str, after: str) -> bool:
    """Whether nothing became of two facts of Ondrea."""
    found = judged_weeks_apart(before, after)
    return not (found.superseded or found.duplicates or found.junk)


def is_asked(before: str, after: str) -> bool:
    """Whether a person is asked if the newer of two facts of Ondrea replaced the older, which stays."""
    found = judged_weeks_apart(before, after)
    asked = [(one.first, one.second) for one in found.open if one.question == "replaces" and one.related]
    return (0, 1) in asked and not found.superseded


def person(entity: int) -> Subject:
    """The n-th person of the world."""
    name = f"{GIVEN[entity % len(GIVEN)]} {FAMILY[entity // len(GIVEN) % len(FAMILY)]}"
    return Subject(entity, (name,), "person", False)


def world(people: int = 60, seed: int = 1) -> tuple[list[Fact], list[Subject]]:
    """People who each live somewhere and drink something, both said about twice; a third of them moved once.

    A stale statement is never repeated after the move.
    """
    rng = random.Random(seed)
    facts: list[Fact] = []
    subjects = [person(entity) for entity in range(1, people + 1)]
    for subject in subjects:
        name = subject.names[0]

        def say(frame: str, day: int, *, subject: Subject = subject, name: str = name, **values: str) -> None:
            content = frame.format(n=rng.choice([name, name.split()[0]]), **values)
            facts.append(fact(len(facts), subject.id, content, day))

        old, new = rng.sample(CITIES, 2)
        moved = rng.random() < 0.4
        start = rng.randint(150, 200) if moved else rng.randint(1, 200)
        if moved:
            for frame in rng.sample(HOME, 2):
                say(frame, rng.randint(1, 100), v=old)
            say(MOVED, start, v=new, old=old)
        for frame in rng.sample(HOME, 2):
            say(frame, start + rng.randint(1, 60), v=new)
        drink = rng.choice(DRINKS)
        for frame in rng.sample(DRINK, 2):
            say(frame, rng.randint(1, 300), v=drink)
    return facts, subjects


def left(facts: Iterable[Fact], found: FactFindings) -> list[Fact]:
    """What stays active after the findings are applied."""
    gone = {loser for loser, _, _ in found.duplicates}
    gone |= {number for number, _ in found.junk} | {old for old, _, _, _ in found.superseded}
    empty = {subject for subject, _ in found.junk_subjects}
    return [f for f in facts if f.id not in gone and f.entity not in empty]


def contents(facts: Sequence[Fact]) -> list[str]:
    """The texts of facts, sorted."""
    return sorted(f.content for f in facts)


def reading_of(text: str) -> Reading:
    """How a fact of Ondrea reads."""
    one = fact(0, 1, text)
    return StatementMaker([one], [ONDREA], ReadingMemory()).make([one])[0].reading
