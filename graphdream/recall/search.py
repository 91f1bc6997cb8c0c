"""One answer from everything that is remembered: facts, turns and summaries, each linked to what it rests on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from graphdream.clock import stamp
from graphdream.errors import UsageError
from graphdream.graph.categories import Place, category_of
from graphdream.graph.served import unsound
from graphdream.graph.store import Store
from graphdream.observed import note, observing
from graphdream.recall.aliases import aliases_asked
from graphdream.recall.facts import Known, rank_facts
from graphdream.recall.fusion import Entry, fuse
from graphdream.recall.hit import Hit
from graphdream.recall.inquiry import inquire
from graphdream.recall.neighbours import facts_around
from graphdream.recall.passages import Passage, by_themselves, passages
from graphdream.recall.postings import FACTS, SUMMARIES, TURNS, KeptReadings, match
from graphdream.recall.question import read_question
from graphdream.recall.sources import Source, contradictions_of, sources_of
from graphdream.recall.summaries import rank_summaries
from graphdream.recall.talk import Said, rank_talk
from graphdream.recall.when import names_month

if TYPE_CHECKING:
    from graphdream.recall.vectors import Meanings

# What a fact lends to the turns it rests on. Measured on LoCoMo with the facts of its sessions (docs/recall.md).
LIFT = 0.6
_SPEAKERS = 1_000  # names that a question is compared with, those with most turns first
MAX_RESULTS = 1_000
_MOST_FILES = 16  # of which one program keeps counts
_KEPT_OF_FILES: dict[Path, KeptReadings] = {}
_KEPT_OF_WRITERS: WeakKeyDictionary[Store, KeptReadings] = WeakKeyDictionary()


@observing("recall")
def recall(
    store: Store,
    query: str,
    *,
    k: int = 5,
    as_of: str | None = None,
    include_superseded: bool = False,
    explain: bool = False,
    budget_words: int | None = None,
    meanings: Meanings | None = None,
) -> list[Hit]:
    """What is remembered about a question, best first.

    Args:
        store: the agent's file; nothing is written.
        query: any text. One without a word finds nothing.
        k: at most so many results, up to 1,000.
        as_of: a date or time: what was known and held true then.
        include_superseded: also facts that others have replaced.
        explain: fill in `details`: how each term of the question was weighted.
        meanings: vectors to search beside the words (graphdream.recall.vectors).
        budget_words: stop before the result with which the texts together have more words than that.

    Returns:
        Facts and turns in one ranking. A turn is left out where a better fact rests on it alone; turns next to each
        other are told together where that makes room for facts; a summary is returned only of sessions without turns;
        facts over links come after all direct hits. What is not as it was sealed is left out, and noted in
        `store.seal.left_out`; so is what only such a row keeps out.

    Raises:
        UsageError: the question is no text, `k` or `budget_words` no whole number or out of range, or `as_of` no date.
    """
    if not isinstance(query, str):
        raise UsageError(f"the question is of type {type(query).__name__}; it should be text")
    for name, number in (("k", k), ("budget_words", budget_words)):
        if not isinstance(number, int | None):
            raise UsageError(f"{name} is {number!r}; it should be a whole number")
    if not 1 <= k <= MAX_RESULTS:
        raise UsageError(f"k is {k}; it should be 1 to {MAX_RESULTS}")
    if budget_words is not None and budget_words < 1:
        raise UsageError(f"budget_words is {budget_words}; it should be at least 1")
    moment = _moment(as_of)
    with store.reading():
        kept, passed_over = _kept(store), set[str]()
        hits = _answer(
            store.connection, kept, query, k, moment, include_superseded, explain, meanings, passed_over
        )  # fmt: skip
        wrong = unsound(store, passed_over.union(*map(_handles, hits)))
        hits = [hit for hit in hits if wrong.isdisjoint(_handles(hit))] if wrong else hits
    if budget_words is not None:
        hits = list(_within_budget(hits, budget_words))
    note(k=k, hits=len(hits), content={"question": query})
    return hits


def _handles(hit: Hit) -> tuple[str, ...]:
    """Of all rows that a hit tells."""
    return (hit.handle, *hit.beside, *(other.handle for other in hit.contradicts))


def _kept(store: Store) -> KeptReadings:
    """Counts of earlier questions: all that only read a file share them, also one after the other has closed it."""
    if store.connection.total_changes:  # who writes may have counted what nobody else will ever see
        return _KEPT_OF_WRITERS.setdefault(store, KeptReadings())
    if len(_KEPT_OF_FILES) >= _MOST_FILES and store.path not in _KEPT_OF_FILES:
        _KEPT_OF_FILES.clear()
    return _KEPT_OF_FILES.setdefault(store.path, KeptReadings())


def _moment(as_of: str | None) -> str | None:
    if as_of is None:
        return None
    try:
        moment = stamp(as_of)
    except (TypeError, ValueError) as fault:
        raise UsageError(f"{as_of!r} is no date: {fault}", "write it as 2026-04-01 or 2026-04-01T12:00:00Z") from fault
    # A day stands for all of it.
    return moment.replace("T00:00:00Z", "T23:59:59Z") if len(as_of.strip()) == len("2026-04-01") else moment


def _answer(
    connection: sqlite3.Connection,
    kept: KeptReadings,
    query: str,
    k: int,
    as_of: str | None,
    superseded: bool,
    explain: bool,
    meanings: Meanings | None,
    passed_over: set[str],
) -> list[Hit]:
    """The answer; `passed_over` is given what rows keep out of it (`Inquiry.passed_over`)."""
    years = _years(connection) if names_month(query) else []
    question = read_question(query, speakers=_speakers(connection), years=years)
    in_facts, in_turns, in_summaries = (
        match(connection, index, question.terms, question.pairs, kept) for index in (FACTS, TURNS, SUMMARIES)
    )
    inquiry = inquire(question, (in_facts, in_turns, in_summaries), limit=k, as_of=as_of)
    inquiry = replace(inquiry, passed_over=passed_over)
    passed_over |= aliases_asked(connection, question, in_facts)
    near = meanings.nearest(connection, query) if meanings else {}
    known = rank_facts(connection, inquiry, in_facts, meaning=near.get("fact", {}), include_superseded=superseded)
    sources = sources_of(connection, [fact.id for fact in known])
    said = rank_talk(
        connection, inquiry.within(in_turns), in_turns, lifts=_lifts(known, sources), meaning=near.get("turn", {})
    )
    told = rank_summaries(connection, inquiry, in_summaries)
    hits = _merged(known, said, told, sources, k)
    entities = list(dict.fromkeys(fact.entity_id for fact in known[:k]))
    around = facts_around(connection, entities, limit=k - len(hits), without={fact.id for fact in known})
    hits += [replace(_fact_hit(reached.fact), via=f"e{reached.start}") for reached in around]
    hits = _with_contradictions(connection, hits)
    if explain:
        terms = dict(zip((*question.terms, *question.pairs), inquiry.weights, strict=True))
        hits = [replace(hit, details={"terms": terms, "names": sorted(question.names)}) for hit in hits]
    return hits


def _lifts(known: Sequence[Known], sources: Mapping[int, Sequence[Source]]) -> dict[int, float]:
    """What facts lend to turns. One that rests on several lends less to each: not each of them says all of it."""
    lifts: dict[int, float] = {}
    for fact in known:
        rests_on = sources.get(fact.id, ())
        for source in rests_on:
            lift = LIFT * fact.parts.get("words", 0.0) / sqrt(len(rests_on))
            lifts[source.turn] = max(lifts.get(source.turn, 0.0), lift)
    return lifts


def _merged(
    known: Sequence[Known], said: Sequence[Said], told: Sequence[Hit], sources: Mapping[int, Sequence[Source]], k: int
) -> list[Hit]:
    """The best of all kinds; a fact names the turns that it rests on, and a constraint is never left out."""
    rests_on = {fact.id: frozenset(f"t{source.turn}" for source in sources.get(fact.id, ())) for fact in known}
    own = [(turn.own, f"t{turn.id}") for turn in by_themselves(said)]
    own += [(fact.score, f"a{fact.id}") for fact in known if not rests_on[fact.id]]
    own += [(summary.score, summary.handle) for summary in told]
    entries: list[Entry[Known | Passage | Hit]] = []
    for passage in passages(said) if sources and len(own) > k else [(turn,) for turn in said]:
        handles = frozenset(f"t{turn.id}" for turn in passage)
        entries.append(Entry(passage, max(turn.score for turn in passage), handles))
    for fact in known:
        covers = rests_on[fact.id] or frozenset({f"a{fact.id}"})
        entries.append(Entry(fact, fact.score, covers, fact.kind == "constraint"))
    entries += [Entry(summary, summary.score, frozenset({summary.handle})) for summary in told]
    ranked = [handle for _, handle in sorted(own, key=lambda one: -one[0])]
    return [_hit(found, sources) for found in fuse(entries, ranked, k)]


def _hit(found: Known | Passage | Hit, sources: Mapping[int, Sequence[Source]]) -> Hit:
    if isinstance(found, Hit):
        return found
    return _fact_hit(found, sources.get(found.id, ())) if isinstance(found, Known) else _passage_hit(found)


def _fact_hit(fact: Known, rests_on: Sequence[Source] = ()) -> Hit:
    return Hit(
        kind="fact",
        handle=f"a{fact.id}",
        text=fact.content,
        category=category_of(Place(fact.type, fact.entity, fact.aspect)),
        score=fact.score,
        parts=fact.parts,
        time=fact.time,
        session=fact.session,
        turns=tuple(source.uid for source in rests_on),
        status=fact.status,
        constraint=fact.kind == "constraint",
        authority=fact.authority,
    )


def _passage_hit(passage: Passage) -> Hit:
    """Turns next to each other as one result, under the handle of the best of them."""
    best = max(passage, key=lambda turn: turn.score)
    others = [turn for turn in passage if turn is not best]
    text = "\n".join(f"{turn.speaker}: {turn.content}" if turn.speaker else turn.content for turn in passage)
    return Hit(
        kind="turn",
        handle=f"t{best.id}",
        text=text if others else best.content,
        category="",
        score=best.score,
        parts=best.parts,
        time=best.time,
        session=best.session,
        turns=tuple(turn.uid for turn in (best, *others) if turn.uid),
        speaker="" if others else best.speaker,
        beside=tuple(f"t{turn.id}" for turn in others),
    )


def _with_contradictions(connection: sqlite3.Connection, hits: Sequence[Hit]) -> list[Hit]:
    others = contradictions_of(connection, [int(hit.handle[1:]) for hit in hits if hit.kind == "fact"])
    if not others:
        return list(hits)
    return [
        replace(hit, contradicts=others.get(int(hit.handle[1:]), ())) if hit.kind == "fact" else hit for hit in hits
    ]


def _within_budget(hits: Sequence[Hit], budget_words: int) -> Iterator[Hit]:
    spent = 0
    for hit in hits:
        spent += len(hit.text.split())
        if spent > budget_words:
            return
        yield hit


def _speakers(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM speaker_shape ORDER BY turns DESC, name LIMIT ?", (_SPEAKERS,))
    return [row[0] for row in rows]


def _years(connection: sqlite3.Connection) -> list[int]:
    """Years that the sessions reach over, oldest first; every session is looked at."""
    first, last = connection.execute(
        "SELECT min(started_at), max(started_at) FROM session WHERE started_at IS NOT NULL"
    ).fetchone()
    return list(range(int(first[:4]), int(last[:4]) + 1)) if first else []
