"""Which fields of a mutation address rows, so that a handle of a row that is not there is told before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

ADDRESSES: dict[str, tuple[str, ...]] = {
    "create_entity": (),
    "merge_entities": ("source", "target"),
    "delete_entity": ("name",),
    "update_aspect": ("entity",),
    "delete_aspect": ("entity",),
    "supersede_attribute": ("entity", "old", "new"),
    "create_attribute": ("entity",),
    "delete_attribute": ("entity", "content"),
    "rename_entity": ("entity",),
    "retype_entity": ("entity",),
    "split_entity": ("entity", "attributes", "links"),
    "merge_aspects": ("entity",),
    "merge_attributes": ("source", "target"),
    "move_attribute": ("attribute", "entity"),
    "reinforce_attribute": ("attribute",),
    "link": ("source", "target"),
    "unlink": ("link",),
    "merge_links": ("source", "target"),
    "add_alias": ("entity",),
    "mark_distinct": ("first", "second"),
    "flag_contradiction": ("first", "second"),
    "resolve_contradiction": ("first", "second", "keep"),
    "restore": ("row",),
}
"""By `op` of what may be proposed: the fields that hold a handle, or a name or text that a handle may stand for."""

_HANDLE = re.compile(r"[aesl]\d{1,18}")


def handles_in(body: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every handle of a valid mutation, each with the path of where it stands (`$.source[1]`)."""
    for name in ADDRESSES.get(body.get("op", ""), ()):
        value = body.get(name, "")
        listed = [(f"$.{name}", value)] if isinstance(value, str) else [
            (f"$.{name}[{place}]", item) for place, item in enumerate(value)
        ]  # fmt: skip
        yield from ((path, item) for path, item in listed if _HANDLE.fullmatch(item))
