"""Methods of `graphdream.library.cycle`, to be awaited. `tools/awaited.py` writes this from those."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import graphdream
from graphdream.library.awaited.dreaming import Dreaming


class Cycle(Dreaming):
    """The methods of `Cycle` with the same parameters; each runs on the memory's own thread."""

    async def cycle(
        self,
        *,
        only: Iterable[str] | None = None,
        dry_run: bool = False,
        model: str | None = None,
        client: graphdream.Client | None = None,
        budget: int | None = None,
        again: bool = False,
        trigger: str = "manual",
        stop: Callable[[], bool] | None = None,
    ) -> graphdream.CycleReport:
        """Run the passes over memory, skills and self that are due, each by itself.

        Args:
            only: names of passes; those run now, whatever their hours say. None: all that are due.
            dry_run: change nothing; a model is asked all the same.
            model: as litellm names it; None: the configured one, and without one the local parts run alone.
            client: how the model is asked; None: through litellm. Either way it is held as in `dream`.
            budget: tokens that the whole cycle may spend, in and out; None: no bound.
            again: also what is not new, and what a person took back.
            stop: asked between two passes; True ends the cycle there. None: nothing ends it.

        Raises:
            NotFoundError: there is no such pass; nothing was done.
            UsageError: `only` is a text, or the budget is out of its bounds.
            BusyError: another pass is running.
            ClientError: the model's name or key is wrong.
            UnwritableError: the disk or the process has too little room for passes; nothing was begun.
            ForeignSchemaError: somebody changed the schema of the file; nothing was begun.
        """
        return await self.call(
            lambda graph: graph.cycle(
                only=only,
                dry_run=dry_run,
                model=model,
                client=client,
                budget=budget,
                again=again,
                trigger=trigger,
                stop=stop,
            )
        )

    async def cycle_passes(self) -> builtins.list[graphdream.PassStanding]:
        """Every pass of the cycle, in its order, with how it stands."""
        return await self.call(lambda graph: graph.cycle_passes())

    async def dream_log(self, *, most: int = 20) -> builtins.list[graphdream.LoggedCycle]:
        """The newest cycles that did something, newest first. Raises UsageError where `most` is below 0."""
        return await self.call(lambda graph: graph.dream_log(most=most))

    async def observe(self, rows: Iterable[Mapping[str, Any]]) -> graphdream.ObserveReport:
        """Put events on record: turns, feedback, uses of skills, executions, calls of tools (docs/formats.md)."""
        return await self.call(lambda graph: graph.observe(rows))

    @property
    def skills(self) -> graphdream.AwaitedSkills:
        """What the agent knows how to do."""
        return graphdream.AwaitedSkills(self, self._opened().skills)

    async def self_model(self) -> graphdream.SelfModel:
        """What the agent knows of itself, folded from what it did."""
        return await self.call(lambda graph: graph.self_model())

    async def introspect(self) -> graphdream.Introspection:
        """A health report: score, findings, self-model, skills by use, passes."""
        return await self.call(lambda graph: graph.introspect())
