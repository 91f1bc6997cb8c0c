"""`graphdream status`, also `graphdream dream --status`: is a pass due, and if not, which gate is closed.

Asked by hooks and prompts all day, so it starts fast: the configuration is loaded only where there is one, a tokenizer
only if a session was recorded since somebody last asked.
"""

from __future__ import annotations

import os
import sqlite3
from argparse import SUPPRESS, ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from graphdream.clock import utc_now
from graphdream.dream.trigger import DreamingSettings, Gate, Status, clock_text, gates
from graphdream.graph.store import Store
from graphdream.interfaces.opening import warn, warn_of_damage, warn_of_left_out
from graphdream.interfaces.output import fields, plural, print_json, table
from graphdream.interfaces.warned import warned
from graphdream.journal.witness import watch, witness_of
from graphdream.paths import database_path, settings_path
from graphdream.shown import printable

if TYPE_CHECKING:
    from pathlib import Path

    from graphdream.dream.trigger import TriggerSettings

# Before the first merge there is nothing to load for.
_ANY_MERGES = """
    SELECT EXISTS (SELECT 1 FROM pass WHERE instr(counts, '"entity merged"')) OR EXISTS (SELECT 1 FROM planned)
"""
_ENVIRONMENT_PREFIXES = ("GRAPHDREAM_DREAMING__", "GRAPHDREAM_MEMORY__")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `status`: none of its own, and `--status` where it stands for `dream --status`."""
    if parser.get_default("command") == "dream":
        parser.add_argument("--status", action="store_true", help=SUPPRESS)


def run(args: Namespace) -> int:
    """Print how dreaming stands. Raises NotFoundError where there is no database."""
    path = database_path(args.db, args.agent)
    settings = settings_of(path, args.agent)
    witness = witness_of(args.agent)
    with warned(Store.open(path, create=False)) as store:
        watch(store, witness, warn)
        warn_of_damage(store, args)
        status = gates(store, settings, utc_now())
        spent = spent_on(store)
        merges = merge_record(store.connection)
        warn_of_left_out(store)
    if args.json:
        print_json(as_json(path, settings, status, spent, merges))
    else:
        print(_as_text(path, settings, status, spent, merges), end="")
    return 0


def settings_of(database: Path, agent: str | None) -> TriggerSettings:
    """The settings beside the database, which is where an agent's are, else those that every agent shares."""
    beside = database.with_name("agent.yaml")
    path = beside if beside.is_file() else settings_path(agent)
    if path is None and not any(name.startswith(_ENVIRONMENT_PREFIXES) for name in os.environ):
        return DreamingSettings()
    from graphdream.config import load_settings

    return load_settings(path).dreaming


def spent_on(store: Store) -> dict[str, Any]:
    """US dollars and tokens of every conversation with a model, and how many passes ran at a price that is not known.

    Conversations count whatever became of their pass; a pass counts itself where it has none on record.
    """
    any_bill = "SELECT EXISTS (SELECT 1 FROM exchange) OR EXISTS (SELECT 1 FROM pass WHERE cost IS NULL OR cost <> 0)"
    if not store.connection.execute(any_bill).fetchone()[0]:
        return {"usd": 0.0, "tokens": 0, "passes_without_a_price": 0}
    from graphdream.journal.spending import spent

    found = spent(store)
    return {"usd": found.usd, "tokens": found.tokens, "passes_without_a_price": found.unpriced}


def merge_record(connection: sqlite3.Connection) -> dict[str, Any] | None:
    """Merges of dreams, and what came of those that a person judged; None as long as there is none."""
    if not connection.execute(_ANY_MERGES).fetchone()[0]:
        return None
    from graphdream.journal.mergerecord import live_merge_record

    record = live_merge_record(connection)
    if not record.merges and not record.judged:
        return None
    return {"merges": record.merges, "judged": record.judged, "rejected": record.rejected, "rate": record.rate,
            "interval_95": [record.low, record.high] if record.judged else None}  # fmt: skip


def as_json(
    path: Path, settings: TriggerSettings, status: Status, spent: dict[str, Any], merges: dict[str, Any] | None
) -> dict[str, Any]:
    """How dreaming stands as plain values: what `graphdream status --json` prints."""
    state, unread = status.state, status.backlog
    return {
        "database": str(path),
        "due": status.due._asdict() if status.due else None,
        "closed": _gate(status.closed) if status.closed else None,
        "barriers": [_gate(gate) for gate in status.barriers],
        "reasons": [_gate(gate) for gate in status.reasons],
        "tokens": {"unread": unread.tokens, "threshold": settings.token_threshold, "exact": unread.exact},
        "unread": {
            "sessions": unread.sessions, "summaries": unread.summaries, "observations": unread.observations,
            "since": unread.oldest,
        },
        "lease": status.holder._asdict() if status.holder else None,
        "last_pass": {"id": state.last_pass_id, "at": state.last_pass_at, "mode": state.last_mode}
        if state.last_pass_id is not None
        else None,
        "last_checked_at": state.last_checked_at,
        "failures": {
            "in_a_row": state.consecutive_failures, "last_at": state.last_failure_at, "last_error": state.last_error
        },
        "cost": spent,
        "merges": merges,
    }  # fmt: skip


def _gate(gate: Gate) -> dict[str, Any]:
    return {
        "name": gate.name, "open": gate.is_open, "detail": gate.detail, "opens": gate.opens, "opens_at": gate.opens_at
    }  # fmt: skip


def told(status: Status) -> str:
    """Whether a pass is due, in one line."""
    if status.due:
        return f"a pass is due: {status.due.mode}, because of: {status.due.trigger}"
    assert status.closed is not None
    return f"no pass is due: {printable(status.closed.detail)}; {status.closed.opens}"


def _as_text(
    path: Path, settings: TriggerSettings, status: Status, spent: dict[str, Any], merges: dict[str, Any] | None
) -> str:
    state, unread = status.state, status.backlog
    head = told(status)
    marks = [
        ("open" if gate.is_open else "closed", gate.name, gate.detail + (f"; {gate.opens}" if gate.opens else ""))
        for gate in (*status.barriers, *status.reasons)
    ]
    about = "" if unread.exact else " (estimated: no tokenizer at hand)"
    facts = {
        "database": path,
        "unread": f"{plural(unread.sessions, 'session')}, {plural(unread.summaries, 'summary', 'summaries')}, "
        f"{plural(unread.observations, 'observation')}, {plural(unread.tokens, 'token')}{about}",
        "last pass": f"{state.last_pass_id} ({state.last_mode}) at {clock_text(state.last_pass_at)}"
        if state.last_pass_at
        else ("none yet: nothing was to do" if state.last_checked_at else "never"),
        "last checked": clock_text(state.last_checked_at) if state.last_checked_at else None,
        "failures": f"{state.consecutive_failures} in a row" if state.consecutive_failures else None,
        "spent": f"${spent['usd']:.2f}"
        + (f", {plural(spent['tokens'], 'token')}" if spent["tokens"] else "")
        + (f", and {plural(spent['passes_without_a_price'], 'pass', 'passes')} at a price not known"
           if spent["passes_without_a_price"] else ""),
        "merges": _merges_text(merges) if merges else None,
    }  # fmt: skip
    return f"{head}\n\n{table(marks)}\n{fields(facts)}"


def _merges_text(merges: dict[str, Any]) -> str:
    if not merges["judged"]:
        return f"{merges['merges']:,}, none judged yet"
    low, high = merges["interval_95"]
    said = f"{merges['judged']:,} judged by a person, {merges['rejected']:,} of them wrong"
    return f"{merges['merges']:,}; {said}: {merges['rate']:.2%} (95 % interval: {low:.2%} to {high:.2%})"
