"""What two passes share that look back: the daily reflection, and the lighter one between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Any

from pydantic import Field

from graphdream.clock import shifted
from graphdream.config import Cycle
from graphdream.events.observed import observed
from graphdream.passes.answers import Answer, AnswerPart
from graphdream.passes.material import cut, feedback_lines, ungrounded
from graphdream.passes.protocol import NOTHING_TO_ASK, Plan, Question, Scene, Sight, Skip
from graphdream.recall.facts import Searcher
from graphdream.views.memory import MemoryEntry, entry, saved

FOLDER = "reflections"
_MOST = 200  # entries that are looked back on
_TOUCHED, _MOST_TOUCHED = 3, 60  # older entries that one of the time touches on, and all together
_MOST_SESSIONS, _LONGEST = 50, 400  # sessions that are named, characters of one, and of an entry
_KINDS = ("feedback", "skill-use", "execution", "tool-call")


class Insight(AnswerPart):
    """Something learned that goes beyond what each memory says."""

    content: str
    source_ids: list[str] = Field(default_factory=list, description="ids of the memories that it rests on, two or more")


class ReflectionAnswer(Answer):
    """What the time shows."""

    reflection: str = Field(default="", description="patterns and lessons, a few sentences")
    insights: list[Insight] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Shown:
    """The memories of the time, older ones that they touch on, what was asked, and what was done, counted."""

    entries: tuple[MemoryEntry, ...]
    touched: tuple[MemoryEntry, ...]
    sessions: str
    counts: dict[str, int]
    feedback: str


def look_back(hours: Callable[[Cycle], float], name: str) -> Callable[[Scene], Sight | Skip]:
    """How a pass sees the last hours: memories that were made or seen then, but none of its own."""

    def look(scene: Scene) -> Sight | Skip:
        start = shifted(scene.now, -hours(scene.settings) * 3600)
        rows = scene.connection.execute(
            "SELECT attribute.id FROM attribute JOIN aspect ON aspect.id = aspect_id JOIN entity ON"
            " entity.id = entity_id WHERE attribute.status = 'active' AND attribute.last_seen >= ?"
            " AND entity.status = 'active' AND entity.type NOT IN ('skill', 'agent') AND entity.name <> 'reflections'"
            " ORDER BY attribute.last_seen DESC, attribute.id"
            f" LIMIT {_MOST}",
            (start,),
        ).fetchall()
        newest = {
            kind: scene.connection.execute(
                "SELECT count(*), coalesce(max(id), 0) FROM observed WHERE kind = ? AND at >= ?", (kind, start)
            ).fetchone()
            for kind in _KINDS
        }
        spoken = scene.connection.execute(
            "SELECT count(*), count(DISTINCT session_id), coalesce(max(id), 0) FROM turn WHERE said_at >= ?", (start,)
        ).fetchone()
        if not rows and not spoken[0] and not any(found[0] for found in newest.values()):
            return Skip(f"nothing happened in {hours(scene.settings):g} hours")
        counts = {"sessions": spoken[1], "turns": spoken[0], **{kind: found[0] for kind, found in newest.items()}}
        # Ids alone: what leaves the window is no news.
        mark = {
            "facts": max((row[0] for row in rows), default=0), "turn": spoken[2],
            **{kind: one[1] for kind, one in newest.items()},
        }  # fmt: skip
        if scene.read and all(mark[key] <= scene.read.get(key, 0) for key in mark):
            return Sight(scene.read, None)
        found = tuple(entry(scene.connection, f"a{row[0]}") for row in rows)
        said = feedback_lines(observed(scene.connection, "feedback", since=start, limit=50, newest=True))
        counted = {key: number for key, number in counts.items() if number}
        shown = Shown(found, _touched_on(scene, found), _sessions(scene, start), counted, said)
        return Sight(mark, shown, len(rows))

    return look


def _touched_on(scene: Scene, recent: Sequence[MemoryEntry]) -> tuple[MemoryEntry, ...]:
    """Older entries that say something of the same: what is learned lies between what is new and what was known. None
    that a pass of this kind wrote."""
    searcher, seen = Searcher(scene.connection), {one.handle for one in recent}
    found: dict[str, None] = {}
    for one in recent:
        near = [f"a{fact}" for _, fact, _ in searcher.top(one.content, _TOUCHED + 1)]
        found.update(dict.fromkeys(handle for handle in near if handle not in seen))
    kept = scene.connection.execute(
        "SELECT attribute.id FROM json_each(?) JOIN attribute ON attribute.id = value JOIN aspect ON aspect.id ="
        " aspect_id JOIN entity ON entity.id = entity_id WHERE entity.type NOT IN ('skill', 'agent') AND entity.name"
        " NOT IN ('reflections', 'candidates') ORDER BY json_each.key LIMIT ?",
        (dumps([int(handle[1:]) for handle in found]), _MOST_TOUCHED),
    )
    return tuple(entry(scene.connection, f"a{row[0]}") for row in kept.fetchall())


def _sessions(scene: Scene, start: str) -> str:
    """What was asked first in each session of the time, and its summary where there is one."""
    rows = scene.connection.execute(
        "SELECT session.key, (SELECT content FROM turn WHERE turn.session_id = session.id ORDER BY position LIMIT 1),"
        " (SELECT content FROM summary WHERE summary.session_id = session.id ORDER BY summary.id DESC LIMIT 1)"
        " FROM session WHERE session.kind = 'session' AND EXISTS (SELECT 1 FROM turn WHERE turn.session_id = session.id"
        " AND said_at >= ?) ORDER BY session.id DESC LIMIT ?",
        (start, _MOST_SESSIONS),
    )
    lines = [
        f"{key}: {cut(' '.join((asked or '').split()), _LONGEST)}"
        + (f" | {cut(' '.join(summary.split()), _LONGEST)}" if summary else "")
        for key, asked, summary in rows
    ]
    return "\n".join(reversed(lines))


def counted(scene: Scene, shown: Any) -> Plan:
    """The time in numbers, for the dream log."""
    plan = Plan()
    if shown is not None:
        plan.figures.update(shown.counts, memories=len(shown.entries))
        told = ", ".join(f"{number} {name}" for name, number in plan.figures.items())
        plan.notes.append(f"looking back: {told}")
    return plan


def asked(scene: Scene, shown: Shown | None) -> Question:
    """The memories, what was asked, the counts and the feedback."""
    if shown is None or not shown.entries or len(shown.entries) + len(shown.touched) < 2:
        return NOTHING_TO_ASK
    counts = ", ".join(f"{number} {name}" for name, number in shown.counts.items())
    parts = [(f"Recent memories ({len(shown.entries)}):", _lines(shown.entries))]
    parts += [("Older memories that they touch on:", _lines(shown.touched))] if shown.touched else []
    parts += [("Sessions, each with what was asked first:", shown.sessions)] if shown.sessions else []
    parts += [("Counted:", counts)] if counts else []
    parts += [("Feedback:", shown.feedback)] if shown.feedback else []
    return Question(tuple(parts))


def _lines(entries: Sequence[MemoryEntry]) -> str:
    return "\n".join(
        f"[{one.handle}] {one.category}, {one.updated_at[:10]}: {cut(one.content, _LONGEST)}" for one in entries
    )


def insights(aspect: str) -> Callable[[Scene, Shown, ReflectionAnswer], Plan]:
    """How an answer becomes entries: an insight rests on two memories at least, and says nothing that they do not."""

    def compile(scene: Scene, shown: Shown, answer: ReflectionAnswer) -> Plan:
        plan, known = Plan(), {one.handle: one for one in (*shown.entries, *shown.touched)}
        for place, item in enumerate(answer.insights):
            what = f"insights[{place}]"
            sources = [
                known[name] for name in dict.fromkeys(s.strip().casefold() for s in item.source_ids) if name in known
            ]
            material = "\n".join(f"{one.content}\n{one.category}" for one in sources)
            if not item.content.strip():
                plan.refuse(what, "its content is blank")
            elif len(sources) < 2:
                plan.refuse(what, "it rests on fewer than two memories that were shown", "not_found")
            elif missing := ungrounded(item.content, material):
                plan.refuse(what, f"its sources do not say {', '.join(missing[:6])}", "grounding")
            else:
                quoted = ", ".join(one.handle for one in sources)
                made = saved(
                    scene.connection, item.content.strip(), f"{FOLDER}/{aspect}", tags=("insight",), importance=0.5
                )
                plan.propose(made.model_copy(update={"reason": f"rests on {quoted}"}))
        if answer.reflection.strip():
            plan.notes.append(answer.reflection.strip()[:2_000])
        return plan

    return compile
