"""Take words, or whole sessions, out of the events: the one way in which what happened is ever rewritten.

Only a purge does this (graphdream/journal/purge.py). Rows are taken out and put back without the words, so that the
triggers on them bring every index up to date.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from graphdream.graph.tombstones import bury_words

CUT = "[purged]"  # stands where words were
_BOOKS = {"summary": "summaries", "turn": "turns", "observation": "observations"}


class _Phrase(NamedTuple):
    folded: str
    pattern: re.Pattern[str]


class Phrases:
    """Words to be cut out: each stands for itself in any case and spacing, as whole words, with or without the stop."""

    def __init__(self, texts: Iterable[str]) -> None:
        bare = {_folded(text).rstrip(".!?;:, ") for text in texts}
        self._phrases = [
            _Phrase(text, re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, text.split())) + r"(?!\w)", re.IGNORECASE))
            for text in sorted(bare - {""}, key=lambda text: (-len(text), text))  # what holds another one goes first
        ]

    def cut(self, text: str) -> str:
        """The text with `CUT` in place of every phrase."""
        folded = _folded(text)
        for phrase in self._phrases:
            if phrase.folded in folded:
                text = phrase.pattern.sub(CUT, text)
        return text

    def occur_in(self, text: str) -> bool:
        """Whether any of them is there to be cut out."""
        folded = _folded(text)
        return any(phrase.folded in folded and phrase.pattern.search(text) for phrase in self._phrases)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def redact_events(connection: sqlite3.Connection, phrases: Phrases, purged_by: int) -> dict[str, int]:
    """Cut phrases out of every summary, turn and observation; a text told again as it was is known by a tombstone.

    Returns:
        Number of rows that had any of them, for each table.
    """
    counts = {}
    for table, plural in _BOOKS.items():
        found = [
            (row_id, cut, content)
            for row_id, content in connection.execute(f"SELECT id, content FROM {table} ORDER BY id").fetchall()
            if (cut := phrases.cut(content)) != content
        ]
        for row_id, cut, content in found:
            _rewrite(connection, table, row_id, cut)
            bury_words(connection, content, cut, purged_by)
            if table == "turn":
                connection.execute("DELETE FROM vector WHERE kind = 'turn' AND row_id = ?", (row_id,))
        if found:
            counts[plural] = len(found)
    told = connection.execute("SELECT id, body FROM observed ORDER BY id").fetchall()
    left = [(row_id, without) for row_id, body in told if (without := _cut_values(phrases, body)) != body]
    connection.executemany("UPDATE observed SET body = ?2 WHERE id = ?1", left)
    if left:
        counts["events"] = len(left)
    return counts


def _cut_values(phrases: Phrases, body: str) -> str:
    """The JSON of an event with the phrases cut out of every text in it."""

    def cut(value: object) -> object:
        if isinstance(value, str):
            return phrases.cut(value)
        if isinstance(value, dict):
            return {name: cut(part) for name, part in value.items()}
        return [cut(part) for part in value] if isinstance(value, list) else value

    return json.dumps(cut(json.loads(body)), ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _rewrite(connection: sqlite3.Connection, table: str, row_id: int, content: str) -> None:
    """Put other words into a row. An observation that then says the same as another one of its session goes."""
    cursor = connection.execute(f"SELECT * FROM {table} WHERE id = ?", (row_id,))
    columns = [described[0] for described in cursor.description]
    row = {**dict(zip(columns, cursor.fetchone(), strict=True)), "content": content}
    if "tokens" in row and row["read_by"] is None:
        row["tokens"] = row["tokenizer"] = None  # counted anew when it is asked for
    connection.execute(f"DELETE FROM {table} WHERE id = ?", (row_id,))
    connection.execute(
        f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
        list(row.values()),
    )


def erase_session(connection: sqlite3.Connection, key: str) -> dict[str, int]:
    """Delete a session with everything that was said in it, and what prompts were shown in it.

    Returns:
        Number of rows deleted, for each table.
    """
    (session_id,) = connection.execute("SELECT id FROM session WHERE key = ?", (key,)).fetchone()
    turns = [row[0] for row in connection.execute("SELECT id FROM turn WHERE session_id = ?", (session_id,))]
    connection.execute(
        "DELETE FROM vector WHERE kind = 'turn' AND row_id IN (SELECT value FROM json_each(?))", (json.dumps(turns),)
    )
    connection.execute("DELETE FROM finding WHERE fingerprint = 'session:' || ?", (key,))
    for table in ("injected", "recall_feedback"):
        connection.execute(f"DELETE FROM {table} WHERE session_key = ?", (key,))
    counts = {
        plural: connection.execute(f"DELETE FROM {table} WHERE session_id = ?", (session_id,)).rowcount
        for table, plural in _BOOKS.items()
    }
    counts["events"] = connection.execute("DELETE FROM observed WHERE session_key = ?", (key,)).rowcount
    connection.execute("DELETE FROM session WHERE id = ?", (session_id,))
    return {"sessions": 1, **{plural: count for plural, count in counts.items() if count}}
