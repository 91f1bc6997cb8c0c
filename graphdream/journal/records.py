"""Passes and their mutations as the library hands them out: typed, with nothing left to parse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from graphdream.graph.store import Store
from graphdream.journal.told import told_mutations, told_newest, told_pass, told_passes


@dataclass(frozen=True, slots=True)
class PassRecord:
    """One pass of the journal.

    Attributes:
        kind: import, dream, edit, remember, undo, purge.
        mode: compact or incremental; "" for what is no dream.
        trigger: what started it.
        status: applied, planned, refused, failed, or open while it runs.
        dreamer: who thought; "" where nobody did.
        model: which model; "" where none was asked.
        options: how it was run.
        inputs: what it was shown.
        cost: US dollars; None where the price is not known.
        duration_ms: of the writing.
        counts: outcomes, rows and figures.
        undoes: ids of the passes that it takes back.
        undone_by: id of the pass that took it back.
        hash_before: of the graph before it, in hexadecimal.
        hash_after: of the graph after it.
    """

    id: int
    kind: str
    mode: str
    trigger: str
    status: str
    started_at: str
    finished_at: str | None
    dreamer: str
    model: str
    options: Mapping[str, Any]
    inputs: Mapping[str, Any]
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost: float | None
    duration_ms: int
    counts: Mapping[str, Any]
    summary: str
    error: str
    undoes: tuple[int, ...]
    undone_by: int | None
    hash_before: str
    hash_after: str

    @classmethod
    def of(cls, shown: Mapping[str, Any]) -> Self:
        """A pass from what `graphdream.journal.passes` reads."""
        held = {one.name: shown[one.name] for one in fields(cls)}
        return cls(**held | {"undoes": tuple(held["undoes"])})


@dataclass(frozen=True, slots=True)
class MutationRecord:
    """One mutation of a pass as it was proposed, and what became of it: status, code (docs/mutations.md), words."""

    position: int
    op: str
    body: Mapping[str, Any]
    status: str
    code: str
    message: str


def pass_records(store: Store) -> list[PassRecord]:
    """Every pass, oldest first. One that is not as it was sealed says so in `error`, and nothing else (as of all that
    follows); `store.seal.left_out` names it."""
    return [PassRecord.of(shown) for shown in told_passes(store)]


def newest_records(store: Store, *, offset: int = 0, limit: int = 50) -> tuple[int, list[PassRecord]]:
    """How many passes there are, and some of them, newest first; what they were shown is left out, being long."""
    total = store.connection.execute("SELECT count(*) FROM pass").fetchone()[0]
    shown = told_newest(store, offset=offset, limit=limit)
    return total, [PassRecord.of(one | {"inputs": {}}) for one in shown]


def pass_record(store: Store, pass_id: int) -> PassRecord:
    """One pass. Raises NotFoundError where there is none of that id."""
    return PassRecord.of(told_pass(store, pass_id))


def mutation_records(store: Store, pass_id: int) -> list[MutationRecord]:
    """The mutations of a pass in the order proposed. Raises NotFoundError where there is no such pass."""
    names = [one.name for one in fields(MutationRecord)]
    return [MutationRecord(*(row[name] for name in names)) for row in told_mutations(store, pass_id)]
