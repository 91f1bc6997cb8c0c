"""Methods of `Skills`, to be awaited. `tools/awaited.py` writes this from those."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import graphdream
from graphdream.dream.edit import EditResult
from graphdream.dream.teller import Teller
from graphdream.library.awaited.base import Memory
from graphdream.views.skill_use import SkillTable
from graphdream.views.skills import Skill


class AwaitedSkills:
    """The methods of `Skills` with the same parameters; each runs on the memory's own thread."""

    def __init__(self, memory: Memory, held: graphdream.Skills) -> None:
        self._memory, self._held = memory, held

    async def all(self) -> list[Skill]:
        """Every skill, by name. One that is not as it was sealed is left out, and noted in `store.seal.left_out`."""
        return await self._memory.call(lambda graph: self._held.all())

    async def get(self, name: str) -> Skill:
        """A skill by its name, a former name or its handle.

        Raises:
            NotFoundError: there is none.
            IntegrityError: it is not as it was sealed.
        """
        return await self._memory.call(lambda graph: self._held.get(name))

    async def table(self, **counted: Any) -> SkillTable:
        """Skills with their use; see `graphdream.views.skill_use.skill_table` for what can be set."""
        return await self._memory.call(lambda graph: self._held.table(**counted))

    async def put(self, skill: Skill, *, by: Teller = "agent") -> EditResult:
        """Make a skill as it is wanted; where it is so already, nothing changes and there is no pass.

        Args:
            by: what the "user" wrote no pass rewrites; what the "agent" has, the skill passes improve. A pin keeps a
                skill from all of them.
        """
        return await self._memory.call(lambda graph: self._held.put(skill, by=by))

    async def forget(self, name: str) -> EditResult:
        """Archive a skill."""
        return await self._memory.call(lambda graph: self._held.forget(name))

    async def use(self, name: str, *, session: str, outcome: str = "", detail: str = "") -> bool:
        """Put on record that a skill was used; one that is not there counts too, as what is missing.

        Returns:
            Whether that was new.

        Raises:
            UsageError: the outcome is none, or the name is blank.
        """
        return await self._memory.call(
            lambda graph: self._held.use(name, session=session, outcome=outcome, detail=detail)
        )

    async def export(self, folder: str | Path, names: tuple[str, ...] = (), *, force: bool = True) -> list[Path]:
        """Write skills as folders with a SKILL.md each, over those that are there unless `force` is false. Returns the
        files."""
        return await self._memory.call(lambda graph: self._held.export(folder, names, force=force))

    async def take(self, folder: str | Path, *, by: Teller = "agent") -> dict[str, EditResult]:
        """Read skills from SKILL.md folders; those that are there are brought up to date. Returns what came of each.

        Raises:
            NotFoundError: there is no SKILL.md below the folder.
            ImportRefusedError: one of them is not what it should be; nothing was taken.
        """
        return await self._memory.call(lambda graph: self._held.take(folder, by=by))
