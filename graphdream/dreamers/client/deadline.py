"""An end to a call that would not end by itself."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return what `call` returns, or raise what it raises.

    HTTP clients limit the silence between two bytes, not the whole: a provider that sends a blank now and then would
    keep a pass waiting for ever. A call that is given up goes on in a thread that does not keep the process alive.

    Raises:
        TimeoutError: it took longer than `seconds`.
    """
    ended: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            ended.put((call(), None))
        except BaseException as fault:
            ended.put((None, fault))

    threading.Thread(target=run, daemon=True, name="model call").start()
    try:
        result, fault = ended.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer within {seconds:g} seconds") from None
    if fault is not None:
        raise fault
    return result  # type: ignore[return-value]  # None only where `call` returned it
