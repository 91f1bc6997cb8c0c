"""The token of the HTTP interface: who reaches the machine over a network has to show it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from graphdream.bounded import whole_text
from graphdream.errors import UsageError

VARIABLE = "GRAPHDREAM_HTTP_TOKEN"
FILE = "http-token"
_FEWEST = 16  # characters


def token_path(database: Path) -> Path:
    """Where the token of a memory lies: beside its database, for its owner alone to read."""
    return database.with_name(f"{database.name}.{FILE}")


def token_of(database: Path) -> str:
    """The token: `$GRAPHDREAM_HTTP_TOKEN`, else the one beside the database, which is made where it is missing.

    Raises:
        UsageError: it is too short to keep anybody out, or its file is open to others.
    """
    given = os.environ.get(VARIABLE, "")
    path = token_path(database)
    if not given:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if os.name != "nt" and path.stat().st_mode & 0o077:
                raise UsageError(f"{path} is open to others", f"chmod 600 {path}") from None
            try:
                given = whole_text(path, encoding="ascii", errors="replace").strip()
            except OSError as fault:
                raise UsageError(f"{path} cannot be read: {fault.strerror}", "remove it: a new one is made") from None
        else:
            given = secrets.token_urlsafe(32)
            with os.fdopen(descriptor, "w", encoding="ascii") as out:
                out.write(given + "\n")
    if len(given) < _FEWEST:
        raise UsageError(
            f"the token has {len(given)} characters; {_FEWEST} are the fewest",
            f"leave ${VARIABLE} out and remove {path}: a new one is made",
        )
    return given
