"""Which handles a mutation names, so that one of a row that is not there is told before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphdream.mutations.registry import op_named

_HANDLE = re.compile(r"[aesl]\d{1,18}")


def handles_in(body: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every handle of a valid mutation, each with the path of where it stands (`$.source[1]`)."""
    try:
        op = op_named(body.get("op", ""))
    except KeyError:
        return
    for part in op.addresses:
        value = body.get(part.name, "")
        listed = [(f"$.{part.name}", value)] if isinstance(value, str) else [
            (f"$.{part.name}[{place}]", item) for place, item in enumerate(value)
        ]  # fmt: skip
        yield from ((path, item) for path, item in listed if _HANDLE.fullmatch(item))
