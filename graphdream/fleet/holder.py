"""Which process wrote a small object in object storage, and whether that process is dead."""

from __future__ import annotations

import json
import os
from typing import Any

from graphdream.clock import utc_now
from graphdream.dream.lease import is_gone, this_host

TTL_SECONDS = 60.0  # a holder silent for longer is dead


def this_holder(ttl_seconds: float = TTL_SECONDS) -> dict[str, Any]:
    """What this process writes of itself.

    Args:
        ttl_seconds: silence after which it counts as dead.
    """
    now, host = utc_now(), this_host()
    return {
        "owner": f"{host}/{os.getpid()}/{os.urandom(8).hex()}", "pid": os.getpid(), "host": host, "acquired_at": now,
        "heartbeat_at": now, "ttl_seconds": ttl_seconds,
    }  # fmt: skip


def as_text(told: dict[str, Any]) -> bytes:
    """A holder as it is written."""
    return json.dumps(told).encode()


def parsed(data: bytes) -> dict[str, Any]:
    """What a holder says; one that cannot be read says nothing, and is dead when it has been silent for a minute."""
    try:
        told = json.loads(data)
        held = {"ttl_seconds": float(told["ttl_seconds"]), "pid": int(told["pid"]), "host": str(told["host"])}
        return {**held, "acquired_at": str(told["acquired_at"])}
    except (ValueError, TypeError, KeyError):
        return {}


def is_dead(holder: dict[str, Any], age_seconds: float) -> bool:
    """Whether a holder was silent for too long, or its process is gone.

    Args:
        age_seconds: since it was last written, by the server's clock.
    """
    if age_seconds > float(holder.get("ttl_seconds", TTL_SECONDS)):
        return True
    return is_gone(str(holder.get("host", "")), int(holder.get("pid", 0)))
