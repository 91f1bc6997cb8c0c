"""Step 6, prove: no pass is committed that answers fewer questions than the graph answered before it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence

from graphdream.dream.probes import Answers, ask, comparable, draw_probes
from graphdream.dream.report import DreamReport
from graphdream.dreamers.gathered import Gathered
from graphdream.errors import GraphdreamError
from graphdream.graph.rows import parse_handle
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE, ENTITY, Table
from graphdream.mutations import model
from graphdream.mutations.applier import Proposal


class RefusedError(GraphdreamError):
    """Recall fell, and leaving out what touched the lost answers did not mend it."""


class HarmfulError(GraphdreamError):
    """Recall fell; `positions` are those of the `proposals` that touched what is no longer found."""

    def __init__(self, positions: frozenset[int], proposals: Sequence[Proposal]) -> None:
        super().__init__(f"{len(positions)} proposals lowered recall")
        self.positions, self.proposals = positions, proposals


class Proof:
    """The questions of one pass, with what was found before it.

    Args:
        gathered: where the questions are drawn from.
        proposals: half of the questions are about facts that they name.
        tolerance: share of the questions that may be lost, 0..1.
    """

    def __init__(self, store: Store, gathered: Gathered, proposals: Sequence[Proposal], tolerance: float) -> None:
        self._store = store
        self._tolerance = tolerance
        self._probes = draw_probes(gathered, _asked_names(gathered, proposals), _named_facts(proposals))
        self._before = ask(store.connection, self._probes)

    def hold(self, proposals: Sequence[Proposal], report: DreamReport, without: frozenset[int]) -> None:
        """Ask again, after the changes; the figures go into the report.

        Args:
            without: positions of the proposals that were left out already.

        Raises:
            HarmfulError: recall fell, and these proposals may have done it: those that touch what was lost, else those
                that touch the facts found in its place, else the entities of these.
            RefusedError: recall fell, and no proposal that is not left out touches any of them.
        """
        still = comparable(self._store.connection, self._probes)
        after = ask(self._store.connection, still)
        were = frozenset(probe.fact_id for probe in still) & self._before.found
        before = Answers(were, len(still))
        report.figures.update(
            probes=len(still), recall_before=round(before.recall, 4), recall_after=round(after.recall, 4)
        )
        if len(after.found) >= len(were) - self._tolerance * len(still):
            return
        lost = were - after.found
        instead = frozenset(hit for fact in lost for hit in after.hits[fact] - self._before.hits[fact])
        for facts, entities in (
            (lost, {probe.entity_id for probe in still if probe.fact_id in lost}),
            (instead, frozenset[int]()),
            (frozenset[int](), _owners(self._store.connection, instead)),
        ):
            if harmful := _touching(proposals, facts, entities) - without:
                raise HarmfulError(harmful, proposals)
        raise RefusedError(fell(report))


def fell(report: DreamReport) -> str:
    """Why a pass was refused, in words."""
    return f"probe recall fell from {report.figures['recall_before']:.3f} to {report.figures['recall_after']:.3f}"


def _touching(proposals: Sequence[Proposal], facts: Collection[int], entities: Collection[int]) -> frozenset[int]:
    """Positions of the proposals that name one of these facts or entities."""
    handles = {f"a{fact}" for fact in facts} | {f"e{entity}" for entity in entities}
    return frozenset(position for position, proposal in enumerate(proposals) if handles & _handles(proposal))


def _owners(connection: sqlite3.Connection, facts: Collection[int]) -> set[int]:
    """The entities that facts hang on."""
    rows = connection.execute(
        "SELECT entity_id FROM attribute JOIN aspect ON aspect.id = aspect_id"
        " WHERE attribute.id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(facts)),),
    )
    return {row[0] for row in rows}


def _handles(proposal: Proposal) -> set[str]:
    """Every handle that a proposal names."""
    values = (value if isinstance(value, (list, tuple)) else (value,) for value in proposal.body.values())
    return {item for items in values for item in items if isinstance(item, str)}


def entities_of(connection: sqlite3.Connection, proposals: Sequence[Proposal]) -> set[int]:
    """The active entities that proposals name, or whose facts they name, by handle."""
    handles = {handle for proposal in proposals for handle in _handles(proposal)}
    entities = {number for number in (_id_of(ENTITY, handle) for handle in handles) if number is not None}
    for number in _named_facts(proposals):
        row = connection.execute(
            "SELECT entity_id FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE attribute.id = ?", (number,)
        ).fetchone()
        entities |= {row[0]} if row else set()
    return entities


def _named_facts(proposals: Sequence[Proposal]) -> frozenset[int]:
    named = (_id_of(ATTRIBUTE, handle) for proposal in proposals for handle in _handles(proposal))
    return frozenset(fact for fact in named if fact is not None)


def _id_of(table: Table, text: str) -> int | None:
    """The id where a text is a handle of the table; what a dreamer writes there may be a name like "e²" as well."""
    parsed = parse_handle(text)
    return parsed[1] if parsed is not None and parsed[0] is table else None


def _asked_names(gathered: Gathered, proposals: Sequence[Proposal]) -> dict[int, str]:
    """The name under which each entity is asked for: that of the one it is to be merged into."""
    names = {entity.id: entity.name for entity in gathered.entities}
    for proposal in proposals:
        mutation = proposal.mutation
        target = _id_of(ENTITY, mutation.target) if isinstance(mutation, model.MergeEntities) else None
        if isinstance(mutation, model.MergeEntities) and target in names:
            sources = (_id_of(ENTITY, source) for source in mutation.source)
            names.update({source: names[target] for source in sources if source is not None})
    return names
