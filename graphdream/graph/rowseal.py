"""The seal of a row: a message authentication code of its text, made with the key of the file."""

from __future__ import annotations

from graphdream.graph.sealed import place_in_tree
from graphdream.sealing.codes import blake2b
from graphdream.sealing.tree import WIDTH

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from graphdream.graph.sealed import SealedTable


class RowSealer:
    """Makes the seals of rows.

    Args:
        file_key: the key of the file (`Key.of_file`).
    """

    def __init__(self, file_key: bytes) -> None:
        self.file_key = file_key
        self._hashers: dict[int, blake2b] = {}  # by kind: to copy one is a third quicker than to make one anew

    def seal(self, kind: int, text: bytes) -> bytes:
        """The seal of a row, of `WIDTH` bytes.

        Args:
            kind: of its table (`SealedTable.kind`): the same text in another table has another seal.
            text: what is sealed of the row (`SealedTable.text_sql`).
        """
        hasher = self._hasher(kind).copy()
        hasher.update(text)
        return hasher.digest()

    def of_kind(self, kind: int) -> Callable[[bytes], bytes]:
        """What makes the seals of many rows of one table, in two thirds of the time."""
        copy = self._hasher(kind).copy

        def seal(text: bytes) -> bytes:
            hasher = copy()
            hasher.update(text)
            return hasher.digest()

        return seal

    def _hasher(self, kind: int) -> blake2b:
        hasher = self._hashers.get(kind)
        if hasher is None:
            person = b"gd row" + bytes([kind])
            hasher = self._hashers[kind] = blake2b(key=self.file_key, digest_size=WIDTH, person=person)
        return hasher


def sealed_rows(
    connection: sqlite3.Connection, table: SealedTable, sealer: RowSealer
) -> Iterator[tuple[int, bytes, int | None]]:
    """Place in the tree, seal and session of each row of a table as the file has it now; in the order of their places
    where each row has one for itself. The session is None in a table that is not sealed by session."""
    session = "session_id" if table.parts else "NULL"
    order = " ORDER BY id" if table.single else ""
    seal = sealer.of_kind(table.kind)
    for at, text, session_id in connection.execute(
        f"SELECT {table.place_sql()}, {table.text_sql()}, {session} FROM {table.name}{order}"
    ):
        yield place_in_tree(at), seal(text), session_id
