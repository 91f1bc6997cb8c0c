"""What the graph will look like once proposals are applied, worked out in memory.

The local dreamer looks at its own result until it finds nothing more to do, so that a second compaction of an unchanged
graph has nothing left. Only the applier changes rows. This follows it mutation by mutation, guards included,
for every operation that the local dreamer proposes: what is foreseen is what is gathered afterwards, in all columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from graphdream.dreamers.foreseen_links import ForeseenLinks
from graphdream.dreamers.gathered import Gathered, SeenEntity, SeenFact, SeenLink, SeenPast
from graphdream.graph.names import canonical, canonical_text
from graphdream.graph.rows import parse_handle
from graphdream.graph.tables import ATTRIBUTE, ENTITY, LINK, Table
from graphdream.mutations import model
from graphdream.mutations.context import TOLD
from graphdream.mutations.entities import UNTYPED
from graphdream.mutations.grounding import dates_among, lost_specifics, new_specifics
from graphdream.mutations.standing import where_it_stands

Kind = TypeVar("Kind", bound=model.Mutation)
Row = TypeVar("Row")


class _Refused(Exception):
    """The applier will refuse this mutation; nothing of it is done."""


class Foresight:
    """A view that follows proposals.

    Args:
        began: the view as it was gathered. What hangs on a pinned entity in it, and each constraint, stays as it is.
    """

    def __init__(self, began: Gathered) -> None:
        self._began = began
        self._entities = {entity.id: entity for entity in began.entities}
        self._facts = {fact.id: fact for fact in began.facts}
        self._past = {past.fact.id: past for past in began.past}
        self._links = ForeseenLinks(began)
        self._aspects = {aspect.id: aspect for aspect in began.aspects}
        self._distinct = set(began.distinct)
        self._apart: dict[int, set[int]] = defaultdict(set)
        for low, high in began.distinct:
            self._set_apart(low, high)
        self._contradictions = set(began.contradictions)
        pinned = {entity.id for entity in began.entities if entity.pinned}
        self._pinned_facts = {fact.id for fact in began.facts if fact.entity_id in pinned}
        self._into: dict[int, int] = {}  # absorbed entity -> the one that it went into
        self._absorbed: dict[int, int] = {}  # absorbed fact -> the one that it went into
        self._shielded: set[int] = set()
        self._gone: set[int] = set()  # entities that were absorbed or archived
        self._came_under: set[int] = set()  # aspects that came to where they are with a merge
        self._said: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        for fact in began.facts:
            self._said[fact.entity_id][canonical(fact.aspect)].add(fact.id)
        self._was: dict[int, set[int]] = defaultdict(set)
        for past in began.past:
            self._was[past.fact.entity_id].add(past.fact.id)
        self._under: dict[int, dict[str, int]] = defaultdict(dict)
        for aspect in began.aspects:
            self._under[aspect.entity_id][canonical(aspect.name)] = aspect.id
        self._handlers: dict[str, Callable[[Any], None]] = {
            "merge_entities": self._merge_entities,
            "delete_entity": self._delete_entity,
            "delete_aspect": self._delete_aspect,
            "merge_attributes": self._merge_attributes,
            "move_attribute": self._move_attribute,
            "supersede_attribute": self._supersede_attribute,
            "delete_attribute": self._delete_attribute,
            "unlink": self._unlink,
            "flag_contradiction": self._flag_contradiction,
        }

    def take(self, mutations: Iterable[Kind]) -> list[Kind]:
        """Follow mutations in order.

        Returns:
            Those that the applier will carry out. One whose effect is not followed here (an operation that the local
            dreamer does not propose, or a row that the view does not show) is among them and changes nothing.
        """
        return [mutation for mutation in mutations if self._holds(mutation)]

    def _holds(self, mutation: model.Mutation) -> bool:
        handler = self._handlers.get(mutation.op)
        if handler is None:
            return True
        try:
            handler(mutation)
        except _Refused:
            return False
        except KeyError:  # a name or a row that this view does not know; raised before anything is done
            return True
        return True

    def view(self) -> Gathered:
        """The view as it is by now."""
        for number, near in self._links.neighbors_anew(self._entities, self._into, self._gone).items():
            if near != self._entities[number].neighbors:
                self._entities[number] = replace(self._entities[number], neighbors=near)
        return replace(
            self._began,
            entities=_in_order(self._entities),
            facts=_in_order(self._facts),
            past=_in_order(self._past),
            links=_in_order(self._links.rows),
            aspects=_in_order(self._aspects),
            distinct=frozenset(self._distinct),
            contradictions=frozenset(self._contradictions),
        )

    def has_facts(self, entity: int) -> bool:
        """Whether an active fact hangs on an entity by now."""
        return any(self._said[entity].values())

    # ------------------------------------------------------------------ addresses

    def _entity(self, reference: str, *, follow: bool = True) -> SeenEntity:
        number = _number(ENTITY, reference)
        while follow and number in self._into:
            number = self._into[number]
        if number in self._gone:
            raise _Refused
        return self._entities[number]

    def _fact(self, reference: str, *, follow: bool = False) -> SeenFact:
        number = _number(ATTRIBUTE, reference)
        while follow and number in self._absorbed:
            number = self._absorbed[number]
        if number in self._past:
            raise _Refused
        return self._facts[number]

    def _link(self, reference: str) -> SeenLink:
        number = _number(LINK, reference)
        if number in self._links.cut:
            raise _Refused
        return self._links.rows[number]

    # ------------------------------------------------------------------ protection

    def _is_fixed(self, fact: SeenFact) -> bool:
        return fact.kind == "constraint" or fact.id in self._pinned_facts

    def _is_protected(self, fact: SeenFact) -> bool:
        return fact.authority == TOLD or self._is_fixed(fact)

    def _guard_entity(self, entity: SeenEntity) -> None:
        if entity.pinned:
            raise _Refused

    def _guard_fact(self, fact: SeenFact) -> None:
        if self._is_protected(fact):
            raise _Refused

    def _guard_shield(self, facts: Iterable[int]) -> None:
        if not self._shielded.isdisjoint(facts):
            raise _Refused

    # ------------------------------------------------------------------ entities

    def _merge_entities(self, mutation: model.MergeEntities) -> None:
        target = self._entity(mutation.target)
        sources: dict[int, SeenEntity] = {}
        for reference in mutation.source:
            source = self._entity(reference, follow=False)
            if source.id == target.id:
                raise _Refused
            sources[source.id] = source
        for source in sources.values():
            self._guard_entity(source)
            if not self._apart[source.id].isdisjoint((target.id, *sources)):
                raise _Refused
        verdicts = {source: sorted(self._apart[source]) for source in sources}
        for source in sources.values():
            target = self._keep_names(source, target)
            self._fold_aspects(source.id, target.id)
            self._links.fold(source.id, target.id)
            for other in verdicts[source.id]:
                self._set_apart(other, target.id)
            self._into[source.id] = target.id
            self._lose(source.id)
            self._links.fold_far(source.id, target.id)
        self._entities[target.id] = _merged(target, [self._entities[target.id], *sources.values()])

    def _keep_names(self, source: SeenEntity, target: SeenEntity) -> SeenEntity:
        fresh = sorted({source.name, *source.aliases} - {target.name, *target.aliases})
        return replace(target, aliases=(*target.aliases, *fresh)) if fresh else target

    def _fold_aspects(self, source: int, target: int) -> None:
        theirs, met = self._under[target], []
        for number in sorted(self._under.pop(source, {}).values()):
            aspect = self._aspects[number]
            key = canonical(aspect.name)
            if key in theirs:
                into = self._aspects[theirs[key]]
                self._aspects[into.id] = replace(into, facts=into.facts + aspect.facts)
                del self._aspects[number]
                met.append(key)
            else:
                self._aspects[number] = replace(aspect, entity_id=target)
                self._came_under.add(number)
                theirs[key] = number
        for key, facts in self._said.pop(source, {}).items():
            for number in facts:
                self._facts[number] = self._hung(self._facts[number], target, key)
            self._said[target][key] |= facts
        for number in self._was.pop(source, ()):
            past = self._past[number]
            hung = self._hung(past.fact, target, canonical(past.fact.aspect) if past.filed else "")
            self._past[number] = replace(past, fact=hung)
            self._was[target].add(number)
        for key in met:
            self._fold_equal_facts(target, key)

    def _hung(self, fact: SeenFact, entity: int, key: str) -> SeenFact:
        """A fact as it hangs on an entity, under the entity's own aspect where it has one of this name."""
        under = self._under[entity].get(key)
        return replace(fact, entity_id=entity, aspect=fact.aspect if under is None else self._aspects[under].name)

    def _fold_equal_facts(self, entity: int, key: str) -> None:
        groups: dict[str, list[SeenFact]] = defaultdict(list)
        for number in sorted(self._said[entity][key]):
            groups[canonical_text(self._facts[number].content)].append(self._facts[number])
        for group in groups.values():
            if len(group) > 1:
                kept = [fact for fact in group if self._is_protected(fact)]
                plain = [fact for fact in group if not self._is_protected(fact)]
                survivor = kept[0] if kept else plain.pop(where_it_stands([(f.source, f.last_at) for f in plain]))
                same = [fact for fact in plain if not lost_specifics((fact.content,), survivor.content, ())]
                self._absorb(survivor, same)

    def _delete_entity(self, mutation: model.DeleteEntity) -> None:
        entity = self._entity(mutation.name, follow=False)
        self._guard_entity(entity)
        facts = [number for filed in self._said[entity.id].values() for number in filed]
        for number in facts:
            self._guard_fact(self._facts[number])
        self._guard_shield(facts)
        for number in facts:
            self._put_aside(self._facts[number], "archived", None)
        self._links.untie_all(entity.id)
        for number in self._under.pop(entity.id, {}).values():
            del self._aspects[number]
        for number in self._was[entity.id]:
            self._past[number] = replace(self._past[number], filed=False)
        self._lose(entity.id)

    # ------------------------------------------------------------------ aspects and links

    def _delete_aspect(self, mutation: model.DeleteAspect) -> None:
        entity, key = self._entity(mutation.entity), canonical(mutation.aspect)
        number = self._under[entity.id].get(key)
        if number not in self._came_under or _number(ENTITY, mutation.entity) == entity.id:
            self._guard_entity(entity)  # what came with a merge is refused only where the pinned entity itself is named
        if number is None:
            raise _Refused
        facts = set(self._said[entity.id][key])
        for fact in facts:
            self._guard_fact(self._facts[fact])
        self._guard_shield(facts)
        for fact in facts:
            self._put_aside(self._facts[fact], "archived", None)
        for past in self._was[entity.id]:
            one = self._past[past]
            if one.filed and canonical(one.fact.aspect) == key:
                self._past[past] = replace(one, filed=False)
        del self._aspects[number], self._under[entity.id][key]

    def _unlink(self, mutation: model.Unlink) -> None:
        link = self._link(mutation.link)
        if link.target_id not in (None, link.source_id) and link.id not in self._links.came:
            ends = [self._entities.get(end) for end in (link.source_id, link.target_id) if end is not None]
            if all(end is not None and end.pinned for end in ends):
                raise _Refused
        self._links.untie(link)

    # ------------------------------------------------------------------ facts

    def _merge_attributes(self, mutation: model.MergeAttributes) -> None:
        target = self._fact(mutation.target, follow=True)
        found = {fact.id: fact for fact in (self._fact(reference, follow=True) for reference in mutation.source)}
        found.pop(target.id, None)
        if not found:
            raise _Refused
        for fact in found.values():
            self._guard_fact(fact)
            if fact.entity_id != target.entity_id:
                raise _Refused
        if mutation.content:
            self._guard_fact(target)
        content = mutation.content or target.content
        owner = self._entities[target.entity_id]
        names, texts = {owner.name, *owner.aliases}, [*(fact.content for fact in found.values()), target.content]
        lost = lost_specifics(texts, content, names) - dates_among(mutation.apart, texts)
        if lost or (content != target.content and new_specifics(texts, content, names)):
            self._shielded.update(found)
            raise _Refused
        self._absorb(replace(target, content=content), list(found.values()))

    def _move_attribute(self, mutation: model.MoveAttribute) -> None:
        fact = self._fact(mutation.attribute)
        self._guard_fact(fact)
        owner = self._entity(mutation.entity) if mutation.entity else self._entities[fact.entity_id]
        before, key = canonical(fact.aspect), canonical(mutation.aspect or fact.aspect)
        leaves, enters = self._under[fact.entity_id].get(before), self._under[owner.id][key]
        if leaves == enters:
            raise _Refused
        for number, change in ((leaves, -1), (enters, 1)):
            if number is not None:
                aspect = self._aspects[number]
                self._aspects[number] = replace(aspect, facts=aspect.facts + change)
        self._said[fact.entity_id][before].discard(fact.id)
        self._said[owner.id][key].add(fact.id)
        self._facts[fact.id] = self._hung(fact, owner.id, key)

    def _supersede_attribute(self, mutation: model.SupersedeAttribute) -> None:
        old, new = self._fact(mutation.old, follow=True), self._fact(mutation.new, follow=True)
        if self._is_fixed(old) or old.id == new.id or old.entity_id != new.entity_id:
            raise _Refused
        if old.authority == TOLD and new.authority != TOLD:
            raise _Refused
        self._facts[new.id] = replace(new, successor=True)
        self._put_aside(old, "superseded", new.id)

    def _delete_attribute(self, mutation: model.DeleteAttribute) -> None:
        fact = self._fact(mutation.content)
        self._guard_fact(fact)
        self._guard_shield((fact.id,))
        self._put_aside(fact, "archived", None)

    def _flag_contradiction(self, mutation: model.FlagContradiction) -> None:
        first, second = sorted((self._fact(mutation.first).id, self._fact(mutation.second).id))
        if first == second or (first, second) in self._contradictions:
            raise _Refused
        self._contradictions.add((first, second))

    def _absorb(self, survivor: SeenFact, sources: Sequence[SeenFact]) -> None:
        """Known since the first of them, said last by the last, as sure as the surest."""
        every = (survivor, *sources)
        self._facts[survivor.id] = replace(
            survivor,
            known_at=min((fact.known_at for fact in every if fact.known_at), default=""),
            last_at=max(fact.last_at for fact in every),
            confidence=max(fact.confidence for fact in every),
        )
        for fact in sources:
            self._absorbed[fact.id] = survivor.id
            self._put_aside(fact, "absorbed", survivor.id)

    def _put_aside(self, fact: SeenFact, status: str, by: int | None) -> None:
        del self._facts[fact.id]
        key = canonical(fact.aspect)
        self._said[fact.entity_id][key].discard(fact.id)
        self._was[fact.entity_id].add(fact.id)
        self._past[fact.id] = SeenPast(fact, status, by, filed=key in self._under[fact.entity_id])

    # ------------------------------------------------------------------ who is apart, who is gone

    def _set_apart(self, one: int, other: int) -> None:
        self._distinct.add((min(one, other), max(one, other)))
        self._apart[one].add(other)
        self._apart[other].add(one)

    def _lose(self, entity: int) -> None:
        del self._entities[entity]
        self._gone.add(entity)


def _merged(target: SeenEntity, rows: Sequence[SeenEntity]) -> SeenEntity:
    """An entity as it is once others went into it; `rows` are it and they as they were, it first."""
    typed = [row.type for row in rows if row.type not in UNTYPED]
    keeps_type = target.pinned or target.type not in UNTYPED or not typed
    return replace(
        target,
        type=target.type if keeps_type else typed[0],
        sessions=tuple(sorted({key for row in rows for key in row.sessions})),
        first_seen=min((row.first_seen for row in rows if row.first_seen), default=""),
        changed=any(row.changed for row in rows),
    )


def _in_order(rows: Mapping[int, Row]) -> tuple[Row, ...]:
    return tuple(rows[number] for number in sorted(rows))


def _number(table: Table, reference: str) -> int:
    """The id that a handle of a table stands for. Raises KeyError where it is none."""
    parsed = parse_handle(reference)
    if parsed is None or parsed[0] is not table:
        raise KeyError(reference)
    return parsed[1]
