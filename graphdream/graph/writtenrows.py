"""The seals of the rows that a transaction writes, until they go into the trees.

What is written of a row is held as text, and sealed together with other rows: that takes half the time of one by one.
It is sealed before anything is looked up or taken back.
"""

from __future__ import annotations

from graphdream.graph.rowseal import sealed_rows
from graphdream.graph.sealed import BESIDE, GRAPH, PARTS, SEALED, place_in_tree
from graphdream.graph.sealfault import changed_row
from graphdream.sealing.tree import NOTHING, BrokenTreeError, added, difference, number

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from typing import TypeAlias

    from graphdream.graph.rowseal import RowSealer
    from graphdream.graph.sealfault import SealFault
    from graphdream.sealing.tree import Tree

_MOST_HELD = 1_000  # rows whose texts are held until they are sealed together
_KINDS_SHIFT = 48
_PLACES_MASK = (1 << _KINDS_SHIFT) - 1
_SINGLE_KINDS = frozenset(table.kind for table in SEALED.values() if table.single)

# Kind, place, text before and after, session (-1: sealed with none).
_Written: TypeAlias = "tuple[int, int | str, bytes | None, bytes | None, int]"


class WrittenRows:
    """What one transaction has written of sealed rows.

    Args:
        tree: the trees as they were when the transaction began.
        sealer: with the key of the file.
        met: is told of a row that was written, and had not been what was sealed. It raises where that is not accepted;
            where it is, nothing more is sealed in this transaction.

    Attributes:
        tree: None once nothing more is sealed.
        more: kind -> how many rows more there are than before; every kind that was written to is in it.
    """

    def __init__(self, tree: Tree, sealer: RowSealer, met: Callable[[SealFault], None]) -> None:
        self.tree: Tree | None = tree
        self.sealer = sealer
        self.more: dict[int, int] = {}
        self._met = met
        self._seals: dict[int, bytes] = {}  # of the places that were written to
        self._held: list[_Written] = []  # what was written, and is yet to be sealed
        self._savepoints = 0  # that are open
        self._log: list[tuple[int, bytes | None, int, int]] = []  # place, seal before, kind, rows more

    def hold(self, kind: int, at: int | str, old: bytes | None, new: bytes | None, session: int = -1) -> None:
        """Take what was written of a row.

        Args:
            kind: of its table.
            at: its number, or the text that its place follows from.
            old: its text before; None where it is made.
            new: its text now; None where it is deleted.
            session: the session that it is sealed together with, too; -1 where it is sealed by itself only.

        Raises:
            IntegrityError: a row had not been what was sealed (`met`).
        """
        if self.tree is not None:
            self._held.append((kind, at, old, new, session))
            if len(self._held) >= _MOST_HELD:
                self.seal()

    def seal(self) -> None:
        """Seal the rows that are held. Raises as `hold`."""
        held, self._held = self._held, []
        together: dict[int, int] = {}
        for kind, at, old, new, session in held:
            if self.tree is None:
                return
            more = self._seal_row(self.tree, kind, place_in_tree(at), old, new, together=session >= 0)
            if session >= 0:
                together[session] = together.get(session, 0) + more
        for session, more in together.items():
            if self.tree is None:
                return
            self._seal_session(self.tree, session, more)

    def _seal_row(
        self, tree: Tree, kind: int, place: int, old: bytes | None, new: bytes | None, *, together: bool
    ) -> int:
        """Returns what the row adds to the sum of its session's seals, where it is sealed `together` with others."""
        alone = kind in _SINGLE_KINDS
        # What this transaction has written itself needs no second look.
        own = alone and _name(kind, place) in self._seals
        plus = NOTHING if new is None else self.sealer.seal(kind, new)
        minus = NOTHING if old is None or (own and not together) else self.sealer.seal(kind, old)
        try:
            if alone and not own and tree.get(kind, place) != minus:
                raise BrokenTreeError(kind, 0, place)
            seal = plus if alone else self._sum(tree, kind, place, difference(plus, minus))
            self._put(kind, place, seal, (new is not None) - (old is not None))
        except BrokenTreeError:
            self._met(changed_row(kind, place))
            self.tree = None
        return difference(plus, minus) if together else 0

    def _seal_session(self, tree: Tree, session: int, more: int) -> None:
        """Seal what is written of a session as a whole: its rows made, changed and deleted, in one sum."""
        try:
            self._put(PARTS, session, self._sum(tree, PARTS, session, more), 0)
        except BrokenTreeError:
            self._met(changed_row(PARTS, session))
            self.tree = None

    def _sum(self, tree: Tree, kind: int, place: int, more: int) -> bytes:
        """The seal of a place that several rows share, with more in it than before (or less, where it is negative)."""
        return added(self._seals.get(_name(kind, place)) or tree.get(kind, place), more)

    def _put(self, kind: int, place: int, seal: bytes, more: int) -> None:
        name = _name(kind, place)
        if self._savepoints:
            self._log.append((name, self._seals.get(name), kind, more))
        self._seals[name] = seal
        self.more[kind] = self.more.get(kind, 0) + more

    def seal_whole_file(self, connection: sqlite3.Connection) -> None:
        """Seal every row that the file has, as it is; where nothing was written before."""
        seals = self._seals
        for table in (*GRAPH, *BESIDE):
            rows = 0
            for place, seal, session in sealed_rows(connection, table, self.sealer):
                rows += 1
                name = _name(table.kind, place)
                seals[name] = seal if table.single else added(seals.get(name, NOTHING), number(seal))
                if session is not None:
                    together = _name(PARTS, session)
                    seals[together] = added(seals.get(together, NOTHING), number(seal))
            self.more[table.kind] = rows

    def seal_of(self, kind: int, place: int) -> bytes | None:
        """The seal of a place as the transaction has left it; None where it has not written there. After `seal`."""
        return self._seals.get(_name(kind, place))

    def by_kind(self) -> dict[int, dict[int, bytes]]:
        """Kind -> place -> seal, of every kind that was written to. After `seal`."""
        found: dict[int, dict[int, bytes]] = {kind: {} for kind in self.more}
        for name, seal in self._seals.items():
            found.setdefault(name >> _KINDS_SHIFT, {})[name & _PLACES_MASK] = seal
        return found

    # ------------------------------------------------------------------ savepoints

    def mark(self) -> int:
        """A savepoint begins; returns what `release` needs of it. Raises as `hold`."""
        self.seal()
        self._savepoints += 1
        return len(self._log)

    def release(self, mark: int, *, back: bool) -> None:
        """A savepoint ends. Raises as `hold`.

        Args:
            mark: what `mark` returned.
            back: what was written in it is taken back.
        """
        if back:
            self._held.clear()
        self.seal()
        self._savepoints -= 1
        if back:
            while len(self._log) > mark:
                name, seal, kind, more = self._log.pop()
                if seal is None:
                    self._seals.pop(name, None)
                else:
                    self._seals[name] = seal
                self.more[kind] -= more
        if not self._savepoints:
            self._log.clear()


def _name(kind: int, place: int) -> int:
    """One number for a place in the tree of a kind."""
    return kind << _KINDS_SHIFT | place
