"""Methods of `graphdream.library.dreaming`, to be awaited. `tools/awaited.py` writes this from those."""

from __future__ import annotations

from collections.abc import Collection

import graphdream
from graphdream.library.awaited.base import Memory


class Dreaming(Memory):
    """The methods of `Dreaming` with the same parameters; each runs on the memory's own thread."""

    async def status(self) -> graphdream.Status:
        """How dreaming stands: what is due, which gate is closed and what opens it, what is unread."""
        return await self.call(lambda graph: graph.status())

    async def dream_due(self) -> bool:
        """Whether a pass would fire now by itself; `graphdream dream --status` says why, or why not. Where dreaming is
        switched off, that is one that only reads sessions, without a model.

        Raises:
            IntegrityError: the file, or what was recorded last, is not as it was sealed, so that nobody can tell.
        """
        return await self.call(lambda graph: graph.dream_due())

    async def dream(
        self,
        *,
        compact: bool | None = None,
        dry_run: bool = False,
        max_false_merge_rate: float | None = None,
        loss_cap: float | None = None,
        dreamer: graphdream.Dreamer | None = None,
        trigger: str = "manual",
        model: str | None = None,
        client: graphdream.Client | None = None,
        budget: int | None = None,
        thorough: bool = False,
        review: bool = False,
        again: bool = False,
        once: bool = False,
    ) -> graphdream.DreamReport:
        """Run one pass.

        Args:
            compact: the whole graph (True), what is new (False), or what is due (None: the first pass is a compaction).
            dry_run: say what would change, and change nothing; a model is asked for it all the same, and its answers
                are kept, so that only the local dreamer foresees a pass of a file that may only be read.
            max_false_merge_rate: share of merged pairs that may be wrong; None: the configured one.
            loss_cap: share of the active facts that the pass may archive; None: the configured one.
            dreamer: who thinks; None: the local one, or with a model the hybrid one.
            model: as litellm names it, `provider/model`; None: the configured one, and without one no model is asked.
            client: how the model is asked; None: through litellm. Either way credentials are taken out of what it is
                sent, requests are repeated where they may be, and each is held against the budget and on record.
            budget: tokens that the pass may spend, in and out; None: no bound.
            trigger: what starts it. Where `memory.dreaming.enabled` is false, anything but "manual" only reads
                sessions, without a model, unless a mode, a dreamer or a model is named.
            thorough: a compaction shows the model the whole graph.
            again: do anew, where it still seems right, what was taken back from earlier passes (`undo`, `unmerge`) or
                rejected in a plan.
            review: change nothing, and keep what would change as a plan for a person (`approve`, `reject`).
            once: do nothing where a pass of this trigger is on record already.

        Raises:
            BusyError: another pass is running.
            ClientError: the model gave no answer, its key is missing, or the budget is too small for a first call.
            UsageError: a share or the budget is out of its bounds.
            UnwritableError: the disk or the process has too little room for a pass; nothing was begun.
        """
        return await self.call(
            lambda graph: graph.dream(
                compact=compact,
                dry_run=dry_run,
                max_false_merge_rate=max_false_merge_rate,
                loss_cap=loss_cap,
                dreamer=dreamer,
                trigger=trigger,
                model=model,
                client=client,
                budget=budget,
                thorough=thorough,
                review=review,
                again=again,
                once=once,
            )
        )

    async def estimate(
        self,
        *,
        model: str | None = None,
        compact: bool | None = None,
        budget: int | None = None,
        thorough: bool = False,
        max_false_merge_rate: float | None = None,
    ) -> graphdream.Estimate:
        """What `dream` with a model would take; nobody is asked, no key is needed, nothing is written.

        Raises:
            UsageError: no model is named, here or in the settings; the rate or the budget is out of its bounds.
            ClientError: the model's name names no provider.
        """
        return await self.call(
            lambda graph: graph.estimate(
                model=model,
                compact=compact,
                budget=budget,
                thorough=thorough,
                max_false_merge_rate=max_false_merge_rate,
            )
        )

    async def ask_again(
        self, pass_id: int, *, model: str | None = None, client: graphdream.Client | None = None
    ) -> graphdream.Comparison:
        """Dream a past pass again on the input it had, and set the two plans side by side; nothing is changed.

        Args:
            model: as litellm names it; None and no client: the answers that are on record, or the local dreamer where
                no model was asked.
        """
        return await self.call(lambda graph: graph.ask_again(pass_id, model=model, client=client))

    async def plans(self) -> list[graphdream.PlanRecord]:
        """Plans that were made with `review`, oldest first, with how many of their items are still open."""
        return await self.call(lambda graph: graph.plans())

    async def plan(self, pass_id: int) -> list[graphdream.PlannedItem]:
        """The items of a plan, with what moved since it was made."""
        return await self.call(lambda graph: graph.plan(pass_id))

    async def plan_clusters(self, pass_id: int) -> list[graphdream.Cluster]:
        """The items of a plan by what belongs together, told in names and texts. `Cluster.positions` are what `approve`
        and `reject` take."""
        return await self.call(lambda graph: graph.plan_clusters(pass_id))

    async def approve(self, pass_id: int, items: Collection[int] | None = None) -> graphdream.Decision:
        """Apply open items of a plan (None: all) as a pass. See `graphdream.dream.plan.approve`."""
        return await self.call(lambda graph: graph.approve(pass_id, items))

    async def reject(self, pass_id: int, items: Collection[int] | None = None) -> graphdream.Decision:
        """Decide that open items of a plan (None: all) are not to be done: what they would have merged is distinct, and
        nothing else of them is done but by `dream(again=True)`. `Decision.rejected_by` is the pass that says so."""
        return await self.call(lambda graph: graph.reject(pass_id, items))
