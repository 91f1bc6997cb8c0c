"""Passes that were asked for over HTTP, each in a process of its own.

A pass computes for seconds to minutes; beside it pages must stay quick, and a server that is told to end must not wait
for it. A process of its own gives both: it shares no interpreter with the pages, it can be interrupted in the middle
(its transaction is rolled back, its lease given back), and if the server dies it ends its pass by itself.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from graphdream.clock import Clock, utc_now
from graphdream.errors import BusyError

_KEPT = 20  # jobs that are remembered
_INTERRUPT_SECONDS = 5.0  # that a pass may take to roll back

State = Literal["running", "done", "failed"]


@dataclass(frozen=True, slots=True)
class Job:
    """One pass, or one cycle, that was asked for.

    Attributes:
        what: "dream" or "cycle".
        words: the options of that command.
        trigger: what asked: "http" or "schedule".
        step: what it is doing; done and total tell how much of it, 0 where nobody knows.
        report: what the command prints with --json; None until it has ended.
        error: why it failed, with the next step.
    """

    id: int
    what: str
    words: tuple[str, ...]
    trigger: str
    started_at: str
    state: State = "running"
    ended_at: str | None = None
    step: str = "starting"
    done: int = 0
    total: int = 0
    report: dict[str, Any] | None = None
    exit_code: int | None = None
    error: str = ""


@dataclass(slots=True)
class _Running:
    job: Job
    process: subprocess.Popen[str]
    ended: threading.Event = field(default_factory=threading.Event)


class Jobs:
    """Starts jobs, one at a time, and knows how far each is.

    Args:
        which: `--db`, `--agent`: the words that name the memory.
        program: how the command line is started.
    """

    def __init__(
        self,
        which: Sequence[str],
        *,
        program: Sequence[str] = (sys.executable, "-m", "graphdream"),
        clock: Clock = utc_now,
    ) -> None:
        self._which, self._program, self._clock = tuple(which), tuple(program), clock
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._past: deque[Job] = deque(maxlen=_KEPT)
        self._count = 0
        self.version = 0
        """Grows with every change of any job: who shows them asks again when it has."""

    def start(self, what: str, words: Sequence[str] = (), *, trigger: str = "http") -> Job:
        """Start a job and return at once.

        Raises:
            BusyError: one is running.
        """
        with self._lock:
            if self._running is not None:
                raise BusyError(
                    f"{self._running.job.what} {self._running.job.id} is running", "wait for it: GET /api/dream/status"
                )
            self._count += 1
            job = Job(self._count, what, tuple(words), trigger, self._clock())
            process = subprocess.Popen(
                [*self._program, what, "--json", "--progress", "--started-by", trigger, *words, *self._which],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env=os.environ | {"PYTHONIOENCODING": "utf-8"},
                start_new_session=True,  # Ctrl-C at the server's terminal is the server's to pass on
            )
            self._running = running = _Running(job, process)
            self.version += 1
        threading.Thread(target=self._watch, args=(running,), name=f"job-{job.id}", daemon=True).start()
        return job

    def wait(self, job: Job) -> Job:
        """Wait for a job's end and return it as it ended."""
        with self._lock:
            running = self._running if self._running is not None and self._running.job.id == job.id else None
        if running is not None:
            running.ended.wait()
        return next(past for past in self._past if past.id == job.id)

    def latest(self) -> Job | None:
        """The job that is running, else the last one; None where none was asked for."""
        with self._lock:
            if self._running is not None:
                return self._running.job
            return self._past[-1] if self._past else None

    def stop(self) -> None:
        """Interrupt the job that is running, if one is, and see it out."""
        with self._lock:
            running = self._running
        if running is None:
            return
        running.process.send_signal(signal.SIGINT)
        if not running.ended.wait(_INTERRUPT_SECONDS):
            running.process.kill()  # the file survives that: what was not committed was never there
            running.ended.wait(_INTERRUPT_SECONDS)

    def _watch(self, running: _Running) -> None:
        said: list[str] = []
        told = threading.Thread(target=self._hear, args=(running, said), daemon=True)
        told.start()
        assert running.process.stdout is not None
        printed = running.process.stdout.read()
        code = running.process.wait()
        told.join()
        try:
            report = json.loads(printed)
        except ValueError:
            report = None
        # A cycle of which one pass failed has a report all the same, and ends with 1.
        failed = not isinstance(report, dict)
        error = " ".join(said)[-2000:] if code else ""
        if failed and not error:
            error = f"it ended with exit code {code}"
        self._change(
            running,
            state="failed" if failed else "done",
            ended_at=self._clock(),
            step="",
            report=report if isinstance(report, dict) else None,
            exit_code=code,
            error=error,
        )

    def _hear(self, running: _Running, said: list[str]) -> None:
        """Standard error: progress as JSON objects, one a line; whatever else comes is why it failed."""
        assert running.process.stderr is not None
        for line in running.process.stderr:
            try:
                told = json.loads(line)["progress"]
                self._change(running, step=str(told["what"]), done=int(told["done"]), total=int(told["total"]))
            except (ValueError, KeyError, TypeError):
                said.append(line.strip())

    def _change(self, running: _Running, **new: Any) -> None:
        with self._lock:
            running.job = replace(running.job, **new)
            if running.job.state != "running":
                self._past.append(running.job)
                self._running = None
                running.ended.set()
            self.version += 1
