"""What each law promises, as checks of a file: they return the promises that are broken, in words; [] is right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graphdream.graph.fulltext import index_faults
from graphdream.graph.nameindex import name_index_faults
from graphdream.graph.names import canonical_text
from graphdream.graph.rowtext import row_sql
from graphdream.graph.store import Store, hash_text, row_hash
from graphdream.graph.tables import ALIAS, ATTRIBUTE, ENTITY, TABLES
from graphdream.journal.passes import current_hash

_FACTS = (
    "SELECT attribute.*, aspect.entity_id AS owner, entity.pinned AS owner_pinned FROM attribute"
    " JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id = aspect.entity_id"
)


def recomputed_hash(store: Store) -> str:
    """The graph's hash from its rows alone."""
    total = sum(
        row_hash(table.kind, text)
        for table in TABLES
        for (text,) in store.connection.execute(f"SELECT {row_sql(table)} FROM {table.name}")
    )
    return hash_text(total % (1 << 256))


def unsound(store: Store) -> list[str]:
    """Hash, references and indexes: what must hold after every step, whatever it was."""
    found = [*index_faults(store.connection), *name_index_faults(store.connection)]
    if current_hash(store.connection) != recomputed_hash(store):
        found.append("the running hash is not that of the rows")
    found += [f"broken reference: {tuple(row)}" for row in store.connection.execute("PRAGMA foreign_key_check")]
    return found


# ---------------------------------------------------------------------- nothing is lost


STATUS = f"'$[{ATTRIBUTE.place('status')}]'"  # NULL where the row was written as active, which goes without saying


def lost(store: Store) -> list[str]:
    """Facts that were once written and are not there, or put aside without a word why or for what."""
    found = [
        f"a{row[0]} was deleted by pass {row[1]}, a {row[2]}"
        for row in store.connection.execute(
            "SELECT row_id, pass.id, pass.kind FROM change JOIN pass ON pass.id = pass_id WHERE change.id IN"
            " (SELECT max(id) FROM change WHERE change.kind = 4 GROUP BY row_id) AND op = '-' AND pass.kind <> 'undo'"
        )
    ]
    rows = {row["id"]: row for row in store.connection.execute("SELECT * FROM attribute")}
    came_so = {  # an imported row may have ended before it came, for no reason known
        row[0]
        for row in store.connection.execute(
            f"SELECT row_id FROM change WHERE kind = 4 AND op = '+' AND json_extract(diff, {STATUS}) <> 'active'"
        )
    }
    for row in rows.values():
        if row["status"] != "active" and not row["status_reason"] and row["id"] not in came_so:
            found.append(f"a{row['id']} is {row['status']} without a reason")
        seen, here = set(), row
        while here is not None and here["status"] == "absorbed":
            if here["id"] in seen:
                found.append(f"a{row['id']} is absorbed in a circle")
                break
            seen.add(here["id"])
            here = rows.get(here["absorbed_into"])
        if here is None:
            found.append(f"a{row['id']} is absorbed into a row that is not there")
    return found


def astray(store: Store) -> set[str]:
    """Active rows that hang on something put aside, and so would be seen by nobody."""
    connection = store.connection
    facts = connection.execute(
        "SELECT attribute.id FROM attribute JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id = entity_id"
        " WHERE attribute.status = 'active' AND (aspect.status <> 'active' OR entity.status <> 'active')"
    )
    aspects = connection.execute(
        "SELECT aspect.id FROM aspect JOIN entity ON entity.id = entity_id"
        " WHERE aspect.status = 'active' AND entity.status <> 'active'"
    )
    links = connection.execute(
        "SELECT link.id FROM link JOIN entity ON entity.id IN (source_id, target_id)"
        " WHERE link.status = 'active' AND entity.status <> 'active'"
    )
    listed = (("a", facts), ("s", aspects), ("l", links))
    return {f"{letter}{row[0]}" for letter, rows in listed for row in rows}


# ---------------------------------------------------------------------- what is pinned stays as it is


_COUNTED = {  # columns in which sightings are counted; what a fact says of its telling may grow, too
    "entity": {"mentions", "importance", "first_seen", "last_seen", "sessions"},
    "attribute": {"reinforcement", "first_seen", "last_seen", "confidence", "importance", "tags"},
}
_ENTITY = [column for column in ENTITY.columns if column not in _COUNTED["entity"]]
_FACT = [column for column in ATTRIBUTE.columns if column not in _COUNTED["attribute"]]


@dataclass(frozen=True)
class Protected:
    """What no pass may change: pinned entities, the facts and names of them, and constraints; each row with every
    column but those that count."""

    rows: dict[str, dict[str, Any]]


def protected(store: Store) -> Protected:
    """What is protected now, as it is now."""
    rows: dict[str, dict[str, Any]] = {}
    for row in store.connection.execute("SELECT * FROM entity WHERE pinned = 1"):
        rows[f"e{row['id']}"] = {column: row[column] for column in _ENTITY}
    for row in store.connection.execute(_FACTS):
        if row["status"] == "active" and (row["kind"] == "constraint" or row["owner_pinned"]):
            # A constraint of somebody who is not pinned goes with its owner where that is merged.
            columns = _FACT if row["owner_pinned"] else [column for column in _FACT if column != "aspect_id"]
            rows[f"a{row['id']}"] = {column: row[column] for column in columns}
    for row in store.connection.execute(
        "SELECT alias.* FROM alias JOIN entity ON entity.id = entity_id WHERE pinned = 1"
    ):
        rows[f"alias {row['id']}"] = {column: row[column] for column in ALIAS.columns}
    return Protected(rows)


def violated(store: Store, before: Protected) -> list[str]:
    """What was protected and has changed."""
    found = []
    for name, was in before.rows.items():
        table = ENTITY if name[0] == "e" else ALIAS if name.startswith("alias") else ATTRIBUTE
        now = store.connection.execute(f"SELECT * FROM {table.name} WHERE id = ?", (was["id"],)).fetchone()
        found += [
            f"{name}: {column} was {value!r}, is {now[column] if now else 'gone'!r}"
            for column, value in was.items()
            if now is None or now[column] != value
        ]
    return found


# ---------------------------------------------------------------------- a merge keeps everything


@dataclass(frozen=True)
class Holding:
    """What one entity holds, so that what two held can be looked for in what they became."""

    id: int
    row: dict[str, Any]
    names: frozenset[str]
    facts: dict[int, dict[str, Any]]
    links: dict[int, dict[str, Any]]
    sessions: frozenset[str]
    evidence: frozenset[tuple[Any, ...]]


def holding(store: Store, entity_id: int) -> Holding:
    """All that belongs to an entity now, of every status."""
    connection = store.connection
    row = dict(connection.execute("SELECT * FROM entity WHERE id = ?", (entity_id,)).fetchone())
    aliases = connection.execute("SELECT name FROM alias WHERE entity_id = ?", (entity_id,))
    facts = connection.execute(_FACTS + " WHERE aspect.entity_id = ?", (entity_id,))
    links = connection.execute("SELECT * FROM link WHERE source_id = ?1 OR target_id = ?1", (entity_id,))
    evidence = connection.execute(
        "SELECT digest, evidence.session_key, turn_uid FROM evidence JOIN attribute ON attribute.id = attribute_id"
        " JOIN aspect ON aspect.id = aspect_id WHERE entity_id = ?",
        (entity_id,),
    )
    return Holding(
        entity_id, row, frozenset({row["name"], *(alias[0] for alias in aliases)}),
        {fact["id"]: dict(fact) for fact in facts}, {link["id"]: dict(link) for link in links},
        frozenset(json.loads(row["sessions"])), frozenset(map(tuple, evidence)),
    )  # fmt: skip


def dropped(one: Holding, other: Holding, both: Holding) -> Iterator[str]:
    """What `both`, that `other` became by absorbing `one`, lacks of the two."""
    for name in (one.names | other.names) - both.names:
        yield f"the name {name!r}"
    if both.row["mentions"] != one.row["mentions"] + other.row["mentions"]:
        yield "mentions that add up"
    for column, choose in (("first_seen", min), ("last_seen", max), ("importance", max)):
        told = [row[column] for row in (one.row, other.row) if row[column] is not None]
        if both.row[column] != choose(told, default=None):
            yield f"{column} as the {choose.__name__} of the two"
    if both.sessions != one.sessions | other.sessions:
        yield "the sessions of both"
    if not both.evidence >= one.evidence | other.evidence:
        yield "the evidence of every fact"
    yield from _dropped_facts({**one.facts, **other.facts}, both.facts)
    yield from _dropped_links(one, other, both)


_TOLD = (
    "content",
    "kind",
    "status",
    "superseded_by",
    "absorbed_into",
    "status_reason",
    "slot",
    "authority",
    "valid_to",
)


def _dropped_facts(before: dict[int, dict[str, Any]], after: dict[int, dict[str, Any]]) -> Iterator[str]:
    for fact_id in before.keys() - after.keys():
        yield f"the row a{fact_id}"
    into: dict[int, list[dict[str, Any]]] = {}
    for fact_id, was in before.items():
        now = after.get(fact_id, was)
        if was["status"] == "active" and now["status"] == "absorbed":
            into.setdefault(now["absorbed_into"], []).append(was)
        elif any(now[column] != was[column] for column in _TOLD):
            yield f"what a{fact_id} told"
    for survivor_id, absorbed in into.items():
        survivor, was = after[survivor_id], before[survivor_id]
        told = [was, *absorbed]
        if survivor["status"] != "active":
            yield f"a{survivor_id}, into which others were absorbed"
        if any(canonical_text(fact["content"]) != canonical_text(survivor["content"]) for fact in absorbed):
            yield f"the words of what a{survivor_id} absorbed"
        counted = was["reinforcement"] + sum(fact["reinforcement"] for fact in absorbed if not fact["derived"])
        if survivor["reinforcement"] != counted:
            yield f"the sightings of a{survivor_id}: {survivor['reinforcement']} for {counted}"
        if survivor["first_seen"] != min((fact["first_seen"] for fact in told if fact["first_seen"]), default=None):
            yield f"when a{survivor_id} was first seen"
        if survivor["last_seen"] != max((fact["last_seen"] for fact in told if fact["last_seen"]), default=None):
            yield f"when a{survivor_id} was last seen"


def _dropped_links(one: Holding, other: Holding, both: Holding) -> Iterator[str]:
    """Every active connection with a third one is still there, as strong as it was, and none with itself."""

    def ends(link: dict[str, Any]) -> tuple[Any, ...]:
        same = {one.id: other.id}
        target = same.get(link["target_id"], link["target_id"])
        return same.get(link["source_id"], link["source_id"]), target, link["target_ref"], link["type"]

    before = {**one.links, **other.links}
    for link_id in before.keys() - both.links.keys():
        yield f"the row l{link_id}"
    strongest: dict[tuple[Any, ...], float] = {}
    for link in before.values():
        if link["status"] == "active" and ends(link)[0] != ends(link)[1]:
            strongest[ends(link)] = max(link["strength"], strongest.get(ends(link), 0.0))
    now = {ends(link): link["strength"] for link in both.links.values() if link["status"] == "active"}
    for place, strength in strongest.items():
        if now.get(place) != strength:
            yield f"the connection {place}"
    for place in now.keys() - strongest.keys():
        if place[0] != place[1]:
            yield f"nothing, but made up {place}"
