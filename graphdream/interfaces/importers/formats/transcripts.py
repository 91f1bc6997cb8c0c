"""Transcripts of Claude Code and Codex, a file or a folder of them: each a session with its turns, as hooks record it.

Source: Claude Code's `~/.claude/projects/**/SESSION.jsonl` and Codex's
`~/.codex/sessions/**/rollout-TIME-SESSION.jsonl`, as of 2026. What a session has on record already is not added again.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from graphdream.clock import Clock, utc_now
from graphdream.errors import ConflictError, ImportRefusedError, NotFoundError
from graphdream.events.record import record
from graphdream.events.transcripts import Transcript, read_transcript
from graphdream.graph.store import Store
from graphdream.interfaces.importers.faults import Faults
from graphdream.interfaces.importers.format import Format
from graphdream.interfaces.importers.graph import ImportReport
from graphdream.interfaces.importers.items import refused
from graphdream.paths import expanded

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEAD_LINES = 50  # in which a session says its id
_SUB_AGENT = "agent-"  # how Claude Code's files of sub-agents begin


def import_transcripts(
    store: Store, path: str | os.PathLike[str], *, clock: Clock = utc_now, skip_bad: bool = False
) -> ImportReport:
    """Put every session below a path on record, or none. Events are no pass: only `purge` takes one out again.

    Raises:
        NotFoundError: there is no such file, or no transcript in the folder.
        ImportRefusedError: lines cannot be read (listed by file and line); nothing was recorded.
    """
    place = expanded(path)
    faults, told, lines = Faults(), [], 0
    for file in _files(place):
        transcript = read_transcript(file)
        for fault in transcript.faults:
            number, _, words = fault.partition(": ")
            faults.add(int(number.split()[-1]), words, str(file.relative_to(place)) if file != place else "")
        faults.count += transcript.bad_lines - len(transcript.faults)
        lines += len(transcript.turns)
        if transcript.turns or transcript.summary:
            told.append((_key(file), transcript))
    if faults.count and not skip_bad:
        raise refused(place.name, faults)
    rows = {"session": 0, "summary": 0, "turn": 0}
    with store.writing():
        for key, transcript in told:
            _put(store, key, transcript, clock, rows)
    return ImportReport(
        None, place.name or str(place), lines, {name: count for name, count in rows.items() if count}, {}, 0, 0, 0, {},
        faults.shown(), faults.count, known=lines - rows["turn"], files=len(told),
    )  # fmt: skip


def _put(store: Store, key: str, transcript: Transcript, clock: Clock, rows: dict[str, int]) -> None:
    try:
        done = record(store, key, transcript=transcript, clock=clock)
    except ConflictError:
        return  # a dream's own session
    rows["session"] += done.new_session
    rows["summary"] += done.summaries
    rows["turn"] += done.turns


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise NotFoundError(f"there is no file {place}")
    found = sorted(file for file in place.rglob("*.jsonl") if not file.name.startswith((".", _SUB_AGENT)))
    if not found:
        raise NotFoundError(f"there is no transcript in {place}", "transcripts end in .jsonl")
    odd = next((file for file in found if not file.is_file()), None)
    if odd is not None:
        raise ImportRefusedError(f"{odd} cannot be read: it is no regular file, but a folder, a pipe or a device")
    return found


def _key(file: Path) -> str:
    """The host's id of the session: what its first lines say, else that in the file's name, else the name."""
    with file.open("rb") as stream:
        for line, _ in zip(stream, range(_HEAD_LINES), strict=False):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict):
                meta = row.get("payload") if row.get("type") == "session_meta" else None
                found = row.get("sessionId") or (meta.get("id") if isinstance(meta, dict) else None)
                if isinstance(found, str) and found:
                    return found
    named = _UUID.search(file.stem)
    return named[0] if named else file.stem


FORMAT = Format(
    "transcripts", "sessions of Claude Code and Codex, a file or a folder of them", import_transcripts, unit="turn"
)
