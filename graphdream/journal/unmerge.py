"""Take one merge out of the pass that made it: the old entity comes back under its old handle, with what was its own.

What is its own is read from the journal: the aspects, facts, links and mentions that hung on it when it was merged come
back to it, wherever they hang by now; what was added since stays with the entity that had absorbed it. What the merge
added up is taken apart again: counts by subtraction, first and last times as they are without it. Facts of the one that
were folded into, or replaced by, facts of the other stand for themselves again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.errors import ConflictError, UsageError, quoted
from graphdream.graph.rows import fetch, handle, insert, parse_handle, update
from graphdream.graph.rowtext import key_sql, pairs_of, row_of
from graphdream.graph.store import Store
from graphdream.graph.tables import (
    ALIAS,
    ASPECT,
    ATTRIBUTE,
    DISTINCT_PAIR,
    ENTITY,
    EVIDENCE,
    LINK,
    MENTION,
    Table,
)
from graphdream.journal.changes import row_as_of
from graphdream.journal.erasure import ERASED
from graphdream.journal.passes import PassHeader, get_pass, open_pass
from graphdream.journal.verdicts import NOT_OURS, TAKEN_APART, Absorption, Verdict, absorptions_of, reject, verdicts_on

_Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class UnmergeReport:
    """What an unmerge did.

    Attributes:
        pass_id: its own id.
        entity: handle of the one that is back.
        from_entity: handle of the one that had absorbed it.
        name: of the one that is back.
        merged_by: the pass that had merged them.
        facts: how many facts came back to it.
        rejected: pairs of entities that are remembered as not the same.
    """

    pass_id: int
    entity: str
    from_entity: str
    name: str
    merged_by: int
    facts: int
    rejected: tuple[Verdict, ...]

    def as_text(self) -> str:
        """The report for a person."""
        facts = f"{self.facts:,} fact{'' if self.facts == 1 else 's'}"
        lines = [
            f"pass {self.pass_id}: {self.entity} ({quoted(self.name)}) is back with {facts},"
            f" out of {self.from_entity}; pass {self.merged_by} had merged them"
        ]
        if self.rejected:
            lines.append(f"  remembered as not the same: {len(self.rejected):,} pairs of entities")
        lines.append("  held: no pass does that again by itself; graphdream dream --again may")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "pass": self.pass_id, "entity": self.entity, "from": self.from_entity, "merged_by": self.merged_by,
            "facts": self.facts, "distinct": [[f"e{one.first_id}", f"e{one.second_id}"] for one in self.rejected],
        }  # fmt: skip


def unmerge(
    store: Store, reference: str, *, wrong: bool = False, actor: str = "person", clock: Clock = utc_now
) -> UnmergeReport:
    """Take an entity out of the one that absorbed it, as a pass of its own.

    Args:
        reference: handle of the absorbed entity.
        wrong: the merge was wrong: the entity is none of those it was one with, which is remembered and counted.
        actor: who asked for it, for the record.

    Raises:
        UsageError: the reference is no handle of an entity.
        NotFoundError: there is no such entity.
        ConflictError: it is not absorbed, what absorbed it is no longer active, or nobody knows what was its own.
    """
    parsed = parse_handle(reference)
    if parsed is None or parsed[0] is not ENTITY:
        raise UsageError(f"{reference!r} is no handle of an entity", "graphdream entity NAME --history shows them")
    connection, number = store.connection, parsed[1]
    store.seal.require_sound()
    merge, above = _merge_of(connection, number)
    options = {"actor": actor, "entity": handle(ENTITY, number), "merged_by": merge.pass_id, "wrong": wrong}
    with open_pass(store, PassHeader("unmerge", trigger="person", options=options), clock=clock) as current:
        facts = _Parting(store, merge, above).part()
        rejected = verdicts_on(absorptions_of(connection, [merge.pass_id]), [number]) if wrong else []
        reject(connection, current.id, rejected)
        current.counts["merges rejected"] = sum(one.direct for one in rejected)
        if get_pass(connection, merge.pass_id)["kind"] not in NOT_OURS:
            current.counts[TAKEN_APART] = 1
        names = handle(ENTITY, number), handle(ENTITY, above[-1])
        current.summary = f"took {names[0]} out of {names[1]} again, into which pass {merge.pass_id} had merged it"
    name = fetch(connection, ENTITY, number)["name"]
    return UnmergeReport(current.id, *names, name, merge.pass_id, facts, tuple(rejected))


def _merge_of(connection: sqlite3.Connection, number: int) -> tuple[Absorption, list[int]]:
    """The merge by which an entity went, and what it is part of since: up to the one that is active now."""
    entity = fetch(connection, ENTITY, number)
    if entity["status"] != "absorbed":
        raise ConflictError(f"e{number} ({quoted(entity['name'])}) is {entity['status']}: it was merged into none")
    merge = merge_of(connection, number)
    if merge is None:
        raise ConflictError(f"e{number} came merged: the journal does not know what was its own")
    row, above = entity, []
    while row["status"] == "absorbed":
        row = fetch(connection, ENTITY, row["absorbed_into"])
        above.append(row["id"])
    if row["status"] != "active":
        raise ConflictError(
            f"e{row['id']}, which e{number} is part of, is {row['status']}", f"graphdream restore e{row['id']}"
        )
    return merge._replace(target=above[0]), above


def hung_on(
    connection: sqlite3.Connection, pass_id: int, table: Table, column: str, owners: Collection[int]
) -> dict[int, _Row]:
    """The rows that hung on some others before a pass, as they were: found where they hang now, and by the changes
    since of those that hang elsewhere by now.

    Args:
        column: which says on what a row hangs.
        owners: ids of what they hung on.
    """
    marks = ", ".join("?" * len(owners))
    found = {
        row[0] for row in connection.execute(f"SELECT id FROM {table.name} WHERE {column} IN ({marks})", sorted(owners))
    }
    before = f"""json_extract(diff, '$."{table.place(column)}"[0]')"""
    found |= {
        row[0]
        for row in connection.execute(
            "SELECT row_id FROM change WHERE id >= (SELECT first_change FROM pass WHERE id = ?) AND kind = ?"
            f" AND op = '~' AND diff <> ? AND instr(diff, {key_sql(table, column)}) AND {before} IN ({marks})",
            (pass_id, table.kind, ERASED, *sorted(owners)),
        )
    }
    rows = {number: row_as_of(connection, table, number, pass_id - 1) for number in sorted(found)}
    return {number: row for number, row in rows.items() if row is not None and row[column] in owners}


def merge_of(connection: sqlite3.Connection, number: int) -> Absorption | None:
    """The merge by which an absorbed entity went; None where it came absorbed, with an import.

    Where that was taken back and brought again, it is the pass that stands, not the undo that brought it.
    """
    log = connection.execute(
        "SELECT pass_id, diff FROM change JOIN pass ON pass.id = pass_id WHERE change.kind = ? AND row_id = ?"
        " AND op = '~' AND diff <> ? AND undoes = '[]' AND undone_by IS NULL ORDER BY change.id DESC",
        (ENTITY.kind, number, ERASED),
    )
    for pass_id, diff in log:
        was, into = pairs_of(ENTITY, diff).get("absorbed_into", (0, 0))
        if was is None:
            return Absorption(pass_id, number, into)
    return None


def part_of(connection: sqlite3.Connection, number: int) -> list[sqlite3.Row]:
    """The entities that were merged into one, by whatever way."""
    return connection.execute(
        "WITH RECURSIVE own (id) AS (SELECT ?1 UNION SELECT entity.id FROM entity JOIN own ON absorbed_into = own.id)"
        " SELECT entity.* FROM own JOIN entity USING (id) WHERE own.id <> ?1 ORDER BY entity.id",
        (number,),
    ).fetchall()


class _Parting:
    """One merge being taken apart, within an open pass.

    Attributes:
        before: the newest pass before the merge.
        facts: id -> the row as it was then, of every fact that was the entity's own.
    """

    def __init__(self, store: Store, merge: Absorption, above: list[int]) -> None:
        self._store, self._connection = store, store.connection
        self._merge, self._above, self._survivor = merge, above, above[-1]
        self._before = merge.pass_id - 1
        self._entity = self._as_it_was()
        self._aspects = self._hung_on(ASPECT, "entity_id", {merge.source})
        self._facts = self._hung_on(ATTRIBUTE, "aspect_id", set(self._aspects))

    def part(self) -> int:
        """Do it; returns how many facts stand for themselves at the entity again."""
        self._leave_behind_what_came_with_the_pass()
        self._set(ENTITY, self._merge.source, **{name: self._entity[name] for name in (*_FIGURES, *_FATE)})
        for entity in self._above:
            self._lessen(entity)
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

    # ------------------------------------------------------------------ what was whose

    def _hung_on(self, table: Table, column: str, owners: Collection[int]) -> dict[int, _Row]:
        return hung_on(self._connection, self._merge.pass_id, table, column, owners)

    def _set(self, table: Table, number: int, **values: Any) -> None:
        update(self._store, table, number, **values)

    # ------------------------------------------------------------------ the entity that had absorbed it

    def _lessen(self, number: int) -> None:
        """Take the entity out of what the merge had added up at one that it was part of: a sum is less by what went;
        the best, the first or the last of several is that of those who stay, where it was this one's."""
        now, gone = dict(fetch(self._connection, ENTITY, number)), self._entity
        others = [dict(row) for row in part_of(self._connection, number)]
        target = row_as_of(self._connection, ENTITY, number, self._before) or now
        staying = [target, *others]
        values: dict[str, Any] = {"mentions": max(0, now["mentions"] - gone["mentions"])}
        values |= _without(now, gone, staying, ("importance",))
        if now["type"] == gone["type"] != target["type"] and not any(row["type"] == now["type"] for row in others):
            values["type"] = target["type"]
        values["sessions"] = _less(now["sessions"], gone["sessions"], [row["sessions"] for row in staying])
        self._set(ENTITY, number, **values)

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
            self._uncount(ATTRIBUTE, now, now["absorbed_into"])
        fate = _fate(was) if was["absorbed_into"] is None and was["superseded_by"] is None else _ACTIVE
        self._set(ATTRIBUTE, now["id"], superseded_by=None, valid_to=was["valid_to"], slot=was["slot"], **fate)
        # Within an entity that was merged away, an aspect can have gone with it.
        aspect = fetch(self._connection, ASPECT, fetch(self._connection, ATTRIBUTE, now["id"])["aspect_id"])
        if aspect["status"] == "archived":
            self._set(ASPECT, aspect["id"], status="active", status_reason="")

    def _uncount(self, table: Table, gone: _Row, into: int | None) -> None:
        """Take what was folded into a row out of its figures, and out of those that it went into itself."""
        while into is not None:
            target = dict(fetch(self._connection, table, into))
            staying = [
                row_as_of(self._connection, table, into, self._before) or target,
                *self._connection.execute(
                    f"SELECT * FROM {table.name} WHERE absorbed_into = ? AND id <> ?", (into, gone["id"])
                ),
            ]
            seen = 0 if gone["derived"] else gone["reinforcement"]
            values: dict[str, Any] = {"reinforcement": max(1, target["reinforcement"] - seen)}
            values |= _without(target, gone, staying, ("confidence", "strength" if table is LINK else "importance"))
            if table is ATTRIBUTE:
                values["tags"] = _less(target["tags"], gone["tags"], [row["tags"] for row in staying])
                self._unshare(gone["id"], into)
            self._set(table, into, **values)
            into = target["absorbed_into"]

    def _unshare(self, gone: int, into: int) -> None:
        """Evidence and mentions that a fact got by the folding alone leave it again."""
        for table, columns in ((EVIDENCE, ("session_key", "turn_uid")), (MENTION, ("entity_id",))):
            theirs = {
                tuple(row[column] for column in columns)
                for row in self._connection.execute(f"SELECT * FROM {table.name} WHERE attribute_id = ?", (gone,))
            }
            for row in self._connection.execute(
                f"SELECT * FROM {table.name} WHERE attribute_id = ?", (into,)
            ).fetchall():
                shared = tuple(row[column] for column in columns) in theirs
                if shared and row_as_of(self._connection, table, row["id"], self._before) is None:
                    self._connection.execute(f"DELETE FROM {table.name} WHERE id = ?", (row["id"],))

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
                self._uncount(LINK, now, now["absorbed_into"])
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
                self._uncount(LINK, dict(row), row["absorbed_into"])
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


_FATE = ("status", "absorbed_into", "status_reason")
_FIGURES = ("type", "first_seen", "last_seen", "sessions", "mentions", "importance")  # what a merge adds up
_ACTIVE = {"status": "active", "absorbed_into": None, "status_reason": ""}
_ASIDE = {"status": "archived", "absorbed_into": None, "status_reason": ""}


def _fate(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that say whether a row is there, and what became of it."""
    return {name: row[name] for name in _FATE}


def _without(
    now: Mapping[str, Any], gone: Mapping[str, Any], staying: Iterable[Any], best: Iterable[str]
) -> dict[str, Any]:
    """The best, first and last of several once one is gone: those that were its own are looked for anew."""
    rows = list(staying)
    values: dict[str, Any] = {name: max(row[name] for row in rows) for name in best if now[name] == gone[name]}
    if now["first_seen"] == gone["first_seen"]:
        values["first_seen"] = min((row["first_seen"] for row in rows if row["first_seen"]), default=None)
    if now["last_seen"] == gone["last_seen"]:
        values["last_seen"] = max((row["last_seen"] for row in rows if row["last_seen"]), default=None)
    return values


def _less(now: str, gone: str, staying: Sequence[str]) -> str:
    """A list of words in JSON, without those that only the one had which is gone; in the order of the first that stays,
    where it is that list again."""
    own = set(json.loads(gone)).difference(*map(json.loads, staying))
    left = [word for word in json.loads(now) if word not in own]
    if set(left) == set(json.loads(staying[0])):
        return staying[0]
    return json.dumps(left, ensure_ascii=False, separators=(",", ":"))
