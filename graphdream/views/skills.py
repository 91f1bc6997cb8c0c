"""The skills view: what the agent knows how to do. A skill is an entity of the type `skill`; its name is a path
(`mcp/email`), its summary and content are facts, its lessons too, and what it refers to are links."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from graphdream.errors import AmbiguousNameError, NotFoundError, UsageError
from graphdream.graph.categories import SKILL
from graphdream.graph.names import canonical, canonical_text
from graphdream.graph.rows import handle
from graphdream.graph.tables import ENTITY
from graphdream.mutations import model
from graphdream.mutations.context import entities_named

SUMMARY, CONTENT, LESSONS, TRIGGERS = "summary", "content", "lessons", "triggers"
SEE_ALSO = "see_also"
_ONE = (SUMMARY, CONTENT)  # aspects that hold one fact; a new one supersedes it


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill.

    Attributes:
        handle: of its entity, "" for one that is not there yet.
        lessons: what was learned of it, oldest first.
        triggers: words by which a task is known to need it.
        see_also: names of skills that belong beside it, in order.
        created_at: when it was first seen, a stamp or "".
        updated_at: when its words were last written, a stamp or "".
        aliases: names of skills that went into it.
    """

    name: str
    summary: str = ""
    content: str = ""
    lessons: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    see_also: tuple[str, ...] = ()
    handle: str = ""
    created_at: str = ""
    updated_at: str = ""
    aliases: tuple[str, ...] = ()
    pinned: bool = False

    @property
    def prefix(self) -> str:
        """What stands before the first slash of its name, "" where there is none."""
        head, slash, _ = self.name.partition("/")
        return head if slash else ""


def skills(connection: sqlite3.Connection, ids: Iterable[int] | None = None) -> list[Skill]:
    """Every skill, or those of some entities, by name."""
    where, wanted = ("", "[]") if ids is None else (" AND id IN (SELECT value FROM json_each(:ids))", _listed(ids))
    rows = connection.execute(
        f"SELECT id, name, first_seen, pinned FROM entity WHERE type = '{SKILL}' AND status = 'active'{where}"
        " ORDER BY name, id",
        {"ids": wanted},
    ).fetchall()
    known = _listed(row["id"] for row in rows)
    facts: dict[int, dict[str, list[sqlite3.Row]]] = defaultdict(lambda: defaultdict(list))
    for row in connection.execute(
        "SELECT aspect.entity_id, aspect.canonical AS under, content, attribute.first_seen FROM attribute JOIN aspect"
        " ON aspect.id = aspect_id WHERE attribute.status = 'active' AND aspect.status = 'active'"
        " AND entity_id IN (SELECT value FROM json_each(?)) ORDER BY attribute.id",
        (known,),
    ):
        facts[row["entity_id"]][row["under"]].append(row)
    beside: dict[int, list[str]] = defaultdict(list)
    for source, name in connection.execute(
        "SELECT source_id, entity.name FROM link JOIN entity ON entity.id = target_id WHERE link.status = 'active'"
        " AND link.type = ? AND source_id IN (SELECT value FROM json_each(?)) ORDER BY link.id",
        (SEE_ALSO, known),
    ):
        beside[source].append(name)
    other: dict[int, list[str]] = defaultdict(list)
    for entity, name in connection.execute(
        "SELECT entity_id, name FROM alias WHERE entity_id IN (SELECT value FROM json_each(?)) ORDER BY id", (known,)
    ):
        other[entity].append(name)
    return [_skill(row, facts[row["id"]], beside[row["id"]], other[row["id"]]) for row in rows]


def _skill(row: sqlite3.Row, facts: dict[str, list[sqlite3.Row]], beside: list[str], aliases: list[str]) -> Skill:
    def words(aspect: str) -> tuple[str, ...]:
        return tuple(fact["content"] for fact in facts[aspect])

    written = [fact["first_seen"] or "" for aspect in _ONE for fact in facts[aspect]]
    return Skill(
        name=row["name"], summary=(words(SUMMARY) or ("",))[-1], content=(words(CONTENT) or ("",))[-1],
        lessons=words(LESSONS), triggers=words(TRIGGERS), see_also=tuple(beside),
        handle=handle(ENTITY, row["id"]), created_at=row["first_seen"] or "",
        updated_at=max(written, default=row["first_seen"] or ""), aliases=tuple(aliases), pinned=bool(row["pinned"]),
    )  # fmt: skip


def skill_named(connection: sqlite3.Connection, name: str) -> Skill:
    """A skill by its name, a former name, or the handle of its entity.

    Raises:
        NotFoundError: there is none.
        AmbiguousNameError: there are several.
    """
    found = _ids_of(connection, name)
    if not found:
        raise NotFoundError(f"there is no skill called {name!r}", "graphdream skills list")
    if len(found) > 1:
        raise AmbiguousNameError(name, [handle(ENTITY, number) for number in found])
    return skills(connection, found)[0]


def _ids_of(connection: sqlite3.Connection, name: str) -> list[int]:
    from graphdream.graph.rows import parse_handle

    parsed = parse_handle(name)
    if parsed is not None and parsed[0] is ENTITY:
        row = connection.execute(
            "SELECT id FROM entity WHERE id = ? AND type = ? AND status = 'active'", (parsed[1], SKILL)
        ).fetchone()
        return [row[0]] if row else []
    return [row["id"] for row in entities_named(connection, name) if row["type"] == SKILL]


def there(connection: sqlite3.Connection, name: str) -> Skill | None:
    """The skill of a name, None where there is none. Raises AmbiguousNameError."""
    return skill_named(connection, name) if canonical(name) and _ids_of(connection, name) else None


def written(connection: sqlite3.Connection, wanted: Skill) -> list[model.Mutation]:
    """What makes a skill as it is wanted: nothing where it is so already.

    Raises:
        UsageError: it has no name, or no words at all.
    """
    name = wanted.name.strip()
    if not canonical(name):
        raise UsageError("a skill has a name")
    known = skill_named(connection, wanted.handle) if wanted.handle else there(connection, name)
    if known is None:
        return _made(wanted)
    mutations: list[model.Mutation] = []
    if name != known.name:
        mutations.append(model.RenameEntity(entity=known.handle, name=name))
    for aspect in _ONE:
        before, after = getattr(known, aspect), getattr(wanted, aspect)
        if after.strip() and canonical_text(after) != canonical_text(before):
            mutations += _put(connection, known.handle, aspect, after)
    for aspect in (LESSONS, TRIGGERS):
        new = [text for text in getattr(wanted, aspect) if text.strip() and text not in getattr(known, aspect)]
        if new:
            facts = tuple(model.NewFact(content=text) for text in new)
            mutations.append(model.UpdateAspect(entity=known.handle, aspect=aspect, attributes=facts))
    mutations += _linked(connection, known, wanted.see_also)
    return mutations


def _put(connection: sqlite3.Connection, reference: str, aspect: str, text: str) -> list[model.Mutation]:
    """The new words of an aspect that holds one fact, in place of what it holds."""
    old = connection.execute(
        "SELECT attribute.id FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE entity_id = ? AND"
        " aspect.canonical = ? AND attribute.status = 'active' AND aspect.status = 'active' ORDER BY attribute.id",
        (int(reference[1:]), aspect),
    ).fetchall()
    if not old:
        return [model.CreateAttribute(entity=reference, aspect=aspect, content=text)]
    return [model.SupersedeAttribute(old=f"a{row[0]}", new=text) for row in old]


def _made(wanted: Skill) -> list[model.Mutation]:
    if not (wanted.summary.strip() or wanted.content.strip()):
        raise UsageError(f"the skill {wanted.name!r} says nothing")
    told = (
        (SUMMARY, (wanted.summary,)), (CONTENT, (wanted.content,)), (LESSONS, wanted.lessons),
        (TRIGGERS, wanted.triggers),
    )  # fmt: skip
    aspects = tuple(
        model.NewAspect(name=aspect, attributes=tuple(model.NewFact(content=text) for text in texts if text.strip()))
        for aspect, texts in told
        if any(text.strip() for text in texts)
    )
    made = model.CreateEntity(name=wanted.name.strip(), type=SKILL, aspects=aspects)
    return [made, *(model.Link(source=wanted.name.strip(), target=other, type=SEE_ALSO) for other in wanted.see_also)]


def _linked(connection: sqlite3.Connection, known: Skill, wanted: Iterable[str]) -> list[model.Mutation]:
    mutations: list[model.Mutation] = []
    names = {canonical(name) for name in known.see_also}
    own = {canonical(known.name), *map(canonical, known.aliases)}
    kept = set()
    for name in wanted:
        kept.add(canonical(name))
        if canonical(name) and canonical(name) not in names | own:
            mutations.append(model.Link(source=known.handle, target=name, type=SEE_ALSO))
    for number, name in connection.execute(
        "SELECT link.id, entity.name FROM link JOIN entity ON entity.id = target_id WHERE source_id = ? AND"
        " link.status = 'active' AND link.type = ? ORDER BY link.id",
        (int(known.handle[1:]), SEE_ALSO),
    ):
        if canonical(name) not in kept:
            mutations.append(model.Unlink(link=f"l{number}"))
    return mutations


def named(skill: Skill, name: str) -> Skill:
    """The same skill under another name."""
    return replace(skill, name=name)


def _listed(ids: Iterable[int]) -> str:
    return json.dumps(sorted(ids))
