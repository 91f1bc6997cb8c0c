"""What was put beside the file, taken in for those who read it.

What this program has put aside is taken in before its next call, which may ask for it. What others have put there is
looked after by a thread, for to write means to wait for the disk, and for whoever else writes. The thread stays, for
whoever starts one waits until it has had a processor; the work itself is done by a process of its own.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from graphdream.dream.later import take_in_waiting
from graphdream.events import spool
from graphdream.graph.store import Store

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_EVERY_SECONDS = 1.0  # that what others have put aside, and still waits, is looked at, at most
_SELDOM_SECONDS = 30.0  # where it cannot be taken in
_SETTLED_SECONDS = 0.1  # after which two changes of a folder bear different times on every file system in use
_LEFT_SECONDS = 10.0  # for which it is left to others, as long as they take in anything


class TakingIn:
    """Takes in what waits beside one file, for all threads of one program."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._worker: ThreadPoolExecutor | None = None
        self._work: Future[None] | None = None
        self._looked_at = time.monotonic()
        self._every = 0.0
        self._waited: dict[str, float] = {}  # at the last look
        self._known = -1  # the state of the folder when nothing waited any more
        self._waiting()

    def before_a_call(self, store: Store) -> None:
        """Take in what this program has put aside, and see to it that somebody takes in what others have."""
        if spool.own_wait(self._path):
            take_in_waiting(store)
            return
        if self._known == self._state() or time.monotonic() - self._looked_at < self._every:
            return
        if not self._lock.acquire(blocking=False):
            return  # another thread sees to it
        try:
            if self._work is None or self._work.done():
                self._looked_at = time.monotonic()
                self._work = self._thread().submit(self._look)
        finally:
            self._lock.release()

    def _thread(self) -> ThreadPoolExecutor:
        if self._worker is None:
            from concurrent.futures import ThreadPoolExecutor

            self._worker = ThreadPoolExecutor(1, thread_name_prefix="graphdream: what waits is taken in")
        return self._worker

    def end(self) -> None:
        """Wait for what has been begun."""
        with self._lock:
            if self._worker is not None:
                self._worker.shutdown()
                self._worker = self._work = None

    def _look(self) -> None:
        before, waits = self._waited, self._waiting()
        if not waits:
            return
        # Whoever writes takes in what waits; where nobody does, this program sees to it. A fact that was told without
        # waiting met nobody who writes.
        told = any(name.endswith(spool.FACTS) for name in waits)
        somebody_does = before.keys() - waits.keys() or not (before or told)
        if somebody_does and max(waits.values()) < _LEFT_SECONDS:
            return
        from graphdream.library.behind import take_in_apart

        take_in_apart(self._path)
        every, left = self._every, self._waiting().keys()
        if waits.keys() <= left:
            self._every = min(every * 2, _SELDOM_SECONDS)
        elif any(name.endswith(spool.FACTS) for name in left - waits.keys()):
            self._look()  # told meanwhile, when no call could have this begun

    def _waiting(self) -> dict[str, float]:
        """What waits. While nothing does, the next look is due as soon as something has come."""
        state = self._state()
        self._waited = spool.all_waiting(self._path)
        if self._waited:
            self._every = max(self._every, _EVERY_SECONDS)
        elif time.time_ns() - state > _SETTLED_SECONDS * 1e9:
            self._known, self._every = state, 0.0
        else:  # what comes at this moment would leave the same state
            self._every = _SETTLED_SECONDS
        return self._waited

    def _state(self) -> int:
        """Another number where something came or went; 0 where nothing ever waited."""
        try:
            return os.stat(spool.spool_path(self._path)).st_mtime_ns
        except OSError:
            return 0
