"""The seals of the rows that a transaction writes, until they go into the trees.

What is written of a row is held as text, and sealed together with other rows: that takes half the time of one by one.
It is sealed before anything is looked up or taken back.
"""

from __future__ import annotations

from collections import defaultdict

from graphdream.graph.rowseal import sealed_rows
from graphdream.graph.sealed import BESIDE, GRAPH, PARTS, SEALED, place_in_tree
from graphdream.graph.sealfault import changed_row
from graphdream.sealing.tree import NOTHING, BrokenTreeError, added, difference, number

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from graphdream.graph.rowseal import RowSealer
    from graphdream.graph.sealfault import SealFault
    from graphdream.sealing.tree import Tree

_MOST_HELD = 1_000  # rows whose texts are held until they are sealed together
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
        self._seals: defaultdict[int, dict[int, bytes]] = defaultdict(dict)  # kind -> place that was written to -> seal
        self._held: list[_Written] = []  # what was written, and is yet to be sealed
        self._savepoints = 0  # that are open
        self._log: list[tuple[int, int, bytes | None, int]] = []  # kind, place, seal before, rows more

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
        """Seal what is held. Raises as `hold`."""
        tree = self.tree
        held, self._held = self._held, []
        if tree is None:
            return
        kind, place, seal_of = 0, 0, self.sealer.seal
        of_sessions: dict[int, int] = {}  # what the sums of sessions gain, each written once
        try:
            for kind, at, old, new, session in held:
                place = at if isinstance(at, int) else place_in_tree(at)
                after = NOTHING if new is None else seal_of(kind, new)
                if kind in _SINGLE_KINDS:
                    before = self._before(tree, kind, place, old)
                    seal = after
                else:
                    before = NOTHING if old is None else seal_of(kind, old)
                    seal = self._sum(tree, kind, place, difference(after, before))
                self._put(kind, place, seal, (new is not None) - (old is not None))
                if session >= 0:
                    of_sessions[session] = of_sessions.get(session, 0) + difference(after, before)
            kind = PARTS
            for place, more in of_sessions.items():
                self._put(PARTS, place, self._sum(tree, PARTS, place, more), 0)
        except BrokenTreeError:
            self._met(changed_row(kind, place))
            self.tree = None

    def _before(self, tree: Tree, kind: int, place: int, old: bytes | None) -> bytes:
        """The seal of a row with a place for itself before it was written. Raises BrokenTreeError where its text then
        is not what was sealed."""
        own = self._seals[kind].get(place)
        if own is not None:  # what this transaction has written itself needs no second look
            return own
        before = NOTHING if old is None else self.sealer.seal(kind, old)
        if tree.get(kind, place) != before:
            raise BrokenTreeError(kind, 0, place)
        return before

    def _sum(self, tree: Tree, kind: int, place: int, more: int) -> bytes:
        """The seal of a place that several rows share, with more in it than before (or less, where it is negative)."""
        return added(self._seals[kind].get(place) or tree.get(kind, place), more)

    def _put(self, kind: int, place: int, seal: bytes, more: int) -> None:
        seals = self._seals[kind]
        if self._savepoints:
            self._log.append((kind, place, seals.get(place), more))
        seals[place] = seal
        self.more[kind] = self.more.get(kind, 0) + more

    def seal_whole_file(self, connection: sqlite3.Connection) -> None:
        """Seal every row that the file has, as it is; where nothing was written before."""
        of_sessions = self._seals[PARTS]
        for table in (*GRAPH, *BESIDE):
            seals, rows = self._seals[table.kind], 0
            for place, seal, session in sealed_rows(connection, table, self.sealer):
                rows += 1
                seals[place] = seal if table.single else added(seals.get(place, NOTHING), number(seal))
                if session is not None:
                    of_sessions[session] = added(of_sessions.get(session, NOTHING), number(seal))
            self.more[table.kind] = rows

    def seal_of(self, kind: int, place: int) -> bytes | None:
        """The seal of a place as the transaction has left it; None where it has not written there. After `seal`."""
        return self._seals[kind].get(place)

    def by_kind(self) -> Mapping[int, Mapping[int, bytes]]:
        """Kind -> place -> seal, of every kind that was looked at or written to. After `seal`."""
        return self._seals

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
                kind, place, seal, more = self._log.pop()
                if seal is None:
                    self._seals[kind].pop(place, None)
                else:
                    self._seals[kind][place] = seal
                self.more[kind] -= more
        if not self._savepoints:
            self._log.clear()
