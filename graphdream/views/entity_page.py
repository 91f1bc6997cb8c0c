"""One entity as a person reads it: its names, facts by aspect, links, and what became of the rest."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass, field
from typing import Any

from graphdream.errors import AmbiguousNameError, NotFoundError
from graphdream.graph import worldtimes
from graphdream.graph.names import canonical
from graphdream.graph.nearnames import hint_of_entity
from graphdream.graph.rows import fetch, handle, parse_handle
from graphdream.graph.served import confirm_served, unsound
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE, ENTITY, LINK

_MOST_OF_OTHERS = 500  # facts that the index has under the same name, and that are looked at though they are another's


@dataclass(frozen=True, slots=True)
class EntityHead:
    """The entity itself; times are UTC, None where nobody knows.

    Attributes:
        sessions: keys of those that it comes from.
        absorbed_into: handle of the entity that it went into, "" for none.
    """

    handle: str
    id: int
    uid: str
    name: str
    type: str
    first_seen: str | None
    last_seen: str | None
    sessions: tuple[str, ...]
    mentions: int
    importance: float
    pinned: bool
    derived: bool
    status: str
    absorbed_into: str
    status_reason: str


@dataclass(frozen=True, slots=True)
class PageFact:
    """One fact.

    Attributes:
        kind: attribute or constraint.
        by: handle of the fact that took its place, "" where none did.
        line: of the file that `source` names, where it came from notes.
        precision: how exactly the times in the world are known, the least exact of them: year, month, day or time.
    """

    handle: str
    content: str
    kind: str
    status: str
    status_reason: str
    by: str
    slot: str | None
    confidence: float
    first_seen: str | None
    last_seen: str | None
    reinforcement: int
    session: str | None
    source: str
    line: int | None
    authority: str
    valid_from: str | None = None
    valid_to: str | None = None
    occurred_at: str | None = None
    review_after: str | None = None
    precision: str | None = None


@dataclass(frozen=True, slots=True)
class PageLink:
    """One link as seen from the entity. `direction`: out or in; `entity`: handle of the other, None for nobody."""

    handle: str
    type: str
    direction: str
    entity: str | None
    name: str
    says: str


@dataclass(slots=True)
class EntityPage:
    """An entity with all that hangs on it.

    Attributes:
        facts: aspect -> facts in the order learned.
        links: in both directions.
        absorbed: what went into it, as `e7 'A. Lovelace'`.
        distinct: what it is not the same as, likewise.
    """

    entity: EntityHead
    aliases: list[str]
    facts: dict[str, list[PageFact]] = field(default_factory=dict)
    links: list[PageLink] = field(default_factory=list)
    named_in: list[PageFact] = field(default_factory=list)
    absorbed: list[str] = field(default_factory=list)
    distinct: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The page as plain values."""
        shown = asdict(self)
        return shown | {"distinct_from": shown.pop("distinct")}

    def text(self) -> str:
        """The page as lines of text."""
        entity = self.entity
        marks = [entity.type, *(["pinned"] if entity.pinned else [])]
        if entity.status != "active":
            marks.append(f"{entity.status}: {entity.status_reason}")
        lines = [f"{entity.handle}  {entity.name}  ({', '.join(marks)})"]
        lines += [f"  also: {', '.join(self.aliases)}"] if self.aliases else []
        seen = [f"seen {entity.first_seen} to {entity.last_seen}"] if entity.first_seen else []
        seen += [f"{entity.mentions} mentions"] if entity.mentions else []
        lines += [f"  {', '.join(seen)}"] if seen else []
        lines += [f"  absorbed: {', '.join(self.absorbed)}"] if self.absorbed else []
        lines += [f"  not the same as: {', '.join(self.distinct)}"] if self.distinct else []
        for aspect, facts in self.facts.items():
            lines.append(f"  {aspect}")
            lines += [f"    {fact.handle:>7}  {fact.content}{_marks(fact)}" for fact in facts]
        if self.links:
            lines.append("  links")
            lines += [f"    {link.handle:>7}  {link.says}" for link in self.links]
        if self.named_in:
            lines.append("  named in")
            lines += [f"    {fact.handle:>7}  {fact.content}{_marks(fact)}" for fact in self.named_in]
        return "\n".join(lines) + "\n"


def _marks(fact: PageFact) -> str:
    marks = []
    if fact.kind == "constraint":
        marks.append("constraint")
    if fact.status != "active":
        marks.append(f"{fact.status}{' by ' + fact.by if fact.by else ''}: {fact.status_reason}")
    marks += worldtimes.in_words(
        valid_from=fact.valid_from, valid_to=fact.valid_to, occurred_at=fact.occurred_at,
        review_after=fact.review_after, precision=fact.precision,
    )  # fmt: skip
    if fact.reinforcement > 1:
        marks.append(f"seen {fact.reinforcement}x")
    return f"  [{'; '.join(marks)}]" if marks else ""


def entity_page(store: Store, reference: str, *, history: bool = False) -> EntityPage:
    """The page of an entity by handle or name. What is not as it was sealed is left out of it, and noted in
    `store.seal.left_out`.

    Args:
        history: also show facts that are no longer active.

    Raises:
        NotFoundError: nothing bears that handle or name.
        AmbiguousNameError: the name fits several; it lists them.
        IntegrityError: the entity itself is not as it was sealed.
    """
    with store.reading():
        return _page(store, reference, history=history)


def _page(store: Store, reference: str, *, history: bool) -> EntityPage:
    connection = store.connection
    row = find_entity(connection, reference)
    here = row["id"]
    kept = "" if history else "AND attribute.status = 'active'"
    aliases = connection.execute("SELECT id, name FROM alias WHERE entity_id = ? ORDER BY id", (here,)).fetchall()
    absorbed = connection.execute("SELECT id, name FROM entity WHERE absorbed_into = ? ORDER BY id", (here,)).fetchall()
    distinct = connection.execute(
        "SELECT distinct_pair.id AS pair, entity.id, name FROM distinct_pair JOIN entity ON entity.id ="
        " CASE WHEN first_id = ?1 THEN second_id ELSE first_id END WHERE first_id = ?1 OR second_id = ?1"
        " ORDER BY entity.id",
        (here,),
    ).fetchall()
    facts = connection.execute(
        "SELECT attribute.*, aspect.name AS under FROM attribute JOIN aspect ON aspect.id = attribute.aspect_id"
        f" WHERE aspect.entity_id = ? {kept} ORDER BY aspect.id, attribute.id",
        (here,),
    ).fetchall()
    links = connection.execute(_LINKS, (here,)).fetchall()
    named_in = connection.execute(
        "SELECT attribute.*, mention.id AS mention FROM mention JOIN attribute ON attribute.id = attribute_id"
        f" WHERE mention.entity_id = ? {kept} ORDER BY attribute.id",
        (here,),
    ).fetchall()
    confirm_served(store, [handle(ENTITY, here)])
    _note_hidden(store, row, len(facts))
    wrong = unsound(
        store,
        [
            *(f"alias {item['id']}" for item in aliases),
            *(handle(ENTITY, item["id"]) for item in (*absorbed, *distinct)),
            *(f"distinct_pair {item['pair']}" for item in distinct),
            *(handle(ATTRIBUTE, item["id"]) for item in (*facts, *named_in)),
            *(f"mention {item['mention']}" for item in named_in),
            *(handle(LINK, item["id"]) for item in links),
        ],
    )
    page = EntityPage(
        entity=_head(row),
        aliases=[item["name"] for item in aliases if f"alias {item['id']}" not in wrong],
        absorbed=[_named(item) for item in absorbed if handle(ENTITY, item["id"]) not in wrong],
        distinct=[
            _named(item)
            for item in distinct
            if wrong.isdisjoint((handle(ENTITY, item["id"]), f"distinct_pair {item['pair']}"))
        ],
        links=[_link(item, here) for item in links if handle(LINK, item["id"]) not in wrong],
        named_in=[
            _fact(item)
            for item in named_in
            if wrong.isdisjoint((handle(ATTRIBUTE, item["id"]), f"mention {item['mention']}"))
        ],
    )
    for fact in facts:
        if handle(ATTRIBUTE, fact["id"]) not in wrong:
            page.facts.setdefault(fact["under"], []).append(_fact(fact))
    return page


def _note_hidden(store: Store, row: sqlite3.Row, facts: int) -> None:
    """Note in `store.seal.left_out` what a row hides from the page that was forged: facts that the full-text index has
    under the name of the entity, and names that the index over names has for it.

    Args:
        row: of the entity.
        facts: how many the page has.
    """
    connection, here = store.connection, row["id"]
    if not any(map(str.isalnum, row["name"])):
        return
    phrase = '"' + row["name"].replace('"', '""') + '"'
    unsound(
        store,
        [
            handle(ATTRIBUTE, found[0])
            for found in connection.execute(
                "SELECT rowid FROM fact_index WHERE fact_index MATCH ? LIMIT ?",
                (f"name : {phrase}", facts + _MOST_OF_OTHERS),
            )
        ],
    )
    indexed = connection.execute("SELECT names FROM name_index WHERE rowid = ?", (here,)).fetchone()
    for name in set(indexed[0].split("\n")) - {row["canonical"]} if indexed else ():
        ids = [found[0] for found in connection.execute("SELECT id FROM alias WHERE canonical = ?", (name,))]
        unsound(store, [f"alias {alias}" for alias in ids])
        if not ids:
            store.seal.left_out.add(f"a name of {handle(ENTITY, here)}")


def _named(row: sqlite3.Row) -> str:
    return f"e{row['id']} {row['name']!r}"


_LINKS = """
    SELECT link.id, link.type, source.id AS source_id, source.name AS source, target.id AS target_id,
        coalesce(target.name, link.target_ref || ' (unknown)') AS target
    FROM link JOIN entity AS source ON source.id = link.source_id
    LEFT JOIN entity AS target ON target.id = link.target_id
    WHERE link.status = 'active' AND (link.source_id = ?1 OR link.target_id = ?1) ORDER BY link.id
"""


def find_entity(connection: sqlite3.Connection, reference: str) -> sqlite3.Row:
    """The row of an entity by handle, name or alias. Raises as `entity_page`."""
    parsed = parse_handle(reference)
    if parsed is not None and parsed[0] is ENTITY:
        return fetch(connection, ENTITY, parsed[1])
    key = canonical(reference)
    found = connection.execute(
        "SELECT * FROM entity WHERE status = 'active' AND (canonical = ?1 OR id IN (SELECT entity_id FROM alias WHERE"
        " canonical = ?1)) ORDER BY canonical <> ?1, id",
        (key,),
    ).fetchall()
    exact = [row for row in found if row["canonical"] == key] or found
    if not exact:
        hint = hint_of_entity(connection, reference) or "graphdream recall finds what is known"
        raise NotFoundError(f"there is no entity called {reference!r}", hint)
    if len(exact) > 1:
        raise AmbiguousNameError(reference, [f"{handle(ENTITY, row['id'])} ({row['type']})" for row in exact])
    row: sqlite3.Row = exact[0]
    return row


def _head(row: sqlite3.Row) -> EntityHead:
    into = row["absorbed_into"]
    return EntityHead(
        handle=handle(ENTITY, row["id"]), id=row["id"], uid=row["uid"], name=row["name"], type=row["type"],
        first_seen=row["first_seen"], last_seen=row["last_seen"], sessions=tuple(json.loads(row["sessions"])),
        mentions=row["mentions"], importance=row["importance"], pinned=bool(row["pinned"]),
        derived=bool(row["derived"]), status=row["status"], absorbed_into=handle(ENTITY, into) if into else "",
        status_reason=row["status_reason"],
    )  # fmt: skip


def _fact(row: sqlite3.Row) -> PageFact:
    by = row["superseded_by"] or row["absorbed_into"]
    return PageFact(
        handle=handle(ATTRIBUTE, row["id"]), content=row["content"], kind=row["kind"], status=row["status"],
        status_reason=row["status_reason"], by=handle(ATTRIBUTE, by) if by else "", slot=row["slot"],
        confidence=row["confidence"], first_seen=row["first_seen"], last_seen=row["last_seen"],
        reinforcement=row["reinforcement"], session=row["session_key"], source=row["source"],
        line=json.loads(row["metadata"]).get("line"), authority=row["authority"], valid_from=row["valid_from"],
        valid_to=row["valid_to"], occurred_at=row["occurred_at"], review_after=row["review_after"],
        precision=row["time_precision"],
    )  # fmt: skip


def _link(row: sqlite3.Row, here: int) -> PageLink:
    outward = row["source_id"] == here
    other, other_id = (row["target"], row["target_id"]) if outward else (row["source"], row["source_id"])
    shown = f"{other} (e{other_id})" if other_id else other
    return PageLink(
        handle=handle(LINK, row["id"]), type=row["type"], direction="out" if outward else "in",
        entity=f"e{other_id}" if other_id else None, name=other,
        says=f"{row['type']} -> {shown}" if outward else f"{shown} -> {row['type']}",
    )  # fmt: skip
