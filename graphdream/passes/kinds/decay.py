"""Let importance decay, before anything else weighs it: one mutation with its parameters on record."""

from __future__ import annotations

from typing import Any

from graphdream.graph.decay import Curve, decayed
from graphdream.mutations import model
from graphdream.passes.protocol import PassKind, Plan, Scene, Sight, Skip

NAME = "decay"


def look(scene: Scene) -> Sight | Skip:
    """Whether anything has decayed since the last time."""
    if scene.settings.decay_half_life_days <= 0:
        return Skip("switched off: memory.cycle.decayHalfLifeDays")
    since = scene.read.get("at", "")
    if next(decayed(scene.connection, _curve(scene), at=scene.now, since=since), None) is None:
        return Skip("nothing has decayed")
    return Sight({"at": scene.now}, since)


def local(scene: Scene, since: Any) -> Plan:
    """The one mutation."""
    curve, plan = _curve(scene), Plan()
    plan.propose(
        model.DecayFacts(
            at=scene.now, since=since, grace_days=curve.grace_days, half_life_days=curve.half_life_days,
            floor=curve.floor,
        )
    )  # fmt: skip
    return plan


def _curve(scene: Scene) -> Curve:
    settings = scene.settings
    return Curve(settings.decay_grace_days, settings.decay_half_life_days, settings.decay_floor)


PASS = PassKind(
    NAME, 20, "memory", "lowers the importance of what was not seen for long", look, local,
    every=lambda settings: settings.decay_every, news=False,
)  # fmt: skip
