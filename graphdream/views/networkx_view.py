"""The living graph as a networkx graph, and any networkx graph as lines to import.

Nodes are entities, with their facts in the node; edges are links.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import TypeAlias

    import networkx

    NetworkxGraph: TypeAlias = networkx.MultiDiGraph[str]
else:

    def __getattr__(name: str) -> type:
        """What type checkers know as `NetworkxGraph`; networkx is loaded, and named without its parameter, which it
        does not take while a program runs."""
        if name != "NetworkxGraph":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import networkx

        return networkx.MultiDiGraph


_FACTS = """
    SELECT aspect.entity_id, attribute.uid, aspect.uid, aspect.name, attribute.content, attribute.kind,
        attribute.status, attribute.confidence, attribute.first_seen, attribute.last_seen, attribute.reinforcement
    FROM attribute JOIN aspect ON aspect.id = attribute.aspect_id JOIN entity ON entity.id = aspect.entity_id
    WHERE attribute.status IN ('active', 'superseded') AND entity.status = 'active'
    ORDER BY aspect.id, attribute.id
"""
_LINKS = """
    SELECT link.uid, source.uid, target.uid, link.type, link.strength, link.confidence, link.reason, link.first_seen,
        link.last_seen, link.reinforcement
    FROM link JOIN entity AS source ON source.id = link.source_id JOIN entity AS target ON target.id = link.target_id
    WHERE link.status = 'active' AND source.status = 'active' AND target.status = 'active'
    ORDER BY link.id
"""


def to_networkx(connection: sqlite3.Connection) -> NetworkxGraph:
    """Build the graph of what is alive: active entities and the active links between them.

    A node is an entity's id, with `name`, `type`, `pinned`, `importance`, `mentions`, `created_at`, `updated_at`,
    `aliases` (list of texts) and `facts`, a list of objects with `id`, `aspect`, `aspect_id`, `content`, `kind`,
    `status` ("active" or "superseded"), `confidence`, `created_at`, `updated_at`, `reinforcement`. The key of an edge
    is the link's id; its data are `type`, `strength`, `confidence`, `reason`, `created_at`, `updated_at`,
    `reinforcement`. Nodes and edges come in the order of their rows.

    Args:
        connection: any with the tables of the graph; needs the package networkx.
    """
    import networkx

    graph: NetworkxGraph = networkx.MultiDiGraph()
    nodes: dict[int, dict[str, Any]] = {}
    for row_id, uid, *row in _rows(
        connection,
        "SELECT id, uid, name, type, pinned, importance, mentions, first_seen, last_seen FROM entity"
        " WHERE status = 'active' ORDER BY id",
    ):
        name, kind, pinned, importance, mentions, first_seen, last_seen = row
        graph.add_node(
            uid, name=name, type=kind, pinned=bool(pinned), importance=importance, mentions=mentions,
            created_at=first_seen, updated_at=last_seen, aliases=[], facts=[],
        )  # fmt: skip
        nodes[row_id] = graph.nodes[uid]
    for entity_id, name in _rows(connection, "SELECT entity_id, name FROM alias ORDER BY id"):
        if entity_id in nodes:
            nodes[entity_id]["aliases"].append(name)
    names = (
        "id", "aspect_id", "aspect", "content", "kind", "status", "confidence", "created_at", "updated_at",
        "reinforcement",
    )  # fmt: skip
    for entity_id, *row in _rows(connection, _FACTS):
        nodes[entity_id]["facts"].append(dict(zip(names, row, strict=True)))
    for uid, source, target, kind, strength, confidence, reason, first_seen, last_seen, often in _rows(
        connection, _LINKS
    ):
        graph.add_edge(
            source, target, key=uid, type=kind, strength=strength, confidence=confidence, reason=reason,
            created_at=first_seen, updated_at=last_seen, reinforcement=often,
        )  # fmt: skip
    return graph


def _rows(connection: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    cursor = connection.cursor()
    cursor.row_factory = None
    yield from cursor.execute(query)


def from_networkx(graph: networkx.Graph[Any]) -> Iterator[dict[str, Any]]:
    """Yield import lines for any networkx graph.

    What `to_networkx` made comes back as it was. In other graphs a node's text is its id, and its name where it has no
    `name`; its `type` is "unknown" unless given; other data of it become facts of the aspect `properties`, one
    `key: value` each. An edge's type is its `type`, `label` or `relation`, else "related_to"; an undirected edge
    becomes one link. Ids are worked out from what the graph says, so that the same graph gives the same lines.

    Raises:
        ValueError: two nodes have the same text as their id.
    """
    ids: dict[Any, str] = {}
    for node in graph.nodes:
        ids[node] = str(node)
    if len(set(ids.values())) < len(ids):
        raise ValueError("two nodes of the graph have the same text as their id")
    for node, data in graph.nodes(data=True):
        yield from _entity_lines(ids[node], data)
    edges: Any = graph.edges  # only a multigraph's has keys
    keyed = edges(keys=True, data=True) if graph.is_multigraph() else edges(data=True)
    made: set[str] = set()
    for source, target, *key, data in keyed:
        line = _edge_line(ids[source], ids[target], str(key[0]) if key else "", data)
        if line["id"] in made:
            line["id"] = _made_id("dep", line["id"], ids[source], ids[target], *map(str, key))
        made.add(line["id"])
        yield line


_OF_NODE = frozenset(
    {"name", "type", "pinned", "importance", "mentions", "created_at", "updated_at", "aliases", "facts", "id"}
)
_OF_EDGE = ("strength", "confidence", "reason", "created_at", "updated_at", "reinforcement")


def _entity_lines(uid: str, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {
        "kind": "entity",
        "id": uid,
        "name": str(data.get("name") or uid),
        "type": str(data.get("type") or "unknown"),
        **{
            name: data[name]
            for name in ("pinned", "importance", "mentions", "created_at", "updated_at")
            if name in data
        },
    }
    for name in data.get("aliases", ()):
        yield {"kind": "alias", "entity_id": uid, "name": str(name), "source": "import"}
    aspects: set[str] = set()
    for fact in (*data.get("facts", ()), *_properties(uid, data)):
        aspect = str(fact.get("aspect") or "general")
        aspect_id = str(fact.get("aspect_id") or _made_id("asp", uid, aspect))
        if aspect_id not in aspects:
            aspects.add(aspect_id)
            yield {"kind": "aspect", "id": aspect_id, "entity_id": uid, "name": aspect}
        yield {
            "kind": "attribute",
            "id": str(fact.get("id") or _made_id("att", uid, aspect, str(fact["content"]))),
            "entity_id": uid,
            "aspect_id": aspect_id,
            "attribute_kind": fact.get("kind", "attribute"),
            "content": str(fact["content"]),
            **{
                name: fact[name]
                for name in ("status", "confidence", "created_at", "updated_at", "reinforcement")
                if name in fact
            },
        }


def _properties(uid: str, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Data of a node that have no meaning here, as facts."""
    for name, value in data.items():
        if name not in _OF_NODE and value is not None:
            said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            yield {"aspect": "properties", "content": f"{name}: {said}"}


def _edge_line(source: str, target: str, key: str, data: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(data.get("type") or data.get("label") or data.get("relation") or "related_to")
    # networkx numbers parallel edges from 0, each pair of nodes for itself; such a key is no id.
    uid = _made_id("dep", source, target, kind, key) if not key or key.isdecimal() else key
    return {
        "kind": "edge",
        "id": uid,
        "source_id": source,
        "target_id": target,
        "type": kind,
        **{name: data[name] for name in _OF_EDGE if name in data},
    }


def _made_id(word: str, *said: str) -> str:
    return f"{word}_{blake2b(json.dumps(said).encode(), digest_size=6).hexdigest()}"
