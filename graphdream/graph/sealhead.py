"""The head of a file: the one row that says what all its seals come to, under a code of its own.

Its state is JSON:

- `file`: the file's id; `count`: how many sealed writes it has had;
- `pass`: id and chain of the newest pass, [0, ""] before the first; `change`: id of the journal's last change;
- `trees`: kind of the rows -> [level of the topmost node, its seal in hexadecimal, number of rows, id of the last],
  of the kinds that there is anything of;
- `place`: digest of where the file lies; `places`: of where it has lain, once it was moved or copied;
- `since`: the pass from which on it is sealed; `notes`: what `verify` says of it;
- `indexes`: full-text index -> digest of what FTS5 notes of it, and of the list of constraints
  (`graphdream.graph.sealindexes`); `indexed`: the count as it was then, which is another one where a version that
  knows nothing of this has written since;
- `witnesses`: the witnesses that have notes of it (`graphdream.graph.sealwitness`).
"""

from __future__ import annotations

import json
import sqlite3

from graphdream.sealing.codes import blake2b
from graphdream.sealing.keys import KeyUnavailableError
from graphdream.sealing.tree import Tree

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from graphdream.sealing.keys import Key

_AS_TEXT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

HeadRow: TypeAlias = "tuple[str, str, str]"
"""The head as the file holds it: id of the key, state as text, code over that text."""


class Head:
    """What the head of a file says, whether or not it is true. Raises ValueError where it is no head at all.

    Attributes:
        key: id of the key that it is sealed with.
        text: the state, as it is sealed.
        mac: the code over the text, in hexadecimal.
        state: what the text says (see the module).
    """

    __slots__ = ("key", "mac", "state", "text")

    def __init__(self, key: str, text: str, mac: str) -> None:
        if not (isinstance(key, str) and isinstance(text, str) and isinstance(mac, str)):
            raise ValueError("the head of a file is three texts")
        self.key, self.text, self.mac = key, text, mac
        try:
            self.state: dict[str, Any] = json.loads(text)
        except RecursionError:
            raise ValueError("its state is nested deeper than that of a head") from None
        _confirm(self.state)

    def file_key(self, key: Key) -> bytes:
        """The key of the file that it says to be of. Raises KeyError or TypeError where it says nothing of a file."""
        return key.of_file(str(self.state["file"]))

    def fits(self, file_key: bytes) -> bool:
        """Whether it is what was sealed with that key."""
        return _code(self.text, file_key) == self.mac


class OpenedHead:
    """A head that was found to be true: it is, for as long as the file bears the same one.

    Attributes:
        row: the head as the file holds it.
        key: that it is sealed with.
        state: what it says.
        tree: the trees below it, with the nodes that were read while the data version was `version`.
        version: `PRAGMA data_version` when the nodes were read.
    """

    __slots__ = ("key", "row", "state", "tree", "version")

    def __init__(self, row: HeadRow, key: Key, state: dict[str, Any], tree: Tree, version: int) -> None:
        self.row, self.key, self.state, self.tree, self.version = row, key, state, tree, version


def head_row(connection: sqlite3.Connection) -> HeadRow | None:
    """The head as the file holds it; None where there is none, or it cannot be read."""
    try:
        row = connection.execute("SELECT key, state, mac FROM seal").fetchone()
    except sqlite3.Error:
        return None
    return None if row is None else tuple(row)  # a row of sqlite3 is never equal to a tuple


def read_head(connection: sqlite3.Connection) -> Head | None:
    """The head of the file; None where it has none, or none that can be read."""
    row = head_row(connection)
    try:
        return Head(*row) if row else None
    except ValueError:
        return None


def open_head(
    connection: sqlite3.Connection, row: HeadRow, version: int, find: Callable[[str], Key | None]
) -> OpenedHead | None:
    """The head with the trees below it; None where it cannot be trusted.

    Args:
        version: `PRAGMA data_version` as it is now.
        find: the key of an id.
    """
    try:
        head = Head(*row)
        key = find(head.key)
        if key is None:
            return None
        file_key = head.file_key(key)
        return opened_head(connection, head, key, file_key, version) if head.fits(file_key) else None
    except (KeyUnavailableError, KeyError, TypeError, ValueError, AttributeError):
        return None


def opened_head(connection: sqlite3.Connection, head: Head, key: Key, file_key: bytes, version: int) -> OpenedHead:
    """A head that was found to fit, with the trees below it.

    Args:
        version: `PRAGMA data_version` as it is now.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it says of its trees what nobody can read.
    """
    roots = {int(kind): (level, bytes.fromhex(root)) for kind, (level, root, *_) in head.state["trees"].items()}
    row = (head.key, head.text, head.mac)
    return OpenedHead(row, key, head.state, Tree(connection, file_key, roots), version)


def write_head(connection: sqlite3.Connection, key: Key, state: dict[str, Any], file_key: bytes) -> HeadRow:
    """Seal a state and write it as the head of the file; returns the row."""
    text = _AS_TEXT.encode(state)
    row = (key.id, text, _code(text, file_key))
    connection.execute("INSERT OR REPLACE INTO seal VALUES (1, ?, ?, ?)", row)
    return row


def newest_pass(connection: sqlite3.Connection) -> list[Any]:
    """Id and chain of the newest pass, as a head states them: [0, ""] before the first."""
    row = connection.execute("SELECT id, chain FROM pass ORDER BY id DESC LIMIT 1").fetchone()
    return list(row) if row else [0, ""]


def last_ids(connection: sqlite3.Connection, tables: Iterable[str]) -> list[int]:
    """The last id of each table, 0 where it is empty. All in one question: each costs more than what it asks."""
    lasts = ", ".join(f"(SELECT coalesce(max(id), 0) FROM {table})" for table in tables)
    return list(connection.execute(f"SELECT {lasts}").fetchone())


_REQUIRED = (("file", str), ("count", int), ("pass", list), ("change", int), ("trees", dict))
_OPTIONAL = (("place", str), ("places", list), ("since", int), ("notes", list), ("witnesses", list),
             ("indexes", dict), ("indexed", int))  # fmt: skip


def _confirm(state: Any) -> None:
    """See to it that a state has the fields of a head, of the right types: anybody can write another one there. What is
    within them is read where the code over them fits only. Raises ValueError."""
    sound = isinstance(state, dict) and all(isinstance(state.get(name), kind) for name, kind in _REQUIRED)
    if not sound or any(name in state and not isinstance(state[name], kind) for name, kind in _OPTIONAL):
        raise ValueError("it has not the fields of a head")


def _code(text: str, file_key: bytes) -> str:
    return blake2b(text.encode(), key=file_key, digest_size=32, person=b"gd head").hexdigest()
