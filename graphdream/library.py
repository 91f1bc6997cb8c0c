"""The library: one object for one agent's memory, as a session-end hook or an agent's program calls it."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from graphdream.clock import Clock, utc_now
from graphdream.graph.store import Store

if TYPE_CHECKING:
    import networkx

    from graphdream.config import Settings
    from graphdream.dream.remember import Remembered
    from graphdream.dream.replay import ReplayReport
    from graphdream.dream.report import DreamReport
    from graphdream.dreamers.base import Dreamer
    from graphdream.events.record import Observation, Recorded
    from graphdream.events.transcripts import Transcript
    from graphdream.interfaces.importers import ImportReport
    from graphdream.journal.diff import GraphDiff
    from graphdream.journal.purge import PurgeReport
    from graphdream.journal.undo import UndoReport
    from graphdream.journal.verify import VerifyReport
    from graphdream.mutations.model import Proposable, Reserved
    from graphdream.mutations.outcome import Outcome
    from graphdream.recall.hit import Hit
    from graphdream.recall.injection import Injection
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

    return Graph(Store.open(database_path(path, agent)), agent=agent, clock=clock)


class Graph:
    """One agent's memory. Use as a context manager, or call `close`."""

    def __init__(self, store: Store, *, agent: str | None = None, clock: Clock = utc_now) -> None:
        self.store = store
        self.agent = agent
        self.clock = clock

    def settings(self) -> Settings:
        """The agent's settings: defaults, agent.yaml, environment. Raises ConfigError, naming every wrong key."""
        from graphdream.config import load_settings
        from graphdream.paths import settings_path

        return load_settings(settings_path(self.agent))

    def close(self) -> None:
        """Close the file."""
        self.store.close()

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

    def remember(self, text: str, *, category: str = "", tags: Iterable[str] = (), session: str = "") -> Remembered:
        """Add one fact now, or reinforce the one that says it already. See `graphdream.dream.remember.remember`."""
        from graphdream.dream.remember import remember

        return remember(self.store, text, category=category, tags=tags, session=session, clock=self.clock)

    def recall(
        self, query: str, *, k: int = 5, as_of: str | None = None, include_superseded: bool = False
    ) -> builtins.list[Hit]:
        """What is known about a question, best first. See `graphdream.recall.search.recall`."""
        from graphdream.recall.search import recall

        return recall(self.store, query, k=k, as_of=as_of, include_superseded=include_superseded)

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

        notes = self.working(f"session/{session}").inventory()
        return context(
            self.store, session, message, budget_tokens=budget_tokens, working=notes, mark=mark, clock=self.clock
        )

    # ------------------------------------------------------------------ dreaming

    def dream_due(self) -> bool:
        """Whether a pass would fire now by itself; `graphdream dream --status` says why, or why not."""
        from graphdream.dream.trigger import due

        return due(self.store, self.settings().dreaming, self.clock()) is not None

    def dream(
        self, *, compact: bool | None = None, dry_run: bool = False, max_false_merge_rate: float | None = None,
        loss_cap: float | None = None, dreamer: Dreamer | None = None, trigger: str = "manual",
    ) -> DreamReport:  # fmt: skip
        """Run one pass.

        Args:
            compact: the whole graph (True), what is new (False), or what is due (None: the first pass is a compaction).
            dry_run: say what would change, and change nothing.
            max_false_merge_rate: share of merged pairs that may be wrong; None: the configured one.
            loss_cap: share of the active facts that the pass may archive; None: the configured one.
            dreamer: who thinks; None: the local one.

        Raises:
            BusyError: another pass is running.
        """
        from graphdream.dream.runner import PassOptions, dream
        from graphdream.dream.trigger import due
        from graphdream.dreamers.local import LocalDreamer

        settings = self.settings().dreaming
        if compact is None:
            fitting = due(self.store, settings, self.clock(), manual=True)
            compact = fitting is not None and fitting.mode == "compact"
        mode = "compact" if compact else "incremental"
        rate = settings.max_false_merge_rate if max_false_merge_rate is None else max_false_merge_rate
        options = PassOptions(
            mode=mode, trigger=trigger, dry_run=dry_run, recall_tolerance=settings.harm_tolerance,
            deadline_seconds=settings.timeout / 1000,
            loss_cap=settings.loss_cap if loss_cap is None else loss_cap,
        )  # fmt: skip
        return dream(self.store, dreamer or LocalDreamer(rate), options, clock=self.clock)

    # ------------------------------------------------------------------ the journal

    def passes(self) -> builtins.list[dict[str, Any]]:
        """Every pass, oldest first."""
        from graphdream.journal.passes import list_passes

        return list_passes(self.store.connection)

    def undo(self, pass_id: int, *, cascade: bool = False, remember: bool = True) -> UndoReport:
        """Take a pass back, whichever it was; the undo is itself a pass and can be undone.

        Args:
            cascade: undo the later passes that stand in the way, too.
            remember: the merges that are taken back count as wrong, and are not made again.

        Raises:
            UndoConflictError: later passes touched the same rows; it names them.
            NotFoundError: there is no such pass.
        """
        from graphdream.journal.undo import undo

        return undo(self.store, pass_id, cascade=cascade, remember=remember, clock=self.clock)

    def replay(self, pass_id: int, *, level: int = 1) -> ReplayReport:
        """Run a past pass again on the graph as it was before, without a model, and say what differs."""
        from graphdream.dream.replay import replay

        return replay(self.store, pass_id, level=level)

    def diff(self, before: int, after: int) -> GraphDiff:
        """What changed between the graph after one pass and after another."""
        from graphdream.journal.diff import diff

        return diff(self.store, before, after)

    def verify(self) -> VerifyReport:
        """Check that state and journal agree, the chain holds, and the anchor outside the file agrees."""
        from graphdream.journal.verify import verify

        return verify(self.store)

    # ------------------------------------------------------------------ the graph

    def edit(self, *mutations: Proposable | Reserved) -> tuple[int | None, builtins.list[Outcome]]:
        """Apply a person's own mutations, all or none, as a pass; returns its id (None: nothing changed)."""
        from graphdream.dream.edit import edit

        return edit(self.store, mutations, clock=self.clock)

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
