"""How facts are made, reinforced, superseded, absorbed, moved, archived and brought back."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from graphdream.clock import stamp
from graphdream.errors import QUOTED_CHARACTERS, quoted
from graphdream.graph.names import canonical, canonical_text, text_digest
from graphdream.graph.rows import fetch, handle, insert, parse_handle, update
from graphdream.graph.tables import ALIAS, ASPECT, ATTRIBUTE, CONTRADICTION, EVIDENCE, MENTION
from graphdream.mutations import model
from graphdream.mutations.context import TOLD, Applying, facts_saying
from graphdream.mutations.grounding import dates_among, lost_specifics, new_specifics
from graphdream.mutations.outcome import Outcome, fail, skip
from graphdream.mutations.rows import Row

_MOST_LISTED = 12  # specifics that a message spells out


def create_attribute(mutation: model.CreateAttribute, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    written = write_fact(applying, entity, mutation.aspect, mutation.fact())
    if written.idle:
        raise skip("nothing_to_do", written.idle)
    if written.known:
        return Outcome("applied", "reinforced", f"{handle(ATTRIBUTE, written.id)} says so already; reinforced")
    return Outcome("applied", "ok", f"made {handle(ATTRIBUTE, written.id)}")


def update_aspect(mutation: model.UpdateAspect, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    written = [write_fact(applying, entity, mutation.aspect, fact) for fact in mutation.attributes]
    made = [handle(ATTRIBUTE, one.id) for one in written if not one.known]
    known = [handle(ATTRIBUTE, one.id) for one in written if one.known]
    if all(one.idle for one in written):
        raise skip("nothing_to_do", "; ".join(one.idle for one in written))
    if not made:
        return Outcome("applied", "reinforced", f"all known: {', '.join(known)}")
    return Outcome("applied", "ok", f"made {', '.join(made)}" + (f"; known: {', '.join(known)}" if known else ""))


class Written(NamedTuple):
    """A fact that was to be written: whether it was `known`; `idle` says why that was no sighting, if it was none."""

    id: int
    known: bool
    idle: str = ""


def write_fact(applying: Applying, entity: Row, aspect: str, fact: model.NewFact) -> Written:
    """Add a fact to an entity, or reinforce the one that says the same (E10)."""
    if not canonical_text(fact.content):
        raise fail("invalid", "a fact needs words")
    if fact.kind == "constraint" and applying.actor == "pass":
        raise skip("reserved", "only a person makes a constraint")
    known = facts_saying(applying.connection, entity["id"], fact.content)
    if known:
        row = next((row for row in known if row["under"] == canonical(aspect)), known[0])
        return Written(row["id"], True, _reinforce(applying, row, fact.session, fact.turns, fact.quote, fact.known_at))
    removed = facts_saying(applying.connection, entity["id"], fact.content, status="archived")
    for row in removed:
        applying.guard_forgotten(row, f"{handle(ATTRIBUTE, row['id'])} from {quoted(entity['name'])}")
    applying.guard_purged("fact", fact.content)
    seen = _stamp(fact.known_at) or applying.now
    fact_id = insert(
        applying.store, ATTRIBUTE, aspect_id=aspect_for(applying, entity["id"], aspect), content=fact.content,
        digest=text_digest(fact.content), kind=fact.kind, confidence=fact.confidence, importance=fact.importance,
        tags=_json(sorted(set(fact.tags))), authority=applying.authority, derived=int(applying.derived),
        session_key=fact.session or None, first_seen=seen, last_seen=seen, slot=fact.slot or None,
        valid_from=_stamp(fact.valid_from), occurred_at=_stamp(fact.occurred_at),
    )  # fmt: skip
    _add_evidence(applying, fact_id, fact.session, fact.turns, fact.quote, seen)
    for named in sorted({applying.entity(reference)["id"] for reference in fact.mentions} - {entity["id"]}):
        insert(applying.store, MENTION, attribute_id=fact_id, entity_id=named)
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


def reinforce_attribute(mutation: model.ReinforceAttribute, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    idle = _reinforce(applying, fact, mutation.session, mutation.turns, mutation.quote, mutation.known_at)
    if idle:
        raise skip("nothing_to_do", idle)
    return Outcome("applied", "reinforced", f"{handle(ATTRIBUTE, fact['id'])} seen {fact['reinforcement'] + 1} times")


def _reinforce(applying: Applying, fact: Row, session: str, turns: Iterable[str], quote: str, known_at: str) -> str:
    """Count a sighting; the same turn of the same session, or a pass's own derivation, counts once.

    Returns:
        "" where it was counted, else why not.
    """
    seen = _stamp(known_at) or applying.now
    fresh = _add_evidence(applying, fact["id"], session, turns, quote, seen)
    vouched = vouch(applying, fact)
    if session and not fresh:
        return "" if vouched else f"{handle(ATTRIBUTE, fact['id'])} rests on that session already"
    if not session and applying.derived and applying.actor == "pass":
        return f"{handle(ATTRIBUTE, fact['id'])} is known; a pass's own words are no new sighting"
    update(
        applying.store, ATTRIBUTE, fact["id"], reinforcement=fact["reinforcement"] + 1,
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
            insert(
                applying.store, EVIDENCE, attribute_id=fact_id, session_key=session, turn_uid=turn, quote=quote,
                seen_at=seen,
            )  # fmt: skip
            fresh = True
    return fresh


def supersede_attribute(mutation: model.SupersedeAttribute, applying: Applying) -> Outcome:
    old = applying.fact(mutation.old, mutation.entity, mutation.aspect, follow=True)
    applying.guard_fixed(old)
    owner = applying.owner(old)
    new = _successor(mutation, applying, old, owner)
    applying.guard_told(old, successor=new)
    vouch(applying, new)
    slot = mutation.slot or old["slot"] or new["slot"]
    if slot and new["slot"] != slot and (applying.actor == "person" or not applying.is_fixed(new)):
        applying.rows.change(ATTRIBUTE, new["id"], slot=slot)
    applying.rows.change(
        ATTRIBUTE, old["id"], status="superseded", superseded_by=new["id"], slot=slot,
        valid_to=old["valid_to"] or new["valid_from"] or new["first_seen"],
        status_reason=mutation.reason or "superseded by a newer fact",
    )  # fmt: skip
    _settle(applying, old["id"], new["id"])
    return Outcome("applied", "ok", f"{handle(ATTRIBUTE, old['id'])} superseded by {handle(ATTRIBUTE, new['id'])}")


def _successor(mutation: model.SupersedeAttribute, applying: Applying, old: Row, owner: Row) -> Row:
    """The fact that takes over: one that is there, or a new one in the old one's place, kind and importance."""
    parsed = parse_handle(mutation.new)
    if parsed is not None and parsed[0] is ATTRIBUTE:
        new = applying.fact(mutation.new, follow=True)
        if new["id"] == old["id"]:
            raise fail("invalid", "a fact cannot supersede itself")
        if applying.owner(new)["id"] != owner["id"]:
            raise skip("elsewhere", f"{mutation.new} and {mutation.old} belong to different entities")
        return new
    if canonical_text(mutation.new) == canonical_text(old["content"]):
        raise skip("nothing_to_do", "the new text says the same as the old one")
    known = facts_saying(applying.connection, owner["id"], mutation.new)
    if known:
        return known[0]
    under = fetch(applying.connection, ASPECT, old["aspect_id"])
    fact = model.NewFact(
        content=mutation.new, kind=old["kind"], importance=old["importance"], confidence=old["confidence"],
        session=mutation.session, quote=mutation.quote, tags=tuple(json.loads(old["tags"])),
        slot=mutation.slot or old["slot"] or "",
    )  # fmt: skip
    return fetch(applying.connection, ATTRIBUTE, write_fact(applying, owner, under["name"], fact).id)


def _settle(applying: Applying, first: int, second: int) -> None:
    """A contradiction between two facts ends when one of them supersedes the other."""
    low, high = sorted((first, second))
    for row in applying.rows.where(CONTRADICTION, first_id=low, second_id=high, status="open"):
        applying.rows.change(CONTRADICTION, row["id"], status="resolved", resolution="superseded")


def delete_attribute(mutation: model.DeleteAttribute, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.content, mutation.entity, mutation.aspect)
    applying.guard_fact(fact)
    if fact["id"] in applying.shielded:
        raise skip("shielded", f"a merge of {handle(ATTRIBUTE, fact['id'])} was refused, so it is kept")
    reason = applying.removal_reason(mutation.reason)
    applying.rows.change(ATTRIBUTE, fact["id"], status="archived", status_reason=reason)
    return Outcome("applied", "ok", f"archived {handle(ATTRIBUTE, fact['id'])}", 1)


def merge_attributes(mutation: model.MergeAttributes, applying: Applying) -> Outcome:
    target = applying.fact(mutation.target, follow=True)
    owner = applying.owner(target)
    found = {row["id"]: row for row in (applying.fact(reference, follow=True) for reference in mutation.source)}
    sources = [row for fact_id, row in found.items() if fact_id != target["id"]]
    if not sources:
        raise skip("nothing_to_do", f"all of that is in {handle(ATTRIBUTE, target['id'])} already")
    for source in sources:
        applying.guard_fact(source)
        if applying.owner(source)["id"] != owner["id"]:
            raise skip("elsewhere", f"{handle(ATTRIBUTE, source['id'])} belongs to another entity")
    if mutation.content:
        applying.guard_fact(target)
    content = mutation.content or target["content"]
    _check_replacement(applying, owner, sources, target, content, mutation.apart)
    absorb(applying, target["id"], sources, mutation.reason or "duplicate")
    if content != target["content"]:
        applying.rows.change(ATTRIBUTE, target["id"], content=content, digest=text_digest(content))
    named = ", ".join(handle(ATTRIBUTE, source["id"]) for source in sources)
    return Outcome("applied", "ok", f"{named} absorbed into {handle(ATTRIBUTE, target['id'])}")


def _check_replacement(
    applying: Applying, owner: Row, sources: list[Row], target: Row, content: str,
    apart: tuple[str, ...],
) -> None:  # fmt: skip
    """Coverage (E8) and grounding (E9): what replaces facts neither loses nor invents anything specific."""
    names = {owner["name"], *(alias["name"] for alias in applying.rows.where(ALIAS, entity_id=owner["id"]))}
    texts = [*(source["content"] for source in sources), target["content"]]
    lost = lost_specifics(texts, content, names) - dates_among(apart, texts)
    if lost:
        applying.shielded.update(source["id"] for source in sources)
        raise skip("coverage", f"the replacement loses {_listed(lost)}")
    if content != target["content"]:
        invented = new_specifics(texts, content, names)
        if invented:
            applying.shielded.update(source["id"] for source in sources)
            raise skip("grounding", f"no source says {_listed(invented)}")


def _listed(specifics: Collection[str]) -> str:
    """The first few of them, in words; how many more there are."""
    shown = [word if len(word) <= QUOTED_CHARACTERS else quoted(word) for word in sorted(specifics)[:_MOST_LISTED]]
    more = len(specifics) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def absorb(applying: Applying, target_id: int, sources: Iterable[Row], reason: str) -> None:
    """Fold facts into another: times by min and max, sightings by sum; evidence and mentions are shared (law 6)."""
    target = applying.rows.get(ATTRIBUTE, target_id)
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
    applying.rows.change(
        ATTRIBUTE, target_id, reinforcement=seen, first_seen=first, last_seen=last, tags=united(tags), **values
    )


def united(lists: Iterable[str]) -> str:
    """Lists of words in JSON as one, sorted, without repetition."""
    different = set(lists)
    return "[]" if different == {"[]"} else _json(sorted({word for words in different for word in json.loads(words)}))


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


def move_attribute(mutation: model.MoveAttribute, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    applying.guard_fact(fact)
    owner = applying.entity(mutation.entity) if mutation.entity else applying.owner(fact)
    under = applying.rows.get(ASPECT, fact["aspect_id"])
    aspect_id = aspect_for(applying, owner["id"], mutation.aspect or under["name"])
    if aspect_id == under["id"]:
        raise skip("nothing_to_do", f"{handle(ATTRIBUTE, fact['id'])} hangs there already")
    applying.rows.change(ATTRIBUTE, fact["id"], aspect_id=aspect_id)
    return Outcome("applied", "ok", f"moved {handle(ATTRIBUTE, fact['id'])}")


def flag_contradiction(mutation: model.FlagContradiction, applying: Applying) -> Outcome:
    first, second = applying.fact(mutation.first), applying.fact(mutation.second)
    if first["id"] == second["id"]:
        raise fail("invalid", "a fact does not contradict itself")
    low, high = sorted((first["id"], second["id"]))
    if applying.rows.where(CONTRADICTION, first_id=low, second_id=high):
        raise skip("nothing_to_do", "that contradiction is on record")
    applying.rows.make(CONTRADICTION, first_id=low, second_id=high, slot=mutation.slot)
    return Outcome("applied", "ok", f"{handle(ATTRIBUTE, low)} and {handle(ATTRIBUTE, high)} flagged")


def resolve_contradiction(mutation: model.ResolveContradiction, applying: Applying) -> Outcome:
    first = applying.fact(mutation.first, active=False)
    second = applying.fact(mutation.second, active=False)
    low, high = sorted((first["id"], second["id"]))
    row = applying.connection.execute(
        "SELECT * FROM contradiction WHERE first_id = ? AND second_id = ? AND status = 'open'", (low, high)
    ).fetchone()
    if row is None:
        raise skip("nothing_to_do", "no such contradiction is open")
    if not mutation.keep:
        update(applying.store, CONTRADICTION, row["id"], status="resolved", resolution="both hold")
        return Outcome("applied", "ok", "both hold")
    keep = applying.fact(mutation.keep)
    if keep["id"] not in (low, high):
        raise fail("invalid", f"{mutation.keep} is neither of the two")
    other = second if keep["id"] == first["id"] else first
    return supersede_attribute(
        model.SupersedeAttribute(
            old=handle(ATTRIBUTE, other["id"]), new=handle(ATTRIBUTE, keep["id"]), slot=row["slot"],
            reason=mutation.reason or "contradiction resolved",
        ),
        applying,
    )  # fmt: skip


def decay(mutation: model.Decay, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    applying.guard_fact(fact)
    if mutation.importance >= fact["importance"]:
        raise skip("nothing_to_do", "decay only lowers")
    update(applying.store, ATTRIBUTE, fact["id"], importance=mutation.importance)
    return Outcome("applied", "ok", f"{handle(ATTRIBUTE, fact['id'])} decayed to {mutation.importance:g}")


def promote(mutation: model.Promote, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    applying.guard_fact(fact)
    tags = set(json.loads(fact["tags"]))
    if "semantic" in tags:
        raise skip("nothing_to_do", f"{handle(ATTRIBUTE, fact['id'])} is promoted already")
    update(applying.store, ATTRIBUTE, fact["id"], tags=_json(sorted((tags - {"episodic"}) | {"semantic"})))
    return Outcome("applied", "ok", f"promoted {handle(ATTRIBUTE, fact['id'])}")


def mark_constraint(mutation: model.MarkConstraint, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    kind = "constraint" if mutation.constraint else "attribute"
    if fact["kind"] == kind:
        raise skip("nothing_to_do", f"{handle(ATTRIBUTE, fact['id'])} is a {kind} already")
    update(applying.store, ATTRIBUTE, fact["id"], kind=kind)
    return Outcome("applied", "ok", f"{handle(ATTRIBUTE, fact['id'])} is now a {kind}")


def _stamp(text: str) -> str | None:
    if not text:
        return None
    try:
        return stamp(text)
    except ValueError as fault:
        raise fail("invalid", f"{quoted(text)} is no ISO 8601 time") from fault


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
