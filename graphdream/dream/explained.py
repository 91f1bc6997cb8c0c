"""Why two entities of the graph are, or are not, taken for one; also where one of them is by now the other."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from graphdream.dream.gather import gather
from graphdream.dream.pair_words import in_words
from graphdream.dream.replay import wound_back
from graphdream.dreamers.local import records_of
from graphdream.entities.explain import Explanation, explain
from graphdream.errors import NotFoundError, UsageError
from graphdream.graph.names import canonical
from graphdream.graph.rows import handle, parse_handle
from graphdream.graph.served import confirm_entities
from graphdream.graph.store import Store
from graphdream.graph.tables import ENTITY
from graphdream.views.entity_page import find_entity

DEFAULT_RATE = 0.005
_MOST = 3  # pieces of evidence of each side that are told in a line
_HEARD = 0.1  # log-odds that a piece of evidence moves the pair by, from which it is told


@dataclass(frozen=True, slots=True)
class PairExplanation:
    """How a pair was judged, and when that was.

    Attributes:
        explanation: the judgement, with every signal.
        before_pass: the pass that made one of them another, if one did: the judgement is about the graph before it.
        told: what that pass did, in words.
    """

    explanation: Explanation
    before_pass: int | None = None
    told: str = ""

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return self.explanation.as_json() | {"before_pass": self.before_pass, "told": self.told}

    def lines(self) -> list[str]:
        """The evidence in three lines, in words: the verdict, what speaks for it and against it, how likely that makes
        it."""
        found = self.explanation
        head = f"{found.first!r} and {found.second!r}: {found.verdict}, {found.why}"
        when = f"judged before pass {self.before_pass}, in which {self.told}" if self.before_pass else ""
        if found.probability is None:
            return [head, "  no evidence was weighed: nothing brought them together", *([f"  {when}"] if when else [])]
        likely = f"probability {found.probability:.4f}, merged from {found.threshold:.4f}"
        return [
            head,
            f"  for: {_told(found, 1)}; against: {_told(found, -1)}",
            "  " + "; ".join(filter(None, (likely, when))),
        ]

    def table(self) -> list[str]:
        """Every signal with its value."""
        return self.explanation.as_text().splitlines()[3:]


def explain_pair(
    store: Store, first: str, second: str, *, max_false_merge_rate: float | None = None
) -> PairExplanation:
    """Explain a pair of entities by handle or name.

    Where one of them was merged, into the other or into a third, the pair is judged as it was before that pass.

    Raises:
        NotFoundError: there is no such entity, or one was archived before the other was there.
        AmbiguousNameError: a name fits several.
        UsageError: both are one entity, and were never two.
    """
    rate = DEFAULT_RATE if max_false_merge_rate is None else max_false_merge_rate
    with store.reading():
        one, other = _two(store.connection, first, second)
        confirm_entities(store, (one["id"], other["id"]))
    gone = [row for row in (one, other) if row["status"] != "active"]
    if not gone:
        return PairExplanation(_judged(store, one["id"], other["id"], rate))
    last = min(gone, key=lambda row: row["version"])
    into = last["absorbed_into"]
    told = f"{handle(ENTITY, last['id'])} {last['name']!r} " + (
        f"went into {handle(ENTITY, into)}" if into else f"was archived ({last['status_reason'] or 'no reason given'})"
    )
    with wound_back(store, last["version"]) as before:
        return PairExplanation(_judged(before, one["id"], other["id"], rate), last["version"], told)


def _judged(store: Store, first: int, second: int, rate: float) -> Explanation:
    gathered = gather(store, mode="compact", now="")
    active = {entity.id for entity in gathered.entities}
    for entity_id in (first, second):
        if entity_id not in active:
            raise NotFoundError(
                f"{handle(ENTITY, entity_id)} was not there when the other was",
                "graphdream entity --history tells more",
            )
    records = records_of(gathered)
    compared = {record.id for record in records}
    for entity_id in (first, second):
        if str(entity_id) not in compared:
            raise UsageError(
                f"{handle(ENTITY, entity_id)} is the folder of what is filed nowhere, which is compared with nobody"
            )
    distinct = [(str(low), str(high)) for low, high in sorted(gathered.distinct)]
    return explain(records, str(first), str(second), max_false_merge_rate=rate, distinct=distinct, sort="memory")


def _two(connection: sqlite3.Connection, first: str, second: str) -> tuple[sqlite3.Row, sqlite3.Row]:
    """The rows of two entities; a name that is by now an alias of the other means the one that had it."""
    one, other = find_entity(connection, first), find_entity(connection, second)
    if one["id"] == other["id"]:
        survivor = one["id"]
        one = _once(connection, first, survivor) or one
        other = _once(connection, second, survivor) or other
    if one["id"] == other["id"]:
        raise UsageError(f"{first} and {second} are one entity and were never two", f"graphdream entity {first}")
    return one, other


def _once(connection: sqlite3.Connection, reference: str, survivor: int) -> sqlite3.Row | None:
    """The entity of a name that went into the survivor, directly or not."""
    if parse_handle(reference) is not None:
        return None
    rows = connection.execute(
        "WITH RECURSIVE inside (id) AS (SELECT id FROM entity WHERE absorbed_into = ?1 UNION"
        " SELECT entity.id FROM entity JOIN inside ON absorbed_into = inside.id)"
        " SELECT * FROM entity WHERE id IN inside AND canonical = ?2 AND EXISTS"
        " (SELECT 1 FROM entity AS own WHERE own.id = ?1 AND own.canonical <> ?2) ORDER BY id",
        (survivor, canonical(reference)),
    ).fetchall()
    row: sqlite3.Row | None = rows[0] if rows else None
    return row


def _told(found: Explanation, side: int) -> str:
    """The most telling evidence of a side in words, each once; what sounds alike was measured in two ways."""
    heard = (in_words(name, value) for name, value, moved in found.telling if moved * side >= _HEARD)
    return ", ".join(list(dict.fromkeys(heard))[:_MOST]) or "nothing"
