"""Fleets as real processes, which tests look at and kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from graphdream.graph.store import Store
from graphdream.journal.passes import list_passes
from graphdream.journal.verify import verify

PROJECT = Path(__file__).resolve().parents[2]


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "graphdream", "fleet", "dream", *words, "--json"], cwd=PROJECT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def told(process: subprocess.Popen[str], code: int = 0) -> tuple[dict[str, Any], str]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, f"exit {process.returncode}\n{out}{err}"
    return json.loads(out), err


def dreams_of(path: Path) -> list[dict[str, Any]]:
    """The dreams of a memory, which must be whole."""
    with Store.open(path, create=False) as store:
        assert verify(store).ok
        return [one for one in list_passes(store.connection) if one["kind"] == "dream"]


def workers_of(pid: int) -> list[int]:
    """The processes that work for a coordinator."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid and "spawn_main" in (folder / "cmdline").read_text():
                found.append(int(folder.name))
    return found


def descendants_of(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    found, left = [], [pid]
    while left:
        found += (more := children.get(left.pop(), []))
        left += more
    return found


def has_open(pid: int, name: str) -> bool:
    """Whether a process has a file of that name open."""
    with suppress(OSError):
        return any(Path(os.readlink(file)).name == name for file in Path(f"/proc/{pid}/fd").iterdir())
    return False


def until(asked: Callable[[], Any], seconds: float = 60.0) -> Any:
    end = time.monotonic() + seconds
    while not (found := asked()):
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)
    return found
