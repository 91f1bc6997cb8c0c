"""Consolidate the memory: merge what says the same, give entries their right category, archive noise, learn from what a
person corrected."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from graphdream.events.observed import Observed, newest_observed, observed
from graphdream.graph.categories import SKILL
from graphdream.passes.lens import MemoryAnswer, MemoryShown, Rules, compile_memory, fixed_facts
from graphdream.passes.material import cut, feedback_lines, likeness, newest_change, words
from graphdream.passes.protocol import NOTHING_TO_ASK, PassKind, Plan, Question, Scene, Sight, Skip, since
from graphdream.views.memory import MemoryEntry, entry
from graphdream.views.self_model import AGENT

NAME = "consolidation"
_LIKE = 0.34  # share of common words from which entries are shown together
_CHARS_A_TOKEN = 3  # fewer than any tokenizer needs of prose, so that what is planned fits
_LONGEST = 800  # characters of an entry that are shown


@dataclass(frozen=True, slots=True)
class Shown:
    """Entries to judge and the feedback beside them."""

    entries: tuple[MemoryEntry, ...]
    feedback: tuple[Observed, ...]
    left: tuple[str, ...]


def look(scene: Scene) -> Sight | Skip:
    """Entries that are new or changed since, what is near them, and new feedback.

    What passes of the cycle wrote today is news tomorrow: else the second cycle of a day would ask a model about what
    the first one made.
    """
    newest = newest_change(scene.connection, NAME, settled=_today(scene))
    said = newest_observed(scene.connection, "feedback")
    mark = {"change": newest, "feedback": said}
    if {**mark, "left": []} == scene.read or (not newest and not said):
        return Sight(scene.read, None) if scene.read else Skip("nothing is in the memory yet")
    feedback = tuple(
        observed(
            scene.connection, "feedback", since=since(scene, scene.settings.feedback_days),
            after=scene.read.get("feedback", 0), limit=scene.settings.feedback_most, newest=True,
        )
    )  # fmt: skip
    fresh, near, young = _entries(scene)
    shown, without_room = _fitting(scene, fresh, near)
    if len(shown) < 2 and not feedback:
        return Skip("fewer than two entries are new or like what is new")
    left = [*without_room, *young]
    return Sight({**mark, "left": left}, Shown(shown, feedback, without_room), len(shown) + len(feedback))


def _today(scene: Scene) -> str:
    return scene.now[:10]


def _entries(scene: Scene) -> tuple[list[str], list[str], list[str]]:
    """Handles of entries that changed since, newest first; of those that are near them; and of those that a pass of
    today's cycles changed, which wait for tomorrow."""
    rows = scene.connection.execute(
        "SELECT attribute.id, aspect.entity_id, attribute.content, attribute.version FROM attribute JOIN aspect"
        " ON aspect.id = aspect_id JOIN entity ON entity.id = entity_id WHERE attribute.status = 'active'"
        " AND entity.status = 'active' AND entity.type NOT IN (?, ?) ORDER BY attribute.last_seen DESC, attribute.id",
        (SKILL, AGENT),
    ).fetchall()
    read, left = scene.read.get("change", 0), set(scene.read.get("left", ()))
    own = {
        row[0] for row in scene.connection.execute("SELECT id FROM pass WHERE kind = 'cycle' AND id > ?"
        " AND (mode = ? OR coalesce(json_extract(options, '$.news'), 1) = 0)", (read, NAME))
    }  # fmt: skip
    of_today = {
        row[0] for row in scene.connection.execute("SELECT id FROM pass WHERE kind = 'cycle' AND started_at >= ?"
        " AND mode <> ?", (_today(scene), NAME))
    }  # fmt: skip
    changed = [row for row in rows if (row["version"] > read and row["version"] not in own) or f"a{row['id']}" in left]
    young = [f"a{row['id']}" for row in changed if row["version"] in of_today]
    changed = [row for row in changed if row["version"] not in of_today]
    fresh = {row["id"] for row in changed}
    if not fresh or len(fresh) == len(rows):
        return [f"a{row['id']}" for row in changed], [], young
    posted: dict[str, set[int]] = defaultdict(set)
    texts = {row["id"]: row["content"] for row in rows}
    for row in rows:
        for word in words(row["content"]):
            posted[word].add(row["id"])
    near: set[int] = set()
    for row in changed:
        rare = sorted(words(row["content"]), key=lambda word: len(posted[word]))[:6]
        for other in set().union(*(posted[word] for word in rare if len(posted[word]) <= 200)) - fresh - near:
            if likeness(texts[row["id"]], texts[other]) >= _LIKE:
                near.add(other)
    return [f"a{row['id']}" for row in changed], [f"a{row['id']}" for row in rows if row["id"] in near], young


def _fitting(scene: Scene, fresh: list[str], near: list[str]) -> tuple[tuple[MemoryEntry, ...], tuple[str, ...]]:
    """The entries that one question has room for, and the new ones that are left for the next."""
    room = scene.settings.prompt_tokens * _CHARS_A_TOKEN * 2 // 3
    shown: list[MemoryEntry] = []
    left: list[str] = []
    for handle in [*fresh, *near]:
        one = entry(scene.connection, handle)
        room -= len(_line(len(shown) + 1, one)) + 1
        if room < 0 or len(shown) >= scene.settings.consolidation_entries:
            if handle in set(fresh):
                left.append(handle)
            continue
        shown.append(one)
    return tuple(shown), tuple(left)


def _line(number: int, one: MemoryEntry) -> str:
    subject = f" subject={one.subject}" if one.subject else ""
    return (
        f"{number}. [{one.handle}] {one.category} importance={one.importance:.2f} reinforced={one.reinforcement}"
        f" first={one.created_at[:10] or '?'} last={one.updated_at[:10] or '?'}{subject}"
        f" tags={', '.join(one.tags) or '(none)'}{' constraint' if one.constraint else ''}:"
        f" {cut(one.content, _LONGEST)}"
    )


def ask(scene: Scene, shown: Shown | None) -> Question:
    """The entries and the feedback."""
    if shown is None:
        return NOTHING_TO_ASK
    lines = "\n".join(_line(number, one) for number, one in enumerate(shown.entries, 1))
    parts = [(f"Entries of the memory ({len(shown.entries)}):", lines)] if lines else []
    if shown.feedback:
        parts.append(("Feedback of the last days:", feedback_lines(shown.feedback)))
    return Question(tuple(parts))


def compile(scene: Scene, shown: Shown, answer: MemoryAnswer) -> Plan:
    """Merges, moves, archivings and new entries, among them anti-patterns."""
    entries = {one.handle: one for one in shown.entries}
    settings = scene.settings
    # Entries that were shown cut are not merged: what was not read cannot be covered.
    whole = {handle: one for handle, one in entries.items() if len(one.content) <= _LONGEST}
    material = "\n".join([feedback_lines(shown.feedback), *(one.content for one in shown.entries)])
    seen = MemoryShown(whole, fixed_facts(scene.connection, whole), material)
    rules = Rules(floor_importance=settings.protected_importance, floor_sightings=settings.protected_sightings)
    tagged = [
        item.model_copy(update={"tags": [*item.tags, "anti-pattern"]})
        if item.category.startswith("anti-patterns")
        else item
        for item in answer.to_save
    ]
    plan = compile_memory(scene.connection, seen, answer.model_copy(update={"to_save": tagged}), rules)
    plan.figures.update(entries=len(shown.entries), feedback=len(shown.feedback))
    if shown.left:
        plan.notes.append(f"{len(shown.left)} entries did not fit and are shown the next time")
    return plan


PASS = PassKind(
    NAME, 30, "memory", "merges entries that say the same, refines categories, archives noise, learns from corrections",
    look, ask=ask, answer=MemoryAnswer, compile=compile, directive="consolidation.md", events=("feedback",),
    every=lambda settings: settings.consolidation_every,
)  # fmt: skip
