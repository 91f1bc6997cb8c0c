"""A dream in its seven steps: it reads the sessions that are not read yet, and thinks about the graph with them.

What a dreamer read is to be looked at together with what it meets in the graph, so it is written once for the dreamer's
eyes and taken back, and written again in the transaction that stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

from graphdream.clock import Clock
from graphdream.dream import state
from graphdream.dream.exchanges import take_over, take_over_unusable
from graphdream.dream.findings import close_sessions, leave_open, note_questions
from graphdream.dream.gather import gather, gather_entities, is_whole, looked_at, note_looked, unread_sessions
from graphdream.dream.heldback import HoldingBack
from graphdream.dream.history import made_by
from graphdream.dream.options import PassOptions
from graphdream.dream.parts import drawn, figures_of, parts_of
from graphdream.dream.plan import keep_plan
from graphdream.dream.prove import HarmfulError, RefusedError, entities_of, unfounded
from graphdream.dream.report import DreamReport
from graphdream.dream.soundness import confirm_newest
from graphdream.dream.steps import AgainError, Steps, TakeBackError
from graphdream.dreamers.aside import Aside, Thinking
from graphdream.dreamers.base import Dreamer, Judged, Thought
from graphdream.dreamers.gathered import Gathered, SeenSession
from graphdream.dreamers.openpairs import OPEN, as_kept
from graphdream.dreamers.vetoes import Vetoes
from graphdream.events.counter import mark_read
from graphdream.events.patience import PATIENCE_SECONDS
from graphdream.events.record import record, take_in
from graphdream.graph.fulltext import reindex_pass
from graphdream.graph.sealtables import confirm_tables
from graphdream.graph.spans import of_pass
from graphdream.graph.store import Store
from graphdream.journal.overview import overview
from graphdream.journal.passes import OpenPass, PassHeader, open_pass, record_unapplied
from graphdream.mutations.applier import Proposal, apply_proposals, outcome_counts
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import Outcome
from graphdream.mutations.packed import ProposalsInTurn
from graphdream.mutations.registry import adds
from graphdream.progress import part_of

RETHOUGHT = 3  # how often the dreamer thinks again for a veto; then what lowers recall is only left out
SHOWN_AGAIN = 3  # how often what was read is shown anew because the graph moved; then the next pass looks at it

# Of a file that is too large to be thought about at once, SQLite holds so much while others think, and at the end.
BESIDE_MIB, ALONE_MIB = 256, 1024


class _ThinkAgainError(AgainError):
    """The attempt held without what is vetoed; the dreamer is to think with the vetoes before anything stays."""


class _MovedError(AgainError):
    """What was read does not become the rows any more that the dreamer was shown: another process changed the graph."""


class DreamSteps(Steps[DreamReport]):
    """A dream.

    Args:
        dreamer: who reads and thinks; what a person took back is kept from it here.
    """

    def __init__(self, store: Store, dreamer: Dreamer, options: PassOptions, clock: Clock) -> None:
        super().__init__(
            store, clock, DreamReport("applied", None, options.mode, ""), dry_run=options.dry_run,
            loss_cap=options.loss_cap, recall_tolerance=options.recall_tolerance,
        )  # fmt: skip
        self._dreamer, self._options = HoldingBack(store, dreamer, again=options.again), options
        self._sessions: Sequence[SeenSession] = ()
        self._unread = 0  # sessions that are left for the next pass: a graph in parts is not seen beside what they say
        self._parts: list[tuple[int, ...]] = []  # of a graph that is too large to be thought about at once
        self._read, self._thought = Thought(()), [Thought(())]  # one of each part
        self._vetoes: set[str] = set()
        self._fresh = False  # a veto came since the dreamer thought last
        self._rehearsed: list[tuple[int, ...]] | None = None
        self._rethought = self._shown_again = 0
        self._later = False  # what was read is in the graph, and the next pass looks at what it meets there

    # ------------------------------------------------------------------ before the transaction

    def gather(self) -> None:
        """Step 1: read what the dreamer may see: sessions that are not read yet, and the graph."""
        options = self._options
        if options.once and self._was_made():
            return
        take_in(self.store, wait_seconds=PATIENCE_SECONDS)
        connection = self.store.connection
        with self.store.reading():
            confirm_tables(self.store.seal, "finding")
        if is_whole(connection, mode=options.mode, again=options.again):
            self._parts = parts_of(connection)
        if options.reads:
            with self.store.reading():
                confirm_newest(self.store)
            self._sessions = unread_sessions(self.store, left_open=self._dreamer.understands, again=options.again)
        if self._parts and self._sessions:
            self._unread, self._sessions = len(self._sessions), ()
        self._gathered = self._view = gather(
            self.store, mode=options.mode, now=self._clock(), sessions=self._sessions, again=options.again,
            part=() if self._parts else None,
        )  # fmt: skip

    def _was_made(self) -> bool:
        """Whether a dream of this trigger is on record; the report is of that one then. Asked under the lease, without
        which none is applied, so no other process can make one meanwhile."""
        made = made_by(self.store.connection, self._options.trigger)
        if made is None:
            return False
        report = self._report
        report.status, report.pass_id, report.mode, report.summary = "made already", *made
        self.done = True
        return True

    def plan(self) -> None:
        """Step 2: read the sessions, and lay out what is to be thought about: the graph with what they say in it."""
        if self._sessions:
            self._read = self._dreamer.read(self._gathered)
        if self._read.proposals:
            self._view = self._rehearse()

    def think(self) -> None:
        """Step 3: ask the dreamer what is to be done, with what is vetoed as a constraint."""
        if self._parts:
            self._think_in_parts()
        else:
            self._thought = [self._dreamer.think(self._with_vetoes(self._view))]
        self._fresh = False
        if not (self._read.proposals or self._thoughts_proposals() or self._has_read() or self._has_asked()):
            self._report.proposals, self._report.outcomes = (), ()
            self._nothing()

    def _think_in_parts(self) -> None:
        """Think about the parts, two at a time where there are two cores. A model is asked about one of them, by turns:
        what a pass may cost does not grow with the graph."""
        asked, count = self._gathered.seen_version % len(self._parts), len(self._parts)
        thoughts, under_way = dict[int, Thought](), dict[int, Thinking]()
        with Aside() as aside:
            for number, part in enumerate(self._parts):
                self.held.prolong(self.store, self._options.deadline_seconds)
                with part_of(f"thinking about part {number + 1} of {count}", number, count):
                    local = self._dreamer.local
                    dreamer = local if local and (number != asked or local is self._dreamer.dreamer) else self._dreamer
                    under_way[number] = aside.begin(self._shown_of(part, is_asked=number == asked), dreamer)
                while len(under_way) >= (aside.most if number < count - 1 else 1):
                    done = self._first_done(under_way)
                    thought = self._proven(under_way.pop(done))
                    thoughts[done] = thought if done == asked else replace(thought, deferred={})
        self._thought = [thoughts[number] for number in range(count)]

    def _shown_of(self, part: Collection[int], *, is_asked: bool) -> Gathered:
        options = self._options
        view = gather(self.store, mode=options.mode, now=self._gathered.now, again=options.again, part=part)
        return replace(self._with_vetoes(view), settling=not is_asked)

    def _first_done(self, under_way: Mapping[int, Thinking]) -> int:
        """The part whose thought is there first; the lease is kept meanwhile."""
        wait([thinking.answer for thinking in under_way.values()], return_when=FIRST_COMPLETED)
        self.held.prolong(self.store, self._options.deadline_seconds)
        return next(number for number, thinking in sorted(under_way.items()) if thinking.answer.done())

    def _proven(self, thinking: Thinking) -> Thought:
        """What was thought about a part, and again where something of it would do harm."""
        rethinks = RETHOUGHT if self._dreamer.rethinks else 0
        for round_ in range(rethinks + 1):
            thought = self._dreamer.kept_of(thinking.answer.result(), lambda: thinking.view).packed()
            harm = self._harm_of(thought) if round_ < rethinks else None
            if harm is None:
                break
            vetoes = Vetoes(thinking.view)
            fresh = {
                one for place in harm.positions for one in vetoes.fingerprints(harm.proposals[place].body, harm.blamed)
            }
            self._vetoes |= fresh
            thinking.again(frozenset(fresh))
        thinking.end()
        return thought

    def _harm_of(self, thought: Thought) -> HarmfulError | None:
        """What of a part would take away that nothing stands for; it is tried, and nothing of it stays."""
        store = self.store
        harm: HarmfulError | None = None
        if not thought.proposals:
            return None
        with (
            suppress(TakeBackError, RefusedError),
            store.with_cache(BESIDE_MIB),
            store.writing(),
            self.opened() as current,
        ):
            outcomes = apply_proposals(self._applying(), thought.proposals)
            reindex_pass(store.connection, current.id)
            harm = unfounded(store.connection, current.id, thought.proposals, outcomes, thought.judged.empty)
            raise TakeBackError
        return harm

    def _with_vetoes(self, view: Gathered) -> Gathered:
        return replace(view, declined=view.declined | self._vetoes) if self._vetoes else view

    def _thoughts_proposals(self) -> Sequence[Proposal]:
        return ProposalsInTurn(*(thought.proposals for thought in self._thought))

    def _rehearse(self) -> Gathered:
        """The graph with what the sessions add, as it will be; nothing of it stays."""
        store, options = self.store, self._options
        with suppress(TakeBackError), store.writing(), open_pass(store, self._header(), clock=self._clock) as current:
            adding, changing = self._parts_of_read()
            apply_proposals(self._applying(), adding)
            reindex_pass(store.connection, current.id)
            self._rehearsed = self._made(current)
            named = entities_of(store.connection, changing)
            now = self._gathered.now
            view = gather(store, mode=options.mode, now=now, also=named, again=options.again, settling=True)
            raise TakeBackError
        return view

    def _parts_of_read(self) -> tuple[list[Proposal], list[Proposal]]:
        """What the sessions add, which the dreamer is shown, and what they change."""
        adding = [proposal for proposal in self._read.proposals if adds(proposal.body.get("op"))]
        changing = [proposal for proposal in self._read.proposals if not adds(proposal.body.get("op"))]
        return adding, changing

    def _made(self, current: OpenPass) -> list[tuple[int, ...]]:
        """The rows that the open pass has made or changed so far."""
        rows = self.store.connection.execute(
            f"SELECT kind, row_id, op = '+' FROM change NOT INDEXED WHERE {of_pass('?1')} ORDER BY id", (current.id,)
        )
        return [tuple(row) for row in rows]

    # ------------------------------------------------------------------ in the transaction

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """As any attempt; of a graph in parts with room for its pages."""
        with self.store.with_cache(ALONE_MIB) if self._parts else nullcontext(), super().attempt():
            yield

    def _applying(self) -> Applying:
        return Applying(self.store, "pass", self._gathered.now, seen_version=self._gathered.seen_version)

    def _laid_out(self) -> tuple[Sequence[Proposal], Sequence[Proposal]]:
        adding, changing = self._parts_of_read()
        return adding, ProposalsInTurn(changing, self._thoughts_proposals())

    def _stand_on(self, current: OpenPass) -> None:
        """What was read has to become the very rows that the dreamer was shown."""
        if self._rehearsed is not None and not self._later and self._made(current) != self._rehearsed:
            raise _MovedError

    def _view_of_proof(self) -> Gathered:
        """All that a compaction saw; of an incremental pass what changed and what the proposals name, not what was
        shown only because its name is near: that is more the larger the graph is, and stays as it was."""
        view = self._view
        if self._parts:
            asked = drawn(self._parts, named=entities_of(self.store.connection, self._proved))
            return gather_entities(self.store.connection, asked, now=view.now)
        if view.mode == "compact":
            return view
        asked = {entity.id for entity in view.entities if entity.changed}
        asked |= entities_of(self.store.connection, self._proved)
        return replace(
            view,
            entities=tuple(entity for entity in view.entities if entity.id in asked),
            facts=tuple(fact for fact in view.facts if fact.entity_id in asked),
        )

    def _judged(self) -> Judged:
        return reduce(or_, (thought.judged for thought in self._thought), Judged())

    def _tell(self, proposals: Sequence[Proposal], outcomes: Sequence[Outcome]) -> None:
        self._report.proposals, self._report.outcomes = proposals, outcomes

    def _held_true(self) -> None:
        # Each part was proved before, so what is harmful only where all of them meet is left to the next pass.
        if self._fresh and not self._parts and self._dreamer.rethinks and self._rethought < RETHOUGHT:
            raise _ThinkAgainError

    def _harmed(self, harm: HarmfulError) -> None:
        """Put a veto on what did harm. Once the rest holds, the dreamer thinks again."""
        vetoes = Vetoes(self._view_of(harm))
        for position in harm.positions:
            self._vetoes |= vetoes.fingerprints(harm.proposals[position].body, harm.blamed)
        self._fresh = True

    def _view_of(self, harm: HarmfulError) -> Gathered:
        """A view with all that the harmful proposals name."""
        if not self._parts:
            return self._view
        connection = self.store.connection
        harmed = entities_of(connection, [harm.proposals[position] for position in harm.positions])
        return gather_entities(connection, harmed, now=self._gathered.now)

    def _make_anew(self, why: AgainError) -> None:
        if isinstance(why, _ThinkAgainError):
            self._rethought += 1
            self._without = frozenset(position for position in self._without if position < len(self._read.proposals))
            self.think()
            return
        self._shown_again += 1
        if self._shown_again < SHOWN_AGAIN:
            self._view = self._rehearse()
            self.think()
        else:  # the next pass looks at it
            self._later, self._thought = True, [Thought(())]

    def _seal(self, current: OpenPass) -> None:
        report = self._report
        if self._vetoes:
            report.figures["left_out_as_harmful"] = max(len(self._without), len(self._vetoes))
        seen = self._seen()
        mark_read(self.store.connection, current.id, seen["summaries"], seen["observations"], seen["turns"])
        report.sessions = sum(session.kind == "session" for session in self._read_now())
        report.summary = current.summary = report.told()
        report.figures.update(self._read.figures)
        report.figures.update(figures_of(self._thought))
        current.counts.update(report.counts)
        current.counts["figures"] = as_kept(report.figures)
        report.pass_id = current.id

    def _keep(self, current: OpenPass) -> None:
        store, report, connection = self.store, self._report, self.store.connection
        waits = self._dry_run or (self._options.review and bool(report.proposals))
        if waits:
            report.overview = overview(connection, current.id - 1, current.id)
        if waits or not (report.counts["applied"] or self._read_now() or self._has_asked()):
            raise TakeBackError
        now, thoughts = self._clock(), self._thoughts()
        if self._dreamer.thinks and not self._later:
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
        report = super().report()
        left = [line for one in self._thoughts() for line in one.left]
        if self._unread:
            sessions = f"{self._unread:,} session{'s' if self._unread > 1 else ''}"
            left.append(f"{sessions}: the graph was looked at in {len(self._parts)} parts; dream again")
        report.left = tuple(left)
        # What only a person can say is asked where there was nothing to do, too.
        figures = {**self._read.figures, **figures_of(self._thought)}
        report.figures.update({name: pairs for name, pairs in figures.items() if name in OPEN})
        report.held = self._dreamer.told()
        return report

    def failed(self, fault: Exception) -> None:
        """Put on record that the dream failed; the next one waits for a while."""
        if self._dry_run:
            return
        with suppress(Exception):
            state.failed(self.store, str(fault), now=self._clock())  # first: the back-off rests on it
        with suppress(Exception):
            options = self._options
            header = PassHeader("dream", mode=options.mode, trigger=options.trigger, dreamer=self._dreamer.name)
            number = record_unapplied(
                self.store, header, status="failed", error=str(fault)[:500], counts={}, clock=self._clock
            )
            take_over_unusable(self.store, number)

    def _nothing(self) -> None:
        if not self._dry_run:
            connection = self.store.connection
            with self.store.writing():
                if self._dreamer.thinks:
                    note_looked(connection, self._gathered.seen_version)
                if self._vetoes and self._gathered.seen_version:
                    vetoed = Thought((), declined=frozenset(self._vetoes))
                    note_questions(connection, self._gathered.seen_version, [vetoed], now=self._clock())
                state.nothing_to_do(self.store, now=self._clock())
        report = self._report
        report.status, report.summary, report.pass_id = "nothing", "nothing to do", None
        report.counts = outcome_counts(report.outcomes)
        self.done = True

    def _taken_back(self) -> None:
        report = self._report
        if self._dry_run:
            report.status, report.pass_id = "dry-run", None
        elif self._options.review and report.proposals:
            report.status = "planned"
            exchanges = [digest for thought in self._thoughts() for digest in thought.exchanges]
            report.pass_id = keep_plan(self.store, self._header(), report, exchanges, clock=self._clock)
        else:
            self._nothing()

    def _refused(self, why: str, pass_id: int | None) -> None:
        report = self._report
        report.status, report.summary, report.pass_id = "refused", why, pass_id

    # ------------------------------------------------------------------ what the journal keeps of the thinking

    def _has_read(self) -> bool:
        return any(session.kind == "session" for session in self._read_now())

    def _read_now(self) -> list[SeenSession]:
        """The sessions that were read to their end; those that did not fit stay unread."""
        return [session for session in self._sessions if session.key not in self._read.unread]

    def _seen(self) -> dict[str, Any]:
        sessions = self._read_now()
        return {
            "summaries": [number for session in sessions for number, _ in session.summaries],
            "observations": [item.id for session in sessions for item in session.observations],
            "turns": {session.key: len(session.turns) for session in sessions if session.turns},
        }

    def _thoughts(self) -> tuple[Thought, ...]:
        return self._read, *self._thought

    def _identity(self) -> dict[str, Any]:
        options = self._options
        return {
            "kind": "dream", "mode": options.mode, "trigger": options.trigger, "dreamer": self._dreamer.name
        }  # fmt: skip

    def _named(self) -> dict[str, Any]:
        options = self._options
        return {
            "options": {"loss_cap": options.loss_cap, "recall_tolerance": options.recall_tolerance},
            "inputs": {
                "seen_version": self._gathered.seen_version,
                "now": self._gathered.now,
                "sessions": [session.key for session in self._read_now()],
                **self._seen(),
                "looked_at": looked_at(self.store.connection),
            },
        }
