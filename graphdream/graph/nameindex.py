"""Which entities have a name, or a fact, near another's: by index, so that the cost does not grow with the graph."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from graphdream.graph.fulltext import join_parts
from graphdream.graph.rows import fetch
from graphdream.graph.rowtext import key_sql
from graphdream.graph.spans import of_pass
from graphdream.graph.staging import no_ids
from graphdream.graph.tables import ALIAS, ENTITY

MOST_TRIGRAMS = 24  # of a long name; more cost time and tell little new
MOST_SIMILAR = 15
MOST_SHARING = 20
NEAR = (
    1 / 3
)  # of the trigrams of the shorter name; by fewer, names are alike by chance, the oftener the larger the graph

_DOCUMENTS = """
    SELECT entity.id, entity.canonical || coalesce(char(10) || group_concat(alias.canonical, char(10)), '')
    FROM entity LEFT JOIN alias ON alias.entity_id = entity.id
    WHERE entity.status = 'active'
"""


def reindex_names(connection: sqlite3.Connection, pass_id: int) -> None:
    """Bring the documents of every entity that a pass made, renamed, aliased or put aside up to date."""
    renamed = no_ids(connection)
    own = of_pass(":p")
    connection.execute(
        f"""
        INSERT OR IGNORE INTO {renamed}
        SELECT row_id FROM change NOT INDEXED WHERE {own} AND kind = 1
            AND (op <> '~' OR instr(diff, {key_sql(ENTITY, "canonical")}) OR instr(diff, {key_sql(ENTITY, "status")}))
        UNION ALL
        SELECT alias.entity_id FROM change NOT INDEXED JOIN alias ON alias.id = change.row_id
        WHERE {own} AND change.kind = 2 AND change.op <> '-'
        UNION ALL
        SELECT json_extract(diff, '$[{ALIAS.place("entity_id")}]') FROM change NOT INDEXED
        WHERE {own} AND kind = 2 AND op = '-'
        """,
        {"p": pass_id},
    )
    connection.execute(f"DELETE FROM name_index WHERE rowid IN (SELECT c0 FROM {renamed})")
    connection.execute(
        "INSERT INTO name_index (rowid, names)"
        + _DOCUMENTS
        + f" AND entity.id IN (SELECT c0 FROM {renamed}) GROUP BY entity.id"
    )
    count: int = connection.execute(f"SELECT count(*) FROM {renamed}").fetchone()[0]
    connection.execute(f"DELETE FROM {renamed}")
    join_parts(connection, "name_index", count)


def reindex_all_names(connection: sqlite3.Connection) -> None:
    """Make the index anew from the graph as it is."""
    connection.execute("DELETE FROM name_index")
    connection.execute("INSERT INTO name_index (rowid, names)" + _DOCUMENTS + " GROUP BY entity.id")


def similar_entities(connection: sqlite3.Connection, entity_id: int) -> list[int]:
    """Ids of active entities that could be the same: the nearest by the trigrams of the names that share enough of
    them, and those that say the very same of themselves. At most `MOST_SIMILAR` and `MOST_SHARING` of them.
    """
    name = fetch(connection, ENTITY, entity_id)["canonical"]
    grams = _trigrams(name)
    found: dict[int, None] = {}
    if grams:
        query = " OR ".join('"' + gram.replace('"', '""') + '"' for gram in list(grams)[:MOST_TRIGRAMS])
        for row in connection.execute(
            "SELECT rowid, names FROM name_index WHERE name_index MATCH ? ORDER BY bm25(name_index) LIMIT ?",
            (query, MOST_SIMILAR),
        ):
            if any(_near(grams, _trigrams(one)) for one in row[1].split("\n")):
                found[row[0]] = None
    else:
        for row in connection.execute(
            "SELECT id FROM entity WHERE canonical = ? AND status = 'active' LIMIT ?", (name, MOST_SIMILAR)
        ):
            found[row[0]] = None
    for row in connection.execute(
        "SELECT DISTINCT theirs.entity_id FROM aspect AS mine JOIN attribute AS fact ON fact.aspect_id = mine.id"
        " JOIN attribute AS twin ON twin.digest = fact.digest AND twin.status = 'active'"
        " JOIN aspect AS theirs ON theirs.id = twin.aspect_id"
        " WHERE mine.entity_id = ? AND fact.status = 'active' AND theirs.entity_id <> mine.entity_id LIMIT ?",
        (entity_id, MOST_SHARING),
    ):
        found[row[0]] = None
    found.pop(entity_id, None)
    return list(found)


def _trigrams(name: str) -> dict[str, None]:
    """The runs of three characters of a name, each once, in their order."""
    return dict.fromkeys(name[start : start + 3] for start in range(max(0, len(name) - 2)))


def _near(grams: Collection[str], others: Collection[str]) -> bool:
    """Whether two names share enough of the shorter one's trigrams."""
    shared = sum(gram in others for gram in grams)
    return shared > 0 and shared >= NEAR * min(len(grams), len(others))


def name_index_faults(connection: sqlite3.Connection) -> list[str]:
    """Entities whose names are not in the index as they are in the graph, in words; [] where it is right."""
    rows = connection.execute(
        f"""
        WITH wanted (id, names) AS ({_DOCUMENTS} GROUP BY entity.id),
        found AS (SELECT rowid AS id, names FROM name_index)
        SELECT id FROM (SELECT id, length(names) FROM wanted EXCEPT SELECT id, length(names) FROM found)
        UNION SELECT id FROM found WHERE id NOT IN (SELECT id FROM wanted)
        """
    )
    return [f"e{row[0]} is not in the name index as it is in the graph" for row in rows]
