"""What a dream leaves open: the likeliest pairs that nobody could decide, for a person to answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from graphdream.dreamers.folders import told_apart
from graphdream.dreamers.gathered import Gathered
from graphdream.entities.beside import OPEN_PAIRS, Clusters
from graphdream.facts import Open

OPEN = ("open_pairs", "open_facts")  # figures of a pass that are questions
_SAID = frozenset(("first_name", "second_name", "first_text", "second_text"))  # of these, what stands in rows


class OpenPair(TypedDict):
    """Two entities that may be one. `first`, `second`: handles; `probability`: calibrated, 0..1."""

    first: str
    first_name: str
    second: str
    second_name: str
    probability: float


class OpenFacts(TypedDict):
    """Two facts of which one may say the other, or replace it.

    `question`: "same" (does `second` say all that `first` says) or "replaces" (did `second` replace `first`).
    """

    question: str
    first: str
    first_text: str
    second: str
    second_text: str
    probability: float


def open_entities(found: Clusters, view: Gathered) -> dict[str, list[OpenPair]]:
    """The pairs of entities as the figure `open_pairs`, the likeliest first; {} if none is left."""
    name = {str(entity.id): entity.name for entity in view.entities}
    pairs = [
        OpenPair(first=f"e{a}", first_name=name[a], second=f"e{b}", second_name=name[b], probability=round(p, 4))
        for a, b, p in found.likeliest
        if a in name and b in name
    ]
    return {"open_pairs": pairs} if pairs else {}


def open_facts(found: Iterable[Open], view: Gathered) -> dict[str, list[OpenFacts]]:
    """The pairs of facts that a person is asked about, as the figure `open_facts`, the likeliest first; {} if none is
    left."""
    said = {fact.id: fact.content for fact in view.facts}
    asked = [one for one in still_open(found, view) if one.related]
    pairs = [
        OpenFacts(
            question=one.question, first=f"a{one.first}", first_text=said[one.first],
            second=f"a{one.second}", second_text=said[one.second], probability=round(one.probability, 4),
        )
        for one in asked[:OPEN_PAIRS]
    ]  # fmt: skip
    return {"open_facts": pairs} if pairs else {}


def as_kept(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a pass as its record keeps them: what is open by handles alone.

    What these say stands in their rows, which a purge erases; a copy in the sealed record of the pass would stay.
    """
    kept = dict(figures)
    for name in OPEN:
        if name in kept:
            kept[name] = [{key: value for key, value in pair.items() if key not in _SAID} for pair in kept[name]]
    return kept


def still_open(found: Iterable[Open], view: Gathered) -> Sequence[Open]:
    """The pairs of facts that are open, the likeliest first, each pair once.

    A pair on record as a contradiction, or of which a person said that both hold, is open no more.
    """
    there = {fact.id for fact in view.facts}
    asked, are_apart = set(view.contradictions), told_apart(view)
    out: list[Open] = []
    for one in sorted(found, key=lambda one: (-one.probability, one.first, one.second)):
        pair = min(one.first, one.second), max(one.first, one.second)
        if pair not in asked and there >= set(pair) and not are_apart(*pair):
            asked.add(pair)
            out.append(one)
    return out
