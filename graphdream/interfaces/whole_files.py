"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def put(path: Path, content: bytes | None) -> None:
    """Write a file whole, with the rights that it had; None removes it. The file is the old one or the new one."""
    if content is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(fresh, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            os.chmod(fresh, stat.S_IMODE(path.stat().st_mode))
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
