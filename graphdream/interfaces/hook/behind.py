"""The process behind the hooks of one memory: answers them, takes in what they have kept, starts dreams, and ends by
itself when nothing has come for a while.

There is one for each database, held to it by a lock. It keeps the file open while questions come, and no longer. If it
is killed, nothing is lost: what hooks have kept stays until the next one takes it in.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from graphdream.interfaces.hook import folder as place
from graphdream.interfaces.hook.door import START_BYTES
from graphdream.interfaces.hook.event import SESSION_START

if TYPE_CHECKING:
    from graphdream.graph.store import Store
    from graphdream.recall.injection import Injection

IDLE_SECONDS = 600.0  # without an event, after which it ends
IDLE_VARIABLE = "GRAPHDREAM_HOOKS_IDLE_SECONDS"
_WAIT_FOR_LOCK_SECONDS = 2.0  # for the one before, which may be on its way out
_LINE_SECONDS = 0.5  # for a hook to say what it asks
_GIVE_WAY_SECONDS = 0.05  # in which the hook that was answered ends: its host waits for that, and cores may be few
_QUIET_SECONDS = 3.0  # without an event, after which the next session's start is made ready
_RECORD_SECONDS = 20.0  # without an event, after which open sessions are put on record so far
_FRESH = "(the next session)"
_Shown = tuple[str, "Injection"]


def main(words: Sequence[str] | None = None) -> int:
    """Work for the database that `--db` names until nothing comes any more."""
    parser = ArgumentParser(prog="graphdream.interfaces.hook.behind", description=__doc__)
    parser.add_argument("--db", required=True)
    parser.add_argument("--agent")
    args = parser.parse_args(words)
    folder = place.folder_of(args.db)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.chdir(folder)
        lock = _locked()
        if lock is None:
            return 0
        try:
            Behind(os.path.abspath(args.db), args.agent).work()
        finally:
            os.close(lock)
    except Exception as fault:
        place.log_failure(folder, f"the process behind the hooks: {type(fault).__name__}: {fault}")
        return 1
    return 0


class Behind:
    """The answering thread is the main one; a second one takes in."""

    def __init__(self, database: str, agent: str | None) -> None:
        self.database, self.agent = database, agent
        self.folder = place.folder_of(database)
        self._woken = threading.Event()
        self._ending = threading.Event()
        self._shown: SimpleQueue[_Shown] = SimpleQueue()
        self._heard_at = time.monotonic()
        self._working = True
        self._made: list[int] | None = None
        self._store: tuple[int, Store] | None = None
        self._start: tuple[int, Injection] | None = None

    def work(self) -> None:
        """Until nothing has come for `IDLE_SECONDS` and no dream is running, or the folder is gone."""
        sys.setswitchinterval(0.001)  # who asks does not wait for a long transcript to be read
        worker = threading.Thread(target=self._take_in, daemon=True)
        if not hasattr(socket, "AF_UNIX"):
            self._ending.set()
            self._take_in()
            return
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place.SOCKET)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(place.SOCKET)
            os.chmod(place.SOCKET, 0o600)
            listener.listen(128)
            listener.settimeout(1.0)
            mine = os.stat(place.SOCKET).st_ino
            worker.start()
            while self._goes_on() and self._is_mine(mine):
                try:
                    self._serve(listener.accept()[0])
                except TimeoutError:
                    self._close()
            self._close()
            if self._is_mine(mine):
                os.unlink(place.SOCKET)
        self._ending.set()
        self._woken.set()
        worker.join()

    def _goes_on(self) -> bool:
        idle = float(os.environ.get(IDLE_VARIABLE) or IDLE_SECONDS)
        return self._working or time.monotonic() - self._heard_at < idle

    def _is_mine(self, inode: int) -> bool:
        try:
            return os.stat(os.path.join(self.folder, place.SOCKET)).st_ino == inode
        except OSError:
            return False

    # ------------------------------------------------------------------ answering

    def _serve(self, line: socket.socket) -> None:
        self._heard_at = time.monotonic()
        with line:
            try:
                line.settimeout(_LINE_SECONDS)
                asked = b""
                while not asked.endswith(b"\n"):
                    part = line.recv(1 << 20)
                    if not part:
                        break
                    asked += part
                if asked and not _has_hung_up(line):
                    line.sendall(self._answer(json.loads(asked)).encode("utf-8", "replace"))
            except (OSError, ValueError, KeyError):
                pass  # a hook that was killed half way; what it kept is taken in
            except Exception as fault:
                place.log_failure(self.folder, f"no memory was given: {type(fault).__name__}: {fault}")
            finally:
                self._woken.set()

    def _answer(self, asked: dict[str, Any]) -> str:
        store = self._opened()
        if store is None:
            return ""
        if asked["kind"] == SESSION_START:
            injection = self._start_of_a_session(store, asked["bytes"])
        else:
            injection = _context(store, asked["session"], asked["prompt"], asked["bytes"])
        self._shown.put((asked["session"], injection))
        return str(injection.text)

    def _start_of_a_session(self, store: Store, most_bytes: int) -> Injection:
        """What a new session is given: the same as long as no pass was made, for nothing else changes the graph."""
        (newest,) = store.connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()
        if self._start is None or self._start[0] != newest:
            self._start = newest, _context(store, _FRESH, "", most_bytes)
        return self._start[1]

    def _opened(self) -> Store | None:
        """The file, which is kept open from one question to the next; None where there is no memory yet."""
        from graphdream.graph.store import Store

        try:
            inode = os.stat(self.database).st_ino
        except FileNotFoundError:
            self._close()
            return None
        if self._store is None or self._store[0] != inode:
            self._close()
            self._store = inode, Store.open(self.database, create=False)
        return self._store[1]

    def _close(self) -> None:
        """Close the file: whoever purges something from it must be its only user."""
        if self._store is not None:
            self._store[1].close()
            self._store = None

    # ------------------------------------------------------------------ taking in

    def _take_in(self) -> None:
        from graphdream.interfaces.hook.taking import Taking

        taking = Taking(self.database, self.agent)
        caught_up = made_ready = False
        failed = ""
        while True:
            last = self._ending.is_set()
            self._woken.clear()
            try:
                if taking.take_in() + taking.take_in_beside():
                    caught_up = made_ready = False
                self._mark()
                quiet = time.monotonic() - self._heard_at
                if not caught_up and (last or quiet > _RECORD_SECONDS):
                    taking.catch_up()
                    caught_up, made_ready = True, False
                dreaming = taking.dreams()
                if not made_ready and not dreaming and (last or quiet > _QUIET_SECONDS):
                    self._make_ready()
                    made_ready = True
                made_ready = made_ready and not dreaming
                self._working = dreaming
                failed = ""
            except Exception as fault:
                before, failed = failed, f"taking in: {type(fault).__name__}: {fault}"
                if failed != before:  # it is tried every second, and one line says it
                    place.log_failure(self.folder, failed)
                self._working = False
            if last:
                return
            if self._woken.wait(1.0):
                self._ending.wait(_GIVE_WAY_SECONDS)

    def _mark(self) -> None:
        """Note what sessions were shown, so that they are not shown it again."""
        from graphdream.clock import utc_now
        from graphdream.graph.store import Store
        from graphdream.recall.injection import mark_shown

        shown: list[_Shown] = []
        with contextlib.suppress(Empty):
            while True:
                shown.append(self._shown.get_nowait())
        if shown:
            with Store.open(self.database, create=False) as store:
                for session, injection in shown:
                    mark_shown(store, session, injection, utc_now())

    def _make_ready(self) -> None:
        """Write down what the next session is given at its start, with the state of the memory that it is true of."""
        known = place.fingerprint(self.database)
        if not known or known == self._made:
            return
        text = self._start_text()
        now = place.fingerprint(self.database)  # closing the file may have written its log back
        if now != known and self._start_text() != text:
            return  # somebody writes; at the next occasion
        fresh = f"{place.START}.new"
        with open(fresh, "w", encoding="utf-8") as file:
            json.dump({"fingerprint": now, "at": time.time(), "text": text}, file)
        os.replace(fresh, place.START)
        self._made = now

    def _start_text(self) -> str:
        from graphdream.graph.store import Store

        with Store.open(self.database, create=False) as store:
            return _context(store, _FRESH, "", START_BYTES).text


def _context(store: Store, session: str, message: str, most_bytes: int) -> Injection:
    """What `graphdream context` gives, in so many bytes."""
    from graphdream.recall.injection import context
    from graphdream.views.working import WorkingMemory, namespace_of_session

    notes = WorkingMemory(store, namespace_of_session(session)).inventory()
    return context(store, session, message, budget_tokens=most_bytes, working=notes, mark=False,
                   count=lambda text: len(text.encode("utf-8", "replace")))  # fmt: skip


def _has_hung_up(line: socket.socket) -> bool:
    """Whether the hook has stopped waiting: an answer would only keep the next one waiting, and would count as shown
    though nobody saw it."""
    line.setblocking(False)
    try:
        return not line.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    finally:
        line.settimeout(_LINE_SECONDS)


def _locked() -> int | None:
    """The lock on the folder, which lasts as long as this process; None where another one has it."""
    descriptor = os.open(place.LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + _WAIT_FOR_LOCK_SECONDS
    while True:
        try:
            _lock(descriptor)
            os.truncate(descriptor, 0)
            os.write(descriptor, str(os.getpid()).encode())  # for a person who looks
            return descriptor
        except OSError:
            if time.monotonic() > deadline:
                os.close(descriptor)
                return None
            time.sleep(0.05)


def _lock(descriptor: int) -> None:
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        return
    flock(descriptor, LOCK_EX | LOCK_NB)


if __name__ == "__main__":
    os.closerange(3, 256)  # what the host has left open for its hooks must not stay open as long as this lives
    raise SystemExit(main())
