"""The figures of the talk, by which recall ranks turns: they follow from the turns, and are kept by triggers.

They are not sealed, row by row: whether they are those of the turns is looked at when everything is read.
"""

from __future__ import annotations

import sqlite3

_FIGURES = {
    "turn_shape": "SELECT id, session_id, position, length(content), instr(content, '?') > 0, speaker <> '' FROM turn",
    "session_shape": "SELECT session_id, count(*), sum(length(content)) FROM turn GROUP BY session_id",
    "speaker_shape": "SELECT speaker, count(*) FROM turn GROUP BY speaker",
    "talk_shape": "SELECT 1, count(*), coalesce(sum(length(content)), 0), count(DISTINCT session_id) FROM turn",
}


def wrong_figures(connection: sqlite3.Connection) -> list[str]:
    """The tables of figures that are not what the turns make; [] where all are, or where a file has none, as one of an
    older schema. Time linear in the turns."""
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return [name for name, made in _FIGURES.items() if name in there and _differs(connection, name, made)]


def make_figures_anew(connection: sqlite3.Connection) -> None:
    """Write all figures anew from the turns. Within a write transaction."""
    for name, made in _FIGURES.items():
        connection.execute(f"DELETE FROM {name}")
        connection.execute(f"INSERT INTO {name} {made}")


def talk_figures(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Turns, characters and sessions of all of the talk; where somebody took them away, from the turns."""
    row = connection.execute("SELECT turns, chars, sessions FROM talk_shape").fetchone()
    if row is None:
        row = connection.execute(_FIGURES["talk_shape"]).fetchone()[1:]
    turns, chars, sessions = row
    return turns, chars, sessions


def session_figures(connection: sqlite3.Connection, session_id: int) -> tuple[int, int]:
    """Turns and characters of a session, from its turns."""
    turns, chars = connection.execute(
        "SELECT count(*), coalesce(sum(length(content)), 0) FROM turn WHERE session_id = ?", (session_id,)
    ).fetchone()
    return turns, chars


def _differs(connection: sqlite3.Connection, name: str, made: str) -> bool:
    held = f"SELECT * FROM {name}"
    either = f"SELECT * FROM ({held} EXCEPT {made}) UNION ALL SELECT * FROM ({made} EXCEPT {held})"
    return bool(connection.execute(f"SELECT EXISTS ({either})").fetchone()[0])
