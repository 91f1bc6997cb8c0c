"""One part of a pass over a view, in its seven steps: it looks, reckons or asks a model, and what comes of that is
applied, proved and recorded as of every pass."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphdream.clock import Clock
from graphdream.config import Settings
from graphdream.dream.cursors import Standing, gate, move_cursor, note_failure, standing_of
from graphdream.dream.cycle_report import CycleOptions, PassReport
from graphdream.dream.exchanges import StoredNotebook, take_over
from graphdream.dream.files import write_whole
from graphdream.dream.gather import gather_entities
from graphdream.dream.held import Held
from graphdream.dream.pass_asking import Asked, ask
from graphdream.dream.prove import entities_of
from graphdream.dream.steps import Steps, TakeBackError
from graphdream.dreamers.base import Thought
from graphdream.dreamers.client.base import Client
from graphdream.dreamers.client.errors import BudgetError, ClientError
from graphdream.dreamers.gathered import Gathered
from graphdream.errors import GraphdreamError
from graphdream.events.extent import extent
from graphdream.events.observed import observe
from graphdream.graph.sqlitefaults import LOCKED_OUT, says_locked
from graphdream.graph.store import Store
from graphdream.journal.overview import overview
from graphdream.journal.passes import OpenPass, PassHeader, record_unapplied
from graphdream.mutations.applier import Proposal, outcome_counts
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import Outcome
from graphdream.passes.protocol import Part, PassKind, Plan, Question, Scene, Skip
from graphdream.passes.registry import read_directive


class ViewSteps(Steps[PassReport]):
    """One part of one pass.

    Args:
        client: the model; None: there is none.
        folder: of the agent's own files.

    Attributes:
        unanswered: the model gave no answer.
    """

    def __init__(
        self, store: Store, kind: PassKind, part: Part, settings: Settings, options: CycleOptions,
        client: Client | None, folder: Path | None, clock: Clock,
    ) -> None:  # fmt: skip
        # What this program counted is no dreamer that has gone wrong.
        cap = settings.dreaming.loss_cap if part == "model" else None
        super().__init__(
            store, clock, PassReport(kind.name, part, "skipped"), dry_run=options.dry_run, loss_cap=cap,
            recall_tolerance=settings.dreaming.harm_tolerance,
        )  # fmt: skip
        self._kind, self._part, self._options = kind, part, options
        self._settings, self._client, self._folder = settings, client, folder
        self._time = clock()
        self._question: Question | None = None
        self._made = Plan()
        self._thought = Thought(())
        self.unanswered = False

    # ------------------------------------------------------------------ before the transaction

    def is_due(self) -> bool:
        """Whether there is anything to do; asked without the lease, so that an idle cycle writes nothing."""
        standing = standing_of(self.store.connection, self._kind, self._part)
        model = self._client is not None and self._settings.cycle.model_passes
        why = gate(
            self._kind, self._part, standing, self._settings.cycle, by_hand=self._options.by_hand, model=model,
            now=self._time,
        )  # fmt: skip
        self._report.reason = why or self._looked(standing)
        return not self._report.reason

    def _looked(self, standing: Standing) -> str:
        """Look; returns why there is nothing to do, "" where there is."""
        connection = self.store.connection
        read = {} if self._options.again else standing.read
        self._scene = Scene(
            connection, self._time, self._settings.cycle, read, self._folder, standing.last_run_at
        )  # fmt: skip
        with self.store.reading():
            self._seen = int(connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()[0])
            self._events = extent(connection)
            sight = self._kind.look(self._scene)
        if isinstance(sight, Skip):
            return sight.reason
        self._sight = sight
        return f"nothing new since {standing.last_run_at[:16]}" if dict(sight.mark) == dict(read) else ""

    def gather(self) -> None:
        """Step 1: look again; another process may have run the pass meanwhile."""
        if self.is_due():
            self._report.processed = self._sight.processed
        else:
            self.done = True

    def plan(self) -> None:
        """Step 2: lay out what a model is to be asked."""
        if self._part == "local":
            return
        assert self._kind.ask is not None
        self._question = self._kind.ask(self._scene, self._sight.shown)
        if not self._question.parts:
            self._move_on(None)
            self._end("nothing", "there is nothing to ask")

    def think(self) -> None:
        """Step 3: reckon, or ask."""
        if self._question is None:
            assert self._kind.local is not None
            plan, asked = self._kind.local(self._scene, self._sight.shown), None
        else:
            asked = self._ask(self._question)
            plan = self._compiled(asked.answer)
        self._made = plan = plan if self._options.again else without_held(self.store, plan)
        self._thought = self._as_thought(plan, asked)
        if plan.mark is not None:
            self._sight = replace(self._sight, mark=plan.mark)
        report = self._report
        report.notes, report.figures = plan.notes, plan.figures
        report.tokens_in, report.tokens_out = self._thought.tokens_in, self._thought.tokens_out
        report.cost = self._thought.cost
        if not plan.proposals and not plan.events and asked is None:
            written = self._write_files()
            self._move_on(None)
            self._end("applied" if written else "nothing", "; ".join(plan.notes) or "nothing to change")
            report.counts = {"applied": written} if written else {}

    def _ask(self, question: Question) -> Asked:
        assert self._client is not None
        self._directive = read_directive(self._kind, self._folder)
        most_in = min(self._settings.cycle.prompt_tokens, self._client.context_window())
        notebook = StoredNotebook(self.store, self._clock)
        try:
            return ask(
                self._client, self._kind, self._directive, question, notebook, most_in=most_in, judge=self._faults
            )
        except BudgetError:
            raise
        except ClientError:
            self.unanswered = True
            raise

    def _compiled(self, answer: Any) -> Plan:
        assert self._kind.compile is not None
        return self._kind.compile(self._scene, self._sight.shown, answer)

    def _faults(self, answer: Any) -> tuple[list[str], int]:
        """What a model could mend in its answer, and how many of its mutations count as they are."""
        return self._compiled(answer).faults()

    def _as_thought(self, plan: Plan, asked: Asked | None) -> Thought:
        if asked is None:
            return Thought(plan.proposals)
        exchange = asked.exchange
        return Thought(
            plan.proposals, from_model=(0, len(plan.proposals)), directive=self._directive.digest,
            directive_origin=self._directive.origin, exchanges=(exchange.digest,),
            answer=exchange.messages[-1].content, model=exchange.model, tokens_in=exchange.usage.tokens_in,
            tokens_out=exchange.usage.tokens_out, tokens_cached=exchange.usage.tokens_cached, cost=exchange.usage.cost,
        )  # fmt: skip

    # ------------------------------------------------------------------ in the transaction

    def _applying(self) -> Applying:
        return Applying(self.store, "host", self._time, seen_version=self._seen, authority="inferred")

    def _laid_out(self) -> tuple[list[Proposal], list[Proposal]]:
        return [], self._made.proposals

    def _view_of_proof(self) -> Gathered:
        connection = self.store.connection
        return gather_entities(connection, entities_of(connection, self._made.proposals), now=self._time)

    def _tell(self, proposals: Sequence[Proposal], outcomes: Sequence[Outcome]) -> None:
        self._report.proposals = [
            {"body": proposal.body, "status": outcome.status, "code": outcome.code, "message": outcome.message}
            for proposal, outcome in zip(proposals, outcomes, strict=True)
        ]
        self._summary = f"{self._kind.name}: {_done(proposals, outcomes)}"

    def _seal(self, current: OpenPass) -> None:
        report = self._report
        if self._made.events:
            observe(self.store, self._made.events, clock=lambda: self._time)
        current.summary = self._summary
        current.counts.update(report.counts)
        current.counts["figures"] = report.figures
        report.pass_id = current.id

    def _keep(self, current: OpenPass) -> None:
        connection = self.store.connection
        if self._dry_run:
            self._report.overview = overview(connection, current.id - 1, current.id)
        if self._dry_run or not (self._report.counts["applied"] or self._made.events or self._has_asked()):
            raise TakeBackError
        move_cursor(connection, self._kind, self._part, self._sight.mark, current.id, self._time)
        if self._has_asked():
            take_over(connection, current.id, self._thought.exchanges)

    def _stays(self) -> None:
        self._write_files()
        self._report.status = "applied"

    def _taken_back(self) -> None:
        report = self._report
        report.pass_id = None
        if self._dry_run:
            report.status = "dry-run"
            return
        self._write_files()
        self._move_on(None)
        codes = ", ".join(f"{number} {code}" for code, number in report.counts.get("not_applied", {}).items())
        self._end("nothing", codes or "; ".join(self._made.notes) or "nothing to change")

    def _refused(self, why: str, pass_id: int | None) -> None:
        report = self._report
        report.status, report.reason, report.pass_id = "refused", why, pass_id
        self._move_on(pass_id)

    # ------------------------------------------------------------------ afterwards

    def _end(self, status: Any, reason: str) -> None:
        self._report.status, self._report.reason = status, reason
        self.done = True

    def _move_on(self, pass_id: int | None) -> None:
        if not self._dry_run:
            with self.store.writing():
                move_cursor(self.store.connection, self._kind, self._part, self._sight.mark, pass_id, self._time)

    def _write_files(self) -> int:
        """Write what stands beside the database; returns how many files changed."""
        return 0 if self._dry_run else sum(write_whole(path, text) for path, text in self._made.files.items())

    def failed(self, fault: Exception) -> None:
        """Put on record that the part failed; the failure stays with its pass."""
        report = self._report
        said = str(fault) if isinstance(fault, GraphdreamError) else f"{type(fault).__name__}: {fault}"
        said = LOCKED_OUT if says_locked(fault) else said
        report.status, report.reason, report.pass_id = "failed", said[:500], None
        if self._dry_run:
            return
        with suppress(Exception):
            header = PassHeader(
                kind="cycle", mode=self._kind.name, trigger=self._options.trigger, dreamer=self._part
            )  # fmt: skip
            report.pass_id = record_unapplied(
                self.store, header, status="failed", error=report.reason, counts={}, clock=self._clock
            )
            with self.store.writing():
                take_over(self.store.connection, report.pass_id, ())  # what was paid for is on its bill
                note_failure(self.store.connection, self._kind, self._part, report.reason, self._time)

    # ------------------------------------------------------------------ the record

    def _thoughts(self) -> Sequence[Thought]:
        return (self._thought,)

    def _identity(self) -> dict[str, Any]:
        return {
            "kind": "cycle", "mode": self._kind.name, "trigger": self._options.trigger, "dreamer": self._part
        }  # fmt: skip

    def _named(self) -> dict[str, Any]:
        settings = self._settings.cycle.model_dump(exclude_defaults=True, mode="json")
        options: dict[str, Any] = {"part": self._part, "settings": settings}
        options |= {} if self._kind.news else {"news": 0}
        options |= {"again": True} if self._options.again else {}
        return {
            "options": options,
            "inputs": {
                "now": self._time, "seen_version": self._seen, "mark": dict(self._sight.mark),
                "read": dict(self._scene.read), "events": self._events,
            },
        }  # fmt: skip


def without_held(store: Store, plan: Plan) -> Plan:
    """The plan without what a person took back."""
    held, kept = Held(store), list[Proposal]()
    for proposal in plan.proposals:
        left = held.left_of(proposal.mutation) if proposal.mutation is not None else None
        if left is None and proposal.mutation is not None:
            plan.figures["held"] = plan.figures.get("held", 0) + 1
            continue
        kept.append(proposal if left is None or left is proposal.mutation else Proposal.of(left))
    plan.proposals = kept
    return plan


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
