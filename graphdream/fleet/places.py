"""Where the memories of a fleet are: in a folder or in object storage, and which agent each of them belongs to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from graphdream.errors import NotFoundError, UsageError
from graphdream.fleet.objects import SCHEME, Objects
from graphdream.outputs import is_memory
from graphdream.paths import data_home, expanded

ENDING = ".db"
_NOT_THERE = {"memory": "what is in the memory of one process, the processes that dream it cannot see"}


class Found(NamedTuple):
    """A memory of a fleet.

    Attributes:
        memory: its name: its path within the location, with `/` between folders.
        path: where it is: a path, or the address of an object.
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
        name: the folder's whole path, or the address.
        memories: by name.
        others: files that are named like a memory and are none, by name.
    """

    name: str
    memories: tuple[Found, ...]
    others: tuple[str, ...]


def look(location: str | os.PathLike[str]) -> Location:
    """The memories of a folder and of the folders in it, or of a bucket below a prefix; of a folder, a file of several
    names is one memory.

    Raises:
        NotFoundError: there is no such folder, or no memory in it.
        UsageError: it is a place where a fleet cannot dream.
        UnwritableError: the server cannot be used, or keeps to no conditions.
    """
    told = os.fspath(location)
    scheme, separator, rest = told.partition("://")
    if separator and scheme == "file":
        return look(url2pathname(urlsplit(told).path) or "/")
    if separator and scheme == "s3":
        return _look_into_bucket(*rest.partition("/")[::2])
    if separator:
        why = _NOT_THERE.get(scheme, "a fleet dreams in folders and in object storage that speaks as S3 does")
        raise UsageError(f"{scheme}:// is no place for a fleet: {why}", "name a folder, or s3://BUCKET/PREFIX")
    return _look_into_folder(Path(os.path.realpath(expanded(told))))


def _look_into_folder(folder: Path) -> Location:
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
    return Location(str(folder), tuple(memories), tuple(others))


def _look_into_bucket(bucket: str, prefix: str) -> Location:
    """Whether each object is a memory is found out by who dreams it: here that would be a request for each."""
    objects = Objects(bucket)
    prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
    memories = [
        Found(one.key.removeprefix(prefix), f"{SCHEME}{bucket}/{one.key}", one.size)
        for one in objects.list(prefix)
        if one.key.endswith(ENDING)
    ]
    name = f"{SCHEME}{bucket}/{prefix}"
    if not memories:
        raise NotFoundError(f"there is no memory in {name}", f"a memory is an object named *{ENDING}")
    objects.check_conditions(prefix)
    return Location(name, tuple(memories), ())


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
