"""A person's own edits: passes like any other, with a person's rights (nothing else ever writes a graph row)."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import astuple
from itertools import chain
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from graphdream.clock import Clock, utc_now
from graphdream.dream.confirmed import confirmed_by, told
from graphdream.dream.later import in_turn
from graphdream.dream.teller import Teller, actor_of
from graphdream.errors import ConflictError, GraphdreamError, NotFoundError, UsageError, quoted
from graphdream.graph.nearnames import hint_of_entity
from graphdream.graph.rows import parse_handle
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE
from graphdream.journal.mergerecord import CONFIRMED
from graphdream.journal.passes import OpenPass, PassHeader, open_pass
from graphdream.journal.verdicts import reject
from graphdream.mutations.applier import Proposal, apply_proposals, record_outcomes
from graphdream.mutations.context import Applying
from graphdream.mutations.model import Mutation, SplitEntity, SupersedeAttribute
from graphdream.mutations.outcome import PURGED, Outcome
from graphdream.mutations.registry import typed

_ERRORS: dict[str, type[GraphdreamError]] = {
    "not_found": NotFoundError, "ambiguous": ConflictError, "invalid": UsageError, "bad_name": UsageError,
}  # fmt: skip

# Skipped in a pass, refused to an agent: it asked for this very thing.
_REFUSED = frozenset({"pinned", "constraint", "authority", "reserved", "forgotten", PURGED, "distinct"})


class EditResult(NamedTuple):
    """What became of a person's edits: id of the pass, None where the graph was so already; an outcome for each."""

    pass_id: int | None
    outcomes: list[Outcome]


def edit(
    store: Store,
    mutations: Sequence[Mutation | Mapping[str, Any]],
    *,
    summary: str = "",
    by: Teller = "user",
    clock: Clock = utc_now,
) -> EditResult:
    """Apply a person's mutations, all of them or none.

    Args:
        mutations: typed (`graphdream.mutations.model`), or as objects with `op` (docs/mutations.md).
        by: who asks. An agent may not do what only a person may, nor take away what a person told; what it adds was
            observed.

    Raises:
        NotFoundError, ConflictError, UsageError: one of them cannot be done, or is none; nothing was changed.
    """
    asked = [_typed(at, mutation) for at, mutation in enumerate(mutations, 1)]
    if by == "user":
        asked = [_in_its_words(store, mutation) for mutation in asked]
    proposals = [Proposal.of(mutation) for mutation in asked]
    outcomes: list[Outcome] = []
    actor, now = actor_of(by), clock()
    trigger = "person" if by == "user" else by
    confirmed = confirmed_by(store.connection, asked) if by == "user" else {}
    inputs = {"now": now, **({CONFIRMED: sorted(chain.from_iterable(confirmed.values()))} if confirmed else {})}
    header = PassHeader("edit", trigger=trigger, options={"by": by}, inputs=inputs)
    part = store.savepoint() if store.connection.in_transaction else nullcontext()
    try:
        with part, open_pass(store, header, clock=clock, writing=in_turn) as current:
            applying = Applying(store, actor, now, derived=False)
            outcomes = apply_proposals(applying, proposals)
            for proposal, outcome in zip(proposals, outcomes, strict=True):
                if outcome.status == "failed" or outcome.code in _REFUSED:
                    hint = _hint(store, proposal, outcome)
                    raise _ERRORS.get(outcome.code, ConflictError)(outcome.message, hint)
            if all(outcome.status != "applied" for outcome in outcomes) and not confirmed:
                raise _NothingChanged
            current.counts.update(record_outcomes(store.connection, current.id, proposals, outcomes))
            if by == "user":
                _judge_splits(store, current, proposals, outcomes)
            outcomes = [told(one, confirmed[at]) if at in confirmed else one for at, one in enumerate(outcomes)]
            current.summary = summary or "; ".join(outcome.message for outcome in outcomes)[:500]
    except _NothingChanged:
        return EditResult(None, outcomes)
    return EditResult(current.id, outcomes)


def _hint(store: Store, proposal: Proposal, outcome: Outcome) -> str:
    """Which entity may have been meant, where the name of one leads nowhere."""
    named = (value if isinstance(value, list) else [value] for value in proposal.body.values())
    for name in chain.from_iterable(named):
        if outcome.code == "not_found" and isinstance(name, str) and f"called {quoted(name)}" in outcome.message:
            return hint_of_entity(store.connection, name)
    return ""


def _typed(at: int, mutation: Mutation | Mapping[str, Any]) -> Mutation:
    if isinstance(mutation, BaseModel):
        return mutation
    if not isinstance(mutation, Mapping):
        said = f"edit {at} is of type {type(mutation).__name__}; it should be an object with `op`"
        raise UsageError(said, "docs/mutations.md lists every op with its fields")
    try:
        return typed(dict(mutation))
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(map(str, first["loc"]))
        said = f"edit {at} cannot be read: {where + ': ' if where else ''}{first['msg']}"
        raise UsageError(said, "docs/mutations.md lists every op with its fields") from fault


def _in_its_words(store: Store, mutation: Mutation) -> Mutation:
    """A person's word that a fact replaces one of another entity, as a line of a page of a diary does: its words take
    over there, and it stays where it was told."""
    if not isinstance(mutation, SupersedeAttribute):
        return mutation
    old, new = (_fact(store, reference) for reference in (mutation.old, mutation.new))
    if old is None or new is None or old["entity_id"] == new["entity_id"]:
        return mutation
    return mutation.model_copy(update={"new": new["content"], "session": new["session_key"] or ""})


def _fact(store: Store, reference: str) -> sqlite3.Row | None:
    """The active fact of a handle, with its entity; None where it is no handle, or of no such fact."""
    parsed = parse_handle(reference)
    if parsed is None or parsed[0] is not ATTRIBUTE:
        return None
    found: sqlite3.Row | None = store.connection.execute(
        "SELECT content, session_key, entity_id FROM attribute JOIN aspect ON aspect.id = aspect_id"
        " WHERE attribute.id = ? AND attribute.status = 'active'",
        (parsed[1],),
    ).fetchone()
    return found


def _judge_splits(store: Store, current: OpenPass, proposals: Sequence[Proposal], outcomes: Sequence[Outcome]) -> None:
    """Remember what splits say about the merges that had made one of several."""
    splits = [
        proposal.mutation
        for proposal, outcome in zip(proposals, outcomes, strict=True)
        if isinstance(proposal.mutation, SplitEntity) and outcome.status == "applied"
    ]
    if splits:
        from graphdream.dream.splits import judged_by
        from graphdream.journal.soundness import confirm_journal

        confirm_journal(store)  # it tells who was merged with whom
        verdicts = sorted({verdict for split in splits for verdict in judged_by(store.connection, split)}, key=astuple)
        reject(store.connection, current.id, verdicts)
        current.counts["merges rejected"] = sum(verdict.direct for verdict in verdicts)


class _NothingChanged(Exception):
    """Ends a pass in which every edit was true already."""
