"""The cycle: every pass over the views that is due, in its order, each by itself.

One pass that fails or finds nothing never stops the others. Each part of a pass is a pass of the journal of its own, by
way of the applier: so protection, undo, replay, the harm gate, the budget and the bill hold for all of them alike.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from graphdream.clock import Clock, is_ahead, seconds_between, shifted, utc_now
from graphdream.config import Cycle, Settings
from graphdream.dream import lease
from graphdream.dream.exchanges import StoredNotebook, take_over
from graphdream.dream.files import write_whole
from graphdream.dream.gather import gather_entities
from graphdream.dream.held import Held
from graphdream.dream.pass_asking import Asked, ask
from graphdream.dream.prove import HarmfulError, Proof, RefusedError, entities_of, fell
from graphdream.dream.report import DreamReport
from graphdream.dreamers.client.base import Client
from graphdream.dreamers.client.errors import BudgetError, ClientError
from graphdream.errors import BusyError, GraphdreamError
from graphdream.events.observed import observe
from graphdream.events.record import PATIENCE_SECONDS, take_in
from graphdream.graph.fulltext import reindex_pass
from graphdream.graph.store import Store
from graphdream.journal import anchor
from graphdream.journal.passes import OpenPass, PassHeader, open_pass, record_unapplied
from graphdream.mutations.applier import Proposal, apply_proposals, outcome_counts, record_outcomes
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import Outcome
from graphdream.passes.protocol import Part, PassKind, Plan, Scene, Sight, Skip
from graphdream.passes.registry import kind_named, kinds, read_directive

Status = Literal["applied", "nothing", "skipped", "failed", "refused", "dry-run"]
WAITS_FOR_A_MODEL = "waits for a model"
_ROUNDS = 14  # how often a pass is tried without what lowered recall, before it is refused
_MOST_RETRY_MINUTES = 60.0
_UNANSWERED = 2  # passes in a row that got no answer, after which this cycle asks no more


@dataclass(slots=True)
class PassReport:
    """What one part of a pass did, or why it did nothing.

    Attributes:
        status: "applied"; "nothing": it looked, and found nothing to change; "skipped" before it looked or because
            nothing is new; "failed"; "refused": recall would have fallen; "dry-run".
        reason: in words, of everything but "applied".
        processed: entries and events that it read.
        notes: for a person.
    """

    name: str
    part: Part
    status: Status
    reason: str = ""
    pass_id: int | None = None
    processed: int = 0
    counts: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    proposals: list[dict[str, Any]] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0

    @property
    def ran(self) -> bool:
        """Whether it looked at something new."""
        return self.status in ("applied", "nothing", "refused", "dry-run")


@dataclass(slots=True)
class CycleReport:
    """What a cycle did, pass by pass."""

    started_at: str
    passes: list[PassReport] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def failed(self) -> list[PassReport]:
        """The passes that failed."""
        return [one for one in self.passes if one.status == "failed"]

    @property
    def tokens(self) -> int:
        """Sent and received."""
        return sum(one.tokens_in + one.tokens_out for one in self.passes)

    @property
    def summary(self) -> str:
        """In one line."""
        done = [f"{one.name} ({one.counts.get('applied', 0)})" for one in self.passes if one.status == "applied"]
        failed = [one.name for one in self.failed]
        said = ", ".join(done) or "nothing to do"
        return said + (f"; failed: {', '.join(failed)}" if failed else "")

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return {**asdict(self), "summary": self.summary, "tokens": self.tokens}


@dataclass(frozen=True, slots=True)
class CycleOptions:
    """How a cycle is run.

    Attributes:
        only: names of passes; None: all.
        by_hand: a person asks: the hours between two runs do not count, nor does a pass that failed a moment ago.
        again: also what is not new, and what a person took back.
        dry_run: do everything, commit nothing; a model is asked for it all the same.
        trigger: what started it.
        stop: asked between two passes; True ends the cycle there.
    """

    only: Collection[str] | None = None
    by_hand: bool = False
    again: bool = False
    dry_run: bool = False
    trigger: str = "manual"
    stop: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Standing:
    """How a part of a pass stands: what it has read, when it ran, how often it failed since."""

    read: Mapping[str, Any]
    last_run_at: str
    failures: int
    last_failure_at: str
    last_error: str
    last_pass_id: int | None


def standing_of(store: Store, kind: PassKind, part: Part) -> Standing:
    """How a part of a pass stands."""
    row = store.connection.execute(
        "SELECT cursor, last_run_at, failures, last_failure_at, last_error, last_pass_id FROM cycle_pass"
        " WHERE name = ?",
        (f"{kind.name}/{part}",),
    ).fetchone()
    if row is None:
        return Standing({}, "", 0, "", "", None)
    return Standing(json.loads(row[0]), row[1] or "", row[2], row[3] or "", row[4], row[5])


def cycle(
    store: Store, settings: Settings, options: CycleOptions | None = None, *, client: Client | None = None,
    folder: Path | None = None, clock: Clock = utc_now,
) -> CycleReport:  # fmt: skip
    """Run every pass that is due.

    Args:
        client: the model; None: the local parts only.
        folder: of the agent's own files: directives, MEMORY.md.

    Raises:
        NotFoundError: there is no such pass; nothing was done.
        BusyError: another pass is running, before this one did anything.
    """
    options = options or CycleOptions()
    wanted = [kind_named(name) for name in dict.fromkeys(options.only)] if options.only is not None else kinds()
    began, report = time.monotonic(), CycleReport(clock())
    take_in(store, wait_seconds=PATIENCE_SECONDS)
    unanswered, done = 0, False
    for kind in sorted(wanted, key=lambda kind: (kind.place, kind.name)):
        for part in () if options.stop() else kind.parts:
            asked = client if unanswered < _UNANSWERED else None
            run = _PassRun(store, kind, part, settings, options, asked, folder, clock)
            if part == "model" and client is not None and asked is None:
                one = PassReport(kind.name, part, "skipped", "the model gave no answer to the passes before it")
            else:
                try:
                    one = run.report()
                except BusyError:
                    if not done:
                        raise
                    one = PassReport(kind.name, part, "skipped", "another pass is running")
            unanswered = unanswered + 1 if run.unanswered else 0 if part == "model" and one.ran else unanswered
            done |= one.ran
            report.passes.append(one)
    report.seconds = round(time.monotonic() - began, 3)
    if not options.dry_run and any(one.ran or one.status == "failed" for one in report.passes):
        _log(store, report, options.trigger, clock())
    return report


def _log(store: Store, report: CycleReport, trigger: str, now: str) -> None:
    shown = [
        {key: value for key, value in asdict(one).items() if value and key != "proposals"}
        for one in report.passes
        if one.status != "skipped"
    ]
    processed = sum(one.processed for one in report.passes)
    with store.writing():
        store.connection.execute(
            "INSERT INTO cycle_log (started_at, ended_at, trigger, processed, summary, passes)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (report.started_at, now, trigger, processed, report.summary, json.dumps(shown, ensure_ascii=False)),
        )


def gate(
    kind: PassKind, part: Part, standing: Standing, settings: Cycle, options: CycleOptions, *, model: bool, now: str
) -> str:
    """Why a part of a pass does not run now, before it has looked at anything; "" where it may."""
    if kind.name in settings.off:
        return "switched off: memory.cycle.off"
    if part == "model" and not model:
        return WAITS_FOR_A_MODEL
    if options.by_hand:
        return ""
    if standing.failures:
        minutes = min(_MOST_RETRY_MINUTES, settings.retry * 2.0 ** (standing.failures - 1))
        until = shifted(standing.last_failure_at, minutes * 60)
        if seconds_between(now, until) > 0 and not is_ahead(standing.last_failure_at, now):
            return f"failed {standing.failures} time{'s'[: standing.failures > 1]}; tried again from {until[:16]}"
    every = kind.every(settings)
    if every and standing.last_run_at and not is_ahead(standing.last_run_at, now):
        until = shifted(standing.last_run_at, every * 3600)
        if seconds_between(now, until) > 0:
            return f"ran at {standing.last_run_at[:16]}; next from {until[:16]}"
    return ""


class _TakeBack(Exception):
    """Ends a transaction that is not to stay."""


class _PassRun:
    """One part of one pass."""

    def __init__(
        self, store: Store, kind: PassKind, part: Part, settings: Settings, options: CycleOptions,
        client: Client | None, folder: Path | None, clock: Clock,
    ) -> None:  # fmt: skip
        self._store, self._kind, self._part, self._options = store, kind, part, options
        self._settings, self._client, self._folder, self._clock = settings, client, folder, clock
        self._now = clock()
        self._asked: Asked | None = None
        self._directive = ("", "")
        self.unanswered = False
        self._began = time.monotonic()

    def report(self) -> PassReport:
        """Run it, and say what came of it. Raises BusyError; anything else that goes wrong is in the report."""
        report = PassReport(self._kind.name, self._part, "skipped")
        try:
            if reason := self._why_not():
                report.reason = reason
                return report
            with lease.hold(self._store, deadline_seconds=self._settings.dreaming.timeout / 1000) as held:
                self._run(report, held)
        except BusyError:
            raise
        except Exception as fault:
            self._fail(report, fault)
        report.seconds = round(time.monotonic() - self._began, 3)
        return report

    def _why_not(self) -> str:
        """Why it does not run; looked at without the lease, so that an idle cycle writes nothing."""
        standing = standing_of(self._store, self._kind, self._part)
        model = self._client is not None and self._settings.cycle.model_passes
        reason = gate(self._kind, self._part, standing, self._settings.cycle, self._options, model=model, now=self._now)
        if reason:
            return reason
        self._sight = self._look(standing)
        return self._sight.reason if isinstance(self._sight, Skip) else ""

    def _look(self, standing: Standing) -> Sight | Skip:
        self._scene = Scene(
            self._store.connection, self._now, self._settings.cycle,
            {} if self._options.again else standing.read, self._folder, standing.last_run_at,
        )  # fmt: skip
        with self._store.reading():
            row = self._store.connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()
            self._seen = int(row[0])
            sight = self._kind.look(self._scene)
        if isinstance(sight, Skip):
            return sight
        if dict(sight.mark) == dict(self._scene.read):
            return Skip(f"nothing new since {standing.last_run_at[:16]}")
        return sight

    def _run(self, report: PassReport, held: lease.Lease) -> None:
        if reason := self._why_not():  # another process may have run it meanwhile
            report.reason = reason
            return
        sight = self._sight
        assert isinstance(sight, Sight)
        report.processed = sight.processed
        plan = self._thought(sight)
        if plan is not None and plan.mark is not None:
            sight = replace(sight, mark=plan.mark)
        if plan is None:
            self._move_on(sight, None)
            report.status, report.reason = "nothing", "there is nothing to ask"
            return
        report.notes, report.figures = plan.notes, plan.figures
        self._spent(report)
        if not plan.proposals and not plan.events and self._asked is None:
            written = 0
            if not self._options.dry_run:
                written = self._write_files(plan)
                self._move_on(sight, None)
            report.status = "applied" if written else "nothing"
            report.reason = "; ".join(plan.notes) or "nothing to change"
            report.counts = {"applied": written} if written else {}
            return
        self._apply(plan, sight, report, held)

    def _thought(self, sight: Sight) -> Plan | None:
        """What the part proposes; None where there is nothing to ask a model."""
        kind = self._kind
        if self._part == "local":
            assert kind.local is not None
            return self._without_held(kind.local(self._scene, sight.shown))
        assert kind.ask is not None and kind.compile is not None and self._client is not None
        question = kind.ask(self._scene, sight.shown)
        if not question.parts:
            return None
        directive = read_directive(kind, self._folder)
        self._directive = (directive.digest, directive.origin)
        try:
            self._asked = ask(
                self._client, kind, directive, question, StoredNotebook(self._store, self._clock),
                most_in=min(self._settings.cycle.prompt_tokens, self._client.context_window()),
                judge=lambda answer: self._faults(sight, answer),
            )  # fmt: skip
        except BudgetError:
            raise
        except ClientError:
            self.unanswered = True
            raise
        return self._without_held(kind.compile(self._scene, sight.shown, self._asked.answer))

    def _faults(self, sight: Sight, answer: Any) -> tuple[list[str], int]:
        """What a model could mend in its answer, and how many of its mutations count as they are."""
        assert self._kind.compile is not None
        plan = self._kind.compile(self._scene, sight.shown, answer)
        faults = [f"{one.body['op']}: {one.fault}" for one in plan.proposals if one.mutation is None]
        return faults, len(plan.proposals) - len(faults)

    def _without_held(self, plan: Plan) -> Plan:
        """Leave out what a person took back."""
        if self._options.again:
            return plan
        held, kept = Held(self._store.connection), list[Proposal]()
        for proposal in plan.proposals:
            left = held.left_of(proposal.mutation) if proposal.mutation is not None else None
            if left is None and proposal.mutation is not None:
                plan.figures["held"] = plan.figures.get("held", 0) + 1
                continue
            kept.append(proposal if left is None or left is proposal.mutation else Proposal.of(left))
        plan.proposals = kept
        return plan

    # ------------------------------------------------------------------ applying

    def _apply(self, plan: Plan, sight: Sight, report: PassReport, held: lease.Lease) -> None:
        without: frozenset[int] = frozenset()
        try:
            for _ in range(_ROUNDS):
                try:
                    self._attempt(plan, sight, report, held, without)
                except HarmfulError as harm:
                    without |= harm.positions
                    continue
                anchor.write(self._store)
                self._store.give_back_pages()
                self._write_files(plan)
                return
            raise RefusedError("leaving out what touched the lost answers did not mend it")
        except _TakeBack:
            report.pass_id = None
            if self._options.dry_run:
                report.status = "dry-run"
                return
            self._write_files(plan)
            self._move_on(sight, None)
            report.status = "nothing"
            report.reason = _why_nothing(report) or "; ".join(plan.notes) or "nothing to change"
        except RefusedError as refused:
            report.status, report.reason, report.pass_id = "refused", str(refused), None
            if not self._options.dry_run:
                report.pass_id = record_unapplied(
                    self._store, self._header(plan, sight), status="refused", error=str(refused), counts=report.counts,
                    clock=self._clock,
                )  # fmt: skip
                self._move_on(sight, report.pass_id)

    def _attempt(
        self, plan: Plan, sight: Sight, report: PassReport, held: lease.Lease, without: frozenset[int]
    ) -> None:
        """Apply, prove and commit in one transaction. Raises as the runner of dreams does."""
        store = self._store
        with store.writing():
            held.confirm(store.connection)
            with open_pass(store, self._header(plan, sight), clock=self._clock) as current:
                outcomes = self._applied(current, plan, report, without)
                report.counts = record_outcomes(store.connection, current.id, plan.proposals, outcomes)
                report.proposals = _shown(plan.proposals, outcomes)
                if plan.events:
                    observe(store, plan.events, clock=lambda: self._now)
                current.summary = f"{self._kind.name}: {_done(plan.proposals, outcomes)}"
                current.counts.update(report.counts)
                current.counts["figures"] = report.figures
                report.pass_id = current.id
            if self._options.dry_run or not (report.counts["applied"] or plan.events or self._asked):
                raise _TakeBack
            self._move_cursor(sight, current.id)
            if self._asked is not None:
                take_over(store.connection, current.id, [self._asked.exchange.digest])
            report.status = "applied"

    def _applied(self, current: OpenPass, plan: Plan, report: PassReport, without: frozenset[int]) -> list[Outcome]:
        store = self._store
        active = store.connection.execute("SELECT count(*) FROM attribute WHERE status = 'active'").fetchone()[0]
        touched = entities_of(store.connection, plan.proposals)
        gathered = gather_entities(store.connection, touched, now=self._now)
        told = DreamReport("applied", None, self._kind.name, "")
        proof = Proof(store, gathered, plan.proposals, self._settings.dreaming.harm_tolerance)
        applying = Applying(store, "host", self._now, seen_version=self._seen, authority="inferred")
        # What this program counted is no dreamer that has gone wrong.
        cap = round(active * self._settings.dreaming.loss_cap) if self._part == "model" else None
        outcomes = apply_proposals(applying, plan.proposals, without=without, archive_cap=cap)
        reindex_pass(store.connection, current.id)
        current.indexed = True
        try:
            proof.hold(current.id, plan.proposals, outcomes, told, without)
        except RefusedError:
            raise RefusedError(fell(told)) from None
        report.figures.update(told.figures)
        return outcomes

    def _header(self, plan: Plan, sight: Sight) -> PassHeader:
        exchange = self._asked.exchange if self._asked is not None else None
        usage = exchange.usage if exchange is not None else None
        model = exchange is not None
        options = {"part": self._part, "settings": self._settings.cycle.model_dump(exclude_defaults=True, mode="json")}
        return PassHeader(
            kind="cycle", mode=self._kind.name, trigger=self._options.trigger, dreamer="model" if model else "local",
            model=exchange.model if exchange else "",
            options=options if self._kind.news else {**options, "news": 0},
            inputs={
                "now": self._now, "seen_version": self._seen, "mark": dict(sight.mark), "read": dict(self._scene.read),
                "exchanges": [exchange.digest] if exchange else [], "directive": self._directive[1],
                "from_model": [[0, len(plan.proposals)]] if model else [],
            },
            directive_hash=self._directive[0],
            answer=exchange.messages[-1].content if exchange else "",
            tokens_in=usage.tokens_in if usage else 0, tokens_out=usage.tokens_out if usage else 0,
            tokens_cached=usage.tokens_cached if usage else 0, cost=usage.cost if usage else 0.0,
            duration_ms=round((time.monotonic() - self._began) * 1000),
        )  # fmt: skip

    # ------------------------------------------------------------------ the record

    def _spent(self, report: PassReport) -> None:
        if self._asked is not None:
            usage = self._asked.exchange.usage
            report.tokens_in, report.tokens_out, report.cost = usage.tokens_in, usage.tokens_out, usage.cost

    def _move_on(self, sight: Sight, pass_id: int | None) -> None:
        if not self._options.dry_run:
            with self._store.writing():
                self._move_cursor(sight, pass_id)

    def _move_cursor(self, sight: Sight, pass_id: int | None) -> None:
        """What was seen counts as read, in the transaction of what was made of it."""
        self._store.connection.execute(
            "INSERT INTO cycle_pass (name, cursor, last_run_at, last_pass_id) VALUES (?1, ?2, ?3, ?4)"
            " ON CONFLICT (name) DO UPDATE SET cursor = ?2, last_run_at = ?3, failures = 0, last_error = '',"
            " last_pass_id = coalesce(?4, last_pass_id)",
            (f"{self._kind.name}/{self._part}", json.dumps(dict(sight.mark), sort_keys=True), self._now, pass_id),
        )

    def _fail(self, report: PassReport, fault: Exception) -> None:
        """Put a failure on record; it stays with its pass."""
        said = str(fault) if isinstance(fault, GraphdreamError) else f"{type(fault).__name__}: {fault}"
        report.status, report.reason = "failed", said[:500]
        if self._options.dry_run:
            return
        with suppress(Exception):
            header = PassHeader(
                kind="cycle", mode=self._kind.name, trigger=self._options.trigger,
                dreamer="model" if self._part == "model" else "local",
            )  # fmt: skip
            report.pass_id = record_unapplied(
                self._store, header, status="failed", error=report.reason, counts={}, clock=self._clock
            )
            with self._store.writing():
                take_over(self._store.connection, report.pass_id, ())  # what was paid for is on its bill
                self._store.connection.execute(
                    "INSERT INTO cycle_pass (name, failures, last_failure_at, last_error) VALUES (?1, 1, ?2, ?3)"
                    " ON CONFLICT (name) DO UPDATE SET failures = failures + 1, last_failure_at = ?2, last_error = ?3",
                    (f"{self._kind.name}/{self._part}", self._now, report.reason),
                )

    def _write_files(self, plan: Plan) -> int:
        """Write what stands beside the database; returns how many files changed."""
        return sum(write_whole(path, text) for path, text in plan.files.items())


def _shown(proposals: Sequence[Proposal], outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    return [
        {"body": proposal.body, "status": outcome.status, "code": outcome.code, "message": outcome.message}
        for proposal, outcome in zip(proposals, outcomes, strict=True)
    ]


def _done(proposals: Sequence[Proposal], outcomes: Sequence[Outcome]) -> str:
    counts = outcome_counts(outcomes)
    ops: dict[str, int] = {}
    for proposal, outcome in zip(proposals, outcomes, strict=True):
        if outcome.status == "applied":
            op = str(proposal.body.get("op", "")).replace("_", " ")
            ops[op] = ops.get(op, 0) + 1
    left = counts["skipped"] + counts["failed"]
    return (", ".join(f"{number} {op}" for op, number in sorted(ops.items())) or "no change") + (
        f"; {left} not applied" if left else ""
    )


def _why_nothing(report: PassReport) -> str:
    codes = report.counts.get("not_applied", {})
    return ", ".join(f"{number} {code}" for code, number in codes.items())
