"""Dream a fleet: hand every memory to an executor, note what comes back, and go on whatever fails."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.dreamers.client.limits import Queue, Rates, Turnstile
from graphdream.fleet.lanes import check_jobs
from graphdream.fleet.ledger import Ledger
from graphdream.fleet.places import Found, Location, look
from graphdream.fleet.pool import LocalPool, usable_cores
from graphdream.fleet.sharing import QueueServer, Sharing
from graphdream.fleet.work import FAILED, AgentReport, FleetOptions, Task, dream_agent
from graphdream.progress import tell

ATTEMPTS = 2  # how often a memory is begun whose process is killed, before that is taken for its own fault
_KILLED = "the process that dreamed it was killed, {} times: too little memory, or a fault below Python"


@dataclass(frozen=True, slots=True)
class FleetReport:
    """What a run of a fleet did.

    Attributes:
        run: its id, by which it can be resumed.
        location: the folder, or the address.
        agents: a report for each memory, by name.
        others: files that are named like a memory and are none.
        resumed: how many of the reports were on record from before.
        seconds: of wall time, of this process.
        jobs: processes that worked at the same time.
        ledger: the file in which all of it stands.
    """

    run: str
    location: str
    agents: tuple[AgentReport, ...]
    others: tuple[str, ...]
    resumed: int
    seconds: float
    jobs: int
    ledger: str

    @property
    def failed(self) -> tuple[AgentReport, ...]:
        """The agents whose memories were not dreamed."""
        return tuple(one for one in self.agents if not one.is_done)

    @property
    def counts(self) -> dict[str, int]:
        """How many agents ended in which status, the most frequent first."""
        return dict(Counter(one.status for one in self.agents).most_common())

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "run": self.run, "location": self.location, "counts": self.counts, "resumed": self.resumed,
            "seconds": self.seconds, "jobs": self.jobs, "ledger": self.ledger, "not_memories": list(self.others),
            "agents": [one.as_json() for one in self.agents],
        }  # fmt: skip


def dream_fleet(
    location: str | os.PathLike[str],
    options: FleetOptions | None = None,
    *,
    jobs: int | None = None,
    resume: str | None = None,
    agent: str | None = None,
    rates: Rates | None = None,
    executor: Executor | None = None,
    each: Callable[[AgentReport], object] = lambda report: None,
    clock: Clock = utc_now,
) -> FleetReport:
    """Dream every memory of a folder or of a bucket, each once.

    A program that calls this starts its work below `if __name__ == "__main__":`, as with every pool of processes.

    Args:
        location: a folder, or `s3://bucket/prefix`; every memory in it and below it (`*.db`) is one agent's.
        options: how each dreams; None: what is due of it. Of a run that is resumed, what it was begun with.
        jobs: processes; None: as many as there are cores.
        resume: the id of a run to take up again, "" for the newest; None begins a new one.
        agent: whose settings count for memories that lie in no agent's home; None: those that all agents share.
        rates: what the provider of the model allows all agents together, shared fairly between them; None: what the
            settings say.
        executor: what runs the work, in the place of processes of this machine; it is not shut down. Where its
            processes are on other machines, it is one that has `shared`, as `graphdream.fleet.sharing.Sharing` says,
            or nothing is limited.
        each: is told of every memory as soon as it is done or has failed.
        clock: where times come from.

    Raises:
        UsageError: the number of processes is none, or the place is none where a fleet can dream.
        NotFoundError: there is no such folder, no memory in it, or no such run.
        BusyError: another process is at the run.
        UnwritableError: the ledger cannot be written.
    """
    began = time.monotonic()
    jobs = usable_cores() if jobs is None else jobs
    check_jobs(jobs)
    found = look(location)
    with _opened(found.name, options or FleetOptions(), resume, clock) as ledger:
        done = {name for name, report in ledger.reports.items() if report.is_done}
        left = [one for one in _largest_first(found) if one.memory not in done]
        jobs = min(jobs, len(left)) or 1

        def note(report: AgentReport) -> None:
            ledger.note(report)
            each(report)

        with _shared(_rates_of(agent) if rates is None else rates, executor) as queue:
            tasks = [Task(one.memory, one.path, ledger.run, ledger.options, one.agent or agent, queue) for one in left]
            if executor is not None:
                _work(executor, tasks, note)
            elif tasks:
                with LocalPool(jobs) as pool:
                    _work(pool, tasks, note)
        ledger.end(clock())
        reports = [ledger.reports[one.memory] for one in found.memories]
        return FleetReport(
            ledger.run, found.name, tuple(reports), found.others, len(reports) - len(left),
            round(time.monotonic() - began, 3), jobs, str(ledger.path),
        )  # fmt: skip


def _rates_of(agent: str | None) -> Rates:
    from graphdream.config import load_settings
    from graphdream.paths import settings_path

    dreaming = load_settings(settings_path(agent)).dreaming
    return Rates(dreaming.requests_per_minute, dreaming.tokens_per_minute)


@contextmanager
def _shared(rates: Rates, executor: Executor | None) -> Iterator[Queue | None]:
    """Where the calls of all workers wait for their turn; None where nothing is limited."""
    if not rates:
        yield None
    elif isinstance(executor, Sharing):
        with executor.shared(rates) as queue:
            yield queue
    else:
        with QueueServer(Turnstile(rates)) as server:
            yield server.queue


def _opened(location: str, options: FleetOptions, resume: str | None, clock: Clock) -> Ledger:
    return Ledger.begin(location, options, clock()) if resume is None else Ledger.resume(location, resume)


def _largest_first(found: Location) -> Iterable[Found]:
    """So that no process is left alone with a large memory at the end (Graham's LPT rule, 1969)."""
    return sorted(found.memories, key=lambda one: (-one.size, one.memory))


def _work(executor: Executor, tasks: list[Task], note: Callable[[AgentReport], None]) -> None:
    """Have every task done. One whose process is killed is begun again, and then given up."""
    waiting: dict[Future[AgentReport], tuple[Task, int]] = {
        executor.submit(dream_agent, task): (task, 1) for task in tasks
    }
    done = 0
    while waiting:
        tell("dreaming agents", done, len(tasks))
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            task, attempt = waiting.pop(future)
            report = _outcome(future, task, attempt)
            if report is None:
                waiting[executor.submit(dream_agent, task)] = (task, attempt + 1)
                continue
            note(replace(report, attempts=attempt))
            done += 1
    tell("dreaming agents", done, len(tasks))


def _outcome(future: Future[AgentReport], task: Task, attempt: int) -> AgentReport | None:
    """The report of a task; None where it is to be begun again."""
    try:
        return future.result()
    except BrokenExecutor:
        if attempt < ATTEMPTS:
            return None
        return AgentReport(task.memory, FAILED, error=_KILLED.format(attempt), code=3)
    except Exception as fault:  # of the executor itself: nothing of a dream is raised
        return AgentReport(task.memory, FAILED, error=f"it could not be begun: {fault}", code=70)
