"""Writes that do not wait for the disk: no test takes the power away, and what a process has written outlives that process
without it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from graphdream.graph import store


@contextmanager
def unwaited() -> Iterator[None]:
    """Within the block, no commit to a memory that this process opens waits until the disk has it."""
    connect = store.connect

    def opened(*given: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(*given, **named)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "connect", opened)
        yield
