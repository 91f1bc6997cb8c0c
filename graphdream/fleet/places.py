"""Where the memories of a fleet are: the files of a folder, and which agent each of them belongs to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from graphdream.errors import NotFoundError
from graphdream.outputs import is_memory
from graphdream.paths import data_home

ENDING = ".db"


class Found(NamedTuple):
    """A memory of a fleet.

    Attributes:
        memory: its name: its path within the location, with `/` between folders.
        path: where it is.
        size: in bytes.
        agent: the agent whose home it lies in; None: of none.
    """

    memory: str
    path: str
    size: int
    agent: str | None = None


class Location(NamedTuple):
    """What lies at a location.

    Attributes:
        memories: by name.
        others: files that are named like a memory and are none, by name.
    """

    memories: tuple[Found, ...]
    others: tuple[str, ...]


def look(folder: Path) -> Location:
    """The memories of a folder and of the folders in it; a file of several names is one memory.

    Raises:
        NotFoundError: there is no such folder, or no memory in it.
    """
    if not folder.is_dir():
        raise NotFoundError(f"there is no folder {folder}", "name the folder that the agents' memories are in")
    memories, others, seen = [], [], set()
    for path in sorted(_named_like_memories(folder)):
        name = path.relative_to(folder).as_posix()
        if not _may_be_memory(path):
            others.append(name)
            continue
        found = path.stat()
        if (found.st_dev, found.st_ino) not in seen:
            seen.add((found.st_dev, found.st_ino))
            memories.append(Found(name, str(path), found.st_size, agent_of(path)))
    if not memories:
        raise NotFoundError(
            f"there is no memory in {folder}", f"a memory is a file that graphdream made, named *{ENDING}"
        )
    return Location(tuple(memories), tuple(others))


def _named_like_memories(folder: Path) -> list[Path]:
    out = []
    for inside, _, names in os.walk(folder):
        out += [Path(inside) / name for name in names if name.endswith(ENDING)]
    return [path for path in out if path.is_file()]


def _may_be_memory(path: Path) -> bool:
    """Whether a file is one of ours. What says so may still be in the log, where whoever made the file was killed."""
    log = path.with_name(path.name + "-wal")
    return is_memory(path) or (log.is_file() and log.stat().st_size > 0)


def agent_of(path: Path) -> str | None:
    """The agent in whose home a memory lies, so that its own settings count; None where it lies elsewhere."""
    agents = data_home() / "agents"
    folder = path.absolute().parent
    return folder.name if folder.parent == agents.absolute() else None
