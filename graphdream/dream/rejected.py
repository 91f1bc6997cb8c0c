"""What a person rejected in plans, and how that is remembered.

A rejection is a pass of the person's own, which can be undone like any other. By it, entities that a rejected item
would have made one are distinct. Whatever else was rejected is held, as what was taken back is
(`graphdream.dream.held`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from graphdream.clock import Clock
from graphdream.dream.soundness import confirm_plan
from graphdream.graph.rows import handle
from graphdream.graph.store import Store
from graphdream.graph.tables import ENTITY
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.journal.soundness import confirm_passes
from graphdream.journal.verdicts import Absorption, verdicts_on
from graphdream.mutations import model
from graphdream.mutations.applier import Proposal, apply_proposals, record_outcomes
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import Refusal
from graphdream.mutations.parse import parse_trusted


class Rejected(NamedTuple):
    """A mutation that a person rejected; `since`: the pass that says so, or the plan where none does."""

    since: int
    mutation: model.Mutation


def remember_rejected(store: Store, plan_id: int, bodies: Sequence[Mapping[str, Any]], *, clock: Clock) -> int:
    """Write the pass by which items of a plan are rejected, within the transaction that decides it.

    Returns:
        Its id.
    """
    now = clock()
    header = PassHeader("edit", trigger=f"plan {plan_id}", options={"by": "user"}, inputs={"now": now})
    with open_pass(store, header, clock=clock) as current:
        applying = Applying(store, "person", now, derived=False)
        proposals = [
            Proposal.of(model.MarkDistinct(first=first, second=second, reason=f"rejected in plan {plan_id}"))
            for first, second in _told_apart(applying, plan_id, bodies)
        ]
        outcomes = apply_proposals(applying, proposals)
        current.counts.update(record_outcomes(store.connection, current.id, proposals, outcomes))
        items = "1 item" if len(bodies) == 1 else f"{len(bodies):,} items"
        current.summary = f"{items} of plan {plan_id} rejected"
    return current.id


def rejected_items(store: Store) -> Iterator[Rejected]:
    """What was rejected in plans by passes that stand, oldest pass first; also what was rejected before a pass told of
    it. What was purged from a plan is left out.

    Raises:
        IntegrityError: a plan, or a pass that rejects of it, is not as it was sealed.
    """
    rows = store.connection.execute(
        "SELECT pass_id, body, decided_by FROM planned LEFT JOIN pass AS judge ON judge.id = decided_by"
        " WHERE verdict = 'rejected' AND body <> '{}' AND judge.undone_by IS NULL"
        " ORDER BY coalesce(decided_by, pass_id), pass_id, position"
    ).fetchall()
    for plan_id in sorted({row["pass_id"] for row in rows}):
        confirm_plan(store, plan_id)
    confirm_passes(store, {row["decided_by"] for row in rows} - {None})
    for row in rows:
        (proposal,) = parse_trusted([json.loads(row["body"])])
        if proposal.mutation is not None:
            yield Rejected(row["decided_by"] or row["pass_id"], proposal.mutation)


def any_rejected(connection: sqlite3.Connection) -> bool:
    """Whether anything at all was ever rejected."""
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM planned WHERE verdict = 'rejected')").fetchone()[0])


def _told_apart(applying: Applying, plan_id: int, bodies: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Every two entities that these items, all of them together, would have made one. What is there no more, or cannot
    be told from another of its name, is left out."""
    merges = []
    for proposal in parse_trusted([dict(body) for body in bodies if body.get("op") == "merge_entities"]):
        if isinstance(proposal.mutation, model.MergeEntities):
            target = _number(applying, proposal.mutation.target)
            sources = [_number(applying, name) for name in proposal.mutation.source]
            merges += [Absorption(plan_id, one, target) for one in sources if one is not None and target is not None]
    apart = sorted({(verdict.first_id, verdict.second_id) for verdict in verdicts_on(merges, None)})
    return [(handle(ENTITY, first), handle(ENTITY, second)) for first, second in apart]


def _number(applying: Applying, reference: str) -> int | None:
    try:
        return int(applying.entity(reference)["id"])
    except Refusal:
        return None
