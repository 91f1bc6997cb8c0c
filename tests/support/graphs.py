"""Small graphs for tests, written as a person would write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphdream.graph.store import Store
from graphdream.graph.tables import TABLES
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.mutations.applier import apply_proposals, record_outcomes
from graphdream.mutations.context import Actor, Applying
from graphdream.mutations.outcome import Outcome
from graphdream.mutations.parse import parse_trusted

NOW = "2026-01-01T00:00:00Z"


def clock() -> str:
    return NOW


def apply(
    store: Store,
    bodies: Sequence[dict[str, Any]],
    *,
    actor: Actor = "pass",
    seen_version: int | None = None,
    archive_cap: int | None = None,
    judged: bool = False,
) -> list[Outcome]:
    """Apply mutations as one pass and return their outcomes; `judged`: what they write has to be grounded."""
    proposals = parse_trusted(bodies)
    kind = "edit" if actor == "person" else "dream"
    with open_pass(store, PassHeader(kind, inputs={"now": NOW}), clock=clock) as current:
        applying = Applying(store, actor, NOW, seen_version=seen_version, derived=actor == "pass", judged=judged)
        outcomes = apply_proposals(applying, proposals, archive_cap=archive_cap)
        current.counts.update(record_outcomes(store.connection, current.id, proposals, outcomes))
    return outcomes


def codes(store: Store, *bodies: dict[str, Any], **how: Any) -> list[tuple[str, str]]:
    """Status and reason code of each mutation of one pass; `how` as for `apply`."""
    return [(outcome.status, outcome.code) for outcome in apply(store, bodies, **how)]


def entity(name: str, kind: str = "person", **aspects: Sequence[str]) -> dict[str, Any]:
    """Body of a create_entity with plain facts, by aspect."""
    return {
        "op": "create_entity",
        "name": name,
        "type": kind,
        "aspects": [
            {"name": aspect, "attributes": [{"content": text} for text in texts]} for aspect, texts in aspects.items()
        ],
    }


def dump(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the graph, without versions: two dumps are equal where two graphs are."""
    return {
        table.name: [
            tuple(row)
            for row in store.connection.execute(f"SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY id")
        ]
        for table in TABLES
    }


def facts_of(store: Store, name: str, status: str = "active") -> set[str]:
    """What the active entity of a name says."""
    return {
        row[0]
        for row in store.connection.execute(
            "SELECT attribute.content FROM attribute JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id ="
            " entity_id WHERE entity.name = ? AND attribute.status = ? AND entity.status = 'active'",
            (name, status),
        )
    }
