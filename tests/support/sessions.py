"""What is on record: sessions in the order in which they took place, and what was said in one."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, NamedTuple

from graphdream.errors import NotFoundError
from graphdream.events.transcripts import Turn


class Session(NamedTuple):
    """A session's header. Times are stamps; `kind` is "session" or "dream"."""

    id: int
    key: str
    kind: str
    started_at: str | None
    ended_at: str | None
    recorded_at: str
    metadata: dict[str, Any]


class Summary(NamedTuple):
    """One summary of a session. `tokens` is None until it was counted, `read_by` until a pass has read it."""

    id: int
    session: Session
    content: str
    recorded_at: str
    tokens: int | None
    read_by: int | None


class Observed(NamedTuple):
    """One observation of a session; `evidence` are ids of turns as the transcript gives them."""

    id: int
    session: Session
    position: int
    speaker: str
    content: str
    evidence: tuple[str, ...]
    read_by: int | None


_HEADER = (
    "session.id, session.key, session.kind, session.started_at, session.ended_at, session.recorded_at, session.metadata"
)
_HEADER_COLUMNS = 7
# Sessions in the order in which they took place, as far as that is known; ids make the order the same on every run.
_IN_ORDER = "ORDER BY coalesce(session.started_at, session.ended_at, session.recorded_at), session.id"
_SUMMARIES = (
    f"SELECT {_HEADER}, summary.id, content, summary.recorded_at, tokens, read_by"
    " FROM summary JOIN session ON session.id = session_id"
)
_OBSERVATIONS = (
    f"SELECT {_HEADER}, observation.id, position, speaker, content, evidence, read_by"
    " FROM observation JOIN session ON session.id = session_id"
)


def find_session(connection: sqlite3.Connection, key: str) -> Session:
    """The session that the host calls `key`. Raises NotFoundError where none is on record."""
    row = connection.execute(f"SELECT {_HEADER} FROM session WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise NotFoundError(f"no session {key!r} is on record")
    return _session(row)


def list_sessions(connection: sqlite3.Connection, kind: str | None = None) -> list[Session]:
    """Every session in the order in which they took place; `kind` narrows them down."""
    rows = connection.execute(f"SELECT {_HEADER} FROM session WHERE ?1 IS NULL OR kind = ?1 {_IN_ORDER}", (kind,))
    return [_session(row) for row in rows]


def turns_of(connection: sqlite3.Connection, session_id: int) -> list[Turn]:
    """The turns of a session as they were spoken."""
    rows = connection.execute(
        "SELECT speaker, content, uid, said_at FROM turn WHERE session_id = ? ORDER BY position", (session_id,)
    )
    return [Turn(*row) for row in rows]


def summaries_of(connection: sqlite3.Connection, session_id: int) -> list[Summary]:
    """The summaries of a session in the order they were told."""
    rows = connection.execute(f"{_SUMMARIES} WHERE session_id = ? ORDER BY summary.id", (session_id,))
    return [_summary(row) for row in rows]


def observations_of(connection: sqlite3.Connection, session_id: int) -> list[Observed]:
    """The observations of a session in the order they were told."""
    rows = connection.execute(f"{_OBSERVATIONS} WHERE session_id = ? ORDER BY position", (session_id,))
    return [_observed(row) for row in rows]


def _session(row: sqlite3.Row) -> Session:
    header = tuple(row)[:_HEADER_COLUMNS]
    return Session._make((*header[:-1], json.loads(header[-1])))


def _summary(row: sqlite3.Row) -> Summary:
    summary_id, content, recorded_at, tokens, read_by = tuple(row)[_HEADER_COLUMNS:]
    return Summary(summary_id, _session(row), content, recorded_at, tokens, read_by)


def _observed(row: sqlite3.Row) -> Observed:
    row_id, position, speaker, content, evidence, read_by = tuple(row)[_HEADER_COLUMNS:]
    return Observed(row_id, _session(row), position, speaker, content, tuple(json.loads(evidence)), read_by)
