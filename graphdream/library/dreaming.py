"""Passes: whether one is due, running one, what it would cost, and plans for a person."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

import graphdream
from graphdream.given import confirm_number, confirm_rate, confirm_share
from graphdream.library.base import Memory

if TYPE_CHECKING:
    from graphdream.config import Settings
    from graphdream.dream.opening import Wish
    from graphdream.dreamers.base import Dreamer
    from graphdream.dreamers.client.base import Client
    from graphdream.dreamers.hybrid import HybridDreamer
    from graphdream.graph.store import Store


class Dreaming(Memory):
    """Dream, estimate, approve."""

    def status(self) -> graphdream.Status:
        """How dreaming stands: what is due, which gate is closed and what opens it, what is unread."""
        from graphdream.dream.trigger import gates

        return gates(self.store, self.settings().dreaming, self.clock(), reading=True)

    def dream_due(self) -> bool:
        """Whether a pass would fire now by itself; `graphdream dream --status` says why, or why not. Where dreaming is
        switched off, that is one that only reads sessions, without a model.

        Raises:
            IntegrityError: the file, or what was recorded last, is not as it was sealed, so that nobody can tell.
        """
        from graphdream.dream.soundness import confirm_newest
        from graphdream.dream.trigger import due, local_tier_is_due

        store, settings, now = self.store, self.settings().dreaming, self.clock()
        store.seal.require_sound()
        with store.reading():
            confirm_newest(store)
        return due(store, settings, now) is not None or local_tier_is_due(store, settings, now)

    def dream(
        self, *, compact: bool | None = None, dry_run: bool = False, max_false_merge_rate: float | None = None,
        loss_cap: float | None = None, dreamer: graphdream.Dreamer | None = None, trigger: str = "manual",
        model: str | None = None, client: graphdream.Client | None = None, budget: int | None = None,
        thorough: bool = False, review: bool = False, again: bool = False, once: bool = False,
    ) -> graphdream.DreamReport:  # fmt: skip
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
        confirm_rate("max_false_merge_rate", max_false_merge_rate)
        confirm_share("loss_cap", loss_cap)
        confirm_number("budget", budget, least=1)
        from graphdream.room import confirm_disk, confirm_memory

        confirm_memory()
        if not dry_run:
            confirm_disk(self.store.path)
        from graphdream.dream.later import take_in_waiting
        from graphdream.dream.runner import PassOptions, dream
        from graphdream.dreamers.local import LocalDreamer, ReadingDreamer

        take_in_waiting(self.store)  # what another program was told without waiting is part of what is dreamed of
        settings = self.settings()
        rate = settings.dreaming.max_false_merge_rate if max_false_merge_rate is None else max_false_merge_rate
        asked = model or (settings.dreaming.model if settings.dreaming.enabled else None)
        if dreamer is None and (client is not None or asked is not None):
            from graphdream.dream.opening import Wish

            wish = Wish(client.model if client is not None else str(asked), rate, budget, thorough)
            dreamer = self._hybrid(self._client(wish, settings, client), wish, settings)
        only_reads = not settings.dreaming.enabled and trigger != "manual" and compact is None and dreamer is None
        if only_reads:
            dreamer = ReadingDreamer(rate)
        # Who asks for the whole graph gets that; a first pass, a compaction by itself, reads what is new as well.
        options = PassOptions(
            mode="incremental" if only_reads else self._mode(compact), sessions=True if compact is None else None,
            trigger=trigger, dry_run=dry_run, review=review, again=again,
            recall_tolerance=settings.dreaming.harm_tolerance, deadline_seconds=settings.dreaming.timeout / 1000,
            loss_cap=settings.dreaming.loss_cap if loss_cap is None else loss_cap, once=once,
        )  # fmt: skip
        if dry_run and dreamer is None:
            return self._foreseen(lambda store: dream(store, LocalDreamer(rate), options, clock=self.clock))
        return dream(self.store, dreamer or LocalDreamer(rate), options, clock=self.clock)

    def estimate(
        self, *, model: str | None = None, compact: bool | None = None, budget: int | None = None,
        thorough: bool = False, max_false_merge_rate: float | None = None,
    ) -> graphdream.Estimate:  # fmt: skip
        """What `dream` with a model would take; nobody is asked, no key is needed, nothing is written.

        Raises:
            UsageError: no model is named, here or in the settings; the rate or the budget is out of its bounds.
            ClientError: the model's name names no provider.
        """
        confirm_rate("max_false_merge_rate", max_false_merge_rate)
        confirm_number("budget", budget, least=1)
        from graphdream.dream.estimate import estimate
        from graphdream.dream.opening import Uncalled, Wish
        from graphdream.dreamers.client.opening import check_provider
        from graphdream.dreamers.client.provider import context_window
        from graphdream.errors import UsageError

        settings = self.settings()
        named = model or settings.dreaming.model
        if named is None:
            raise UsageError(
                "an estimate needs a model", "give --model provider/model; the local dreamer costs nothing"
            )
        check_provider(named)
        rate = settings.dreaming.max_false_merge_rate if max_false_merge_rate is None else max_false_merge_rate
        client = Uncalled(named, context_window(named) or settings.dreaming.max_input_tokens)
        dreamer = self._hybrid(client, Wish(named, rate, budget, thorough), settings)
        reads = True if compact is None else None
        return estimate(self.store, dreamer, mode=self._mode(compact), model=named, reads=reads, clock=self.clock)

    def _mode(self, compact: bool | None) -> Literal["compact", "incremental"]:
        from graphdream.dream.trigger import due

        if compact is None:
            fitting = due(self.store, self.settings().dreaming, self.clock(), manual=True)
            compact = fitting is not None and fitting.mode == "compact"
        return "compact" if compact else "incremental"

    def _client(self, wish: Wish, settings: Settings, given: Client | None = None) -> Client:
        """Who is asked, within a ledger: without one, nothing takes credentials out and no budget binds.

        Args:
            given: who asks; None: litellm. One that keeps a ledger already stays in that, with the budget it has.
        """
        from graphdream.dreamers.client.ledger import Ledger
        from graphdream.dreamers.client.ledgered import LedgeredClient
        from graphdream.dreamers.client.limits import Rates, gate_of
        from graphdream.dreamers.client.opening import open_client

        if isinstance(given, LedgeredClient):
            return given
        dreaming = settings.dreaming
        gate = gate_of(Rates(dreaming.requests_per_minute, dreaming.tokens_per_minute))
        client = open_client(wish.model, settings=settings) if given is None else given
        return LedgeredClient(client, Ledger(wish.budget_tokens), gate=gate)

    def _hybrid(self, client: Client, wish: Wish, settings: Settings) -> HybridDreamer:
        from graphdream.dream.opening import open_hybrid
        from graphdream.paths import agent_folder

        return open_hybrid(
            self.store, client, wish, settings, agent_folder(self.store.path, self.agent), clock=self.clock
        )

    def ask_again(
        self, pass_id: int, *, model: str | None = None, client: graphdream.Client | None = None
    ) -> graphdream.Comparison:
        """Dream a past pass again on the input it had, and set the two plans side by side; nothing is changed.

        Args:
            model: as litellm names it; None and no client: the answers that are on record, or the local dreamer where
                no model was asked.
        """
        from graphdream.dream.asked_again import ask_again
        from graphdream.dream.exchanges import foundations_of
        from graphdream.dream.opening import Wish, open_hybrid
        from graphdream.dreamers.local import LocalDreamer
        from graphdream.dreamers.recorded import RecordedDreamer
        from graphdream.paths import agent_folder

        settings = self.settings()
        rate = settings.dreaming.max_false_merge_rate
        named = client.model if client is not None else model
        asked = self._client(Wish(named, rate), settings, client) if named else None
        folder = agent_folder(self.store.path, self.agent)

        def opened(copy: Store, thorough: bool) -> Dreamer:
            if asked is None:
                said, local = foundations_of(self.store.connection, pass_id), LocalDreamer(rate)
                return RecordedDreamer(local, said) if said else local
            wish = Wish(model or asked.model, rate, thorough=thorough)
            return open_hybrid(copy, asked, wish, settings, folder, clock=self.clock)

        return ask_again(self.store, pass_id, opened)

    def plans(self) -> list[graphdream.PlanRecord]:
        """Plans that were made with `review`, oldest first, with how many of their items are still open."""
        from graphdream.dream.plan import plan_records

        return plan_records(self.store)

    def plan(self, pass_id: int) -> list[graphdream.PlannedItem]:
        """The items of a plan, with what moved since it was made."""
        from graphdream.dream.plan import told_items

        return told_items(self.store, pass_id)

    def plan_clusters(self, pass_id: int) -> list[graphdream.Cluster]:
        """The items of a plan by what belongs together, told in names and texts. `Cluster.positions` are what `approve`
        and `reject` take."""
        from graphdream.dream.plan_clusters import clusters_of

        return clusters_of(self.store, pass_id, self.plan(pass_id))

    def approve(self, pass_id: int, items: Collection[int] | None = None) -> graphdream.Decision:
        """Apply open items of a plan (None: all) as a pass. See `graphdream.dream.plan.approve`."""
        from graphdream.dream.plan import approve

        return approve(self.store, pass_id, items, clock=self.clock)

    def reject(self, pass_id: int, items: Collection[int] | None = None) -> graphdream.Decision:
        """Decide that open items of a plan (None: all) are not to be done: what they would have merged is distinct, and
        nothing else of them is done but by `dream(again=True)`. `Decision.rejected_by` is the pass that says so."""
        from graphdream.dream.plan import reject

        return reject(self.store, pass_id, items, clock=self.clock)
