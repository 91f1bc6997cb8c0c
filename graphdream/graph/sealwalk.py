"""Every sealed row of a file against its seal: what `verify` looks at, in time linear in the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from graphdream.graph.rowseal import sealed_rows
from graphdream.graph.seal import Seal
from graphdream.graph.sealed import BESIDE, BY_NAME, GRAPH, PARTS, SealedTable
from graphdream.graph.sealfault import SealFault, refusal
from graphdream.sealing.tree import FAN, NOTHING, BrokenTreeError, Tree, added, number

MOST = 20  # faults that a refusal names
WHOLE = (*GRAPH, *BESIDE)
EXPORTED = (*GRAPH, *(BY_NAME[name] for name in ("session", "summary", "turn", "observation")))
"""The tables of the graph, and those of the events that an export tells."""


def walk(seal: Seal, tables: Sequence[SealedTable] = WHOLE) -> Iterator[SealFault]:
    """Each row that is not as it was sealed, is missing, or was never sealed; within one transaction.

    Args:
        tables: look at these.

    Yields nothing where the file has no head that can be trusted: `Seal.faults` says so.
    """
    tree = seal.tree(anew=True)
    if tree is None:
        return
    together: dict[int, bytes] = {}
    for table in tables:
        seals = _each(seal, table, together) if table.single else _sums(seal, table).items()
        shared = "" if table.single else "number" if table.place == "{0}pass_id" else "text"
        yield from _compared(tree, table.kind, seals, table.name, shared)
    if any(table.parts for table in tables):
        yield from _compared(tree, PARTS, sorted(together.items()), "session", "number")


def confirm_sound(seal: Seal, tables: Sequence[SealedTable] = GRAPH) -> None:
    """See to it that the whole graph is as it was sealed, for whoever reads all of it.

    Args:
        tables: look at these.

    Raises:
        IntegrityError: it is not; the rows are named. Not where that was accepted.
    """
    if not seal.accepting and (faults := whole_faults(seal, tables)):
        raise refusal(seal.path, faults)


def whole_faults(seal: Seal, tables: Sequence[SealedTable] = GRAPH) -> list[SealFault]:
    """What is wrong with the whole graph: what one look tells, else the first rows that are not what was sealed.

    Args:
        tables: look at these.
    """
    if seal.off:
        return []
    if faults := seal.faults(anew=True):
        return faults
    inside = seal.connection.in_transaction
    if not inside:
        seal.connection.execute("BEGIN")
    try:
        return list(islice(walk(seal, tables), MOST))
    finally:
        if not inside:
            seal.connection.execute("ROLLBACK")


def _each(seal: Seal, table: SealedTable, together: dict[int, bytes]) -> Iterator[tuple[int, bytes]]:
    """Id and seal of each row as it is, in order; `together` adds up those of a session."""
    for row_id, found, session_id in sealed_rows(seal.connection, table, seal.sealer):
        if session_id is not None:
            together[session_id] = added(together.get(session_id, NOTHING), number(found))
        yield row_id, found


def _sums(seal: Seal, table: SealedTable) -> dict[int, bytes]:
    """Place and sum of the seals of rows that share places, in order."""
    sums: dict[int, bytes] = {}
    for place, found, _ in sealed_rows(seal.connection, table, seal.sealer):
        sums[place] = added(sums.get(place, NOTHING), number(found))
    return dict(sorted(sums.items()))


def _compared(tree: Tree, kind: int, seals: Iterable[tuple[int, bytes]], name: str, shared: str) -> Iterator[SealFault]:
    """Both come in order of their places, so one walk over the two is enough."""
    there = groupby(seals, lambda one: one[0] // FAN)
    leaf = next(there, None)
    found = dict(leaf[1]) if leaf else {}
    for index, fault in tree.leaves(kind):
        while leaf is not None and leaf[0] < index:
            yield from (_differs(name, place, shared, "new") for place in found)
            leaf = next(there, None)
            found = dict(leaf[1]) if leaf else {}
        own = found if leaf is not None and leaf[0] == index else {}
        try:
            if fault is not None:
                raise fault
            sealed = tree.leaf(kind, index)
        except BrokenTreeError as broken:
            yield SealFault("row", f"{broken} ({name})", (f"{name} {broken.first} to {broken.last}",))
            last = broken.last // FAN
        else:
            for place in sorted(sealed.keys() | own.keys()):
                if sealed.get(place) != own.get(place):
                    how = "new" if place not in sealed else "gone" if place not in own else "changed"
                    yield _differs(name, place, shared, how)
            last = index
        while leaf is not None and leaf[0] <= last:
            leaf = next(there, None)
            found = dict(leaf[1]) if leaf else {}
    while leaf is not None:
        yield from (_differs(name, place, shared, "new") for place in found)
        leaf = next(there, None)
        found = dict(leaf[1]) if leaf else {}


def _differs(name: str, place: int, shared: str, how: str) -> SealFault:
    row = name if shared == "text" else f"{name} {place}"
    if shared:
        return SealFault("row", f"what is on record of {row} is not what was sealed", (row,))
    words = {
        "new": "was written by something else",
        "gone": "was sealed, and is gone",
        "changed": "is not what was sealed",
    }
    return SealFault("row", f"{row} {words[how]}", (row,))
