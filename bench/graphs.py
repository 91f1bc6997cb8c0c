"""Graphs for measuring, the same for the same size, and a clean-up plan for them."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from graphdream.graph.store import Store
from graphdream.interfaces.importers import import_graph
from graphdream.mutations import model
from graphdream.mutations.applier import Proposal

AUDIT = Path("bloat/audit13k")  # a bloated graph of 13,000 entities among the development data
FACTS_PER_ENTITY = 3
_WORDS = (
    "asks keeps moves likes plans wrote built found sends paints early often seldom river market garden engine window "
    "paper signal winter harbour ticket copper violin ladder bridge letter museum button basket candle"
).split()


def lines(entities: int) -> Iterator[dict[str, Any]]:
    """A graph in which entities 2n and 2n+1 are one: some links too are said of both.

    An entity has 3 facts in 2 aspects and starts 1 link; one of the facts is said of its twin in the same words.
    """
    random = Random(entities)
    for n in range(entities):
        yield {
            "kind": "entity", "id": f"ent_{n:x}", "name": f"Person {n // 2}{'.' * (n % 2)}",
            "type": "person" if n % 2 == 0 else "unknown", "mentions": n % 7,
            "created_at": f"2026-01-{n % 28 + 1:02d}T10:00:00Z",
        }  # fmt: skip
        for name in ("general", "work"):
            yield {"kind": "aspect", "id": f"asp_{n:x}_{name}", "entity_id": f"ent_{n:x}", "name": name}
    for n in range(entities * FACTS_PER_ENTITY):
        entity, which = divmod(n, FACTS_PER_ENTITY)
        words = random.sample(_WORDS, 9) if which else Random(entity // 2).sample(_WORDS, 9)
        yield {
            "kind": "attribute", "id": f"att_{n:x}", "entity_id": f"ent_{entity:x}",
            "aspect_id": f"asp_{entity:x}_{'work' if which == 2 else 'general'}",
            "content": f"Person {entity // 2} {' '.join(words)}" + (f", number {n}." if which else "."),
            "confidence": round(random.random(), 2), "created_at": f"2026-02-{n % 28 + 1:02d}T10:00:00Z",
        }  # fmt: skip
    for n in range(entities):
        other = (n // 2 * 2 + 2) % entities if n // 2 % 2 else random.randrange(entities)
        yield {
            "kind": "edge", "id": f"dep_{n:x}", "source_id": f"ent_{n:x}",
            "target_id": f"ent_{other if other != n else (n + 1) % entities:x}", "type": "knows",
            "strength": round(random.random(), 2),
        }  # fmt: skip


def audit13k() -> Path:
    """The file of `AUDIT` in `$GRAPHDREAM_DATA`, else in `../shared/data` beside the project; it may be missing."""
    configured = os.environ.get("GRAPHDREAM_DATA")
    data = Path(configured) if configured else Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    return data / AUDIT.with_suffix(".jsonl.gz")


def write_lines(entities: int, path: Path) -> None:
    """The graph as a file to import."""
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in lines(entities))


def imported(entities: int, folder: Path) -> Path:
    """A database with the graph."""
    source, path = folder / f"{entities}.jsonl", folder / f"{entities}.db"
    write_lines(entities, source)
    with Store.open(path) as store:
        import_graph(store, source)
    return path


def merges(connection: sqlite3.Connection) -> list[Proposal]:
    """The merge of every pair."""
    ids = dict(connection.execute("SELECT uid, id FROM entity").fetchall())
    return [
        Proposal.of(
            model.MergeEntities(
                source=(f"e{ids[f'ent_{n + 1:x}']}",), target=f"e{ids[f'ent_{n:x}']}", reason="same entity"
            )
        )
        for n in range(0, len(ids), 2)
    ]
