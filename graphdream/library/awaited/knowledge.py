"""Methods of `graphdream.library.knowledge`, to be awaited. `tools/awaited.py` writes this from those."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import graphdream
from graphdream.library.awaited.base import Memory


class Knowledge(Memory):
    """The methods of `Knowledge` with the same parameters; each runs on the memory's own thread."""

    async def entity(self, reference: str, *, history: bool = False) -> graphdream.EntityPage:
        """An entity by handle, name or alias, with its facts and links; with its history also what they replaced.
        What is not as it was sealed is left out, as in `recall`: `graph.store.seal.left_out` names it."""
        return await self.call(lambda graph: graph.entity(reference, history=history))

    async def categories(self) -> dict[str, int]:
        """Each category that has an active fact, with how many."""
        return await self.call(lambda graph: graph.categories())

    async def feedback(self, handle: str, signal: str, *, session: str = "", note: str = "") -> bool:
        """Say that a recalled fact was "used", "ignored" or "wrong"; False where the session had said so already."""
        return await self.call(lambda graph: graph.feedback(handle, signal, session=session, note=note))

    async def feedback_given(self, handle: str = "") -> list[graphdream.Feedback]:
        """What was said of a fact, or of all and of sessions, newest first."""
        return await self.call(lambda graph: graph.feedback_given(handle))

    async def edit(
        self, *mutations: graphdream.Mutation | Mapping[str, Any], by: graphdream.Teller = "user"
    ) -> graphdream.EditResult:
        """Apply a person's own mutations, typed or as objects with `op`, all or none, as a pass.

        Args:
            by: "user", or "agent": bound by pins, constraints and what a person told.

        Raises NotFoundError, ConflictError or UsageError with nothing changed.
        """
        return await self.call(lambda graph: graph.edit(*mutations, by=by))

    async def check_project(self, root: str | Path) -> graphdream.ProjectReport:
        """Hold every fact against the project in a folder: flag those that name a path that is not there, or a version
        that a manifest states otherwise; see `graphdream.dream.project.check_project`."""
        return await self.call(lambda graph: graph.check_project(root))

    async def flagged_facts(self) -> list[graphdream.Flag]:
        """Facts that did not agree with a project when `check_project` last looked."""
        return await self.call(lambda graph: graph.flagged_facts())

    async def facts_hold(self, *facts: str) -> int | None:
        """Put on record that flagged facts (handles) were looked at and hold all the same: they are flagged again only
        where the project, or the fact, says something else. Returns the pass; see `graphdream.dream.flags`."""
        return await self.call(lambda graph: graph.facts_hold(*facts))

    async def explain(
        self, first: str, second: str, *, max_false_merge_rate: float | None = None
    ) -> graphdream.PairExplanation:
        """Why two entities are, or are not, taken for one; a merged one is judged as it was before its merge."""
        return await self.call(lambda graph: graph.explain(first, second, max_false_merge_rate=max_false_merge_rate))

    async def explain_facts(self, first: str, second: str) -> graphdream.FactPairExplanation:
        """Why two facts are, or are not, taken for one; one that is gone is judged as it was before that."""
        return await self.call(lambda graph: graph.explain_facts(first, second))

    async def purge(self, target: str, *, session: bool = False) -> graphdream.PurgeReport:
        """Erase a fact, an entity (by handle) or a session (by id) for good: not even an undo brings it back.

        Args:
            session: the target is a session's id, even if it looks like a handle.

        Raises:
            ConflictError: it could be either.
            NotFoundError: there is no such row or session.
            BusyError: a pass is running, or another program keeps writing.
        """
        return await self.call(lambda graph: graph.purge(target, session=session))

    async def finish_purge(self) -> bool:
        """Clear the old pages of a purge that was ended in the middle. Whether there was any to finish.

        Raises:
            BusyError: another program keeps writing.
        """
        return await self.call(lambda graph: graph.finish_purge())

    async def import_graph(self, path: str | Path, *, trust: bool = False) -> graphdream.ImportReport:
        """Import a graph from JSON lines. Raises ImportRefusedError, with the database as it was.

        Args:
            trust: as `import_file`.
        """
        return await self.call(lambda graph: graph.import_graph(path, trust=trust))

    async def import_file(
        self,
        path: str | Path,
        *,
        format: str = "",
        skip_bad: bool = False,
        trust: bool = False,
        at: str = "",
        dry_run: bool = False,
    ) -> graphdream.ImportReport:
        """Import a file, or a folder of notes, in any of the formats of docs/formats.md; "": by its name.

        Args:
            skip_bad: pass over bad lines and what rests on them.
            trust: where the file says that the user said it, take its word; else only an export of this installation is
                taken at its word, and of others such facts count as imported.
            at: of notes: the day, ISO 8601, on which that was told which has no day of its own; "" is now.
            dry_run: say what would be imported, and change nothing; of the report `pass_id` is None then.
        """
        return await self.call(
            lambda graph: graph.import_file(path, format=format, skip_bad=skip_bad, trust=trust, at=at, dry_run=dry_run)
        )

    async def export(self, path: str | Path, *, format: str = "jsonl", at: int | None = None) -> None:
        """Export the graph as it is, or as it was after pass `at`: jsonl, graphml, cytoscape, markdown, memory.

        A file that is there is replaced when the new one is whole. For `memory` the path is that of a folder of notes,
        which gets a block in its MEMORY.md, and graphdream.md beside it (docs/formats.md).

        Raises:
            UsageError: the path is that of a memory, or cannot be written.
            IntegrityError: a row, or with `at` a pass up to that one, is not as it was sealed; nothing was written.
            ImportRefusedError: a note has one of the two marks of that block without the other; nothing was written.
        """
        return await self.call(lambda graph: graph.export(path, format=format, at=at))

    async def networkx(self) -> graphdream.NetworkxGraph:
        """The active graph as a networkx graph: entities with their facts as nodes, links as edges.

        Raises IntegrityError where a row is not as it was sealed, as `export` does.
        """
        return await self.call(lambda graph: graph.networkx())
