"""A tree of seals over numbered rows: what one row costs to seal or to check grows with the logarithm of their number.

A leaf holds the seals of 64 rows, a node the seals of 64 leaves or nodes below it, and the topmost is what a head holds
(Merkle, "A digital signature based on a conventional encryption function", 1987). A row's seal depends on its content,
a node's on those below it, so whoever has not got the key can neither make one nor put an older one in its place. A
node is checked against the one above it before it is believed, and before it is written anew.

Where several rows share a place, its seal is the sum of theirs modulo 2^128 (Clarke et al., "Incremental multiset hash
functions", 2003); the sums are under the nodes' seals like everything else.
"""

from __future__ import annotations

import sqlite3

from graphdream.sealing.codes import blake2b

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WIDTH = 16  # bytes of a seal
FAN_BITS = 6
FAN = 1 << FAN_BITS
NOTHING = bytes(WIDTH)
_EMPTY = bytes(WIDTH * FAN)
_MODULUS = 1 << (8 * WIDTH)
_KEPT = 512  # nodes between transactions, each of a kibibyte


class BrokenTreeError(Exception):
    """A node is not what was sealed. `kind` is its tree; `first` and `last` the places that it answers for."""

    def __init__(self, kind: int, level: int, index: int) -> None:
        span = FAN_BITS * (level + 1)
        self.kind, self.first, self.last = kind, index << span, ((index + 1) << span) - 1
        super().__init__(f"the seals of the rows {self.first} to {self.last} of kind {kind} were changed")


def number(seal: bytes) -> int:
    """A seal as the number that sums are made of."""
    return int.from_bytes(seal, "little")


def difference(plus: bytes, minus: bytes) -> int:
    """What a sum of seals gains by one and loses by another."""
    return number(plus) if minus is NOTHING else number(plus) - number(minus)


def added(seal: bytes, more: int) -> bytes:
    """A sum of seals, with so much more in it."""
    return ((number(seal) + more) % _MODULUS).to_bytes(WIDTH, "little")


class Tree:
    """The trees of one file as one transaction sees them.

    Args:
        roots: kind -> [level of the topmost node, its seal]; kept up to date by `put`.
    """

    def __init__(self, connection: sqlite3.Connection, key: bytes, roots: dict[int, tuple[int, bytes]]) -> None:
        self._connection = connection
        self.roots = roots
        self._hasher = blake2b(key=key, digest_size=WIDTH, person=b"gd node")
        self._nodes: dict[int, bytearray] = {}
        self._written: dict[int, bytes] = {}

    def get(self, kind: int, place: int) -> bytes:
        """The seal of what is at a place; NOTHING where nothing is. Raises BrokenTreeError."""
        if place < 0:
            return NOTHING
        index = place >> FAN_BITS
        node = self._nodes.get(_name(kind, 0, index)) or self._load(kind, 0, index)
        at = (place & (FAN - 1)) * WIDTH
        return bytes(node[at : at + WIDTH])

    def forget(self) -> None:
        """Read every node from the file when it is next needed."""
        self._nodes.clear()

    def shrink(self) -> None:
        """Forget the nodes where they are many."""
        if len(self._nodes) > _KEPT:
            self.forget()

    def leaf(self, kind: int, index: int) -> dict[int, bytes]:
        """The places of a leaf that hold something, and their seals. Raises BrokenTreeError."""
        node, first = self._load(kind, 0, index), index << FAN_BITS
        seals = ((first + at, bytes(node[at * WIDTH : (at + 1) * WIDTH])) for at in range(FAN))
        return {place: seal for place, seal in seals if seal != NOTHING}

    def leaves(self, kind: int) -> Iterator[tuple[int, BrokenTreeError | None]]:
        """The leaves of a tree in order; where a node above them is broken, the first below it, with the fault."""
        top, root = self.roots.get(kind, (0, NOTHING))
        if root != NOTHING:
            yield from self._below(kind, top, 0)

    def _below(self, kind: int, level: int, index: int) -> Iterator[tuple[int, BrokenTreeError | None]]:
        if level == 0:
            yield index, None
            return
        try:
            node = self._load(kind, level, index)
        except BrokenTreeError as fault:
            yield index << FAN_BITS * level, fault
            return
        for at in range(FAN):
            if node[at * WIDTH : (at + 1) * WIDTH] != NOTHING:
                yield from self._below(kind, level - 1, index << FAN_BITS | at)

    def put(self, kind: int, seals: Mapping[int, bytes]) -> None:
        """Set the seals of places, and of all nodes above them; `write` writes them. Raises BrokenTreeError."""
        top, root = self.roots.get(kind, (0, NOTHING))
        level, changes = 0, dict(seals)
        while True:
            nodes: dict[int, bytearray] = {}
            for index, seal in changes.items():
                above = index >> FAN_BITS
                node = nodes.get(above)
                if node is None:
                    node = nodes[above] = self._load(kind, level, above)
                at = (index & (FAN - 1)) * WIDTH
                node[at : at + WIDTH] = seal
            changes = {}
            for index, node in nodes.items():
                changes[index], self._written[_name(kind, level, index)] = self._sealed(kind, level, index, node)
            if level >= top and len(changes) == 1 and 0 in changes:
                break
            if level == top and 0 not in changes and root != NOTHING:
                changes[0] = root
            level += 1
        self.roots[kind] = (level, changes[0])

    def write(self) -> None:
        """Write the nodes that were set to the file."""
        rows = sorted(self._written.items())
        self._written.clear()
        self._connection.executemany("INSERT OR REPLACE INTO seal_node (id, seals) VALUES (?, ?)", rows)

    def _load(self, kind: int, level: int, index: int) -> bytearray:
        name = _name(kind, level, index)
        node = self._nodes.get(name)
        if node is None:
            node = self._nodes[name] = self._read(kind, level, index, name)
        return node

    def _read(self, kind: int, level: int, index: int, name: int) -> bytearray:
        top, expected = self.roots.get(kind, (0, NOTHING))
        if level > top or (level == top and index):
            return bytearray(_EMPTY)
        if level < top:
            above = self._load(kind, level + 1, index >> FAN_BITS)
            at = (index & (FAN - 1)) * WIDTH
            expected = bytes(above[at : at + WIDTH])
        if expected == NOTHING:
            return bytearray(_EMPTY)
        row = self._connection.execute("SELECT seals FROM seal_node WHERE id = ?", (name,)).fetchone()
        node = bytearray(row[0].ljust(len(_EMPTY), b"\0")) if row and isinstance(row[0], bytes) else bytearray()
        if len(node) != len(_EMPTY) or self._sealed(kind, level, index, node)[0] != expected:
            raise BrokenTreeError(kind, level, index)
        return node

    def _sealed(self, kind: int, level: int, index: int, node: bytearray) -> tuple[bytes, bytes]:
        """The seal of a node, and the node as it is written: without the empty places at its end."""
        # `rstrip` would look at the zeros one by one, for as long as all else here takes.
        length = -(-int.from_bytes(node, "little").bit_length() // (8 * WIDTH)) * WIDTH
        if not length:
            return NOTHING, b""
        text = bytes(node) if length == len(node) else bytes(node[:length])
        seal = self._hasher.copy()
        seal.update(_name(kind, level, index).to_bytes(8, "little") + text)
        return seal.digest(), text


def _name(kind: int, level: int, index: int) -> int:
    return kind << 56 | level << 48 | index
