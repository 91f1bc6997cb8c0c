"""The full-text index over facts: one document a fact, kept in the transaction that changes the graph."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from graphdream.graph.rowtext import key_sql
from graphdream.graph.spans import of_pass
from graphdream.graph.staging import no_ids
from graphdream.graph.tables import ATTRIBUTE, ENTITY, Table
from graphdream.language.folding import other_spellings, signs_as_words

_ONE_PART = 5_000  # documents that FTS5 holds in memory (1 MiB by default) before it writes them as a part of an index
_LITTLE_LEFT = 4  # an index of which one document in so many is written anew is mostly put together anyway

_DOCUMENTS = """
    SELECT attribute.id, entity.name, aspect.name, attribute.content, attribute.tags
    FROM attribute
    JOIN aspect ON aspect.id = attribute.aspect_id
    JOIN entity ON entity.id = aspect.entity_id
    WHERE attribute.status IN ('active', 'superseded') AND entity.status = 'active'
"""

_ROW = "INSERT INTO fact_index (rowid, name, path, content, tags)"
_TEXTS = "(entity.name || aspect.name || attribute.content || attribute.tags)"
_IS_PLAIN = f"length(CAST({_TEXTS} AS BLOB)) = length({_TEXTS})"
_MARKED_WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670])+")


def reindex_pass(connection: sqlite3.Connection, pass_id: int) -> int:
    """Bring the documents of every fact that a pass touched up to date; cost follows the pass, not the graph.

    A fact is touched if its own row, its aspect's or its entity's was made, moved, renamed or put aside, or if another
    went into it.

    Returns:
        Number of facts looked at.
    """
    touched = no_ids(connection)
    own = of_pass(":p")
    connection.execute(
        f"""
        INSERT OR IGNORE INTO {touched}
        SELECT row_id FROM change NOT INDEXED WHERE {own} AND kind = 4
            AND (op <> '~' OR {_sets(ATTRIBUTE, "aspect_id", "status", "content", "tags")})
        UNION ALL
        SELECT attribute.id FROM change NOT INDEXED JOIN attribute ON attribute.aspect_id = change.row_id
        WHERE {own} AND change.kind = 3 AND change.op = '~'
        UNION ALL
        SELECT attribute.id FROM change NOT INDEXED
        JOIN aspect ON aspect.entity_id = change.row_id JOIN attribute ON attribute.aspect_id = aspect.id
        WHERE {own} AND change.kind = 1 AND change.op = '~'
            AND ({_sets(ENTITY, "name", "status")})
        UNION ALL
        SELECT attribute.absorbed_into FROM change NOT INDEXED JOIN attribute ON attribute.id = change.row_id
        WHERE {own} AND change.kind = 4 AND change.op = '~' AND attribute.absorbed_into IS NOT NULL
            AND ({_sets(ATTRIBUTE, "absorbed_into")})
        """,
        {"p": pass_id},
    )
    connection.execute(f"DELETE FROM fact_index WHERE rowid IN (SELECT c0 FROM {touched})")
    _index(connection, f" AND attribute.id IN (SELECT c0 FROM {touched})")
    count: int = connection.execute(f"SELECT count(*) FROM {touched}").fetchone()[0]
    connection.execute(f"DELETE FROM {touched}")
    join_parts(connection, "fact_index", count)
    return count


def reindex_all(connection: sqlite3.Connection) -> None:
    """Write the document of every fact anew."""
    connection.execute("DELETE FROM fact_index")
    _index(connection)


def _index(connection: sqlite3.Connection, which: str = "") -> None:
    """Write the documents of facts, as `indexed` has them; those in plain letters without a look at each."""
    connection.execute(f"{_ROW}{_DOCUMENTS}{which} AND {_IS_PLAIN}")
    read = connection.cursor()
    read.row_factory = None
    read.execute(f"{_DOCUMENTS}{which} AND NOT {_IS_PLAIN}")
    while rows := read.fetchmany(_ONE_PART):
        connection.executemany(f"{_ROW} VALUES (?, ?, ?, ?, ?)", map(_document, rows))


def _document(row: Sequence[str | int]) -> tuple[str | int, ...]:
    return (row[0], *(indexed(str(text)) for text in row[1:]))


def indexed(text: str) -> str:
    """What the index holds of a text: the text, and after it the words that are written in another way by who leaves
    out marks or typographic variants, so that each spelling finds it, also when a pass folded one into the other;
    and its emoji, each as a word."""
    if text.isascii():
        return text
    further = [form for word in _MARKED_WORD.findall(text) for form in _further(word)] + signs_as_words(text)
    return f"{text} {' '.join(further)}" if further else text


@lru_cache(maxsize=100_000)
def _further(word: str) -> tuple[str, ...]:
    """Other spellings of a word, without those that the tokenizer makes of it by itself."""
    known = "".join(_letter(sign) for sign in word.lower() if not 0x300 <= ord(sign) <= 0x36F)
    return tuple(form for form in other_spellings(word) if form != known)


def _letter(sign: str) -> str:
    """A sign as the tokenizer has it: without the accents of a Latin letter."""
    if sign.isascii():
        return sign
    base = unicodedata.normalize("NFD", sign)[0]
    return base if base.isascii() else sign


def join_parts(connection: sqlite3.Connection, index: str, touched: int) -> bool:
    """Put the parts of a small full-text index together after a pass that wrote much of it anew.

    A part keeps the words of documents that left it. FTS5 merges parts, and lets go of such words, where it has four of
    a size; of a small index it never has four, so that with each pass over all of it the index would grow by itself.

    Args:
        touched: documents that the pass took out or put in; the cost follows it.

    Returns:
        Whether it was done.
    """
    most = touched * _LITTLE_LEFT
    if not 0 < touched <= _ONE_PART:
        return False
    found = connection.execute(f"SELECT count(*) FROM (SELECT 1 FROM {index}_docsize LIMIT ?)", (most + 1,)).fetchone()
    if found[0] > most:
        return False
    connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    return True


def _sets(table: Table, *columns: str) -> str:
    """SQL condition: a change sets one of these columns."""
    return " OR ".join(f"instr(change.diff, {key_sql(table, column)})" for column in columns)


def index_faults(connection: sqlite3.Connection) -> list[str]:
    """Facts whose document is missing, stale or left over, in words; [] where the index is right."""
    return [f"a{fact} {words}" for fact, words in _faults(connection)]


def _faults(connection: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    held = f"""
        WITH wanted (id, name, path, content, tags) AS ({_DOCUMENTS}),
        found AS (SELECT rowid AS id, name, path, content, tags FROM fact_index)
    """
    for row in connection.execute(f"{held} SELECT * FROM wanted EXCEPT SELECT * FROM found ORDER BY id").fetchall():
        there = connection.execute("SELECT rowid, name, path, content, tags FROM fact_index WHERE rowid = ?", (row[0],))
        if tuple(there.fetchone() or ()) != _document(tuple(row)):
            yield row[0], "is not in the full-text index as it is in the graph"
    left_over = f"{held} SELECT id FROM found WHERE id NOT IN (SELECT id FROM wanted)"
    for (fact,) in connection.execute(left_over).fetchall():
        yield fact, "is in the full-text index but not in the graph"
