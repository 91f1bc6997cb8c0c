"""The cycle: passes over memory, skills and self, and what they work on."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import graphdream
from graphdream.errors import UsageError
from graphdream.given import confirm_number
from graphdream.library.dreaming import Dreaming

if TYPE_CHECKING:
    from graphdream.dream.cycle import CycleReport
    from graphdream.graph.store import Store


class Cycle(Dreaming):
    """Cycle, observe, skills, self."""

    def cycle(
        self, *, only: Iterable[str] | None = None, dry_run: bool = False, model: str | None = None,
        client: graphdream.Client | None = None, budget: int | None = None, again: bool = False,
        trigger: str = "manual", stop: Callable[[], bool] | None = None,
    ) -> graphdream.CycleReport:  # fmt: skip
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
        from graphdream.room import confirm_disk, confirm_memory

        if isinstance(only, str):
            raise UsageError("only is one text; it should be a list of names", f"only=[{only!r:.60}]")
        confirm_number("budget", budget, least=1)
        confirm_memory()
        if not dry_run:
            confirm_disk(self.store.path)
            self.store.schema.confirm()
        from graphdream.dream.cycle import CycleOptions, cycle
        from graphdream.dream.later import take_in_waiting
        from graphdream.dream.opening import Wish
        from graphdream.paths import agent_folder

        take_in_waiting(self.store)  # what another program was told without waiting is part of what is looked at
        settings = self.settings()
        asked = model or (settings.dreaming.model if settings.dreaming.enabled else None)
        named = client.model if client is not None else asked if settings.cycle.model_passes else None
        if named is not None:
            client = self._client(Wish(named, settings.dreaming.max_false_merge_rate, budget), settings, client)
        options = CycleOptions(
            only=None if only is None else tuple(only), by_hand=only is not None or again, again=again,
            dry_run=dry_run, trigger=trigger, stop=stop or (lambda: False),
        )  # fmt: skip
        folder = agent_folder(self.store.path, self.agent)

        def run(store: Store) -> CycleReport:
            return cycle(store, settings, options, client=client, folder=folder, clock=self.clock)

        # What a model answers is kept, so it is not asked where nothing can be.
        return self._foreseen(run) if dry_run and client is None else run(self.store)

    def cycle_passes(self) -> builtins.list[graphdream.PassStanding]:
        """Every pass of the cycle, in its order, with how it stands."""
        from graphdream.dream.cycle_state import pass_standings
        from graphdream.paths import agent_folder

        folder = agent_folder(self.store.path, self.agent)
        return pass_standings(self.store, self.settings(), folder=folder, clock=self.clock)

    def dream_log(self, *, most: int = 20) -> builtins.list[graphdream.LoggedCycle]:
        """The newest cycles that did something, newest first. Raises UsageError where `most` is below 0."""
        confirm_number("most", most, least=0)
        from graphdream.dream.cycle_state import logged_cycles

        return logged_cycles(self.store, most=most)

    def observe(self, rows: Iterable[Mapping[str, Any]]) -> graphdream.ObserveReport:
        """Put events on record: turns, feedback, uses of skills, executions, calls of tools (docs/formats.md)."""
        from graphdream.events.observed import observe

        return observe(self.store, rows, clock=self.clock)

    @property
    def skills(self) -> graphdream.Skills:
        """What the agent knows how to do."""
        from graphdream.dream.skills import Skills

        return Skills(lambda: self.store, self.clock)

    def self_model(self) -> graphdream.SelfModel:
        """What the agent knows of itself, folded from what it did."""
        from graphdream.dream.introspect import self_model_of

        return self_model_of(self.store, self.settings(), self.clock())

    def introspect(self) -> graphdream.Introspection:
        """A health report: score, findings, self-model, skills by use, passes."""
        from graphdream.dream.introspect import introspect

        return introspect(self.store, self.settings(), self.clock())
