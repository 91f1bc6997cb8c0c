"""A memory with hooks: real processes on a real file, and what works behind them ended with the test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from graphdream.graph.store import Store
from graphdream.interfaces.hook import folder as place
from graphdream.interfaces.hook.state import State
from tests.support.nodreams import NO_PASS_IS_DUE

PROJECT = Path(__file__).resolve().parents[3]
WITHIN_SECONDS = 20.0  # what must come to pass, on a machine that others use


@dataclass
class Host:
    """Calls hooks as a host does."""

    database: Path
    env: dict[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def folder(self) -> Path:
        return Path(place.folder_of(str(self.database)))

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "graphdream", "hook", "--db", str(self.database), *words]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.env, cwd=PROJECT)  # fmt: skip

    def fire(self, payload: bytes | dict[str, Any], *words: str) -> str:
        """What the hook printed; it ends with 0 and never complains."""
        told = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        process = self.start(*words)
        out, complaint = process.communicate(told, timeout=WITHIN_SECONDS)
        assert (process.returncode, complaint) == (0, b"")
        return out.decode()

    def memory(self, payload: dict[str, Any], *words: str) -> str:
        """The text that the model was given, of Claude Code's and Codex's form."""
        said = self.fire(payload, *words)
        return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""

    def answered(self, payload: dict[str, Any]) -> str:
        """The same, however long the process that answers takes to start on a busy machine."""
        given: list[str] = []
        self.eventually(lambda: bool(given.append(self.memory(payload)) or given[-1]))
        return given[-1]

    def failures(self) -> list[str]:
        return [line for line, _ in place.failures(str(self.database))]

    def state(self) -> State:
        return State.read(self.folder)

    def behind(self) -> int | None:
        with suppress(OSError, ValueError):
            return int((self.folder / place.LOCK).read_text())
        return None

    def eventually(self, holds: Callable[[], bool], what: str = "") -> None:
        deadline = time.monotonic() + WITHIN_SECONDS
        while not holds():
            assert time.monotonic() < deadline, what or self.failures()
            time.sleep(0.05)

    def rows(self, sql: str, *given: object) -> list[tuple[Any, ...]]:
        if not self.database.exists():
            return []
        with Store.open(self.database) as store:
            return [tuple(row) for row in store.connection.execute(sql, given)]

    def turns(self, session: str) -> list[str]:
        sql = "SELECT content FROM turn JOIN session ON session.id = session_id WHERE key = ? ORDER BY position"
        return [row[0] for row in self.rows(sql, session)]

    def end_behind(self) -> None:
        pid = self.behind()
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("GRAPHDREAM_HOOKS_IDLE_SECONDS", "30")
    monkeypatch.setenv("GRAPHDREAM_HOOKS_ANSWER_SECONDS", "8")  # what others do on this machine is not tested
    for name, value in NO_PASS_IS_DUE.items():  # no pass outlives a test that is not about one
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("GRAPHDREAM_HOOKS", raising=False)
    host = Host(tmp_path / "memory.db")
    yield host
    host.end_behind()
