"""Keep what the agent knows of itself in the graph: strengths and known failures, from what it did."""

from __future__ import annotations

import json
from typing import Any

from graphdream.events.observed import newest_observed
from graphdream.graph.names import canonical_text
from graphdream.mutations import model
from graphdream.passes.protocol import PassKind, Plan, Scene, Sight, Skip
from graphdream.views.self_model import AGENT, SELF, SelfModel, self_model

NAME = "self-model"
STRENGTHS, FAILURES = "strengths", "known failures"
FILE = "self_model.json"


def look(scene: Scene) -> Sight | Skip:
    """The model, where there are new outcomes."""
    mark = {kind: newest_observed(scene.connection, kind) for kind in ("skill-use", "tool-call", "execution")}
    if not any(mark.values()):
        return Skip("no outcome is on record")
    if mark == scene.read:
        return Sight(mark, None)
    settings = scene.settings
    known = self_model(
        scene.connection, scene.now, step=settings.confidence_step, low=settings.confidence_low,
        high=settings.confidence_high,
    )  # fmt: skip
    return Sight(mark, known, sum(total for _, total in known.success_rates.values()))


def local(scene: Scene, known: Any) -> Plan:
    """Strengths and failures that are new are added, those that are none any more archived; a copy goes beside."""
    plan = Plan()
    if known is None:
        return plan
    there = _there(scene)
    wanted = {STRENGTHS: known.strengths, FAILURES: known.known_failures}
    for aspect, other in ((STRENGTHS, FAILURES), (FAILURES, STRENGTHS)):
        names, held, elsewhere = wanted[aspect], there.get(aspect, {}), there.get(other, {})
        for name in [name for name in names if canonical_text(name) in elsewhere]:  # what was one is the other now
            handle = elsewhere.pop(canonical_text(name))
            held[canonical_text(name)] = handle
            plan.propose(model.MoveAttribute(attribute=handle, entity=SELF, aspect=aspect))
        there[aspect] = held
    for aspect, names in wanted.items():
        held = there[aspect]
        fresh = [name for name in names if canonical_text(name) not in held]
        if fresh:
            facts = tuple(model.NewFact(content=name, importance=0.5) for name in fresh)
            plan.propose(
                model.CreateEntity(name=SELF, type=AGENT, aspects=(model.NewAspect(name=aspect, attributes=facts),))
            )
        still = set(map(canonical_text, names))
        plan.propose(
            *(
                model.DeleteAttribute(content=handle, reason="what it did since says otherwise")
                for text, handle in held.items()
                if text not in still
            )
        )
    plan.figures["confidence"] = {domain: round(value, 3) for domain, value in known.confidence.items()}
    if scene.folder is not None and scene.folder.is_dir():
        plan.files[scene.folder / FILE] = _copy(known)
    return plan


def _there(scene: Scene) -> dict[str, dict[str, str]]:
    """Aspect -> canonical text -> handle of each active fact of the agent's own entity."""
    found: dict[str, dict[str, str]] = {}
    for aspect, number, content in scene.connection.execute(
        "SELECT aspect.name, attribute.id, content FROM attribute JOIN aspect ON aspect.id = aspect_id JOIN entity ON"
        " entity.id = entity_id WHERE entity.type = ? AND entity.name = ? AND entity.status = 'active' AND"
        " attribute.status = 'active' ORDER BY attribute.id",
        (AGENT, SELF),
    ):
        found.setdefault(aspect, {})[canonical_text(content)] = f"a{number}"
    return found


def _copy(known: SelfModel) -> str:
    return json.dumps(known.as_json(), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


PASS = PassKind(
    NAME, 130, "self", "keeps strengths and known failures of the agent, and a copy of its self-model beside the file",
    look, local, events=("skill-use", "tool-call", "execution"),
)  # fmt: skip
