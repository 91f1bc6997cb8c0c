"""Run a past pass again, on the graph as it was before, and say what differs: levels 1 and 2. Level 3, which
thinks anew, is `graphdream.dream.asked_again`.

Nothing is changed: the replay works on a copy of the file that is wound back to the moment before the pass.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from graphdream.dream.recompiled import recompiled
from graphdream.dream.teller import actor_of
from graphdream.errors import ConflictError, UsageError
from graphdream.graph.capture import all_triggers
from graphdream.graph.schema import copy_whole
from graphdream.graph.store import Store, hash_text
from graphdream.graph.tables import TABLES
from graphdream.journal.changes import carry_out, changes_of, take_back
from graphdream.journal.erasure import is_erased
from graphdream.journal.passes import PassHeader, get_pass, mutations_of, open_pass
from graphdream.journal.soundness import confirm_journal
from graphdream.journal.standing import read_undoes, undoers
from graphdream.mutations.applier import Proposal, apply_proposals
from graphdream.mutations.context import Actor, Applying
from graphdream.mutations.outcome import Outcome
from graphdream.mutations.parse import parse_proposals, parse_trusted

_BY_MUTATIONS = frozenset(
    {"edit", "dream", "cycle"}
)  # kinds of passes that log what was asked for, not only what changed
OWN_DREAMER = "local"  # its answers are typed mutations of this program, which no boundary has to check
NOT_REJUDGED = frozenset({"harmful", "over_cap", "stale", "purged"})
"""Verdicts on the pass as a whole, on its moment, or on what is not on record."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A mutation that ends otherwise today. `was` and `now` are outcomes as "status/code: message"."""

    position: int
    op: str
    was: str
    now: str


@dataclass(slots=True)
class ReplayReport:
    """What came of a replay.

    Attributes:
        level: 1: the logged changes again; 2: the logged answers under today's rules.
        same_hash: whether the graph came out as it did then.
        differences: mutations that end otherwise.
    """

    pass_id: int
    kind: str
    level: int
    hash_then: str
    hash_now: str
    mutations: int
    differences: list[Difference] = field(default_factory=list)

    @property
    def same_hash(self) -> bool:
        """Whether the graph came out as it did then."""
        return self.hash_then == self.hash_now

    @property
    def same(self) -> bool:
        """Whether nothing at all differs."""
        return self.same_hash and not self.differences


def replay(store: Store, pass_id: int, *, level: int = 1) -> ReplayReport:
    """Replay one pass.

    Level 1 applies what was applied then: for a dream or an edit its mutations, for any other pass (an import, an
    undo) its row changes. Level 2 parses every logged mutation again under today's schema (that of models only where a
    model answered) and lets today's checks judge it; of a pass over a view that asked a model, it reads the model's own
    words again, and today's rules make the mutations of them.

    Raises:
        NotFoundError: there is no such pass.
        UsageError: no such level, or the pass was refused or failed and so changed nothing.
        ConflictError: a part of the pass was purged.
        IntegrityError: the journal is not as it was sealed.
    """
    if level not in (1, 2):
        raise UsageError(f"there is no replay level {level}", "1 applies the log again, 2 judges it, 3 thinks anew")
    record = get_pass(store.connection, pass_id)
    if record["status"] != "applied":
        raise UsageError(f"pass {pass_id} was {record['status']}: it changed nothing that could be replayed")
    if is_erased(store.connection, pass_id):
        raise ConflictError(f"pass {pass_id} held what was purged since, so it cannot be replayed")
    with wound_back(store, pass_id) as copy:
        return _run(store, copy, record, level)


@contextmanager
def wound_back(store: Store, pass_id: int) -> Iterator[Store]:
    """A copy of the file as it was before a pass, gone when the context ends; ids and journal go on from there.

    What a row was before is found by all changes of it since, so the whole journal is looked at. Raises IntegrityError
    where it is not as it was sealed.
    """
    confirm_journal(store)
    with tempfile.TemporaryDirectory(prefix="graphdream-replay-") as folder:
        path = Path(folder) / "replay.db"
        copy_whole(store.connection, path)
        with Store.open(path, scratch=True) as copy:
            _wind_back(copy, pass_id)
            yield copy


def _wind_back(copy: Store, pass_id: int) -> None:
    """Make the copy what the file was before the pass: its rows, its journal, and the ids it would give next."""
    connection = copy.connection
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    with copy.writing():
        for table in TABLES:
            for suffix in ("made", "changed", "deleted"):
                connection.execute(f"DROP TRIGGER {table.name}_{suffix}")
        later = connection.execute(
            "SELECT id FROM pass WHERE id >= ? AND status = 'applied' ORDER BY id DESC", (pass_id,)
        ).fetchall()
        for (number,) in later:
            take_back(connection, changes_of(connection, number, newest_first=True), version=0)
        connection.execute("UPDATE summary SET read_by = NULL WHERE read_by >= ?", (pass_id,))
        connection.execute("UPDATE observation SET read_by = NULL WHERE read_by >= ?", (pass_id,))
        connection.execute("UPDATE turn SET read_by = NULL WHERE read_by >= ?", (pass_id,))
        connection.execute("DELETE FROM rejection WHERE pass_id >= ?", (pass_id,))
        connection.execute("DELETE FROM tombstone WHERE purged_by >= ?", (pass_id,))
        connection.execute("UPDATE planned SET verdict = 'open', decided_by = NULL WHERE decided_by >= ?", (pass_id,))
        for name in ("finding", "mutation", "change", "planned", "exchange", "erasure"):
            connection.execute(f"DELETE FROM {name} WHERE pass_id >= ?", (pass_id,))
        connection.execute("DELETE FROM pass WHERE id >= ?", (pass_id,))
        connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'pass'", (pass_id - 1,))
        _settle(connection)
        for table in TABLES:
            # Which pass last changed a row is news to passes that look for what is new.
            connection.execute(
                f"UPDATE {table.name} SET version = coalesce((SELECT max(pass_id) FROM change"
                f" WHERE kind = ? AND row_id = {table.name}.id), 0) WHERE version = 0",
                (table.kind,),
            )
            connection.execute(
                "UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(row_id), 0) FROM change WHERE kind = ?)"
                " WHERE name = ?",
                (table.kind, table.name),
            )
    connection.executescript(all_triggers())
    connection.execute("PRAGMA foreign_keys = ON")


def _settle(connection: sqlite3.Connection) -> None:
    """Who had taken back whom by then, and so which verdicts held: later undos may have turned that around twice."""
    taken_back = sorted(undoers(read_undoes(connection)).items())
    connection.execute("UPDATE pass SET undone_by = NULL")
    connection.execute("UPDATE rejection SET revoked_by = NULL")
    connection.executemany("UPDATE pass SET undone_by = ?2 WHERE id = ?1", taken_back)
    connection.executemany("UPDATE rejection SET revoked_by = ?2 WHERE pass_id = ?1", taken_back)


def _run(store: Store, copy: Store, record: dict[str, Any], level: int) -> ReplayReport:
    logged = mutations_of(store.connection, record["id"])
    report = ReplayReport(record["id"], record["kind"], level, record["hash_after"], "", len(logged))
    clock = _repeating(record["inputs"].get("now") or record["started_at"])
    with open_pass(copy, PassHeader(record["kind"], mode=record["mode"]), clock=clock):
        if record["kind"] in _BY_MUTATIONS:
            report.differences = _apply_again(store, copy, record, logged, level)
        else:
            copy.connection.execute("PRAGMA defer_foreign_keys = ON")
            carry_out(copy.connection, changes_of(store.connection, record["id"]))
        report.hash_now = hash_text(copy.graph_hash)
    return report


def _repeating(moment: str) -> Any:
    return lambda: moment


def _apply_again(
    store: Store, copy: Store, record: dict[str, Any], logged: list[dict[str, Any]], level: int
) -> list[Difference]:
    then = [Outcome(row["status"], row["code"], row["message"]) for row in logged]
    bodies = [row["body"] for row in logged]
    edited, cycled = record["kind"] == "edit", record["kind"] == "cycle"
    kept_out = frozenset(
        position
        for position, outcome in enumerate(then)
        if outcome.code in NOT_REJUDGED or (level == 1 and outcome.status != "applied")
    )
    proposals: list[Proposal] | None = None
    if cycled and level == 2 and record["dreamer"] == "model" and "events" in record["inputs"]:
        proposals = recompiled(store, copy, record)
        if proposals is None:
            return [Difference(0, "answer", "it was read and compiled", "it cannot be read any more")]
    elif cycled:  # an item of an answer that was no mutation
        kept_out |= {position for position, outcome in enumerate(then) if outcome.status == "failed"}
    if proposals is None:
        by_hand = level == 1 or edited or cycled
        proposals = _parsed(bodies, () if by_hand else _spans_of_models(record, len(bodies)))
    actor: Actor = actor_of(record["options"].get("by", "user")) if edited else "host" if cycled else "pass"
    applying = Applying(
        copy, actor, record["inputs"].get("now") or record["started_at"], derived=not edited, judged=level != 1,
        rules=record["inputs"].get("rules", 1), authority="inferred" if cycled else "",
    )  # fmt: skip
    others = _otherwise(bodies, proposals)
    now = apply_proposals(applying, proposals, without=frozenset() if others else kept_out)
    return others or [
        Difference(position, str(bodies[position].get("op", "")), _words(was), _words(today))
        for position, (was, today) in enumerate(zip(then, now, strict=True))
        if position not in kept_out and (was.status, was.code) != (today.status, today.code)
    ]


def _otherwise(bodies: Sequence[dict[str, Any]], proposals: Sequence[Proposal]) -> list[Difference]:
    """The mutations that an answer comes to today and did not then, and the other way round."""
    return [
        Difference(position, str((then or today or {}).get("op", "")), _written(then), _written(today))
        for position, (then, today) in enumerate(zip_longest(bodies, [one.body for one in proposals]))
        if _written(then) != _written(today)
    ]


def _written(body: Any) -> str:
    return "nothing" if body is None else json.dumps(body, ensure_ascii=False, sort_keys=True)


def _spans_of_models(record: dict[str, Any], count: int) -> Sequence[Sequence[int]]:
    """Spans of positions that a model proposed. A pass that names none is a model's whole, unless the dreamer was our
    own."""
    if record["dreamer"] == OWN_DREAMER:
        return ()
    spans: Sequence[Sequence[int]] = record["inputs"].get("from_model", [[0, count]])
    return spans


def _parsed(bodies: Sequence[dict[str, Any]], of_models: Sequence[Sequence[int]]) -> list[Proposal]:
    """What models proposed is held against the published schema; the rest is this program's own."""
    asked = {position for start, end in of_models for position in range(start, end)}
    proposals = parse_trusted(bodies)
    for position in sorted(asked):
        (proposals[position],) = parse_proposals([bodies[position]])
    return proposals


def _words(outcome: Outcome) -> str:
    return f"{outcome.status}/{outcome.code}: {outcome.message}"
