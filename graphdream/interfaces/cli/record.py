"""`graphdream record`: put a session on record. Session-end hooks call it, so it loads nothing heavy."""

from __future__ import annotations

import json
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from typing import Any

from graphdream.bounded import stdin_text
from graphdream.errors import UsageError
from graphdream.events.adding import Recorded
from graphdream.events.record import checked_call, record_call
from graphdream.events.transcripts import MACHINES, Transcript, parse_transcript, read_transcript
from graphdream.graph.store import Store
from graphdream.interfaces.output import plural, print_json
from graphdream.interfaces.warned import warned
from graphdream.paths import database_path
from graphdream.shown import printable

_BY_PEOPLE = "a pass reads what people said in it"
_BY_NOBODY = "recall finds its turns but no pass is due for it"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `record`."""
    parser.add_argument("--session", metavar="ID", help="the host's own id of the session; needed")
    parser.add_argument("--session-id", dest="session", help=SUPPRESS)  # what hooks written for 0.1 say
    parser.add_argument("--summary", default="", metavar="TEXT", help="what the session was about; - reads stdin")
    parser.add_argument(
        "--transcript",
        metavar="FILE",
        help="its turns as JSON lines (Claude Code, Codex, or role/content); - reads stdin; turns on record are not "
        "added again",
    )
    parser.add_argument(
        "--observation", action="append", default=[], metavar="TEXT", help="a thing observed; may be repeated"
    )
    parser.add_argument("--started-at", metavar="TIME", help="ISO 8601; default: that of the first turn")
    parser.add_argument("--ended-at", metavar="TIME", help="ISO 8601; default: that of the last turn")
    parser.add_argument("--metadata", metavar="JSON", help="an object to keep with the session")


def run(args: Namespace) -> int:
    """Record the session; lines of the transcript that could not be read are told on standard error."""
    if not args.session:
        raise UsageError("the session has no id: --session is missing", "graphdream record --help")
    if args.summary == "-" and args.transcript == "-":
        raise UsageError("standard input cannot be both the summary and the transcript")
    summary = stdin_text() if args.summary == "-" else args.summary
    transcript = _transcript(args.transcript)
    metadata = _metadata(args.metadata)
    call = checked_call(
        args.session,
        summary=summary,
        transcript=transcript,
        started_at=args.started_at,
        ended_at=args.ended_at,
        observations=args.observation,
        metadata=metadata,
    )  # before a memory is made for it
    with warned(Store.open(database_path(args.db, args.agent))) as store:
        recorded = record_call(store, call)
    if args.json:
        print_json(recorded._asdict())
    else:
        print(_told(recorded, transcript))
    if recorded.bad_lines and not args.json:
        print(f"{plural(recorded.bad_lines, 'line')} of the transcript could not be read in full:", file=sys.stderr)
        for fault in recorded.faults:
            print(f"  {printable(fault)}", file=sys.stderr)
    return 0


def _transcript(path: str | None) -> Transcript | None:
    if path is None:
        return None
    return parse_transcript(sys.stdin.buffer) if path == "-" else read_transcript(path, named=True)


def _metadata(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        parsed = json.loads(text)
    except ValueError as fault:
        raise UsageError(f"--metadata is not JSON: {fault}") from None
    if not isinstance(parsed, dict):
        raise UsageError("--metadata is not a JSON object")
    return parsed


def _told(recorded: Recorded, transcript: Transcript | None) -> str:
    key = printable(recorded.session_key)
    added = [
        plural(count, noun, several)
        for count, noun, several in (
            (recorded.summaries, "summary", "summaries"),
            (recorded.turns, "turn", ""),
            (recorded.observations, "observation", ""),
        )
        if count
    ]
    if recorded.spooled:
        why = printable(recorded.why_spooled)
        return f"{key}: {why}; the session waits beside the file for the next command"
    if recorded.purged:
        return f"{key}: was purged, so it is not recorded again"
    if not recorded.anything:
        return f"{key}: everything was on record already"
    told = f"{key}: recorded {', '.join(added) or 'a session without content'}"
    if not recorded.new_session or recorded.summaries or recorded.observations:
        return told
    people = transcript is not None and any(turn.speaker.lower() not in MACHINES for turn in transcript.turns)
    return f"{told}; without a summary, {_BY_PEOPLE if people else _BY_NOBODY}"
