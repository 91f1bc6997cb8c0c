"""Passes as they are told to somebody: of one that is not as it was sealed, nothing but its number is told.

It stays in its place in a list, marked, and is named in `store.seal.left_out`, so that nobody counts a pass less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphdream.graph.store import Store
from graphdream.journal.passes import get_pass, list_passes, mutations_of, newest_passes
from graphdream.journal.soundness import wrong_among

NOT_AS_SEALED = "not as it was sealed: nothing of it is told"
_BARE: dict[str, Any] = {
    **dict.fromkeys(("tokens_in", "tokens_out", "tokens_cached", "duration_ms", "first_change", "last_change"), 0),
    **dict.fromkeys(("finished_at", "cost", "undone_by")),
    "options": {}, "inputs": {}, "counts": {}, "undoes": [],
}  # fmt: skip
"""What columns of a pass of which nothing is told hold; all others are empty texts."""


def told_pass(store: Store, pass_id: int) -> dict[str, Any]:
    """One pass. Raises as `get_pass`."""
    with store.reading():
        return _told(store, [get_pass(store.connection, pass_id)])[0]


def told_passes(store: Store) -> list[dict[str, Any]]:
    """Every pass, oldest first; the cost follows what they changed."""
    with store.reading():
        return _told(store, list_passes(store.connection))


def told_newest(store: Store, *, offset: int, limit: int) -> list[dict[str, Any]]:
    """Some passes, newest first; the cost follows what these changed."""
    with store.reading():
        return _told(store, newest_passes(store.connection, offset=offset, limit=limit))


def told_mutations(store: Store, pass_id: int) -> list[dict[str, Any]]:
    """The mutations of a pass, in the order proposed; none of a pass that is not as it was sealed. Raises as
    `get_pass`."""
    with store.reading():
        get_pass(store.connection, pass_id)
        return [] if forged_among(store, [pass_id]) else mutations_of(store.connection, pass_id)


def forged_among(store: Store, passes: Sequence[int]) -> set[int]:
    """Which of some passes are not as they were sealed; they are noted in `store.seal.left_out`. Within the transaction
    that reads them."""
    wrong = set(wrong_among(store, passes))
    store.seal.left_out.update(f"pass {pass_id}" for pass_id in wrong)
    return wrong


def _told(store: Store, passes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    wrong = forged_among(store, [one["id"] for one in passes])
    return [_marked(one) if one["id"] in wrong else one for one in passes]


def _marked(record: dict[str, Any]) -> dict[str, Any]:
    bare = {column: _BARE.get(column, "") for column in record}
    return bare | {"id": record["id"], "error": NOT_AS_SEALED}
