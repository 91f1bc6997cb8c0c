"""What is said of a file that is not what was sealed: a fault for each thing that is wrong, and the refusal."""

from __future__ import annotations

from graphdream.errors import IntegrityError
from graphdream.graph.objects import MENDED_BY
from graphdream.graph.sealed import SEALED

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from graphdream.sealing.tree import BrokenTreeError

_WAY_OUT = "graphdream verify says more; graphdream trust --reason WHY accepts the file as it is (docs/trust.md)"


class SealFault:
    """One way in which a file is not what was sealed.

    Attributes:
        code: head, key, file, passes, rows, index, anchor, unsealed or row.
        words: for a person.
        rows: the rows it concerns, as far as they are known: `attribute 12`; of an index its name.
    """

    __slots__ = ("code", "rows", "words")

    def __init__(self, code: str, words: str, rows: tuple[str, ...] = ()) -> None:
        self.code, self.words, self.rows = code, words, rows

    def __str__(self) -> str:
        return self.words


def older_copy(writes: int, pass_id: int, count: int, newest: int) -> str:
    """What is said of a file of which more was noted than it has.

    Args:
        writes, pass_id: sealed writes and newest pass as they were noted.
        count, newest: as the file has them.
    """
    words = f"the file was put back to an older copy: it lacks the last {writes - count:,} writes"
    return words + (f", and ends with pass {newest} instead of pass {pass_id}" if pass_id > newest else "")


def changed_row(kind: int, place: int) -> SealFault:
    """The fault of a row that is about to be written, and is not what was sealed.

    Args:
        kind: of its tree; one that belongs to no table is that of what is on record of a session.
        place: in the tree.
    """
    table = SEALED.get(kind)
    if table is None:
        words = f"what is on record of the session with id {place} was changed behind graphdream's back"
        return SealFault("row", words)
    row = f"{table.name} {place}" if table.single else table.name
    return SealFault("row", f"{row} was changed behind graphdream's back", (row,))


def changed_node(broken: BrokenTreeError) -> SealFault:
    """The fault of a node whose seals are not what was sealed; any of the rows below it may have been changed."""
    table = SEALED.get(broken.kind)
    return SealFault("row", str(broken), (f"{table.name} {broken.first} to {broken.last}",) if table else ())


def changed_index(name: str) -> SealFault:
    """The fault of a full-text index that is not what the head says."""
    words = f"the full-text index {name} was changed behind graphdream's back, so what is there may not be found"
    return SealFault("index", f"{words}: {MENDED_BY} makes it anew", (name,))


def changed_constraints() -> SealFault:
    """The fault of a list of constraints that is not what the head says; no row of it tells which one is missing."""
    words = "the list of constraints was changed behind graphdream's back: one may be missing, or be none"
    return SealFault("rows", words)


def changed_unread(rows: Sequence[str]) -> SealFault:
    """The fault of what no pass has read, where that is not what the head says.

    Args:
        rows: those that are known not to be as they were sealed, as `turn 2`.
    """
    words = "the list of what no pass has read was changed behind graphdream's back: something may never be read"
    return SealFault("rows", f"{words} ({', '.join(rows)})" if rows else words, tuple(rows))


def changed_figures() -> SealFault:
    """The fault of the figures of the talk that are not what the head says, or not those of the turns."""
    words = "the figures by which turns are ranked were changed behind graphdream's back"
    return SealFault("index", f"{words}: {MENDED_BY} makes them anew")


def refusal(path: Path, faults: Iterable[SealFault]) -> IntegrityError:
    """The error of what is not done to a file that is not what was sealed."""
    told = list(faults)
    words = "; ".join(map(str, told))
    return IntegrityError(f"{path} is not as it was sealed: {words}", [str(fault) for fault in told], _WAY_OUT)
