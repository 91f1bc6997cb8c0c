"""Ranking facts: by what they say, whom they are about and when they hold."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graphdream.recall.aliases import names_in
from graphdream.recall.answers import TELLS_WHEN
from graphdream.recall.inquiry import Inquiry, inquire
from graphdream.recall.postings import FACTS, KeptReadings, Matches, match, varints
from graphdream.recall.question import Question, read_question
from graphdream.recall.replaced import SHARE, standing_for
from graphdream.recall.strength import add_strength, strongest
from graphdream.recall.talk import BY_SPEAKER, IN_WINDOW, K1, MEANING, NEWEST, B
from graphdream.recall.when import within

BY_SUBJECT = BY_SPEAKER  # the fact is about someone the question names by a speaker's name or an alias
_MAX_CANDIDATES = 40  # facts that are read
_MAX_NAMED = 5  # entities that a question can name by an alias
_MAX_FACTS_OF_NAMED = 300
# Index terms of a fact of common length: a sentence with its entity and aspect. A mean over the facts that there are
# would move whenever a dream adds or merges some, and every fact with it, against turns whose own scores stay.
COMMON_LENGTH = 16.0
TOLD = "user"  # the authority of what a person told
# Two facts are of one matter where the one has at least so much of what the other has of the question's words.
SAME_SUBJECT, SAME_WORDS = 0.5, 0.8  # about one entity; about different ones, which may be one under two names
NEXT = 0.999  # of the score of what stands right before
MOST_LENGTHS = 3.0  # of these; beyond, a fact is long, and a memory of notes in paragraphs is no worse for it


@dataclass(frozen=True, slots=True)
class Known:
    """A fact that was found.

    Attributes:
        id: its row; `entity`, `aspect` are those it hangs on, `entity_id` and `type` its entity's.
        time: since when it is known or, where that is on record, since when it is true.
        parts: what the score is made of; "words" is what its own text has of the question, "replaced" what it has more
            by the text of what it replaced, "not told" what it lost to what the user said of the same matter.
        authority: who said it: user, observed, inferred, imported.
    """

    id: int
    entity_id: int
    entity: str
    type: str
    aspect: str
    content: str
    kind: str
    status: str
    time: str
    session: str
    score: float
    parts: Mapping[str, float]
    authority: str = ""


class Searcher:
    """Facts for a question, over and over, on any connection; also within a write transaction, of what it wrote.

    For the harm gate's probes: facts only, nothing but ids and scores, no sessions and no vectors.

    Args:
        include_superseded: also what has been replaced.
        for_replaced: what stands now is found by the words of what it replaced, too.
    """

    def __init__(
        self, connection: sqlite3.Connection, *, include_superseded: bool = False, for_replaced: bool = False
    ) -> None:
        self._connection = connection
        self._include_superseded, self._for_replaced = include_superseded, for_replaced
        self._kept = KeptReadings()

    def top(self, query: str, k: int = 5) -> list[tuple[str, int, float]]:
        """The best `k` facts as ("fact", id, score), best first; equal scores in order of the newer fact, then id."""
        question = read_question(query)
        matches = match(self._connection, FACTS, question.terms, question.pairs, self._kept)
        inquiry = inquire(question, (matches,), limit=k)
        found = rank_facts(
            self._connection, inquiry, matches,
            include_superseded=self._include_superseded, for_replaced=self._for_replaced,
        )  # fmt: skip
        return [("fact", fact.id, fact.score) for fact in found[:k]]


def rank_facts(
    connection: sqlite3.Connection,
    inquiry: Inquiry,
    matches: Matches,
    *,
    meaning: Mapping[int, float] | None = None,
    include_superseded: bool = False,
    for_replaced: bool = True,
) -> list[Known]:
    """Rank the facts that a question finds; more than are wanted, of which the last are no longer in exact order.

    Args:
        connection: any connection to the file.
        inquiry: the question. As of a moment, what has been replaced since counts as current.
        matches: what the facts' index holds of its terms.
        meaning: facts near to it in meaning, with a share of 0 to 1.
        include_superseded: also what has been replaced.
        for_replaced: what stands now is found by the words of what it replaced, too; not as of a moment.

    Returns:
        The best facts, best first.
    """
    question, mass = inquiry.question, inquiry.mass
    meaning = meaning or {}
    strength = {fact: MEANING * mass * share for fact, share in meaning.items()}
    add_strength(strength, inquiry.weights, matches.found, in_part=True)
    named = _facts_of_named(connection, question)
    for fact in named:
        strength[fact] = strength.get(fact, 0.0) + 1.0
    candidates = strongest(strength, max(_MAX_CANDIDATES, 3 * inquiry.limit))
    rows = read_facts(connection, candidates)
    held = rows if include_superseded and not inquiry.as_of else [row for row in rows if _holds(row, inquiry.as_of)]
    inquiry.passed_over.update(f"a{fact}" for fact in {*candidates} - {row["id"] for row in held})
    lengths = _lengths(connection, candidates)

    def own(fact: int) -> dict[str, float]:
        """What a fact's own text has of the question."""
        discount = K1 * (1 - B + B * min(lengths.get(fact, 0) / COMMON_LENGTH, MOST_LENGTHS))
        words = 0.0
        for weight, occurrences in zip(inquiry.weights, matches.found, strict=True):
            if fact in occurrences:
                times = occurrences[fact]
                words += weight * times * (K1 + 1) / (times + discount)
        return {"words": words, "meaning": MEANING * mass * meaning.get(fact, 0.0)}

    instead: Mapping[int, float] = {}
    if for_replaced and not include_superseded and not inquiry.as_of:
        replaced = {row["id"]: sum(own(row["id"]).values()) for row in rows if row["status"] != "active"}
        instead = standing_for(connection, replaced)
        held += read_facts(connection, sorted(instead.keys() - {row["id"] for row in rows}))
        lengths |= _lengths(connection, sorted(instead.keys() - lengths.keys()))
    newest = sorted({row["time"] for row in held})
    found = []
    for row in held:
        fact = row["id"]
        parts = own(fact)
        parts["replaced"] = max(0.0, SHARE * instead.get(fact, 0.0) - sum(parts.values()))
        if fact in named or (question.names and row["entity"].lower() in question.names):
            parts["subject"] = mass * BY_SUBJECT
        if question.windows:
            parts["time"] = mass * IN_WINDOW * within(question.windows, row["time"])
        if question.asks_when and row["occurred_at"]:
            parts["tells"] = mass * TELLS_WHEN
        if question.asks_now and len(newest) > 1:
            parts["newest"] = mass * NEWEST * newest.index(row["time"]) / (len(newest) - 1)
        found.append(known_fact(row, {name: value for name, value in parts.items() if value}))
    return sorted_facts(_behind_the_users_own(found))


def _behind_the_users_own(facts: list[Known]) -> list[Known]:
    """What nobody told stands behind what the user said of the same matter, however well its words fit: whoever can
    get a sentence into a session or a file can choose them."""
    told = [fact for fact in facts if fact.authority == TOLD and fact.status == "active"]
    if not told:
        return facts
    return [fact if fact.authority == TOLD else _behind(fact, told) for fact in facts]


def _behind(fact: Known, told: Sequence[Known]) -> Known:
    """The fact with a score below that of what the user told of its matter, where it would be above."""
    words = fact.parts.get("words", 0.0)
    rivals = [
        one.score * NEXT
        for one in told
        if one.parts.get("words", 0.0) >= (SAME_SUBJECT if one.entity_id == fact.entity_id else SAME_WORDS) * words
    ]
    bound = min((rival for rival in rivals if rival < fact.score), default=fact.score)
    if bound >= fact.score:
        return fact
    return replace(fact, score=bound, parts={**fact.parts, "not told": bound - fact.score})


def known_fact(row: sqlite3.Row, parts: Mapping[str, float]) -> Known:
    """A row of `read_facts` with what its score is made of."""
    return Known(
        row["id"], row["entity_id"], row["entity"], row["type"], row["aspect"], row["content"], row["kind"],
        row["status"], row["time"], row["session_key"] or "", sum(parts.values()), parts, row["authority"],
    )  # fmt: skip


def sorted_facts(facts: list[Known]) -> list[Known]:
    """Best first; among equals the newest, then the one recorded first."""
    return sorted(sorted(facts, key=lambda fact: fact.id), key=lambda fact: (fact.score, fact.time), reverse=True)


def _facts_of_named(connection: sqlite3.Connection, question: Question) -> set[int]:
    """Facts of entities that the question names by an alias: their own name, which is indexed, may be another."""
    rows = connection.execute(
        "SELECT DISTINCT entity_id FROM alias WHERE canonical IN (SELECT value FROM json_each(?)) LIMIT ?",
        (json.dumps(names_in(question.text)), _MAX_NAMED),
    ).fetchall()
    if not rows:
        return set()
    facts = connection.execute(
        "SELECT attribute.id FROM aspect JOIN attribute ON attribute.aspect_id = aspect.id"
        " WHERE aspect.entity_id IN (SELECT value FROM json_each(?)) LIMIT ?",
        (json.dumps([row[0] for row in rows]), _MAX_FACTS_OF_NAMED),
    )
    return {row[0] for row in facts}


def _lengths(connection: sqlite3.Connection, facts: Sequence[int]) -> dict[int, int]:
    """Tokens of each fact's document, as FTS5 keeps them for bm25()."""
    rows = connection.execute(
        "SELECT id, sz FROM fact_index_docsize WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(facts),)
    )
    return {row[0]: sum(varints(row[1])) for row in rows}


def read_facts(connection: sqlite3.Connection, facts: Sequence[int]) -> list[sqlite3.Row]:
    """Rows of facts with their places, in the order given; those put aside are left out."""
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(
        "SELECT attribute.id, entity.id AS entity_id, entity.name AS entity, entity.type, aspect.name AS aspect,"
        " attribute.content, attribute.kind, attribute.status, attribute.session_key, attribute.reinforcement,"
        " attribute.authority,"
        " attribute.occurred_at, attribute.valid_from, attribute.valid_to, attribute.first_seen,"
        " successor.first_seen AS replaced_at, coalesce(attribute.occurred_at, attribute.valid_from,"
        " attribute.first_seen, '') AS time"
        " FROM json_each(?) JOIN attribute ON attribute.id = json_each.value"
        " JOIN aspect ON aspect.id = attribute.aspect_id JOIN entity ON entity.id = aspect.entity_id"
        " LEFT JOIN attribute AS successor ON successor.id = attribute.superseded_by"
        " WHERE attribute.status IN ('active', 'superseded') AND entity.status = 'active' ORDER BY json_each.key",
        (json.dumps(facts),),
    ).fetchall()


def _holds(row: sqlite3.Row, as_of: str | None) -> bool:
    """Whether a fact was known and true at a moment; now where none is given."""
    if as_of is None:
        return bool(row["status"] == "active")
    if (row["first_seen"] or "") > as_of or (row["valid_from"] or "") > as_of:
        return False
    if row["valid_to"] and row["valid_to"] <= as_of:
        return False
    return bool(row["status"] == "active" or (row["replaced_at"] or row["valid_to"] or "") > as_of)
