"""Consolidate the skills: one for each need, families with a guide, each pointing at its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphdream.events.observed import newest_observed
from graphdream.graph.names import canonical
from graphdream.mutations import model
from graphdream.passes.lens import SkillAnswer, compile_skills
from graphdream.passes.material import cut
from graphdream.passes.protocol import NOTHING_TO_ASK, PassKind, Plan, Question, Scene, Sight, Skip
from graphdream.views.skill_use import SkillTable, skill_table
from graphdream.views.skills import SEE_ALSO, Skill, skills

NAME = "skill-consolidation"


@dataclass(frozen=True, slots=True)
class Shown:
    """The skills with their use."""

    skills: list[Skill]
    table: SkillTable


def look(scene: Scene) -> Sight | Skip:
    """The skills, where one of them is new or changed, or two of them were used together often enough for the first
    time. One more use says nothing about which skills there should be."""
    known = skills(scene.connection)
    if len(known) < 2:
        return Skip("there are fewer than two skills")
    newest, uses = _newest(scene, known), newest_observed(scene.connection, "skill-use")
    # What was changed and has decayed since bears the number of the decay: a lower mark is no news.
    if scene.read and newest <= scene.read.get("skills", 0) and uses == scene.read.get("uses"):
        return Sight(scene.read, None)
    settings = scene.settings
    table = skill_table(
        scene.connection, known, scene.now, days=settings.usage_days, sparse_chars=settings.sparse_chars,
        sparse_days=settings.sparse_days, most_pairs=settings.co_used_pairs,
    )  # fmt: skip
    often = {" + ".join(pair) for pair, sessions in table.pairs if sessions >= settings.co_used_sessions}
    before = set(scene.read.get("pairs", ()))
    mark = {"skills": max(newest, scene.read.get("skills", 0)), "uses": uses, "pairs": sorted(often | before)}
    if scene.read and newest <= scene.read.get("skills", 0) and often <= before:
        return Sight(mark, None)
    return Sight(mark, Shown(known, table), len(known))


def _newest(scene: Scene, known: list[Skill]) -> int:
    """The newest pass that changed a skill, but for this one's own and the one that improves them after it."""
    from json import dumps

    ids = dumps([int(skill.handle[1:]) for skill in known])
    row = scene.connection.execute(
        "SELECT max(version) FROM (SELECT version FROM entity WHERE id IN (SELECT value FROM json_each(?1)) UNION ALL"
        " SELECT attribute.version FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE entity_id IN (SELECT value"
        " FROM json_each(?1))) WHERE version NOT IN (SELECT id FROM pass WHERE kind IN ('undo', 'unmerge') OR (kind ="
        " 'cycle' AND (mode IN (?2, 'skill-optimization') OR coalesce(json_extract(options, '$.news'), 1) = 0)))",
        (ids, NAME),
    ).fetchone()
    return int(row[0] or 0)


def local(scene: Scene, shown: Any) -> Plan:
    """Skills that are used together point at each other."""
    plan = Plan()
    if shown is None:
        return plan
    by_name = {skill.name: skill for skill in shown.skills}
    for (first, second), sessions in shown.table.pairs:
        if sessions < scene.settings.co_used_sessions:
            continue
        for one, other in ((by_name[first], by_name[second]), (by_name[second], by_name[first])):
            if canonical(other.name) not in map(canonical, one.see_also):
                plan.propose(
                    model.Link(
                        source=one.handle, target=other.handle, type=SEE_ALSO, reason=f"used in {sessions} sessions"
                    )
                )  # fmt: skip
    plan.figures.update(
        skills=len(shown.skills), sparse=len(shown.table.sparse), at_risk=len(shown.table.at_risk),
        covered=round(shown.table.covered, 3),
    )  # fmt: skip
    return plan


def ask(scene: Scene, shown: Shown | None) -> Question:
    """Every skill with its use, the pairs, and the families."""
    if shown is None:
        return NOTHING_TO_ASK
    days, most = round(scene.settings.usage_days), scene.settings.skill_chars
    lines = []
    for skill in shown.skills:
        use = shown.table.uses[skill.name]
        marks = [
            f"used {use.uses} times in {days} days",
            *(["[sparse-content]"] if skill.name in shown.table.sparse else []),
        ]
        if use.beside:
            marks.append(f"together with {', '.join(name for name, _ in use.beside.most_common(3))}")
        marks += ["[pinned]"] if skill.pinned else []
        lines.append(f"## {skill.name} ({'; '.join(marks)})\n{skill.summary}\n{cut(skill.content, most)}")
        lines += [f"lesson: {cut(lesson, 200)}" for lesson in skill.lessons]
        lines += [f"see also: {', '.join(skill.see_also)}"] if skill.see_also else []
    parts = [(f"Skills ({len(shown.skills)}):", "\n".join(lines))]
    if shown.table.pairs:
        pairs = "\n".join(f"{first} + {second}: {number} session(s)" for (first, second), number in shown.table.pairs)
        parts.append(("Used in the same session:", pairs))
    if shown.table.clusters:
        families = "\n".join(f"{prefix}/*: {', '.join(names)}" for prefix, names in shown.table.clusters)
        parts.append(("Families by prefix:", families))
    return Question(tuple(parts))


def compile(scene: Scene, shown: Shown, answer: SkillAnswer) -> Plan:
    """Merges, rewritings, guides, links and archivings."""
    shortened = frozenset(skill.name for skill in shown.skills if len(skill.content) > scene.settings.skill_chars)
    return compile_skills(scene.connection, shown.skills, answer, shortened=shortened)


PASS = PassKind(
    NAME, 50, "skills", "merges skills that overlap, links those used together, makes guides of families", look, local,
    ask, SkillAnswer, compile, "skill-dream.md", events=("skill-use",),
    every=lambda settings: settings.consolidation_every,
)  # fmt: skip
