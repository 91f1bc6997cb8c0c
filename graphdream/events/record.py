"""Put a session on record: what a session-end hook calls, so it is one short transaction and loads nothing heavy.

Events are append-only, and telling one twice is telling it once: a hook may fire again, with the same summary, a longer
transcript or nothing new. Tokens are counted later (`graphdream.events.counter`).

A hook does not wait for a long pass: what it tells is kept beside the database (`graphdream.events.spool`) and taken in
by whoever next records, looks at what is unread, or opens the file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from graphdream.clock import Clock, seconds_between, utc_now
from graphdream.errors import IntegrityError, UnwritableError, UsageError
from graphdream.events.adding import Recorded, add
from graphdream.events.callfaults import tried_again
from graphdream.events.patience import a_hooks_patience
from graphdream.events.spool import UnsealedCallError, discard, put_aside, read_call, refuse, waiting
from graphdream.events.takenin import note_taken_in, taken_in_at
from graphdream.events.told import (
    Header,
    Observation,
    Told,
    checked_key,
    checked_metadata,
    checked_observations,
    checked_time,
    checked_transcript,
)
from graphdream.events.transcripts import Transcript
from graphdream.observed import note, observing

if TYPE_CHECKING:
    from pathlib import Path

    from graphdream.graph.store import Store

KINDS = ("session", "dream")


class Call(NamedTuple):
    """What a call tells, checked; `bad_lines` and `faults` are those of its transcript."""

    told: Told
    bad_lines: int
    faults: tuple[str, ...]


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
            `summary`, the last one that the host wrote into the transcript is recorded.
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
    call = checked_call(
        session_key,
        summary=summary,
        transcript=transcript,
        started_at=started_at,
        ended_at=ended_at,
        observations=observations,
        metadata=metadata,
        kind=kind,
        clock=clock,
    )
    return _record(store, call)


def checked_call(
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
) -> Call:
    """What `record` would be told, checked before there is a file to write to. Args and errors as `record`."""
    key = checked_key(session_key)
    if kind not in KINDS:
        raise UsageError(f"{kind!r} is not a kind of session", f"use one of {', '.join(KINDS)}")
    started, ended = checked_time("started_at", started_at), checked_time("ended_at", ended_at)
    if not isinstance(summary, str):
        raise UsageError(f"the summary is of type {type(summary).__name__}; it should be text")
    told = checked_transcript(transcript)
    spoken = told or Transcript()
    summaries = [text for text in [summary if summary.strip() else spoken.summary] if text.strip()]
    seen = checked_observations(observations)
    if told is None and not summaries and not seen:
        raise UsageError("there is nothing to record", "give a summary, a transcript or an observation")
    times = [turn.said_at for turn in spoken.turns if turn.said_at]
    started = started or (times[0] if times else None)
    ended = ended or (times[-1] if times else None)
    if started and ended and seconds_between(started, ended) < 0 and started_at and ended_at:
        raise UsageError(f"the session ends ({ended}) before it starts ({started})")
    header = Header(key, kind, started, ended, checked_metadata(metadata))
    return Call(Told(header, summaries, spoken.turns, seen, clock()), spoken.bad_lines, spoken.faults)


@observing("record")
def record_call(store: Store, call: Call) -> Recorded:
    """Record what was checked (`checked_call`). Raises ConflictError as `record`."""
    return _record(store, call)


def _record(store: Store, call: Call) -> Recorded:
    told = call.told
    note(turns=len(told.turns), summaries=len(told.summaries), observations=len(told.observations))
    joins = store.connection.in_transaction
    recorded = add(store, told) if joins else _add_or_spool(store, told)
    return recorded._replace(bad_lines=call.bad_lines, faults=call.faults)


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
        with store.patience(wait_seconds), store.writing(graph=False):
            taken = _add_waiting(store)
    except (UnwritableError, IntegrityError):
        return 0
    except sqlite3.OperationalError as fault:
        if "locked" not in str(fault):
            raise
        return 0
    discard(taken)
    return len(taken)


def _add_or_spool(store: Store, told: Told) -> Recorded:
    try:
        with a_hooks_patience(store), store.writing(graph=False):
            taken = _add_waiting(store)
            recorded = add(store, told)
    except (sqlite3.OperationalError, UnwritableError, IntegrityError) as fault:
        if isinstance(fault, sqlite3.Error) and "locked" not in str(fault):
            raise
        why = "another program is writing" if isinstance(fault, sqlite3.Error) else str(fault)
        put_aside(store.path, told.as_text(), told.at)
        return Recorded(0, told.header.key, False, 0, 0, 0, spooled=True, why_spooled=why)
    discard(taken)
    return recorded


def _add_waiting(store: Store) -> list[Path]:
    """Write what waits; the files are for the caller to discard when it has committed."""
    taken = []
    for path in waiting(store.path):
        try:
            told = Told.read(read_call(path, store.seal))
            with store.savepoint():
                # What was taken in before is on record; only what the host said of the session could be older.
                if not taken_in_at(store, path):
                    add(store, told)
                    note_taken_in(store, path)
        except (FileNotFoundError, UnsealedCallError):
            continue  # another program has committed it, or a person has yet to say that it is ours
        except Exception as fault:
            if tried_again(fault):
                raise
            refuse(path)
        else:
            taken.append(path)
    return taken
