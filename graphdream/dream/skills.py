"""Skills as a person or an agent writes them: every change is an edit of the journal, by way of the view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from graphdream.checked import checks_arguments
from graphdream.clock import Clock, utc_now
from graphdream.dream.edit import EditResult, edit
from graphdream.dream.teller import Teller
from graphdream.errors import UsageError
from graphdream.events.observed import observe
from graphdream.graph.callers import CallersStore
from graphdream.graph.served import confirm_entities, unsound, unsound_entities
from graphdream.graph.store import Store
from graphdream.mutations import model
from graphdream.views import skill_files
from graphdream.views.skill_use import SkillTable, skill_table
from graphdream.views.skills import Skill, skill_named, skills, there, written


@checks_arguments
class Skills(CallersStore):
    """What the agent knows how to do. Of a `Graph`, for all of its threads: each call uses the caller's connection."""

    def __init__(self, store: Store | Callable[[], Store], clock: Clock = utc_now) -> None:
        super().__init__(store)
        self._clock = clock

    def all(self) -> list[Skill]:
        """Every skill, by name. One that is not as it was sealed is left out, and noted in `store.seal.left_out`."""
        with self._store.reading():
            return self._sound(skills(self._store.connection))

    def get(self, name: str) -> Skill:
        """A skill by its name, a former name or its handle.

        Raises:
            NotFoundError: there is none.
            IntegrityError: it is not as it was sealed.
        """
        with self._store.reading():
            found = skill_named(self._store.connection, name)
            confirm_entities(self._store, [int(found.handle[1:])])
            return found

    def _sound(self, known: list[Skill]) -> list[Skill]:
        wrong = unsound_entities(self._store, (int(skill.handle[1:]) for skill in known))
        return [skill for skill in known if int(skill.handle[1:]) not in wrong] if wrong else known

    def table(self, **counted: Any) -> SkillTable:
        """Skills with their use; see `graphdream.views.skill_use.skill_table` for what can be set."""
        with self._store.reading():
            known = self._sound(skills(self._store.connection))
            left_out = partial(unsound, self._store)
            return skill_table(self._store.connection, known, self._clock(), left_out=left_out, **counted)

    def put(self, skill: Skill, *, by: Teller = "agent") -> EditResult:
        """Make a skill as it is wanted; where it is so already, nothing changes and there is no pass.

        Args:
            by: what the "user" wrote no pass rewrites; what the "agent" has, the skill passes improve. A pin keeps a
                skill from all of them.
        """
        mutations = written(self._store.connection, skill)
        if not mutations:
            return EditResult(None, [])
        return edit(self._store, mutations, summary=f"skill {skill.name}", by=by, clock=self._clock)

    def forget(self, name: str) -> EditResult:
        """Archive a skill."""
        handle = self.get(name).handle
        return edit(self._store, [model.DeleteEntity(name=handle, reason="no longer needed")], clock=self._clock)

    def use(self, name: str, *, session: str, outcome: str = "", detail: str = "") -> bool:
        """Put on record that a skill was used; one that is not there counts too, as what is missing.

        Returns:
            Whether that was new.

        Raises:
            UsageError: the outcome is none, or the name is blank.
        """
        known = there(self._store.connection, name)
        told = {"kind": "skill-use", "skill": known.name if known else name.strip(), "session": session,
                "outcome": outcome, "detail": detail, "at": self._clock()}  # fmt: skip
        report = observe(self._store, [told], clock=self._clock)
        if report.faults:
            raise UsageError(report.faults[0].partition(": ")[2])
        return bool(report.added)

    def export(self, folder: str | Path, names: tuple[str, ...] = (), *, force: bool = True) -> list[Path]:
        """Write skills as folders with a SKILL.md each, over those that are there unless `force` is false. Returns the
        files."""
        wanted = [self.get(name) for name in names] if names else self.all()
        return skill_files.write_folder(Path(folder), wanted, force=force)

    def take(self, folder: str | Path, *, by: Teller = "agent") -> dict[str, EditResult]:
        """Read skills from SKILL.md folders; those that are there are brought up to date. Returns what came of each.

        Raises:
            NotFoundError: there is no SKILL.md below the folder.
            ImportRefusedError: one of them is not what it should be; nothing was taken.
        """
        found = skill_files.read_folder(Path(folder))
        results = {}
        for skill in found:  # first what they say: a skill may point at one that comes after it
            known = there(self._store.connection, skill.name)
            results[skill.name] = self.put(
                replace(known, **_words_of(skill)) if known else replace(skill, see_also=()), by=by
            )
        for skill in found:
            known = self.get(skill.name)
            names = tuple(name for name in skill.see_also if there(self._store.connection, name))
            linked = self.put(replace(known, see_also=(*known.see_also, *names)), by=by)
            if results[skill.name].pass_id is None:
                results[skill.name] = linked
        return results


def _words_of(skill: Skill) -> dict[str, Any]:
    return {"summary": skill.summary, "content": skill.content, "lessons": skill.lessons, "triggers": skill.triggers}
