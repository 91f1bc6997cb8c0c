"""An end to a call that would not end by itself."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
Beat = Callable[[], None]


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return what `call` returns, or raise what it raises.

    HTTP clients limit the silence between two bytes, not the whole: a provider that sends a blank now and then would
    keep a pass waiting for ever. A call that is given up goes on in a thread that does not keep the process alive.

    Raises:
        TimeoutError: it took longer than `seconds`.
    """
    return within_silences(seconds, seconds, lambda beat: call())


def within_silences(seconds: float, silence_seconds: float, call: Callable[[Beat], T]) -> T:
    """As `within`, for a call that answers bit by bit and calls what it is given at each.

    Before the first bit only the whole is limited: a model may think for as long. A call that was given up is ended at
    its next bit.

    Raises:
        TimeoutError: it took longer than `seconds`, or was silent for longer than `silence_seconds` between two bits.
    """
    events: queue.SimpleQueue[tuple[bool, T | None, BaseException | None]] = queue.SimpleQueue()
    given_up = threading.Event()

    def beat() -> None:
        if given_up.is_set():
            raise TimeoutError("nobody waits for the rest")
        events.put((False, None, None))

    def run() -> None:
        try:
            events.put((True, call(beat), None))
        except BaseException as fault:
            events.put((True, None, fault))

    threading.Thread(target=run, daemon=True, name="model call").start()
    end, patience = time.monotonic() + seconds, seconds
    while True:
        try:
            ended, result, fault = events.get(timeout=max(0.0, min(patience, end - time.monotonic())))
        except queue.Empty:
            given_up.set()
            if time.monotonic() >= end:
                raise TimeoutError(f"no answer within {seconds:g} seconds") from None
            raise TimeoutError(f"the answer stopped for {silence_seconds:g} seconds") from None
        if not ended:
            patience = silence_seconds
        elif fault is not None:
            raise fault
        else:
            return result  # type: ignore[return-value]  # None only where `call` returned it
