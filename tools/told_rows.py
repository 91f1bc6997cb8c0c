"""Rows of a memory of told facts and of its truth, in the format of the bloated graphs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def entity(key: str, name: str, type: str, first: str, aspects: Iterable[tuple[str, str]]) -> list[Row]:
    """An entity and its aspects, each (id, name), all from `first` on."""
    own = {"kind": "entity", "id": key, "name": name, "type": type, "pinned": False, "created_at": first}
    return [own] + [
        {"kind": "aspect", "id": aspect, "entity_id": key, "name": heading, "created_at": first}
        for aspect, heading in aspects
    ]


def telling(key: str, entity: str, aspect: str, content: str, when: str, *, session: str, confidence: float) -> Row:
    """A fact as it was told in a session."""
    return {
        "kind": "attribute",
        "id": key,
        "entity_id": entity,
        "aspect_id": aspect,
        "attribute_kind": "attribute",
        "content": content,
        "status": "active",
        "confidence": confidence,
        "created_at": when,
        "session_id": session,
        "source": "extraction",
    }


def true_entity(key: str, cluster: str, name: str) -> list[Row]:
    """Truth: an entity that is one thing by itself."""
    return [
        {"kind": "cluster", "id": cluster, "name": name},
        {"kind": "entity", "id": key, "label": "real", "cluster": cluster},
    ]


def true_fact(key: str, cluster: str, relation: str, successor: str | None) -> Row:
    """Truth: a fact, and what replaced it, if anything did."""
    return {
        "kind": "fact",
        "id": key,
        "cluster": cluster,
        "relation": relation,
        "status": "superseded" if successor else "current",
        "superseded_by": successor,
        "episodic": False,
    }


def true_telling(key: str, fact: str | None, also: str | None = None) -> Row:
    """Truth: which fact a telling states, if anybody knows, and which one it may state besides."""
    return {"kind": "attribute", "id": key, "gold": "told", "fact": fact, "also": also, "complete": True}


def write(path: Path, rows: Iterable[Row], truth: Iterable[Row]) -> None:
    """A memory, and its truth beside it: PREFIX.jsonl.gz, PREFIX.gold.jsonl.gz."""
    for name, found in ((path.name, rows), (path.name.replace(".jsonl", ".gold.jsonl"), truth)):
        with gzip.open(path.with_name(name), "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in found)
