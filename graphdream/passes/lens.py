"""From what a model saves and deletes in a view to typed mutations: only what was shown, and in doubt it is kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import Field

from graphdream.errors import AmbiguousNameError, GraphdreamError
from graphdream.graph.categories import FOLDER, place_of
from graphdream.graph.names import canonical, canonical_text
from graphdream.mutations import model
from graphdream.mutations.grounding import lost_specifics, new_specifics
from graphdream.passes.answers import Answer, AnswerPart
from graphdream.passes.material import ungrounded
from graphdream.passes.protocol import Plan
from graphdream.views.memory import MemoryEntry, home_of, moved, saved
from graphdream.views.skills import CONTENT, SUMMARY, Skill, there, written

# ---------------------------------------------------------------------- the memory


class SavedEntry(AnswerPart):
    """An entry of the memory as it should be."""

    content: str = Field(description="one sentence; of a merge, everything specific that its sources say")
    category: str = Field(default="", description="path such as user-preferences/timezone")
    tags: list[str] = Field(default_factory=list)
    source_ids: list[str] = Field(default_factory=list, description="ids of the entries that this one replaces")
    importance: float | None = Field(default=None, description="0..1; of a new entry")
    session: str = Field(default="", description="key of the session that says so")


class MemoryAnswer(Answer):
    """What is to be saved and deleted in the memory."""

    to_save: list[SavedEntry] = Field(default_factory=list)
    to_delete: list[str] = Field(default_factory=list, description="ids of entries that are worth nothing")


@dataclass(slots=True)
class MemoryShown:
    """What a pass was shown of the memory.

    Attributes:
        entries: by handle; no other id counts.
        fixed: handles that may absorb others and never go: constraints, what is pinned, what a person told.
        material: all that new entries may rest on.
    """

    entries: Mapping[str, MemoryEntry] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    material: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """How a pass saves.

    Attributes:
        category: of a new entry for which none is given.
        under: a category must be this one or lie below it; "": anywhere.
        tags: that every new entry gets.
        new_only: entries that are there stay as they are.
        floor_importance, floor_sightings: from there on an entry is merged, and never archived alone.
        importance: of a new entry for which none is given.
    """

    category: str = "general"
    under: str = ""
    tags: tuple[str, ...] = ()
    new_only: bool = False
    floor_importance: float = 0.8
    floor_sightings: int = 5
    importance: float = 0.5


def fixed_facts(connection: sqlite3.Connection, handles: Iterable[str]) -> frozenset[str]:
    """Those of some facts that no pass puts away: constraints, what hangs on what is pinned, what a person told."""
    from json import dumps

    rows = connection.execute(
        "SELECT attribute.id FROM attribute JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id = entity_id"
        " WHERE attribute.id IN (SELECT value FROM json_each(?))"
        " AND (attribute.kind = 'constraint' OR entity.pinned OR attribute.authority = 'user')",
        (dumps([int(handle[1:]) for handle in handles]),),
    )
    return frozenset(f"a{row[0]}" for row in rows)


def compile_memory(
    connection: sqlite3.Connection, shown: MemoryShown, answer: MemoryAnswer, rules: Rules | None = None
) -> Plan:
    """Turn an answer about the memory into mutations.

    A save with sources becomes a merge of them; a delete that no save explains becomes an archiving. The sources of a
    save that is refused are kept, whatever else the answer says of them.
    """
    rules, plan = rules or Rules(), Plan()
    by_name = {handle.casefold(): handle for handle in shown.entries}
    kept, gone = set[str](), set[str]()
    for place, item in enumerate(answer.to_save):
        what = f"toSave[{place}]"
        sources = list(dict.fromkeys(filter(None, (by_name.get(one.strip().casefold()) for one in item.source_ids))))
        try:
            if not canonical_text(item.content):
                raise _RefusedError("its content is blank")
            if item.source_ids and not sources:
                raise _RefusedError("none of its sources was shown", "not_found")
            if sources and rules.new_only:
                raise _RefusedError("this pass adds entries and changes none")
            if gone & set(sources):
                raise _RefusedError(f"{', '.join(sorted(gone & set(sources)))} went into another entry already")
            plan.propose(
                *(_merge(connection, shown, item, sources) if sources else _new(connection, shown, item, rules))
            )
        except _RefusedError as refused:
            plan.refuse(what, str(refused), refused.code)
            kept |= set(sources)
        except GraphdreamError as fault:
            plan.refuse(what, str(fault), "ambiguous" if isinstance(fault, AmbiguousNameError) else "invalid")
            kept |= set(sources)
        else:
            gone |= set(sources)
    for place, name in enumerate(answer.to_delete):
        handle = by_name.get(name.strip().casefold())
        if handle is None:
            plan.refuse(f"toDelete[{place}]", f"{name[:40]!r} was not shown", "not_found")
        elif rules.new_only or handle in kept:
            plan.refuse(f"toDelete[{place}]", f"{handle} is kept: the save that names it was refused", "shielded")
        elif handle not in gone:
            entry = shown.entries[handle]
            if entry.importance >= rules.floor_importance or entry.reinforcement >= rules.floor_sightings:
                plan.refuse(f"toDelete[{place}]", f"{handle} is too weighty to be archived alone", "shielded")
            else:
                gone.add(handle)
                plan.propose(model.DeleteAttribute(content=handle, reason=answer.summary[:200] or "not worth keeping"))
    return plan


class _RefusedError(Exception):
    def __init__(self, why: str, code: str = "invalid") -> None:
        super().__init__(why)
        self.code = code


def _new(connection: sqlite3.Connection, shown: MemoryShown, item: SavedEntry, rules: Rules) -> list[model.Mutation]:
    category = item.category.strip() or rules.category
    if rules.under and place_of(category).entity != place_of(rules.under).entity:
        category = rules.under
    if place_of(category).type != FOLDER and home_of(connection, place_of(category)) is None:
        raise _RefusedError(f"there is nothing called {place_of(category).entity!r} to hang it on", "not_found")
    if missing := ungrounded(item.content, f"{shown.material}\n{category}"):
        raise _RefusedError(f"nothing that was shown says {', '.join(missing[:6])}", "grounding")
    importance = min(1.0, max(0.0, rules.importance if item.importance is None else item.importance))
    tags = tuple(sorted({*rules.tags, *(tag.strip() for tag in item.tags if tag.strip())}))
    session = item.session.strip()
    if session and connection.execute("SELECT 1 FROM session WHERE key = ?", (session,)).fetchone() is None:
        session = ""
    return [saved(connection, item.content.strip(), category, tags=tags, importance=importance, session=session)]


def _merge(
    connection: sqlite3.Connection, shown: MemoryShown, item: SavedEntry, sources: Sequence[str]
) -> list[model.Mutation]:
    entries = [shown.entries[source] for source in sources]
    place = place_of(item.category) if item.category.strip() else entries[0].place
    if len(entries) == 1:
        if place == entries[0].place:
            raise _RefusedError("an entry alone is kept in its own words: its rewording says nothing new")
        return moved(connection, entries[0].handle, place)
    held = [entry for entry in entries if entry.handle in shown.fixed]
    target = held[0] if held else min(entries, key=lambda entry: (entry.created_at, int(entry.handle[1:])))
    others = [entry for entry in entries if entry is not target and entry not in held]
    if not others:
        raise _RefusedError("all of its sources are protected", "constraint")
    content = target.content if held else item.content.strip()
    texts = [entry.content for entry in (target, *others)]
    names = {entry.place.entity for entry in entries}
    if lost := lost_specifics(texts, content, names):
        raise _RefusedError(f"it loses {', '.join(sorted(lost)[:6])}", "coverage")
    if not held and (invented := new_specifics(texts, content, names)):
        raise _RefusedError(f"no source says {', '.join(sorted(invented)[:6])}", "grounding")
    if held:
        place = target.place
    elsewhere = {entry.place[:2] for entry in entries} - {place[:2]}
    if any(kind != FOLDER for kind, _ in elsewhere):
        raise _RefusedError("its sources belong to different things", "elsewhere")
    mutations: list[model.Mutation] = []
    for entry in (target, *others):
        if entry.place[:2] != place[:2]:
            mutations += _moved_once(mutations, moved(connection, entry.handle, place))
    reworded = content if canonical_text(content) != canonical_text(target.content) else ""
    mutations.append(
        model.MergeAttributes(source=tuple(one.handle for one in others), target=target.handle, content=reworded)
    )
    if target.place[:2] == place[:2] and canonical(target.place.aspect) != canonical(place.aspect):
        mutations.append(model.MoveAttribute(attribute=target.handle, aspect=place.aspect))
    return mutations


def _moved_once(done: Sequence[model.Mutation], further: list[model.Mutation]) -> list[model.Mutation]:
    """Moves without making the same folder twice."""
    return [one for one in further if not (isinstance(one, model.CreateEntity) and one in done)]


# ---------------------------------------------------------------------- skills


class SavedSkill(AnswerPart):
    """A skill as it should be."""

    name: str = Field(description="lower case with hyphens; a path such as mcp/email where it belongs to a family")
    summary: str = Field(default="", description="at most fifteen words: when to use it")
    content: str = Field(default="", description="the steps, with examples and edge cases")
    source_names: list[str] = Field(default_factory=list, description="skills that go into this one")
    see_also: list[str] = Field(default_factory=list)


class SkillAnswer(Answer):
    """What is to be saved and deleted among the skills."""

    to_save: list[SavedSkill] = Field(default_factory=list)
    to_delete: list[str] = Field(default_factory=list, description="names of skills that are redundant")


def compile_skills(
    connection: sqlite3.Connection, shown: Sequence[Skill], answer: SkillAnswer, *, may_change: bool = True,
    may_delete: bool = True, shortened: frozenset[str] = frozenset(),
) -> Plan:  # fmt: skip
    """Turn an answer about skills into mutations.

    Args:
        may_change: skills that are there may be rewritten and merged; else only new ones are made, never over a name
            that is taken.
        shortened: names of skills that were not shown whole: their content is not replaced by what was made of a part.

    A deletion without a valid save refuses the whole answer: an answer that only takes away was not thought through.
    """
    plan = Plan()
    known = {canonical(name): skill for skill in shown for name in (*skill.aliases, skill.name)}
    kept, gone, valid = set[str](), set[str](), 0
    made = {canonical(item.name) for item in answer.to_save}
    for place, item in enumerate(answer.to_save):
        sources = list(dict.fromkeys(
            known[canonical(name)].name for name in item.source_names if canonical(name) in known
        ))  # fmt: skip
        try:
            mutations = _save(connection, known, item, sources, may_change, shortened, made)
        except _RefusedError as refused:
            plan.refuse(f"toSave[{place}]", str(refused), refused.code)
            kept |= set(sources)
            continue
        except GraphdreamError as fault:
            plan.refuse(f"toSave[{place}]", str(fault))
            kept |= set(sources)
            continue
        valid += 1
        gone |= set(sources)
        plan.propose(*mutations)
    # A link may lead to a skill that is made behind it.
    plan.proposals.sort(key=lambda one: isinstance(one.mutation, model.Link))
    if not answer.to_delete:
        return plan
    if not valid:
        plan.refuse("toDelete", "deletions without a valid save: the whole answer is refused")
        plan.proposals = [one for one in plan.proposals if one.mutation is None]
        return plan
    for place, name in enumerate(answer.to_delete):
        skill = known.get(canonical(name))
        if skill is None:
            plan.refuse(f"toDelete[{place}]", f"there is no skill {name[:60]!r}", "not_found")
        elif not may_delete or skill.name in kept or canonical(skill.name) in made:
            plan.refuse(f"toDelete[{place}]", f"{skill.name} is kept", "shielded")
        elif skill.name not in gone:
            gone.add(skill.name)
            plan.propose(model.DeleteEntity(name=skill.handle, reason=answer.summary[:200] or "redundant"))
    return plan


def _save(
    connection: sqlite3.Connection, known: Mapping[str, Skill], item: SavedSkill, sources: Sequence[str],
    may_change: bool, shortened: frozenset[str], made: set[str],
) -> list[model.Mutation]:  # fmt: skip
    name = item.name.strip()
    if not canonical(name) or len(name) > 120:
        raise _RefusedError("it has no name" if not canonical(name) else "its name is longer than 120 characters")
    there_now = known.get(canonical(name)) or there(connection, name)
    if there_now is not None and not may_change:
        raise _RefusedError(f"there is a skill {there_now.name} already; this pass writes over none")
    if not item.content.strip() and (there_now is None or not (item.summary.strip() or item.see_also)):
        raise _RefusedError("its content is blank")
    others = [known[canonical(source)] for source in sources if canonical(source) != canonical(name)]
    if any(canonical(one.name) in made for one in others):
        raise _RefusedError("one of its sources is saved as well")
    see_also = [
        known[canonical(one)].name if canonical(one) in known else one.strip()
        for one in item.see_also
        if (canonical(one) in known or canonical(one) in made) and canonical(one) != canonical(name)
    ]
    base = there_now or Skill(name)
    content = item.content.strip() or base.content
    if base.name in shortened and content != base.content and len(content) < len(base.content):
        raise _RefusedError(f"{base.name} was not shown whole, and this would shorten it", "coverage")
    wanted = replace(
        base, summary=item.summary.strip() or base.summary, content=content,
        see_also=tuple(dict.fromkeys((*base.see_also, *see_also))),
    )  # fmt: skip
    mutations = written(connection, wanted)
    if others:
        pinned = [one.name for one in others if one.pinned]
        if pinned or base.pinned:
            raise _RefusedError(f"{', '.join(pinned) or base.name} is pinned", "pinned")
        target = base.handle or name
        mutations.append(model.MergeEntities(source=tuple(one.handle for one in others), target=target))
        # What the sources said is superseded by what was made of it.
        for one in others:
            for aspect, text in ((SUMMARY, wanted.summary), (CONTENT, wanted.content)):
                mutations += [
                    model.SupersedeAttribute(old=old, new=text) for old in _words_of(connection, one, aspect, text)
                ]
    if not mutations:
        raise _RefusedError("it says what is there already", "nothing_to_do")
    return mutations


def _words_of(connection: sqlite3.Connection, skill: Skill, aspect: str, text: str) -> list[str]:
    rows = connection.execute(
        "SELECT attribute.id, content FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE entity_id = ? AND"
        " aspect.canonical = ? AND attribute.status = 'active' ORDER BY attribute.id",
        (int(skill.handle[1:]), aspect),
    )
    return [f"a{number}" for number, content in rows if text and canonical_text(content) != canonical_text(text)]
