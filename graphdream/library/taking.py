"""What was put beside the file, taken in for those who read it.

What this program has put aside is taken in before its next call, which may ask for it. What others have put there is
taken in by a thread of its own, for to write means to wait for the disk, and for whoever else writes.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from graphdream.dream.later import take_in_waiting
from graphdream.errors import GraphdreamError
from graphdream.events import spool
from graphdream.graph.store import Store

_EVERY_SECONDS = 1.0  # that what others have put aside is looked at, at most


class TakingIn:
    """Takes in what waits beside one file, for all threads of one program."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None
        self._looked_at = time.monotonic()
        self._own = -1  # calls that this program had put aside when nothing waited any more
        self._known = -1  # the state of the folder when nothing waited any more

    def before_a_call(self, store: Store) -> None:
        """Take in what this program has put aside, and see to it that somebody takes in what others have."""
        if self._own != spool.put_here:
            put_here = spool.put_here
            take_in_waiting(store)
            if not spool.anything_waits(self._path):
                self._own = put_here
            return
        if time.monotonic() - self._looked_at < _EVERY_SECONDS or self._known == self._state():
            return
        with self._lock:
            if self._worker is None or not self._worker.is_alive():
                self._looked_at = time.monotonic()
                self._worker = threading.Thread(target=self._take_in, name="graphdream: what waits is taken in")
                self._worker.start()

    def end(self) -> None:
        """Wait for what has been begun."""
        with self._lock:
            if self._worker is not None:
                self._worker.join()

    def _take_in(self) -> None:
        state = self._state()
        if not spool.anything_waits(self._path):
            self._known = state
            return
        with suppress(GraphdreamError, OSError), Store.open(self._path, create=False) as store:
            take_in_waiting(store)  # where it cannot be done now, it waits until the next look

    def _state(self) -> int:
        """Another number where something came or went; 0 where nothing ever waited."""
        try:
            return os.stat(spool.spool_path(self._path)).st_mtime_ns
        except OSError:
            return 0
