"""What the graph will look like once proposals are applied, worked out in memory.

The local dreamer looks at its own result until it finds nothing more to do, so that a second compaction of an unchanged
graph has nothing left (law 5). Only the applier changes rows; this follows its rules for the mutations that the local
dreamer proposes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from graphdream.dreamers.gathered import Gathered, SeenAspect, SeenEntity, SeenFact, SeenLink
from graphdream.graph.names import canonical, canonical_text
from graphdream.mutations import model
from graphdream.mutations.entities import UNTYPED


def after_merges(gathered: Gathered, merges: Sequence[model.MergeEntities]) -> Gathered:
    """The view after entities were merged: names kept as aliases, facts moved, equal ones folded, self-loops gone."""
    home = {_number(source): _number(merge.target) for merge in merges for source in merge.source}
    if not home:
        return gathered
    members: dict[int, list[SeenEntity]] = defaultdict(list)
    for entity in gathered.entities:
        members[home.get(entity.id, entity.id)].append(entity)
    entities = tuple(_joined(head, group, home) for head, group in sorted(members.items()))
    aspects = tuple(_joined_aspects(gathered.aspects, home))
    called = {(aspect.entity_id, canonical(aspect.name)): aspect.name for aspect in aspects}
    facts = [
        replace(
            fact,
            entity_id=home[fact.entity_id],
            aspect=called.get((home[fact.entity_id], canonical(fact.aspect)), fact.aspect),
        )
        if fact.entity_id in home
        else fact
        for fact in gathered.facts
    ]
    pinned = {entity.id for entity in gathered.entities if entity.pinned}
    own = {fact.id: fact.entity_id for fact in gathered.facts}
    met = _met(gathered.aspects, home)
    links: dict[tuple[int, int, str], SeenLink] = {}
    turn = {source: at for at, source in enumerate(home, 1)}
    for link in _repointed(sorted(gathered.links, key=lambda link: _turn(link, turn)), home):
        links.setdefault((link.source_id, link.target_id or -link.id, link.type), link)
    distinct = {
        (min(pair), max(pair))
        for pair in ((home.get(low, low), home.get(high, high)) for low, high in gathered.distinct)
        if pair[0] != pair[1]
    }
    return replace(
        gathered,
        entities=entities,
        facts=tuple(
            _folded(
                facts, met, lambda fact: own[fact.id] in pinned or fact.kind == "constraint" or fact.authority == "user"
            )
        ),
        links=tuple(sorted(links.values(), key=lambda link: link.id)),
        aspects=aspects,
        distinct=frozenset(distinct) | gathered.distinct,
    )


def _joined(head: int, group: list[SeenEntity], home: dict[int, int]) -> SeenEntity:
    if len(group) == 1 and home.keys().isdisjoint(group[0].neighbors):
        return group[0]
    group.sort(key=lambda entity: (entity.id != head, entity.id))
    first = group[0]
    names = dict.fromkeys(name for entity in group for name in (entity.name, *entity.aliases))
    names.pop(first.name, None)
    typed = [entity.type for entity in group if entity.type not in UNTYPED]
    near = {home.get(other, other) for entity in group for other in entity.neighbors} - {head}
    return replace(
        first,
        type=first.type if first.type not in UNTYPED or not typed else typed[0],
        aliases=tuple(names),
        neighbors=tuple(sorted(near)),
        sessions=tuple(sorted({key for entity in group for key in entity.sessions})),
        first_seen=min((entity.first_seen for entity in group if entity.first_seen), default=""),
        changed=any(entity.changed for entity in group),
    )


def _turn(link: SeenLink, turn: Mapping[int, int]) -> tuple[int, int]:
    """Of links that become one, that between surviving entities stays, else that whose entities are merged first."""
    return max(turn.get(end, 0) for end in (link.source_id, link.target_id or 0)), link.id


def _repointed(links: Iterable[SeenLink], home: dict[int, int]) -> Iterable[SeenLink]:
    for link in links:
        source = home.get(link.source_id, link.source_id)
        target = link.target_id if link.target_id is None else home.get(link.target_id, link.target_id)
        if (source, target) == (link.source_id, link.target_id):
            yield link
        elif source != target or link.source_id == link.target_id:
            yield replace(link, source_id=source, target_id=target)


def _met(aspects: Iterable[SeenAspect], home: dict[int, int]) -> set[tuple[int, str]]:
    """The aspects in which facts of several entities come together, as (surviving entity, canonical name)."""
    counts = Counter((home.get(aspect.entity_id, aspect.entity_id), canonical(aspect.name)) for aspect in aspects)
    return {place for place, number in counts.items() if number > 1}


def _folded(
    facts: Iterable[SeenFact], met: set[tuple[int, str]], is_protected: Callable[[SeenFact], bool]
) -> Iterable[SeenFact]:
    """Without the plain facts that a merge folds into an equal one of the same aspect."""
    groups: dict[tuple[int, str, str], list[SeenFact]] = defaultdict(list)
    loose = []
    for fact in facts:
        under = (fact.entity_id, canonical(fact.aspect))
        if under in met:
            groups[(*under, canonical_text(fact.content))].append(fact)
        else:
            loose.append(fact)
    for group in groups.values():
        kept = [fact for fact in group if is_protected(fact)] or sorted(group, key=lambda fact: fact.id)[:1]
        if len(kept) < len(group):
            kept = [_said_by(kept[0], group), *kept[1:]]
        loose.extend(kept)
    return sorted(loose, key=lambda fact: fact.id)


def _said_by(survivor: SeenFact, facts: Sequence[SeenFact]) -> SeenFact:
    """A fact that has absorbed others: known since the first of them, said last by the last, as sure as the surest."""
    known = [fact.known_at for fact in facts if fact.known_at]
    return replace(
        survivor,
        known_at=min(known, default=survivor.known_at),
        last_at=max(max(fact.known_at, fact.last_at) for fact in facts),
        confidence=max(fact.confidence for fact in facts),
    )


def _joined_aspects(aspects: Iterable[SeenAspect], home: dict[int, int]) -> Iterable[SeenAspect]:
    """One aspect a name and entity; where the surviving entity has it already, its own."""
    joined: dict[tuple[int, str], SeenAspect] = {}
    for aspect in sorted(aspects, key=lambda aspect: (aspect.entity_id in home, aspect.entity_id, aspect.id)):
        head = home.get(aspect.entity_id, aspect.entity_id)
        known = joined.get((head, canonical(aspect.name)))
        if known is None:
            moves = aspect.entity_id != head
            joined[head, canonical(aspect.name)] = replace(aspect, entity_id=head) if moves else aspect
        else:
            joined[head, canonical(aspect.name)] = replace(known, facts=known.facts + aspect.facts)
    return sorted(joined.values(), key=lambda aspect: aspect.id)


def after_facts(gathered: Gathered, mutations: Iterable[model.Mutation]) -> Gathered:
    """The view after facts were absorbed, superseded and archived, and what was left empty or dangling removed."""
    facts, entities, links, aspects = set[int](), set[int](), set[int](), set[tuple[int, str]]()
    flagged = set(gathered.contradictions)
    into: dict[int, int] = {}
    moved: dict[int, tuple[int, str]] = {}
    newer: set[int] = set()
    for mutation in mutations:
        if isinstance(mutation, model.MergeAttributes):
            for source in map(_number, mutation.source):
                facts.add(source)
                into[source] = _number(mutation.target)
        elif isinstance(mutation, model.MoveAttribute):
            moved[_number(mutation.attribute)] = _number(mutation.entity), canonical(mutation.aspect)
        elif isinstance(mutation, model.SupersedeAttribute):
            facts.add(_number(mutation.old))
            newer.update((_number(mutation.new),) if mutation.new else ())
        elif isinstance(mutation, model.DeleteAttribute):
            facts.add(_number(mutation.content))
        elif isinstance(mutation, model.DeleteEntity):
            entities.add(_number(mutation.name))
        elif isinstance(mutation, model.Unlink):
            links.add(_number(mutation.link))
        elif isinstance(mutation, model.DeleteAspect):
            aspects.add((_number(mutation.entity), mutation.aspect))
        elif isinstance(mutation, model.FlagContradiction):
            first, second = sorted((_number(mutation.first), _number(mutation.second)))
            flagged.add((first, second))
    return replace(
        gathered,
        entities=tuple(
            replace(entity, neighbors=tuple(other for other in entity.neighbors if other not in entities))
            for entity in gathered.entities
            if entity.id not in entities
        ),
        facts=tuple(
            fact
            for fact in _with_found(gathered.facts, into, newer)
            if fact.id not in facts and fact.entity_id not in entities
        ),
        links=tuple(
            link
            for link in gathered.links
            if link.id not in links and link.source_id not in entities and link.target_id not in entities
        ),
        aspects=tuple(
            aspect
            for aspect in _after_moves(gathered, moved)
            if aspect.entity_id not in entities and (aspect.entity_id, aspect.name) not in aspects
        ),
        contradictions=frozenset(flagged),
    )


def _after_moves(gathered: Gathered, moved: Mapping[int, tuple[int, str]]) -> Iterable[SeenAspect]:
    """The aspects, with as many facts as they hold once those of `moved` (fact -> entity and aspect) are elsewhere."""
    more = Counter(moved.values())
    more.subtract((fact.entity_id, canonical(fact.aspect)) for fact in gathered.facts if fact.id in moved)
    for aspect in gathered.aspects:
        change = more[aspect.entity_id, canonical(aspect.name)]
        yield replace(aspect, facts=aspect.facts + change) if change else aspect


def _with_found(facts: Iterable[SeenFact], into: Mapping[int, int], newer: Collection[int]) -> list[SeenFact]:
    """The facts, each with what it absorbed, and newer values as successors."""
    facts = list(facts)
    absorbed: dict[int, list[SeenFact]] = defaultdict(list)
    for fact in facts:
        if fact.id in into:
            absorbed[_final(fact.id, into)].append(fact)
    out = []
    for fact in facts:
        if fact.id in absorbed:
            fact = _said_by(fact, [fact, *absorbed[fact.id]])
        out.append(replace(fact, successor=True) if fact.id in newer and not fact.successor else fact)
    return out


def _final(fact: int, into: Mapping[int, int]) -> int:
    while fact in into:
        fact = into[fact]
    return fact


def _number(handle: str) -> int:
    return int(handle[1:])
