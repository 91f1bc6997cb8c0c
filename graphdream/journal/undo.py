"""Take back a past pass, whole and exactly. An undo is a pass itself, and can be taken back like any other."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graphdream.clock import Clock, utc_now
from graphdream.errors import ConflictError, GraphdreamError, UndoConflictError, UsageError
from graphdream.graph.rows import handle, parse_handle
from graphdream.graph.rowtext import pairs_of
from graphdream.graph.rowwords import rows_called
from graphdream.graph.sealtables import confirm_tables
from graphdream.graph.store import Store
from graphdream.graph.tables import BY_KIND, ENTITY
from graphdream.journal.changes import BlockedChangeError, changes_of, take_back
from graphdream.journal.collisions import loose_ends, occupier, stranded
from graphdream.journal.cursors import give_back, take_again
from graphdream.journal.erasure import ERASED
from graphdream.journal.passes import OpenPass, PassHeader, get_pass, open_pass
from graphdream.journal.soundness import confirm_journal
from graphdream.journal.standing import grown, read_undoes, undoers
from graphdream.journal.verdicts import Verdict, absorptions_of, in_words, reject, verdicts_on
from graphdream.observed import observing
from graphdream.room import confirm_disk

_DREAMT = ("dream", "cycle")  # kinds of passes that graphdream thinks of, and may think of again
_BY_HAND = "edit"  # the kind of passes in which a person may have done what such a pass would have proposed
_EVERY_UNDO_JUDGED = "remember"  # the option of undos that were written when taking back was a verdict


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo did.

    Attributes:
        pass_id: the undo's own id.
        undone: the passes it took back, newest first.
        brought_back: older passes that stand again because the undo that had taken them back is among `undone`.
        rows: rows made, changed and deleted, by table: {"entity changed": 3, ...}.
        rejected: pairs of entities that are remembered as not the same.
        held: whether passes leave alone from now on what was taken back, unless they are asked to do it again. Nothing
            is held of what none of them would do by itself, such as an import or a check, nor of a merge that was
            judged wrong: that is not done again at all.
        hash_before: the graph's hash before the undo.
        hash_after: and after it.
    """

    pass_id: int
    undone: tuple[int, ...]
    brought_back: tuple[int, ...]
    rows: dict[str, int]
    rejected: tuple[Verdict, ...]
    held: bool
    hash_before: str
    hash_after: str

    def as_text(self, told: Sequence[str] = ()) -> str:
        """The report for a person.

        Args:
            told: lines that say what is otherwise now, by name and text, where the caller has the graph to look at
                (`graphdream.interfaces.undo_text`); without them the numbers of rows are told.
        """
        lines = [f"pass {self.pass_id} takes back {', '.join(map(str, self.undone))}"]
        lines += told or self.rows_in_words()
        if self.brought_back:
            lines.append(f"  stands again: {', '.join(map(str, self.brought_back))}")
        if self.rejected:
            lines.append(in_words(self.rejected))
        if self.held:
            what = "the rest" if self.rejected else "that"
            lines.append(f"  held: no pass does {what} again by itself; dream --again, or cycle --again, may")
        lines.append(f"  graph {self.hash_before[:16]} -> {self.hash_after[:16]}")
        return "\n".join(lines)

    def rows_in_words(self) -> list[str]:
        """`3 facts changed`, a line for each kind of row."""
        told = ((name.rpartition(" "), number) for name, number in self.rows.items())
        return [f"  {rows_called(table, number)} {how}" for (table, _, how), number in told]

    def as_json(self) -> dict[str, Any]:
        """The report as plain data; entities as handles."""
        return {
            "pass": self.pass_id,
            "undone": list(self.undone),
            "brought_back": list(self.brought_back),
            "rows": self.rows,
            "rejected": [
                {"merged_by": one.pass_id, "distinct": [f"e{one.first_id}", f"e{one.second_id}"]}
                for one in self.rejected
            ],
            "held": self.held,
            "hash_before": self.hash_before,
            "hash_after": self.hash_after,
        }


class _InTheWayError(GraphdreamError):
    """Met while writing: these passes have to be taken back as well."""

    def __init__(self, passes: set[int]) -> None:
        super().__init__(f"passes in the way: {sorted(passes)}")
        self.passes = passes


@observing("undo")
def undo(
    store: Store,
    pass_id: int,
    *,
    cascade: bool = False,
    wrong: Collection[str] = (),
    all_wrong: bool = False,
    actor: str = "person",
    clock: Clock = utc_now,
) -> UndoReport:
    """Take back a pass: every row is again what it was, and a new pass of kind `undo` says so.

    That is no judgement: what was taken back is held (`graphdream.dream.held`), and no merge counts as wrong, unless
    `wrong` or `all_wrong` says so.

    Args:
        store: the file; a write transaction that is open is joined, and then the caller commits.
        pass_id: the pass to take back, an undo or any other.
        cascade: take back what is in the way too, in the same undo.
        wrong: handles of entities that were wrongly merged: none of them is the same as any other of its cluster; of
            the entity that absorbed the others, that no two of the cluster are the same. This is remembered.
        all_wrong: every merge that is taken back was wrong.
        actor: who asked for it, for the record.
        clock: tells the time.

    Raises:
        NotFoundError: there is no such pass, or one of `wrong` was not merged by what is taken back.
        UsageError: one of `wrong` is no handle of an entity.
        ConflictError: it changed nothing, is undone already, is a purge, or needs what a purge has erased.
        UndoConflictError: later passes rest on it, and `cascade` is false; all that `cascade` would take are named.
        IntegrityError: the graph is not what the journal says, or the journal not what was sealed; nothing was changed.
        UnwritableError: the disk has too little room; nothing was begun.
    """
    connection = store.connection
    get_pass(connection, pass_id)  # before anything is made of what may be no number
    joined = connection.in_transaction
    if not joined:
        confirm_disk(store.path)
        store.seal.require_sound()
    judged: list[str] | Literal["all"] = "all" if all_wrong else sorted({_entity_handle(name) for name in wrong})
    options = {"actor": actor, "cascade": cascade, "target": pass_id, "wrong": judged}
    taken = {pass_id}
    while True:
        try:
            # No savepoint where none is needed: SQLite's journal of an open savepoint makes each statement that follows
            # cost more than the one before.
            with store.savepoint() if joined else store.writing():
                confirm_journal(store)
                confirm_tables(store.seal, "rejection")
                _require_standing(connection, pass_id)
                taken = grown(connection, taken)
                _require_no_purge(connection, pass_id, taken)
                header = PassHeader(kind="undo", trigger="manual", options=options, undoes=tuple(sorted(taken)))
                report = _write(store, header, clock)
                if len(taken) > 1 and not cascade:
                    raise UndoConflictError(pass_id, sorted(taken - {pass_id}))
        except _InTheWayError as met:
            taken |= met.passes
        else:
            break
    if not joined:
        store.give_back_pages()
    return report


def _require_standing(connection: sqlite3.Connection, pass_id: int) -> None:
    target = get_pass(connection, pass_id)
    if target["status"] != "applied":
        raise ConflictError(f"pass {pass_id} was {target['status']}: it changed nothing, so there is nothing to undo")
    if target["undone_by"] is not None:
        by = target["undone_by"]
        raise ConflictError(f"pass {pass_id} is undone already, by pass {by}", f"graphdream undo {by} brings it back")


def _require_no_purge(connection: sqlite3.Connection, pass_id: int, taken: Collection[int]) -> None:
    """What was purged is gone for good: it is not undone, nor is what cannot be without it."""
    purges = [own for own in sorted(taken) if get_pass(connection, own)["kind"] == "purge"]
    if pass_id in purges:
        raise ConflictError(f"pass {pass_id} is a purge: what it erased is gone for good")
    if purges:
        raise ConflictError(f"pass {pass_id} cannot be undone: that needs what {_passes(purges)} purged")


def _write(store: Store, header: PassHeader, clock: Clock) -> UndoReport:
    """One attempt. Raises _InTheWayError where the passes to take back turn out to be too few."""
    connection, taken = store.connection, header.undoes
    with open_pass(store, header, clock=clock) as current:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for pass_id in reversed(taken):
            try:
                changes = changes_of(connection, pass_id, newest_first=True)
                take_back(connection, changes, current.id, part=store.savepoint)
            except BlockedChangeError as blocked:
                raise _InTheWayError({occupier(connection, blocked, current.id, taken)}) from blocked
        in_the_way = loose_ends(connection, current.id, taken) or stranded(connection, current.id, taken)
        if in_the_way:
            raise _InTheWayError(in_the_way)
        brought_back = _settle(connection, current.id, taken)
        ordinary = _ordinary(connection, taken)
        rejected = judged(connection, ordinary, header.options)
        reject(connection, current.id, rejected)
        _describe(current, brought_back, taken, rejected)
    done = get_pass(connection, current.id)
    return UndoReport(
        pass_id=current.id,
        undone=tuple(reversed(taken)),
        brought_back=brought_back,
        rows=done["counts"].get("rows", {}),
        rejected=tuple(rejected),
        held=any(_may_be_done_again(connection, own, rejected) for own in ordinary),
        hash_before=done["hash_before"],
        hash_after=done["hash_after"],
    )


def _settle(connection: sqlite3.Connection, undo_id: int, taken: Collection[int]) -> tuple[int, ...]:
    """Write down who has taken back whom from now on; returns the passes that stand again."""
    before = dict(connection.execute("SELECT id, undone_by FROM pass WHERE undone_by IS NOT NULL").fetchall())
    after = undoers({**read_undoes(connection), undo_id: taken})
    moved = [pass_id for pass_id in before.keys() | after.keys() if before.get(pass_id) != after.get(pass_id)]
    moved.sort()
    connection.executemany("UPDATE pass SET undone_by = ? WHERE id = ?", [(after.get(own), own) for own in moved])
    connection.executemany(
        "UPDATE rejection SET revoked_by = ? WHERE pass_id = ?", [(after.get(own), own) for own in moved]
    )
    give_back(connection, [(own, after[own]) for own in moved if own in after])
    brought_back = tuple(own for own in moved if own not in after)
    take_again(connection, brought_back)
    return brought_back


def _ordinary(connection: sqlite3.Connection, taken: Collection[int]) -> list[int]:
    undoes = read_undoes(connection)
    return [pass_id for pass_id in taken if pass_id not in undoes]


def judged(
    connection: sqlite3.Connection, passes: Collection[int], options: Mapping[str, Any], *, purged: Collection[int] = ()
) -> list[Verdict]:
    """The verdicts of an undo, by its options and the passes it took back that are no undo themselves.

    Args:
        purged: entities of which nothing is asked, because their changes are gone.

    Raises:
        NotFoundError: an entity that was to be judged was not merged by these passes.
    """
    wrong = options.get("wrong", [])
    if not wrong and not options.get(_EVERY_UNDO_JUDGED):
        return []
    merges = absorptions_of(connection, passes, undone=True)
    if not wrong:
        return [one for one in verdicts_on(merges, None) if one.direct]
    return verdicts_on(merges, None if wrong == "all" else {int(name[1:]) for name in wrong} - set(purged))


def _may_be_done_again(connection: sqlite3.Connection, pass_id: int, rejected: Collection[Verdict]) -> bool:
    """Whether a pass that was taken back did anything that another one may propose, but for what was judged wrong."""
    kind = get_pass(connection, pass_id)["kind"]
    if kind == _BY_HAND:
        return not rejected and _puts_aside(connection, pass_id)
    if kind not in _DREAMT or not rejected:
        return kind in _DREAMT
    wrong = {(one.first_id, one.second_id) for one in rejected}
    merges = absorptions_of(connection, [pass_id], undone=True)
    if any((min(one.source, one.target), max(one.source, one.target)) not in wrong for one in merges):
        return True
    others = "SELECT 1 FROM mutation WHERE pass_id = ? AND status = 'applied' AND op <> 'merge_entities' LIMIT 1"
    return connection.execute(others, (pass_id,)).fetchone() is not None


def _puts_aside(connection: sqlite3.Connection, pass_id: int) -> bool:
    """Whether a pass merged, replaced or archived anything."""
    return any(
        pairs_of(BY_KIND[change.kind], change.diff).get("status", ("", "active"))[1] != "active"
        for change in changes_of(connection, pass_id)
        if change.op == "~" and change.diff != ERASED
    )


def _entity_handle(name: str) -> str:
    parsed = parse_handle(name)
    if parsed is None or parsed[0] is not ENTITY:
        raise UsageError(f"{name!r} is no handle of an entity", "graphdream show PASS lists the merges of a pass")
    return handle(*parsed)


def _describe(
    current: OpenPass, brought_back: Collection[int], taken: Collection[int], rejected: list[Verdict]
) -> None:
    current.counts["undone"] = len(taken)
    current.counts["merges rejected"] = sum(one.direct for one in rejected)
    current.summary = f"Took back {_passes(taken)}" + (
        f"; {_passes(brought_back)} stands again" if brought_back else ""
    )


def _passes(ids: Collection[int]) -> str:
    return ("pass " if len(ids) == 1 else "passes ") + ", ".join(str(pass_id) for pass_id in sorted(ids))
