"""Loading, and long work on a graph, without the cycle collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_loading = False


def begin_loading() -> None:
    """Pause the cycle collector while a program is loaded, which stays. For the process of a program only."""
    global _loading
    _loading = gc.isenabled()
    gc.disable()


def end_loading() -> None:
    """Go on with the cycle collector where loading was begun: among what is made from now on, not what was loaded."""
    global _loading
    if _loading:
        _loading = False
        gc.freeze()
        gc.enable()


def leave_the_rest() -> None:
    """Look for no more cycles: the process ends, and what it holds ends with it. The interpreter would look through all
    of that several times on its way out, for seconds after a large pass. For the process of a program only."""
    gc.disable()
    gc.freeze()


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
