"""Learn from recorded executions: failures that are alike become lessons of the skill they came from, runs that go well
become candidates."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from graphdream.events.observed import Observed, newest_observed, observed
from graphdream.graph.names import canonical
from graphdream.mutations import model
from graphdream.passes.answers import Answer, AnswerPart
from graphdream.passes.material import cut, ungrounded
from graphdream.passes.protocol import NOTHING_TO_ASK, PassKind, Plan, Question, Scene, Sight, Skip, since
from graphdream.views.memory import saved
from graphdream.views.skills import LESSONS, Skill, skills

NAME = "failures"
CANDIDATES = "candidates/executions"
_TOLD = ("category", "failed_step", "error", "retry_of", "skill")
_NUMBERS = re.compile(r"\d+")


class Lesson(AnswerPart):
    """What is to be appended to a skill."""

    name: str = Field(description="of the skill")
    annotation: str = Field(description="what fails, why, and what to do instead")
    category: str = Field(default="", description="structural, external, data or judgment")
    frequency: int = Field(default=0, description="failures that show it")


class FailureAnswer(Answer):
    """Lessons that the failures teach."""

    skill_updates: list[Lesson] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Group:
    """Executions of one description, newest last."""

    description: str
    runs: tuple[Observed, ...]

    @property
    def failed(self) -> list[Observed]:
        """Those that failed."""
        return [run for run in self.runs if run.ok is False]


@dataclass(frozen=True, slots=True)
class Shown:
    """Groups of executions, those that fail most first, and the skills."""

    groups: list[Group]
    skills: dict[str, Skill]


def look(scene: Scene) -> Sight | Skip:
    """The executions of the last days, where one is new."""
    newest = newest_observed(scene.connection, "execution")
    if not newest:
        return Skip("no execution is on record")
    if newest == scene.read.get("execution"):
        return Sight({"execution": newest}, None)
    settings = scene.settings
    runs = observed(
        scene.connection, "execution", since=since(scene, settings.failure_days), limit=settings.failure_records,
        newest=True,
    )  # fmt: skip
    if len(runs) < settings.failure_fewest:
        return Skip(f"fewer than {settings.failure_fewest} executions in {settings.failure_days:g} days")
    grouped: dict[str, list[Observed]] = defaultdict(list)
    for run in runs:
        grouped[canonical(run.name)].append(run)
    groups = [Group(found[-1].name, tuple(found)) for found in grouped.values()]
    groups.sort(key=lambda group: (-len(group.failed), group.description))
    known = {canonical(name): skill for skill in skills(scene.connection) for name in (*skill.aliases, skill.name)}
    return Sight({"execution": newest}, Shown(groups[: settings.failure_groups], known), len(runs))


def local(scene: Scene, shown: Any) -> Plan:
    """Failures of one step in one way, counted; and what nearly always goes well."""
    plan, settings = Plan(), scene.settings
    for group in shown.groups if shown is not None else ():
        ways = Counter(_way(run) for run in group.failed)
        for (step, category, error), number in sorted(ways.items()):
            if number < settings.failure_pattern:
                continue
            example = next(run for run in reversed(group.failed) if _way(run) == (step, category, error))
            text = _lesson(group, example, number)
            skill = next(
                (found for run in reversed(group.runs) if (found := shown.skills.get(canonical(run.text("skill"))))),
                None,
            )
            plan.figures["patterns"] = plan.figures.get("patterns", 0) + 1
            if skill is None:
                plan.notes.append(text)
            elif not any(_same_lesson(lesson, text) for lesson in skill.lessons):
                plan.propose(model.UpdateAspect(entity=skill.handle, aspect=LESSONS, attributes=(_fact(text),)))
        good = len(group.runs) - len(group.failed)
        if len(group.runs) >= settings.success_runs and good / len(group.runs) > settings.success_share:
            plan.figures["candidates"] = plan.figures.get("candidates", 0) + 1
            if not _is_candidate(scene, group.description):
                steps = next((run.body.get("steps") for run in reversed(group.runs) if run.ok), None) or []
                told = f"{group.description}: runs well" + (f" by {' -> '.join(map(str, steps))}" if steps else "")
                plan.propose(saved(scene.connection, told, CANDIDATES, tags=("candidate",), importance=0.5))
    return plan


def _way(run: Observed) -> tuple[str, str, str]:
    """How an execution failed: step, category, and the error without its numbers."""
    return (
        run.text("failed_step"),
        run.text("category").casefold(),
        _NUMBERS.sub("#", run.text("error").casefold())[:120],
    )


def _lesson(group: Group, run: Observed, number: int) -> str:
    where = f" at step {run.text('failed_step')}" if run.text("failed_step") else ""
    kind = f" ({run.text('category')})" if run.text("category") else ""
    why = f": {cut(run.text('error'), 200)}" if run.text("error") else ""
    return f"{group.description} failed {number} times{where}{kind}{why}"


def _same_lesson(one: str, other: str) -> bool:
    return _NUMBERS.sub("#", canonical(one)) == _NUMBERS.sub("#", canonical(other))


def _fact(text: str) -> model.NewFact:
    return model.NewFact(content=text, importance=0.6)


def _is_candidate(scene: Scene, description: str) -> bool:
    row = scene.connection.execute(
        "SELECT 1 FROM attribute JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id = entity_id WHERE"
        " entity.name = 'candidates' AND attribute.status <> 'superseded' AND substr(content, 1, ?) = ?",
        (len(description) + 1, f"{description}:"),
    ).fetchone()
    return row is not None


def ask(scene: Scene, shown: Shown | None) -> Question:
    """The groups with their newest records, and the skills that they came from."""
    # What was shown is not shown again until it fails once more.
    read = scene.read.get("execution", 0)
    groups = [
        group
        for group in (shown.groups if shown is not None else ())
        if len(group.failed) >= scene.settings.failure_pattern and group.failed[-1].id > read
    ]
    if shown is None or not groups:
        return NOTHING_TO_ASK
    lines = []
    for group in groups:
        lines.append(f"## {group.description}: {len(group.runs)} runs, {len(group.failed)} failed")
        for run in group.runs[-scene.settings.failure_shown :]:
            told = [f"{name}={cut(run.text(name), 300)}" for name in _TOLD if run.text(name)]
            lines.append(f"- {run.at[:16]} {'ok' if run.ok else 'failed'} {' '.join(told)}".rstrip())
    named = {canonical(run.text("skill")) for group in groups for run in group.runs}
    wanted = [skill for name, skill in shown.skills.items() if name in named][: scene.settings.failure_skills]
    catalogue = "\n".join(
        "\n".join([f"{skill.name}: {skill.summary}", *(f"  lesson: {lesson}" for lesson in skill.lessons)])
        for skill in wanted
    )
    return Question((("Skills they came from:", catalogue or "(none)"), ("Executions:", "\n".join(lines))))


def compile(scene: Scene, shown: Shown, answer: FailureAnswer) -> Plan:
    """Lessons, appended; nothing is rewritten."""
    plan = Plan()
    material = "\n".join(
        " ".join([run.name, run.at, *map(str, run.body.values())]) for group in shown.groups for run in group.runs
    )
    for place, item in enumerate(answer.skill_updates):
        what, skill = f"skillUpdates[{place}]", shown.skills.get(canonical(item.name))
        if skill is None:
            plan.refuse(what, f"there is no skill {item.name[:60]!r}", "not_found")
        elif not item.annotation.strip():
            plan.refuse(what, "its annotation is blank")
        elif missing := ungrounded(item.annotation, f"{material}\n{skill.content}\n{item.frequency}"):
            plan.refuse(what, f"no execution says {', '.join(missing[:6])}", "grounding")
        elif any(_same_lesson(lesson, item.annotation) for lesson in skill.lessons):
            plan.refuse(what, "the skill says so already", "nothing_to_do")
        else:
            fact = _fact(item.annotation.strip())
            plan.propose(model.UpdateAspect(entity=skill.handle, aspect=LESSONS, attributes=(fact,)))
    return plan


PASS = PassKind(
    NAME, 44, "skills", "turns failures that are alike into lessons of their skill, and finds what runs well", look,
    local, ask, FailureAnswer, compile, "failure-dream.md", events=("execution",),
)  # fmt: skip
