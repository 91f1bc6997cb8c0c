"""What is protected, asked in one place: before any row is written, whichever operation writes it.

Handlers write by `Applying.rows`, and these are guarded: a change of what is pinned, of a constraint, or of what a
person told is refused there, so an operation whose handler asks nothing is as safe as the others. An operation may be
declared to count sightings on what is protected (`Op.counts`); nothing else is spared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphdream.errors import quoted
from graphdream.graph.rows import handle, stored
from graphdream.graph.tables import ALIAS, ASPECT, ATTRIBUTE, DISTINCT_PAIR, ENTITY, EVIDENCE, LINK, MENTION, Table
from graphdream.mutations.outcome import Refusal, skip
from graphdream.mutations.rows import Row, Rows

if TYPE_CHECKING:
    from graphdream.mutations.context import Applying

TOLD = "user"  # the authority of what a person told, or brought back

COUNTED: dict[str, frozenset[str]] = {
    ENTITY.name: frozenset({"mentions", "importance", "first_seen", "last_seen", "sessions"}),
    ATTRIBUTE.name: frozenset({"reinforcement", "first_seen", "last_seen", "confidence", "importance", "tags"}),
    LINK.name: frozenset({"reinforcement", "first_seen", "last_seen", "confidence", "strength"}),
}
"""Columns in which sightings are counted."""

_A_PERSONS_OWN = {ENTITY.name: "pinned", ATTRIBUTE.name: "kind"}  # columns that protect, set by a person only
_TOLD_ELSE = frozenset({"slot", "derived", "session_key", "source", "metadata", "time_precision", "review_after"})
"""Columns that may change in what a person told: they say how it is kept, not what it says or whether it holds."""


class Protection:
    """What the actor of an application may not change. A person may change all.

    Attributes:
        counts: whether the operation at work may count sightings on what is protected.
    """

    def __init__(self, applying: Applying) -> None:
        self._applying = applying
        self.counts = False

    @property
    def by_pass(self) -> bool:
        """Whether a pass is at work, and not a host that a person or an agent has told something."""
        return self._applying.actor == "pass"

    @property
    def rows(self) -> Rows:
        """The rows to look into."""
        return self._applying.rows

    # ------------------------------------------------------------------ rows as a whole

    def refuse(self, table: Table, row: Row) -> None:
        """Refuse to change a row, or to put it away, where it is protected.

        Raises:
            Refusal: skipped, as `pinned`, `constraint` or `authority`.
        """
        self._refuse(table, row, frozenset(table.columns), {})

    def refuse_change(self, table: Table, row: Row, values: dict[str, Any]) -> None:
        """Refuse to set columns of a row where that is not allowed."""
        changed = frozenset(column for column, value in values.items() if stored(value) != row[column])
        if self.counts:
            changed -= COUNTED.get(table.name, frozenset())
        if changed:
            self._refuse(table, row, changed, values)

    def _refuse(self, table: Table, row: Row, changed: frozenset[str], values: dict[str, Any]) -> None:
        if table is ATTRIBUTE:
            self._fact(row, changed, values)
        elif table is ENTITY:
            self.entity(row)
        elif table is ASPECT:
            if self.is_pinned(row["entity_id"]) and not self.rows.came(ASPECT, row["id"], "entity_id"):
                raise _pinned(ASPECT, row["id"])
        elif table is LINK:
            self._link(row, values)
        elif table in (ALIAS, MENTION):
            if self.is_pinned(row["entity_id"]):
                raise _pinned(ENTITY, row["entity_id"])
        elif table is EVIDENCE:
            self.fact(self.rows.get(ATTRIBUTE, row["attribute_id"]))
        elif table is DISTINCT_PAIR:
            for side in ("first_id", "second_id"):
                if self.is_pinned(row[side]):
                    raise _pinned(ENTITY, row[side])
        own = _A_PERSONS_OWN.get(table.name)
        if own in values and own in changed:
            raise skip("reserved", f"only a person sets `{own}` of {handle(table, row['id'])}")
        if table in (ENTITY, ASPECT) and values.get("status", "active") != "active":
            self._under(table, row)

    # ------------------------------------------------------------------ kinds of rows

    def entity(self, entity: Row) -> None:
        """A pass never changes what is pinned."""
        if entity["pinned"]:
            raise skip("pinned", f"{handle(ENTITY, entity['id'])} ({quoted(entity['name'])}) is pinned")

    def fact(self, fact: Row) -> None:
        """No constraint, nothing that hung on a pinned entity when the pass began, nothing that a person told."""
        self._fact(fact, frozenset(ATTRIBUTE.columns), {})

    def _fact(self, fact: Row, changed: frozenset[str], values: dict[str, Any]) -> None:
        if values.get("authority") == TOLD == self._applying.authority:
            changed -= {"authority"}
            if not changed:
                return
        self.fixed(fact)
        if fact["authority"] == TOLD and fact["status"] == "active" and not changed <= _TOLD_ELSE:
            successor = values.get("superseded_by")
            if successor is None or self.rows.get(ATTRIBUTE, successor)["authority"] != TOLD:
                raise skip(
                    "authority", f"{handle(ATTRIBUTE, fact['id'])} was told by a person; only a person takes it away"
                )

    def fixed(self, fact: Row) -> None:
        """No constraint, and nothing that hung on a pinned entity when the pass began."""
        if fact["kind"] == "constraint" and fact["status"] == "active":
            raise skip("constraint", f"{handle(ATTRIBUTE, fact['id'])} is a constraint")
        if self.hangs_on_a_pin(fact):
            raise skip("pinned", f"{handle(ATTRIBUTE, fact['id'])} hangs on an entity that is pinned")

    def _link(self, link: Row, values: dict[str, Any]) -> None:
        """A link between two pinned entities is theirs; noise at one end of it is not, but it stays at that end."""
        pinned = [side for side in ("source_id", "target_id") if self.is_pinned(link[side])]
        if not pinned or any(self.rows.came(LINK, link["id"], side) for side in pinned):
            return
        between = len(pinned) == 2 and link["source_id"] != link["target_id"]
        moved = any(values.get(side, link[side]) != link[side] for side in pinned)
        if (between and not self._says_the_same(link, values)) or moved:
            raise _pinned(ENTITY, link[pinned[0]])

    def _says_the_same(self, link: Row, values: dict[str, Any]) -> bool:
        """Whether a link is absorbed into one of the same ends and type, which goes on saying what it said."""
        into = values.get("absorbed_into")
        if into is None:
            return False
        other = self.rows.get(LINK, into)
        return all(other[column] == link[column] for column in ("source_id", "target_id", "type"))

    def _under(self, table: Table, row: Row) -> None:
        """Nothing protected is left behind under what is put away."""
        aspects = [row] if table is ASPECT else self.rows.where(ASPECT, entity_id=row["id"])
        for aspect in aspects:
            for fact in self.rows.where(ATTRIBUTE, aspect_id=aspect["id"], status="active"):
                self.fact(fact)

    # ------------------------------------------------------------------ what hangs where

    def is_pinned(self, entity_id: int | None) -> bool:
        """Whether an entity is pinned."""
        return entity_id is not None and bool(self.rows.get(ENTITY, entity_id)["pinned"])

    def hangs_on_a_pin(self, fact: Row) -> bool:
        """Whether a fact hangs on a pinned entity, and did so when the pass began."""
        aspect = self.rows.get(ASPECT, fact["aspect_id"])
        if not self.is_pinned(aspect["entity_id"]):
            return False
        came = self.rows.came
        return not (came(ATTRIBUTE, fact["id"], "aspect_id") or came(ASPECT, fact["aspect_id"], "entity_id"))


def _pinned(table: Table, row_id: int) -> Refusal:
    what = "is pinned" if table is ENTITY else "belongs to an entity that is pinned"
    return skip("pinned", f"{handle(table, row_id)} {what}")


class GuardedRows:
    """Rows that refuse to change what is protected. New rows may hang on it: that adds, and changes nothing."""

    def __init__(self, rows: Rows, protection: Protection) -> None:
        self._rows, self._protection = rows, protection
        self.get, self.where, self.twins, self.came, self.part = rows.get, rows.where, rows.twins, rows.came, rows.part

    def make(self, table: Table, **values: Any) -> int:
        """As `Rows.make`; no pass makes a constraint, or something pinned."""
        if self._protection.by_pass and (values.get("pinned") or values.get("kind") == "constraint"):
            raise skip("reserved", "only a person pins, or makes a constraint")
        return self._rows.make(table, **values)

    def change(self, table: Table, row_id: int, **values: Any) -> None:
        """As `Rows.change`."""
        self._protection.refuse_change(table, self._rows.get(table, row_id), values)
        self._rows.change(table, row_id, **values)

    def repoint(self, table: Table, column: str, old: int, new: int) -> None:
        """As `Rows.repoint`: facts move with their aspect, unless it belongs to a pinned entity."""
        if table is ATTRIBUTE:
            self._protection.refuse_change(ASPECT, self._rows.get(ASPECT, old), {"absorbed_into": new})
        elif self._protection.is_pinned(old):
            raise _pinned(ENTITY, old)
        self._rows.repoint(table, column, old, new)

    def drop(self, table: Table, row_id: int) -> None:
        """As `Rows.drop`."""
        self._protection.refuse(table, self._rows.get(table, row_id))
        self._rows.drop(table, row_id)
