"""What was told without waiting and has no place in the graph yet, for prompts that come before it has one.

To find out whether a fact is known already takes longer than a prompt may wait (`graphdream.dream.later`). Until then
its words are all there is of it: they are given as they were told.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from graphdream.errors import IntegrityError
from graphdream.events.spool import FACTS, UnsealedCallError, read_call, waiting
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE
from graphdream.graph.tombstones import Tombstones

_MOST_READ = 64  # files of those that wait: a program that keeps writing may keep thousands of them waiting


class JustTold(NamedTuple):
    """A fact that waits.

    Attributes:
        call: the name by which it waits, which no other has.
        category: the path that was given with it; "" where none was.
        by: who told it, as `graphdream.dream.teller` has it.
    """

    call: str
    text: str
    category: str
    by: str


def just_told(store: Store, *, seen: Collection[str], most: int) -> list[JustTold]:
    """The newest facts that wait beside a file, newest first. Left out is what bears no seal of ours, and what a person
    has purged.

    Args:
        seen: names of calls that are not wanted.
        most: how many at most.
    """
    found: list[JustTold] = []
    purged: Tombstones | None = None
    for path in waiting(store.path, FACTS)[: -_MOST_READ - 1 : -1]:
        told = None if path.name in seen else _read(store, path)
        if told is None:
            continue
        purged = purged or Tombstones(store.seal)
        try:
            is_purged = purged.holds("fact", told.text)
        except IntegrityError:
            is_purged = True
        if not is_purged:
            found.append(told)
        if len(found) == most:
            break
    return found


def _read(store: Store, path: Path) -> JustTold | None:
    try:
        told = json.loads(read_call(path, store.seal))
        texts = (told["text"], told.get("category", ""), told.get("by", "user"))
    except (OSError, ValueError, TypeError, LookupError, AttributeError, UnsealedCallError):
        return None  # taken in meanwhile, or for a person to look at
    return JustTold(path.name, *texts) if all(isinstance(text, str) for text in texts) else None


def placed(store: Store, calls: Collection[str]) -> set[str]:
    """Handles of the facts that calls have become since, also where they were known already."""
    if not calls:
        return set()
    rows = store.connection.execute(
        "SELECT DISTINCT row_id FROM pass JOIN change ON change.id BETWEEN pass.first_change AND pass.last_change"
        " WHERE pass.kind = 'remember' AND change.kind = ?"
        " AND json_extract(inputs, '$.call') IN (SELECT value FROM json_each(?))",
        (ATTRIBUTE.kind, json.dumps(list(calls))),
    )
    return {f"a{row[0]}" for row in rows}
