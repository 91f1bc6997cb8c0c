"""What dreaming remembers of itself between passes: the last one, and failures in a row."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from graphdream.graph.sealed import BY_NAME
from graphdream.graph.sealread import is_sound_row

if TYPE_CHECKING:
    from graphdream.graph.store import Store

_MAX_ERROR_CHARACTERS = 2_000


class DreamState(NamedTuple):
    """The row `dream_state`. Times are stamps.

    Attributes:
        last_pass_id: the last pass that was applied, None before the first.
        last_pass_at: when it was.
        last_mode: mode of that pass, "compact" or "incremental".
        last_checked_at: when a pass last found nothing to do.
        consecutive_failures: passes that failed since one last ended well.
        last_failure_at: when the last of them failed.
        last_error: what it failed of.
    """

    last_pass_id: int | None = None
    last_pass_at: str | None = None
    last_mode: str | None = None
    last_checked_at: str | None = None
    consecutive_failures: int = 0
    last_failure_at: str | None = None
    last_error: str | None = None

    @property
    def ever_ended_well(self) -> bool:
        """False until a first pass was applied or found nothing to do."""
        return self.last_pass_at is not None or self.last_checked_at is not None


def read_state(connection: sqlite3.Connection) -> DreamState:
    """The state as it is now."""
    row = connection.execute(f"SELECT {', '.join(DreamState._fields)} FROM dream_state WHERE id = 1").fetchone()
    return DreamState(*row)


def told_state(store: Store) -> DreamState:
    """The state as it is now, for what is told of it or begun by it; one that is not as it was sealed says nothing, and
    is noted in `store.seal.left_out`."""
    with store.reading():
        if not is_sound_row(store.seal, BY_NAME["dream_state"], 1):
            store.seal.left_out.add("dream_state 1")
            return DreamState()
        return read_state(store.connection)


def succeeded(store: Store, *, pass_id: int, mode: str, now: str) -> None:
    """A pass was applied. Called in its own transaction, so that it is remembered if and only if it happened."""
    with store.joining():
        store.connection.execute(
            "UPDATE dream_state SET last_pass_id = ?, last_pass_at = ?, last_mode = ?, consecutive_failures = 0,"
            " last_error = NULL WHERE id = 1",
            (pass_id, now, mode),
        )


def nothing_to_do(store: Store, *, now: str) -> None:
    """A pass ran and found nothing to do: an end as good as any, and the maximum interval counts from it. The last pass
    that was applied stays what it was."""
    with store.joining():
        store.connection.execute(
            "UPDATE dream_state SET last_checked_at = ?, consecutive_failures = 0, last_error = NULL WHERE id = 1",
            (now,),
        )


def failed(store: Store, error: str, *, now: str) -> None:
    """A pass failed, one more in a row. Called after its transaction was rolled back."""
    with store.joining():
        store.connection.execute(
            "UPDATE dream_state SET consecutive_failures = consecutive_failures + 1, last_failure_at = ?,"
            " last_error = ? WHERE id = 1",
            (now, error[:_MAX_ERROR_CHARACTERS]),
        )
