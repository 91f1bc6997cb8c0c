"""Rows that somebody reads, against their seals: those that do not fit are not told, or stop what would rest on them.

All within the transaction in which the rows were read. Where a file has no seal that could tell, every row is sound.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from graphdream.graph.seal import Seal
from graphdream.graph.sealed import SealedTable, place_in_tree
from graphdream.sealing.tree import NOTHING, added, number


def unsound_rows(seal: Seal, rows: Iterable[tuple[int, int, bytes | None]]) -> set[tuple[int, int]]:
    """Which rows are not as they were sealed, of tables where each has a place for itself.

    Args:
        rows: kind, id and text (`SealedTable.text_sql`) of each; None for one that is not there.

    Returns:
        Kind and id of those that do not fit.
    """
    tree = seal.tree_now()
    if tree is None:
        return set()
    wrong = set()
    for kind, row_id, text in rows:
        if seal.seal_of(tree, kind, row_id) != (NOTHING if text is None else seal.sealer.seal(kind, text)):
            wrong.add((kind, row_id))
    return wrong


def is_sound_row(seal: Seal, table: SealedTable, row_id: int) -> bool:
    """Whether a row that is there only once, as what a program remembers of itself, is as it was sealed."""
    sql = f"SELECT {table.text_sql()} FROM {table.name} WHERE id = ?"
    found = seal.connection.execute(sql, (row_id,)).fetchone()
    return not unsound_rows(seal, [(table.kind, row_id, found[0] if found else None)])


def unsound_together(seal: Seal, kind: int, place: int, texts: Iterable[tuple[int, bytes]]) -> bool:
    """Whether rows that are sealed together are not all there, unchanged.

    Args:
        kind: of the tree.
        texts: kind and text of every row of the place.
    """
    tree = seal.tree_now()
    if tree is None:
        return False
    total = NOTHING
    for of, text in texts:
        total = added(total, number(seal.sealer.seal(of, text)))
    return seal.seal_of(tree, kind, place) != total


def unsound_texts(seal: Seal, table: SealedTable, texts: Collection[str]) -> set[str]:
    """Which rows of a small table, known by a text each, are not as they were sealed, or share their place with such a
    row."""
    if seal.off or not texts:
        return set()
    places: dict[int, list[tuple[int, bytes]]] = {place_in_tree(text): [] for text in texts}
    known = seal.connection.execute(f"SELECT DISTINCT {table.place_sql()} FROM {table.name}")
    near = json.dumps([row[0] for row in known if place_in_tree(row[0]) in places])
    for at, text in seal.connection.execute(
        f"SELECT {table.place_sql()}, {table.text_sql()} FROM {table.name}"
        f" WHERE {table.place_sql()} IN (SELECT value FROM json_each(?))",
        (near,),
    ):
        places[place_in_tree(at)].append((table.kind, text))
    wrong = {place for place, held in places.items() if unsound_together(seal, table.kind, place, held)}
    return {text for text in texts if place_in_tree(text) in wrong}
