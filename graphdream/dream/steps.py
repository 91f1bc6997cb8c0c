"""The seven steps of one pass: gather, plan, think, check, apply, prove, report.

The dreamer is asked while nobody has to wait: `plan` and `think` run outside of any transaction. The write lock is
taken for `check`, `apply` and `prove` only. What a dreamer read is to be looked at together with what it meets in the
graph, so it is written once for the dreamer's eyes and taken back, and written again in the transaction that stays.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from graphdream.clock import Clock
from graphdream.dream import lease, state
from graphdream.dream.exchanges import take_over
from graphdream.dream.findings import close_sessions, leave_open, note_questions
from graphdream.dream.gather import gather, looked_at, note_looked, unread_sessions
from graphdream.dream.options import PassOptions
from graphdream.dream.plan import keep_plan
from graphdream.dream.probes import Probe
from graphdream.dream.prove import HarmfulError, Proof, RefusedError, entities_of, fell
from graphdream.dream.report import DreamReport
from graphdream.dreamers.base import Dreamer, Thought
from graphdream.dreamers.gathered import Gathered, SeenSession
from graphdream.dreamers.openpairs import OPEN
from graphdream.dreamers.vetoes import Vetoes
from graphdream.events.counter import mark_read
from graphdream.events.record import PATIENCE_SECONDS, record, take_in
from graphdream.graph.fulltext import reindex_pass
from graphdream.graph.spans import of_pass
from graphdream.graph.store import Store
from graphdream.journal import anchor
from graphdream.journal.overview import overview
from graphdream.journal.passes import OpenPass, PassHeader, open_pass, record_unapplied
from graphdream.mutations.applier import Proposal, apply_proposals, outcome_counts, record_outcomes
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import Outcome
from graphdream.mutations.registry import adds

ROUNDS = 14  # how often a pass is tried without what lowered recall, before it is refused
RETHOUGHT = 3  # how often the dreamer thinks again for that; then what lowers recall is only left out
SHOWN_AGAIN = 3  # how often what was read is shown anew because the graph moved; then the next pass looks at it


class _TakeBack(Exception):
    """Ends a transaction that is not to stay: a dry run, a rehearsal, or a pass without any change."""


class _ThinkAgain(Exception):
    """The attempt held without what is vetoed; the dreamer is to think with the vetoes before anything stays."""


class _Moved(Exception):
    """What was read does not become the rows any more that the dreamer was shown: another process changed the graph."""


class Steps:
    """One pass. The steps are called in their order; the three in the transaction again, until `done`.

    Args:
        held: the lease under which the pass runs.
    """

    def __init__(self, store: Store, dreamer: Dreamer, options: PassOptions, clock: Clock, held: lease.Lease) -> None:
        self._store, self._dreamer, self._options, self._clock, self._held = store, dreamer, options, clock, held
        self._began = time.monotonic()
        self._report = DreamReport("applied", None, options.mode, "")
        self._sessions: Sequence[SeenSession] = ()
        self._read, self._thought = Thought(()), Thought(())
        self._vetoes: set[str] = set()
        self._fresh = False  # a veto came since the dreamer thought last
        self._without: frozenset[int] = frozenset()
        self._rehearsed: list[tuple[int, ...]] | None = None
        self._answered: dict[int, dict[Probe, frozenset[int]]] = {}  # number of the open pass -> what its probes found
        self._attempts = self._rethought = self._shown_again = 0
        self._later = False  # what was read is in the graph, and the next pass looks at what it meets there
        self.done = False

    # ------------------------------------------------------------------ before the transaction

    def gather(self) -> None:
        """Step 1: read what the dreamer may see: sessions that are not read yet, and the graph."""
        options = self._options
        take_in(self._store, wait_seconds=PATIENCE_SECONDS)
        understands = getattr(self._dreamer, "understands", False)
        if options.reads:
            self._sessions = unread_sessions(self._store, left_open=understands, again=options.again)
        self._gathered = self._view = gather(
            self._store, mode=options.mode, now=self._clock(), sessions=self._sessions, again=options.again
        )

    def plan(self) -> None:
        """Step 2: read the sessions, and lay out what is to be thought about: the graph with what they say in it."""
        if self._sessions:
            self._read = self._dreamer.read(self._gathered)
        if self._read.proposals:
            self._view = self._rehearse()

    def think(self) -> None:
        """Step 3: ask the dreamer what is to be done, with what is vetoed as a constraint."""
        declined = self._view.declined | self._vetoes
        self._thought = self._dreamer.think(replace(self._view, declined=declined) if self._vetoes else self._view)
        self._fresh = False
        if not (self._read.proposals or self._thought.proposals or self._has_read() or self._has_asked()):
            self._report.proposals, self._report.outcomes = (), ()
            self._nothing()

    def _rehearse(self) -> Gathered:
        """The graph with what the sessions add, as it will be; nothing of it stays."""
        store, options = self._store, self._options
        with suppress(_TakeBack), store.writing(), open_pass(store, self._header(), clock=self._clock) as current:
            adding, changing = self._parts_of_read()
            apply_proposals(self._applying(), adding)
            reindex_pass(store.connection, current.id)
            self._rehearsed = self._made(current)
            named = entities_of(store.connection, changing)
            now = self._gathered.now
            view = gather(store, mode=options.mode, now=now, also=named, again=options.again, settling=True)
            raise _TakeBack
        return view

    def _parts_of_read(self) -> tuple[list[Proposal], list[Proposal]]:
        """What the sessions add, which the dreamer is shown, and what they change."""
        adding = [proposal for proposal in self._read.proposals if adds(proposal.body.get("op"))]
        changing = [proposal for proposal in self._read.proposals if not adds(proposal.body.get("op"))]
        return adding, changing

    def _made(self, current: OpenPass) -> list[tuple[int, ...]]:
        """The rows that the open pass has made or changed so far."""
        rows = self._store.connection.execute(
            f"SELECT kind, row_id, op = '+' FROM change WHERE {of_pass('?1')} ORDER BY id", (current.id,)
        )
        return [tuple(row) for row in rows]

    def _applying(self) -> Applying:
        return Applying(self._store, "pass", self._gathered.now, seen_version=self._gathered.seen_version)

    # ------------------------------------------------------------------ in the transaction

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """The transaction around steps 4 to 6. It stays where they hold; else it leaves nothing, and what is to be
        different the next time is known afterwards.

        No savepoint lies around the whole: SQLite would keep every page for it, and each mutation would pay for that.

        Raises:
            LeaseLostError: another process has taken over meanwhile.
        """
        store = self._store
        self._attempts += 1
        try:
            with store.writing():
                self._held.confirm(store.connection)
                with open_pass(store, self._header(), clock=self._clock) as current:
                    self._current = current
                    yield
                    self._seal()
                self._keep()
            anchor.write(store)
            store.give_back_pages()
            self.done = True
        except HarmfulError as harm:
            self._veto(harm)
        except _ThinkAgain:
            self._rethought += 1
            self._without = frozenset(position for position in self._without if position < len(self._read.proposals))
            self.think()
        except _Moved:
            self._show_again()
        except _TakeBack:
            self._taken_back()
        except RefusedError as refused:
            self._refused(str(refused))

    def check(self) -> None:
        """Step 4: put the proposals into their order, on the ground that they were made for. What was read has to
        become the very rows that the dreamer was shown; the rest is asked of each mutation when its turn comes."""
        connection = self._store.connection
        active = connection.execute("SELECT count(*) FROM attribute WHERE status = 'active'").fetchone()[0]
        self._archive_cap = round(active * self._options.loss_cap)
        self._adding, changing = self._parts_of_read()
        self._now = self._applying()
        self._outcomes: list[Outcome] = apply_proposals(self._now, self._adding)
        if self._adding:
            reindex_pass(connection, self._current.id)
        if self._rehearsed is not None and not self._later and self._made(self._current) != self._rehearsed:
            raise _Moved
        self._proved: list[Proposal] = [*changing, *self._thought.proposals]

    def apply(self) -> None:
        """Step 5: note how the graph answers, and let the applier change it."""
        # Until another process writes, and takes the number of this pass, every attempt begins with the same graph.
        known = self._answered.setdefault(self._current.id, {})
        self._proof = Proof(
            self._store, self._view, self._proved, self._options.recall_tolerance, self._thought.empty, known
        )
        first = len(self._adding)
        left_out = frozenset(position - first for position in self._without if position >= first)
        self._outcomes += apply_proposals(self._now, self._proved, without=left_out, archive_cap=self._archive_cap)
        reindex_pass(self._store.connection, self._current.id)
        self._current.indexed = True

    def prove(self) -> None:
        """Step 6: what was taken away is accounted for, and the graph answers as it did; else nothing stays."""
        report, proposals = self._report, [*self._adding, *self._proved]
        report.proposals, report.outcomes = proposals, self._outcomes
        self._proof.hold(self._current.id, proposals, self._outcomes, report, self._without)
        if self._fresh and getattr(self._dreamer, "rethinks", False) and self._rethought < RETHOUGHT:
            raise _ThinkAgain
        report.counts = record_outcomes(self._store.connection, self._current.id, proposals, self._outcomes)
        if self._without or self._vetoes:
            report.figures["left_out_as_harmful"] = max(len(self._without), len(self._vetoes))

    def _veto(self, harm: HarmfulError) -> None:
        """Put a veto on what did harm and leave it out. Once the rest holds, the dreamer thinks again."""
        vetoes = Vetoes(self._view)
        for position in harm.positions:
            self._vetoes |= vetoes.fingerprints(harm.proposals[position].body, harm.blamed)
        self._without |= harm.positions
        self._fresh = True
        if self._attempts >= ROUNDS:
            self._refused(fell(self._report) + " and leaving out what touched the lost answers did not mend it")

    def _show_again(self) -> None:
        """The graph moved: show the dreamer what was read anew, or leave the looking to the next pass."""
        self._shown_again += 1
        if self._shown_again < SHOWN_AGAIN:
            self._view = self._rehearse()
            self.think()
        else:
            self._later, self._thought = True, Thought(())

    def _seal(self) -> None:
        """What the journal says of the pass."""
        report, current = self._report, self._current
        shown = self._shown()
        mark_read(self._store.connection, current.id, shown["summaries"], shown["observations"], shown["turns"])
        report.summary = current.summary = report.told()
        report.figures.update(self._read.figures)
        report.figures.update(self._thought.figures)
        current.counts.update(report.counts)
        current.counts["figures"] = report.figures
        report.pass_id = current.id

    def _keep(self) -> None:
        """All that is remembered beside the graph; in the same transaction."""
        store, report, current, connection = self._store, self._report, self._current, self._store.connection
        waits = self._options.dry_run or (self._options.review and bool(report.proposals))
        if waits:
            report.overview = overview(connection, current.id - 1, current.id)
        if waits or not (report.counts["applied"] or self._read_now() or self._has_asked()):
            raise _TakeBack
        now, thoughts = self._clock(), (self._read, self._thought)
        if not self._later:
            note_looked(connection, current.id)
        state.succeeded(store, pass_id=current.id, mode=self._options.mode, now=now)
        take_over(connection, current.id, (digest for one in thoughts for digest in one.exchanges))
        vetoed = Thought((), declined=frozenset(self._vetoes))
        note_questions(connection, current.id, (*thoughts, vetoed), now=now)
        if self._read.model:
            close_sessions(connection, current.id, (session.key for session in self._read_now()))
        leave_open(connection, current.id, self._read.left_open, now=now)
        notes = [thought.summary for thought in thoughts if thought.model and thought.summary]
        record(
            store,
            f"dream-{current.id}",
            summary="\n".join([report.summary, *notes]),
            kind="dream",
            metadata={"pass": current.id, **self._spent()},
            clock=self._clock,
        )

    # ------------------------------------------------------------------ afterwards

    def report(self) -> DreamReport:
        """Step 7: say what came of it."""
        report = self._report
        report.left = tuple(line for one in self._thoughts() for line in one.left)
        for thought in self._thoughts():  # what only a person can say is asked where there was nothing to do, too
            report.figures.update({name: pairs for name, pairs in thought.figures.items() if name in OPEN})
        report.seconds = round(time.monotonic() - self._began, 3)
        return report

    def _nothing(self) -> None:
        if not self._options.dry_run:
            with self._store.writing():
                note_looked(self._store.connection, self._gathered.seen_version)
                if self._vetoes and self._gathered.seen_version:
                    vetoed = Thought((), declined=frozenset(self._vetoes))
                    note_questions(self._store.connection, self._gathered.seen_version, [vetoed], now=self._clock())
                state.nothing_to_do(self._store, mode=self._options.mode, now=self._clock())
        report = self._report
        report.status, report.summary, report.pass_id = "nothing", "nothing to do", None
        report.counts = outcome_counts(report.outcomes)
        self.done = True

    def _taken_back(self) -> None:
        report = self._report
        if self._options.dry_run:
            report.status, report.pass_id = "dry-run", None
        elif self._options.review and report.proposals:
            report.status = "planned"
            exchanges = [digest for thought in self._thoughts() for digest in thought.exchanges]
            report.pass_id = keep_plan(self._store, self._header(), report, exchanges, clock=self._clock)
        else:
            self._nothing()
        self.done = True

    def _refused(self, why: str) -> None:
        report = self._report
        report.status, report.summary, report.pass_id = "refused", why, None
        if not self._options.dry_run:
            report.pass_id = record_unapplied(
                self._store, self._header(), status="refused", error=why, counts=report.counts, clock=self._clock
            )
        self.done = True

    # ------------------------------------------------------------------ what the journal keeps of the thinking

    def _has_read(self) -> bool:
        return any(session.kind == "session" for session in self._read_now())

    def _has_asked(self) -> bool:
        """Whether a model was asked: that is put on record, also where its answer changes nothing."""
        return any(thought.exchanges for thought in self._thoughts())

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

    def _thoughts(self) -> tuple[Thought, Thought]:
        return self._read, self._thought

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
            **self._spent(),
        )

    def _spent(self) -> dict[str, Any]:
        """Which model was asked, and what that took."""
        thoughts = self._thoughts()
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
