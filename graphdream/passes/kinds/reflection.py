"""Reflect on the last day: what it shows, in numbers and, with a model, in words."""

from graphdream.passes.protocol import PassKind
from graphdream.passes.reflecting import ReflectionAnswer, asked, counted, insights, look_back

NAME = "reflection"

PASS = PassKind(
    NAME, 120, "episodes", "looks back on the last day: what it shows, and what can be learned",
    look_back(lambda settings: settings.reflection_every, NAME), counted, asked, ReflectionAnswer, insights("daily"),
    "reflection.md", every=lambda settings: settings.reflection_every,
    events=("turn", "feedback", "skill-use", "execution", "tool-call"),
)  # fmt: skip
