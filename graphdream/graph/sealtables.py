"""Small tables that are read whole, to decide by: all of their rows are looked at before anything rests on them.

A verdict that is gone, or says something of other rows, leaves no row behind that could be looked at by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from graphdream.graph.rowseal import sealed_rows
from graphdream.graph.seal import Seal
from graphdream.graph.sealed import BY_NAME, SealedTable
from graphdream.graph.sealfault import SealFault, changed_node, changed_row
from graphdream.sealing.tree import NOTHING, BrokenTreeError, Tree, added, number

_MOST = 20  # faults that a refusal names


def confirm_tables(seal: Seal, *names: str) -> None:
    """See to it that tables hold what was sealed, no row more and none less. Within the transaction that reads them; in
    time linear in their rows, once for as long as no other program writes to the file.

    Raises:
        IntegrityError: they do not; the rows are named. Where that was accepted, what is written next says so.
    """
    if seal.off:
        return
    version = seal.version()
    fresh = [name for name in names if seal.tables_seen.get(name) != version]
    tree = seal.tree_now() if fresh else None
    if tree is None:
        return
    faults = [fault for name in fresh for fault in islice(_faults(seal, tree, BY_NAME[name]), _MOST)]
    seal.meet(faults)
    if not faults:
        seal.tables_seen.update(dict.fromkeys(fresh, version))


def _faults(seal: Seal, tree: Tree, table: SealedTable) -> Iterator[SealFault]:
    found: dict[int, bytes] = {}
    for place, own, _ in sealed_rows(seal.connection, table, seal.sealer):
        found[place] = own if table.single else added(found.get(place, NOTHING), number(own))
    try:
        sealed = {place for index, _ in tree.leaves(table.kind) for place in tree.leaf(table.kind, index)}
    except BrokenTreeError as broken:
        yield changed_node(broken)
        return
    for place in sorted(found.keys() | sealed):
        if seal.seal_of(tree, table.kind, place) != found.get(place, NOTHING):
            yield changed_row(table.kind, place)
