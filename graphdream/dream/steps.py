"""The seven steps of a pass: gather, plan, think, check, apply, prove, report.

Whoever thinks is asked while nobody has to wait: `plan` and `think` run outside of any transaction. The write lock is
taken for `check`, `apply` and `prove` only. What all passes have in common is here: the transaction under the lease,
the harm gate with its vetoes, the bill, the record. What a dream does in its steps is in `dream_steps`, what a pass
over a view does in `view_steps`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

from graphdream.clock import Clock
from graphdream.dream import lease
from graphdream.dream.probes import Probe
from graphdream.dream.prove import HarmfulError, Proof, RefusedError, fell
from graphdream.dreamers.base import Judged, Thought
from graphdream.dreamers.gathered import Gathered
from graphdream.graph.fulltext import reindex_pass
from graphdream.graph.store import Store
from graphdream.journal.passes import OpenPass, PassHeader, open_pass, record_unapplied
from graphdream.mutations.applier import Proposal, apply_proposals, record_outcomes
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import Outcome
from graphdream.mutations.packed import ProposalsInTurn
from graphdream.observed import note

ROUNDS = 14  # how often a pass is tried without what lowered recall, before it is refused


class Report(Protocol):
    """What the steps themselves put into the report of a pass."""

    pass_id: int | None
    counts: dict[str, Any]
    figures: dict[str, Any]
    seconds: float

    @property
    def status(self) -> str:
        """What came of it."""
        ...


ReportT = TypeVar("ReportT", bound=Report)


class TakeBackError(Exception):
    """Ends a transaction that is not to stay: a dry run, a rehearsal, or a pass without any change."""


class AgainError(Exception):
    """Ends an attempt that held, and is to be made once more on another ground."""


class Steps(ABC, Generic[ReportT]):
    """One pass. The steps are called in their order; the three in the transaction again, until `done`.

    Args:
        loss_cap: share of the active facts that the pass may archive, 0..1; None: any.
        recall_tolerance: how much probe recall may fall, 0..1.

    Attributes:
        held: the lease under which the pass runs; the runner sets it.
        done: nothing is left to be done but the report.
    """

    held: lease.Lease

    def __init__(
        self, store: Store, clock: Clock, report: ReportT, *, dry_run: bool, loss_cap: float | None,
        recall_tolerance: float,
    ) -> None:  # fmt: skip
        self.store, self._clock, self._report = store, clock, report
        self._dry_run, self._loss_cap, self._recall_tolerance = dry_run, loss_cap, recall_tolerance
        self._began = time.monotonic()
        self._without: frozenset[int] = frozenset()
        self._answered: dict[int, dict[Probe, frozenset[int]]] = {}  # number of the open pass -> what its probes found
        self._attempts = 0
        self.done = False

    # ------------------------------------------------------------------ before the transaction

    @abstractmethod
    def gather(self) -> None:
        """Step 1: read what is to be thought about."""

    @abstractmethod
    def plan(self) -> None:
        """Step 2: lay out what is to be asked."""

    @abstractmethod
    def think(self) -> None:
        """Step 3: have it thought about; nothing is written."""

    # ------------------------------------------------------------------ in the transaction

    @contextmanager
    def opened(self) -> Iterator[OpenPass]:
        """The pass, opened in the write transaction that runs, by who still holds the lease.

        Raises:
            LeaseLostError: another process has taken over meanwhile.
        """
        self.held.confirm(self.store.connection)
        with open_pass(self.store, self._header(), clock=self._clock) as current:
            yield current

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """The transaction around steps 4 to 6. It stays where they hold; else it leaves nothing, and what is to be
        different the next time is known afterwards.

        No savepoint lies around the whole: SQLite would keep every page for it, and each mutation would pay for that.

        Raises:
            LeaseLostError: another process has taken over meanwhile.
        """
        store = self.store
        self._attempts += 1
        try:
            with store.writing():
                with self.opened() as current:
                    self._current = current
                    yield
                    self._seal(current)
                self._keep(current)
            store.give_back_pages()
            self._stays()
            self.done = True
        except HarmfulError as harm:
            self._leave_out(harm)
        except AgainError as why:
            self._make_anew(why)
        except TakeBackError:
            self._taken_back()
            self.done = True
        except RefusedError as refused:
            self._refuse(str(refused))

    def check(self) -> None:
        """Step 4: put the proposals into their order, on the ground that they were made for; the rest is asked of each
        mutation when its turn comes."""
        connection = self.store.connection
        self._shown, self._proved = self._laid_out()
        self._archive_cap = self._most_archived() if self._proved else None
        self._now = self._applying()
        self._outcomes: list[Outcome] = apply_proposals(self._now, self._shown)
        if self._shown:
            reindex_pass(connection, self._current.id)
        self._stand_on(self._current)

    def apply(self) -> None:
        """Step 5: note how the graph answers, and let the applier change it."""
        # Until another process writes, and takes the number of this pass, every attempt begins with the same graph.
        known = self._answered.setdefault(self._current.id, {})
        self._proof = Proof(
            self.store, self._view_of_proof(), self._proved, self._recall_tolerance, self._judged(), known
        )
        first = len(self._shown)
        left_out = frozenset(position - first for position in self._without if position >= first)
        self._outcomes += apply_proposals(self._now, self._proved, without=left_out, archive_cap=self._archive_cap)
        reindex_pass(self.store.connection, self._current.id)
        self._current.indexed = True

    def prove(self) -> None:
        """Step 6: what was taken away is accounted for, and the graph answers as it did; else nothing stays."""
        report, proposals = self._report, ProposalsInTurn(self._shown, self._proved)
        self._tell(proposals, self._outcomes)
        self._proof.hold(self._current.id, proposals, self._outcomes, report.figures, self._without)
        self._held_true()
        report.counts = record_outcomes(self.store.connection, self._current.id, proposals, self._outcomes)
        if self._without:
            report.figures["left_out_as_harmful"] = len(self._without)

    def _leave_out(self, harm: HarmfulError) -> None:
        self._without |= harm.positions
        self._harmed(harm)
        if self._attempts >= ROUNDS:
            why = f"{fell(self._report.figures)} and leaving out what touched the lost answers did not mend it"
            self._refuse(why)

    def _refuse(self, why: str) -> None:
        """Put on record that nothing of the pass stays, and why."""
        number = None
        if not self._dry_run:
            number = record_unapplied(
                self.store, self._header(), status="refused", error=why, counts=self._report.counts, clock=self._clock
            )
        self._refused(why, number)
        self.done = True

    # ------------------------------------------------------------------ afterwards

    def report(self) -> ReportT:
        """Step 7: say what came of it."""
        self._report.seconds = round(time.monotonic() - self._began, 3)
        counts = self._report.counts
        note(
            **self._identity(),
            **{name: counts.get(name, 0) for name in ("applied", "skipped", "failed")},
            dry_run=self._dry_run, status=self._report.status, pass_id=self._report.pass_id, attempts=self._attempts,
        )  # fmt: skip
        return self._report

    @abstractmethod
    def failed(self, fault: Exception) -> None:
        """Put on record that the pass failed; nothing of it is in the graph."""

    # ------------------------------------------------------------------ what the kinds of passes fill in

    @abstractmethod
    def _thoughts(self) -> Sequence[Thought]:
        """What was thought so far, in the order of its proposals."""

    @abstractmethod
    def _identity(self) -> dict[str, Any]:
        """Which pass it is: kind, mode, trigger, dreamer."""

    @abstractmethod
    def _named(self) -> dict[str, Any]:
        """What the header of the pass says beside its identity and the bill: options, inputs."""

    @abstractmethod
    def _applying(self) -> Applying:
        """By whose right and from which moment the proposals are applied."""

    def _most_archived(self) -> int | None:
        """How many facts the pass may archive; None: any number. Asked only where something is proposed, because
        counting the active facts takes longer the more there are."""
        if self._loss_cap is None:
            return None
        active: int = self.store.connection.execute(
            "SELECT count(*) FROM attribute WHERE status = 'active'"
        ).fetchone()[0]
        return round(active * self._loss_cap)

    @abstractmethod
    def _laid_out(self) -> tuple[Sequence[Proposal], Sequence[Proposal]]:
        """The proposals: those of which the rest was thought already, which only add; and those that are proved."""

    @abstractmethod
    def _view_of_proof(self) -> Gathered:
        """Where the probe questions are drawn from; asked in the transaction."""

    def _judged(self) -> Judged:
        """What is taken away by a calibrated judgement."""
        return Judged()

    def _stand_on(self, current: OpenPass) -> None:
        """Make sure that what was added is what was thought about. Raises AgainError where it is not."""

    def _tell(self, proposals: Sequence[Proposal], outcomes: Sequence[Outcome]) -> None:
        """Take note of what became of the proposals."""

    def _held_true(self) -> None:
        """The proof held. Raises AgainError where something is to be thought about all the same."""

    def _harmed(self, harm: HarmfulError) -> None:
        """Take note of what did harm."""

    def _make_anew(self, why: AgainError) -> None:
        """See to the other ground on which the next attempt is made."""

    @abstractmethod
    def _seal(self, current: OpenPass) -> None:
        """What the journal says of the pass, while it is open."""

    @abstractmethod
    def _keep(self, current: OpenPass) -> None:
        """All that is remembered beside the graph, in the same transaction. Raises TakeBackError where nothing is to
        stay."""

    def _stays(self) -> None:
        """The pass is committed."""

    @abstractmethod
    def _taken_back(self) -> None:
        """The transaction was not to stay."""

    @abstractmethod
    def _refused(self, why: str, pass_id: int | None) -> None:
        """The pass is on record as refused."""

    # ------------------------------------------------------------------ the record

    def _header(self) -> PassHeader:
        """What is known of the pass and of the thinking before it changes anything."""
        thoughts, named = self._thoughts(), self._named()
        named["inputs"] = {
            **named.get("inputs", {}),
            "from_model": self._from_model(),
            "exchanges": [digest for thought in thoughts for digest in thought.exchanges],
            "directive": next((thought.directive_origin for thought in thoughts if thought.directive), ""),
        }
        return PassHeader(
            **self._identity(),
            **named,
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

    def _has_asked(self) -> bool:
        """Whether a model was asked: that is put on record, also where its answer changes nothing."""
        return any(thought.exchanges for thought in self._thoughts())
