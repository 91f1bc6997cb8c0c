"""Put a session on record: what a session-end hook calls, so it is one short transaction and loads nothing heavy.

Events are append-only, and telling one twice is telling it once: a hook may fire again, with the same summary, a longer
transcript or nothing new. Tokens are counted later (`graphdream.events.counter`).

A hook does not wait for a long pass: what it tells is kept beside the database (`graphdream.events.spool`) and taken in
by whoever next records, looks at what is unread, or opens the file.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from graphdream.clock import Clock, seconds_between, stamp, utc_now
from graphdream.errors import ConflictError, IntegrityError, UnwritableError, UsageError
from graphdream.events.patience import a_hooks_patience
from graphdream.events.spool import UnsealedCallError, discard, put_aside, read_call, refuse, waiting
from graphdream.events.transcripts import Transcript, Turn, read_transcript, storable, transcript_of
from graphdream.observed import note, observing

if TYPE_CHECKING:
    from pathlib import Path

    from graphdream.graph.store import Store
    from graphdream.graph.tombstones import Tombstones

KINDS = ("session", "dream")
MAX_KEY_CHARACTERS = 512


class Observation(NamedTuple):
    """One thing that was observed in a session; `evidence` are the transcript's ids of the turns it rests on."""

    content: str
    speaker: str = ""
    evidence: tuple[str, ...] = ()


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


@observing("record")
def record(
    store: Store,
    session_key: str,
    *,
    summary: str = "",
    transcript: Transcript | str | os.PathLike[str] | Iterable[Mapping[str, Any]] | None = None,
    started_at: str | None = None,
    ended_at: str | None = None,
    observations: Iterable[Observation | Mapping[str, Any] | str] = (),
    metadata: Mapping[str, Any] | None = None,
    kind: str = "session",
    clock: Clock = utc_now,
) -> Recorded:
    """Record a session, or what is new of one that is on record.

    Within a write transaction of the caller it becomes part of that one, else it makes its own, which also takes in
    what waits from earlier calls; where another program writes for longer than a hook waits, it is kept beside the
    file.

    Args:
        store: the agent's file.
        session_key: the host's own id of the session.
        summary: what the session was about. A second one with other words is a further summary of the session.
        transcript: the path of a file to read, a parsed one, or objects in the shapes of a file's lines. Turns that are
            on record are not added again, so the whole transcript may be given each time, or just its end. Without
            `summary`, the summaries that the host wrote into the transcript are recorded.
        started_at: any ISO 8601 date or time; without it, the first turn's. The earliest one told is kept.
        ended_at: likewise the latest.
        observations: sentences, or with their speaker and turns; a mapping has `content` (or `text`), and may have
            `speaker` and `evidence`.
        metadata: JSON object of the host's choice; a later call adds to it, and wins where both name a key.
        kind: "session", or "dream" for a pass that records itself; those never make the next pass due.
        clock: gives the time of recording.

    Returns:
        What was added.

    Raises:
        UsageError: the key is blank or too long, a time is none or before the start, there is nothing to record, the
            metadata is not JSON, or the transcript cannot be read.
        NotFoundError: there is no transcript at the path.
        ConflictError: the session is on record as one of another kind.
    """
    key = _checked_key(session_key)
    if kind not in KINDS:
        raise UsageError(f"{kind!r} is not a kind of session", f"use one of {', '.join(KINDS)}")
    started, ended = _checked_time("started_at", started_at), _checked_time("ended_at", ended_at)
    told = _transcript(transcript)
    spoken = told or Transcript()
    summaries = [text for text in ([summary] if summary.strip() else spoken.summaries) if text.strip()]
    seen = [_checked_observation(given) for given in observations]
    if told is None and not summaries and not seen:
        raise UsageError("there is nothing to record", "give a summary, a transcript or an observation")
    times = [turn.said_at for turn in spoken.turns if turn.said_at]
    started = started or (times[0] if times else None)
    ended = ended or (times[-1] if times else None)
    if started and ended and seconds_between(started, ended) < 0 and started_at and ended_at:
        raise UsageError(f"the session ends ({ended}) before it starts ({started})")
    note(turns=len(spoken.turns), summaries=len(summaries), observations=len(seen))
    header = _Header(key, kind, started, ended, _checked_metadata(metadata))
    said = _Told(header, summaries, spoken.turns, seen, clock())
    joins = store.connection.in_transaction
    recorded = _put(store.connection, said) if joins else _put_or_spool(store, said)
    return recorded._replace(bad_lines=spoken.bad_lines, faults=spoken.faults)


def take_in(store: Store, *, wait_seconds: float = 0.0) -> int:
    """Record what waits beside the file, oldest first.

    Args:
        wait_seconds: how long to wait for another program that writes; after that it is left for the next time.

    Returns:
        Number of calls that were taken in.
    """
    if store.connection.in_transaction or not waiting(store.path):
        return 0
    try:
        with store.patience(wait_seconds), store.writing():
            taken = _put_waiting(store)
    except (UnwritableError, IntegrityError):
        return 0
    except sqlite3.OperationalError as fault:
        if "locked" not in str(fault):
            raise
        return 0
    discard(taken)
    return len(taken)


class _Told(NamedTuple):
    """A call, checked: all that is written of it."""

    header: _Header
    summaries: Sequence[str]
    turns: Sequence[Turn]
    observations: Sequence[Observation]
    at: str

    @classmethod
    def read(cls, text: str) -> _Told:
        """A call that was put aside. Raises ValueError or TypeError where the text is none."""
        header, summaries, turns, observations, at = json.loads(text)
        seen = [Observation(content, speaker, tuple(evidence)) for content, speaker, evidence in observations]
        return cls(_Header(*header), summaries, [Turn(*turn) for turn in turns], seen, at)


def _put_or_spool(store: Store, told: _Told) -> Recorded:
    try:
        with a_hooks_patience(store), store.writing():
            taken = _put_waiting(store)
            recorded = _put(store.connection, told)
    except (sqlite3.OperationalError, UnwritableError, IntegrityError) as fault:
        if isinstance(fault, sqlite3.Error) and "locked" not in str(fault):
            raise
        why = "another program is writing" if isinstance(fault, sqlite3.Error) else str(fault)
        put_aside(store.path, json.dumps(told), told.at)
        return Recorded(0, told.header.key, False, 0, 0, 0, spooled=True, why_spooled=why)
    discard(taken)
    return recorded


def _put_waiting(store: Store) -> list[Path]:
    """Write what waits; the files are for the caller to discard when it has committed."""
    taken = []
    for path in waiting(store.path):
        try:
            told = _Told.read(read_call(path, store.seal))
            with store.savepoint():
                _put(store.connection, told)
        except (FileNotFoundError, UnsealedCallError):
            continue  # another program has committed it, or a person has yet to say that it is ours
        except sqlite3.OperationalError:
            raise  # the database's own fault, not the call's
        except (
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            OverflowError,
            RecursionError,
            ConflictError,
            sqlite3.Error,
        ):
            refuse(path)
        else:
            taken.append(path)
    return taken


def _put(connection: sqlite3.Connection, told: _Told) -> Recorded:
    """Write a call within the open transaction. Raises ConflictError before anything is written."""
    key, turns, seen = told.header.key, told.turns, told.observations
    purged = _purged(connection)
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


class _Header(NamedTuple):
    key: str
    kind: str
    started_at: str | None
    ended_at: str | None
    metadata: dict[str, Any]


def _checked_key(given: str) -> str:
    key = storable(given).strip()
    if not key:
        raise UsageError("the session has no id", "give the id that the host calls it by")
    if len(key) > MAX_KEY_CHARACTERS:
        raise UsageError(f"the session's id has {len(key):,} characters; at most {MAX_KEY_CHARACTERS} are allowed")
    return key


def _checked_time(name: str, given: str | None) -> str | None:
    if not given:
        return None
    try:
        return stamp(given)
    except ValueError:
        raise UsageError(f"{name}: {given!r} is not a time", "write 2026-04-01T09:30:00Z or 2026-04-01") from None


def _transcript(
    given: Transcript | str | os.PathLike[str] | Iterable[Mapping[str, Any]] | None,
) -> Transcript | None:
    if given is None or isinstance(given, Transcript):
        return given
    return read_transcript(given) if isinstance(given, str | os.PathLike) else transcript_of(given)


def _checked_observation(given: Observation | Mapping[str, Any] | str) -> Observation:
    if isinstance(given, str):
        observation = Observation(given)
    elif isinstance(given, Observation):
        observation = given
    else:
        text, speaker, evidence = given.get("content") or given.get("text"), given.get("speaker"), given.get("evidence")
        if not isinstance(text, str) or not isinstance(evidence or [], list | tuple):
            raise UsageError(f"{str(dict(given))[:80]} is not an observation", "it has `content`, speaker, [evidence]")
        observation = Observation(text, str(speaker or ""), tuple(map(str, evidence or ())))
    content = storable(observation.content).strip()
    if not content:
        raise UsageError("an observation is blank")
    return Observation(content, storable(observation.speaker), tuple(map(storable, observation.evidence)))


def _checked_metadata(given: Mapping[str, Any] | None) -> dict[str, Any]:
    try:
        parsed = json.loads(json.dumps(dict(given or {}), allow_nan=False))
    except (TypeError, ValueError) as fault:
        raise UsageError(f"the metadata is not JSON: {fault}") from None
    return dict(parsed)


def _put_session(connection: sqlite3.Connection, header: _Header, now: str) -> tuple[int, bool]:
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


def _purged(connection: sqlite3.Connection) -> Tombstones | None:
    """What must not come back; None, without a module loaded, where nothing was ever purged."""
    if not connection.execute("SELECT EXISTS (SELECT 1 FROM tombstone)").fetchone()[0]:
        return None
    from graphdream.graph.tombstones import Tombstones

    return Tombstones(connection)


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


def new_turns(known: Sequence[Turn], told: Sequence[Turn]) -> list[Turn]:
    """Those turns of a transcript that are not on record.

    Where every turn told has an id, the ids decide. Otherwise the turns' words do: the transcript may be the one on
    record or any stretch of it (nothing is new), go on from it, or repeat its end and go on; one that was rewritten is
    taken from where it parts from the record.

    Returns:
        The new turns in their order. Time is linear in the number of turns.
    """
    if all(turn.uid is not None for turn in told):
        ids = {turn.uid for turn in known}
        fresh = []
        for turn in told:
            if turn.uid not in ids:
                ids.add(turn.uid)
                fresh.append(turn)
        return fresh
    record = [(turn.speaker, turn.content) for turn in known]
    words = [(turn.speaker, turn.content) for turn in told]
    overlap = _overlap(record, words)
    common = next((i for i, pair in enumerate(zip(record, words, strict=False)) if pair[0] != pair[1]), None)
    if common is None:
        common = min(len(record), len(words))
    return list(told[max(overlap, common) :])


def _overlap(record: Sequence[tuple[str, str]], words: Sequence[tuple[str, str]]) -> int:
    """How many turns from the start of `words` the record has: all where it holds them in a row, else what it ends in.

    Source: Knuth, Morris and Pratt, "Fast pattern matching in strings", SIAM J. Comput. 6, 1977.
    """
    fallback = [0] * len(words)
    length = 0
    for i in range(1, len(words)):
        while length and words[i] != words[length]:
            length = fallback[length - 1]
        length += words[i] == words[length]
        fallback[i] = length
    matched = 0
    for turn in record:
        while matched and turn != words[matched]:
            matched = fallback[matched - 1]
        matched += turn == words[matched]
        if matched == len(words):
            return matched
    return matched


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
