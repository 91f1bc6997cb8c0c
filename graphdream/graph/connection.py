"""A connection that says, once it is closed, that it is; whoever kept a part of a memory meets no error of SQLite's."""

from __future__ import annotations

import sqlite3

from graphdream.errors import UsageError

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from typing import Any, NoReturn


def _refused(*given: Any, **named: Any) -> NoReturn:
    raise UsageError("the memory is closed", "open it again: graphdream.open")


class Connection(sqlite3.Connection):
    """A connection to a memory's file."""

    def close(self) -> None:
        """Close. Whatever it is asked from then on is refused, without a look before each of very many calls while it
        is open: it becomes one of another kind."""
        super().close()
        self.__class__ = _Closed


class _Closed(Connection):
    """One that was closed. To close it once more does nothing."""

    in_transaction = False
    close = sqlite3.Connection.close
    backup = blobopen = commit = create_function = cursor = execute = executemany = executescript = iterdump = _refused
    rollback = _refused
