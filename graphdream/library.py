"""The library: one object for one agent's memory, as a session-end hook or an agent's program calls it."""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from graphdream.clock import Clock, utc_now
from graphdream.events.spool import FACTS, waiting
from graphdream.graph.store import Store

if TYPE_CHECKING:
    import networkx

    from graphdream.config import Settings
    from graphdream.dream.asked_again import Comparison
    from graphdream.dream.cycle import CycleReport
    from graphdream.dream.cycle_state import LoggedCycle, PassStanding
    from graphdream.dream.edit import EditResult
    from graphdream.dream.estimate import Estimate
    from graphdream.dream.explained import PairExplanation
    from graphdream.dream.introspect import Introspection
    from graphdream.dream.opening import Wish
    from graphdream.dream.plan import Decision, PlannedItem, PlanRecord
    from graphdream.dream.remember import Remembered
    from graphdream.dream.replay import ReplayReport
    from graphdream.dream.report import DreamReport
    from graphdream.dream.skills import Skills
    from graphdream.dream.teller import Teller
    from graphdream.dream.trigger import Status
    from graphdream.dream.vectors import Vectors
    from graphdream.dreamers.base import Dreamer
    from graphdream.dreamers.client.base import Client
    from graphdream.dreamers.hybrid import HybridDreamer
    from graphdream.events.observed import ObserveReport
    from graphdream.events.record import Observation, Recorded
    from graphdream.events.transcripts import Transcript
    from graphdream.interfaces.importers import ImportReport
    from graphdream.journal.diff import GraphDiff
    from graphdream.journal.overview import Overview
    from graphdream.journal.purge import PurgeReport
    from graphdream.journal.records import MutationRecord, PassRecord
    from graphdream.journal.undo import UndoReport
    from graphdream.journal.unmerge import UnmergeReport
    from graphdream.journal.verify import VerifyReport
    from graphdream.mutations.model import Mutation
    from graphdream.recall.feedback import Feedback
    from graphdream.recall.hit import Hit
    from graphdream.recall.injection import Injection
    from graphdream.views.entity_page import EntityPage
    from graphdream.views.self_model import SelfModel
    from graphdream.views.working import WorkingMemory


def open(path: str | Path | None = None, *, agent: str | None = None, clock: Clock = utc_now) -> Graph:
    """Open an agent's memory; the file is made where it is missing.

    Args:
        path: the database file; None: the agent's own, below $GRAPHDREAM_HOME or the platform's data directory.
        agent: name of the agent where no path is given.
        clock: where times come from.

    Raises:
        SchemaError: the file is no graphdream database, or one of a newer program.
    """
    from graphdream.paths import database_path

    store = Store.open(database_path(path, agent))
    if waiting(store.path):
        from graphdream.events.record import take_in

        take_in(store)
    if waiting(store.path, FACTS):
        from graphdream.dream.later import remember_waiting

        remember_waiting(store)
    return Graph(store, agent=agent, clock=clock)


class Graph:
    """One agent's memory. Use as a context manager, or call `close`.

    Several threads may use one object: each has a connection of its own to the file, so those that read never wait, and
    those that write wait for each other. `close` closes all of them, and is for when they are done.
    """

    def __init__(self, store: Store, *, agent: str | None = None, clock: Clock = utc_now) -> None:
        self.agent = agent
        self.clock = clock
        self._own = threading.local()
        self._path = store.path
        self._opened: builtins.list[Store] = []
        self._billed: builtins.list[Vectors] = []
        self._keep(store)

    def _keep(self, store: Store) -> Store:
        self._own.store = store
        self._opened.append(store)
        return store

    @property
    def store(self) -> Store:
        """The calling thread's own view of the file."""
        held: Store | None = getattr(self._own, "store", None)
        return held if held is not None else self._keep(Store.open(self._path, create=False))

    def settings(self) -> Settings:
        """The agent's settings: defaults, agent.yaml, environment. Raises ConfigError, naming every wrong key."""
        from graphdream.config import load_settings
        from graphdream.paths import settings_path

        return load_settings(settings_path(self.agent))

    def close(self) -> None:
        """Close the file; what questions by meaning have cost goes on record before."""
        for vectors in self._billed:
            vectors.bill()
        for store in self._opened:
            store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------ events

    def record_session(
        self, session_id: str, *, summary: str = "", transcript: Transcript | str | Path | None = None,
        started_at: str | None = None, ended_at: str | None = None, observations: Iterable[Observation | str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Recorded:  # fmt: skip
        """Record what happened; telling the same twice is one event. See `graphdream.events.record.record`."""
        from graphdream.events.record import record

        return record(
            self.store, session_id, summary=summary, transcript=transcript, started_at=started_at, ended_at=ended_at,
            observations=observations, metadata=metadata, clock=self.clock,
        )  # fmt: skip

    def remember(
        self, text: str, *, category: str = "", tags: Iterable[str] = (), session: str = "", at: str = "",
        by: Teller = "user",
    ) -> Remembered:  # fmt: skip
        """Add one fact now, or reinforce the one that says it already. See `graphdream.dream.remember.remember`.

        Args:
            by: "user" (no pass archives, rewords or replaces what a person told) or "agent" (an observation).
        """
        from graphdream.dream.remember import remember

        return remember(self.store, text, category=category, tags=tags, session=session, at=at, by=by, clock=self.clock)

    def recall(
        self, query: str, *, k: int = 5, as_of: str | None = None, include_superseded: bool = False,
        vectors: bool = False,
    ) -> builtins.list[Hit]:  # fmt: skip
        """What is known about a question, best first. See `graphdream.recall.search.recall`.

        Args:
            vectors: search by meaning too, where `make_vectors` made vectors. Where an endpoint does not answer, words
                alone do; `graph.vectors().meanings.fault` says why.
        """
        from graphdream.recall.search import recall

        meanings = self.vectors().meanings if vectors else None
        return recall(self.store, query, k=k, as_of=as_of, include_superseded=include_superseded, meanings=meanings)

    def vectors(self) -> Vectors:
        """Vectors of the endpoint that the settings name, else those of the extra; see `graphdream.dream.vectors`."""
        from graphdream.dream.vectors import Vectors

        held: Vectors | None = getattr(self._own, "vectors", None)
        if held is None:
            held = self._own.vectors = Vectors(self.store, self.settings(), self.clock)
            self._billed.append(held)
        return held

    def make_vectors(self, limit: int = 10_000) -> int:
        """Make vectors of facts and turns that have none, newest first; for a background job. Returns how many."""
        return self.vectors().make(limit)

    def working(self, namespace: str) -> WorkingMemory:
        """Short-lived notes of one namespace of two segments, such as `session/s1`."""
        from graphdream.views.working import WorkingMemory

        return WorkingMemory(self.store, namespace)

    def context(self, session: str, message: str, *, budget_tokens: int = 1500, mark: bool = True) -> Injection:
        """What to inject into the next prompt of a session: what it has not seen yet, constraints always.

        Args:
            mark: remember what was given, so that this session is not given it again.
        """
        from graphdream.recall.injection import context
        from graphdream.views.working import namespace_of_session

        notes = self.working(namespace_of_session(session)).inventory()
        return context(
            self.store, session, message, budget_tokens=budget_tokens, working=notes, mark=mark, clock=self.clock
        )

    # ------------------------------------------------------------------ dreaming

    def status(self) -> Status:
        """How dreaming stands: what is due, which gate is closed and what opens it, what is unread."""
        from graphdream.dream.trigger import gates

        return gates(self.store, self.settings().dreaming, self.clock())

    def dream_due(self) -> bool:
        """Whether a pass would fire now by itself; `graphdream dream --status` says why, or why not."""
        from graphdream.dream.trigger import due

        return due(self.store, self.settings().dreaming, self.clock()) is not None

    def dream(
        self, *, compact: bool | None = None, dry_run: bool = False, max_false_merge_rate: float | None = None,
        loss_cap: float | None = None, dreamer: Dreamer | None = None, trigger: str = "manual",
        model: str | None = None, client: Client | None = None, budget: int | None = None, thorough: bool = False,
        review: bool = False, again: bool = False,
    ) -> DreamReport:  # fmt: skip
        """Run one pass.

        Args:
            compact: the whole graph (True), what is new (False), or what is due (None: the first pass is a compaction).
            dry_run: say what would change, and change nothing; a model is asked for it all the same.
            max_false_merge_rate: share of merged pairs that may be wrong; None: the configured one.
            loss_cap: share of the active facts that the pass may archive; None: the configured one.
            dreamer: who thinks; None: the local one, or with a model the hybrid one.
            model: as litellm names it, `provider/model`; None: the configured one, and without one no model is asked.
            client: how the model is asked; None: through litellm.
            budget: tokens that the pass may spend, in and out; None: no bound.
            thorough: a compaction shows the model the whole graph.
            again: do anew, where it still seems right, what was taken back from earlier passes (`undo`, `unmerge`).
            review: change nothing, and keep what would change as a plan for a person (`approve`, `reject`).

        Raises:
            BusyError: another pass is running.
            ClientError: the model gave no answer, its key is missing, or the budget is too small for a first call.
        """
        from graphdream.dream.runner import PassOptions, dream
        from graphdream.dreamers.local import LocalDreamer

        settings, reads = self.settings(), None
        rate = settings.dreaming.max_false_merge_rate if max_false_merge_rate is None else max_false_merge_rate
        asked = model or (settings.dreaming.model if settings.dreaming.enabled else None)
        if dreamer is None and (client is not None or asked is not None):
            from graphdream.dream.opening import Wish

            wish = Wish(client.model if client is not None else str(asked), rate, budget, thorough)
            dreamer = self._hybrid(client or self._client(wish, settings), wish, settings)
            # Who asks for the whole graph gets that; a first pass, a compaction by itself, reads what is new as well.
            reads = True if compact is None else None
        options = PassOptions(
            mode=self._mode(compact), sessions=reads, trigger=trigger, dry_run=dry_run, review=review, again=again,
            recall_tolerance=settings.dreaming.harm_tolerance, deadline_seconds=settings.dreaming.timeout / 1000,
            loss_cap=settings.dreaming.loss_cap if loss_cap is None else loss_cap,
        )  # fmt: skip
        return dream(self.store, dreamer or LocalDreamer(rate), options, clock=self.clock)

    def estimate(
        self, *, model: str | None = None, compact: bool | None = None, budget: int | None = None,
        thorough: bool = False, max_false_merge_rate: float | None = None,
    ) -> Estimate:  # fmt: skip
        """What `dream` with a model would take; nobody is asked, no key is needed, nothing is written.

        Raises:
            UsageError: no model is named, here or in the settings.
            ClientError: the model's name names no provider.
        """
        from graphdream.dream.estimate import estimate
        from graphdream.dream.opening import Uncalled, Wish
        from graphdream.dreamers.client.opening import check_provider
        from graphdream.dreamers.client.provider import context_window
        from graphdream.errors import UsageError

        settings = self.settings()
        named = model or settings.dreaming.model
        if named is None:
            raise UsageError(
                "an estimate needs a model", "give --model provider/model; the local dreamer costs nothing"
            )
        check_provider(named)
        rate = settings.dreaming.max_false_merge_rate if max_false_merge_rate is None else max_false_merge_rate
        client = Uncalled(named, context_window(named) or settings.dreaming.max_input_tokens)
        dreamer = self._hybrid(client, Wish(named, rate, budget, thorough), settings)
        reads = True if compact is None else None
        return estimate(self.store, dreamer, mode=self._mode(compact), model=named, reads=reads, clock=self.clock)

    def _mode(self, compact: bool | None) -> Literal["compact", "incremental"]:
        from graphdream.dream.trigger import due

        if compact is None:
            fitting = due(self.store, self.settings().dreaming, self.clock(), manual=True)
            compact = fitting is not None and fitting.mode == "compact"
        return "compact" if compact else "incremental"

    def _client(self, wish: Wish, settings: Settings) -> Client:
        from graphdream.dreamers.client.ledger import Ledger
        from graphdream.dreamers.client.ledgered import LedgeredClient
        from graphdream.dreamers.client.opening import open_client

        return LedgeredClient(open_client(wish.model, settings=settings), Ledger(wish.budget_tokens))

    def _hybrid(self, client: Client, wish: Wish, settings: Settings) -> HybridDreamer:
        from graphdream.dream.opening import open_hybrid
        from graphdream.paths import agent_folder

        return open_hybrid(
            self.store, client, wish, settings, agent_folder(self.store.path, self.agent), clock=self.clock
        )

    # ------------------------------------------------------------------ the cycle

    def cycle(
        self, *, only: Iterable[str] | None = None, dry_run: bool = False, model: str | None = None,
        client: Client | None = None, budget: int | None = None, again: bool = False, trigger: str = "manual",
        stop: Callable[[], bool] = lambda: False,
    ) -> CycleReport:  # fmt: skip
        """Run the passes over memory, skills and self that are due, each by itself.

        Args:
            only: names of passes; those run now, whatever their hours say. None: all that are due.
            dry_run: change nothing; a model is asked all the same.
            model: as litellm names it; None: the configured one, and without one the local parts run alone.
            client: how the model is asked; None: through litellm.
            budget: tokens that the whole cycle may spend, in and out; None: no bound.
            again: also what is not new, and what a person took back.
            stop: asked between two passes; True ends the cycle there.

        Raises:
            NotFoundError: there is no such pass; nothing was done.
            BusyError: another pass is running.
            ClientError: the model's name or key is wrong.
        """
        from graphdream.dream.cycle import CycleOptions, cycle
        from graphdream.dream.opening import Wish
        from graphdream.paths import agent_folder

        settings = self.settings()
        asked = model or (settings.dreaming.model if settings.dreaming.enabled else None)
        if client is None and asked is not None and settings.cycle.model_passes:
            client = self._client(Wish(asked, settings.dreaming.max_false_merge_rate, budget), settings)
        elif client is not None and budget is not None:
            from graphdream.dreamers.client.ledger import Ledger
            from graphdream.dreamers.client.ledgered import LedgeredClient

            client = LedgeredClient(client, Ledger(budget))
        options = CycleOptions(
            only=None if only is None else tuple(only), by_hand=only is not None or again, again=again,
            dry_run=dry_run, trigger=trigger, stop=stop,
        )  # fmt: skip
        folder = agent_folder(self.store.path, self.agent)
        return cycle(self.store, settings, options, client=client, folder=folder, clock=self.clock)

    def cycle_passes(self) -> builtins.list[PassStanding]:
        """Every pass of the cycle, in its order, with how it stands."""
        from graphdream.dream.cycle_state import pass_standings
        from graphdream.paths import agent_folder

        folder = agent_folder(self.store.path, self.agent)
        return pass_standings(self.store, self.settings(), folder=folder, clock=self.clock)

    def dream_log(self, *, most: int = 20) -> builtins.list[LoggedCycle]:
        """The newest cycles that did something, newest first."""
        from graphdream.dream.cycle_state import logged_cycles

        return logged_cycles(self.store.connection, most=most)

    def observe(self, rows: Iterable[Mapping[str, Any]]) -> ObserveReport:
        """Put events on record: turns, feedback, uses of skills, executions, calls of tools (docs/formats.md)."""
        from graphdream.events.observed import observe

        return observe(self.store, rows, clock=self.clock)

    @property
    def skills(self) -> Skills:
        """What the agent knows how to do."""
        from graphdream.dream.skills import Skills

        return Skills(self.store, self.clock)

    def self_model(self) -> SelfModel:
        """What the agent knows of itself, folded from what it did."""
        from graphdream.dream.introspect import self_model_of

        return self_model_of(self.store, self.settings(), self.clock())

    def introspect(self) -> Introspection:
        """A health report: score, findings, self-model, skills by use, passes."""
        from graphdream.dream.introspect import introspect

        return introspect(self.store, self.settings(), self.clock())

    # ------------------------------------------------------------------ plans

    def plans(self) -> builtins.list[PlanRecord]:
        """Plans that were made with `review`, oldest first, with how many of their items are still open."""
        from graphdream.dream.plan import plan_records

        return plan_records(self.store.connection)

    def plan(self, pass_id: int) -> builtins.list[PlannedItem]:
        """The items of a plan, with what moved since it was made."""
        from graphdream.dream.plan import items_of

        return items_of(self.store.connection, pass_id)

    def approve(self, pass_id: int, items: Collection[int] | None = None) -> Decision:
        """Apply open items of a plan (None: all) as a pass. See `graphdream.dream.plan.approve`."""
        from graphdream.dream.plan import approve

        return approve(self.store, pass_id, items, clock=self.clock)

    def reject(self, pass_id: int, items: Collection[int] | None = None) -> Decision:
        """Decide that open items of a plan (None: all) are not to be done."""
        from graphdream.dream.plan import reject

        return reject(self.store, pass_id, items, clock=self.clock)

    # ------------------------------------------------------------------ the journal

    def passes(self) -> builtins.list[PassRecord]:
        """Every pass, oldest first."""
        from graphdream.journal.records import pass_records

        return pass_records(self.store.connection)

    def pass_record(self, pass_id: int) -> PassRecord:
        """One pass: who made it, when, at what price. Raises NotFoundError where there is none."""
        from graphdream.journal.records import pass_record

        return pass_record(self.store.connection, pass_id)

    def mutations(self, pass_id: int) -> builtins.list[MutationRecord]:
        """What was proposed in a pass, in order, and what became of each. Raises NotFoundError where there is none."""
        from graphdream.journal.records import mutation_records

        return mutation_records(self.store.connection, pass_id)

    def undo(
        self, pass_id: int, *, cascade: bool = False, wrong: Collection[str] = (), all_wrong: bool = False
    ) -> UndoReport:
        """Take a pass back, whichever it was; the undo is itself a pass and can be undone.

        What was taken back is left alone by later passes, until `dream(again=True)` or until something new is known.

        Args:
            cascade: undo the later passes that stand in the way, too.
            wrong: handles of entities that the pass merged wrongly: they are distinct from now on, and count as false
                merges.
            all_wrong: all its merges were wrong.

        Raises:
            UndoConflictError: later passes touched the same rows; it names them.
            NotFoundError: there is no such pass, or it did not merge one of `wrong`.
        """
        from graphdream.journal.undo import undo

        return undo(self.store, pass_id, cascade=cascade, wrong=wrong, all_wrong=all_wrong, clock=self.clock)

    def unmerge(self, entity: str, *, wrong: bool = False) -> UnmergeReport:
        """Take one merge back: the entity of this handle is there again, with its own facts; a pass of its own.

        Args:
            wrong: it is none of those it was one with: they are distinct from now on, and it counts as a false merge.

        Raises:
            ConflictError: the entity was merged into none.
            NotFoundError: there is no such entity.
        """
        from graphdream.journal.unmerge import unmerge

        return unmerge(self.store, entity, wrong=wrong, clock=self.clock)

    def replay(self, pass_id: int, *, level: int = 1) -> ReplayReport:
        """Run a past pass again on the graph as it was before, without a model, and say what differs."""
        from graphdream.dream.replay import replay

        return replay(self.store, pass_id, level=level)

    def ask_again(self, pass_id: int, *, model: str | None = None, client: Client | None = None) -> Comparison:
        """Dream a past pass again on the input it had, and set the two plans side by side; nothing is changed.

        Args:
            model: as litellm names it; None and no client: the answers that are on record.
        """
        from graphdream.dream.asked_again import ask_again
        from graphdream.dream.exchanges import foundations_of
        from graphdream.dream.opening import Wish, open_hybrid
        from graphdream.dreamers.local import LocalDreamer
        from graphdream.dreamers.recorded import RecordedDreamer
        from graphdream.paths import agent_folder

        settings = self.settings()
        rate = settings.dreaming.max_false_merge_rate
        asked = client or (self._client(Wish(model, rate), settings) if model else None)
        folder = agent_folder(self.store.path, self.agent)

        def opened(copy: Store, thorough: bool) -> Dreamer:
            if asked is None:
                return RecordedDreamer(LocalDreamer(rate), foundations_of(self.store.connection, pass_id))
            wish = Wish(model or asked.model, rate, thorough=thorough)
            return open_hybrid(copy, asked, wish, settings, folder, clock=self.clock)

        return ask_again(self.store, pass_id, opened)

    def diff(self, before: int | str, after: int | str) -> GraphDiff:
        """What changed between the graph after one pass and after another, each a pass or a date."""
        from graphdream.journal.diff import diff

        return diff(self.store, before, after)

    def overview(self, pass_id: int, *, most: int | None = 10) -> Overview:
        """What one pass changed, by kind, with examples; `most` of each, None for all."""
        from graphdream.journal.overview import overview
        from graphdream.journal.passes import get_pass

        get_pass(self.store.connection, pass_id)
        with self.store.reading():
            return overview(self.store.connection, pass_id - 1, pass_id, most=most)

    def verify(self) -> VerifyReport:
        """Check that state and journal agree, the chain holds, and the anchor outside the file agrees."""
        from graphdream.journal.verify import verify

        return verify(self.store)

    # ------------------------------------------------------------------ the graph

    def entity(self, reference: str, *, history: bool = False) -> EntityPage:
        """An entity by handle, name or alias, with its facts and links; with its history also what they replaced."""
        from graphdream.views.entity_page import entity_page

        return entity_page(self.store.connection, reference, history=history)

    def categories(self) -> dict[str, int]:
        """Each category that has an active fact, with how many."""
        from graphdream.views.memory import categories

        with self.store.reading():
            return categories(self.store.connection)

    def feedback(self, handle: str, signal: str, *, session: str = "", note: str = "") -> bool:
        """Say that a recalled fact was "used", "ignored" or "wrong"; False where the session had said so already."""
        from graphdream.recall.feedback import give_feedback

        return give_feedback(self.store, handle, signal, session=session, note=note, clock=self.clock)

    def feedback_given(self, handle: str = "") -> builtins.list[Feedback]:
        """What was said of a fact, or of all, newest first."""
        from graphdream.recall.feedback import all_feedback

        return all_feedback(self.store.connection, handle)

    def edit(self, *mutations: Mutation | Mapping[str, Any], by: Teller = "user") -> EditResult:
        """Apply a person's own mutations, typed or as objects with `op`, all or none, as a pass.

        Args:
            by: "user", or "agent": bound by pins, constraints and what a person told.

        Raises NotFoundError, ConflictError or UsageError with nothing changed.
        """
        from graphdream.dream.edit import edit

        return edit(self.store, mutations, by=by, clock=self.clock)

    def explain(self, first: str, second: str, *, max_false_merge_rate: float | None = None) -> PairExplanation:
        """Why two entities are, or are not, taken for one; a merged one is judged as it was before its merge."""
        from graphdream.dream.explained import explain_pair

        return explain_pair(self.store, first, second, max_false_merge_rate=max_false_merge_rate)

    def purge(self, target: str, *, session: bool = False) -> PurgeReport:
        """Erase a fact, an entity (by handle) or a session (by id) for good: not even an undo brings it back.

        Args:
            session: the target is a session's id, even if it looks like a handle.

        Raises:
            ConflictError: it could be either.
            NotFoundError: there is no such row or session.
            BusyError: a pass is running, or another program keeps writing.
        """
        from graphdream.dream.purge import purge

        return purge(self.store, target, session=session, clock=self.clock)

    def import_graph(self, path: str | Path) -> ImportReport:
        """Import a graph from JSON lines. Raises ImportRefusedError, with the database as it was."""
        from graphdream.interfaces.importers import import_graph

        return import_graph(self.store, path, clock=self.clock)

    def import_file(self, path: str | Path, *, skip_bad: bool = False) -> ImportReport:
        """Import Markdown notes (a file or a folder), or a graph from JSON lines (docs/formats.md)."""
        from graphdream.interfaces.importers import import_file

        return import_file(self.store, path, clock=self.clock, skip_bad=skip_bad)

    def export(self, path: str | Path, *, format: str = "jsonl", at: int | None = None) -> None:
        """Export the graph as it is, or as it was after pass `at`: jsonl, graphml, cytoscape, markdown."""
        from graphdream.interfaces.exporters import export_graph
        from graphdream.journal.fold import fold

        connection = self.store.connection if at is None else fold(self.store, upto=at)
        with builtins.open(path, "w", encoding="utf-8") as out:
            export_graph(connection, out, format=format)

    def networkx(self) -> networkx.MultiDiGraph[Any]:
        """The active graph as a networkx graph: entities with their facts as nodes, links as edges."""
        from graphdream.views.networkx_view import to_networkx

        return to_networkx(self.store.connection)
