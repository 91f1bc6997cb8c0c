"""Thinking about the parts of a large graph, each in a process of its own.

What was read of one part is of no use to the next, and a process that ends gives all of its memory back. Two parts are
thought about at the same time where there are two cores. A process is a plain interpreter that reads the view from its
standard input and stays until the part is done with, so that to think again costs little; nothing is forked (a pass
keeps its lease from a thread), and a program that calls the library is not started again. Where no process is to be
had, or it was killed, the same is thought in this one.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Lock, Thread
from types import TracebackType
from typing import Protocol, Self

from graphdream.collector import collector_paused
from graphdream.dreamers.base import Thought
from graphdream.dreamers.gathered import Gathered
from graphdream.dreamers.local import LocalDreamer

MOST_ASIDE = 2
"""Parts that are thought about at the same time, on however many cores: each of them takes its memory."""


class _Thinks(Protocol):
    def think(self, gathered: Gathered) -> Thought: ...


class Thinking:
    """What is being thought about one view.

    Attributes:
        view: what the dreamer is shown.
        answer: the thought.
    """

    def __init__(self, view: Gathered, dreamer: _Thinks) -> None:
        self.view, self.answer = view, Future[Thought]()
        self._dreamer = dreamer

    def begin(self) -> None:
        """Think about the view as it is."""
        self.answer = Future()
        self.answer.set_result(self._dreamer.think(self.view).packed())

    def again(self, vetoes: frozenset[str]) -> None:
        """Think once more, with these vetoes besides; there is another `answer` then."""
        self.view = replace(self.view, declined=self.view.declined | vetoes)
        self.begin()

    def end(self) -> None:
        """Nothing more is asked."""


class _ThinkingAside(Thinking):
    """The same in another process."""

    def __init__(self, view: Gathered, rate: float, threads: ThreadPoolExecutor, here: Lock) -> None:
        super().__init__(view, LocalDreamer(rate, alone=True))
        self._rate, self._threads, self._here = rate, threads, here
        self._process: subprocess.Popen[bytes] | None = None
        self._is_shown = self._has_ended = False

    def begin(self) -> None:
        if self._process is None and not self._is_shown:
            self._process = _started()
        self.answer = self._threads.submit(self._think)

    def _think(self) -> Thought:
        process = self._process
        if process is not None:
            try:
                assert process.stdin is not None and process.stdout is not None
                question = self.view.declined if self._is_shown else (self._rate, self.view)
                pickle.dump(question, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
                process.stdin.flush()
                self._is_shown = True
                thought: Thought = pickle.load(process.stdout)
                return thought
            except (OSError, EOFError, pickle.UnpicklingError):
                self._end()  # it was killed, or could not be loaded
        with self._here:
            if self._has_ended:
                return Thought(())  # nobody waits for it any more
            return self._dreamer.think(self.view).packed()

    def end(self) -> None:
        self._has_ended = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError, ValueError):
                process.communicate()


class Aside:
    """Has views thought about: by a local dreamer in processes of their own, by any other one here and at once.

    Attributes:
        most: views that are worth beginning before the first of them is done with.
    """

    def __init__(self) -> None:
        self.most = min(_cores(), MOST_ASIDE)
        self._threads = ThreadPoolExecutor(self.most, "graphdream-aside")
        self._here = Lock()
        self._begun: list[_ThinkingAside] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one in self._begun:
            one.end()
        self._threads.shutdown(cancel_futures=True)

    def begin(self, view: Gathered, dreamer: _Thinks) -> Thinking:
        """Begin to think about a view."""
        thinking: Thinking
        if isinstance(dreamer, LocalDreamer):
            thinking = _ThinkingAside(view, dreamer.max_false_merge_rate, self._threads, self._here)
            self._begun = [one for one in self._begun if not one._has_ended]
            self._begun.append(thinking)
        else:
            thinking = Thinking(view, dreamer)
        thinking.begin()
        return thinking


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _started() -> subprocess.Popen[bytes] | None:
    if not sys.executable or getattr(sys, "frozen", False):
        return None  # a program that brings its own interpreter would start itself
    path = os.pathsep.join(entry for entry in sys.path if entry)
    with suppress(OSError):
        return subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
    return None


def _end_with(parent: int) -> None:
    """End this process when the one that started it is gone: a thought takes a minute, and nobody waits for it then."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def serve() -> None:
    """Think about the view of standard input, then again with each set of declined questions that follows."""
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with collector_paused(), suppress(EOFError):
        rate, view = pickle.load(sys.stdin.buffer)
        dreamer = LocalDreamer(rate, alone=True)
        while True:
            pickle.dump(dreamer.think(view).packed(), sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)
            sys.stdout.buffer.flush()
            view = replace(view, declined=pickle.load(sys.stdin.buffer))
