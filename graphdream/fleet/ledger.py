"""The ledger of a run: what became of each memory, a line as soon as it is known, so that a run can be resumed.

It lies in the state home, one file a run, of JSON lines: the first says what is to be done, each further one is the
report of a memory, the last says that the run ended. A coordinator that is killed loses at most the line it was
writing, and that memory's own journal knows whether its pass was made.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from graphdream.clock import shifted
from graphdream.errors import BusyError, NotFoundError, UnwritableError
from graphdream.fleet.work import AgentReport, FleetOptions
from graphdream.paths import state_home
from graphdream.sealing.places import place_digest

if TYPE_CHECKING:
    from filelock import FileLock

KEPT = 20  # newest runs of a location whose ledgers are kept
_RUN_ID = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}")


def folder_of(location: str) -> Path:
    """Where the ledgers of a location's runs lie."""
    return state_home() / "fleet" / place_digest(location)


class Ledger:
    """The ledger of one run, held by one process at a time.

    Attributes:
        run: id of the run.
        location: of which location it is.
        options: how each memory is dreamed.
        reports: what became of each memory so far, by name; the latest where it was begun again.
    """

    def __init__(self, path: Path, lock: FileLock, head: Mapping[str, Any]) -> None:
        self.path, self._lock = path, lock
        self.run, self.location = str(head["run"]), str(head["location"])
        self.options = FleetOptions(**head["options"])
        self.reports: dict[str, AgentReport] = {}

    @classmethod
    def begin(cls, location: str, options: FleetOptions, now: str) -> Self:
        """Begin a run.

        Raises:
            UnwritableError: its ledger cannot be written.
        """
        run = f"{_stamp_after(runs_of(location), now)}-{os.urandom(3).hex()}"
        path = folder_of(location) / f"{run}.jsonl"
        head = {"run": run, "location": location, "began_at": now, "options": asdict(options)}
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            ledger = cls(path, _held(path), head)
        except OSError as fault:
            raise _unwritable(path, fault) from fault
        ledger._write(head)
        _forget_old(path.parent)
        return ledger

    @classmethod
    def resume(cls, location: str, run: str = "") -> Self:
        """Take a run up again.

        Args:
            run: its id; "": the newest one of the location.

        Raises:
            NotFoundError: there is no such run.
            BusyError: another process is at it.
        """
        runs = runs_of(location)
        if run and run not in runs:
            raise NotFoundError(f"{location} has no run {run}", _known(runs))
        if not runs:
            raise NotFoundError(f"no run was ever begun for {location}", "begin one without --resume")
        path = folder_of(location) / f"{run or runs[-1]}.jsonl"
        lock = _held(path)
        try:
            head, reports = read(path)
            ledger = cls(path, lock, head)
        except (ValueError, KeyError, TypeError):
            lock.release()
            raise NotFoundError(
                f"the ledger of the run {run or runs[-1]} cannot be read: {path}", "begin a run without --resume"
            ) from None
        ledger.reports = reports
        return ledger

    def note(self, report: AgentReport) -> None:
        """Put what became of a memory on record; it is on disk when this returns."""
        self.reports[report.memory] = report
        self._write({"agent": report.as_json()})

    def end(self, now: str) -> None:
        """Put on record that nothing of the run is left to be done."""
        self._write({"ended_at": now})

    def close(self) -> None:
        """Let another process take the run up."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        text = json.dumps(line, separators=(",", ":")) + "\n"
        try:
            with self.path.open("a", encoding="utf-8") as stream:
                # A line that a killed coordinator left unfinished is ended first, or this one would be part of it.
                if stream.tell() and not _ends_a_line(self.path):
                    text = "\n" + text
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as fault:
            raise _unwritable(self.path, fault) from fault


def read(path: Path) -> tuple[dict[str, Any], dict[str, AgentReport]]:
    """The head of a ledger, and the latest report of each memory. Half a line is passed over.

    Raises:
        ValueError: it has no head.
    """
    head: dict[str, Any] = {}
    reports: dict[str, AgentReport] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            continue
        if isinstance(told, dict) and "agent" in told:
            report = AgentReport.from_json(told["agent"])
            reports[report.memory] = report
        elif isinstance(told, dict) and "run" in told:
            head = told
    if not head:
        raise ValueError(f"{path} has no head")
    return head, reports


def runs_of(location: str) -> list[str]:
    """The ids of a location's runs, oldest first."""
    try:
        return sorted(path.stem for path in folder_of(location).glob("*.jsonl") if _RUN_ID.fullmatch(path.stem))
    except OSError:
        return []


def _stamp_after(runs: list[str], now: str) -> str:
    """How the id of a run begins that is begun now: later than all others, since the newest is the one that is resumed,
    also where the clock was set back, or two runs are begun within a second."""
    stamp = _stamp_of(now)
    if runs and stamp <= runs[-1][: len(stamp)]:
        newest = runs[-1]
        at = f"{newest[:4]}-{newest[4:6]}-{newest[6:11]}:{newest[11:13]}:{newest[13:15]}Z"
        stamp = _stamp_of(shifted(at, 1.0))
    return stamp


def _stamp_of(at: str) -> str:
    """A time as an id has it: `20260401T000000Z`."""
    return re.sub("[-:]", "", at[:19]) + "Z"


def _known(runs: list[str]) -> str:
    return "it has " + ", ".join(runs[-5:]) if runs else "no run was ever begun for it"


def _held(path: Path) -> FileLock:
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_suffix(".lock"))
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise BusyError(f"another process is at the run {path.stem}", "wait for it to end") from None
    return lock


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"


def _forget_old(folder: Path) -> None:
    for path in sorted(folder.glob("*.jsonl"))[:-KEPT]:
        try:
            lock = _held(path)
        except (BusyError, OSError):
            continue  # somebody is at this run, and takes longer than all that were begun since
        for old in (path, path.with_suffix(".lock")):
            with suppress(OSError):
                old.unlink()
        lock.release()


def _unwritable(path: Path, fault: OSError) -> UnwritableError:
    why = fault.strerror or str(fault)
    return UnwritableError(
        f"the ledger of the run cannot be written: {path}: {why}; what was dreamed is kept, and a run that is resumed"
        " knows of it",
        "see that the state home may be written to (GRAPHDREAM_STATE_HOME) and that there is room",
    )
