"""Step 6, prove: nothing is taken away that nothing stands for, and no pass is committed that answers fewer questions
than the graph answered before it."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from graphdream.dream.account import unaccounted
from graphdream.dream.probes import Answers, Probe, ask, comparable, draw_probes
from graphdream.dreamers.base import Judged
from graphdream.dreamers.gathered import Gathered
from graphdream.errors import GraphdreamError
from graphdream.graph.rows import parse_handle
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE, ENTITY, Table
from graphdream.mutations import model
from graphdream.mutations.applier import Proposal
from graphdream.mutations.outcome import Outcome

_HANDLE = re.compile(r"\b[aesl]\d+\b")


class RefusedError(GraphdreamError):
    """Recall fell, and leaving out what touched the lost answers did not mend it."""


class HarmfulError(GraphdreamError):
    """The proof failed: `positions` are those of the `proposals` that did it, `blamed` handles of the harmed rows."""

    def __init__(self, positions: frozenset[int], proposals: Sequence[Proposal], blamed: Iterable[str] = ()) -> None:
        super().__init__(f"{len(positions)} proposals did harm")
        self.positions, self.proposals, self.blamed = positions, proposals, frozenset(blamed)


class Proof:
    """The questions of one pass, with what was found before it.

    Args:
        gathered: where the questions are drawn from.
        proposals: half of the questions are about facts that they name.
        tolerance: share of the questions that may be lost, 0..1.
        judged: what is taken away by a calibrated judgement.
        known: what questions found before in the same state of the graph; it is added to.
    """

    def __init__(
        self, store: Store, gathered: Gathered, proposals: Sequence[Proposal], tolerance: float,
        judged: Judged, known: dict[Probe, frozenset[int]] | None = None,
    ) -> None:  # fmt: skip
        self._store = store
        self._tolerance = tolerance
        self._judged = judged
        self._probes = draw_probes(gathered, _asked_names(gathered, proposals), _named_facts(proposals))
        self._before = ask(store.connection, self._probes, {} if known is None else known)

    def hold(
        self, pass_id: int, proposals: Sequence[Proposal], outcomes: Sequence[Outcome], figures: dict[str, Any],
        without: frozenset[int],
    ) -> None:  # fmt: skip
        """Account for what was taken away and ask again, after the changes.

        Args:
            pass_id: the open pass.
            outcomes: of the proposals.
            figures: of the report; what was asked and answered goes there.
            without: positions of the proposals that were left out already.

        Raises:
            HarmfulError: something is missing, and these proposals may have done it.
            RefusedError: recall fell, and no proposal that is not left out touches any of what was lost.
        """
        missing = unaccounted(self._store.connection, pass_id, self._judged.empty)
        harmful, blamed = _takers(missing, proposals, outcomes)
        lost = self._ask_again(figures)
        found = self._touching_lost(lost, proposals, without) if lost else (frozenset[int](), frozenset[str]())
        harmful, blamed = harmful - without | found[0], blamed | found[1]
        if harmful:
            raise HarmfulError(harmful, proposals, blamed)
        if lost:
            raise RefusedError(fell(figures))

    def _ask_again(self, figures: dict[str, Any]) -> dict[int, int]:
        """The questions whose answer was lost, where that is more than is allowed: fact -> its entity."""
        still = comparable(self._store.connection, self._probes)
        self._after = ask(self._store.connection, still, {}, replaced=self._judged.replaced)
        were = frozenset(probe.fact_id for probe in still) & self._before.found
        figures.update(
            probes=len(still),
            recall_before=round(Answers(were, len(still)).recall, 4),
            recall_after=round(self._after.recall, 4),
        )
        if len(self._after.found) >= len(were) - self._tolerance * len(still):
            return {}
        lost = were - self._after.found
        return {probe.fact_id: probe.entity_id for probe in still if probe.fact_id in lost}

    def _touching_lost(
        self, lost: Mapping[int, int], proposals: Sequence[Proposal], without: frozenset[int]
    ) -> tuple[frozenset[int], frozenset[str]]:
        """The proposals that touch what was lost, else its entities, else the facts found in its place, else the
        entities of these; and by which handles."""
        instead = frozenset(hit for fact in lost for hit in self._after.hits[fact] - self._before.hits[fact])
        for facts, entities in (
            (lost.keys(), set[int]()),
            (frozenset[int](), set(lost.values())),
            (instead, set[int]()),
            (frozenset[int](), _owners(self._store.connection, instead)),
        ):
            blamed = frozenset({f"a{fact}" for fact in facts} | {f"e{entity}" for entity in entities})
            if harmful := _touching(proposals, blamed) - without:
                return harmful, blamed
        return frozenset(), frozenset()


def unfounded(
    connection: sqlite3.Connection, pass_id: int, proposals: Sequence[Proposal], outcomes: Sequence[Outcome],
    empty: Collection[int],
) -> HarmfulError | None:  # fmt: skip
    """What of the proposals of an open pass took facts away that nothing stands for; None where all is accounted for.

    Raises:
        RefusedError: no proposal names a fact that is gone.
    """
    harmful, blamed = _takers(unaccounted(connection, pass_id, empty), proposals, outcomes)
    return HarmfulError(harmful, proposals, blamed) if harmful else None


def _takers(
    missing: Mapping[int, Sequence[str]], proposals: Sequence[Proposal], outcomes: Sequence[Outcome]
) -> tuple[frozenset[int], frozenset[str]]:
    """The proposals that took facts away, by the handles by which they can have been addressed; and these handles.

    A proposal that addresses a row by name or words names it in its outcome.

    Raises:
        RefusedError: no proposal names a fact that is gone.
    """
    if not missing:
        return frozenset(), frozenset()
    asked = {handle for handles in missing.values() for handle in handles}
    touching: dict[str, set[int]] = {}  # a handle that is asked about -> the positions of those that name it
    for position, (proposal, outcome) in enumerate(zip(proposals, outcomes, strict=True)):
        if outcome.status == "applied":
            for handle in asked.intersection((*_handles(proposal), *_HANDLE.findall(outcome.message))):
                touching.setdefault(handle, set()).add(position)
    harmful, blamed = set[int](), set[str]()
    for fact, handles in missing.items():
        taker = next((handle for handle in handles if handle in touching), None)
        if taker is None:
            raise RefusedError(f"a{fact} would be gone, nothing stands for it, and no proposal names it")
        harmful |= touching[taker]
        blamed.add(taker)
    return frozenset(harmful), frozenset(blamed)


def fell(figures: Mapping[str, Any]) -> str:
    """Why a pass was refused, in words."""
    return f"probe recall fell from {figures['recall_before']:.3f} to {figures['recall_after']:.3f}"


def _touching(proposals: Sequence[Proposal], handles: Collection[str]) -> frozenset[int]:
    """Positions of the proposals that name one of these rows."""
    named = set(handles)
    return frozenset(position for position, proposal in enumerate(proposals) if named & _handles(proposal))


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
