"""One agent's dream, as a process of a fleet runs it: a task goes in, a report comes out, whatever goes wrong."""

from __future__ import annotations

import os
import sqlite3
import time
import warnings
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from graphdream.errors import BusyError, GraphdreamError, SchemaError
from graphdream.fleet.objects import SCHEME
from graphdream.given import confirm_number, confirm_rate, confirm_share
from graphdream.graph.sqlitefaults import LOCKED_OUT, says_damaged, says_locked, says_unwritable

if TYPE_CHECKING:
    from graphdream.dream.report import DreamReport
    from graphdream.dreamers.client.limits import Queue

FAILED = "failed"
MADE_ALREADY = "made already"
NOT_DUE = "not due"
TRIGGER = "fleet"  # how the trigger of a pass begins that a fleet made; the id of the run follows


@dataclass(frozen=True, slots=True)
class FleetOptions:
    """How each agent of a fleet dreams, as `Graph.dream` and `graphdream dream` take it.

    Attributes:
        compact: the whole graph (True), what is new (False), or what is due (None).
        if_due: only where a pass is due.
        dry_run: say what would change, and change nothing.
        review: change nothing, and keep a plan for a person.
        again: also do anew what was taken back from earlier passes.
        model: as litellm names it; None: the configured one, or none.
        budget: tokens that each agent's pass may spend; None: no bound.
        max_false_merge_rate: share of merged pairs that may be wrong; None: the configured one.
        loss_cap: share of the active facts that a pass may archive; None: the configured one.

    Raises:
        UsageError: a figure is none.
    """

    compact: bool | None = None
    if_due: bool = False
    dry_run: bool = False
    review: bool = False
    again: bool = False
    model: str | None = None
    budget: int | None = None
    max_false_merge_rate: float | None = None
    loss_cap: float | None = None

    def __post_init__(self) -> None:
        confirm_rate("--max-false-merge-rate", self.max_false_merge_rate)
        confirm_share("--loss-cap", self.loss_cap)
        confirm_number("--budget", self.budget, least=1, of="tokens")


@dataclass(frozen=True, slots=True)
class Task:
    """A memory to be dreamed.

    Attributes:
        memory: its name within the location.
        path: where the file is, or the address of the object.
        run: id of the run; of one run, a memory is dreamed once.
        options: how.
        agent: whose settings count; None: those that all agents share.
        queue: where calls of a model wait for their turn, with those of the other agents; None: nowhere.
    """

    memory: str
    path: str
    run: str
    options: FleetOptions
    agent: str | None = None
    queue: Queue | None = None


@dataclass(frozen=True, slots=True)
class AgentReport:
    """What came of one agent's dream.

    Attributes:
        memory: the memory's name within the location.
        status: applied, nothing, refused, planned, dry-run, not due, or failed. All but the last are done.
        pass_id: number of the pass in the memory's journal; None where nothing was written.
        mode: compact or incremental; "" where it did not come to that.
        changes: mutations that were applied, or would be.
        summary: what the pass did, in one line.
        tokens: what a model took, in and out; 0 where none was asked.
        cost: in US dollars; None where the price is not known.
        seconds: of wall time, opening and closing included.
        error: why it failed, in words; "" where it did not.
        code: the exit code that `graphdream dream` would have ended with.
        attempts: how often it was begun.
        pid: the process that did it.
    """

    memory: str
    status: str
    pass_id: int | None = None
    mode: str = ""
    changes: int = 0
    summary: str = ""
    tokens: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    error: str = ""
    code: int = 0
    attempts: int = 1
    pid: int = 0

    @property
    def is_done(self) -> bool:
        """Whether this memory needs nothing more in its run."""
        return self.status != FAILED

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Self:
        """A report as `as_json` wrote it; what a newer program added is passed over."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in told.items() if name in known})


def dream_agent(task: Task) -> AgentReport:
    """Dream one memory. Nothing that goes wrong in it is raised: it is in the report, and the fleet goes on."""
    began = time.monotonic()
    try:
        told = _dreamed(task)
    except Exception as fault:
        said, code = in_words(fault)
        told = {"status": FAILED, "error": said, "code": code}
    return AgentReport(task.memory, seconds=round(time.monotonic() - began, 3), pid=os.getpid(), **told)


def _dreamed(task: Task) -> dict[str, Any]:
    if task.queue is not None:
        from graphdream.dreamers.client.limits import Gate, share_gate

        share_gate(Gate(task.queue, task.memory))
    if task.path.startswith(SCHEME):
        from graphdream.fleet.elsewhere import dream_elsewhere

        return dream_elsewhere(task.path, partial(_dreamed_file, task), writes=not task.options.dry_run)
    return _dreamed_file(task, Path(task.path), watched=True)


def _dreamed_file(task: Task, path: Path, *, watched: bool = False) -> dict[str, Any]:
    """Dream one file.

    Args:
        watched: by the agent's witness; not a copy that may be thrown away, of which there is nothing to be noted.
    """
    from graphdream.dream.history import made_by
    from graphdream.graph.store import Store
    from graphdream.journal.witness import watch, witness_of
    from graphdream.library import Graph

    options = task.options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is wrong with a file is told by the pass, which refuses it
        with Graph(Store.open(path, create=False), agent=task.agent) as graph:
            if watched:
                watch(graph.store, witness_of(task.agent), warnings.warn)
            trigger = f"{TRIGGER} {task.run}"
            if options.if_due and made_by(graph.store.connection, trigger) is None and not graph.dream_due():
                return {"status": NOT_DUE}
            report = graph.dream(
                compact=options.compact, dry_run=options.dry_run, review=options.review, again=options.again,
                max_false_merge_rate=options.max_false_merge_rate, loss_cap=options.loss_cap, model=options.model,
                budget=options.budget, trigger=trigger, once=True,
            )  # fmt: skip
            return _told(graph.store.connection, report)


def _told(connection: sqlite3.Connection, report: DreamReport) -> dict[str, Any]:
    told: dict[str, Any] = {
        "status": report.status, "pass_id": report.pass_id, "mode": report.mode, "summary": report.summary,
        "changes": report.counts.get("applied", 0),
    }  # fmt: skip
    if report.pass_id is not None:
        row = connection.execute(
            "SELECT status, tokens_in + tokens_out AS tokens, cost, json_extract(counts, '$.applied') AS changes"
            " FROM pass WHERE id = ?", (report.pass_id,),
        ).fetchone()  # fmt: skip
        told |= {"tokens": row["tokens"], "cost": row["cost"]}
        if report.status == MADE_ALREADY:  # whoever made it was ended before it could be noted
            told |= {"status": row["status"], "changes": row["changes"] or 0}
    return told


def in_words(fault: Exception) -> tuple[str, int]:
    """What went wrong with one memory, in a line, and the exit code for it (docs/exit-codes.md)."""
    said = " ".join(str(fault).split())
    if isinstance(fault, GraphdreamError):
        return said, fault.exit_code
    if says_locked(fault):
        return LOCKED_OUT, BusyError.exit_code
    if says_damaged(fault):
        return f"the database is damaged, or is none: {said}", SchemaError.exit_code
    if says_unwritable(fault):
        return f"the database cannot be written: {said}", SchemaError.exit_code
    if isinstance(fault, OSError):
        return f"{fault.filename or 'the file'} cannot be used: {fault.strerror or said}", SchemaError.exit_code
    if isinstance(fault, MemoryError):
        return "there is not enough memory for this pass", SchemaError.exit_code
    return f"internal error: {type(fault).__name__}: {said[:1_000]}", GraphdreamError.exit_code
