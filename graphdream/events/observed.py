"""What happened beside the talk: feedback, uses of skills, recorded executions, calls of tools, readings.

Each kind of event is one model. What is told twice is one event: by the id that the host gives, else by a digest of
what was told. Lines that cannot be taken are told by number, and the others are taken all the same.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from typing import Annotated, Any, BinaryIO, Literal, NamedTuple, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from graphdream.bounded import lines
from graphdream.clock import Clock, seconds_between, stamp, utc_now
from graphdream.errors import UsageError
from graphdream.events.record import record
from graphdream.events.transcripts import MAX_LINE_BYTES, Transcript, Turn, storable
from graphdream.graph.store import Store
from graphdream.graph.tombstones import Tombstones

FEEDBACK = ("correction", "thumbs-up", "thumbs-down", "summary", "tool-failure")
OLDEST = "1990-01-01T00:00:00Z"  # before it no agent ran: such a time comes from a clock that was not set
AHEAD_SECONDS = 86_400.0  # how far the clocks of two machines may differ, time zones that were forgotten included
MAX_FAULTS_TOLD = 100
_BATCH = 500  # lines in one transaction: a hook that records meanwhile waits for milliseconds

FeedbackKind = Literal["correction", "thumbs-up", "thumbs-down", "summary", "tool-failure"]


class _Event(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(default="", max_length=512, description="the host's own id; told again, it is the same event")
    session: str = Field(default="", max_length=512, description="key of the session")
    at: str = Field(default="", description="when it happened, ISO 8601; default: now")


class TurnEvent(_Event):
    """A turn of a session."""

    kind: Literal["turn"]
    session: str = Field(min_length=1, max_length=512)
    role: str = Field(default="", description="who spoke")
    content: str = Field(min_length=1)


class SessionEvent(_Event):
    """What a session was about."""

    kind: Literal["session"]
    session: str = Field(min_length=1, max_length=512)
    summary: str = Field(min_length=1)
    started_at: str = ""
    ended_at: str = ""


class FeedbackEvent(_Event):
    """What a person, or the host, says of a session."""

    kind: Literal["feedback"]
    feedback: FeedbackKind = Field(description="of `summary`, the text says how it went, such as poor, fair or good")
    content: str = ""
    detail: str = ""
    skill: str = Field(default="", description="the skill that it is about")


class SkillUseEvent(_Event):
    """A skill was used."""

    kind: Literal["skill-use"]
    skill: str = Field(min_length=1)
    outcome: Literal["", "ok", "failed"] = ""
    detail: str = ""


class ExecutionEvent(_Event):
    """A recorded run of several steps, of anything."""

    kind: Literal["execution"]
    description: str = Field(min_length=1, description="what it is a run of; runs of one description are compared")
    outcome: Literal["ok", "failed"]
    steps: tuple[str, ...] = ()
    failed_step: str = ""
    category: str = Field(default="", description="of the failure: structural, external, data, judgment, ...")
    error: str = ""
    skill: str = Field(default="", description="the skill that it came from")
    duration_ms: int = Field(default=0, ge=0)
    retry_of: str = ""


class ToolCallEvent(_Event):
    """A tool was called."""

    kind: Literal["tool-call"]
    tool: str = Field(min_length=1)
    outcome: Literal["", "ok", "failed"] = ""
    domain: str = Field(default="", description="what confidence it counts for; default: the tool")
    arguments: dict[str, Any] = Field(default_factory=dict)
    error: str = ""


class ReadingEvent(_Event):
    """A value that a refresh provider read."""

    kind: Literal["reading"]
    entity: str = Field(min_length=1)
    aspect: str = Field(min_length=1)
    value: str
    source: str = ""


Event = Annotated[
    TurnEvent | SessionEvent | FeedbackEvent | SkillUseEvent | ExecutionEvent | ToolCallEvent | ReadingEvent,
    Field(discriminator="kind"),
]
EVENTS: tuple[type[_Event], ...] = (
    TurnEvent, SessionEvent, FeedbackEvent, SkillUseEvent, ExecutionEvent, ToolCallEvent, ReadingEvent,
)  # fmt: skip
_ADAPTER: TypeAdapter[Any] = TypeAdapter(Event)
_NAMES = ("feedback", "description", "tool", "entity", "skill")  # the first of these that an event has is its name


class Observed(NamedTuple):
    """One event, as it is on record. `ok` is None where nobody said how it went."""

    id: int
    kind: str
    session: str
    name: str
    ok: bool | None
    at: str
    body: Mapping[str, Any]

    def text(self, field: str) -> str:
        """A field of what was told, "" where it was not."""
        return str(self.body.get(field, ""))


@dataclass(slots=True)
class ObserveReport:
    """What came of telling events.

    Attributes:
        added: kind of event -> how many were new.
        known: how many were on record already.
        bad_lines: how many could not be taken; `faults` says of the first of them why, each with its line from 1.
        purged: events of sessions that a person has purged; they are not recorded again.
    """

    added: dict[str, int] = field(default_factory=dict)
    known: int = 0
    bad_lines: int = 0
    faults: list[str] = field(default_factory=list)
    purged: int = 0

    def refuse(self, line: int, why: str) -> None:
        """Take note of a line that cannot be taken."""
        self.bad_lines += 1
        if len(self.faults) < MAX_FAULTS_TOLD:
            self.faults.append(f"line {line}: {why}")

    def add(self, kind: str, number: int = 1) -> None:
        """Count new events."""
        if number:
            self.added[kind] = self.added.get(kind, 0) + number


def observe(store: Store, rows: BinaryIO | Iterable[Mapping[str, Any]], *, clock: Clock = utc_now) -> ObserveReport:
    """Put events on record.

    Args:
        rows: an open file of JSON lines, or objects of the same shapes.

    Returns:
        What was new, what was known, and what was refused; never raises for what stands in the lines.

    Raises:
        UsageError: `rows` is no list.
    """
    return observe_into(lambda: store, rows, clock=clock)


def observe_into(
    opening: Callable[[], Store], rows: BinaryIO | Iterable[Mapping[str, Any]], *, clock: Clock = utc_now
) -> ObserveReport:
    """As `observe`, into a file that is opened, and may be made, only when one of the events can be taken."""
    report, now = ObserveReport(), clock()
    batches = _batches(rows, now, report)
    first = next(batches, None)
    if first is not None:
        store = opening()
        for batch in chain([first], batches):
            _write(store, batch, now, report)
    return report


def _batches(
    rows: BinaryIO | Iterable[Mapping[str, Any]], now: str, report: ObserveReport
) -> Iterator[list[tuple[int, Any]]]:
    """The events with their lines, none of the lists empty; what cannot be taken is told."""
    batch: list[tuple[int, Any]] = []
    for number, row in enumerate(_rows(rows), 1):
        event = _read(row, number, now, report)
        if event is not None:
            batch.append((number, event))
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _rows(rows: BinaryIO | Iterable[Mapping[str, Any]]) -> Iterable[Any]:
    if not hasattr(rows, "readline"):
        if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable):
            raise UsageError(
                f"events are of type {type(rows).__name__}; they should be a list", "each is an object: docs/formats.md"
            )
        return cast("Iterable[Any]", rows)
    return lines(cast(BinaryIO, rows), MAX_LINE_BYTES)


def _read(row: Any, number: int, now: str, report: ObserveReport) -> Any:
    """The event of a line; None where it is blank or cannot be taken, which is told."""
    if row is None:
        report.refuse(number, f"longer than {MAX_LINE_BYTES // 1024**2} MiB")
        return None
    if isinstance(row, bytes):
        try:
            text = row.decode("utf-8-sig").strip()
            if not text:
                return None
            row = json.loads(text)
        except UnicodeDecodeError as fault:
            report.refuse(number, f"not UTF-8 (byte {fault.start})")
            return None
        except (ValueError, RecursionError) as fault:
            report.refuse(number, f"not JSON ({fault})")
            return None
    if not isinstance(row, Mapping):
        report.refuse(number, "not a JSON object")
        return None
    try:
        event = _ADAPTER.validate_python(_storable(dict(row)))
        return event.model_copy(update={name: _time(name, value, now) for name, value in _times(event)})
    except ValidationError as fault:
        report.refuse(number, _told(fault))
    except ValueError as fault:
        report.refuse(number, str(fault))
    return None


def _times(event: _Event) -> list[tuple[str, str]]:
    return [(name, getattr(event, name)) for name in ("at", "started_at", "ended_at") if getattr(event, name, "")]


def _time(name: str, given: str, now: str) -> str:
    """A time as it is kept. Raises ValueError where it is none, or one at which nothing can have happened."""
    try:
        moment = stamp(given)
    except ValueError:
        raise ValueError(f"{name}: {given[:40]!r} is not a time") from None
    if seconds_between(OLDEST, moment) < 0:
        raise ValueError(f"{name}: {given} is before 1990, so the clock that gave it was not set")
    if seconds_between(now, moment) > AHEAD_SECONDS:
        raise ValueError(f"{name}: {given} lies in the future")
    return moment


_MESSAGES = {"tuple_type": "Input should be a list"}
"""Where pydantic names a type of Python's, what JSON calls it."""


def _told(fault: ValidationError) -> str:
    first = fault.errors(include_url=False)[0]
    if first["type"] in ("union_tag_not_found", "union_tag_invalid"):
        kinds = ", ".join(kind.model_fields["kind"].annotation.__args__[0] for kind in EVENTS)  # type: ignore[union-attr]
        return f"kind: should be one of {kinds}"
    where = ".".join(str(part) for part in first["loc"][1:])
    return f"{where}: {_MESSAGES.get(first['type'], first['msg'])}"


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(str(name)): _storable(part) for name, part in value.items()}
    return [_storable(part) for part in value] if isinstance(value, list) else value


# ---------------------------------------------------------------------- writing


def _write(store: Store, batch: Sequence[tuple[int, Any]], now: str, report: ObserveReport) -> None:
    joins = store.connection.in_transaction
    if joins:
        _put(store, batch, now, report)
        return
    with store.writing(graph=False):
        _put(store, batch, now, report)


def _put(store: Store, batch: Sequence[tuple[int, Any]], now: str, report: ObserveReport) -> None:
    purged = Tombstones(store.seal)
    turns: dict[str, list[Turn]] = {}
    for number, event in batch:
        if event.session and purged.holds("session", event.session):
            report.purged += 1
        elif isinstance(event, TurnEvent):
            turn = Turn(event.role, event.content, event.id or None, event.at or None)
            turns.setdefault(event.session, []).append(turn)
        elif isinstance(event, SessionEvent):
            _put_session(store, event, now, report)
        else:
            _put_event(store.connection, event, purged, number, now, report)
    for key, said in turns.items():
        recorded = record(store, key, transcript=Transcript(tuple(said)), clock=lambda: now)
        report.add("turn", recorded.turns)
        report.known += len(said) - recorded.turns


def _put_session(store: Store, event: SessionEvent, now: str, report: ObserveReport) -> None:
    ended = event.ended_at or event.at
    recorded = record(
        store, event.session, summary=event.summary, started_at=event.started_at or None, ended_at=ended or None,
        clock=lambda: now,
    )  # fmt: skip
    report.add("session", recorded.summaries)
    report.known += 1 - recorded.summaries


def _put_event(
    connection: sqlite3.Connection, event: Any, purged: Tombstones, number: int, now: str, report: ObserveReport
) -> None:
    told = event.model_dump(mode="json", exclude_defaults=True)
    told["kind"] = event.kind
    digest = blake2b(_json(told).encode(), digest_size=16).hexdigest()
    uid = f"{event.kind}:{event.id}" if event.id else digest
    known = connection.execute("SELECT digest FROM observed WHERE uid = ?", (uid,)).fetchone()
    if known is not None:
        if known[0] == digest:
            report.known += 1
        else:
            report.refuse(number, f"id: {event.id!r} is on record and says something else")
        return
    body = {
        name: purged.left_of(value) if isinstance(value, str) else value
        for name, value in told.items()
        if name not in ("id", "kind", "session", "at")
    }
    outcome = getattr(event, "outcome", "")
    name = next((str(getattr(event, field)) for field in _NAMES if hasattr(event, field)), "")
    connection.execute(
        "INSERT INTO observed (uid, kind, session_key, name, ok, at, recorded_at, body, digest)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            uid, event.kind, event.session, name, {"ok": 1, "failed": 0}.get(outcome), event.at or now, now,
            _json(body), digest,
        ),
    )  # fmt: skip
    report.add(event.kind)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


# ---------------------------------------------------------------------- reading


def observed(
    connection: sqlite3.Connection, kind: str, *, since: str = "", after: int = 0, limit: int = -1,
    newest: bool = False, left_out: Callable[[list[str]], Collection[str]] = lambda rows: (),
) -> list[Observed]:  # fmt: skip
    """Events of one kind, oldest first.

    Args:
        since: only those that happened then or later; a stamp.
        after: only those that were recorded behind this id.
        limit: at most so many, the newest of them with `newest`, else the oldest.
        left_out: which of some rows, each as `observed 5`, are not told (`graphdream.graph.served.unsound`).
    """
    order = "DESC" if newest else "ASC"
    rows = connection.execute(
        "SELECT id, kind, session_key, name, ok, at, body FROM observed WHERE kind = ? AND at >= ? AND id > ?"
        f" ORDER BY at {order}, id {order} LIMIT ?",
        (kind, since, after, limit),
    ).fetchall()
    wrong = left_out([f"observed {row[0]}" for row in rows])
    found = [_observed(*row) for row in rows if f"observed {row[0]}" not in wrong]
    return found[::-1] if newest else found


def _observed(id: int, kind: str, session: str, name: str, ok: int | None, at: str, body: str) -> Observed:
    return Observed(id, kind, session, name, None if ok is None else bool(ok), at, json.loads(body))


def newest_observed(connection: sqlite3.Connection, kind: str) -> int:
    """Id of the newest event of a kind; 0 where there is none."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM observed WHERE kind = ?", (kind,)).fetchone()[0])
