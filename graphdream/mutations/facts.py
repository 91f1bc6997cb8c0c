"""How facts are written, seen again, absorbed: what several operations share."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from graphdream.clock import stamp
from graphdream.errors import quoted
from graphdream.graph.names import canonical, canonical_text, text_digest
from graphdream.graph.rows import handle
from graphdream.graph.tables import ASPECT, ATTRIBUTE, EVIDENCE, MENTION
from graphdream.mutations.base import NewFact
from graphdream.mutations.context import TOLD, Applying, facts_saying
from graphdream.mutations.mentions import NOTES_MENTIONS, mentioned
from graphdream.mutations.outcome import fail, skip
from graphdream.mutations.rows import Row
from graphdream.mutations.times import WIDENS_TIMES, widened


class Written(NamedTuple):
    """A fact that was to be written: whether it was `known`; `idle` says why that was no sighting, if it was none."""

    id: int
    known: bool
    idle: str = ""


def write_fact(applying: Applying, entity: Row, aspect: str, fact: NewFact) -> Written:
    """Add a fact to an entity, or reinforce the one that says the same."""
    if not canonical_text(fact.content):
        raise fail("invalid", "a fact needs words")
    if fact.kind == "constraint" and applying.actor == "pass":
        raise skip("reserved", "only a person makes a constraint")
    known = facts_saying(applying.connection, entity["id"], fact.content)
    if known:
        row = next((row for row in known if row["under"] == canonical(aspect)), known[0])
        return Written(row["id"], True, reinforce(applying, row, fact.session, fact.turns, fact.quote, fact.known_at))
    removed = facts_saying(applying.connection, entity["id"], fact.content, status="archived")
    for row in removed:
        applying.guard_forgotten(row, f"{handle(ATTRIBUTE, row['id'])} from {quoted(entity['name'])}")
    applying.guard_purged("fact", fact.content)
    seen = moment(fact.known_at) or applying.now
    fact_id = applying.rows.make(ATTRIBUTE, aspect_id=aspect_for(applying, entity["id"], aspect), content=fact.content,
        digest=text_digest(fact.content), kind=fact.kind, confidence=fact.confidence, importance=fact.importance,
        tags=as_json(sorted(set(fact.tags))), authority=applying.authority, derived=int(applying.derived),
        session_key=fact.session or None, first_seen=seen, last_seen=seen, slot=fact.slot or None,
        valid_from=moment(fact.valid_from), valid_to=moment(fact.valid_to), occurred_at=moment(fact.occurred_at),
        time_precision=fact.precision or None, review_after=moment(fact.review_after),
    )  # fmt: skip
    _add_evidence(applying, fact_id, fact.session, fact.turns, fact.quote, seen)
    named_in = {applying.entity(reference)["id"] for reference in fact.mentions}
    if not named_in and applying.rules >= NOTES_MENTIONS:
        named_in = mentioned(applying, fact.content)
    for named in sorted(named_in - {entity["id"]}):
        applying.rows.make(MENTION, attribute_id=fact_id, entity_id=named)
    return Written(fact_id, False)


def aspect_for(applying: Applying, entity_id: int, name: str) -> int:
    """Id of the aspect of that name, made where it is missing."""
    row = applying.aspect(entity_id, name)
    if row is not None:
        return int(row["id"])
    key = canonical(name)
    if not key:
        raise fail("invalid", "an aspect needs a name")
    return applying.rows.make(ASPECT, entity_id=entity_id, name=name.strip(), canonical=key, first_seen=applying.now)


def reinforce(applying: Applying, fact: Row, session: str, turns: Iterable[str], quote: str, known_at: str) -> str:
    """Count a sighting; the same turn of the same session, or a pass's own derivation, counts once.

    Returns:
        "" where it was counted, else why not.
    """
    seen = moment(known_at) or applying.now
    fresh = _add_evidence(applying, fact["id"], session, turns, quote, seen)
    vouched = vouch(applying, fact)
    if session and not fresh:
        return "" if vouched else f"{handle(ATTRIBUTE, fact['id'])} rests on that session already"
    if not session and applying.derived and applying.actor == "pass":
        return f"{handle(ATTRIBUTE, fact['id'])} is known; a pass's own words are no new sighting"
    applying.rows.change(ATTRIBUTE, fact["id"], reinforcement=fact["reinforcement"] + 1,
        last_seen=max(fact["last_seen"] or seen, seen), first_seen=min(fact["first_seen"] or seen, seen),
    )  # fmt: skip
    return ""


def vouch(applying: Applying, fact: Row) -> bool:
    """A fact that a person says is so, they have told. Returns whether that is news."""
    news = applying.authority == TOLD and fact["authority"] != TOLD
    if news:
        applying.rows.change(ATTRIBUTE, fact["id"], authority=TOLD)
    return news


def _add_evidence(applying: Applying, fact_id: int, session: str, turns: Iterable[str], quote: str, seen: str) -> bool:
    """Note what a fact rests on. Returns whether any of it is new."""
    if not session:
        return False
    fresh = False
    for turn in tuple(turns) or ("",):
        known = applying.connection.execute(
            "SELECT 1 FROM evidence WHERE attribute_id = ? AND session_key = ? AND turn_uid = ?",
            (fact_id, session, turn),
        ).fetchone()
        if known is None:
            applying.rows.make(EVIDENCE, attribute_id=fact_id, session_key=session, turn_uid=turn, quote=quote,
                seen_at=seen,
            )  # fmt: skip
            fresh = True
    return fresh


def absorb(applying: Applying, target_id: int, sources: Iterable[Row], reason: str) -> None:
    """Fold facts into another: times by min and max, sightings by sum; evidence and mentions are shared."""
    target, sources = applying.rows.get(ATTRIBUTE, target_id), list(sources)
    seen = target["reinforcement"]
    first, last = target["first_seen"], target["last_seen"]
    values: dict[str, Any] = {"confidence": target["confidence"], "importance": target["importance"]}
    tags = [target["tags"]]
    for source in sources:
        seen += 0 if source["derived"] else source["reinforcement"]
        first = min(filter(None, (first, source["first_seen"])), default=None)
        last = max(filter(None, (last, source["last_seen"])), default=None)
        values = {name: max(value, source[name]) for name, value in values.items()}
        tags.append(source["tags"])
        _share(applying, source["id"], target_id)
        applying.rows.change(ATTRIBUTE, source["id"], status="absorbed", absorbed_into=target_id, status_reason=reason)
    values |= widened(target, sources) if applying.rules >= WIDENS_TIMES else {}
    applying.rows.change(
        ATTRIBUTE, target_id, reinforcement=seen, first_seen=first, last_seen=last, tags=united(tags), **values
    )


def united(lists: Iterable[str]) -> str:
    """Lists of words in JSON as one, sorted, without repetition."""
    different = set(lists)
    return "[]" if different == {"[]"} else as_json(sorted({word for words in different for word in json.loads(words)}))


def _share(applying: Applying, source_id: int, target_id: int) -> None:
    """Give the survivor the evidence and mentions of the absorbed, which keeps its own."""
    rows = applying.rows
    evidence = rows.where(EVIDENCE, attribute_id=source_id)
    if evidence:
        told = {(row["session_key"], row["turn_uid"]) for row in rows.where(EVIDENCE, attribute_id=target_id)}
        for row in evidence:
            if (row["session_key"], row["turn_uid"]) not in told:
                rows.make(
                    EVIDENCE, attribute_id=target_id, session_key=row["session_key"], turn_uid=row["turn_uid"],
                    quote=row["quote"], seen_at=row["seen_at"],
                )  # fmt: skip
    mentions = rows.where(MENTION, attribute_id=source_id)
    if mentions:
        named = {row["entity_id"] for row in rows.where(MENTION, attribute_id=target_id)}
        for row in mentions:
            if row["entity_id"] not in named:
                rows.make(MENTION, attribute_id=target_id, entity_id=row["entity_id"])


def moment(text: str) -> str | None:
    """A time as it is written; None where there is none. Fails as `invalid` where the text is no time."""
    if not text:
        return None
    try:
        return stamp(text)
    except ValueError as fault:
        raise fail("invalid", f"{quoted(text)} is no ISO 8601 time") from fault


def as_json(value: Any) -> str:
    """A value as JSON columns hold it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
