"""The applier: the one place that turns proposed mutations into changed rows.

Every mutation is a part of its own that can fail alone, and ends in one outcome; a bad one never blocks the rest.
The whole pass is one transaction, opened and proved by the caller. Long runs of mutations that address
rows by handle are carried out in memory and written at once (`bulk`); they end as they would have one by one.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from graphdream.errors import NotFoundError
from graphdream.graph.rows import parse_handle
from graphdream.graph.tables import ATTRIBUTE, ENTITY, LINK, Table
from graphdream.mutations import bulk
from graphdream.mutations.base import Mutation, RoleName, values_in
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying, entities_named
from graphdream.mutations.grounds import refuse_ungrounded
from graphdream.mutations.namegrounds import refuse_invented_names
from graphdream.mutations.naming import refuse_no_name
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import PURGED, Outcome, Refusal, skip
from graphdream.mutations.registry import op_of
from graphdream.mutations.rows import DirectRows, Row

_REFUSED_BY_THE_GRAPH = (sqlite3.IntegrityError, sqlite3.DataError, OverflowError, UnicodeEncodeError)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A mutation as proposed: `body` as it came, and its parsed form, or the fault for which it has none.

    `code`: of the outcome of such a fault.
    """

    body: dict[str, Any]
    mutation: Mutation | None
    fault: str = ""
    code: str = "invalid"

    @classmethod
    def of(cls, mutation: Mutation) -> Proposal:
        """A proposal made in this program."""
        return cls({"op": mutation.op, **mutation.model_dump(mode="json", exclude_defaults=True)}, mutation)


@dataclass(slots=True)
class ArchiveBudget:
    """How many active facts a pass may still archive; None: any number."""

    left: int | None = None

    def spend(self, archived: int) -> None:
        """Take what a mutation has archived off the budget; refuse it where that is too much."""
        if self.left is None:
            return
        if archived > self.left:
            raise skip("over_cap", f"it would archive {archived} facts; the pass may archive {self.left} more")
        self.left -= archived


def apply_proposals(
    applying: Applying,
    proposals: Sequence[Proposal],
    *,
    without: frozenset[int] = frozenset(),
    archive_cap: int | None = None,
) -> list[Outcome]:
    """Apply proposals in order within the open pass.

    Args:
        without: positions that are left out because recall fell with them ("harmful").
        archive_cap: how many active facts the pass may archive; beyond it, deletes are skipped ("over_cap").

    Returns:
        One outcome for each proposal, in order.
    """
    budget = ArchiveBudget(archive_cap)
    asked = (None if position in without else proposal for position, proposal in enumerate(proposals))
    outcomes: list[Outcome] = []
    for suits, group in groupby(asked, key=_suits_a_run):
        while run := list(islice(group, bulk.MOST)):
            outcomes += _apply_run(applying, run, budget, together=suits)
    return outcomes


def _suits_a_run(proposal: Proposal | None) -> bool:
    return proposal is None or proposal.mutation is None or bulk.suits(proposal.mutation)


def _apply_run(
    applying: Applying, run: Sequence[Proposal | None], budget: ArchiveBudget, *, together: bool
) -> list[Outcome]:
    """Apply proposals in order; None is left out.

    Together they are carried out in memory. Where the file refuses the result, because a unique key changes hands
    among them or a text cannot be written, the two halves are tried on their own.
    """
    if not together or len(run) < bulk.FEWEST:
        return [_apply_one(applying, proposal, budget) for proposal in run]
    left = budget.left
    shielded, ids = frozenset(applying.shielded), applying.store.ids_given
    working = WorkingRows(applying.store)
    applying.work_on(working)
    try:
        bulk.read_ahead(working, (asked.mutation for asked in run if asked is not None and asked.mutation is not None))
        outcomes = [_apply_one(applying, proposal, budget) for proposal in run]
        working.flush()
        return outcomes
    except _REFUSED_BY_THE_GRAPH:
        applying.shielded.intersection_update(shielded)
        applying.store.ids_given, budget.left = ids, left
    finally:
        applying.work_on(DirectRows(applying.store))
    middle = len(run) // 2
    return [
        *_apply_run(applying, run[:middle], budget, together=True),
        *_apply_run(applying, run[middle:], budget, together=True),
    ]


def _apply_one(applying: Applying, proposal: Proposal | None, budget: ArchiveBudget) -> Outcome:
    if proposal is None:
        return Outcome("skipped", "harmful", "recall fell with this change, or nothing stands for what it takes away")
    mutation = proposal.mutation
    if mutation is None:
        return Outcome("failed", proposal.code, proposal.fault)
    try:
        op = op_of(mutation)
        _check(applying, op, mutation)
        with applying.rows.part():
            outcome = op.handler(mutation, applying)
            budget.spend(outcome.archived)
            return outcome
    except Refusal as refusal:
        return refusal.outcome
    except _REFUSED_BY_THE_GRAPH as fault:
        return Outcome("failed", "invalid", f"the graph refuses it: {fault}")


def _check(applying: Applying, op: Op, mutation: Mutation) -> None:
    """All that is asked of a mutation before its handler begins, by what its operation declares.

    Raises:
        Refusal: who proposes it may not; a row that it would change or put away is protected; a name is none; a text is
            not grounded.
    """
    if not op.may_be_proposed_by(applying.actor):
        who = "a person" if op.by == "person" else "the host"
        raise skip("reserved", f"only {who} may {op.name.replace('_', ' ')}")
    if applying.actor != "person":
        applying.protection.counts = op.counts
        for part in op.addresses:
            if part.name in op.protects:
                for reference in values_in(mutation, part):
                    _refuse_protected(applying, part.role, reference)
    if applying.judged:
        refuse_no_name(applying, mutation)
        if applying.actor == "pass":
            refuse_ungrounded(applying, mutation)
            refuse_invented_names(applying, mutation)


_TABLES: dict[RoleName, Table] = {"entity": ENTITY, "fact": ATTRIBUTE, "link": LINK}


def _refuse_protected(applying: Applying, role: RoleName | None, reference: str) -> None:
    """Refuse where a row is active and protected. What cannot be found, or means several, is the handler's to say."""
    parsed = parse_handle(reference)
    if parsed is None:
        found: Sequence[Row] = entities_named(applying.connection, reference) if role == "entity" and reference else ()
        if len(found) == 1:
            applying.protection.refuse(ENTITY, found[0])
    elif role is not None and parsed[0] is _TABLES.get(role):
        try:
            row = applying.rows.get(*parsed)
        except NotFoundError:
            return
        if row["status"] == "active":
            applying.protection.refuse(parsed[0], row)


def record_outcomes(
    connection: sqlite3.Connection, pass_id: int, proposals: Iterable[Proposal], outcomes: Iterable[Outcome]
) -> dict[str, Any]:
    """Write every proposal with its outcome into the journal.

    Returns:
        Counts: how many were applied, skipped and failed, and how many of each reason code were not applied.
    """
    connection.executemany(
        "INSERT INTO mutation VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (pass_id, position, str(proposal.body.get("op", ""))[:64],
             "{}" if outcome.code == PURGED else _json(proposal.body), outcome.status, outcome.code, outcome.message)
            for position, (proposal, outcome) in enumerate(zip(proposals, outcomes, strict=True))
        ),
    )  # fmt: skip
    return outcome_counts(outcomes)


def outcome_counts(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """How many were applied, skipped and failed; and why not, by reason code."""
    listed = list(outcomes)
    status = Counter(outcome.status for outcome in listed)
    codes = Counter(outcome.code for outcome in listed if outcome.status != "applied")
    return {
        "applied": status["applied"], "skipped": status["skipped"], "failed": status["failed"],
        "not_applied": dict(sorted(codes.items())),
    }  # fmt: skip


_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # json.dumps would make one for each body
