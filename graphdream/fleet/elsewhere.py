"""A memory in object storage, dreamed: fetched into a private folder, and put back only where it has not changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphdream.errors import NotFoundError
from graphdream.fleet.objectlease import ObjectLease, hold
from graphdream.fleet.objects import SCHEME, ChangedError, Objects
from graphdream.fleet.work import NOT_DUE
from graphdream.fleet.workplace import BESIDE, Workplace, emptied, workplace

ATTEMPTS = 3  # how often a memory that changes meanwhile is fetched and dreamed anew


def dream_elsewhere(
    url: str, dream: Callable[[Path], dict[str, Any]], *, writes: bool, objects: Objects | None = None
) -> dict[str, Any]:
    """Dream a memory in object storage.

    Args:
        url: `s3://bucket/key`.
        dream: dreams a file, and tells what came of it.
        writes: whether what it does to the file is to be kept; a dry run's is not.
        objects: the bucket; None: as the environment has it.

    Returns:
        What `dream` told, of the file that was put back.

    Raises:
        ChangedError: another program wrote it each time.
        BusyError: another process dreams it.
        LeaseLostError: this process was silent for so long that another has taken over.
        NotFoundError: it is gone.
    """
    bucket, _, key = url.removeprefix(SCHEME).partition("/")
    objects = objects or Objects(bucket)
    with workplace(url) as place, hold(objects, key) as lease:
        for _ in range(ATTEMPTS):
            try:
                return _attempt(objects, key, emptied(place), lease, dream, writes)
            except ChangedError:
                continue
    raise ChangedError(
        f"{url} was written by another program each of {ATTEMPTS} times that it was dreamed; it is as that one left it",
        "see that nobody writes to it, then: graphdream fleet dream LOCATION --resume",
    )


def _attempt(
    objects: Objects, key: str, place: Workplace, lease: ObjectLease, dream: Callable[[Path], dict[str, Any]],
    writes: bool,
) -> dict[str, Any]:  # fmt: skip
    # What lies beside it is fetched first: were it fetched last, what a host takes in and removes in between would be
    # in neither. So it may be in both, and what is recorded twice is recorded once.
    beside = _fetched_beside(objects, key, place)
    version = objects.download(key, place.database)
    with place.private():
        before = place.digest()
        told = dream(place.database)
        after = place.digest()
    if not writes or (told["status"] == NOT_DUE and not beside):
        return told  # what a look at the file has noted in it is noted again by the next one
    _put_beside(objects, key, place, beside)
    if after != before:
        lease.confirm()
        place.is_to_be_uploaded()
        objects.put(key, place.database, replacing=version)
        place.was_uploaded()
    # Only now: what was taken in from there is in the memory.
    for addition, version_there in beside.items():
        if addition not in place.beside():
            objects.delete(key + addition, version_there)
    return told


def _fetched_beside(objects: Objects, key: str, place: Workplace) -> dict[str, str]:
    """Fetch what lies beside a memory; the version of each, by what its name adds to the memory's."""
    found = {}
    for end in BESIDE:
        for one in list(objects.list(key + end)):
            addition = one.key.removeprefix(key)
            if addition.count("/") > 1 or addition.endswith("/"):
                continue
            try:
                found[addition] = objects.download(one.key, place.put_beside(addition))
            except NotFoundError:
                continue  # its host has taken it in
    return found


def _put_beside(objects: Objects, key: str, place: Workplace, known: dict[str, str]) -> None:
    """Put back what the dream has left beside the memory, such as a call that could not be taken in."""
    for addition, path in place.beside().items():
        if addition not in known:
            try:
                objects.put(key + addition, path)
            except ChangedError:
                continue  # it is there already
