"""The seals of the rows that a transaction writes, until they go into the trees.

What is written of a row is held as text, and sealed together with other rows: that takes half the time of one by one.
It is sealed before anything is looked up or taken back.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from operator import itemgetter

from graphdream.graph.rowseal import sealed_rows
from graphdream.graph.sealed import BESIDE, GRAPH, PARTS, SEALED, place_in_tree
from graphdream.graph.sealfault import changed_row
from graphdream.sealing.tree import NOTHING, BrokenTreeError, added, difference, number

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping
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
        held, self._held = self._held, []
        of_sessions: defaultdict[int, int] = defaultdict(int)  # what their sums gain, each written once
        for kind, rows in groupby(held, itemgetter(0)):
            if self.tree is not None:
                (self._seal_single if kind in _SINGLE_KINDS else self._seal_shared)(self.tree, kind, rows, of_sessions)
        for session, gain in of_sessions.items():
            if self.tree is not None:
                self._add(self.tree, PARTS, session, gain, 0)

    def _seal_single(self, tree: Tree, kind: int, rows: Iterable[_Written], of_sessions: dict[int, int]) -> None:
        """Seal rows of a table in which each has a place for itself; what was there must be what was sealed."""
        seals, seal_of, rows_more = self._seals[kind], self.sealer.of_kind(kind), 0
        for _, at, old, new, session in rows:
            place = int(at)
            after = NOTHING if new is None else seal_of(new)
            written = seals.get(place)  # by this transaction itself, so it needs no second look
            before = (NOTHING if old is None else seal_of(old)) if written is None else written
            if written is None and not self._holds(tree, kind, place, before):
                break
            more = (new is not None) - (old is not None)
            if self._savepoints:
                self._log.append((kind, place, written, more))
            seals[place] = after
            rows_more += more
            if session >= 0:
                of_sessions[session] += difference(after, before)
        self.more[kind] = self.more.get(kind, 0) + rows_more

    def _seal_shared(self, tree: Tree, kind: int, rows: Iterable[_Written], of_sessions: dict[int, int]) -> None:
        """Seal rows of a table in which several may share a place."""
        seal_of = self.sealer.of_kind(kind)
        for _, at, old, new, session in rows:
            after = NOTHING if new is None else seal_of(new)
            before = NOTHING if old is None else seal_of(old)
            gain = difference(after, before)
            self._add(tree, kind, place_in_tree(at), gain, (new is not None) - (old is not None))
            if self.tree is None:
                return
            if session >= 0:
                of_sessions[session] += gain

    def _holds(self, tree: Tree, kind: int, place: int, seal: bytes) -> bool:
        """Whether a place holds a seal; where it does not, that is met. Raises as `hold`."""
        try:
            if tree.get(kind, place) == seal:
                return True
        except BrokenTreeError:
            pass
        self._changed(kind, place)
        return False

    def _add(self, tree: Tree, kind: int, place: int, gain: int, more: int) -> None:
        """Add to the seal of a place that several rows share (or take from it, where the gain is negative)."""
        seals = self._seals[kind]
        written = seals.get(place)
        try:
            seal = added(tree.get(kind, place) if written is None else written, gain)
        except BrokenTreeError:
            self._changed(kind, place)
            return
        if self._savepoints:
            self._log.append((kind, place, written, more))
        seals[place] = seal
        self.more[kind] = self.more.get(kind, 0) + more

    def _changed(self, kind: int, place: int) -> None:
        """A row that is written is not what was sealed: say so, and seal nothing more."""
        self._met(changed_row(kind, place))
        self.seal_nothing_more()

    def seal_nothing_more(self) -> None:
        """Seal nothing of what is written from here on: the file is not what was sealed, and nobody is to take it for
        sound."""
        self.tree = None

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
