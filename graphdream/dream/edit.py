"""A person's own edits: passes like any other, with a person's rights (nothing else ever writes a graph row)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from graphdream.clock import Clock, utc_now
from graphdream.errors import ConflictError, GraphdreamError, NotFoundError, UsageError
from graphdream.graph.store import Store
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.mutations.applier import Proposal, apply_proposals, record_outcomes
from graphdream.mutations.context import Applying
from graphdream.mutations.model import ADAPTER, Proposable, Reserved
from graphdream.mutations.outcome import Outcome

_ERRORS: dict[str, type[GraphdreamError]] = {
    "not_found": NotFoundError, "ambiguous": ConflictError, "invalid": UsageError, "bad_name": UsageError,
}  # fmt: skip


class EditResult(NamedTuple):
    """What became of a person's edits: id of the pass, None where the graph was so already; an outcome for each."""

    pass_id: int | None
    outcomes: list[Outcome]


def edit(
    store: Store,
    mutations: Sequence[Proposable | Reserved | Mapping[str, Any]],
    *,
    summary: str = "",
    clock: Clock = utc_now,
) -> EditResult:
    """Apply a person's mutations, all of them or none.

    Args:
        mutations: typed (`graphdream.mutations.model`), or as objects with `op` (docs/mutations.md).

    Raises:
        NotFoundError, ConflictError, UsageError: one of them cannot be done, or is none; nothing was changed.
    """
    proposals = [Proposal.of(_typed(at, mutation)) for at, mutation in enumerate(mutations, 1)]
    outcomes: list[Outcome] = []
    now = clock()
    try:
        with open_pass(store, PassHeader("edit", trigger="person", inputs={"now": now}), clock=clock) as current:
            applying = Applying(store, "person", now, derived=False)
            outcomes = apply_proposals(applying, proposals)
            for outcome in outcomes:
                if outcome.status == "failed":
                    raise _ERRORS.get(outcome.code, ConflictError)(outcome.message)
            if all(outcome.status != "applied" for outcome in outcomes):
                raise _NothingChanged
            current.counts.update(record_outcomes(store.connection, current.id, proposals, outcomes))
            current.summary = summary or "; ".join(outcome.message for outcome in outcomes)[:500]
    except _NothingChanged:
        return EditResult(None, outcomes)
    return EditResult(current.id, outcomes)


def _typed(at: int, mutation: Proposable | Reserved | Mapping[str, Any]) -> Proposable | Reserved:
    if not isinstance(mutation, Mapping):
        return mutation
    try:
        return ADAPTER.validate_python(dict(mutation))
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(map(str, first["loc"]))
        said = f"edit {at} cannot be read: {where + ': ' if where else ''}{first['msg']}"
        raise UsageError(said, "docs/mutations.md lists every op with its fields") from fault


class _NothingChanged(Exception):
    """Ends a pass in which every edit was true already."""
