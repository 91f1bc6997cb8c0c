"""What a handler works with: the open pass, who asks, what they saw, and how rows are addressed and protected."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from graphdream.errors import NotFoundError, quoted
from graphdream.graph.names import canonical, canonical_text, text_digest
from graphdream.graph.rows import handle, parse_handle
from graphdream.graph.sealtables import confirm_tables
from graphdream.graph.store import Store
from graphdream.graph.tables import ASPECT, ATTRIBUTE, DISTINCT_PAIR, ENTITY, Table
from graphdream.graph.tombstones import Tombstones
from graphdream.journal.passes import RULES
from graphdream.mutations.op import Actor
from graphdream.mutations.outcome import PURGED, fail, skip
from graphdream.mutations.protection import TOLD, GuardedRows, Protection
from graphdream.mutations.rows import DirectRows, Row, Rows

if TYPE_CHECKING:
    from graphdream.mutations.groundtexts import SessionText

__all__ = ["TOLD", "Actor", "Applying", "entities_named", "facts_saying"]

_AUTHORITY: dict[Actor, str] = {"pass": "inferred", "host": "observed", "person": TOLD}
FORGOTTEN = "forgotten: "  # opens the status_reason of what a person has removed; no pass brings it back


@dataclass(slots=True)
class Applying:
    """The state of one application of a plan.

    Attributes:
        store: in an open pass.
        actor: a pass is bound by protection; the host may also decay and promote; a person may do all.
        now: the time that is written into rows.
        seen_version: the newest pass when the plan was made; a row changed since by another is stale.
            None: nothing can be stale, because the plan is made on what is being changed.
        derived: whether new facts are marked as derived by a pass, and so are no evidence later.
        authority: of what is written; "": what the actor's word counts for.
        rules: of which version; a pass that is applied again keeps those that it was made by.
        shielded: facts whose merge was refused; no delete of this pass touches them.
        judged: whether what is written is asked for its grounds and its names. Not where a pass is applied again as it
            once was judged.
        session_texts: what sessions say, by key, as far as they have been read.
        protection: what may not be changed.
        rows: the rows of the graph, written at once or, within a run of many mutations, at its end.
    """

    store: Store
    actor: Actor
    now: str
    seen_version: int | None = None
    derived: bool = True
    authority: str = ""
    judged: bool = True
    rules: int = RULES
    shielded: set[int] = field(default_factory=set)
    session_texts: dict[str, SessionText] = field(default_factory=dict)
    protection: Protection = field(init=False)
    rows: Rows = field(init=False)
    _rejected: dict[int, dict[int, int]] | None = field(init=False, default=None)
    _purged: Tombstones | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.protection = Protection(self)
        self.work_on(DirectRows(self.store))
        self.authority = self.authority or _AUTHORITY[self.actor]

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection of the store."""
        return self.store.connection

    # ------------------------------------------------------------------ addresses

    def row(self, table: Table, reference: str) -> Row:
        """A row by handle, fresh enough to be changed."""
        parsed = parse_handle(reference)
        if parsed is None or parsed[0] is not table:
            raise fail("not_found", f"{quoted(reference)} is no handle of {_article(table.name)}")
        return self._row(table, parsed[1])

    def _row(self, table: Table, row_id: int) -> Row:
        try:
            row = self.rows.get(table, row_id)
        except NotFoundError as fault:
            raise fail("not_found", str(fault)) from fault
        self._fresh(table, row)
        return row

    def _fresh(self, table: Table, row: Row) -> None:
        if self.seen_version is None:
            return
        version = row["version"]
        if version > self.seen_version and version != self.store.pass_id:
            raise fail("stale", f"{handle(table, row['id'])} was changed by pass {version} after this was proposed")

    def entity(self, reference: str, *, follow: bool = True) -> Row:
        """An active entity by handle or name; a handle of an absorbed one leads to what absorbed it, if `follow`."""
        parsed = parse_handle(reference)
        if parsed is not None and parsed[0] is ENTITY:
            row = self._row(ENTITY, parsed[1])
            while follow and row["status"] == "absorbed":
                row = self._row(ENTITY, row["absorbed_into"])
            if row["status"] != "active":
                raise skip("not_active", f"{reference} ({quoted(row['name'])}) is {row['status']}")
            return row
        found = entities_named(self.connection, reference)
        if not found:
            raise fail("not_found", f"there is no entity called {quoted(reference)}")
        if len(found) > 1:
            names = ", ".join(handle(ENTITY, row["id"]) for row in found)
            raise fail("ambiguous", f"{quoted(reference)} fits {len(found)} entities: {names}")
        self._fresh(ENTITY, found[0])
        return found[0]

    def aspect(self, entity_id: int, name: str) -> Row | None:
        """The active aspect of an entity under a name."""
        found = self.rows.where(ASPECT, entity_id=entity_id, canonical=canonical(name), status="active")
        return found[0] if found else None

    def fact(
        self, reference: str, entity: str = "", aspect: str = "", *, active: bool = True, follow: bool = False
    ) -> Row:
        """A fact by handle, or by its exact words within an entity (and aspect).

        With `follow`, a fact that was absorbed in this very pass leads to what absorbed it: a merge of entities folds
        equal facts, and what was said of the one holds for the other.
        """
        parsed = parse_handle(reference)
        if parsed is not None and parsed[0] is ATTRIBUTE:
            row = self._row(ATTRIBUTE, parsed[1])
        else:
            row = self._fact_by_words(reference, entity, aspect)
        while follow and row["status"] == "absorbed" and row["version"] == self.store.pass_id:
            row = self.rows.get(ATTRIBUTE, row["absorbed_into"])
        if active and row["status"] != "active":
            raise skip("not_active", f"{handle(ATTRIBUTE, row['id'])} is {row['status']}")
        return row

    def _fact_by_words(self, words: str, entity: str, aspect: str) -> Row:
        if not entity:
            raise fail(
                "not_found", f"{quoted(words)} is no handle of a fact; to address it by its words, name its entity"
            )
        owner = self.entity(entity)
        found = facts_saying(self.connection, owner["id"], words, aspect=aspect)
        if not found:
            raise fail("not_found", f"{quoted(owner['name'])} has no such active fact: {quoted(words)}")
        if len(found) > 1:
            named = ", ".join(handle(ATTRIBUTE, row["id"]) for row in found)
            raise fail("ambiguous", f"{len(found)} facts of {quoted(owner['name'])} say so: {named}")
        self._fresh(ATTRIBUTE, found[0])
        return found[0]

    def owner(self, fact: Row) -> Row:
        """The entity that a fact hangs on."""
        return self.rows.get(ENTITY, self.rows.get(ASPECT, fact["aspect_id"])["entity_id"])

    # ------------------------------------------------------------------ verdicts

    def rejected(self, entity_id: int) -> dict[int, int]:
        """The entities with which this one was wrongly merged once, each with the id of the first rejection.

        They are read once: they are given when a pass ends, never within one.

        Raises:
            IntegrityError: such verdicts, or those that two entities are distinct, are not what was sealed.
        """
        if self._rejected is None:
            confirm_tables(self.store.seal, "rejection", DISTINCT_PAIR.name)
            self._rejected = {}
            for number, first, second in self.connection.execute(
                "SELECT id, first_id, second_id FROM rejection WHERE revoked_by IS NULL ORDER BY id"
            ):
                for one, other in ((first, second), (second, first)):
                    self._rejected.setdefault(one, {}).setdefault(other, number)
        return self._rejected.get(entity_id, {})

    # ------------------------------------------------------------------ what a person has removed

    def removal_reason(self, reason: str) -> str:
        """The status_reason of a row that this actor archives: only a person's own removal reads as one."""
        if self.actor == "person":
            return FORGOTTEN + (reason or "archived")
        return f"archived: {reason}" if reason.startswith(FORGOTTEN.rstrip()) else reason or "archived"

    def guard_forgotten(self, row: Row, named: str) -> None:
        """What a person has removed is brought back by a person only."""
        if self.actor != "person" and is_forgotten(row):
            raise skip("forgotten", f"a person has removed {named}; only a person brings it back")

    def guard_purged(self, kind: Literal["fact", "entity"], text: str) -> None:
        """What a person has purged comes back by a person's own words only."""
        if self.actor == "person":
            return
        if self._purged is None:
            self._purged = Tombstones(self.store.seal)
        if self._purged.holds(kind, text):
            raise skip(PURGED, f"a person has purged this {'name' if kind == 'entity' else 'fact'}")

    # ------------------------------------------------------------------ protection

    def work_on(self, rows: Rows) -> None:
        """Let handlers write to these rows; those of anyone but a person refuse to change what is protected."""
        self.rows = rows if self.actor == "person" else GuardedRows(rows, self.protection)

    def is_protected(self, fact: Row) -> bool:
        """Whether a fact may absorb others but never goes itself, whoever asks."""
        return fact["authority"] == TOLD or self.is_fixed(fact)

    def is_fixed(self, fact: Row) -> bool:
        """Whether no column of a fact changes without a person."""
        return fact["kind"] == "constraint" or self.protection.hangs_on_a_pin(fact)


def is_forgotten(row: Row) -> bool:
    """Whether a person has removed a row."""
    return row["status"] == "archived" and str(row["status_reason"]).startswith(FORGOTTEN)


def entities_named(connection: sqlite3.Connection, name: str) -> list[sqlite3.Row]:
    """Active entities that bear a name, else those that have it as an alias; by id."""
    key = canonical(name)
    found = connection.execute(
        "SELECT * FROM entity WHERE canonical = ? AND status = 'active' ORDER BY id", (key,)
    ).fetchall()
    if found:
        return found
    return connection.execute(
        "SELECT * FROM entity WHERE status = 'active' AND id IN (SELECT entity_id FROM alias WHERE canonical = ?)"
        " ORDER BY id",
        (key,),
    ).fetchall()


def facts_saying(
    connection: sqlite3.Connection, entity_id: int, words: str, *, aspect: str = "", status: str = "active"
) -> list[sqlite3.Row]:
    """Facts of an entity whose canonical text is that of `words`; by id."""
    rows = connection.execute(
        "SELECT attribute.*, aspect.canonical AS under FROM attribute JOIN aspect ON aspect.id = attribute.aspect_id"
        " WHERE attribute.digest = ? AND aspect.entity_id = ? AND attribute.status = ? ORDER BY attribute.id",
        (text_digest(words), entity_id, status),
    ).fetchall()
    key, under = canonical_text(words), canonical(aspect) if aspect else None
    return [row for row in rows if canonical_text(row["content"]) == key and under in (None, row["under"])]


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeio" else f"a {noun}"
