"""Erase a fact, an entity or a session for good: the one exception to "nothing is lost".

What goes is found by following references: with an entity its aspects, facts, aliases and links, with a fact what was
absorbed into it, its older versions, evidence and mentions; also where an undo has deleted the rows and only the
journal still tells of them. Their rows are deleted in a pass of kind "purge", their text is erased from the journal
(`graphdream.journal.erasure`) and cut out of the events (`graphdream.events.redaction`), and tombstones keep them from
coming back (`graphdream.graph.tombstones`). A purge cannot be undone.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.errors import ConflictError, NotFoundError, quoted
from graphdream.events.record import take_in
from graphdream.events.redaction import Phrases, erase_session, redact_events
from graphdream.graph.rows import handle, parse_handle
from graphdream.graph.rowtext import pairs_of, row_of
from graphdream.graph.schema import BUSY_SECONDS
from graphdream.graph.staging import delete_rows
from graphdream.graph.store import Store
from graphdream.graph.tables import ALIAS, ATTRIBUTE, BY_KIND, BY_NAME, ENTITY, EVIDENCE, TABLES, Table
from graphdream.graph.tombstones import bury
from graphdream.journal.erasure import ERASED, TEXTS, erase_changes, erase_mutation, erase_text
from graphdream.journal.passes import PassHeader, open_pass

Found = dict[str, set[int]]  # table -> ids of rows
UNFINISHED = "purge_unfinished"  # of `meta`: a purge whose old pages are still in the file
_TOLD = ((ATTRIBUTE, "content"), (EVIDENCE, "quote"))  # the words that are looked for everywhere
_NAMES = ((ENTITY, "name"), (ALIAS, "name"))


@dataclass(slots=True)
class PurgeReport:
    """What a purge did.

    Attributes:
        pass_id: the pass that it became.
        rows: rows of the graph erased, by table; also those of which only the journal knew.
        journal: entries of the journal whose text was erased: changes, mutations, texts of passes.
        events: summaries, turns and observations deleted, or rewritten without the words.
        still_told: handles of other rows, and keys of sessions, in which an erased name or the same words stand yet.
        cleared: whether the old pages are out of the file; False where another program kept it open, or where that
            failed (`why_not_cleared`); the purge itself is done.
        why_not_cleared: why that failed, in words; "" where it did not.
        backups_purged: backups beside the database in which it is erased as well.
        backups: files beside the database that may hold it still: backups that cannot be opened, refused calls.
    """

    pass_id: int
    rows: dict[str, int] = field(default_factory=dict)
    journal: dict[str, int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    still_told: tuple[str, ...] = ()
    cleared: bool = False
    backups_purged: list[str] = field(default_factory=list)
    backups: tuple[str, ...] = ()
    why_not_cleared: str = ""


def erase(store: Store, target: str, *, session: bool = False, clock: Clock = utc_now) -> PurgeReport:
    """Erase a row by its handle, or a session by its key, as one pass; the file's free pages still hold the text.

    A handle of what was absorbed means what absorbed it. Of a session's facts, those go that rest on it alone.

    Args:
        target: handle of a fact or an entity, or the key of a session; always the latter with `session`.

    Raises:
        ConflictError: the target is the handle of a row and the key of a session.
        NotFoundError: neither the graph nor the journal has such a row, and there is no such session.
    """
    connection = store.connection
    with store.reading():
        key, roots = _roots(connection, target, session)
    header = PassHeader("purge", trigger="person", options={"target": "session" if key else target})
    take_in(store, wait_seconds=BUSY_SECONDS)  # what waits beside the file may say it, too
    with open_pass(store, header, clock=clock) as current:
        report = PurgeReport(current.id)
        found = _closure(connection, roots)
        words, names = _texts(connection, found, _TOLD), _texts(connection, found, _NAMES)
        phrases = Phrases(words)
        found[EVIDENCE.name] |= _quoting(connection, phrases) | _heard_in(connection, key)
        _bury(connection, found, words, names, key, current.id)
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for table in reversed(TABLES):
            delete_rows(connection, table.name, sorted(found[table.name]))
        report.rows = {table.name: len(found[table.name]) for table in TABLES if found[table.name]}
        if key:
            report.events.update(erase_session(connection, key))
        _erase_journal(connection, found, phrases, _Mentions(names, found, key), report)
        for kind, count in redact_events(connection, phrases, current.id).items():
            report.events[kind] = report.events.get(kind, 0) + count
        _forget_derived(connection, found, phrases)
        report.events.update(_forget_conversations(connection, Phrases(words | names)))
        report.still_told = tuple(_still_told(connection, Phrases(words | names)))
        current.counts.update(erased=sum(report.journal.values()), events=report.events)
        # Not `OR REPLACE`, which takes a row away without a word to its seal: a copy may say so already.
        connection.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (UNFINISHED, current.id),
        )
        current.summary = f"purged {_counted(report.rows) or 'no row of the graph'}"
    return report


def _counted(rows: dict[str, int]) -> str:
    return ", ".join(f"{count} {table}" for table, count in rows.items())


# ---------------------------------------------------------------------- what goes


def _roots(connection: sqlite3.Connection, target: str, session: bool) -> tuple[str, Found]:
    """The key of the session that is meant, "" where a row is, and the rows to start from."""
    parsed = None if session else parse_handle(target)
    row = parsed if parsed and parsed[0] in (ENTITY, ATTRIBUTE) and _was_there(connection, *parsed) else None
    recorded = connection.execute("SELECT 1 FROM session WHERE key = ?", (target,)).fetchone() is not None
    if row and recorded:
        raise ConflictError(f"{target} is the handle of a row and the id of a session", f"for that: --session {target}")
    if row:
        return "", {row[0].name: {_survivor(connection, *row)}}
    if not recorded:
        hint = "give the handle of a fact or an entity (a12, e3), or the id of a session"
        raise NotFoundError(f"there is no such row or session: {quoted(target)}", hint)
    facts = connection.execute(
        "SELECT id FROM attribute WHERE (session_key = ?1 OR id IN (SELECT attribute_id FROM evidence WHERE session_key"
        " = ?1)) AND coalesce(session_key, ?1) = ?1 AND NOT EXISTS (SELECT 1 FROM evidence WHERE attribute_id ="
        " attribute.id AND session_key <> ?1)",
        (target,),
    )
    return target, {ATTRIBUTE.name: {row[0] for row in facts}}


def _was_there(connection: sqlite3.Connection, table: Table, row_id: int) -> bool:
    return (
        connection.execute(
            "SELECT 1 FROM change WHERE kind = ? AND row_id = ? AND diff <> ?", (table.kind, row_id, ERASED)
        ).fetchone()
        is not None
    )


def _survivor(connection: sqlite3.Connection, table: Table, row_id: int) -> int:
    """The row that has absorbed one, at the end of the chain."""
    while "absorbed_into" in table.columns:
        row = connection.execute(f"SELECT absorbed_into FROM {table.name} WHERE id = ?", (row_id,)).fetchone()
        if row is None or row[0] is None:
            break
        row_id = row[0]
    return row_id


def _closure(connection: sqlite3.Connection, roots: Found) -> Found:
    """Every row that refers to one that goes, as it is, or as it was when an undo deleted it."""
    found: Found = {table.name: set(roots.get(table.name, ())) for table in TABLES}
    fresh = {name: set(ids) for name, ids in found.items()}
    while any(fresh.values()):
        reached: Found = {table.name: set() for table in TABLES}
        for table in TABLES:
            for column, parent in table.refers.items():
                if fresh[parent]:
                    reached[table.name] |= _referring(connection, table, column, fresh[parent])
        fresh = {name: ids - found[name] for name, ids in reached.items()}
        for name, ids in fresh.items():
            found[name] |= ids
    return found


def _referring(connection: sqlite3.Connection, table: Table, column: str, ids: Collection[int]) -> set[int]:
    wanted = json.dumps(sorted(ids))
    there = connection.execute(
        f"SELECT id FROM {table.name} WHERE {column} IN (SELECT value FROM json_each(?))", (wanted,)
    )
    gone = connection.execute(
        f"SELECT row_id FROM change WHERE kind = {table.kind} AND op = '-' AND diff <> ? AND json_extract(diff,"
        f" '$[{table.place(column)}]') IN (SELECT value FROM json_each(?))"
        f" AND NOT EXISTS (SELECT 1 FROM {table.name} WHERE id = row_id)",
        (ERASED, wanted),
    )
    return {row[0] for row in (*there, *gone)}


def _quoting(connection: sqlite3.Connection, phrases: Phrases) -> set[int]:
    """Evidence of other facts that quotes the words."""
    quotes = connection.execute("SELECT id, quote FROM evidence WHERE quote <> ''")
    return {row_id for row_id, quote in quotes if phrases.occur_in(quote)}


def _heard_in(connection: sqlite3.Connection, session: str) -> set[int]:
    """Evidence from the session; facts that rest on another one too stay, and so do their words elsewhere."""
    if not session:
        return set()
    return {row[0] for row in connection.execute("SELECT id FROM evidence WHERE session_key = ?", (session,))}


def _texts(connection: sqlite3.Connection, found: Found, columns: tuple[tuple[Table, str], ...]) -> set[str]:
    """What these columns of the rows ever held."""
    texts: set[Any] = set()
    for table, column in columns:
        for op, diff in connection.execute(
            "SELECT op, diff FROM change WHERE kind = ? AND diff <> ? AND row_id IN (SELECT value FROM json_each(?))",
            (table.kind, ERASED, json.dumps(sorted(found[table.name]))),
        ):
            texts.update(pairs_of(table, diff).get(column, ()) if op == "~" else (row_of(table, diff)[column],))
    return {text for text in texts if text}


def _bury(
    connection: sqlite3.Connection, found: Found, words: set[str], names: set[str], session: str, purged_by: int
) -> None:
    bury(connection, "fact", _texts(connection, found, ((ATTRIBUTE, "content"),)), purged_by)
    bury(connection, "entity", names, purged_by)
    if session:
        bury(connection, "session", (session,), purged_by)
    known = tuple((table, "uid") for table in TABLES if "uid" in table.columns)
    bury(connection, "uid", _texts(connection, found, known), purged_by)


# ---------------------------------------------------------------------- the journal's own texts


class _Mentions:
    """Tells whether an entry of the journal speaks of what is erased: by handle, by name, or by the session's key."""

    def __init__(self, names: set[str], found: Found, session: str) -> None:
        rows = ((table, row_id) for table in TABLES if table.prefix for row_id in found[table.name])
        self._exact = {handle(table, row_id) for table, row_id in rows} | {name.casefold() for name in names}
        self._exact |= {session} - {""}

    def are_in(self, values: Collection[str]) -> bool:
        """Whether any of the values is one of them."""
        return any(value in self._exact or value.casefold() in self._exact for value in values)


def _erase_journal(
    connection: sqlite3.Connection, found: Found, phrases: Phrases, mentions: _Mentions, report: PurgeReport
) -> None:
    purge = report.pass_id
    changes = sum(erase_changes(connection, BY_NAME[name].kind, ids, purge) for name, ids in found.items() if ids)
    mutations = 0
    for pass_id, position, body, message in connection.execute(
        "SELECT pass_id, position, body, message FROM mutation ORDER BY pass_id, position"
    ).fetchall():
        values = list(_strings(json.loads(body)))
        if mentions.are_in(values) or any(phrases.occur_in(value) for value in (*values, message)):
            mutations += erase_mutation(connection, pass_id, position, purge)
    texts = 0
    for pass_id, inputs, *told in connection.execute(
        f"SELECT id, inputs, {', '.join(TEXTS)} FROM pass WHERE id < ? ORDER BY id", (purge,)
    ).fetchall():
        shown = mentions.are_in(list(_strings(json.loads(inputs).get("sessions", []))))
        for column, text in zip(TEXTS, told, strict=True):
            if shown or phrases.occur_in(text) or phrases.occur_in(_unescaped(text)):
                texts += erase_text(connection, pass_id, column, purge)
    report.journal = {"changes": changes, "mutations": mutations, "texts": texts}


def _strings(value: Any) -> Iterator[str]:
    """Every string within JSON data, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _unescaped(answer: str) -> str:
    """The words of a model's answer where it is JSON within text: escapes of letters and quotes resolved."""
    try:
        return json.dumps(json.loads(answer), ensure_ascii=False).replace('\\"', '"')
    except ValueError:
        return answer.replace('\\"', '"').replace("\\n", "\n")


# ---------------------------------------------------------------------- what was derived from it


def _forget_derived(connection: sqlite3.Connection, found: Found, phrases: Phrases) -> None:
    facts = json.dumps(sorted(found[ATTRIBUTE.name]))
    connection.execute(
        "DELETE FROM vector WHERE kind = 'fact' AND row_id IN (SELECT value FROM json_each(?))", (facts,)
    )
    connection.execute("DELETE FROM recall_feedback WHERE attribute_id IN (SELECT value FROM json_each(?))", (facts,))
    flags = connection.execute("SELECT fingerprint, blocker FROM finding WHERE fingerprint GLOB 'project:*'").fetchall()
    gone = found[ATTRIBUTE.name]
    connection.executemany(
        "DELETE FROM finding WHERE fingerprint = ?", [(row[0],) for row in flags if json.loads(row[1])["fact"] in gone]
    )
    handles = [f"{table.prefix}{row_id}" for table in BY_KIND.values() if table.prefix for row_id in found[table.name]]
    connection.execute("DELETE FROM injected WHERE handle IN (SELECT value FROM json_each(?))", (json.dumps(handles),))
    for table, key, column in (("working_memory", "key", "value"), ("recall_feedback", "id", "note")):
        rows = connection.execute(f"SELECT {key}, {column} FROM {table}").fetchall()
        connection.executemany(
            f"DELETE FROM {table} WHERE {key} = ?", [(row[0],) for row in rows if phrases.occur_in(row[1])]
        )
    fault = connection.execute("SELECT coalesce(last_error, '') FROM dream_state").fetchone()[0]
    connection.execute("UPDATE dream_state SET last_error = ? WHERE last_error IS NOT NULL", (phrases.cut(fault),))


def _forget_conversations(connection: sqlite3.Connection, phrases: Phrases) -> dict[str, int]:
    """Empty every conversation with a model, and every planned item that has the words.

    A conversation holds whole parts of the memory and of sessions, in a form made for the model: looking for words
    would not find all of it. What it took and cost stays on record.

    Returns:
        How many conversations were emptied, where any were.
    """
    emptied = connection.execute(
        "UPDATE exchange SET messages = '[]', prompt_messages = 0, items = '[]', summary = '[purged]',"
        " requests = '[]', ended = iif(pass_id IS NULL, 'failed', ended) WHERE messages <> '[]'"
    ).rowcount
    plans = connection.execute("SELECT pass_id, position, body, foreseen FROM planned").fetchall()
    connection.executemany(
        "UPDATE planned SET body = '{}', foreseen = 'purged', verdict = 'rejected' WHERE pass_id = ? AND position = ?",
        [row[:2] for row in plans if phrases.occur_in("\n".join((*_strings(json.loads(row[2])), row[3])))],
    )
    return {"conversations": emptied} if emptied else {}


# ---------------------------------------------------------------------- what stays, for a person to look at


def _still_told(connection: sqlite3.Connection, phrases: Phrases) -> Iterator[str]:
    """Handles of rows, and keys of sessions, in which any of the words stand yet."""
    for table in TABLES:
        if table.prefix:
            for row in connection.execute(f"SELECT * FROM {table.name} ORDER BY id"):
                if phrases.occur_in("\n".join(value for value in tuple(row) if isinstance(value, str))):
                    yield handle(table, row["id"])
    sessions = connection.execute(
        "SELECT key, group_concat(content, char(10)) FROM (SELECT session_id, content FROM summary UNION ALL"
        " SELECT session_id, content FROM turn UNION ALL SELECT session_id, content FROM observation)"
        " JOIN session ON session.id = session_id GROUP BY session.id ORDER BY session.id"
    )
    for key, content in sessions:
        if phrases.occur_in(content):
            yield key
