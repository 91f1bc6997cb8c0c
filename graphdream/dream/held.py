"""What a person took back is held: passes leave it alone until it is asked for again, or something new is known.

An undo, an unmerge and a restore are no judgements: they say that this was not to be done, not that it was wrong. So a
proposal that would do the same to the same rows is left out, as long as nothing new has come to these rows since. What
is held is not stored: it is read from the journal, by the rows that a proposal names, so an undo that is itself undone
holds nothing any more. What was rejected in a plan is held likewise, as if it had been done and taken back.

What is the same: two entities, facts or links becoming one, in either direction, also by way of a third; a fact giving
way to the same fact; a row being archived; anything else with the very words of the mutation that was taken back.
What is new: of an entity, a fact, a link or a name that came to it, or another name or type; of a fact, other words.
What passes only arrange anew says nothing new, or what is held would be let go by the next pass.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from graphdream.dream.rejected import Rejected, any_rejected, rejected_items
from graphdream.graph.names import canonical, canonical_text
from graphdream.graph.rows import parse_handle
from graphdream.graph.rowtext import pairs_of, row_of
from graphdream.graph.store import Store
from graphdream.graph.tables import ALIAS, ASPECT, ATTRIBUTE, ENTITY, LINK, Table
from graphdream.journal.changes import row_as_of
from graphdream.journal.erasure import ERASED
from graphdream.journal.soundness import confirm_passes, confirm_rows
from graphdream.mutations import model
from graphdream.mutations.addresses import handles_in
from graphdream.mutations.applier import Proposal
from graphdream.mutations.context import entities_named, facts_saying

_ARRANGING = ("dream", "cycle", "undo", "unmerge")  # kinds of passes whose changes of rows that are there are no news
_LIFTING = ("edit", "unmerge")  # kinds of passes that bring back what another pass, which stands, had put aside
Parsed = model.Mutation
_Merge = model.MergeEntities | model.MergeAttributes | model.Fold | model.MergeLinks


class _Effect(NamedTuple):
    """What a pass did to a row and was taken back later: columns before and after; `since`: who took it back."""

    pass_id: int
    since: int
    before: dict[str, Any]
    after: dict[str, Any]


class _Deed(NamedTuple):
    """What a mutation would do, the same for two that would do the same, and the rows that it would do it to."""

    what: tuple[object, ...]
    rows: tuple[tuple[Table, int], ...]


class Held:
    """What was taken back, as the journal of an open file tells it.

    Every pass says of itself whether it was taken back, so the row of each is looked at; of those that were, of a
    person's own, and of those that bring news, all that they wrote. The cost follows the number of passes and these,
    not the journal.

    Raises IntegrityError where that is not what was sealed, also later, when more of it is read.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._connection = store, store.connection
        confirm_rows(store)
        connection, marks = store.connection, ", ".join("?" * len(_LIFTING))
        self._undone = dict(
            connection.execute(
                "SELECT id, undone_by FROM pass WHERE undone_by IS NOT NULL AND undoes = '[]'"
            ).fetchall()
        )
        lifting = connection.execute(
            f"SELECT id, options FROM pass WHERE kind IN ({marks}) AND status = 'applied' AND undone_by IS NULL",
            _LIFTING,
        ).fetchall()
        confirm_passes(store, (*self._undone, *(row["id"] for row in lifting)))
        self._lifted = {row["id"]: json.loads(row["options"]).get("merged_by", row["id"]) for row in lifting}
        self._effects: dict[tuple[int, int], list[_Effect]] = {}
        self._bodies: dict[str, int] | None = None
        self._any_rejected = any_rejected(connection)

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is held."""
        return not self._undone and not self._lifted and not self._any_rejected

    def left_of(self, mutation: Parsed) -> Parsed | None:
        """What of a mutation is not held: the mutation itself, a smaller one, or None."""
        if self.is_empty:
            return mutation
        if isinstance(mutation, _Merge):
            return self._left_of_merge(mutation)
        return None if self._holds(mutation) else mutation

    def is_rejected(self, mutation: Parsed) -> bool:
        """Whether something of a mutation that is held was rejected in a plan, and not taken back."""
        if not isinstance(mutation, _Merge):
            return self._is_rejected(mutation)
        table, ids = self._merged(mutation)
        known = {number for number in ids.values() if number is not None}
        clusters = [cluster for one in known for _, cluster in self._rejected_merges.get((table.kind, one), ())]
        return any(len(cluster & known) > 1 for cluster in clusters)

    def _left_of_merge(self, mutation: _Merge) -> Parsed | None:
        table, ids = self._merged(mutation)
        known = [number for number in ids.values() if number is not None]
        together = [ids[mutation.target]]
        left = []
        for reference in mutation.source:
            if not any(self._is_pair_held(table, ids[reference], other, known) for other in together):
                left.append(reference)
                together.append(ids[reference])
        if len(left) == len(mutation.source):
            return mutation
        return mutation.model_copy(update={"source": tuple(left)}) if left else None

    def _merged(self, mutation: _Merge) -> tuple[Table, dict[str, int | None]]:
        """The table of what becomes one, and the id of each that is named, None where it is not there."""
        references = (mutation.target, *mutation.source)
        if isinstance(mutation, model.MergeEntities):
            return ENTITY, {reference: self._entity(reference) for reference in references}
        if isinstance(mutation, model.MergeLinks):
            return LINK, {reference: _link(reference) for reference in references}
        return ATTRIBUTE, {reference: self._fact(reference) for reference in references}

    def _holds(self, mutation: Parsed) -> bool:
        if self._is_rejected(mutation):
            return True
        if isinstance(mutation, model.SupersedeAttribute):
            return self._is_replacement_held(mutation)
        if isinstance(mutation, model.MoveAttribute):
            return self._is_move_held(mutation)
        archived = self._archived_by(mutation)
        if archived is not None:
            return self._is_archiving_held(*archived)
        return self._is_repeated(mutation)

    # ------------------------------------------------------------------ one kind after the other

    def _is_pair_held(self, table: Table, first: int | None, second: int | None, all_of_them: Collection[int]) -> bool:
        """Whether two rows were made one, by way of whatever rows, and taken apart again, and nothing new is known of
        all those that are to be one with them now."""
        if first is None or second is None:
            return False
        since = [
            effect.since
            for effect in (*self._effects_on(table, first), *self._effects_on(table, second))
            if self._root(table, first, effect.pass_id) == self._root(table, second, effect.pass_id)
        ]
        since += [judge for judge, cluster in self._rejected_merges.get((table.kind, first), ()) if second in cluster]
        return any(not any(self._has_news(table, row_id, one) for row_id in all_of_them) for one in since)

    def _root(self, table: Table, row_id: int, pass_id: int) -> int:
        """What a pass had made of a row in the end."""
        seen = set()
        while row_id not in seen:
            seen.add(row_id)
            row_id = next(
                (
                    effect.after["absorbed_into"]
                    for effect in self._effects_on(table, row_id)
                    if effect.pass_id == pass_id and effect.after.get("absorbed_into") is not None
                ),
                row_id,
            )
        return row_id

    def _is_replacement_held(self, mutation: model.SupersedeAttribute) -> bool:
        old, new = self._fact(mutation.old, mutation.entity), self._fact(mutation.new)
        for effect in self._effects_on(ATTRIBUTE, old) if old is not None else ():
            successor = effect.after.get("superseded_by")
            if successor is None:
                continue
            if new is None:
                written = row_as_of(self._connection, ATTRIBUTE, successor, effect.pass_id)
                same = written is not None and canonical_text(written["content"]) == canonical_text(mutation.new)
            else:
                same = successor == new and not self._has_news(ATTRIBUTE, new, effect.since)
            if same and old is not None and not self._has_news(ATTRIBUTE, old, effect.since):
                return True
        return False

    def _is_move_held(self, mutation: model.MoveAttribute) -> bool:
        fact = self._fact(mutation.attribute)
        under = self._connection.execute(
            "SELECT aspect.* FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE attribute.id = ?", (fact,)
        ).fetchone()
        if fact is None or under is None:
            return False
        entity = self._entity(mutation.entity) if mutation.entity else under["entity_id"]
        wanted = entity, canonical(mutation.aspect or under["name"])
        for effect in self._effects_on(ATTRIBUTE, fact):
            if "aspect_id" in effect.after and not self._has_news(ATTRIBUTE, fact, effect.since):
                there = row_as_of(self._connection, ASPECT, effect.after["aspect_id"], effect.pass_id)
                if there is not None and (there["entity_id"], there["canonical"]) == wanted:
                    return True
        return False

    def _archived_by(self, mutation: Parsed) -> tuple[Table, int | None] | None:
        """The row that a mutation archives; None where it is of another kind."""
        if isinstance(mutation, model.DeleteEntity):
            return ENTITY, self._entity(mutation.name)
        if isinstance(mutation, model.DeleteAttribute):
            return ATTRIBUTE, self._fact(mutation.content, mutation.entity)
        if isinstance(mutation, model.Unlink):
            return LINK, _link(mutation.link)
        if isinstance(mutation, model.DeleteAspect):
            row = self._connection.execute(
                "SELECT id FROM aspect WHERE entity_id = ? AND canonical = ? AND status = 'active'",
                (self._entity(mutation.entity), canonical(mutation.aspect)),
            ).fetchone()
            return ASPECT, row[0] if row else None
        return None

    def _is_archiving_held(self, table: Table, row_id: int | None) -> bool:
        return row_id is not None and any(
            effect.after.get("status") == "archived" and not self._has_news(table, row_id, effect.since)
            for effect in self._effects_on(table, row_id)
        )

    def _is_repeated(self, mutation: Parsed) -> bool:
        """Whether a pass that was taken back had done the same in the same words."""
        if self._bodies is None:
            rows = self._connection.execute(
                "SELECT body, pass.undone_by FROM mutation JOIN pass ON pass.id = pass_id"
                " WHERE mutation.status = 'applied' AND undone_by IS NOT NULL AND undoes = '[]' ORDER BY pass.id"
            )
            self._bodies = {words_of_mutation(json.loads(body)): since for body, since in rows}
        body = Proposal.of(mutation).body
        since = self._bodies.get(words_of_mutation(body))
        if since is None:
            return False
        return not any(self._has_news(*row, since) for row in _rows_named(body))

    # ------------------------------------------------------------------ what was rejected in plans

    @cached_property
    def _rejected(self) -> list[Rejected]:
        return list(rejected_items(self._store)) if self._any_rejected else []

    @cached_property
    def _rejected_deeds(self) -> dict[tuple[object, ...], int]:
        """What was rejected, but for merges, each with the newest pass that says so."""
        others = [one for one in self._rejected if not isinstance(one.mutation, _Merge)]
        return {self._deed(one.mutation).what: one.since for one in others}

    @cached_property
    def _rejected_merges(self) -> dict[tuple[int, int], list[tuple[int, set[int]]]]:
        """Kind and id of a row -> who rejected that it becomes one with others, and the ids of all of these."""
        found: dict[tuple[int, int], list[tuple[int, set[int]]]] = {}
        for since, mutation in self._rejected:
            if isinstance(mutation, _Merge):
                table, ids = self._merged(mutation)
                cluster = {number for number in ids.values() if number is not None}
                for row_id in cluster:
                    found.setdefault((table.kind, row_id), []).append((since, cluster))
        return found

    def _is_rejected(self, mutation: Parsed) -> bool:
        if not self._any_rejected:
            return False
        deed = self._deed(mutation)
        since = self._rejected_deeds.get(deed.what)
        return since is not None and not any(self._has_news(*row, since) for row in deed.rows)

    def _deed(self, mutation: Parsed) -> _Deed:
        table, row_id = self._archived_by(mutation) or (ENTITY, None)
        if row_id is not None:
            return _Deed(("archived", table.kind, row_id), ((table, row_id),))
        if isinstance(mutation, model.SupersedeAttribute):
            old, new = self._fact(mutation.old, mutation.entity), self._fact(mutation.new)
            if old is not None:
                rows = [(ATTRIBUTE, row_id) for row_id in (old, new) if row_id is not None]
                return _Deed(("replaced", old, canonical_text(mutation.new) if new is None else new), tuple(rows))
        body = Proposal.of(mutation).body
        return _Deed(("said", words_of_mutation(body)), _rows_named(body))

    # ------------------------------------------------------------------ the journal

    def _effects_on(self, table: Table, row_id: int) -> list[_Effect]:
        """What was done to a row and taken back, oldest first."""
        key = table.kind, row_id
        if key not in self._effects:
            self._effects[key] = list(self._read(table, row_id))
        return self._effects[key]

    def _read(self, table: Table, row_id: int) -> Iterator[_Effect]:
        effects: dict[int, _Effect] = {}
        for pass_id, diff in self._connection.execute(
            "SELECT pass_id, diff FROM change WHERE kind = ? AND row_id = ? AND op = '~' ORDER BY id",
            (table.kind, row_id),
        ):
            undone = pass_id in self._undone
            if diff == ERASED or not (undone or pass_id in self._lifted):
                continue
            if pass_id not in effects:
                did = pass_id if undone else self._lifted[pass_id]
                effects[pass_id] = _Effect(did, self._undone.get(pass_id, pass_id), {}, {})
            before, after = effects[pass_id][2:] if undone else reversed(effects[pass_id][2:])
            for column, (was, became) in pairs_of(table, diff).items():
                before.setdefault(column, was)
                after[column] = became
        for pass_id, effect in effects.items():
            # What brings a row back is of interest here; whatever else an edit did stands.
            if pass_id in self._undone or effect.before.get("status") == "active":
                yield effect

    def _has_news(self, table: Table, row_id: int, since: int) -> bool:
        """Whether anything has come to a row after a pass that says more than was known when it was taken back."""
        if table is ATTRIBUTE:
            return self._is_set_since(ATTRIBUTE, row_id, since, ("content",))
        if table is not ENTITY:
            return False
        if self._is_set_since(ENTITY, row_id, since, ("name", "type")):
            return True
        return any(
            self._is_set_since(of, number, since, columns) for of, number, columns in self._belongings(row_id, since)
        )

    def _belongings(self, entity_id: int, since: int) -> Iterator[tuple[Table, int, tuple[str, ...]]]:
        """Rows of an entity that changed after a pass, with the columns by which they come to it or say otherwise."""
        for table, columns, condition in (
            (ATTRIBUTE, ("content", "aspect_id"), "aspect_id IN (SELECT id FROM aspect WHERE entity_id = ?1)"),
            (ASPECT, ("entity_id",), "entity_id = ?1"),
            (ALIAS, ("entity_id",), "entity_id = ?1"),
            (LINK, ("source_id", "target_id"), "(source_id = ?1 OR target_id = ?1)"),
        ):
            for (number,) in self._connection.execute(
                f"SELECT id FROM {table.name} WHERE {condition} AND version > ?2", (entity_id, since)
            ).fetchall():
                yield table, number, columns

    def _is_set_since(self, table: Table, row_id: int, since: int, columns: Collection[str]) -> bool:
        for op, diff, kind, pass_id in self._connection.execute(
            "SELECT op, diff, pass.kind, pass_id FROM change JOIN pass ON pass.id = pass_id WHERE change.kind = ?"
            " AND row_id = ? AND pass_id > ? ORDER BY change.id",
            (table.kind, row_id, since),
        ).fetchall():
            if diff == ERASED:
                continue
            # Before what it says is read, which need not even be readable.
            confirm_passes(self._store, (pass_id,))
            if op == "+" and table is not ASPECT:  # an empty aspect says nothing
                return table is not ALIAS or row_of(table, diff)["source"] != "merge"
            if op == "~" and kind not in _ARRANGING and not pairs_of(table, diff).keys().isdisjoint(columns):
                return True
        return False

    # ------------------------------------------------------------------ addresses

    def _entity(self, reference: str) -> int | None:
        parsed = parse_handle(reference)
        if parsed is not None and parsed[0] is ENTITY:
            return parsed[1]
        found = entities_named(self._connection, reference)
        return found[0]["id"] if len(found) == 1 else None

    def _fact(self, reference: str, entity: str = "") -> int | None:
        parsed = parse_handle(reference)
        if parsed is not None and parsed[0] is ATTRIBUTE:
            return parsed[1]
        owner = self._entity(entity) if entity else None
        found = facts_saying(self._connection, owner, reference) if owner is not None else []
        return found[0]["id"] if len(found) == 1 else None


def _link(reference: str) -> int | None:
    parsed = parse_handle(reference)
    return parsed[1] if parsed is not None and parsed[0] is LINK else None


def _rows_named(body: dict[str, Any]) -> tuple[tuple[Table, int], ...]:
    """The rows that a mutation names by handle."""
    named = [parse_handle(reference) for _, reference in handles_in(body)]
    return tuple(row for row in named if row is not None)


def words_of_mutation(body: dict[str, Any]) -> str:
    """A mutation as text, without its reason, to tell whether two are the same."""
    return json.dumps({key: value for key, value in body.items() if key != "reason"}, sort_keys=True)
