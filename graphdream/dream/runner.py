"""The one pass runner: gather, plan, think, check, apply, prove, report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.dream import lease, state
from graphdream.dream.exchanges import take_over, take_over_unusable
from graphdream.dream.findings import close_sessions, leave_open, note_questions
from graphdream.dream.gather import gather, looked_at, note_looked, unread_sessions
from graphdream.dream.held import HoldingBack
from graphdream.dream.plan import keep_plan
from graphdream.dream.prove import HarmfulError, Proof, RefusedError, entities_of, fell
from graphdream.dream.report import DreamReport
from graphdream.dreamers.base import Dreamer, Thought
from graphdream.dreamers.gathered import SeenSession
from graphdream.dreamers.openpairs import OPEN
from graphdream.dreamers.vetoes import Vetoes
from graphdream.errors import UsageError
from graphdream.events.counter import mark_read
from graphdream.events.record import PATIENCE_SECONDS, record, take_in
from graphdream.graph.fulltext import reindex_pass
from graphdream.graph.store import Store
from graphdream.journal import anchor
from graphdream.journal.overview import overview
from graphdream.journal.passes import OpenPass, PassHeader, open_pass, record_unapplied
from graphdream.mutations.applier import Proposal, apply_proposals, outcome_counts, record_outcomes
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import Outcome
from graphdream.mutations.registry import adds

ROUNDS = 14  # how often a pass is tried without what lowered recall, before it is refused
RETHOUGHT = 4  # how often the dreamer thinks again for that; then what lowers recall is only left out


@dataclass(frozen=True, slots=True)
class PassOptions:
    """How a pass is run.

    Attributes:
        mode: "compact" or "incremental".
        trigger: what started it: manual, threshold, first run, interval, ...
        dry_run: do everything, commit nothing.
        loss_cap: share of the active facts that the pass may archive, 0..1.
        review: do everything, commit nothing, and keep what would be done as a plan for a person.
        recall_tolerance: how much probe recall may fall, 0..1; 0.0: not at all.
        sessions: whether unread sessions are read; None: in an incremental pass.
        again: what a person took back from earlier passes may be done anew.
        deadline_seconds: after which another process may take the lease over.

    Raises:
        UsageError: a share is none.
    """

    mode: str = "incremental"
    trigger: str = "manual"
    dry_run: bool = False
    review: bool = False
    loss_cap: float = 0.35
    recall_tolerance: float = 0.0
    sessions: bool | None = None
    again: bool = False
    deadline_seconds: float = 1200.0

    def __post_init__(self) -> None:
        for name, share in (("loss cap", self.loss_cap), ("recall tolerance", self.recall_tolerance)):
            if not 0 <= share <= 1:
                raise UsageError(f"a {name} of {share} is no share of 0 to 1")

    @property
    def reads(self) -> bool:
        """Whether unread sessions are read."""
        return self.mode == "incremental" if self.sessions is None else self.sessions


class _TakeBack(Exception):
    """Ends a transaction that is not to stay: a dry run, or a pass without any change."""


def dream(store: Store, dreamer: Dreamer, options: PassOptions, *, clock: Clock = utc_now) -> DreamReport:
    """Run one pass under the lease.

    Raises:
        BusyError: another pass holds the lease.
        Exception: whatever the dreamer raised; the failure is on record and nothing has changed.
    """
    with lease.hold(store, deadline_seconds=options.deadline_seconds) as held:
        try:
            holding = HoldingBack(store, dreamer, again=options.again)
            report = _Run(store, holding, options, clock, held).report()
            report.held = holding.told()
            return report
        except Exception as fault:
            if not options.dry_run:
                header = PassHeader(kind="dream", mode=options.mode, trigger=options.trigger, dreamer=dreamer.name)
                with suppress(Exception):
                    state.failed(store, str(fault), now=clock())  # first: the back-off rests on it
                with suppress(Exception):
                    failed = record_unapplied(
                        store, header, status="failed", error=str(fault)[:500], counts={}, clock=clock
                    )
                    take_over_unusable(store, failed)
            raise


class _Run:
    """One pass, from what it is shown to what it reports."""

    def __init__(self, store: Store, dreamer: Dreamer, options: PassOptions, clock: Clock, held: lease.Lease) -> None:
        self._store, self._dreamer, self._options, self._clock, self._held = store, dreamer, options, clock, held
        self._began = time.monotonic()
        self._vetoes: set[str] = set()
        self._rethought = 0
        take_in(store, wait_seconds=PATIENCE_SECONDS)
        understands = getattr(dreamer, "understands", False)
        self._sessions: Sequence[SeenSession] = (
            unread_sessions(store, left_open=understands, again=options.again) if options.reads else ()
        )
        self._gathered = gather(store, mode=options.mode, now=clock(), sessions=self._sessions, again=options.again)
        self._read = dreamer.read(self._gathered) if self._sessions else Thought(())
        # What was read is looked at together with what it meets in the graph, once it is there: see `_apply`.
        self._thought = None if self._read.proposals else dreamer.think(self._gathered)

    def report(self) -> DreamReport:
        """Apply what was thought, prove it, and say what came of it."""
        report = DreamReport("applied", None, self._options.mode, "")
        if self._has_something_to_write():
            self._write(report)
        else:
            self._nothing(report)
        report.left = tuple(line for one in self._thoughts() for line in one.left)
        for thought in self._thoughts():  # what only a person can say is asked where there was nothing to do, too
            report.figures.update({name: pairs for name, pairs in thought.figures.items() if name in OPEN})
        report.seconds = round(time.monotonic() - self._began, 3)
        return report

    def _has_something_to_write(self) -> bool:
        told = any(session.kind == "session" for session in self._read_now())
        return told or self._thought is None or bool(self._thought.proposals) or self._has_asked()

    def _has_asked(self) -> bool:
        """Whether a model was asked: that is put on record, also where its answer changes nothing."""
        return any(thought.exchanges for thought in self._thoughts())

    def _nothing(self, report: DreamReport) -> None:
        if not self._options.dry_run:
            with self._store.writing():
                note_looked(self._store.connection, self._gathered.seen_version)
                state.nothing_to_do(self._store, mode=self._options.mode, now=self._clock())
        report.status, report.summary, report.pass_id = "nothing", "nothing to do", None
        report.counts = outcome_counts(report.outcomes)

    def _write(self, report: DreamReport) -> None:
        without: frozenset[int] = frozenset()
        try:
            for _ in range(ROUNDS):
                try:
                    self._attempt(report, without)
                except HarmfulError as harm:
                    without |= self._vetoed(harm)
                    continue
                anchor.write(self._store)
                self._store.give_back_pages()
                return
            raise RefusedError(fell(report) + " and leaving out what touched the lost answers did not mend it")
        except _TakeBack:
            if self._options.dry_run:
                report.status, report.pass_id = "dry-run", None
            elif self._options.review and report.proposals:
                report.status = "planned"
                exchanges = [digest for thought in self._thoughts() for digest in thought.exchanges]
                report.pass_id = keep_plan(self._store, self._header(), report, exchanges, clock=self._clock)
            else:
                self._nothing(report)
        except RefusedError as refused:
            report.status, report.summary, report.pass_id = "refused", str(refused), None
            if not self._options.dry_run:
                report.pass_id = record_unapplied(
                    self._store, self._header(), status="refused", error=str(refused), counts=report.counts,
                    clock=self._clock,
                )  # fmt: skip

    def _vetoed(self, harm: HarmfulError) -> frozenset[int]:
        """Put a veto on what lowered recall, and think again with it; what cannot be thought again is left out.

        Returns:
            Positions of proposals that the next attempt is made without.
        """
        vetoes = Vetoes(self._gathered)
        self._vetoes |= {vetoes.fingerprint(harm.proposals[position].body) for position in harm.positions}
        read = len(self._read.proposals)
        if not getattr(self._dreamer, "rethinks", False) or self._thought is None or self._rethought >= RETHOUGHT:
            return harm.positions
        self._rethought += 1
        declined = self._gathered.declined | self._vetoes
        self._thought = self._dreamer.think(replace(self._gathered, declined=declined))
        return frozenset(position for position in harm.positions if position < read)

    def _attempt(self, report: DreamReport, without: frozenset[int]) -> None:
        """Apply, prove and commit in one transaction.

        No savepoint lies around the whole: SQLite would keep every page for it, and each mutation would pay for that.

        Raises:
            HarmfulError, RefusedError: recall fell; everything is rolled back.
            LeaseLostError: another process has taken over meanwhile.
        """
        store = self._store
        with store.writing():
            self._held.confirm(store.connection)
            with open_pass(store, self._header(), clock=self._clock) as current:
                thought = self._apply(current, report, without)
                self._consume(current)
                report.summary = current.summary = report.told()
                report.figures.update(self._read.figures)
                report.figures.update(thought.figures)
                current.counts.update(report.counts)
                current.counts["figures"] = report.figures
                report.pass_id = current.id
            waits = self._options.dry_run or (self._options.review and bool(report.proposals))
            if waits:
                report.overview = overview(store.connection, current.id - 1, current.id)
            if waits or not (report.counts["applied"] or self._read_now() or self._has_asked()):
                raise _TakeBack
            note_looked(store.connection, current.id)
            state.succeeded(store, pass_id=current.id, mode=self._options.mode, now=self._clock())
            thoughts = [self._read, thought]
            take_over(store.connection, current.id, (digest for one in thoughts for digest in one.exchanges))
            note_questions(store.connection, current.id, thoughts, now=self._clock())
            note_questions(
                store.connection, current.id, [Thought((), declined=frozenset(self._vetoes))], now=self._clock()
            )
            if self._read.model:
                close_sessions(store.connection, current.id, (session.key for session in self._read_now()))
            leave_open(store.connection, current.id, self._read.left_open, now=self._clock())
            notes = [thought.summary for thought in thoughts if thought.model and thought.summary]
            record(
                store,
                f"dream-{current.id}",
                summary="\n".join([report.summary, *notes]),
                kind="dream",
                metadata={"pass": current.id, **self._spent(thoughts)},
                clock=self._clock,
            )

    def _apply(self, current: OpenPass, report: DreamReport, without: frozenset[int]) -> Thought:
        """Write what was read and adds to the graph, then what changes it and what was thought about it; prove that
        these lost nothing."""
        store, gathered = self._store, self._gathered
        active = store.connection.execute("SELECT count(*) FROM attribute WHERE status = 'active'").fetchone()[0]
        applying = Applying(store, "pass", gathered.now, seen_version=gathered.seen_version)
        adding = [proposal for proposal in self._read.proposals if adds(proposal.body.get("op"))]
        changing = [proposal for proposal in self._read.proposals if not adds(proposal.body.get("op"))]
        outcomes: list[Outcome] = apply_proposals(applying, adding)
        thought = self._thought
        if thought is None:
            reindex_pass(store.connection, current.id)
            named = entities_of(store.connection, changing)
            gathered = gather(store, mode=self._options.mode, now=gathered.now, also=named, again=self._options.again)
            thought = self._dreamer.think(gathered)
        proved: list[Proposal] = [*changing, *thought.proposals]
        proposals = [*adding, *proved]
        proof = Proof(store, gathered, proved, self._options.recall_tolerance)
        first = len(adding)
        left_out = frozenset(position - first for position in without if position >= first)
        outcomes += apply_proposals(
            applying, proved, without=left_out,
            archive_cap=round(active * self._options.loss_cap),
        )  # fmt: skip
        reindex_pass(store.connection, current.id)
        current.indexed = True
        proof.hold(proposals, report, without)
        report.proposals, report.outcomes = proposals, outcomes
        report.counts = record_outcomes(store.connection, current.id, proposals, outcomes)
        if without or self._vetoes:
            report.figures["left_out_as_harmful"] = max(len(without), len(self._vetoes))
        return thought

    def _consume(self, current: OpenPass) -> None:
        """Move the cursor over exactly what was shown."""
        shown = self._shown()
        mark_read(self._store.connection, current.id, shown["summaries"], shown["observations"], shown["turns"])

    def _read_now(self) -> list[SeenSession]:
        """The sessions that were read to their end; those that did not fit stay unread."""
        return [session for session in self._sessions if session.key not in self._read.unread]

    def _shown(self) -> dict[str, Any]:
        sessions = self._read_now()
        return {
            "summaries": [number for session in sessions for number, _ in session.summaries],
            "observations": [item.id for session in sessions for item in session.observations],
            "turns": {session.key: len(session.turns) for session in sessions if session.turns},
        }

    def _thoughts(self) -> list[Thought]:
        return [thought for thought in (self._read, self._thought) if thought is not None]

    def _header(self) -> PassHeader:
        thoughts = self._thoughts()
        return PassHeader(
            kind="dream",
            mode=self._options.mode,
            trigger=self._options.trigger,
            dreamer=self._dreamer.name,
            options={"loss_cap": self._options.loss_cap, "recall_tolerance": self._options.recall_tolerance},
            inputs={
                "seen_version": self._gathered.seen_version,
                "now": self._gathered.now,
                "sessions": [session.key for session in self._read_now()],
                **self._shown(),
                "looked_at": looked_at(self._store.connection),
                "from_model": self._from_model(),
                "exchanges": [digest for thought in thoughts for digest in thought.exchanges],
                "directive": next((one.directive_origin for one in thoughts if one.directive), ""),
            },
            duration_ms=round((time.monotonic() - self._began) * 1000),
            directive_hash=next((thought.directive for thought in thoughts if thought.directive), ""),
            answer="\n".join(thought.answer for thought in thoughts if thought.answer),
            **self._spent(thoughts),
        )

    def _spent(self, thoughts: Sequence[Thought]) -> dict[str, Any]:
        """Which model was asked, and what that took."""
        costs = [thought.cost for thought in thoughts]
        return {
            "model": next((thought.model for thought in thoughts if thought.model), ""),
            "tokens_in": sum(thought.tokens_in for thought in thoughts),
            "tokens_out": sum(thought.tokens_out for thought in thoughts),
            "tokens_cached": sum(thought.tokens_cached for thought in thoughts),
            "cost": None if None in costs else sum(cost for cost in costs if cost is not None),
        }

    def _from_model(self) -> list[list[int]]:
        """Spans of positions that come from a model's answer, each [first, behind the last]."""
        first, spans = 0, []
        for thought in self._thoughts():
            start, end = thought.from_model
            if end > start:
                spans.append([first + start, first + end])
            first += len(thought.proposals)
        return spans
