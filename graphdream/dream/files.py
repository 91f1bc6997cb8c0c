"""Files that a pass leaves beside the database: written whole or not at all, and only where they change."""

from __future__ import annotations

import os
from pathlib import Path

from graphdream.litter import beside


def write_whole(path: Path, text: str) -> bool:
    """Put a text into a file by way of another one beside it.

    Returns:
        False where the file holds that text already; it keeps its time, too.
    """
    data = text.encode("utf-8")
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = beside(path)
    fresh.write_bytes(data)
    if path.exists():
        os.chmod(fresh, path.stat().st_mode & 0o7777)
    os.replace(fresh, path)
    return True
