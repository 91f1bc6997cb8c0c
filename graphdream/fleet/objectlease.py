"""One dreamer at a time for a memory in object storage: an object beside it that says who, kept alive by a heartbeat.

Taking, keeping and giving back are writes under a condition, so of two that try only one succeeds. What keeps a memory
whole is not the lease but the condition under which it is uploaded; the lease keeps two from paying for one pass. It is
as old as the server's clock says: those of the machines that share it need not agree.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from graphdream.clock import utc_now
from graphdream.dream.lease import LeaseLostError
from graphdream.errors import BusyError, GraphdreamError, NotFoundError
from graphdream.fleet.holder import TTL_SECONDS, as_text, is_dead, parsed, this_holder
from graphdream.fleet.objects import ChangedError, Objects

ENDING = ".lease"
_BEATS_PER_TTL = 4


class ObjectLease:
    """A lease that this process holds."""

    def __init__(self, objects: Objects, key: str, told: dict[str, Any], version: str) -> None:
        self._objects, self._key, self._told, self._version = objects, key, told, version
        self._lock = threading.Lock()
        self._lost = False

    def confirm(self) -> None:
        """Make sure that the lease is still held; counts as a heartbeat.

        Raises:
            LeaseLostError: it is not: this process was silent for so long that another took it over.
        """
        with self._lock:
            if not self._lost:
                try:
                    self._version = self._objects.put(
                        self._key, as_text({**self._told, "heartbeat_at": utc_now()}), replacing=self._version
                    )
                    return
                except ChangedError:
                    self._lost = True
        raise LeaseLostError(f"the lease {self._key} was lost to another process", "run it again")

    def give_back(self) -> None:
        """Let the next one have it. Where that fails it runs out by itself."""
        with self._lock, suppress(GraphdreamError):
            if not self._lost:
                self._objects.delete(self._key, self._version)


@contextmanager
def hold(objects: Objects, memory: str, *, ttl_seconds: float = TTL_SECONDS) -> Iterator[ObjectLease]:
    """Hold the lease of a memory for the time of a `with` block.

    Args:
        memory: the key of its object.
        ttl_seconds: silence after which the holder counts as dead.

    Raises:
        BusyError: a living process holds it.
    """
    lease = _take(objects, memory + ENDING, ttl_seconds)
    stop = threading.Event()
    heart = threading.Thread(target=_beat_until, args=(stop, lease, ttl_seconds), name="object-lease", daemon=True)
    heart.start()
    try:
        yield lease
    finally:
        stop.set()
        heart.join()
        lease.give_back()


def _take(objects: Objects, key: str, ttl_seconds: float) -> ObjectLease:
    told = this_holder(ttl_seconds)
    for _ in range(3):  # what is there may be given back, or taken over, between two looks
        with suppress(ChangedError):
            return ObjectLease(objects, key, told, objects.put(key, as_text(told)))
        try:
            there = objects.read(key)
        except NotFoundError:
            continue
        holder = parsed(there.data)
        if not is_dead(holder, there.age_seconds):
            raise BusyError(
                f"another process dreams it: pid {holder.get('pid')} on {holder.get('host')}, since"
                f" {holder.get('acquired_at')}",
                "wait for it; if it dies it is taken over within a minute",
            )
        with suppress(ChangedError):
            return ObjectLease(objects, key, told, objects.put(key, as_text(told), replacing=there.version))
    raise BusyError(f"{key} changes hands again and again", "try again later")


def _beat_until(stop: threading.Event, lease: ObjectLease, ttl_seconds: float) -> None:
    while not stop.wait(ttl_seconds / _BEATS_PER_TTL):
        try:
            lease.confirm()
        except LeaseLostError:
            return
        except GraphdreamError:
            continue  # the server is out of reach; perhaps not for long
