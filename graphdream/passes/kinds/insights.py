"""A lighter reflection between: what the last hours add."""

from graphdream.passes.protocol import PassKind
from graphdream.passes.reflecting import ReflectionAnswer, asked, insights, look_back

NAME = "insights"

PASS = PassKind(
    NAME, 125, "episodes", "a lighter look back on the last hours, whose insights become memories",
    look_back(lambda settings: settings.insight_every, NAME), ask=asked, answer=ReflectionAnswer,
    compile=insights("insights"), directive="insights.md", every=lambda settings: settings.insight_every,
    events=("turn", "feedback", "skill-use", "execution", "tool-call"),
)  # fmt: skip
