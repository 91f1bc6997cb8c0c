"""What killed writers leave: files that were to take another's place, and never did. None of them was acknowledged."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

QUIET_SECONDS = 3_600.0  # since the last write; on another machine or in another container the process may live
_NAMES = r"(?:\.keys\.(\d+)\.[0-9a-f]{8}\.tmp|\..*\.(\d+)\.tmp|.*\.db\.anchor\.(\d+))"


def beside(path: Path) -> Path:
    """The file to write before it takes the place of `path`; `sweep` finds it by its name, should nobody rename it."""
    return path.with_name(f".{path.name[:40]}.{os.getpid()}.tmp")


def sweep(folder: Path) -> int:
    """Remove from a folder what dead processes have left. Returns how many files; where it may not, it leaves them."""
    swept = 0
    for path in left_in(folder):
        with suppress(OSError):
            path.unlink()
            swept += 1
    return swept


def left_in(folder: Path) -> list[Path]:
    """The files of dead processes in a folder; none where it cannot be read."""
    out = []
    with suppress(OSError):
        for entry in os.scandir(folder):
            if not entry.name.startswith(".") and ".db.anchor." not in entry.name:
                continue  # and a hook does without the pattern
            found = re.fullmatch(_NAMES, entry.name)
            if found is None or not entry.is_file(follow_symlinks=False):
                continue
            if time.time() - entry.stat().st_mtime >= QUIET_SECONDS and not _lives(int(found[found.lastindex or 1])):
                out.append(Path(entry.path))
    return sorted(out)


def _lives(pid: int) -> bool:
    if os.name != "posix":
        return False  # os.kill would end it there; the time decides
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
