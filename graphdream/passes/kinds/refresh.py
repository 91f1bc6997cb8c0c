"""Read current values anew where they are too old: from the providers that the agent's `refresh.yaml` names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphdream.clock import seconds_between
from graphdream.errors import GraphdreamError
from graphdream.graph.names import canonical
from graphdream.mutations import model
from graphdream.passes.protocol import PassKind, Plan, Scene, Sight, Skip
from graphdream.passes.providers import FILE, ProviderFaultError, Source, fetch, sources_in

NAME = "refresh"
_MOST = 1_000  # entities of one source


@dataclass(frozen=True, slots=True)
class Stale:
    """A source, and the entities whose value is too old: name -> handle."""

    source: Source
    entities: dict[str, str]


def look(scene: Scene) -> Sight | Skip:
    """The sources with entities whose last reading is too old; nobody is asked yet."""
    sources = sources_in(scene.folder)
    if not sources:
        return Skip(f"no provider is named: there is no {FILE} in the agent's folder")
    stale = [Stale(source, found) for source in sources if (found := _stale(scene, source))]
    if not stale:
        return Skip("every value is fresh")
    return Sight({"at": scene.now}, stale, sum(len(one.entities) for one in stale))


def _stale(scene: Scene, source: Source) -> dict[str, str]:
    rows = scene.connection.execute(
        "SELECT id, name, (SELECT max(at) FROM observed WHERE kind = 'reading' AND observed.name = entity.name AND"
        " json_extract(body, '$.aspect') = ?) AS read FROM entity WHERE type = ? AND status = 'active'"
        f" ORDER BY id LIMIT {_MOST}",
        (source.aspect, source.type),
    )
    hours = source.max_age_hours * 3600
    return {name: f"e{number}" for number, name, read in rows if not read or seconds_between(read, scene.now) >= hours}


def local(scene: Scene, stale: Any) -> Plan:
    """Readings for the timeline, and the current value where it changed. One provider that fails stops no other."""
    plan, faults = Plan(), list[str]()
    for one in stale:
        try:
            values = fetch(one.source, tuple(one.entities), scene.settings.refresh_seconds)
        except ProviderFaultError as fault:
            faults.append(str(fault))
            continue
        for name, value in values.items():
            plan.events.append(
                {"kind": "reading", "entity": name, "aspect": one.source.aspect, "value": value, "at": scene.now,
                 "source": f"{one.source.kind} {one.source.where}"[:200]}
            )  # fmt: skip
            _update(scene, plan, one.entities[name], one.source.aspect, value)
        missing = len(one.entities) - len(values)
        if missing:
            plan.notes.append(f"{one.source.where} knows nothing of {missing} of {len(one.entities)} {one.source.type}")
    if faults and not plan.events:
        raise GraphdreamError("; ".join(faults), f"look at {FILE}")
    plan.notes += faults
    plan.figures["readings"] = len(plan.events)
    return plan


def _update(scene: Scene, plan: Plan, entity: str, aspect: str, value: str) -> None:
    """The current value, in place of the one before where it is another."""
    text, slot = f"{aspect}: {value}", f"current {aspect}"
    old = scene.connection.execute(
        "SELECT attribute.id, content FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE entity_id = ? AND"
        " aspect.canonical = ? AND slot = ? AND attribute.status = 'active' ORDER BY attribute.id",
        (int(entity[1:]), canonical(aspect), slot),
    ).fetchall()
    if not old:
        plan.propose(model.CreateAttribute(entity=entity, aspect=aspect, content=text, slot=slot))
    plan.propose(
        *(model.SupersedeAttribute(old=f"a{number}", new=text, slot=slot) for number, said in old if said != text)
    )


PASS = PassKind(
    NAME, 150, "memory", "reads current values anew from the providers of refresh.yaml", look, local,
    events=("reading",),
)  # fmt: skip
