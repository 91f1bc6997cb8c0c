"""Every constant of the systems that the passes come from is a setting, with its default, in the table of the docs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic.alias_generators import to_camel

import graphdream
from graphdream.config import Cycle

PACKAGE = Path(graphdream.__file__).parent
DOCS = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"

# Written down from the published descriptions of RockBot's dream service and WASP's dream mode, not from our code.
PUBLISHED = {
    "initial_delay": 5, "interval": 4, "busy_poll": 5, "busy_seconds": 30, "retry": 5,
    "consolidation_entries": 1000, "feedback_days": 7, "feedback_most": 50, "consolidation_every": 6,
    "protected_importance": 0.80, "protected_sightings": 5,
    "decay_grace_days": 30, "decay_half_life_days": 45, "decay_floor": 0.10,
    "gap_sessions": 2, "gap_terms": 15, "gap_term_chars": 4, "gap_feedback_days": 14, "gap_feedback_most": 200,
    "usage_days": 30, "sparse_chars": 200, "sparse_days": 7, "co_used_pairs": 10, "skill_chars": 800,
    "failure_days": 14, "failure_records": 500, "failure_fewest": 5, "failure_pattern": 3, "failure_groups": 30,
    "failure_shown": 5, "failure_skills": 30, "success_runs": 5, "success_share": 0.8,
    "preference_strong": 1, "preference_mild": 2, "preference_casual": 3,
    "episode_low": 0.2, "episode_high": 0.95, "episodes_known": 100,
    "idle_hours": 2, "idle_alone_hours": 4, "night_from": 1, "night_to": 7, "cool_down": 6,
    "reflection_every": 24, "insight_every": 6, "confidence_step": 0.015, "confidence_low": 0.05,
    "confidence_high": 0.98, "procedure_calls": 3, "procedure_skills": 2, "head_tokens": 1000,
}  # fmt: skip


@pytest.mark.parametrize(("name", "default"), PUBLISHED.items())
def test_a_published_constant_is_a_setting_with_that_default(name: str, default: float) -> None:
    assert getattr(Cycle(), name) == default
    rows = re.findall(rf"^\| `memory\.cycle\.{to_camel(name)}` \| `([^`]+)` \|", DOCS.read_text(encoding="utf-8"), re.M)
    assert [float(shown) for shown in rows] == [default], "in the generated table, once"


def test_every_setting_is_read_by_some_pass_or_by_the_scheduler() -> None:
    read = "\n".join(
        path.read_text(encoding="utf-8") for room in ("passes", "dream", "views", "library", "interfaces")
        for path in (PACKAGE / room).rglob("*.py")
    )  # fmt: skip
    unread = [name for name in Cycle.model_fields if not re.search(rf"\.{name}\b", read)]
    assert set(unread) <= {"preference_strong", "preference_mild", "preference_casual"}, "read by their sentiment"
