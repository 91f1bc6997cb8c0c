"""Step 1 of a pass: read what a dreamer may see, in one unchanging view of the file."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from graphdream.dream.diary import diary_of
from graphdream.dream.findings import closed_questions, deferred_entities, open_sessions
from graphdream.dream.scopes import conditions_of
from graphdream.dream.soundness import confirm_shown, confirm_told
from graphdream.dream.topics import homes_of
from graphdream.dream.usage import usage_of
from graphdream.dreamers.gathered import (
    Gathered,
    SeenAspect,
    SeenEntity,
    SeenFact,
    SeenLink,
    SeenObservation,
    SeenPast,
    SeenSession,
    SeenTurn,
)
from graphdream.dreamers.reading import firsts_in, folders_in, names_in, open_clues, openings_in
from graphdream.events.counter import UNREAD_OR_HELD, UNTOLD
from graphdream.events.transcripts import MACHINES
from graphdream.graph.sealtables import confirm_tables
from graphdream.graph.spans import after_pass
from graphdream.graph.store import Store
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY, INSTEAD_OF, LINK

LOOKED_AT = "looked_at"  # in `meta`: the newest pass whose changes a dream has looked at
_MOST_AROUND = 60  # entities that are shown because a session names them
_NEWEST = 8  # facts of each
_MOST_AGAIN = 50  # sessions that are shown again to who may understand them; what an added model costs is bounded
# By which a pass leaves alone what was decided, and knows what it has looked at.
_READ_WHOLE = ("distinct_pair", "rejection", "contradiction", "finding", "meta")
_MOSTLY = 5  # where every fifth entity changed, looking for what is near each costs more than reading all


def gather(
    store: Store, *, mode: str, now: str, sessions: Sequence[SeenSession] = (), also: Collection[int] = (),
    again: bool = False, settling: bool = False, part: Collection[int] | None = None,
) -> Gathered:  # fmt: skip
    """The whole graph (compact), or what changed since the last pass with what could be the same (incremental).

    Within an open pass, that pass's own changes count as new.

    Args:
        also: ids of entities that an incremental pass is shown though they did not change.
        again: what a pass did that was taken back counts as new, and the questions that it answered are open.
        settling: the open pass has written what it read, and this is for looking at that.
        part: ids of the entities that are shown of a graph that is looked at in parts (graphdream/dream/parts.py); with
            none of them, the sessions alone, and the whole graph is seen to be sound.
    """
    connection = store.connection
    with store.reading():
        if not settling:
            confirm_tables(store.seal, *_READ_WHOLE)
        seen = connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()[0]
        changed = None if mode == "compact" else _changed_entities(connection, again) | deferred_entities(connection)
        scope = _scope(connection, changed, also) if part is None else set(part)
        diary = diary_of(connection, scope)
        if scope is not None and part is None:
            scope |= {home.entity_id for home in diary.values()}
        known = known_names(connection, names_in(sessions) | folders_in(sessions))
        whole = whole_names(connection, firsts_in(sessions) - set(known))
        around = _around(connection, known | _only(whole), mode, now) if sessions else None
        if not settling:
            confirm_shown(store, scope or None if part is not None else scope, [session.key for session in sessions])
        elif scope is not None:
            confirm_shown(store, scope, ())
        if around is not None and scope is not None:
            confirm_told(store, _rows_of(connection, around))
        gathered = Gathered(
            mode=mode,
            seen_version=seen,
            now=now,
            entities=tuple(_entities(connection, scope, changed)),
            facts=tuple(_facts(connection, scope)),
            past=tuple(_past(connection, scope)),
            links=tuple(_links(connection, scope)),
            aspects=tuple(_aspects(connection, scope)),
            distinct=_pairs(connection, _DISTINCT),
            contradictions=_pairs(connection, "SELECT first_id, second_id FROM contradiction"),
            both_hold=_pairs(
                connection, "SELECT first_id, second_id FROM contradiction WHERE resolution = 'both hold'"
            ),
            declined=closed_questions(connection, again=again),
            summaries=_summaries(connection) if scope is None or part else (),
            sessions=tuple(sessions),
            known_names=known,
            whole_names=whole,
            usage=usage_of(connection, openings_in(sessions) - set(known)),
            around=around,
            diary=diary,
            settling=settling,
            partial=bool(part),
        )
        return replace(gathered, homes=homes_of(connection, open_clues(gathered))) if sessions else gathered


_DISTINCT = (
    "SELECT first_id, second_id FROM distinct_pair UNION"
    " SELECT first_id, second_id FROM rejection WHERE revoked_by IS NULL"
)


def _rows_of(connection: sqlite3.Connection, around: Gathered) -> list[str]:
    """The rows that the entities around sessions are shown by, as handles; of what has none, `alias 5`."""
    ids = json.dumps([entity.id for entity in around.entities])
    aliases = connection.execute("SELECT id FROM alias WHERE entity_id IN (SELECT value FROM json_each(?))", (ids,))
    return [
        *(f"e{entity.id}" for entity in around.entities),
        *(f"alias {row[0]}" for row in aliases),
        *(f"a{fact.id}" for fact in around.facts),
    ]


def _around(connection: sqlite3.Connection, known: Mapping[str, tuple[int, ...]], mode: str, now: str) -> Gathered:
    """The entities that names in the sessions lead to, each with its newest facts; those with the longest names, as
    they are the least likely to be met by chance. The cost follows the sessions, not the graph."""
    ranked = sorted(known.items(), key=lambda item: (-len(item[0]), item[0]))
    ids = list(dict.fromkeys(entity for _, found in ranked for entity in found))[:_MOST_AROUND]
    facts = [
        SeenFact(*row)
        for entity in sorted(ids)
        for row in reversed(
            connection.execute(
                f"{_FACTS}aspect.entity_id = ? ORDER BY attribute.id DESC LIMIT ?", (entity, _NEWEST)
            ).fetchall()
        )
    ]
    return Gathered(
        mode=mode, seen_version=0, now=now, entities=tuple(_entities(connection, ids, ())), facts=tuple(facts)
    )


def gather_entities(connection: sqlite3.Connection, ids: Collection[int], *, now: str) -> Gathered:
    """Some entities with all that hangs on them; the cost follows them, not the graph."""
    seen = connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()[0]
    return Gathered(
        mode="incremental", seen_version=seen, now=now, entities=tuple(_entities(connection, ids, ())),
        facts=tuple(_facts(connection, ids)),
    )  # fmt: skip


def looked_at(connection: sqlite3.Connection) -> int:
    """The newest pass whose changes a dream has looked at; 0 where none has."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (LOOKED_AT,)).fetchone()
    return int(row[0]) if row else 0


def note_looked(connection: sqlite3.Connection, version: int) -> None:
    """Remember that everything up to this pass was looked at."""
    connection.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", (LOOKED_AT, str(version))
    )


def unread_sessions(store: Store, *, left_open: bool = False, again: bool = False) -> list[SeenSession]:
    """Sessions with a summary or an observation that no pass has read, or that nobody summed up, in time order.

    Args:
        left_open: also those that a pass has read and not understood, whole; a few, and in the next pass more.
        again: also those whose reading was taken back.
    """
    connection, unread = store.connection, UNREAD_OR_HELD if again else "read_by IS NULL"
    whole = set(open_sessions(connection)[:_MOST_AGAIN]) if left_open else set()
    with store.reading():
        rows = connection.execute(
            f"SELECT * FROM session WHERE id IN (SELECT session_id FROM summary WHERE {unread}"
            f" UNION SELECT session_id FROM observation WHERE {unread} UNION {UNTOLD})"
            " OR key IN (SELECT value FROM json_each(?))"
            " ORDER BY coalesce(ended_at, started_at, recorded_at), id",
            (json.dumps(sorted(whole)),),
        ).fetchall()
        return [_session(connection, row, "1" if row["key"] in whole else unread) for row in rows]


def _session(connection: sqlite3.Connection, row: sqlite3.Row, unread: str) -> SeenSession:
    summaries = connection.execute(
        f"SELECT id, content FROM summary WHERE session_id = ? AND {unread} ORDER BY id", (row["id"],)
    )
    observations = connection.execute(
        f"SELECT id, speaker, content, evidence FROM observation WHERE session_id = ? AND {unread} ORDER BY position",
        (row["id"],),
    )
    turns = connection.execute(
        f"SELECT uid, speaker, content, {unread} AS unread FROM turn WHERE session_id = ? ORDER BY position",
        (row["id"],),
    ).fetchall()
    summed_up = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM summary WHERE session_id = ?1) OR"
        " EXISTS (SELECT 1 FROM observation WHERE session_id = ?1)",
        (row["id"],),
    ).fetchone()[0]
    return SeenSession(
        key=row["key"],
        kind=row["kind"],
        at=row["ended_at"] or row["started_at"] or row["recorded_at"],
        summaries=tuple((item["id"], item["content"]) for item in summaries),
        observations=tuple(
            SeenObservation(item["id"], item["speaker"], item["content"], tuple(json.loads(item["evidence"])))
            for item in observations
        ),
        turns=tuple(map(_turn, turns)),
        told=tuple(
            _turn(item)
            for item in turns
            if item["unread"] and not summed_up and item["speaker"].lower() not in MACHINES
        ),
    )


def _turn(row: sqlite3.Row) -> SeenTurn:
    return SeenTurn(row["uid"] or "", row["speaker"], row["content"])


def known_names(connection: sqlite3.Connection, names: set[str]) -> dict[str, tuple[int, ...]]:
    """The active entities that bear each of some canonical names, as a name or else as an alias."""
    known: dict[str, set[int]] = defaultdict(set)
    for condition, part in conditions_of(names):
        for row in connection.execute(
            f"SELECT canonical, id FROM entity WHERE status = 'active' AND {condition.format(column='canonical')}", part
        ):
            known[row[0]].add(row[1])
    for condition, part in conditions_of(names - set(known)):
        for row in connection.execute(
            "SELECT alias.canonical, entity_id FROM alias JOIN entity ON entity.id = entity_id WHERE"
            f" entity.status = 'active' AND {condition.format(column='alias.canonical')}",
            part,
        ):
            known[row[0]].add(row[1])
    return {name: tuple(sorted(ids)) for name, ids in known.items()}


def whole_names(connection: sqlite3.Connection, firsts: Iterable[str]) -> dict[str, tuple[tuple[int, str], ...]]:
    """The active entities whose names of several words begin with each of some canonical words: two of each."""
    found = {
        first: tuple(
            (row[0], row[1])
            for row in connection.execute(
                "SELECT id, name FROM entity WHERE status = 'active' AND canonical > ? AND canonical < ? LIMIT 2",
                (f"{first} ", f"{first}!"),
            )
        )
        for first in sorted(firsts)
    }
    return {first: borne for first, borne in found.items() if borne}


def _only(whole: Mapping[str, tuple[tuple[int, str], ...]]) -> dict[str, tuple[int, ...]]:
    return {first: (borne[0][0],) for first, borne in whole.items() if len(borne) == 1}


def _changed_entities(connection: sqlite3.Connection, again: bool) -> set[int]:
    """Entities that changed, or got a changed fact or link, since a dream last looked at the graph; with `again` also
    those on which a pass was taken back."""
    touched = f"({after_pass(':seen')} AND pass_id NOT IN ({_WEIGHING}))"
    if again:
        touched += " OR pass_id IN (SELECT id FROM pass WHERE undone_by IS NOT NULL OR kind = 'unmerge')"
    rows = connection.execute(
        f"""
        WITH touched (kind, id) AS (SELECT DISTINCT kind, row_id FROM change NOT INDEXED WHERE {touched})
        SELECT entity.id FROM touched CROSS JOIN entity USING (id) WHERE kind = :entity AND status = 'active'
        UNION SELECT aspect.entity_id FROM touched CROSS JOIN attribute USING (id) JOIN aspect
            ON aspect.id = attribute.aspect_id WHERE touched.kind = :attribute AND attribute.status = 'active'
        UNION SELECT entity_id FROM touched CROSS JOIN aspect USING (id) WHERE kind = :aspect AND status = 'active'
        UNION SELECT source_id FROM touched CROSS JOIN link USING (id) WHERE kind = :link AND status = 'active'
        """,
        {"seen": looked_at(connection), **{table.name: table.kind for table in (ENTITY, ASPECT, ATTRIBUTE, LINK)}},
    )
    return {row[0] for row in rows}


# Passes that only weighed what is there: importance that decays is no news of the facts.
_WEIGHING = "SELECT id FROM pass WHERE kind = 'cycle' AND json_extract(options, '$.news') = 0"


def is_whole(connection: sqlite3.Connection, *, mode: str, again: bool = False) -> bool:
    """Whether a pass is shown the whole graph."""
    if mode == "compact":
        return True
    return _is_mostly_new(connection, _changed_entities(connection, again) | deferred_entities(connection))


def _scope(connection: sqlite3.Connection, changed: Collection[int] | None, also: Collection[int]) -> set[int] | None:
    """The entities to be read: what changed with what could be the same; None: all of them."""
    if changed is None:
        return None
    if _is_mostly_new(connection, changed):
        return None
    return _with_candidates(connection, changed) | set(also)


def _is_mostly_new(connection: sqlite3.Connection, changed: Collection[int]) -> bool:
    newest = connection.execute("SELECT max(id) FROM entity").fetchone()[0]  # nearly their number, and known at once
    return newest is not None and len(changed) * _MOSTLY > newest


def _with_candidates(connection: sqlite3.Connection, changed: Collection[int]) -> set[int]:
    """The changed entities and those whose names are near theirs; by index, so the cost follows the change."""
    from graphdream.graph.nameindex import similar_entities

    found = set(changed)
    for entity_id in sorted(changed):
        found.update(similar_entities(connection, entity_id))
    return found


def _entities(
    connection: sqlite3.Connection, scope: Collection[int] | None, changed: Collection[int] | None
) -> Iterable[SeenEntity]:
    aliases: dict[int, list[str]] = defaultdict(list)
    neighbors: dict[int, set[int]] = defaultdict(set)
    for condition, ids in conditions_of(scope):
        for row in connection.execute(
            f"SELECT entity_id, name FROM alias WHERE {condition.format(column='entity_id')} ORDER BY id", ids
        ):
            aliases[row[0]].append(row[1])
        for row in connection.execute(
            "SELECT source_id, target_id FROM link WHERE status = 'active' AND target_id IS NOT NULL AND"
            f" {condition.format(column='source_id')} UNION SELECT target_id, source_id FROM link WHERE"
            f" status = 'active' AND target_id IS NOT NULL AND {condition.format(column='target_id')}",
            (*ids, *ids),
        ):
            neighbors[row[0]].add(row[1])
    for condition, ids in conditions_of(scope):
        for row in connection.execute(
            "SELECT id, name, type, pinned, sessions, first_seen FROM entity WHERE status = 'active' AND"
            f" {condition.format(column='id')} ORDER BY id",
            ids,
        ):
            yield SeenEntity(
                id=row["id"], name=row["name"], type=row["type"], pinned=bool(row["pinned"]),
                aliases=tuple(aliases[row["id"]]), neighbors=tuple(sorted(neighbors[row["id"]] - {row["id"]})),
                sessions=tuple(sorted(json.loads(row["sessions"]))), first_seen=row["first_seen"] or "",
                changed=changed is None or row["id"] in changed,
            )  # fmt: skip


# In the order of the fields of `SeenFact`.
_FACT = (
    "attribute.id, aspect.entity_id, aspect.name, attribute.content, attribute.kind, attribute.confidence,"
    " coalesce(attribute.first_seen, ''), attribute.source, coalesce(attribute.session_key, ''), attribute.authority,"
    " coalesce(attribute.last_seen, ''),"
    " EXISTS (SELECT 1 FROM attribute AS old WHERE old.superseded_by = attribute.id),"
    f" (SELECT id FROM attribute AS old WHERE old.uid = json_extract(attribute.metadata, '$.{INSTEAD_OF}'))"
)
_FROM_FACTS = " FROM attribute JOIN aspect ON aspect.id = attribute.aspect_id WHERE attribute.status"
_FACTS = f"SELECT {_FACT}{_FROM_FACTS} = 'active' AND "
# In the order of the fields of `SeenPast`, those of its fact last.
_PAST = (
    "SELECT attribute.status, coalesce(attribute.absorbed_into, attribute.superseded_by), aspect.status = 'active',"
    f" {_FACT}{_FROM_FACTS} <> 'active' AND "
)


def _facts(connection: sqlite3.Connection, scope: Collection[int] | None) -> Iterable[SeenFact]:
    for condition, ids in conditions_of(scope):
        for row in connection.execute(
            f"{_FACTS}{condition.format(column='aspect.entity_id')} ORDER BY attribute.id", ids
        ):
            yield SeenFact(*row)


def _past(connection: sqlite3.Connection, scope: Collection[int] | None) -> Iterable[SeenPast]:
    for condition, ids in conditions_of(scope):
        for status, by, filed, *fact in connection.execute(
            f"{_PAST}{condition.format(column='aspect.entity_id')} ORDER BY attribute.id", ids
        ):
            yield SeenPast(SeenFact(*fact), status, by, bool(filed))


def _links(connection: sqlite3.Connection, scope: Collection[int] | None) -> Iterable[SeenLink]:
    for condition, ids in conditions_of(scope):
        for row in connection.execute(
            "SELECT id, source_id, target_id, type FROM link WHERE status = 'active' AND"
            f" {condition.format(column='source_id')} ORDER BY id",
            ids,
        ):
            yield SeenLink(*row)


def _aspects(connection: sqlite3.Connection, scope: Collection[int] | None) -> Iterable[SeenAspect]:
    for condition, ids in conditions_of(scope):
        for row in connection.execute(
            "SELECT aspect.id, aspect.entity_id, aspect.name, count(attribute.id) FROM aspect LEFT JOIN attribute"
            " ON attribute.aspect_id = aspect.id WHERE aspect.status = 'active' AND"
            f" {condition.format(column='aspect.entity_id')} GROUP BY aspect.id ORDER BY aspect.id",
            ids,
        ):
            yield SeenAspect(*row)


def _pairs(connection: sqlite3.Connection, sql: str) -> frozenset[tuple[int, int]]:
    return frozenset((row[0], row[1]) for row in connection.execute(sql))


def _summaries(connection: sqlite3.Connection) -> tuple[str, ...]:
    rows = connection.execute(
        "SELECT content FROM summary JOIN session ON session.id = session_id WHERE kind = 'session' ORDER BY summary.id"
    )
    return tuple(row[0] for row in rows)
