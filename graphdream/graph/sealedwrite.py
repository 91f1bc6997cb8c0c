"""What one write transaction leaves of seals: the trees with the rows that it wrote, the head over them, the anchor,
and, where a pass ended, a note of the witness."""

from __future__ import annotations

from graphdream.graph.sealed import BY_NAME, SEALED
from graphdream.graph.sealhead import OpenedHead, last_ids, newest_pass, write_head
from graphdream.graph.sealindexes import digests, sealed_digests, write_out
from graphdream.sealing.anchor import Note
from graphdream.sealing.tree import NOTHING

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from typing import Any

    from graphdream.graph.sealanchor import FileAnchor
    from graphdream.graph.sealhead import HeadRow
    from graphdream.graph.sealwitness import FileWitness
    from graphdream.graph.writtenrows import WrittenRows
    from graphdream.sealing.keys import Key
    from graphdream.sealing.tree import Tree


class SealedWrite:
    """The seals of a file while one transaction writes to it.

    Args:
        key: what the file is sealed with.
        state: of the head (`graphdream.graph.sealhead`) as it was; it is changed here.
        rows: what is written of rows.
        fresh: the file has no anchor here yet.
        decided: a person takes the file as it is; its anchor says so when that is committed.
        witness: where there is one.
        former: the key that the file was sealed with before, where there is another one now.

    Attributes:
        note: what the anchor is to say; None until there is something to say.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        anchor: FileAnchor,
        key: Key,
        state: dict[str, Any],
        rows: WrittenRows,
        *,
        fresh: bool = False,
        decided: bool = False,
        witness: FileWitness | None = None,
        former: Key | None = None,
    ) -> None:
        self.state, self.rows, self.fresh, self.decided = state, rows, fresh, decided
        self.note: Note | None = None
        self._connection, self._anchor, self._key = connection, anchor, key
        self._witness, self._former, self._ends_a_pass = witness, former, False
        self._head: HeadRow | None = None

    def move_here(self) -> None:
        """The file was moved or copied to where it lies now: its head says so, and it gets an anchor here."""
        self.fresh = True
        self.state["places"] = [*self.state.get("places", ()), self.state.get("place", "")]
        at = self.state["pass"][0]
        self.state["notes"].append(f"the file was moved or copied here, when its newest pass was {at}")

    def flush(self) -> None:
        """Write the trees and the head to the file, where anything was written; before the commit, after
        `WrittenRows.seal`.

        Raises:
            BrokenTreeError: a node had not been what was sealed.
        """
        seals = self.rows.by_kind()
        if self.rows.tree is None:
            return
        write_out(self._connection)
        indexes = digests(self._connection)
        if not (any(seals.values()) or self.fresh or indexes != sealed_digests(self.state)):
            return
        self._write_trees(self.rows.tree, seals)
        state, file_key = self.state, self.rows.sealer.file_key
        state["count"] += 1
        state["indexes"], state["indexed"] = indexes, state["count"]
        state["place"] = self._anchor.digest
        if seals.get(BY_NAME["pass"].kind) or "pass" not in state:  # a pass is a sealed row: without one, none is newer
            before, state["pass"] = state.get("pass", [0, ""]), newest_pass(self._connection)
            state["change"] = last_ids(self._connection, ["change"])[0]  # what is changed is changed in a pass
            self._ends_a_pass = state["pass"] != before
        if self._ends_a_pass and self._witness is not None:
            self._witness.remember(state, self._key, file_key)
        self._head = write_head(self._connection, self._key, state, file_key)
        self.note = Note(state["file"], state["count"], self._head[2], state["pass"][0], self._key.id)
        if self.fresh and not self.decided:
            # A file that says it has an anchor is never without one, whatever ends this program.
            self._anchor.write(self.note._replace(writes=0, head=""), file_key, create=True)

    def _write_trees(self, tree: Tree, seals: Mapping[int, Mapping[int, bytes]]) -> None:
        trees = self.state["trees"]
        for kind, of_places in seals.items():
            if not of_places:
                continue
            tree.put(kind, of_places)
            level, root = tree.roots.get(kind, (0, NOTHING))
            _, _, rows, last = trees.get(str(kind), (0, "", 0, 0))
            rows += self.rows.more.get(kind, 0)
            if kind in SEALED and SEALED[kind].single:
                last = self._last_of(kind, of_places, last)
            if rows or last or root != NOTHING:
                trees[str(kind)] = [level, root.hex(), rows, last]
            else:  # to write of two dozen kinds that there is nothing of them would take a tenth of a recording's seal
                trees.pop(str(kind), None)
        tree.write()

    def _last_of(self, kind: int, of_places: Mapping[int, bytes], last: int) -> int:
        """Id of the last row of a table: only where rows were deleted has the file to be asked.

        Args:
            of_places: the seals of the rows that were written.
            last: what it was before.
        """
        if NOTHING in of_places.values():
            return last_ids(self._connection, [SEALED[kind].name])[0]
        return max(last, *of_places)

    def write_anchor(self, note: Note) -> bool:
        """Note outside how far the file has come, after the commit. Returns False where it cannot be noted."""
        return self._anchor.write(note, self.rows.sealer.file_key, create=self.decided)

    def tell_witness(self) -> None:
        """Where a pass was committed, have the witness note how far the file has come."""
        if self._ends_a_pass and self._witness is not None and self._head is not None:
            keys = (self._key,) if self._former is None else (self._former, self._key)
            self._witness.write_end(self.state, self._head[2], keys)

    def opened(self, version: int) -> OpenedHead | None:
        """The head that was written, for whoever looks at the file next; None where none was.

        Args:
            version: `PRAGMA data_version` when the transaction began.
        """
        tree = self.rows.tree
        if self._head is None or tree is None:
            return None
        tree.shrink()
        return OpenedHead(self._head, self._key, self.state, tree, version)
