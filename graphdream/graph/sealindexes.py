"""What a head says of what only leads to rows, and is none itself: whether somebody else has written to the full-text
indexes, the figures of the talk, the list of constraints, or that of what no pass has read.

The rows that an index is made of are sealed, the index is not: whoever takes a document out of it hides a row that is
sound. FTS5 keeps two records of its own for each index, the sums over its documents and the list of its parts
(https://sqlite.org/fts5.html, "The %_data table"), and writes at least one of them anew with whatever it changes. Their
digests stand in the head, so that a look takes the same short time in an index of any size. Who writes to a part
itself, past FTS5, is told by `verify` (`graphdream.graph.textindexes`).

Every prompt is given every constraint. One that is put aside, or made a plain fact, would be missing there, and no
other row would tell of it; so the head has a digest of which there are, of those that matter most, up to `_LISTED`.
Likewise of what was recorded and no pass has read, the newest up to `_UNREAD`: of what is said to have been read no
pass would ever be due. And of the figures of the talk, the newest up to `_SHAPES`, by which recall ranks it.
"""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from itertools import islice

from graphdream.sealing.codes import blake2b

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FULL_TEXT = ("fact_index", "fact_signs", "name_index", "summary_index", "summary_signs", "turn_index", "turn_signs")
CONSTRAINTS = "attribute_constraint"  # SQLite's index over them, by which they are listed in no time
UNREAD = "summary_unread"  # likewise, of summaries; with it those of observations and turns
TALK = "talk_shape"  # and the other tables of the shape of the talk (migrations/0003_recall.sql)
INDEXES = (*FULL_TEXT, CONSTRAINTS, UNREAD, TALK)
# So many, so that a look takes the same short time however many there are:
_LISTED = 1_000  # constraints
_UNREAD = 100  # rows of each table
_SHAPES = 20  # likewise
_OF_ONE = "(SELECT block FROM {0}_data WHERE id = 1), (SELECT block FROM {0}_data WHERE id = 10)"
_LIST = (
    "SELECT id FROM attribute WHERE kind = 'constraint' AND status = 'active'"
    f" ORDER BY importance DESC, id LIMIT {_LISTED}"
)
_LISTS = {
    CONSTRAINTS: (_LIST,),
    UNREAD: (
        f"SELECT id FROM summary WHERE read_by IS NULL ORDER BY id DESC LIMIT {_UNREAD}",
        f"SELECT id FROM observation WHERE read_by IS NULL ORDER BY id DESC LIMIT {_UNREAD}",
        "SELECT session_id || ' ' || id FROM turn WHERE read_by IS NULL"
        f" ORDER BY session_id DESC, id DESC LIMIT {_UNREAD}",
    ),
    TALK: (
        "SELECT turns || ' ' || chars || ' ' || sessions FROM talk_shape",
        f"SELECT name || ' ' || turns FROM speaker_shape ORDER BY name LIMIT {_SHAPES}",
        "SELECT session_id || ' ' || turns || ' ' || chars FROM session_shape"
        f" ORDER BY session_id DESC LIMIT {_SHAPES}",
        "SELECT id || ' ' || session_id || ' ' || position || ' ' || chars || ' ' || asks || ' ' || spoken"
        f" FROM turn_shape ORDER BY id DESC LIMIT {_SHAPES}",
    ),
}
"""What is listed beside the indexes -> questions, each for lines of one column."""
_JOINED_BY = {CONSTRAINTS: "','"}  # as files have it that an earlier version sealed; the others by line feeds
_RECORDS = "SELECT " + ", ".join(  # in one question: each costs more than what it asks
    [
        *map(_OF_ONE.format, FULL_TEXT),
        *(f"(WITH listed (line) AS ({one}) SELECT group_concat(line, {_JOINED_BY.get(name, 'char(10)')}) FROM listed)"
          for name, lists in _LISTS.items() for one in lists),
    ]
)  # fmt: skip


def digests(connection: sqlite3.Connection) -> dict[str, str]:
    """Index or list -> digest of its records, in hexadecimal, as the open transaction has them; {} where they cannot be
    read.

    What FTS5 still holds in memory is not in it: `write_out` comes first where something was written.
    """
    try:
        found = tuple(connection.execute(_RECORDS).fetchone())
    except sqlite3.Error:
        return {}
    records = iter(found)
    of_indexes = {name: _digest(tuple(islice(records, 2))) for name in FULL_TEXT}
    return of_indexes | {name: _digest(tuple(islice(records, len(lists)))) for name, lists in _LISTS.items()}


@lru_cache(maxsize=64)  # most indexes are the same before and after a write
def _digest(values: tuple[object, ...]) -> str:
    return blake2b(repr(values).encode(), digest_size=8, person=b"gd index").hexdigest()


def write_out(connection: sqlite3.Connection) -> None:
    """Have FTS5 write what it holds in memory, as it does at the start of every savepoint."""
    connection.execute("SAVEPOINT written_out")
    connection.execute("RELEASE written_out")


def sealed_digests(state: Mapping[str, Any]) -> dict[str, str]:
    """What a head says of the indexes; {} where it says nothing of them, or where its last write was that of a version
    that does not know of this.

    Args:
        state: of the head (`graphdream.graph.sealhead`).
    """
    found: dict[str, str] = state.get("indexes", {})
    return found if state.get("indexed") == state["count"] else {}


def changed(connection: sqlite3.Connection, state: Mapping[str, Any]) -> list[str]:
    """The indexes and lists that are not what the head says. Of some it may say nothing: a version wrote it that seals
    fewer.

    Args:
        state: of the head.
    """
    sealed = sealed_digests(state)
    if not sealed:
        return []
    found = digests(connection)
    return [] if found == sealed else [name for name in INDEXES if name in sealed and found.get(name) != sealed[name]]
