"""The sides of a comparison, each timed in an interpreter of its own.

What a process did before decides how quick the next thing in it is: its heap has grown already or has holes, its pages
are in a cache, other work has left writes behind. So each side starts from nothing, and what the one before it wrote is
on disk by then. Who compares lets the sides take turns (`in_turn`), so that each meets the same load of the machine.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

Side = Callable[..., dict[str, float]]
"""A function of a module of this folder. Takes texts and numbers; returns figures by name."""


class Stopwatch:
    """Times its block. `figures` are `NAME wall s` and `NAME cpu s`: seconds by the clock and of the processor."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.figures: dict[str, float] = {}

    def __enter__(self) -> Stopwatch:
        self._began = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *fault: object) -> None:
        wall, cpu = time.perf_counter() - self._began[0], time.process_time() - self._began[1]
        self.figures = {f"{self._name} wall s": wall, f"{self._name} cpu s": cpu}


def alone(side: Side, *arguments: str | int | Path) -> dict[str, float]:
    """What a side returns in a fresh interpreter. Paths reach it as texts.

    Raises:
        subprocess.CalledProcessError: it failed; what it said is on stderr.
    """
    if hasattr(os, "sync"):
        os.sync()
    given = json.dumps([str(one) if isinstance(one, Path) else one for one in arguments])
    words = (sys.executable, __file__, Path(inspect.getfile(side)).stem, side.__name__, given)
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def in_turn(sides: Sequence[Callable[[int], dict[str, float]]], rounds: int) -> Iterator[dict[str, float]]:
    """The figures of all sides together, round by round; the order of the sides is reversed from one to the next."""
    for number in range(rounds):
        figures: dict[str, float] = {}
        for side in sides[:: -1 if number % 2 else 1]:
            figures |= side(number)
        yield figures


def main() -> None:
    """What `alone` starts."""
    module, name, given = sys.argv[1:]
    side: Any = getattr(import_module(module), name)
    print(json.dumps(side(*json.loads(given))))


if __name__ == "__main__":
    main()
