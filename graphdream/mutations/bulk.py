"""Runs of many mutations, carried out in memory: which mutations take part, and what they will want to read.

The handlers are the same as for a single mutation; only where they find the rows differs. So a run ends exactly as its
mutations one by one would have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from graphdream.graph.rows import parse_handle
from graphdream.graph.tables import ATTRIBUTE, ENTITY, LINK, Table
from graphdream.mutations.base import Mutation, Part, RoleName, values_in
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.op import Op
from graphdream.mutations.registry import op_of

FEWEST = 32  # in a row, and never under 2: for less, one by one is as quick
MOST = 5_000  # in one go: bounds the memory, and what has to be done again where a run cannot be written

_TABLES: dict[RoleName, Table] = {"entity": ENTITY, "fact": ATTRIBUTE, "link": LINK, "replacement": ATTRIBUTE}


def suits(mutation: Mutation) -> bool:
    """Whether a mutation can take part in a run: its handler can, and it names every row by a handle."""
    op = op_of(mutation)
    return op.ahead is not None and all(
        (parsed := parse_handle(reference)) is not None and parsed[0] is _TABLES[part.role]
        for part in op.addresses
        if part.role in _TABLES
        for reference in _references(mutation, op, part)
    )


def _references(mutation: Mutation, op: Op, part: Part) -> tuple[str, ...]:
    values = values_in(mutation, part)
    return () if values == ("",) and part.name in op.blank else values


def read_ahead(rows: WorkingRows, mutations: Iterable[Mutation]) -> None:
    """Read with a few queries what a run will ask for. What is missed here is read when it is asked for."""
    named: dict[Op, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))  # by operation and field
    for mutation in mutations:
        op = op_of(mutation)
        for part in op.addresses:
            named[op][part.name].extend(int(reference[1:]) for reference in _references(mutation, op, part))
    for op, ids in named.items():
        if op.ahead is not None:
            op.ahead(rows, ids)
