"""Long work on a graph without the cycle collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Without the cycle collector: a look at a graph, or a pass, makes millions of small objects and no cycles, and a
    good part of its time would go into looking for some. Nested pauses are one; what was on before is on afterwards.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
