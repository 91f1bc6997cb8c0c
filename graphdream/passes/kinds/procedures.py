"""Make a procedure of a task that took several uses of several skills, so that the next one like it goes by it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from pydantic import Field

from graphdream.events.observed import Observed, newest_observed, observed
from graphdream.graph.names import canonical
from graphdream.passes.answers import Answer, AnswerPart
from graphdream.passes.material import cut
from graphdream.passes.protocol import NOTHING_TO_ASK, PassKind, Plan, Question, Scene, Sight, Skip
from graphdream.views.skills import Skill, there, written

NAME = "procedures"
PREFIX = "procedure/"
_MOST_TASKS = 20


class Procedure(AnswerPart):
    """Steps that did a task."""

    name: str = Field(description="lower case with hyphens")
    triggers: list[str] = Field(default_factory=list, description="words by which a task like it is known")
    steps: list[str] = Field(default_factory=list)
    session: str = Field(default="", description="key of the session it was made of")


class ProcedureAnswer(Answer):
    """Procedures."""

    to_save: list[Procedure] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Task:
    """A session that took several uses: what was asked, what was used, how it ended."""

    session: str
    asked: str
    uses: tuple[Observed, ...]
    summary: str


def look(scene: Scene) -> Sight | Skip:
    """Sessions with enough uses of enough skills, all of them new."""
    newest = newest_observed(scene.connection, "skill-use")
    if not newest:
        return Skip("no use of a skill is on record")
    if newest == scene.read.get("use"):
        return Sight({"use": newest}, None)
    used: dict[str, list[Observed]] = defaultdict(list)
    for use in observed(scene.connection, "skill-use", after=scene.read.get("use", 0)):
        if use.session:
            used[use.session].append(use)
    settings, tasks = scene.settings, list[Task]()
    for session, uses in used.items():
        enough = len(uses) >= settings.procedure_calls and len({use.name for use in uses}) >= settings.procedure_skills
        if enough and not any(use.ok is False for use in uses[-1:]):
            tasks.append(_task(scene, session, tuple(uses)))
    if not tasks:
        return Skip(
            f"no task took {settings.procedure_calls} uses of {settings.procedure_skills} skills since, and ended well"
        )
    return Sight({"use": newest}, tasks[-_MOST_TASKS:], len(tasks))


def _task(scene: Scene, session: str, uses: tuple[Observed, ...]) -> Task:
    asked = scene.connection.execute(
        "SELECT content FROM turn JOIN session ON session.id = session_id WHERE session.key = ?"
        " ORDER BY position LIMIT 1",
        (session,),
    ).fetchone()
    summary = scene.connection.execute(
        "SELECT content FROM summary JOIN session ON session.id = session_id WHERE session.key = ? ORDER BY summary.id"
        " DESC LIMIT 1",
        (session,),
    ).fetchone()
    return Task(session, asked[0] if asked else "", uses, summary[0] if summary else "")


def ask(scene: Scene, tasks: list[Task] | None) -> Question:
    """The tasks."""
    if not tasks:
        return NOTHING_TO_ASK
    lines = []
    for task in tasks:
        lines += [f"## session {task.session}", f"asked: {cut(task.asked, 800)}", "used:"]
        lines += [f"{at}. {use.name}{' (failed)' if use.ok is False else ''} {use.text('detail')}".rstrip()
                  for at, use in enumerate(task.uses, 1)]  # fmt: skip
        lines += [f"ended: {cut(task.summary, 800)}"] if task.summary else []
    return Question(((f"Tasks ({len(tasks)}):", "\n".join(lines)),))


def compile(scene: Scene, tasks: list[Task], answer: ProcedureAnswer) -> Plan:
    """New skills of the family `procedure/`."""
    plan, known = Plan(), {task.session for task in tasks}
    for place, item in enumerate(answer.to_save):
        what, name = f"toSave[{place}]", item.name.strip().removeprefix(PREFIX)
        steps = [step.strip() for step in item.steps if step.strip()]
        if not canonical(name) or len(steps) < 2:
            plan.refuse(what, "it has no name" if not canonical(name) else "it has fewer than two steps")
        elif item.session.strip() and item.session.strip() not in known:
            plan.refuse(what, f"session {item.session[:60]!r} was not shown", "no_session")
        elif there(scene.connection, PREFIX + name) is not None:
            plan.refuse(what, f"there is a skill {PREFIX + name} already; this pass writes over none")
        else:
            triggers = tuple(dict.fromkeys(word.strip() for word in item.triggers if word.strip()))
            content = "\n".join(f"{at}. {step}" for at, step in enumerate(steps, 1))
            summary = f"Steps for {', '.join(triggers[:6])}" if triggers else f"Steps of {name}"
            plan.propose(*written(scene.connection, Skill(PREFIX + name, summary, content, triggers=triggers)))
    return plan


PASS = PassKind(
    NAME, 42, "skills", "makes procedures of tasks that took several skills and ended well", look, ask=ask,
    answer=ProcedureAnswer, compile=compile, directive="procedure-dream.md", events=("skill-use",),
)  # fmt: skip
