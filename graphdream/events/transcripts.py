"""Transcripts in: the turns of a session, read from the JSON lines that agents and their hosts write.

Three shapes of line are understood, mixed as they come: those of Claude Code, Codex and Copilot CLI (the message in an
envelope), plain `{"role" or "speaker", "content" or "text", "id"?, "time"?}`, and LoCoMo's `{"id", "speaker", "text",
"caption"?}`. A session-end hook cannot ask anybody, so a line that cannot be read is counted and reported, and the rest
is taken.

Source of the envelopes: Claude Code's transcripts under `~/.claude/projects`, Codex's rollouts under
`~/.codex/sessions` and Copilot CLI's events under `~/.copilot/session-state`, all as of 2026; unknown keys and kinds of
line are passed over.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, NamedTuple

from graphdream.bounded import lines, regular_file
from graphdream.clock import stamp
from graphdream.errors import NotFoundError, UsageError

MAX_LINE_BYTES = 16 * 1024 * 1024  # the longest line that is read; no turn anybody spoke is longer
MAX_FAULTS_TOLD = 20
# A number as a time: seconds since 1970 below this, milliseconds from it on (it is the year 5138 in seconds).
_MILLISECONDS_FROM = 1e11

# SQLite's own text functions stop at a NUL, and half a surrogate pair has no UTF-8 form.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

MACHINES = ("assistant", "system", "tool", "developer")
"""Those who speak in a transcript and are no person, in lower case."""

_SPEAKERS = ("speaker", "role", "author", "name")
_TEXTS = ("content", "text")
_SENTENCE_ENDS = ".!?。！？…"
_IDS = ("uuid", "id", "uid")
_TIMES = ("timestamp", "time", "said_at", "created_at", "date")
_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text"})
_ENVELOPES = ("message", "payload")
_COPILOT = frozenset({"user.message", "assistant.message"})  # events of Copilot CLI in which somebody says something


class Turn(NamedTuple):
    """What one speaker said in one go. `uid` is the transcript's own id; `said_at` is a stamp, UTC."""

    speaker: str
    content: str
    uid: str | None = None
    said_at: str | None = None


class Transcript(NamedTuple):
    """A transcript as far as it could be read.

    Attributes:
        turns: in the order of the file.
        summary: the last that the host itself wrote of the session: when it compacted its context, else in a record of
            its own; "" where there is none, or only a title of what people said in their own words.
        bad_lines: number of lines with a fault.
        faults: the first `MAX_FAULTS_TOLD` of them in words, with line numbers from 1.
    """

    turns: tuple[Turn, ...] = ()
    summary: str = ""
    bad_lines: int = 0
    faults: tuple[str, ...] = ()


class _LineFault(ValueError):
    """A line is not what it should be."""


class _Summaries:
    """What the host wrote of the session as a whole, gathered while its lines are read."""

    def __init__(self) -> None:
        self.compacted = ""
        self._titles: list[tuple[str, str]] = []  # with the message each was made at; "" where it says none
        self._messages = {""}

    def note(self, row: Mapping[str, Any]) -> bool:
        """Take note of a line; whether it is a title, and so nothing that was said."""
        if isinstance(row.get("uuid"), str):
            self._messages.add(row["uuid"])
        title = row.get("summary")
        if row.get("type") != "summary" or not isinstance(title, str):
            return False
        self._titles.append((storable(title).strip(), str(row.get("leafUuid") or "")))
        return True

    def last(self, *, spoken: bool) -> str:
        """The last summary. Claude Code also writes those of other sessions into a file, and names the message of
        theirs that each was made at.

        Args:
            spoken: whether anything was said that tells more than a title (`Login bug`), which is no sentence.
        """
        if self.compacted:
            return self.compacted
        own = (title for title, message in reversed(self._titles) if message in self._messages)
        return next((title for title in own if title and not (spoken and title[-1] not in _SENTENCE_ENDS)), "")


def storable(text: str) -> str:
    """Text as the database can hold it: NUL and half surrogate pairs become U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def read_transcript(path: str | os.PathLike[str], *, named: bool = False) -> Transcript:
    """Read a transcript file.

    Args:
        named: a person has named it, so that it may be a pipe, which is waited for.

    Raises:
        NotFoundError: there is no such file.
        UsageError: it cannot be read (a folder, no permission, else a pipe or a device).
    """
    try:
        with open(path, "rb") if named else regular_file(path) as file:
            return parse_transcript(file)
    except FileNotFoundError:
        raise NotFoundError(f"there is no transcript at {os.fspath(path)}") from None
    except OSError as fault:
        raise UsageError(f"the transcript {os.fspath(path)} cannot be read: {fault.strerror}") from fault


def parse_transcript(file: BinaryIO) -> Transcript:
    """Read a transcript from an open binary file. Never raises for what is in it."""
    return _gathered(lines(file, MAX_LINE_BYTES))


def transcript_of(rows: Iterable[Mapping[str, Any]]) -> Transcript:
    """The transcript that a program holds as objects of the same shapes as a file's lines."""
    return _gathered(rows)


def _gathered(given: Iterable[bytes | Mapping[str, Any] | None]) -> Transcript:
    turns: list[Turn] = []
    summaries = _Summaries()
    faults: list[str] = []
    bad = 0
    for number, line in enumerate(given, 1):
        try:
            turn, fault = _read_line(line, summaries)
        except _LineFault as refused:
            turn, fault = None, str(refused)
        if turn is not None:
            turns.append(turn)
        if fault:
            bad += 1
            if len(faults) < MAX_FAULTS_TOLD:
                faults.append(f"line {number}: {fault}")
    return Transcript(tuple(turns), summaries.last(spoken=bool(turns)), bad, tuple(faults))


def _read_line(line: bytes | Mapping[str, Any] | None, summaries: _Summaries) -> tuple[Turn | None, str]:
    """The turn of a line, None where it holds none, and what was wrong with it, "" where nothing was."""
    if isinstance(line, Mapping):
        return _read_row(line, summaries)
    if line is None:
        raise _LineFault(f"longer than {MAX_LINE_BYTES // 1024**2} MiB; left out")
    if not isinstance(line, bytes):  # of a program that does not keep to the types
        raise _LineFault("not an object; left out")
    fault = ""
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as broken:
        text = line.decode("utf-8-sig", errors="replace")
        fault = f"not UTF-8 (byte {broken.start}); taken with U+FFFD for what is broken"
    if not text.strip():
        return None, fault
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as broken:
        raise _LineFault(f"not JSON ({broken}); left out") from None
    if not isinstance(row, dict):
        raise _LineFault("not a JSON object; left out")
    turn, row_fault = _read_row(row, summaries)
    return turn, fault or row_fault


def _read_row(row: Mapping[str, Any], summaries: _Summaries) -> tuple[Turn | None, str]:
    if summaries.note(row):
        return None, ""
    said = _unwrapped(row)
    content = "" if said is None else _content(said)
    if said is None or not content:
        return None, ""
    if row.get("isCompactSummary") is True:
        summaries.compacted = content  # of all that was said before, so that it stands for those before it
        return None, ""
    when, time_fault = _time(_first(row, _TIMES) or _first(said, _TIMES))
    speaker = _first(said, _SPEAKERS)
    uid = _first(row, _IDS)
    turn = Turn(
        storable(speaker) if isinstance(speaker, str) else "",
        content,
        storable(str(uid)) if isinstance(uid, str | int) and not isinstance(uid, bool) and uid != "" else None,
        when,
    )
    return turn, time_fault


def _unwrapped(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The part of a line that holds speaker and text; None where the line is not something said in the session."""
    # Claude Code: what sub-agents said among themselves, and what the host put into the user's mouth.
    if row.get("isSidechain") is True or row.get("isMeta") is True:
        return None
    kind, data = row.get("type"), row.get("data")
    if isinstance(kind, str) and kind in _COPILOT and isinstance(data, Mapping):
        return {**data, "role": kind.partition(".")[0]}
    for key in _ENVELOPES:
        inner = row.get(key)
        if isinstance(inner, Mapping):
            return inner if "role" in inner and "content" in inner else None
    if any(key in row for key in _TEXTS) and any(key in row for key in _SPEAKERS):
        return row
    if "type" in row:
        return None  # an envelope without a message: snapshots, tool events, what later versions add
    if any(key in row for key in _TEXTS):
        return row
    raise _LineFault("neither a speaker nor a text; left out")


def _content(said: Mapping[str, Any]) -> str:
    text = _text(next((said[key] for key in _TEXTS if said.get(key)), ""))
    caption = said.get("caption")
    if isinstance(caption, str) and caption.strip():
        text = f"{text} [shares {caption.strip()}]".lstrip()
    return storable(text)


def _text(content: object) -> str:
    """Plain text of a message: the text itself, or its text blocks; tool calls, their results and pictures are none."""
    if isinstance(content, str):
        return content.strip()
    if isinstance(content, list):
        return "\n".join(filter(None, map(_block_text, content)))
    if content:
        raise _LineFault("its text is neither text nor a list of blocks; left out")
    return ""


def _block_text(block: object) -> str:
    if isinstance(block, str):
        return block.strip()
    kind, text = (block.get("type"), block.get("text")) if isinstance(block, Mapping) else (None, None)
    return text.strip() if isinstance(kind, str) and kind in _TEXT_BLOCKS and isinstance(text, str) else ""


def _first(row: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((row[key] for key in keys if row.get(key) is not None), None)


def _time(given: object) -> tuple[str | None, str]:
    """A stamp, and what was wrong with what was given."""
    if given is None:
        return None, ""
    try:
        if isinstance(given, str):
            return stamp(given), ""
        if isinstance(given, int | float) and not isinstance(given, bool):
            return _from_epoch(float(given)), ""
    except (ValueError, OverflowError, OSError):
        pass
    return None, f"{str(given)[:40]!r} is not a time; the turn is kept without one"


def _from_epoch(number: float) -> str:
    from datetime import UTC, datetime

    moment = datetime.fromtimestamp(number / 1000 if number >= _MILLISECONDS_FROM else number, UTC)
    return stamp(moment.isoformat())
