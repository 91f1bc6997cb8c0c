"""The rows of a session that was told: what is new of it is added, what is on record stays as it is."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from graphdream.clock import seconds_between
from graphdream.errors import ConflictError
from graphdream.events.newturns import new_turns
from graphdream.events.told import Header, Observation, Told
from graphdream.events.transcripts import Turn, storable
from graphdream.graph.sealed import BY_NAME
from graphdream.sealing.codes import blake2b

if TYPE_CHECKING:
    from graphdream.graph.store import Store
    from graphdream.graph.tombstones import Tombstones

_TOMBSTONE = BY_NAME["tombstone"].kind


class Recorded(NamedTuple):
    """What a call added; all counts are 0 where everything was on record already.

    Attributes:
        session_id: its number here; 0 for one that is not recorded.
        new_session: whether nothing was known of the session.
        summaries, turns, observations: how many were new.
        bad_lines: lines of the transcript that could not be read in full.
        faults: what was wrong with the first of them, each with its line.
        purged: a person has purged the session: it is not recorded again.
        spooled: nothing can be written just now: what was told is kept; what of it is new shows when it is taken in.
        why_spooled: why, in words.
    """

    session_id: int
    session_key: str
    new_session: bool
    summaries: int
    turns: int
    observations: int
    bad_lines: int = 0
    faults: tuple[str, ...] = ()
    purged: bool = False
    spooled: bool = False
    why_spooled: str = ""

    @property
    def anything(self) -> bool:
        """False where nothing was new."""
        return self.spooled or self.new_session or bool(self.summaries or self.turns or self.observations)


def summary_digest(content: str) -> str:
    """Name of a summary's text within its session, 32 hexadecimal digits; blanks around the text do not matter."""
    return blake2b(storable(content).strip().encode(), digest_size=16).hexdigest()


def add(store: Store, told: Told) -> Recorded:
    """Write what is new of a call, within the open transaction.

    Raises:
        ConflictError: the session is on record as one of another kind; nothing was written.
        IntegrityError: what is on record of something that was purged is not what was sealed.
    """
    key, turns, seen = told.header.key, told.turns, told.observations
    connection, purged = store.connection, _purged(store)
    if purged is not None and purged.holds("session", key):
        return Recorded(0, key, False, 0, 0, 0, purged=True)
    if purged is not None:
        turns = [turn._replace(content=purged.left_of(turn.content)) for turn in turns]
        seen = [item._replace(content=purged.left_of(item.content)) for item in seen]
    session_id, new = _put_session(connection, told.header, told.at)
    return Recorded(
        session_id,
        key,
        new,
        _add_summaries(connection, session_id, told.summaries, told.at, purged),
        _add_turns(connection, session_id, turns),
        _add_observations(connection, session_id, seen),
    )


def _put_session(connection: sqlite3.Connection, header: Header, now: str) -> tuple[int, bool]:
    row = connection.execute(
        "SELECT id, kind, started_at, ended_at, metadata FROM session WHERE key = ?", (header.key,)
    ).fetchone()
    if row is None:
        made = connection.execute(
            "INSERT INTO session (key, kind, started_at, ended_at, recorded_at, metadata) VALUES (?, ?, ?, ?, ?, ?)",
            (header.key, header.kind, header.started_at, header.ended_at, now, _json(header.metadata)),
        )
        assert made.lastrowid is not None
        return made.lastrowid, True
    session_id, kind, started, ended, metadata = row
    if kind != header.kind:
        raise ConflictError(f"session {header.key!r} is on record as a {kind}, not a {header.kind}")
    fresh = (
        _outermost(started, header.started_at, earliest=True),
        _outermost(ended, header.ended_at, earliest=False),
        _json({**json.loads(metadata), **header.metadata}),
    )
    if fresh != (started, ended, metadata):
        connection.execute(
            "UPDATE session SET started_at = ?, ended_at = ?, metadata = ? WHERE id = ?", (*fresh, session_id)
        )
    return session_id, False


def _outermost(known: str | None, told: str | None, *, earliest: bool) -> str | None:
    if known is None or told is None:
        return known or told
    told_is_later = seconds_between(known, told) > 0
    return known if told_is_later == earliest else told


def _purged(store: Store) -> Tombstones | None:
    """What must not come back; None, without a module loaded, where nothing was ever purged."""
    left = store.connection.execute("SELECT EXISTS (SELECT 1 FROM tombstone)").fetchone()[0]
    if not (left or store.seal.rows_of(_TOMBSTONE)):
        return None
    from graphdream.graph.tombstones import Tombstones

    return Tombstones(store.seal)


def _add_summaries(
    connection: sqlite3.Connection, session_id: int, summaries: Iterable[str], now: str, purged: Tombstones | None
) -> int:
    known = {row[0] for row in connection.execute("SELECT digest FROM summary WHERE session_id = ?", (session_id,))}
    new = {summary_digest(text): storable(text).strip() for text in summaries}
    rows = [
        (session_id, purged.left_of(content) if purged else content, digest, now)
        for digest, content in new.items()
        if digest not in known
    ]
    connection.executemany("INSERT INTO summary (session_id, content, digest, recorded_at) VALUES (?, ?, ?, ?)", rows)
    return len(rows)


def _add_turns(connection: sqlite3.Connection, session_id: int, turns: Sequence[Turn]) -> int:
    if not turns:
        return 0
    known = connection.execute(
        "SELECT speaker, content, uid FROM turn WHERE session_id = ? ORDER BY position", (session_id,)
    ).fetchall()
    new = new_turns([Turn(*row) for row in known], turns)
    connection.executemany(
        "INSERT INTO turn (session_id, position, uid, speaker, content, said_at) VALUES (?, ?, ?, ?, ?, ?)",
        (
            (session_id, len(known) + offset, turn.uid, turn.speaker, turn.content, turn.said_at)
            for offset, turn in enumerate(new)
        ),
    )
    return len(new)


def _add_observations(connection: sqlite3.Connection, session_id: int, observations: Iterable[Observation]) -> int:
    known = {
        row[0] for row in connection.execute("SELECT content FROM observation WHERE session_id = ?", (session_id,))
    }
    new: dict[str, Observation] = {}
    for seen in observations:
        if seen.content not in known:
            new.setdefault(seen.content, seen)
    connection.executemany(
        "INSERT INTO observation (session_id, position, speaker, content, evidence) VALUES (?, ?, ?, ?, ?)",
        (
            (session_id, len(known) + offset, seen.speaker, seen.content, _json(list(seen.evidence)))
            for offset, seen in enumerate(new.values())
        ),
    )
    return len(new)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
