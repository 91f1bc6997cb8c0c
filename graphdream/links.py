"""Symbolic links that this program followed to a file: a memory is one under all of its names, and goes by the file's.

Hooks go through here, so only the standard library is loaded.
"""

from __future__ import annotations

import os
from pathlib import Path

_links_to: dict[Path, set[Path]] = {}


def followed(path: str | os.PathLike[str]) -> Path:
    """What a path leads to where it is a symbolic link, else the path; `links_followed` remembers the link."""
    if not os.path.islink(path):
        return Path(path)
    real = Path(os.path.realpath(path))
    _links_to.setdefault(real, set()).add(Path(path).absolute())
    return real


def links_followed(file: Path) -> list[Path]:
    """The links by which this program came to a file. Whether such a link belongs where it lies is asked where the
    file is opened, long after it was followed."""
    return sorted(_links_to.get(file, ()))
