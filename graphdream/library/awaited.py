"""Every method of `Graph`, to be awaited. Written by `python tools/awaited.py`; mend those, not this."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import builtins

    import networkx

    from graphdream.config import Settings
    from graphdream.dream.asked_again import Comparison
    from graphdream.dream.cycle import CycleReport
    from graphdream.dream.cycle_state import LoggedCycle, PassStanding
    from graphdream.dream.edit import EditResult
    from graphdream.dream.estimate import Estimate
    from graphdream.dream.explained import PairExplanation
    from graphdream.dream.explained_facts import FactPairExplanation
    from graphdream.dream.flags import Flag
    from graphdream.dream.introspect import Introspection
    from graphdream.dream.plan import Decision, PlannedItem, PlanRecord
    from graphdream.dream.project import ProjectReport
    from graphdream.dream.remember import Remembered
    from graphdream.dream.replay import ReplayReport
    from graphdream.dream.report import DreamReport
    from graphdream.dream.teller import Teller
    from graphdream.dream.trigger import Status
    from graphdream.dream.vectors import Vectors
    from graphdream.dreamers.base import Dreamer
    from graphdream.dreamers.client.base import Client
    from graphdream.events.adding import Recorded
    from graphdream.events.observed import ObserveReport
    from graphdream.events.told import Observation
    from graphdream.events.transcripts import Transcript
    from graphdream.interfaces.importers import ImportReport
    from graphdream.journal.graph_diff import GraphDiff
    from graphdream.journal.overview import Overview
    from graphdream.journal.purge import PurgeReport
    from graphdream.journal.records import MutationRecord, PassRecord
    from graphdream.journal.trust import TrustReport
    from graphdream.journal.undo import UndoReport
    from graphdream.journal.unmerge import UnmergeReport
    from graphdream.journal.verify import VerifyReport
    from graphdream.library import Graph
    from graphdream.mutations.model import Mutation
    from graphdream.recall.feedback import Feedback
    from graphdream.recall.hit import Hit
    from graphdream.recall.injection import Injection
    from graphdream.views.entity_page import EntityPage
    from graphdream.views.self_model import SelfModel
    from graphdream.views.working import WorkingMemory

T = TypeVar("T")


class Awaited(ABC):
    """The methods of `Graph` with the same parameters; each runs on the memory's own thread."""

    @abstractmethod
    async def call(self, function: Callable[[Graph], T]) -> T:
        """Run a function with the `Graph` on its thread, for what takes several calls."""

    async def settings(self) -> Settings:
        """The agent's settings: defaults, agent.yaml, environment. Raises ConfigError, naming every wrong key."""
        return await self.call(lambda graph: graph.settings())

    async def record_session(
        self,
        session_id: str,
        *,
        summary: str = "",
        transcript: Transcript | str | Path | Iterable[Mapping[str, Any]] | None = None,
        started_at: str | None = None,
        ended_at: str | None = None,
        observations: Iterable[Observation | Mapping[str, Any] | str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Recorded:
        """Record what happened; telling the same twice is one event. See `graphdream.events.record.record`."""
        return await self.call(
            lambda graph: graph.record_session(
                session_id,
                summary=summary,
                transcript=transcript,
                started_at=started_at,
                ended_at=ended_at,
                observations=observations,
                metadata=metadata,
            )
        )

    async def remember(
        self,
        text: str,
        *,
        category: str = "",
        tags: Iterable[str] = (),
        session: str = "",
        at: str = "",
        valid_from: str = "",
        valid_to: str = "",
        occurred_at: str = "",
        review_after: str = "",
        by: Teller = "user",
    ) -> Remembered:
        """Add one fact now, or reinforce the one that says it already. See `graphdream.dream.remember.remember`.

        Args:
            valid_from, valid_to: since and until when it holds: a year, a month (2026-03), a day or a time.
            occurred_at: when it happened.
            review_after: when to look whether it still holds.
            by: "user" (no pass archives, rewords or replaces what a person told) or "agent" (an observation).
        """
        return await self.call(
            lambda graph: graph.remember(
                text,
                category=category,
                tags=tags,
                session=session,
                at=at,
                valid_from=valid_from,
                valid_to=valid_to,
                occurred_at=occurred_at,
                review_after=review_after,
                by=by,
            )
        )

    async def recall(
        self,
        query: str,
        *,
        k: int = 5,
        as_of: str | None = None,
        include_superseded: bool = False,
        vectors: bool = False,
    ) -> list[Hit]:
        """What is known about a question, best first. See `graphdream.recall.search.recall`.

        Args:
            vectors: search by meaning too, where `make_vectors` made vectors. Where an endpoint does not answer, words
                alone do; `graph.vectors().meanings.fault` says why.
        """
        return await self.call(
            lambda graph: graph.recall(query, k=k, as_of=as_of, include_superseded=include_superseded, vectors=vectors)
        )

    async def vectors(self) -> Vectors:
        """Vectors of the endpoint that the settings name, else those of the extra; see `graphdream.dream.vectors`."""
        return await self.call(lambda graph: graph.vectors())

    async def make_vectors(self, limit: int = 10000) -> int:
        """Make vectors of facts and turns that have none, newest first; for a background job. Returns how many."""
        return await self.call(lambda graph: graph.make_vectors(limit))

    async def working(self, namespace: str) -> WorkingMemory:
        """Short-lived notes of one namespace of two segments, such as `session/s1`."""
        return await self.call(lambda graph: graph.working(namespace))

    async def context(
        self, session: str, message: str, *, budget_tokens: int = 1500, turns: int = 0, mark: bool = True
    ) -> Injection:
        """What to inject into the next prompt of a session: what it has not seen yet, constraints always.

        Args:
            turns: how many of the session's own last turns come along, where the prompt does not hold them any more.
            mark: remember what was given, so that this session is not given it again.
        """
        return await self.call(
            lambda graph: graph.context(session, message, budget_tokens=budget_tokens, turns=turns, mark=mark)
        )

    async def status(self) -> Status:
        """How dreaming stands: what is due, which gate is closed and what opens it, what is unread."""
        return await self.call(lambda graph: graph.status())

    async def dream_due(self) -> bool:
        """Whether a pass would fire now by itself; `graphdream dream --status` says why, or why not."""
        return await self.call(lambda graph: graph.dream_due())

    async def dream(
        self,
        *,
        compact: bool | None = None,
        dry_run: bool = False,
        max_false_merge_rate: float | None = None,
        loss_cap: float | None = None,
        dreamer: Dreamer | None = None,
        trigger: str = "manual",
        model: str | None = None,
        client: Client | None = None,
        budget: int | None = None,
        thorough: bool = False,
        review: bool = False,
        again: bool = False,
        once: bool = False,
    ) -> DreamReport:
        """Run one pass.

        Args:
            compact: the whole graph (True), what is new (False), or what is due (None: the first pass is a compaction).
            dry_run: say what would change, and change nothing; a model is asked for it all the same, and its answers
                are kept, so that only the local dreamer foresees a pass of a file that may only be read.
            max_false_merge_rate: share of merged pairs that may be wrong; None: the configured one.
            loss_cap: share of the active facts that the pass may archive; None: the configured one.
            dreamer: who thinks; None: the local one, or with a model the hybrid one.
            model: as litellm names it, `provider/model`; None: the configured one, and without one no model is asked.
            client: how the model is asked; None: through litellm.
            budget: tokens that the pass may spend, in and out; None: no bound.
            thorough: a compaction shows the model the whole graph.
            again: do anew, where it still seems right, what was taken back from earlier passes (`undo`, `unmerge`).
            review: change nothing, and keep what would change as a plan for a person (`approve`, `reject`).
            once: do nothing where a pass of this trigger is on record already.

        Raises:
            BusyError: another pass is running.
            ClientError: the model gave no answer, its key is missing, or the budget is too small for a first call.
            UnwritableError: the disk or the process has too little room for a pass; nothing was begun.
        """
        return await self.call(
            lambda graph: graph.dream(
                compact=compact,
                dry_run=dry_run,
                max_false_merge_rate=max_false_merge_rate,
                loss_cap=loss_cap,
                dreamer=dreamer,
                trigger=trigger,
                model=model,
                client=client,
                budget=budget,
                thorough=thorough,
                review=review,
                again=again,
                once=once,
            )
        )

    async def estimate(
        self,
        *,
        model: str | None = None,
        compact: bool | None = None,
        budget: int | None = None,
        thorough: bool = False,
        max_false_merge_rate: float | None = None,
    ) -> Estimate:
        """What `dream` with a model would take; nobody is asked, no key is needed, nothing is written.

        Raises:
            UsageError: no model is named, here or in the settings.
            ClientError: the model's name names no provider.
        """
        return await self.call(
            lambda graph: graph.estimate(
                model=model,
                compact=compact,
                budget=budget,
                thorough=thorough,
                max_false_merge_rate=max_false_merge_rate,
            )
        )

    async def ask_again(self, pass_id: int, *, model: str | None = None, client: Client | None = None) -> Comparison:
        """Dream a past pass again on the input it had, and set the two plans side by side; nothing is changed.

        Args:
            model: as litellm names it; None and no client: the answers that are on record.
        """
        return await self.call(lambda graph: graph.ask_again(pass_id, model=model, client=client))

    async def plans(self) -> list[PlanRecord]:
        """Plans that were made with `review`, oldest first, with how many of their items are still open."""
        return await self.call(lambda graph: graph.plans())

    async def plan(self, pass_id: int) -> list[PlannedItem]:
        """The items of a plan, with what moved since it was made."""
        return await self.call(lambda graph: graph.plan(pass_id))

    async def approve(self, pass_id: int, items: Collection[int] | None = None) -> Decision:
        """Apply open items of a plan (None: all) as a pass. See `graphdream.dream.plan.approve`."""
        return await self.call(lambda graph: graph.approve(pass_id, items))

    async def reject(self, pass_id: int, items: Collection[int] | None = None) -> Decision:
        """Decide that open items of a plan (None: all) are not to be done."""
        return await self.call(lambda graph: graph.reject(pass_id, items))

    async def cycle(
        self,
        *,
        only: Iterable[str] | None = None,
        dry_run: bool = False,
        model: str | None = None,
        client: Client | None = None,
        budget: int | None = None,
        again: bool = False,
        trigger: str = "manual",
        stop: Callable[[], bool] | None = None,
    ) -> CycleReport:
        """Run the passes over memory, skills and self that are due, each by itself.

        Args:
            only: names of passes; those run now, whatever their hours say. None: all that are due.
            dry_run: change nothing; a model is asked all the same.
            model: as litellm names it; None: the configured one, and without one the local parts run alone.
            client: how the model is asked; None: through litellm.
            budget: tokens that the whole cycle may spend, in and out; None: no bound.
            again: also what is not new, and what a person took back.
            stop: asked between two passes; True ends the cycle there. None: nothing ends it.

        Raises:
            NotFoundError: there is no such pass; nothing was done.
            UsageError: `only` is a text.
            BusyError: another pass is running.
            ClientError: the model's name or key is wrong.
            UnwritableError: the disk or the process has too little room for passes; nothing was begun.
            ForeignSchemaError: somebody changed the schema of the file; nothing was begun.
        """
        return await self.call(
            lambda graph: graph.cycle(
                only=only,
                dry_run=dry_run,
                model=model,
                client=client,
                budget=budget,
                again=again,
                trigger=trigger,
                stop=stop,
            )
        )

    async def cycle_passes(self) -> builtins.list[PassStanding]:
        """Every pass of the cycle, in its order, with how it stands."""
        return await self.call(lambda graph: graph.cycle_passes())

    async def dream_log(self, *, most: int = 20) -> builtins.list[LoggedCycle]:
        """The newest cycles that did something, newest first."""
        return await self.call(lambda graph: graph.dream_log(most=most))

    async def observe(self, rows: Iterable[Mapping[str, Any]]) -> ObserveReport:
        """Put events on record: turns, feedback, uses of skills, executions, calls of tools (docs/formats.md)."""
        return await self.call(lambda graph: graph.observe(rows))

    async def self_model(self) -> SelfModel:
        """What the agent knows of itself, folded from what it did."""
        return await self.call(lambda graph: graph.self_model())

    async def introspect(self) -> Introspection:
        """A health report: score, findings, self-model, skills by use, passes."""
        return await self.call(lambda graph: graph.introspect())

    async def passes(self) -> list[PassRecord]:
        """Every pass, oldest first."""
        return await self.call(lambda graph: graph.passes())

    async def pass_record(self, pass_id: int) -> PassRecord:
        """One pass: who made it, when, at what price. Raises NotFoundError where there is none."""
        return await self.call(lambda graph: graph.pass_record(pass_id))

    async def mutations(self, pass_id: int) -> list[MutationRecord]:
        """What was proposed in a pass, in order, and what became of each. Raises NotFoundError where there is none."""
        return await self.call(lambda graph: graph.mutations(pass_id))

    async def undo(
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
        return await self.call(lambda graph: graph.undo(pass_id, cascade=cascade, wrong=wrong, all_wrong=all_wrong))

    async def unmerge(self, entity: str, *, wrong: bool = False) -> UnmergeReport:
        """Take one merge back: the entity of this handle is there again, with its own facts; a pass of its own.

        Args:
            wrong: it is none of those it was one with: they are distinct from now on, and it counts as a false merge.

        Raises:
            ConflictError: the entity was merged into none.
            NotFoundError: there is no such entity.
        """
        return await self.call(lambda graph: graph.unmerge(entity, wrong=wrong))

    async def replay(self, pass_id: int, *, level: int = 1) -> ReplayReport:
        """Run a past pass again on the graph as it was before, without a model, and say what differs."""
        return await self.call(lambda graph: graph.replay(pass_id, level=level))

    async def diff(self, before: int | str, after: int | str) -> GraphDiff:
        """What changed between the graph after one pass and after another, each a pass or a date."""
        return await self.call(lambda graph: graph.diff(before, after))

    async def overview(self, pass_id: int, *, most: int | None = 10) -> Overview:
        """What one pass changed, by kind, with examples; `most` of each, None for all. What is not as it was sealed is
        left out, as in `recall`: `graph.store.seal.left_out` names it."""
        return await self.call(lambda graph: graph.overview(pass_id, most=most))

    async def verify(self) -> VerifyReport:
        """Check that state and journal agree, that every row is as it was sealed, and the anchor outside the file."""
        return await self.call(lambda graph: graph.verify())

    async def trust(self, reason: str) -> TrustReport:
        """Take the file as it is from now on, though it is not as it was sealed, and seal it anew; `reason` says why,
        for the record (docs/trust.md)."""
        return await self.call(lambda graph: graph.trust(reason))

    async def entity(self, reference: str, *, history: bool = False) -> EntityPage:
        """An entity by handle, name or alias, with its facts and links; with its history also what they replaced.
        What is not as it was sealed is left out, as in `recall`: `graph.store.seal.left_out` names it."""
        return await self.call(lambda graph: graph.entity(reference, history=history))

    async def categories(self) -> dict[str, int]:
        """Each category that has an active fact, with how many."""
        return await self.call(lambda graph: graph.categories())

    async def feedback(self, handle: str, signal: str, *, session: str = "", note: str = "") -> bool:
        """Say that a recalled fact was "used", "ignored" or "wrong"; False where the session had said so already."""
        return await self.call(lambda graph: graph.feedback(handle, signal, session=session, note=note))

    async def feedback_given(self, handle: str = "") -> list[Feedback]:
        """What was said of a fact, or of all and of sessions, newest first."""
        return await self.call(lambda graph: graph.feedback_given(handle))

    async def edit(self, *mutations: Mutation | Mapping[str, Any], by: Teller = "user") -> EditResult:
        """Apply a person's own mutations, typed or as objects with `op`, all or none, as a pass.

        Args:
            by: "user", or "agent": bound by pins, constraints and what a person told.

        Raises NotFoundError, ConflictError or UsageError with nothing changed.
        """
        return await self.call(lambda graph: graph.edit(*mutations, by=by))

    async def check_project(self, root: str | Path) -> ProjectReport:
        """Hold every fact against the project in a folder: flag those that name a path that is not there, or a version
        that a manifest states otherwise; see `graphdream.dream.project.check_project`."""
        return await self.call(lambda graph: graph.check_project(root))

    async def flagged_facts(self) -> list[Flag]:
        """Facts that did not agree with a project when `check_project` last looked."""
        return await self.call(lambda graph: graph.flagged_facts())

    async def facts_hold(self, *facts: str) -> int | None:
        """Put on record that flagged facts (handles) were looked at and hold all the same: they are flagged again only
        where the project, or the fact, says something else. Returns the pass; see `graphdream.dream.flags`."""
        return await self.call(lambda graph: graph.facts_hold(*facts))

    async def explain(self, first: str, second: str, *, max_false_merge_rate: float | None = None) -> PairExplanation:
        """Why two entities are, or are not, taken for one; a merged one is judged as it was before its merge."""
        return await self.call(lambda graph: graph.explain(first, second, max_false_merge_rate=max_false_merge_rate))

    async def explain_facts(self, first: str, second: str) -> FactPairExplanation:
        """Why two facts are, or are not, taken for one; one that is gone is judged as it was before that."""
        return await self.call(lambda graph: graph.explain_facts(first, second))

    async def purge(self, target: str, *, session: bool = False) -> PurgeReport:
        """Erase a fact, an entity (by handle) or a session (by id) for good: not even an undo brings it back.

        Args:
            session: the target is a session's id, even if it looks like a handle.

        Raises:
            ConflictError: it could be either.
            NotFoundError: there is no such row or session.
            BusyError: a pass is running, or another program keeps writing.
        """
        return await self.call(lambda graph: graph.purge(target, session=session))

    async def import_graph(self, path: str | Path, *, trust: bool = False) -> ImportReport:
        """Import a graph from JSON lines. Raises ImportRefusedError, with the database as it was.

        Args:
            trust: as `import_file`.
        """
        return await self.call(lambda graph: graph.import_graph(path, trust=trust))

    async def import_file(
        self, path: str | Path, *, format: str = "", skip_bad: bool = False, trust: bool = False
    ) -> ImportReport:
        """Import a file, or a folder of notes, in any of the formats of docs/formats.md; "": by its name.

        Args:
            skip_bad: pass over bad lines and what rests on them.
            trust: where the file says that the user said it, take its word; else only an export of this installation is
                taken at its word, and of others such facts count as imported.
        """
        return await self.call(lambda graph: graph.import_file(path, format=format, skip_bad=skip_bad, trust=trust))

    async def export(self, path: str | Path, *, format: str = "jsonl", at: int | None = None) -> None:
        """Export the graph as it is, or as it was after pass `at`: jsonl, graphml, cytoscape, markdown, memory.

        A file that is there is replaced when the new one is whole. For `memory` the path is that of a folder of notes,
        which gets a block in its MEMORY.md, and graphdream.md beside it (docs/formats.md).

        Raises:
            UsageError: the path is that of a memory, or cannot be written.
            IntegrityError: a row is not as it was sealed; nothing was written.
            ImportRefusedError: a note has one of the two marks of that block without the other; nothing was written.
        """
        return await self.call(lambda graph: graph.export(path, format=format, at=at))

    async def networkx(self) -> networkx.MultiDiGraph[Any]:
        """The active graph as a networkx graph: entities with their facts as nodes, links as edges.

        Raises IntegrityError where a row is not as it was sealed, as `export` does.
        """
        return await self.call(lambda graph: graph.networkx())
