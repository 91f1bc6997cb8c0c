"""Who is who, worked out in a second process while the first looks at the facts.

Both are pure Python for the most part, so threads would only take turns. The second process is a plain interpreter that
reads questions from its standard input: nothing is forked (a pass keeps its lease from a thread), and a program that
calls the library without a `__main__` guard is not started again. Where there is one core, a small graph, or no second
process to be had, the same answer is worked out in this one.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Self

from graphdream.collector import collector_paused
from graphdream.entities.calibration import Sort
from graphdream.entities.records import Record
from graphdream.entities.resolver import Pair, resolve

WORTH_IT = 3_000
"""Records from which a second process takes less time than it costs: it starts in about one second."""
OPEN_PAIRS = 10
"""Pairs that a person is asked about after a look."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """What a look needs of a `Resolution`: small enough to be handed from process to process.

    Attributes:
        clusters: every record's id, and the id of the record that represents its cluster.
        compared: how many pairs were compared.
        undecided: how many of them lie between the reject and the merge threshold.
        likeliest: the likeliest of these, at most `OPEN_PAIRS`, the likeliest first: two ids and the probability.
    """

    clusters: Mapping[str, str]
    compared: int
    undecided: int
    likeliest: tuple[tuple[str, str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class ResolveCall:
    """Arguments of one call of `resolve`."""

    records: tuple[Record, ...]
    max_false_merge_rate: float
    distinct: tuple[Pair, ...] = ()
    changed: Collection[str] | None = None
    sort: Sort = "memory"

    def answer(self) -> Clusters:
        """What `resolve` answers, in short."""
        found = resolve(
            self.records,
            max_false_merge_rate=self.max_false_merge_rate,
            distinct=self.distinct,
            changed=self.changed,
            sort=self.sort,
        )
        apart = {frozenset(pair) for pair in self.distinct}
        open_pairs = [pair for pair in found.band if frozenset(pair[:2]) not in apart]
        return Clusters(found.clusters, len(found.candidates), len(found.band), tuple(open_pairs[:OPEN_PAIRS]))


class Beside:
    """Asks one question at a time, and takes the answer when it is wanted.

    Args:
        records: how many records the first question will hold; few are not worth a second process.
    """

    def __init__(self, records: int) -> None:
        self._wanted = records >= WORTH_IT and _cores() > 1
        self._process: subprocess.Popen[bytes] | None = None
        self._asked: ResolveCall | None = None

    def __enter__(self) -> Self:
        if self._wanted:
            self._process = _started()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    @property
    def process(self) -> int | None:
        """The id of the second process, where there is one."""
        return None if self._process is None else self._process.pid

    def ask(self, question: ResolveCall) -> None:
        """Put a question, the one before being answered."""
        self._asked = question
        if self._process is None:
            return
        try:
            _write(self._process.stdin, question)
        except OSError:
            self._end()

    def answer(self) -> Clusters:
        """The answer to what was asked last.

        Raises:
            RuntimeError: nothing was asked.
        """
        question, self._asked = self._asked, None
        if question is None:
            raise RuntimeError("nothing was asked")
        if self._process is not None:
            try:
                found = _read(self._process.stdout)
            except (OSError, EOFError, pickle.UnpicklingError):
                self._end()  # it was killed, or could not be loaded: this process can answer too
            else:
                return found
        return question.answer()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _started() -> subprocess.Popen[bytes] | None:
    if not sys.executable or getattr(sys, "frozen", False):
        return None  # a program that brings its own interpreter would start itself
    command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
    except OSError:
        return None


def _write(stream: IO[bytes] | None, thing: object) -> None:
    assert stream is not None
    pickle.dump(thing, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()


def _read(stream: IO[bytes] | None) -> Clusters:
    assert stream is not None
    found: Clusters = pickle.load(stream)
    return found


def serve() -> None:
    """Answer the questions of standard input until there are no more."""
    with collector_paused():
        while True:
            try:
                question: ResolveCall = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            _write(sys.stdout.buffer, question.answer())
