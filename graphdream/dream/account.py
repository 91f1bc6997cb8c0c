"""Step 6, prove: whatever a pass takes away is accounted for, fact by fact.

A fact that was active before a pass and is not after it has to be *covered* (an active fact has all that it says),
*sourced* (a longer text of the graph or of the session that it came from holds it whole), *told over* (a later telling
answers the same) or say nothing in the first place. The cost follows what was taken away, not the graph.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator

from graphdream.facts.words import FUNCTION_WORDS
from graphdream.graph.names import canonical_text
from graphdream.graph.rowtext import key_sql
from graphdream.graph.spans import of_pass
from graphdream.graph.tables import ATTRIBUTE
from graphdream.language.scripts import units
from graphdream.mutations.grounding import dates_among, lost_specifics
from graphdream.mutations.specifics import read_tokens
from graphdream.recall.facts import Searcher
from graphdream.recall.replaced import standing

_NEAREST = 20  # facts that a search finds, among which one is looked for that covers
_SHARED = 0.5  # of the words of the shorter text, in another that is told over it
_TAKEN = f"""
    SELECT attribute.id, content, attribute.status, attribute.absorbed_into, superseded_by,
        aspect_id, aspect.entity_id AS entity,
        coalesce(attribute.session_key, '') AS session, coalesce(attribute.last_seen, attribute.first_seen, '') AS said
    FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE attribute.status <> 'active' AND attribute.id IN (
        SELECT row_id FROM change NOT INDEXED WHERE {of_pass("?1")} AND kind = {ATTRIBUTE.kind} AND op = '~'
        AND instr(diff, {key_sql(ATTRIBUTE, "status", '"active"')}))
    ORDER BY attribute.id
"""


def unaccounted(connection: sqlite3.Connection, pass_id: int, empty: Collection[int]) -> dict[int, tuple[str, ...]]:
    """The facts that an open pass took from the active ones and that nothing stands for.

    Args:
        connection: within the transaction of the pass, its changes indexed.
        empty: facts that a calibrated judgement found to say nothing, inside its error budget.

    Returns:
        Id of the fact -> handles by which it may have been addressed: its own, its aspect's, its entity's.
    """
    taken = connection.execute(_TAKEN, (pass_id,))  # one at a time: with their texts they are many
    account = _Account(connection)
    return {
        row["id"]: (f"a{row['id']}", f"s{row['aspect_id']}", f"e{row['entity']}")
        for row in taken
        if not (row["status"] == "archived" and row["id"] in empty) and not account.holds(row)
    }


class _Account:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._search = Searcher(connection, include_superseded=True)

    def holds(self, row: sqlite3.Row) -> bool:
        """Whether something stands for a fact that was taken away."""
        if row["status"] == "absorbed":
            return self._is_covered_by(row, row["absorbed_into"])
        if row["status"] == "superseded":
            return self._is_told_over_by(row, row["superseded_by"])
        names = self._names(row["entity"])
        said = _words(row["content"]) - names
        if not said:
            return True
        return any(
            said <= _words(text) or (self._tells_over(said, _words(text) - names) and is_later)
            for text, is_later in self._facts_near(row)
        ) or any(canonical_text(row["content"]) in canonical_text(text) for text in self._sources(row))

    def _is_covered_by(self, row: sqlite3.Row, other: int) -> bool:
        """Coverage, asked again when all is done. What became of the other one is asked for by itself."""
        found = self._connection.execute(
            "SELECT content, aspect.entity_id AS entity FROM attribute JOIN aspect ON aspect.id = aspect_id"
            " WHERE attribute.id = ?",
            (other,),
        ).fetchone()
        source, replacement = row["content"], found["content"]
        lost = lost_specifics((source,), replacement, self._names_of(found["entity"]))
        return lost <= dates_among(lost, (source,))  # when it was told is no part of what it says

    def _is_told_over_by(self, row: sqlite3.Row, other: int | None) -> bool:
        """A newer fact of the same entity, told no earlier. Whether it answers the same is asked of recall."""
        now = standing(self._connection, () if other is None else (other,))
        return any(self._entity_of(fact) == row["entity"] for fact in now.values())

    def _entity_of(self, fact: int) -> int:
        sql = "SELECT entity_id FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE attribute.id = ?"
        return int(self._connection.execute(sql, (fact,)).fetchone()[0])

    def _tells_over(self, said: frozenset[str], other: frozenset[str]) -> bool:
        """Whether two texts answer the same: half the words of one are the other's, and either has words of its own."""
        return len(said & other) >= _SHARED * min(len(said), len(other)) > 0 and not other <= said

    def _facts_near(self, row: sqlite3.Row) -> Iterator[tuple[str, bool]]:
        """Facts that may cover a text: of its entity all active ones, of others those that a search finds; with whether
        it is of the same entity and was told later."""
        mine = self._connection.execute(
            "SELECT content, coalesce(attribute.last_seen, attribute.first_seen, '') > ? FROM attribute"
            " JOIN aspect ON aspect.id = aspect_id WHERE aspect.entity_id = ? AND attribute.status = 'active'",
            (row["said"], row["entity"]),
        )
        yield from ((text, bool(later)) for text, later in mine)
        found = [fact for _, fact, _ in self._search.top(row["content"], _NEAREST)]
        others = self._connection.execute(
            "SELECT content FROM attribute WHERE status <> 'archived' AND id IN (SELECT value FROM json_each(?))",
            (json.dumps(found),),
        )
        yield from ((text, False) for (text,) in others)

    def _sources(self, row: sqlite3.Row) -> Iterable[str]:
        """The texts of the sessions that a fact rests on."""
        keys = {row["session"]} | {
            key
            for (key,) in self._connection.execute(
                "SELECT session_key FROM evidence WHERE attribute_id = ?", (row["id"],)
            )
        }
        for table in ("summary", "observation", "turn"):
            for (text,) in self._connection.execute(
                f"SELECT content FROM {table} JOIN session ON session.id = session_id"
                " WHERE key IN (SELECT value FROM json_each(?))",
                (json.dumps(sorted(keys - {""})),),
            ):
                yield text

    def _names_of(self, entity: int) -> list[str]:
        rows = self._connection.execute(
            "SELECT name FROM entity WHERE id = ?1 UNION ALL SELECT name FROM alias WHERE entity_id = ?1", (entity,)
        )
        return [row[0] for row in rows]

    def _names(self, entity: int) -> frozenset[str]:
        return frozenset(word for name in self._names_of(entity) for word in _words(name))


def _words(text: str) -> frozenset[str]:
    """What a text says, as units of meaning: without marks and the words that grammar adds."""
    return frozenset(units([t.text for t in read_tokens(text) if t.kind != "mark"])) - FUNCTION_WORDS
