"""Take one merge out of the pass that made it: the old entity comes back under its old handle, with what was its own.

What is its own is read from the journal: the aspects, facts, links and mentions that hung on it when it was merged come
back to it, wherever they hang by now; what was added since stays with the entity that had absorbed it. What the merge
added up is taken apart again: counts by subtraction, first and last times as they are without it. Facts of the one that
were folded into, or replaced by, facts of the other stand for themselves again.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.errors import ConflictError, UsageError, quoted
from graphdream.graph.rows import fetch, handle, parse_handle
from graphdream.graph.store import Store
from graphdream.graph.tables import ENTITY
from graphdream.journal.lineage import merge_of
from graphdream.journal.parting import Parting
from graphdream.journal.passes import PassHeader, get_pass, open_pass
from graphdream.journal.soundness import confirm_journal
from graphdream.journal.verdicts import (
    NOT_OURS,
    TAKEN_APART,
    Absorption,
    Verdict,
    absorptions_of,
    in_words,
    reject,
    verdicts_on,
)


@dataclass(frozen=True, slots=True)
class UnmergeReport:
    """What an unmerge did.

    Attributes:
        pass_id: its own id.
        entity: handle of the one that is back.
        from_entity: handle of the one that had absorbed it.
        name: of the one that is back.
        merged_by: the pass that had merged them.
        facts: how many facts came back to it.
        rejected: pairs of entities that are remembered as not the same.
    """

    pass_id: int
    entity: str
    from_entity: str
    name: str
    merged_by: int
    facts: int
    rejected: tuple[Verdict, ...]

    def as_text(self) -> str:
        """The report for a person."""
        facts = f"{self.facts:,} fact{'' if self.facts == 1 else 's'}"
        lines = [
            f"pass {self.pass_id}: {self.entity} ({quoted(self.name)}) is back with {facts},"
            f" out of {self.from_entity}; pass {self.merged_by} had merged them"
        ]
        if self.rejected:
            lines.append(in_words(self.rejected))
        else:
            lines.append("  held: no pass does that again by itself; graphdream dream --again may")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "pass": self.pass_id, "entity": self.entity, "from": self.from_entity, "merged_by": self.merged_by,
            "facts": self.facts, "distinct": [[f"e{one.first_id}", f"e{one.second_id}"] for one in self.rejected],
        }  # fmt: skip


def unmerge(
    store: Store, reference: str, *, wrong: bool = False, actor: str = "person", clock: Clock = utc_now
) -> UnmergeReport:
    """Take an entity out of the one that absorbed it, as a pass of its own.

    Args:
        reference: handle of the absorbed entity.
        wrong: the merge was wrong: the entity is none of those it was one with, which is remembered and counted.
        actor: who asked for it, for the record.

    Raises:
        UsageError: the reference is no handle of an entity.
        NotFoundError: there is no such entity.
        ConflictError: it is not absorbed, what absorbed it is no longer active, or nobody knows what was its own.
        IntegrityError: the file, or its journal, is not what was sealed.
    """
    parsed = parse_handle(reference)
    if parsed is None or parsed[0] is not ENTITY:
        raise UsageError(f"{reference!r} is no handle of an entity", "graphdream entity NAME --history shows them")
    connection, number = store.connection, parsed[1]
    store.seal.require_sound()
    confirm_journal(store)
    merge, above = _merge_of(connection, number)
    options = {"actor": actor, "entity": handle(ENTITY, number), "merged_by": merge.pass_id, "wrong": wrong}
    with open_pass(store, PassHeader("unmerge", trigger="person", options=options), clock=clock) as current:
        facts = Parting(store, merge, above).part()
        rejected = verdicts_on(absorptions_of(connection, [merge.pass_id], undone=False), [number]) if wrong else []
        reject(connection, current.id, rejected)
        current.counts["merges rejected"] = sum(one.direct for one in rejected)
        if get_pass(connection, merge.pass_id)["kind"] not in NOT_OURS:
            current.counts[TAKEN_APART] = 1
        names = handle(ENTITY, number), handle(ENTITY, above[-1])
        current.summary = f"took {names[0]} out of {names[1]} again, into which pass {merge.pass_id} had merged it"
    name = fetch(connection, ENTITY, number)["name"]
    return UnmergeReport(current.id, *names, name, merge.pass_id, facts, tuple(rejected))


def _merge_of(connection: sqlite3.Connection, number: int) -> tuple[Absorption, list[int]]:
    """The merge by which an entity went, and what it is part of since: up to the one that is active now."""
    entity = fetch(connection, ENTITY, number)
    if entity["status"] != "absorbed":
        raise ConflictError(f"e{number} ({quoted(entity['name'])}) is {entity['status']}: it was merged into none")
    merge = merge_of(connection, number)
    if merge is None:
        raise ConflictError(f"e{number} came merged: the journal does not know what was its own")
    row, above = entity, []
    while row["status"] == "absorbed":
        row = fetch(connection, ENTITY, row["absorbed_into"])
        above.append(row["id"])
    if row["status"] != "active":
        raise ConflictError(
            f"e{row['id']}, which e{number} is part of, is {row['status']}", f"graphdream restore e{row['id']}"
        )
    return merge._replace(target=above[0]), above
