"""Improve skills that let a session down, and those that say too little; either alone is reason enough."""

from __future__ import annotations

from dataclasses import dataclass

from graphdream.events.observed import newest_observed
from graphdream.passes.lens import SkillAnswer, compile_skills
from graphdream.passes.material import cut
from graphdream.passes.protocol import NOTHING_TO_ASK, PassKind, Plan, Question, Scene, Sight, Skip
from graphdream.views.skill_use import skill_table
from graphdream.views.skills import Skill, skills

NAME = "skill-optimization"
_MOST_FAILURES = 10  # of one skill


@dataclass(frozen=True, slots=True)
class Shown:
    """Skills to improve: what went wrong with them, and which say too little."""

    skills: list[Skill]
    at_risk: dict[str, list[str]]
    sparse: list[str]


def look(scene: Scene) -> Sight | Skip:
    """Skills at risk by feedback that was not read yet, and sparse ones in words that were not shown yet."""
    known = skills(scene.connection)
    if not known:
        return Skip("there is no skill")
    settings = scene.settings
    table = skill_table(
        scene.connection, known, scene.now, days=settings.usage_days, sparse_chars=settings.sparse_chars,
        sparse_days=settings.sparse_days,
    )  # fmt: skip
    newest = newest_observed(scene.connection, "feedback")
    at_risk = table.at_risk if newest != scene.read.get("feedback", 0) else {}
    shown_before = set(scene.read.get("sparse", ()))
    by_name = {skill.name: skill for skill in known}
    # A skill that only grows older while nobody uses the agent is no news.
    uses = newest_observed(scene.connection, "skill-use")
    idle = bool(scene.read) and scene.read.get("uses") == uses and newest == scene.read.get("feedback")
    sparse = [name for name in table.sparse if _words(by_name[name]) not in shown_before and not idle]
    # What is not shown now, because nobody uses the agent, is shown when somebody does.
    told = sorted(words for name in table.sparse if (words := _words(by_name[name])) in shown_before or name in sparse)
    mark = {"feedback": newest, "uses": uses, "sparse": told}
    wanted = [skill for skill in known if skill.name in at_risk or skill.name in sparse]
    if not wanted and not scene.read and not newest and not uses:
        return Skip("no skill is at risk, and none says too little")
    return Sight(mark, Shown(wanted, at_risk, sparse) if wanted else None, len(wanted))


def _words(skill: Skill) -> str:
    return f"{skill.handle}:{len(skill.content)}:{hash_of(skill.content)}"


def hash_of(text: str) -> str:
    """A short name of a text."""
    from hashlib import blake2b

    return blake2b(text.encode(), digest_size=6).hexdigest()


def ask(scene: Scene, shown: Shown | None) -> Question:
    """The skills with what went wrong."""
    if shown is None:
        return NOTHING_TO_ASK
    lines = []
    for skill in shown.skills:
        lines.append(f"## {skill.name}\n{skill.summary}\n{cut(skill.content, scene.settings.skill_chars)}")
        lines += [f"lesson: {cut(lesson, 200)}" for lesson in skill.lessons]
        if skill.name in shown.at_risk:
            lines += ["### What went wrong", *(cut(line, 400) for line in shown.at_risk[skill.name][-_MOST_FAILURES:])]
        if skill.name in shown.sparse:
            lines += [
                "### Review note: This skill has minimal content.",
                "Expand it with concrete steps, examples, and edge cases.",
            ]
    return Question(((f"Skills to improve ({len(shown.skills)}):", "\n".join(lines)),))


def compile(scene: Scene, shown: Shown, answer: SkillAnswer) -> Plan:
    """Rewritings of what was shown."""
    names = {skill.name.casefold() for skill in shown.skills}
    plan = Plan()
    kept = []
    for place, item in enumerate(answer.to_save):
        if item.name.strip().casefold() in names:
            kept.append(item)
        else:
            plan.refuse(f"toSave[{place}]", f"{item.name[:60]!r} was not to be improved", "not_found")
    shortened = frozenset(skill.name for skill in shown.skills if len(skill.content) > scene.settings.skill_chars)
    made = compile_skills(
        scene.connection, shown.skills, answer.model_copy(update={"to_save": kept}), shortened=shortened
    )
    made.proposals = [*plan.proposals, *made.proposals]
    made.figures.update(at_risk=len(shown.at_risk), sparse=len(shown.sparse))
    return made


PASS = PassKind(
    NAME, 60, "skills", "improves skills that let a session down, and expands those that say too little", look,
    ask=ask, answer=SkillAnswer, compile=compile, directive="skill-optimize.md", events=("skill-use", "feedback"),
)  # fmt: skip
