"""The graph as a person reads and changes it: entities, edits, files in and out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import graphdream
from graphdream.given import confirm_path, confirm_share, confirm_text
from graphdream.graph.store import Store
from graphdream.library.base import Memory


class Knowledge(Memory):
    """Entities, edits, import and export."""

    def entity(self, reference: str, *, history: bool = False) -> graphdream.EntityPage:
        """An entity by handle, name or alias, with its facts and links; with its history also what they replaced.
        What is not as it was sealed is left out, as in `recall`: `graph.store.seal.left_out` names it."""
        from graphdream.views.entity_page import entity_page

        confirm_text("the name or handle of an entity", reference)
        return entity_page(self.store, reference, history=history)

    def categories(self) -> dict[str, int]:
        """Each category that has an active fact, with how many."""
        from graphdream.views.memory import categories

        return categories(self.store)

    def feedback(self, handle: str, signal: str, *, session: str = "", note: str = "") -> bool:
        """Say that a recalled fact was "used", "ignored" or "wrong"; False where the session had said so already."""
        from graphdream.recall.feedback import give_feedback

        return give_feedback(self.store, handle, signal, session=session, note=note, clock=self.clock)

    def feedback_given(self, handle: str = "") -> list[graphdream.Feedback]:
        """What was said of a fact, or of all and of sessions, newest first."""
        from graphdream.recall.feedback import all_feedback

        confirm_text("the handle of a fact", handle)
        return all_feedback(self.store, handle)

    def edit(
        self, *mutations: graphdream.Mutation | Mapping[str, Any], by: graphdream.Teller = "user"
    ) -> graphdream.EditResult:
        """Apply a person's own mutations, typed or as objects with `op`, all or none, as a pass.

        Args:
            by: "user", or "agent": bound by pins, constraints and what a person told.

        Raises NotFoundError, ConflictError or UsageError with nothing changed.
        """
        from graphdream.dream.edit import edit

        return edit(self.store, mutations, by=by, clock=self.clock)

    def check_project(self, root: str | Path) -> graphdream.ProjectReport:
        """Hold every fact against the project in a folder: flag those that name a path that is not there, or a version
        that a manifest states otherwise; see `graphdream.dream.project.check_project`."""
        from graphdream.dream.project import check_project

        confirm_path("the folder of a project", root)
        return check_project(self.store, root, clock=self.clock)

    def flagged_facts(self) -> list[graphdream.Flag]:
        """Facts that did not agree with a project when `check_project` last looked."""
        from graphdream.dream.flags import flagged_facts

        return flagged_facts(self.store)

    def facts_hold(self, *facts: str) -> int | None:
        """Put on record that flagged facts (handles) were looked at and hold all the same: they are flagged again only
        where the project, or the fact, says something else. Returns the pass; see `graphdream.dream.flags`."""
        from graphdream.dream.flags import facts_hold

        return facts_hold(self.store, facts, clock=self.clock)

    def explain(
        self, first: str, second: str, *, max_false_merge_rate: float | None = None
    ) -> graphdream.PairExplanation:
        """Why two entities are, or are not, taken for one; a merged one is judged as it was before its merge."""
        from graphdream.dream.explained import explain_pair

        for entity in (first, second):
            confirm_text("the name or handle of an entity", entity)
        confirm_share("max_false_merge_rate", max_false_merge_rate)
        return explain_pair(self.store, first, second, max_false_merge_rate=max_false_merge_rate)

    def explain_facts(self, first: str, second: str) -> graphdream.FactPairExplanation:
        """Why two facts are, or are not, taken for one; one that is gone is judged as it was before that."""
        from graphdream.dream.explained_facts import explain_fact_pair

        for fact in (first, second):
            confirm_text("the handle of a fact", fact)
        return explain_fact_pair(self.store, first, second)

    def purge(self, target: str, *, session: bool = False) -> graphdream.PurgeReport:
        """Erase a fact, an entity (by handle) or a session (by id) for good: not even an undo brings it back.

        Args:
            session: the target is a session's id, even if it looks like a handle.

        Raises:
            ConflictError: it could be either.
            NotFoundError: there is no such row or session.
            BusyError: a pass is running, or another program keeps writing.
        """
        from graphdream.dream.purge import purge

        confirm_text("what to purge", target)
        return purge(self.store, target, session=session, clock=self.clock)

    def finish_purge(self) -> bool:
        """Clear the old pages of a purge that was ended in the middle. Whether there was any to finish.

        Raises:
            BusyError: another program keeps writing.
        """
        from graphdream.dream.purge import finish

        return finish(self.store)

    def import_graph(self, path: str | Path, *, trust: bool = False) -> graphdream.ImportReport:
        """Import a graph from JSON lines. Raises ImportRefusedError, with the database as it was.

        Args:
            trust: as `import_file`.
        """
        from graphdream.interfaces.importers import import_graph

        confirm_path("the file to import", path)
        return import_graph(self.store, path, clock=self.clock, trust=trust)

    def import_file(
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
        from graphdream.interfaces.importers import import_file

        confirm_path("the file to import", path)
        with Store.copied(self._path) if dry_run else nullcontext(self.store) as store:
            report = import_file(store, path, format=format, clock=self.clock, skip_bad=skip_bad, trust=trust, at=at)
        return replace(report, pass_id=None) if dry_run else report  # the pass was made in a copy

    def export(self, path: str | Path, *, format: str = "jsonl", at: int | None = None) -> None:
        """Export the graph as it is, or as it was after pass `at`: jsonl, graphml, cytoscape, markdown, memory.

        A file that is there is replaced when the new one is whole. For `memory` the path is that of a folder of notes,
        which gets a block in its MEMORY.md, and graphdream.md beside it (docs/formats.md).

        Raises:
            UsageError: the path is that of a memory, or cannot be written.
            IntegrityError: a row, or with `at` a pass up to that one, is not as it was sealed; nothing was written.
            ImportRefusedError: a note has one of the two marks of that block without the other; nothing was written.
        """
        confirm_path("where to export to", path)
        from graphdream.errors import UsageError
        from graphdream.interfaces.exporters import FORMATS, export_graph
        from graphdream.interfaces.exporters.source import graph_at

        if format not in (*FORMATS, "memory"):
            raise UsageError(f"{format!r} is not a format", f"use one of {', '.join([*FORMATS, 'memory'])}")
        with graph_at(self.store, at) as source:
            if format == "memory":
                from graphdream.interfaces.exporters.memory_folder import write_memory_folder
                from graphdream.paths import expanded

                write_memory_folder(source.connection, expanded(path))
            else:
                export_graph(source.connection, path, format=format, force=True, own=source.own)

    def networkx(self) -> graphdream.NetworkxGraph:
        """The active graph as a networkx graph: entities with their facts as nodes, links as edges.

        Raises IntegrityError where a row is not as it was sealed, as `export` does.
        """
        from graphdream.graph.sealwalk import confirm_sound
        from graphdream.views.networkx_view import to_networkx

        confirm_sound(self.store.seal)
        return to_networkx(self.store.connection)
