"""An entity that was merged into another, made to stand for itself again: what was its own comes back to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from graphdream.errors import ConflictError
from graphdream.graph.rows import fetch, insert, update
from graphdream.graph.rowtext import row_of
from graphdream.graph.store import Store
from graphdream.graph.tables import ALIAS, ASPECT, ATTRIBUTE, DISTINCT_PAIR, ENTITY, LINK, MENTION, Table
from graphdream.journal.changes import row_as_of
from graphdream.journal.erasure import ERASED
from graphdream.journal.figures import Figures
from graphdream.journal.lineage import hung_on, part_of
from graphdream.journal.verdicts import Absorption

_Row = dict[str, Any]

_FATE = ("status", "absorbed_into", "status_reason")
_FIGURES = ("type", "first_seen", "last_seen", "sessions", "mentions", "importance")  # what a merge adds up
_ACTIVE = {"status": "active", "absorbed_into": None, "status_reason": ""}
_ASIDE = {"status": "archived", "absorbed_into": None, "status_reason": ""}


class Parting:
    """One merge being taken apart, within an open pass.

    Args:
        merge: by which the entity went.
        above: what it is part of since, from what it was merged into up to what is active now.

    Raises:
        ConflictError: the entity was made by the pass that merged it.
    """

    def __init__(self, store: Store, merge: Absorption, above: list[int]) -> None:
        self._store, self._connection = store, store.connection
        self._merge, self._above, self._survivor = merge, above, above[-1]
        self._before = merge.pass_id - 1  # the newest pass before the merge
        self._figures = Figures(store, self._before)
        self._entity = self._as_it_was()
        self._aspects = self._hung_on(ASPECT, "entity_id", {merge.source})
        self._facts = self._hung_on(ATTRIBUTE, "aspect_id", set(self._aspects))

    def part(self) -> int:
        """Do it; returns how many facts stand for themselves at the entity again."""
        self._leave_behind_what_came_with_the_pass()
        self._set(ENTITY, self._merge.source, **{name: self._entity[name] for name in (*_FIGURES, *_FATE)})
        for entity in self._above:
            self._figures.lessen(entity, self._entity)
            self._take_names(entity)
        for number, aspect in self._aspects.items():
            self._set(ASPECT, number, entity_id=aspect["entity_id"], **_fate(aspect))
        self._bring_back_facts()
        self._bring_back_links()
        self._bring_back_mentions()
        self._take_verdicts()
        active = (fetch(self._connection, ATTRIBUTE, number)["status"] == "active" for number in self._facts)
        return sum(active)

    def _as_it_was(self) -> _Row:
        row = row_as_of(self._connection, ENTITY, self._merge.source, self._before)
        if row is None:
            raise ConflictError(
                f"e{self._merge.source} was made by the pass that merged it", f"graphdream undo {self._merge.pass_id}"
            )
        return row

    def _leave_behind_what_came_with_the_pass(self) -> None:
        """What the same pass had first merged into the entity stays with the survivor, where its facts are."""
        for row in self._connection.execute(
            "SELECT id FROM entity WHERE absorbed_into = ? ORDER BY id", (self._merge.source,)
        ).fetchall():
            was = row_as_of(self._connection, ENTITY, row["id"], self._before)
            if was is None or was["status"] == "active":
                self._set(ENTITY, row["id"], absorbed_into=self._merge.target)
        for row in self._connection.execute(
            "SELECT id FROM alias WHERE entity_id = ? ORDER BY id", (self._merge.source,)
        ).fetchall():
            if row_as_of(self._connection, ALIAS, row["id"], self._before) is None:
                self._connection.execute("DELETE FROM alias WHERE id = ?", (row["id"],))

    def _hung_on(self, table: Table, column: str, owners: Collection[int]) -> dict[int, _Row]:
        return hung_on(self._connection, self._merge.pass_id, table, column, owners)

    def _set(self, table: Table, number: int, **values: Any) -> None:
        update(self._store, table, number, **values)

    # ------------------------------------------------------------------ facts

    def _bring_back_facts(self) -> None:
        for number, fact in self._facts.items():
            now = dict(fetch(self._connection, ATTRIBUTE, number))
            self._set(ATTRIBUTE, number, aspect_id=fact["aspect_id"])
            if self._crosses(now):
                self._stand_again(now, fact)
        for number in self._foreign_losers():
            now = dict(fetch(self._connection, ATTRIBUTE, number))
            was = row_as_of(self._connection, ATTRIBUTE, number, self._before)
            self._stand_again(now, was or now)

    def _crosses(self, fact: _Row) -> bool:
        """Whether a fact gave way to one that stays behind, and not before the merge."""
        into = fact["absorbed_into"] or fact["superseded_by"]
        return into is not None and into not in self._facts and self._is_since(fact)

    def _foreign_losers(self) -> Iterator[int]:
        """Facts that stay behind, and gave way to one that goes."""
        marks = ", ".join("?" * len(self._facts))
        ids = sorted(self._facts)
        for row in self._connection.execute(
            f"SELECT * FROM attribute WHERE absorbed_into IN ({marks}) OR superseded_by IN ({marks}) ORDER BY id",
            (*ids, *ids),
        ).fetchall():
            if row["id"] not in self._facts and self._is_since(dict(row)):
                yield row["id"]

    def _is_since(self, fact: _Row) -> bool:
        was = row_as_of(self._connection, ATTRIBUTE, fact["id"], self._before)
        return was is None or any(was[name] != fact[name] for name in ("absorbed_into", "superseded_by"))

    def _stand_again(self, now: _Row, was: _Row) -> None:
        """A fact that gave way is active, as it was, and what absorbed it counts it no longer."""
        if now["absorbed_into"] is not None:
            self._figures.uncount(ATTRIBUTE, now, now["absorbed_into"])
        fate = _fate(was) if was["absorbed_into"] is None and was["superseded_by"] is None else _ACTIVE
        self._set(ATTRIBUTE, now["id"], superseded_by=None, valid_to=was["valid_to"], slot=was["slot"], **fate)
        # Within an entity that was merged away, an aspect can have gone with it.
        aspect = fetch(self._connection, ASPECT, fetch(self._connection, ATTRIBUTE, now["id"])["aspect_id"])
        if aspect["status"] == "archived":
            self._set(ASPECT, aspect["id"], status="active", status_reason="")

    # ------------------------------------------------------------------ links, mentions, names, verdicts

    def _bring_back_links(self) -> None:
        own = {
            number: link
            for side in ("source_id", "target_id")
            for number, link in self._hung_on(LINK, side, {self._merge.source}).items()
        }
        for number, link in sorted(own.items()):
            now = dict(fetch(self._connection, LINK, number))
            self._set(LINK, number, **_ASIDE)  # until all ends are right, two may say the same
            if now["absorbed_into"] != link["absorbed_into"]:
                self._figures.uncount(LINK, now, now["absorbed_into"])
            ends = {side: self._end(now[side], link[side]) for side in ("source_id", "target_id")}
            loop = now["source_id"] == now["target_id"] and link["source_id"] != link["target_id"]
            gave_way = now["absorbed_into"] is not None and now["absorbed_into"] not in own
            self._place(number, ends, _fate(link) if loop or gave_way else _fate(now))
        marks = ", ".join("?" * len(own))
        for row in self._connection.execute(
            f"SELECT * FROM link WHERE absorbed_into IN ({marks}) ORDER BY id", sorted(own)
        ).fetchall():
            was = row_as_of(self._connection, LINK, row["id"], self._before)
            if row["id"] not in own and was is not None and was["absorbed_into"] != row["absorbed_into"]:
                self._figures.uncount(LINK, dict(row), row["absorbed_into"])
                self._place(row["id"], {side: row[side] for side in ("source_id", "target_id")}, _fate(was))

    def _place(self, number: int, ends: dict[str, int | None], fate: dict[str, Any]) -> None:
        """Give a link its ends and its fate, unless an active one says the same."""
        if fate["status"] == "active":
            twin = self._connection.execute(
                "SELECT id FROM link WHERE source_id = ?1 AND target_id = ?2 AND status = 'active'"
                " AND (type, target_ref) = (SELECT type, target_ref FROM link WHERE id = ?3) AND id <> ?3",
                (ends["source_id"], ends["target_id"], number),
            ).fetchone()
            if twin is not None:
                fate = {"status": "absorbed", "absorbed_into": twin[0], "status_reason": "duplicate"}
        self._set(LINK, number, **ends, **fate)

    def _end(self, now: int | None, was: int | None) -> int | None:
        """An end of a link: the entity itself, or where it led to before if that is there; else where it leads now."""
        if was == self._merge.source:
            return was
        return was if now == self._survivor and was is not None and self._is_active(was) else now

    def _is_active(self, entity_id: int) -> bool:
        return bool(fetch(self._connection, ENTITY, entity_id)["status"] == "active")

    def _bring_back_mentions(self) -> None:
        for number, mention in self._hung_on(MENTION, "entity_id", {self._merge.source}).items():
            there = self._connection.execute("SELECT 1 FROM mention WHERE id = ?", (number,)).fetchone()
            if there is not None:
                self._set(MENTION, number, entity_id=mention["entity_id"])
        for (diff,) in self._connection.execute(
            "SELECT diff FROM change WHERE kind = ? AND op = '-' AND pass_id = ? AND diff <> ? ORDER BY id",
            (MENTION.kind, self._merge.pass_id, ERASED),
        ).fetchall():
            mention = row_of(MENTION, diff)
            if mention["entity_id"] == self._merge.source:
                insert(self._store, MENTION, attribute_id=mention["attribute_id"], entity_id=mention["entity_id"])

    def _take_names(self, number: int) -> None:
        """Names that one which it was part of has by this merge alone."""
        own = self._names([self._merge.source])
        kept = self._names(row["id"] for row in part_of(self._connection, number))
        for alias in self._connection.execute(
            "SELECT * FROM alias WHERE entity_id = ? AND source = 'merge' ORDER BY id", (number,)
        ).fetchall():
            made_since = row_as_of(self._connection, ALIAS, alias["id"], self._before) is None
            if made_since and alias["name"] in own and alias["name"] not in kept:
                self._connection.execute("DELETE FROM alias WHERE id = ?", (alias["id"],))

    def _names(self, entities: Iterable[int]) -> set[str]:
        names = set()
        for entity in entities:
            names.add(fetch(self._connection, ENTITY, entity)["name"])
            names |= {
                row[0] for row in self._connection.execute("SELECT name FROM alias WHERE entity_id = ?", (entity,))
            }
        return names

    def _take_verdicts(self) -> None:
        """What the survivor was judged distinct from only because this one was."""
        for pair in self._connection.execute(
            "SELECT * FROM distinct_pair WHERE first_id = ?1 OR second_id = ?1 ORDER BY id", (self._survivor,)
        ).fetchall():
            other = pair["first_id"] + pair["second_id"] - self._survivor
            low, high = sorted((other, self._merge.source))
            carried = self._connection.execute(
                "SELECT 1 FROM distinct_pair WHERE first_id = ? AND second_id = ? AND reason = ?",
                (low, high, pair["reason"]),
            ).fetchone()
            made_since = row_as_of(self._connection, DISTINCT_PAIR, pair["id"], self._before) is None
            if carried is not None and made_since:
                self._connection.execute("DELETE FROM distinct_pair WHERE id = ?", (pair["id"],))


def _fate(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that say whether a row is there, and what became of it."""
    return {name: row[name] for name in _FATE}
