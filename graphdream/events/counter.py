"""How much is unread: exact token counts of session summaries, each counted once, and only what a pass read subtracted.

Recording leaves a summary uncounted, because a hook has no time to load a tokenizer; whoever first asks for the figure
counts and stores it. What is unread is measured, never kept in a counter, so it cannot drift from the summaries that
a pass is shown, as a counter did in Signet, an agent memory. Sessions of kind "dream" are material for the next pass
but no reason for one: a pass that records itself must not make the next one due.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from graphdream.errors import IntegrityError, UnwritableError
from graphdream.events.spool import waiting
from graphdream.events.transcripts import MACHINES

if TYPE_CHECKING:
    from graphdream.events.tokens import Tokenizer
    from graphdream.graph.store import Store

# Counted and stored at once: some seconds of work at most, and some megabytes of text.
_BATCH_SUMMARIES = 256
_BATCH_CHARACTERS = 4_000_000
# How long storing a figure may wait for the write lock; the answer is exact either way.
_STORE_WAIT_SECONDS = 0.02
# Of uncounted summaries, which whoever only reads counts each time anew, in some 20 ms at most: to store the figures is
# to wait for the disk.
_READ_CHARACTERS = 50_000

UNREAD_OR_HELD = "(read_by IS NULL OR read_by IN (SELECT id FROM pass WHERE undoes <> '[]'))"
"""SQL condition on a summary or an observation: no pass that stands has read it. What an undo has taken back from its
reader is held: it is read only where somebody asks for it."""
_UNREAD = "FROM summary JOIN session ON session.id = summary.session_id WHERE read_by IS NULL AND kind = 'session'"
# The plus keeps SQLite on the index of unread summaries: uncounted ones that were imported as read can be any number.
_UNCOUNTED = f"{_UNREAD} AND +tokens IS NULL"


# Sessions that nobody summed up: what people said in them stands in for a summary.
UNTOLD = (
    "SELECT DISTINCT turn.session_id FROM turn JOIN session ON session.id = turn.session_id WHERE turn.read_by IS NULL"
    f" AND kind = 'session' AND lower(speaker) NOT IN ({', '.join(repr(speaker) for speaker in MACHINES)})"
    " AND NOT EXISTS (SELECT 1 FROM summary WHERE summary.session_id = turn.session_id)"
    " AND NOT EXISTS (SELECT 1 FROM observation WHERE observation.session_id = turn.session_id)"
)


class Backlog(NamedTuple):
    """What no pass has read yet.

    Attributes:
        tokens: of the unread summaries.
        exact: False where some of them were estimated, because no tokenizer was at hand when they were counted.
        sessions: number of sessions with an unread summary or observation, or that nobody summed up.
        summaries: number of unread summaries.
        observations: number of unread observations.
        oldest: when the first of them was recorded (a stamp), None where nothing is unread.
    """

    tokens: int
    exact: bool
    sessions: int
    summaries: int
    observations: int
    oldest: str | None


def backlog(store: Store, tokenizer: Callable[[], Tokenizer] | None = None, *, reading: bool = False) -> Backlog:
    """Measure what is unread; cost follows what is unread, not the graph.

    Args:
        store: the agent's file. Summaries that have no count yet are counted, and the counts stored.
        tokenizer: gives the tokenizer, and is called only if something is uncounted; None is the process's own
            (`graphdream.events.tokens.default_tokenizer`).
        reading: write nothing, unless much is uncounted: what waits beside the file is left to others, and counts are
            not stored.
    """
    tokens = unread_tokens(store, tokenizer, reading=reading)
    connection = store.connection
    with store.reading():
        summaries, inexact = connection.execute(
            f"SELECT count(*), coalesce(sum(tokenizer LIKE 'characters/%'), 0) {_UNREAD}"
        ).fetchone()
        observations = connection.execute(
            "SELECT count(*) FROM observation JOIN session ON session.id = session_id"
            " WHERE read_by IS NULL AND kind = 'session'"
        ).fetchone()[0]
        if connection.execute(f"SELECT EXISTS (SELECT 1 {_UNCOUNTED})").fetchone()[0]:
            inexact += (tokenizer or _default_tokenizer)().name.startswith("characters/")
        sessions, oldest = connection.execute(
            f"SELECT count(DISTINCT id), min(recorded_at) FROM (SELECT session.id, summary.recorded_at {_UNREAD}"
            " UNION ALL SELECT session.id, session.recorded_at FROM observation"
            " JOIN session ON session.id = session_id WHERE read_by IS NULL AND kind = 'session'"
            f" UNION ALL SELECT id, recorded_at FROM session WHERE id IN ({UNTOLD}))"
        ).fetchone()
    return Backlog(tokens, not inexact, sessions, summaries, observations, oldest)


def unread_tokens(store: Store, tokenizer: Callable[[], Tokenizer] | None = None, *, reading: bool = False) -> int:
    """Tokens of the session summaries that no pass has read, exact at one moment; arguments as in `backlog`."""
    load = tokenizer or _default_tokenizer
    if not reading and waiting(store.path):
        from graphdream.events.record import take_in

        take_in(store, wait_seconds=_STORE_WAIT_SECONDS)
    connection = store.connection
    kept: dict[int, int] = {}
    uncounted = connection.execute(f"SELECT coalesce(sum(length(content)), 0) {_UNCOUNTED}").fetchone()[0]
    if uncounted > (_READ_CHARACTERS if reading else 0):
        kept = count_pending(store, load())
    with store.reading():
        stored: int = connection.execute(f"SELECT coalesce(sum(tokens), 0) {_UNREAD}").fetchone()[0]
        for row in connection.execute(f"SELECT summary.id, content {_UNCOUNTED}"):
            # Not kept: another process recorded it in the meantime.
            stored += kept[row[0]] if row[0] in kept else load().count(row[1])
    return stored


def count_pending(store: Store, tokenizer: Tokenizer) -> dict[int, int]:
    """Count every unread summary that has no count, and store the figures, in batches of bounded size.

    Returns:
        The figures that could not be stored, by summary id, because another process was writing or the file is
        read-only; they are as exact as the others, and are stored by a later call. Normally empty.
    """
    kept: dict[int, int] = {}
    for batch in _batches(store.connection):
        counts = tokenizer.count_many(content for _, content in batch)
        figures = {summary_id: count for (summary_id, _), count in zip(batch, counts, strict=True)}
        if kept or not _stored(store, figures, tokenizer.name):
            kept.update(figures)
    return kept


def mark_read(
    connection: sqlite3.Connection,
    pass_id: int,
    summary_ids: Iterable[int],
    observation_ids: Iterable[int] = (),
    turns: Mapping[str, int] = MappingProxyType({}),
) -> int:
    """Move the cursor: these rows, and no others, were shown to this pass. Part of the pass's own transaction.

    Args:
        turns: key of a session -> how many of its turns, from the first on, were there when it was read.

    Returns:
        Number of rows that were unread until now.
    """
    marked = 0
    for table, ids in (("summary", summary_ids), ("observation", observation_ids)):
        marked += connection.executemany(
            f"UPDATE {table} SET read_by = ? WHERE id = ? AND {UNREAD_OR_HELD}", [(pass_id, row_id) for row_id in ids]
        ).rowcount
    return marked + mark_turns_read(connection, pass_id, turns)


def mark_turns_read(connection: sqlite3.Connection, pass_id: int, turns: Mapping[str, int]) -> int:
    """Move the cursor over turns alone; arguments and answer as for `mark_read`."""
    return connection.executemany(
        f"UPDATE turn SET read_by = ? WHERE {UNREAD_OR_HELD} AND position < ?"
        " AND session_id = (SELECT id FROM session WHERE key = ?)",
        [(pass_id, number, key) for key, number in turns.items()],
    ).rowcount


def _default_tokenizer() -> Tokenizer:
    from graphdream.events.tokens import default_tokenizer

    return default_tokenizer()


def _batches(connection: sqlite3.Connection) -> Iterator[list[tuple[int, str]]]:
    """The uncounted summaries in order of id; no cursor is open while a batch is counted and stored."""
    last = 0
    while True:
        batch: list[tuple[int, str]] = []
        characters = 0
        for row in connection.execute(
            f"SELECT summary.id, content {_UNCOUNTED} AND summary.id > ? ORDER BY summary.id LIMIT ?",
            (last, _BATCH_SUMMARIES),
        ):
            batch.append((row[0], row[1]))
            characters += len(row[1])
            if characters >= _BATCH_CHARACTERS:
                break
        if not batch:
            return
        last = batch[-1][0]
        yield batch


def _stored(store: Store, figures: dict[int, int], tokenizer: str) -> bool:
    """Store figures where nobody else is writing; False where that cannot be done now."""
    connection = store.connection
    if connection.in_transaction:
        return False
    try:
        with store.patience(_STORE_WAIT_SECONDS), store.writing(graph=False):
            connection.executemany(
                "UPDATE summary SET tokens = ?, tokenizer = ? WHERE id = ? AND tokens IS NULL",
                [(count, tokenizer, summary_id) for summary_id, count in figures.items()],
            )
        return True
    except (UnwritableError, IntegrityError):  # of a file that is not as it was sealed others tell
        return False
    except sqlite3.OperationalError as fault:
        if "locked" in str(fault):
            return False
        raise
