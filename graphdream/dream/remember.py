"""Remember one thing now: a pass of its own, in which what is known already is reinforced."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.dream.edit import edit
from graphdream.dream.gather import known_names, whole_names
from graphdream.dream.later import in_turn
from graphdream.dream.teller import Teller, actor_of, authority_of
from graphdream.dream.times import told_at, world_times
from graphdream.dream.topics import homes_of
from graphdream.dreamers.gathered import Gathered, SeenSession
from graphdream.dreamers.reading import clues_in, firsts_in, home_of, names_in, subject_of, time_told
from graphdream.errors import AmbiguousNameError, ConflictError, UsageError
from graphdream.events.transcripts import storable
from graphdream.facts import Fact, Subject, consolidate
from graphdream.graph.categories import FOLDER, GENERAL, Place, place_of
from graphdream.graph.names import canonical_text
from graphdream.graph.rows import handle
from graphdream.graph.spans import of_pass
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE, ENTITY
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.language.lexicon import spoken_in
from graphdream.mutations import model
from graphdream.mutations.applier import Proposal, apply_proposals, record_outcomes
from graphdream.mutations.context import Applying, entities_named
from graphdream.mutations.entities import UNTYPED
from graphdream.mutations.ops.date_attribute import WORLD_TIMES
from graphdream.mutations.outcome import PURGED, Outcome
from graphdream.observed import observing

_FORGOTTEN = "forgotten"
_AGAIN = "graphdream remember --again says it anew, as a person"


class PurgedFactError(ConflictError):
    """A person has purged this very fact: no file may keep what was told."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of it. `known`: a fact said so already (`handle` is its handle) and was reinforced."""

    handle: str
    known: bool
    pass_id: int
    message: str


@observing("remember")
def remember(
    store: Store, text: str, *, category: str = "", tags: Iterable[str] = (), session: str = "", at: str = "",
    valid_from: str = "", valid_to: str = "", occurred_at: str = "", review_after: str = "", call: str = "",
    by: Teller = "user", again: bool = False, clock: Clock = utc_now,
) -> Remembered:  # fmt: skip
    """Add one fact, or reinforce the one that says it already, also in other words.

    Args:
        text: the fact, one sentence.
        category: path of where it belongs (`user-preferences/timezone`, `type/name/aspect`). A path with a type means
            the entity of that name and type, or an untyped one of that name; where there is neither, it is made, also
            beside one of that name and another type. Without a category, the fact goes to the entity that the text
            names, else to where the memory speaks of what opens it, else to the general folder.
        tags: labels.
        session: key of the session in which it was said.
        at: when it was said, ISO 8601; now where it is not given.
        valid_from, valid_to: since and until when it holds in the world: a year, a month (2026-03), a day or a time.
        occurred_at: when it happened. A fact to which none of these times is given has the one that its text tells,
            counted from `at` (`moved out yesterday`).
        review_after: when to look whether it still holds. A fact that is known already gets the times that are given
            by an edit, a pass of its own.
        call: name of a call that was put off (`graphdream.dream.later`), for the record.
        by: who tells it. What the user tells, no pass takes away; what an agent tells was observed.
        again: also what a person has removed or purged, which only the user may say anew.

    Raises:
        AmbiguousNameError: the category's name fits several entities; nothing was written.
        ConflictError: a person has removed or purged this very fact; nothing was written.
        UsageError: `again`, and an agent tells it; the text is blank, `at` is no time, or what it would change is not
            allowed; nothing was written.
    """
    if not isinstance(text, str):
        raise UsageError(f"the fact is of type {type(text).__name__}; it should be text")
    if isinstance(tags, str):
        raise UsageError("tags is one text; it should be a list", f"tags=[{tags!r:.60}]")
    text, category, session = storable(text), storable(category), storable(session)
    tags = [storable(tag) for tag in tags]
    if again and actor_of(by) != "person":
        raise UsageError("only the user may say anew what a person has taken out", "by: user")
    if not canonical_text(text):
        raise UsageError("there is nothing to remember: the text is blank")
    known_at = told_at(at)
    times = world_times(valid_from=valid_from, valid_to=valid_to, occurred_at=occurred_at, review_after=review_after)
    told = {"session": session, "known_at": known_at, "tags": tuple(tags)}
    authority, now = authority_of(by), clock()
    inputs = {"now": now} | ({"call": call} if call else {})
    is_dated = not times.keys().isdisjoint(WORLD_TIMES)
    dated = times if is_dated else {**time_told(text, known_at or now, spoken_in(text)), **times}
    header = PassHeader("remember", options={"by": by} | ({"again": True} if again else {}), inputs=inputs)
    with open_pass(store, header, clock=clock, writing=in_turn) as current:
        place, entity_id = _home(store.connection, text, category)
        mutations = _mutations(store.connection, text, place, entity_id, told, dated)
        proposals = [Proposal.of(mutation) for mutation in mutations]
        applying = Applying(store, "person" if again else "host", now, derived=False, authority=authority)
        outcomes = apply_proposals(applying, proposals)
        _raise_faults(outcomes)
        current.counts.update(record_outcomes(store.connection, current.id, proposals, outcomes))
        fact_id = _written(store.connection, current.id, proposals)
        current.summary = outcomes[-1].message
    known = outcomes[-1].code == "reinforced"
    if known and times:  # an edit, so that the times of what a person told are changed with a person's rights only
        edit(store, [{"op": "date_attribute", "attribute": handle(ATTRIBUTE, fact_id), **times}], by=by, clock=clock)
    return Remembered(handle(ATTRIBUTE, fact_id), known, current.id, outcomes[-1].message)


def _home(connection: sqlite3.Connection, text: str, category: str) -> tuple[Place, int | None]:
    """Where the fact hangs, and the entity that is there, None where it is yet to be made."""
    if category:
        place = place_of(category)
        return place, _named(connection, place)
    session = SeenSession("", "session", "", ((0, text),))
    known = known_names(connection, names_in((session,)))
    whole = whole_names(connection, firsts_in((session,)) - set(known))
    gathered = Gathered("", 0, "", sessions=(session,), known_names=known, whole_names=whole)
    subject = subject_of(gathered, text)
    if subject is None:
        home = home_of(text, homes_of(connection, clues_in(text, None)), None)
        if home is not None:
            return home.place, home.entity_id
        place = Place(FOLDER, GENERAL, GENERAL)
        return place, _named(connection, place)
    row = connection.execute("SELECT type, name FROM entity WHERE id = ?", (subject,)).fetchone()
    return Place(row["type"], row["name"], GENERAL), subject


def _named(connection: sqlite3.Connection, place: Place) -> int | None:
    """The entity of a place's name and type; that of the name alone where the path names no type, or the entity has
    none. Another type is another entity: two things may have one name."""
    bearing = entities_named(connection, place.entity)
    fitting = [row for row in bearing if row["type"] == place.type]
    if not fitting:
        fitting = [row for row in bearing if place.type == FOLDER or row["type"] in UNTYPED]
    if len(fitting) > 1:
        raise AmbiguousNameError(place.entity, [f"{handle(ENTITY, row['id'])} ({row['type']})" for row in fitting])
    return fitting[0]["id"] if fitting else None


def _mutations(
    connection: sqlite3.Connection,
    text: str,
    place: Place,
    entity_id: int | None,
    told: Mapping[str, Any],
    times: Mapping[str, Any],
) -> list[model.Mutation]:
    """What makes the fact, or reinforces the one that is known.

    Args:
        told: when and in which session it was told, and its tags.
        times: of the fact in the world, as `world_times` gives them.
    """
    if entity_id is None:
        fact = model.NewFact(content=text, **told, **times)
        aspect = model.NewAspect(name=place.aspect, attributes=(fact,))
        return [model.CreateEntity(name=place.entity, type=place.type, aspects=(aspect,))]
    known = _said_already(connection, text, place.aspect, entity_id)
    if known is not None:
        again = {name: told[name] for name in ("session", "known_at")}
        return [model.ReinforceAttribute(attribute=handle(ATTRIBUTE, known), **again)]
    return [model.CreateAttribute(entity=handle(ENTITY, entity_id), aspect=place.aspect, content=text, **told, **times)]


def _said_already(connection: sqlite3.Connection, text: str, aspect: str, entity_id: int) -> int | None:
    """The fact of an entity that says the same in other words, or None."""
    facts = [
        Fact(
            id=row["id"], entity=entity_id, content=row["content"], aspect=row["under"], kind=row["kind"],
            known_at=row["first_seen"] or "", source=row["source"], session=row["session_key"],
            confidence=row["confidence"], protected=True,
        )
        for row in connection.execute(
            "SELECT attribute.*, aspect.name AS under FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE"
            " aspect.entity_id = ? AND attribute.status = 'active' ORDER BY attribute.id",
            (entity_id,),
        )
    ]  # fmt: skip
    fresh = Fact(
        id=0, entity=entity_id, content=text, aspect=aspect, kind="attribute", known_at="9999", source="", session=None,
        confidence=1.0, protected=False,
    )  # fmt: skip
    row = connection.execute("SELECT name, type FROM entity WHERE id = ?", (entity_id,)).fetchone()
    aliases = connection.execute("SELECT name FROM alias WHERE entity_id = ? ORDER BY id", (entity_id,)).fetchall()
    names = (row["name"], *(alias[0] for alias in aliases))
    findings = consolidate([*facts, fresh], [Subject(entity_id, names, row["type"], pinned=False)])
    return next((survivor for loser, survivor, _ in findings.duplicates if loser == 0), None)


def _raise_faults(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.status == "failed":
            raise UsageError(outcome.message)
        if outcome.code == PURGED:
            raise PurgedFactError(outcome.message, _AGAIN)
        if outcome.code == _FORGOTTEN:
            raise ConflictError(outcome.message, f"graphdream restore brings it back; {_AGAIN}")


def _written(connection: sqlite3.Connection, pass_id: int, proposals: list[Proposal]) -> int:
    """The fact that the pass made or reinforced."""
    mutation = proposals[-1].mutation
    if isinstance(mutation, model.ReinforceAttribute):
        return int(mutation.attribute[1:])
    row: Any = connection.execute(
        f"SELECT row_id FROM change NOT INDEXED WHERE {of_pass('?1')} AND kind = ?2 ORDER BY id DESC LIMIT 1",
        (pass_id, ATTRIBUTE.kind),
    ).fetchone()
    return int(row[0])
