"""The applier: the one place that turns proposed mutations into changed rows.

Every mutation is a part of its own that can fail alone, and ends in one outcome; a bad one never blocks the rest
(FEATURES G8). The whole pass is one transaction, opened and proved by the caller. Long runs of mutations that address
rows by handle are carried out in memory and written at once (`bulk`); they end as they would have one by one.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from graphdream.mutations import aspects, bulk, entities, facts, links, model, restore
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import PURGED, Outcome, Refusal, skip

Handler = Callable[[Any, Applying], Outcome]

HANDLERS: dict[str, Handler] = {
    "create_entity": entities.create_entity,
    "merge_entities": entities.merge_entities,
    "delete_entity": entities.delete_entity,
    "update_aspect": facts.update_aspect,
    "delete_aspect": aspects.delete_aspect,
    "supersede_attribute": facts.supersede_attribute,
    "create_attribute": facts.create_attribute,
    "delete_attribute": facts.delete_attribute,
    "rename_entity": entities.rename_entity,
    "retype_entity": entities.retype_entity,
    "split_entity": entities.split_entity,
    "merge_aspects": aspects.merge_aspects,
    "merge_attributes": facts.merge_attributes,
    "move_attribute": facts.move_attribute,
    "reinforce_attribute": facts.reinforce_attribute,
    "link": links.link,
    "unlink": links.unlink,
    "merge_links": links.merge_links,
    "add_alias": entities.add_alias,
    "mark_distinct": entities.mark_distinct,
    "flag_contradiction": facts.flag_contradiction,
    "resolve_contradiction": facts.resolve_contradiction,
    "restore": restore.restore,
    "decay": facts.decay,
    "promote": facts.promote,
    "pin": entities.pin,
    "unpin": entities.unpin,
    "mark_constraint": facts.mark_constraint,
}

_REFUSED_BY_THE_GRAPH = (sqlite3.IntegrityError, sqlite3.DataError, OverflowError, UnicodeEncodeError)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A mutation as proposed: `body` as it came, and its parsed form, or the fault for which it has none.

    `code`: of the outcome of such a fault.
    """

    body: dict[str, Any]
    mutation: model.Proposable | model.Reserved | None
    fault: str = ""
    code: str = "invalid"

    @classmethod
    def of(cls, mutation: model.Proposable | model.Reserved) -> Proposal:
        """A proposal made in this program."""
        return cls({"op": mutation.op, **mutation.model_dump(mode="json", exclude_defaults=True)}, mutation)


@dataclass(slots=True)
class ArchiveBudget:
    """How many active facts a pass may still archive (FEATURES E13); None: any number."""

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
        run = list(group)
        step = bulk.MOST if suits else len(run)
        for start in range(0, len(run), step):
            outcomes += _apply_run(applying, run[start : start + step], budget, together=suits)
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
    direct, left = applying.rows, budget.left
    shielded, ids = frozenset(applying.shielded), applying.store.ids_given
    working = applying.rows = WorkingRows(applying.store)
    try:
        bulk.read_ahead(working, (asked.mutation for asked in run if asked is not None and asked.mutation is not None))
        outcomes = [_apply_one(applying, proposal, budget) for proposal in run]
        working.flush()
        return outcomes
    except _REFUSED_BY_THE_GRAPH:
        applying.shielded.intersection_update(shielded)
        applying.store.ids_given, budget.left = ids, left
    finally:
        applying.rows = direct
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
        _guard_reserved(applying, mutation)
        with applying.rows.part():
            outcome = HANDLERS[mutation.op](mutation, applying)
            budget.spend(outcome.archived)
            return outcome
    except Refusal as refusal:
        return refusal.outcome
    except _REFUSED_BY_THE_GRAPH as fault:
        return Outcome("failed", "invalid", f"the graph refuses it: {fault}")


def _guard_reserved(applying: Applying, mutation: model.Proposable | model.Reserved) -> None:
    if mutation.op in model.PERSON_ONLY and applying.actor != "person":
        raise skip("reserved", f"only a person may {mutation.op.replace('_', ' ')}")
    if mutation.op in model.HOST_ONLY and applying.actor == "pass":
        raise skip("reserved", f"only the host may {mutation.op}")


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
