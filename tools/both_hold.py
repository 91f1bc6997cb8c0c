"""Small memories of told facts of which many hold beside each other: what scorers are taught doubt by.

    python tools/both_hold.py fixtures/both_hold/en.toml OUT.jsonl.gz --seed 1

In the bloated graphs the subject of a sentence is nearly always its entity, and what is told anew replaces what was
told before. What people tell is also of the rooms, plants and persons around them, and narrowed: to Sundays, to guests,
to winter. A word pack says how such things are told in one language; here it is drawn what is told when. A relation
that is not `about` a sort of things is told of the entity itself: there more is replaced, and what is told beside it is
a plan, a rumour or somebody else's. Beside OUT the truth is written, in the format of the bloated graphs
(`OUT.gold.jsonl.gz`).
"""

from __future__ import annotations

import argparse
import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import told_rows
from told_rows import Row

TYPES = ("person", "project", "place", "organization", "concept")
FOLLOWS = {"nothing": 20, "change": 24, "part": 20, "subject": 20, "other": 16}
"""How often what becomes of a thing told of something around an entity, in a hundred."""
FOLLOWS_OWN = {"nothing": 18, "change": 42, "part": 16, "other": 24}
"""The same of what is told of the entity itself; of several answers, half of those that are not over are joined."""
TOLD_AGAIN = 0.3
"""Share of the things told that are told again, later, and of those that hold beside a newer one, after it."""
WORDED = 0.5
"""Share of changes that are told as changes; the others tell what holds now."""
YEAR = 360
QUESTIONS = 5.0
"""Questions told of an entity beside one, on average."""


@dataclass(frozen=True, slots=True)
class Pack:
    """How things are told in one language: see the comments of a pack."""

    name: str
    entities: Sequence[str]
    aspects: Sequence[str]
    sorts: Mapping[str, Sequence[str]]
    values: Mapping[str, Sequence[str]]
    circumstances: Mapping[str, Sequence[str]]
    relations: Sequence[Mapping[str, Any]]
    stop: str = "."

    @classmethod
    def read(cls, path: Path) -> Pack:
        """A pack from its file."""
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        named = {key: found[key] for key in ("entities", "aspects", "sorts", "values", "circumstances", "relations")}
        return cls(path.stem, **named, stop=found.get("stop", "."))


@dataclass(slots=True, eq=False)
class Thing:
    """One thing that is told: by these sentences, on these days.

    Attributes:
        relation: what it answers.
        aspect: the heading it is told under.
        successor: what replaced it, if anything did.
        also: what its sentences may say besides.
    """

    relation: str
    texts: Sequence[str]
    days: list[int]
    aspect: str
    successor: Thing | None = None
    also: Thing | None = None


class _Teller:
    """Draws what is told of one entity."""

    def __init__(self, pack: Pack, entity: str, draw: random.Random) -> None:
        self._pack, self._entity, self._draw = pack, entity, draw
        self._asked: set[tuple[int, str]] = set()

    def tell(self, threads: int) -> list[Thing]:
        """Things told of some subjects, in the order of the threads."""
        return [thing for _ in range(threads) for thing in self._thread()]

    def _thread(self) -> list[Thing]:
        draw = self._draw
        at = draw.randrange(len(self._pack.relations))
        relation = self._pack.relations[at]
        own = "about" not in relation
        subject = "" if own else draw.choice(self._pack.sorts[relation["about"]])
        if (at, subject) in self._asked:
            return []
        self._asked.add((at, subject))
        values = draw.sample(self._pack.values[relation["value"]], 3)
        day = draw.randrange(YEAR // 2)
        words = {"s": subject, "v": values[0]}
        first = self._thing(f"{at} {subject}", relation["forms"], words, day, relation)
        day = first.days[-1] + self._gap()
        odds = FOLLOWS_OWN if own else FOLLOWS
        follows = draw.choices(list(odds), weights=list(odds.values()))[0]
        if follows == "nothing":
            return [first]
        if follows == "change":
            return self._changed(at, first, subject, values, day)
        if own and relation.get("several") and draw.random() < 0.5:
            follows = "subject"
        beside = self._beside(follows, at, first, subject, values, day)
        if beside and draw.random() < TOLD_AGAIN:
            first.days.append(beside[-1].days[-1] + self._gap())
        return [first, *beside]

    def _changed(self, at: int, first: Thing, subject: str, values: Sequence[str], day: int) -> list[Thing]:
        """What replaced the first, and at times what replaced that in turn."""
        relation, out = self._pack.relations[at], [first]
        for former, value in pairwise(values):
            worded = relation.get("several") or self._draw.random() < WORDED
            words = {"s": subject, "u": former, "v": value}
            newer = self._thing(first.relation, relation["changed" if worded else "forms"], words, day, relation)
            out[-1].successor = newer
            out.append(newer)
            day = newer.days[-1] + self._gap()
            if self._draw.random() < 0.6:
                break
        return out

    def _beside(self, how: str, at: int, first: Thing, subject: str, values: Sequence[str], day: int) -> list[Thing]:
        """What holds beside what was told first."""
        draw, relation = self._draw, self._pack.relations[at]
        other = subject
        if "about" in relation:
            free = [one for one in self._pack.sorts[relation["about"]] if (at, one) not in self._asked]
            if not free:
                return []
            other = draw.choice(free)
        if how == "subject":
            self._asked.add((at, other))
            if relation.get("several") and draw.random() < 0.5:
                other = subject
            worded = other != subject and draw.random() < WORDED / 2
            value = values[1] if worded or other == subject else values[draw.random() < 0.75]
            words = {"s": other, "u": values[0], "v": value}
            forms = relation["changed" if worded else "forms"]
            return [self._thing(f"{at} {other} {value}", forms, words, day, relation)]
        words = {"s": subject, "t": other, "u": values[0], "v": values[1], "c": self._circumstance(relation)}
        if how == "other":
            self._asked.add((at, other))
            form = draw.choice(relation.get("other") or relation["part"])
            beside = self._thing(f"{at} {form}", [form], words, day, relation)
            beside.also = first if "{u}" in form else None
            return [beside]
        narrowed = self._thing(f"{at} {subject} {words['c']}", relation["part"], words, day, relation)
        if draw.random() < 0.75:
            return [narrowed]
        plain = [form for form in relation["part"] if "{u}" not in form] or relation["part"]
        words = {**words, "u": values[1], "v": values[2]}
        newer = self._thing(narrowed.relation, plain, words, narrowed.days[-1] + self._gap(), relation)
        narrowed.successor = newer
        return [narrowed, newer]

    def _circumstance(self, relation: Mapping[str, Any]) -> str:
        return self._draw.choice(self._pack.circumstances[self._draw.choice(relation["circumstances"])])

    def _thing(
        self, asked: str, forms: Sequence[str], words: Mapping[str, str], day: int, relation: Mapping[str, Any]
    ) -> Thing:
        times = 1 + (self._draw.random() < TOLD_AGAIN) + (self._draw.random() < TOLD_AGAIN / 3)
        days = [day]
        for _ in range(times - 1):
            days.append(days[-1] + self._gap())
        said = {**words, "e": self._entity}
        texts = [self._written(form.format_map(said)) for form in self._draw.choices(forms, k=4)]
        aspect = relation["aspect"] if self._draw.random() < 0.4 else self._draw.choice(self._pack.aspects)
        return Thing(asked, texts, days, aspect)

    def _written(self, text: str) -> str:
        if self._draw.random() < 0.7:
            text = text[0].upper() + text[1:]
        return text + self._pack.stop if self._draw.random() < 0.4 and text[-1].isalnum() else text

    def _gap(self) -> int:
        return 1 + int(self._draw.expovariate(1 / 30))


def make(pack: Pack, entities: int, seed: int, questions: float = QUESTIONS) -> tuple[list[Row], list[Row]]:
    """A memory and its truth, as rows of the bloated graphs' format; of each entity one question is told and, on
    average, so many more."""
    draw = random.Random(f"{pack.name} {seed}")
    rows: list[Row] = [
        {"kind": "meta", "format": "graphdream-bloat/1", "profile": "told", "vocab": f"hold-{pack.name}"}
    ]
    truth: list[Row] = [{"kind": "gold_meta", "format": "graphdream-bloat/1", "vocab": f"hold-{pack.name}"}]
    for number in range(entities):
        name = pack.entities[number % len(pack.entities)]
        name = name if number < len(pack.entities) else f"{name} {number // len(pack.entities) + 1}"
        things = _Teller(pack, name, draw).tell(1 + int(draw.expovariate(1 / questions)))
        for whole, part in zip((rows, truth), _rows(number, name, things, draw), strict=True):
            whole += part
    return rows, truth


def _rows(number: int, name: str, things: Sequence[Thing], draw: random.Random) -> tuple[list[Row], list[Row]]:
    """An entity, its aspects and every telling of every thing, as rows; and their truth."""
    key, cluster = f"ent_{number:05d}", f"c{number:05d}"
    ids = {thing: f"f{number:05d}{at:03d}" for at, thing in enumerate(things)}
    aspects: dict[str, str] = {}
    tellings: list[Row] = []
    truth = told_rows.true_entity(key, cluster, name)
    for thing in things:
        newer, also = (ids[one] if one else None for one in (thing.successor, thing.also))
        truth.append(told_rows.true_fact(ids[thing], cluster, thing.relation, newer))
        for day in thing.days:
            aspect = aspects.setdefault(thing.aspect, f"asp_{number:05d}{len(aspects):03d}")
            row, session = f"att_{number:05d}{len(tellings):04d}", f"ses_{number:05d}{day}"
            said, confidence, when = draw.choice(thing.texts), round(draw.uniform(0.7, 0.95), 2), _at(day, draw)
            tellings.append(told_rows.telling(row, key, aspect, said, when, session=session, confidence=confidence))
            truth.append(told_rows.true_telling(row, ids[thing], also))
    first = min((row["created_at"] for row in tellings), default=_at(0, draw))
    homes = [(aspect, heading) for heading, aspect in aspects.items()]
    return [*told_rows.entity(key, name, draw.choice(TYPES), first, homes), *tellings], truth


def _at(day: int, draw: random.Random) -> str:
    moment = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=day, minutes=draw.randrange(1440))
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def main(argv: Sequence[str] | None = None) -> None:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(description="Memories of told facts of which many hold beside each other.")
    parser.add_argument("pack", type=Path, help="a word pack, fixtures/both_hold/*.toml")
    parser.add_argument("out", type=Path, help="OUT.jsonl.gz; the truth goes to OUT.gold.jsonl.gz")
    parser.add_argument("--entities", type=int, default=240)
    parser.add_argument("--questions", type=float, default=QUESTIONS, help="told of an entity beside one, on average")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    rows, truth = make(Pack.read(args.pack), args.entities, args.seed, args.questions)
    told_rows.write(args.out, rows, truth)


if __name__ == "__main__":
    main()
