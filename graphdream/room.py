"""Is there room for what is about to be done: on the disk, and in the memory that the process may have.

Asked before a pass thinks, because what it costs is lost where it cannot be written then.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from graphdream.errors import UnwritableError

# What the libraries of a pass take of address space before they hold any data: 350 MiB on Linux with two cores.
PASS_BYTES = 400 * 1024 * 1024
_SPARE_BYTES = 4 * 1024 * 1024  # for the log's index and what other programs write meanwhile


def confirm_memory() -> None:
    """Raises UnwritableError where the process may have less memory than the libraries of a pass take; those would end
    it without a word."""
    try:
        import resource
    except ImportError:
        return  # no such limits here
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < PASS_BYTES:
        raise UnwritableError(
            f"this process may have {_mb(limit)} of memory, and a pass takes at least {_mb(PASS_BYTES)}",
            "raise the limit (ulimit -v); recall, record and status do with less",
        )


def confirm_disk(database: Path, most_bytes: int = 0) -> None:
    """See to it that the disk has room for what a pass writes: at most as much again as the file is long.

    Args:
        most_bytes: what it writes at most, where that is known to be another figure.

    Raises:
        UnwritableError: it has not; nothing was begun.
    """
    try:
        need = (most_bytes or os.stat(database).st_size) + _SPARE_BYTES
        free = shutil.disk_usage(database.parent).free
    except OSError:
        return  # what cannot be looked at is found out by writing
    if free < need:
        raise UnwritableError(
            f"the disk of {database} has {_mb(free)} left, and this may take {_mb(need)}; nothing was begun",
            "make room on the disk, or move the file",
        )


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
