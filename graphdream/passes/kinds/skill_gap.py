"""Find requests that recur and that no skill covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphdream.events.observed import observed
from graphdream.events.transcripts import MACHINES
from graphdream.passes.lens import SkillAnswer, compile_skills
from graphdream.passes.material import (
    Turn,
    by_session,
    feedback_lines,
    newest_turn,
    recurring_terms,
    shown_sessions,
    turns_after,
)
from graphdream.passes.protocol import NOTHING_TO_ASK, PassKind, Plan, Question, Scene, Sight, Skip, since
from graphdream.views.skills import Skill, skills

NAME = "skill-gap"
_MOST_FIRST_WORDS = 2_000  # sessions whose first words are counted


@dataclass(frozen=True, slots=True)
class Shown:
    """What was spoken since, what recurs in all sessions, and the skills there are."""

    turns: list[Turn]
    terms: list[tuple[str, int]]
    skills: list[Skill]
    unaided: str


def look(scene: Scene) -> Sight | Skip:
    """Turns that were not read yet."""
    newest = newest_turn(scene.connection)
    if not newest:
        return Skip("no turn is on record")
    if newest == scene.read.get("turn"):
        return Sight({"turn": newest}, None)
    turns = turns_after(scene.connection, scene.read.get("turn", 0), chars=scene.settings.prompt_tokens * 2)
    terms = recurring_terms(
        _first_words(scene), sessions=scene.settings.gap_sessions, most=scene.settings.gap_terms,
        chars=scene.settings.gap_term_chars,
    )  # fmt: skip
    known = skills(scene.connection)
    shown = Shown(turns, terms, known, _unaided(scene))
    return Sight({"turn": turns[-1].id if turns else newest}, shown, len(turns))


def _first_words(scene: Scene) -> list[str]:
    """What a person said first, in each of the newest sessions."""
    machines = ", ".join("?" * len(MACHINES))
    rows = scene.connection.execute(
        "SELECT content FROM turn JOIN (SELECT session_id AS at, min(position) AS first FROM turn WHERE lower(speaker)"
        f" NOT IN ({machines}) GROUP BY session_id ORDER BY session_id DESC LIMIT {_MOST_FIRST_WORDS})"
        " ON session_id = at AND position = first",
        MACHINES,
    )
    return [row[0] for row in rows]


def _unaided(scene: Scene) -> str:
    """Feedback on sessions that used no skill: a correction there is a gap, a thumb up a pattern worth keeping."""
    settings = scene.settings
    said = observed(
        scene.connection, "feedback", since=since(scene, settings.gap_feedback_days),
        limit=settings.gap_feedback_most, newest=True,
    )  # fmt: skip
    used = {
        row[0] for row in scene.connection.execute("SELECT DISTINCT session_key FROM observed WHERE kind = 'skill-use'")
    }
    wanted = ("correction", "thumbs-down", "thumbs-up")
    return feedback_lines([event for event in said if event.name in wanted and event.session not in used])


def local(scene: Scene, shown: Any) -> Plan:
    """What recurs, counted; a skill is written by who understands it."""
    plan = Plan()
    if shown is not None:
        known = " ".join(f"{skill.name} {skill.summary}" for skill in shown.skills).casefold()
        open_terms = [(term, number) for term, number in shown.terms if term not in known]
        plan.figures["recurring"] = dict(open_terms)
        if open_terms:
            told = ", ".join(f"{term} ({number} sessions)" for term, number in open_terms)
            plan.notes.append(f"recurs and is covered by no skill: {told}")
    return plan


def ask(scene: Scene, shown: Shown | None) -> Question:
    """The sessions, the terms, and the catalogue of skills."""
    if shown is None or not shown.turns:
        return NOTHING_TO_ASK
    text = shown_sessions(shown.turns, chars=scene.settings.prompt_tokens * 2)
    catalogue = "\n".join(f"{skill.name}: {skill.summary}" for skill in shown.skills) or "(none)"
    terms = "\n".join(f'- "{term}": {number} session(s)' for term, number in shown.terms) or "(none)"
    parts = [
        ("Skills there are:", catalogue),
        (f"Recurring topics across sessions (in {scene.settings.gap_sessions} sessions or more):", terms),
        (f"Sessions ({len(by_session(shown.turns))}):", text),
    ]
    if shown.unaided:
        parts.append(("Feedback on sessions that used no skill:", shown.unaided))
    return Question(tuple(parts))


def compile(scene: Scene, shown: Shown, answer: SkillAnswer) -> Plan:
    """New skills alone."""
    return compile_skills(scene.connection, shown.skills, answer, may_change=False, may_delete=False)


PASS = PassKind(
    NAME, 40, "skills", "makes skills of requests that recur and that none covers", look, local, ask, SkillAnswer,
    compile, "skill-gap.md", events=("turn", "feedback"),
)  # fmt: skip
