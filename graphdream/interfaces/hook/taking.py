"""What the events of a session become: recorded sessions, summaries, and a dream when one is due."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Set
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from graphdream.bounded import whole_file
from graphdream.clock import stamp
from graphdream.dream.later import take_in_waiting
from graphdream.events.callfaults import tried_again
from graphdream.events.record import record
from graphdream.events.spool import all_waiting, refuse
from graphdream.events.transcripts import Transcript, read_transcript, storable, transcript_of
from graphdream.graph.store import Store
from graphdream.interfaces.hook import folder as place
from graphdream.interfaces.hook.door import MAX_PAYLOAD_BYTES, OFF_VARIABLE
from graphdream.interfaces.hook.event import (
    POST_COMPACT,
    PRE_COMPACT,
    SESSION_END,
    SESSION_START,
    STOP,
    USER_PROMPT,
    Event,
    read_event,
)
from graphdream.interfaces.hook.state import OpenSession, State

_FORGET_SECONDS = 14 * 86_400  # a session that was not heard of for so long is not waited for any more
_NICENESS = 10  # of a dream: whoever works at the machine goes first
_AGAIN_SECONDS = 5.0  # after which what could not be taken in is tried again: somebody writes, or it bears no seal
_BUSY = 5
_LONGEST = 4 * MAX_PAYLOAD_BYTES  # of an event's file, in whose text a byte of the payload may be three
_ERRORS = "dream.err"


class Taking:
    """Takes in what hooks have kept; one process at a time does (`graphdream.interfaces.hook.behind`)."""

    def __init__(self, database: str, agent: str | None) -> None:
        self.database, self.agent = database, agent
        self.folder = Path(place.folder_of(database))
        self.state = State.read(self.folder)
        self.dream: subprocess.Popen[bytes] | None = None
        self._wants_dream = False
        self._left: Set[str] = frozenset()  # names of what waits beside the file and could not be taken in
        self._again_at = 0.0
        self._errors: IO[bytes] | None = None

    def take_in(self) -> int:
        """Take in every event that waits, oldest first; one that cannot be is set aside, and those behind it go on.

        Returns:
            How many were taken in.

        Raises:
            Exception: the database or the folder is in the way: the event that met it stays, and all behind it.
        """
        done = 0
        for path in self._waiting():
            try:
                event, said_at = _read(path)
            except FileNotFoundError:
                continue
            except Exception as fault:
                self._set_aside(path, fault)
                continue
            try:
                if event is not None:
                    self._follow(event, said_at)
                self.state.write(self.folder)
            except Exception as fault:
                self.state = State.read(self.folder)  # as it was before the event
                if tried_again(fault):
                    raise
                self._set_aside(path, fault)
                continue
            path.unlink(missing_ok=True)
            done += 1
        if self._wants_dream:
            self._wants_dream = False
            self._dream_if_due()
        return done

    def take_in_beside(self) -> int:
        """Take in what commands have put beside the file for the next one, as `graphdream context` does before it
        answers: a fact that was told without waiting, above all.

        Returns:
            How much of it does not wait any more.
        """
        waits = all_waiting(Path(self.database))
        now = time.monotonic()
        if not waits or (waits.keys() == self._left and now < self._again_at) or not os.path.exists(self.database):
            return 0
        with Store.open(self.database, create=False) as store:
            take_in_waiting(store)
        self._left, self._again_at = all_waiting(Path(self.database)).keys(), now + _AGAIN_SECONDS
        return len(waits.keys() - self._left)

    def catch_up(self) -> None:
        """Put on record what open sessions have said since they last were: their host may be gone without a word."""
        now = time.time()
        for key, session in list(self.state.sessions.items()):
            self._record(key, session)
            if now - session.seen_at <= _FORGET_SECONDS:
                continue
            try:
                self._record_spoken(key, session)
            except Exception as fault:
                self._not_on_record(key, fault)
            else:
                del self.state.sessions[key]
        self.state.write(self.folder)

    def dreams(self) -> bool:
        """Whether a dream that was started here still runs; how one ended badly is noted."""
        if self.dream is None:
            return False
        code = self.dream.poll()
        if code is None:
            return True
        self.dream = None
        said = ""
        if self._errors is not None:
            self._errors.seek(0)
            said = self._errors.read(2_000).decode("utf-8", "replace")
            self._errors.close()
            self._errors = None
        if code not in (0, _BUSY):
            self._failed(f"the dream that was due ended with {code}: {said or 'it said nothing'}")
        return False

    def _waiting(self) -> list[Path]:
        try:
            return sorted(path for path in self.folder.iterdir() if path.suffix == place.EVENTS)
        except OSError:
            return []

    def _failed(self, what: str) -> None:
        place.log_failure(str(self.folder), what)

    def _set_aside(self, path: Path, fault: Exception) -> None:
        self._failed(f"{refuse(path).name} cannot be taken in: {type(fault).__name__}: {fault}")

    def _not_on_record(self, key: str, fault: Exception) -> None:
        self._failed(f"session {key} is not on record: {type(fault).__name__}: {fault}")

    # ------------------------------------------------------------------ one event

    def _follow(self, event: Event, said_at: datetime) -> None:
        at = said_at.timestamp()
        self.state.note_fired(event.host, event.kind, stamp(said_at.isoformat(timespec="milliseconds")))
        session = self.state.sessions.setdefault(event.session, OpenSession())
        session.host, session.seen_at = event.host, at
        session.folder = event.folder or session.folder
        session.transcript = event.transcript or session.transcript
        if event.kind == SESSION_START:
            self.catch_up()
            self._wants_dream = True
        elif event.kind == USER_PROMPT:
            session.heard("user", event.prompt, at)
        elif event.kind == STOP:
            session.heard("assistant", event.reply, at)
        elif event.kind == POST_COMPACT and event.summary:
            self._put(event.session, session, summary=event.summary)
        elif event.kind == PRE_COMPACT:
            self._record(event.session, session)
        elif event.kind == SESSION_END:
            if self._record(event.session, session):
                self._record_spoken(event.session, session)
                del self.state.sessions[event.session]
            self._wants_dream = True

    def _record(self, key: str, session: OpenSession) -> bool:
        """Put the transcript on record if it has grown; False where that failed, so that it is tried again."""
        if not session.transcript:
            return True
        try:
            size = os.stat(session.transcript).st_size
        except (OSError, ValueError) as fault:  # ValueError: a path that no file can have
            if session.recorded_bytes < 0:
                session.recorded_bytes = 0  # said once
                self._failed(f"the transcript of session {key} cannot be read: {fault}")
            return False
        if size == session.recorded_bytes:
            return True
        try:
            transcript = read_transcript(session.transcript)
        except Exception as fault:
            self._failed(f"the transcript of session {key} cannot be read: {fault}")
            return False
        if transcript.turns or transcript.summary:
            try:
                self._put(key, session, transcript=transcript)
            except Exception as fault:
                self._not_on_record(key, fault)
                return False
        session.recorded_bytes = size
        if transcript.turns:
            session.spoken.clear()
        return True

    def _record_spoken(self, key: str, session: OpenSession) -> None:
        if session.spoken:
            rows = [{"role": who, "content": text, "time": at, "id": f"{who}-{at}"} for who, text, at in session.spoken]
            self._put(key, session, transcript=transcript_of(rows))

    def _put(self, key: str, session: OpenSession, *, summary: str = "", transcript: Transcript | None = None) -> None:
        with Store.open(self.database) as store:
            if transcript is not None:
                transcript = _without_known(store, key, transcript)
            told = {"host": session.host, "folder": session.folder}
            record(store, key, summary=summary, transcript=transcript, metadata=told)

    # ------------------------------------------------------------------ dreaming

    def _dream_if_due(self) -> None:
        """Start what looks whether a pass is due, and runs it, in a process of its own, which outlives this one and
        starts no hook itself."""
        if self.dreams() or not os.path.exists(self.database):
            return
        try:
            words = [sys.executable, "-P", "-m", "graphdream", "dream", "--if-due", "--db", self.database]
            words += ["--agent", self.agent] if self.agent else []
            self._errors = open(self.folder / _ERRORS, "w+b")  # noqa: SIM115 - read when the pass has ended
            self.dream = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._errors,
                start_new_session=True, env={**os.environ, OFF_VARIABLE: "off"},
            )  # fmt: skip
            if hasattr(os, "setpriority"):
                os.setpriority(os.PRIO_PROCESS, self.dream.pid, _NICENESS)
        except Exception as fault:  # a wrong agent.yaml, no room on the disk: the sessions are on record all the same
            self._failed(f"no dream was started: {type(fault).__name__}: {fault}")


def _without_known(store: Store, key: str, transcript: Transcript) -> Transcript:
    """The transcript without a summary that the host told of already when it made it: in the transcript it stands with
    a few words around it."""
    known = store.connection.execute(
        "SELECT content FROM summary JOIN session ON session.id = session_id WHERE key = ?", (storable(key).strip(),)
    ).fetchall()
    return transcript._replace(summary="") if any(row[0] in transcript.summary for row in known) else transcript


def _read(path: Path) -> tuple[Event | None, datetime]:
    """An event that waits, and when it was said; no event for what a sub-agent does."""
    row = _storable(json.loads(whole_file(path, _LONGEST, links=False).decode("utf-8", "replace")))
    told = row["told"]
    event = read_event(row["payload"], told.get("event", ""), told.get("host", ""))
    return event, datetime.fromtimestamp(float(row["at"]), UTC)


def _storable(value: Any) -> Any:
    """What a host has sent, with every text as the database and the state can hold it: JSON can escape half of a
    character, which a host writes where it cuts a text within one."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(name): _storable(one) for name, one in value.items()}
    return [_storable(one) for one in value] if isinstance(value, list) else value
