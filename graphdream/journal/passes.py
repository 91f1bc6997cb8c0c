"""Passes: every change of the graph belongs to one, and each is chained to the one before."""

from __future__ import annotations

import json
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.collector import collector_paused
from graphdream.errors import NotFoundError, UsageError
from graphdream.graph.fulltext import reindex_pass
from graphdream.graph.nameindex import reindex_names
from graphdream.graph.spans import begin_span, end_span, of_pass
from graphdream.graph.store import Store, hash_text
from graphdream.graph.tables import BY_KIND
from graphdream.journal.erasure import sealed_entries
from graphdream.journal.verdicts import MERGED
from graphdream.litter import sweep
from graphdream.sealing.places import folders_of_seals

RULES = 5  # version of the rules by which mutations become rows; a replay keeps to those of its pass
NO_ROWS = hash_text(0)

# The columns that the chain covers as they are: all but `undone_by`, which a later pass sets, the chain itself, and the
# texts that can be purged.
_CHAINED = (
    "id", "kind", "mode", "trigger", "status", "started_at", "finished_at", "dreamer", "model", "options", "inputs",
    "directive_hash", "tokens_in", "tokens_out", "tokens_cached", "cost", "duration_ms", "counts", "undoes",
    "first_change", "last_change", "hash_before", "hash_after",
)  # fmt: skip


@dataclass(slots=True)
class PassHeader:
    """What is known of a pass before it has changed anything."""

    kind: str
    mode: str = ""
    trigger: str = ""
    dreamer: str = ""
    model: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, Any] = field(default_factory=dict)
    directive_hash: str = ""
    answer: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float | None = 0.0
    undoes: tuple[int, ...] = ()
    duration_ms: int = 0
    graph_hash: str = ""  # of the graph as it is found, where that is not what the newest pass left


@dataclass(slots=True)
class OpenPass:
    """A pass that is being written. `counts` and `summary` may be filled while it is open; `indexed` says that the
    full-text index knows of all its changes already, because the proof needed it."""

    id: int
    started_at: str
    indexed: bool = False
    counts: dict[str, Any] = field(default_factory=dict)
    summary: str = ""


@contextmanager
def open_pass(
    store: Store,
    header: PassHeader,
    *,
    clock: Clock = utc_now,
    writing: Callable[[Store], AbstractContextManager[None]] | None = None,
) -> Iterator[OpenPass]:
    """Write one pass: a transaction in which graph rows may change, journalled, indexed, hashed and chained.

    On an exception nothing of it remains. If the store is in a write transaction already, the pass joins it and
    the caller commits.

    Args:
        writing: opens the transaction, and does what comes after it (`after_a_pass`); None: `Store.writing`.
    """
    if store.connection.in_transaction:
        with collector_paused():
            yield from _write(store, header, clock)
        return
    if writing is not None:
        with collector_paused(), writing(store):
            yield from _write(store, header, clock)
        return
    with collector_paused(), store.writing():
        yield from _write(store, header, clock)
    after_a_pass(store)


def after_a_pass(store: Store) -> None:
    """Once a pass is committed: give back what the file has of free pages, and remove what killed writers have left
    beside it and beside its key."""
    store.give_back_pages()
    for folder in (store.path.parent, *folders_of_seals()):
        sweep(folder)


def _write(store: Store, header: PassHeader, clock: Clock) -> Iterator[OpenPass]:
    began = time.monotonic()
    connection = store.connection
    _name_file(connection)
    before = header.graph_hash or current_hash(connection)
    started_at, damage = clock(), _damage(store)
    pass_id = connection.execute(
        "INSERT INTO pass (kind, mode, trigger, status, started_at, dreamer, model, options, inputs, directive_hash,"
        " answer, tokens_in, tokens_out, tokens_cached, cost, undoes, hash_before, hash_after)"
        " VALUES (?, ?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            header.kind, header.mode, header.trigger, started_at, header.dreamer, header.model, _json(header.options),
            _json({**header.inputs, "rules": RULES, **damage}), header.directive_hash, header.answer,
            header.tokens_in, header.tokens_out, header.tokens_cached, header.cost, _json(list(header.undoes)),
            before, before,
        ),
    ).lastrowid  # fmt: skip
    assert pass_id is not None
    begin_span(connection, pass_id)
    store.start_pass(pass_id, int(before, 16))
    current = OpenPass(pass_id, started_at)
    yield current
    end_span(connection, pass_id)
    if not current.indexed:
        reindex_pass(connection, pass_id)
    reindex_names(connection, pass_id)
    current.counts.update(_row_counts(connection, pass_id))
    spent = header.duration_ms + round((time.monotonic() - began) * 1000)
    connection.execute(
        "UPDATE pass SET status = 'applied', finished_at = ?, counts = ?, summary = ?, hash_after = ?,"
        " duration_ms = ? WHERE id = ?",
        (clock(), _json(current.counts), current.summary, hash_text(store.graph_hash), spent, pass_id),
    )
    if _damage(store) != damage:  # more was met among the rows that it wrote
        inputs = _json({**header.inputs, "rules": RULES, **_damage(store)})
        connection.execute("UPDATE pass SET inputs = ? WHERE id = ?", (inputs, pass_id))
    chain_pass(connection, pass_id)


def _damage(store: Store) -> dict[str, list[str]]:
    """What is known to be wrong with the file, where somebody has it written to nevertheless."""
    return {"damage": list(store.seal.accepted)} if store.seal.accepted else {}


def _name_file(connection: sqlite3.Connection) -> None:
    """The file gets its random name with its first pass, whatever becomes of that pass."""
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('file_id', ?)", (uuid.uuid4().hex,))


def record_unapplied(
    store: Store, header: PassHeader, *, status: str, error: str, counts: dict[str, Any], clock: Clock = utc_now
) -> int:
    """Keep the record of a pass that changed nothing: `status` is "failed" or "refused". Returns its id."""
    connection = store.connection
    with store.writing():
        _name_file(connection)
        before, now = current_hash(connection), clock()
        pass_id = connection.execute(
            "INSERT INTO pass (kind, mode, trigger, status, started_at, finished_at, dreamer, model, options, inputs,"
            " answer, tokens_in, tokens_out, tokens_cached, cost, duration_ms, counts, error, hash_before, hash_after)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                header.kind, header.mode, header.trigger, status, now, now, header.dreamer, header.model,
                _json(header.options), _json(header.inputs), header.answer, header.tokens_in, header.tokens_out,
                header.tokens_cached, header.cost, header.duration_ms, _json(counts), error, before, before,
            ),
        ).lastrowid  # fmt: skip
        assert pass_id is not None
        begin_span(connection, pass_id)
        end_span(connection, pass_id)
        chain_pass(connection, pass_id)
    return pass_id


def current_hash(connection: sqlite3.Connection) -> str:
    """The graph's hash after the newest pass; that of no rows at all before the first."""
    row = connection.execute("SELECT hash_after FROM pass ORDER BY id DESC LIMIT 1").fetchone()
    return str(row[0]) if row else NO_ROWS


def chain_pass(connection: sqlite3.Connection, pass_id: int) -> None:
    """Seal a finished pass."""
    connection.execute("UPDATE pass SET chain = ? WHERE id = ?", (chain_of(connection, pass_id), pass_id))


def chain_of(connection: sqlite3.Connection, pass_id: int) -> str:
    """Hash over the chain before a pass, the pass itself, its mutations and its changes: 64 hexadecimal digits.

    What can be purged goes in as its digest, so that the chain stays what it was when the text is gone.
    """
    before = connection.execute("SELECT chain FROM pass WHERE id < ? ORDER BY id DESC LIMIT 1", (pass_id,)).fetchone()
    seal = blake2b((before[0] if before else "").encode(), digest_size=32)
    kept = connection.execute(f"SELECT {', '.join(_CHAINED)} FROM pass WHERE id = ?", (pass_id,)).fetchone()
    seal.update(_json(list(kept)).encode())
    for digests in sealed_entries(connection, pass_id):
        seal.update(digests)
    return seal.hexdigest()


def _row_counts(connection: sqlite3.Connection, pass_id: int) -> dict[str, dict[str, int]]:
    words = {"+": "made", "~": "changed", "-": "deleted"}
    rows = {
        f"{BY_KIND[kind].name} {words[op]}": number
        for kind, op, number in connection.execute(
            f"SELECT kind, op, count(DISTINCT row_id) FROM change NOT INDEXED WHERE {of_pass('?1')}"
            " GROUP BY kind, op ORDER BY kind, op",
            (pass_id,),
        )
    }
    # Apart from the others: with them, the text of every change would be sorted along.
    merged = connection.execute(
        f"SELECT count(*) FROM change NOT INDEXED WHERE {of_pass('?1')} AND {MERGED}", (pass_id,)
    ).fetchone()
    if merged[0]:
        rows["entity merged"] = merged[0]
    return {"rows": rows} if rows else {}


# ---------------------------------------------------------------------- reading


def list_passes(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Every pass, oldest first, as `graphdream passes --json` shows it."""
    return [_shown(row) for row in connection.execute("SELECT * FROM pass ORDER BY id")]


def newest_passes(connection: sqlite3.Connection, *, offset: int, limit: int) -> list[dict[str, Any]]:
    """Some passes, newest first, as `list_passes` shows them."""
    rows = connection.execute("SELECT * FROM pass ORDER BY id DESC LIMIT ? OFFSET ?", (limit, offset))
    return [_shown(row) for row in rows]


def get_pass(connection: sqlite3.Connection, pass_id: int) -> dict[str, Any]:
    """One pass. Raises NotFoundError where there is none of that id, UsageError where it is no number."""
    if not isinstance(pass_id, int):
        raise UsageError(f"a pass is a number, not {pass_id!r:.60}", "graphdream passes lists them")
    row = connection.execute("SELECT * FROM pass WHERE id = ?", (pass_id,)).fetchone()
    if row is None:
        newest = connection.execute("SELECT max(id) FROM pass").fetchone()[0]
        there = f"the newest is {newest}" if newest else "no pass was ever written"
        raise NotFoundError(f"there is no pass {pass_id}; {there}", "graphdream passes lists them")
    return _shown(row)


def last_pass(connection: sqlite3.Connection) -> int:
    """Id of the newest pass. Raises NotFoundError where there is none."""
    newest: int | None = connection.execute("SELECT max(id) FROM pass").fetchone()[0]
    if newest is None:
        raise NotFoundError("there is no pass yet", "graphdream passes lists them")
    return newest


def mutations_of(connection: sqlite3.Connection, pass_id: int) -> list[dict[str, Any]]:
    """The mutations of a pass with their outcomes, in the order proposed; `body` is parsed."""
    rows = connection.execute("SELECT * FROM mutation WHERE pass_id = ? ORDER BY position", (pass_id,))
    return [{**dict(row), "body": json.loads(row["body"])} for row in rows]


def _shown(row: sqlite3.Row) -> dict[str, Any]:
    shown, unreadable = dict(row), []
    for column, kind in _READ.items():
        try:
            told = json.loads(shown[column])
        except (ValueError, TypeError):
            told = None
        if not isinstance(told, kind):
            unreadable.append(column)
        shown[column] = told if isinstance(told, kind) else kind()
    if unreadable:  # written behind graphdream's back: the rest of the pass is told, and the list of passes goes on
        shown["error"] = f"{shown['error']} (not readable: {', '.join(unreadable)})".strip()
    return shown


_READ: dict[str, type[dict[str, Any]] | type[list[Any]]] = {
    "options": dict,
    "inputs": dict,
    "counts": dict,
    "undoes": list,
}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
