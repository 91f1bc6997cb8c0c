"""The one pass runner: gather, plan, think, check, apply, prove, report."""

from __future__ import annotations

from contextlib import suppress

from graphdream.clock import Clock, utc_now
from graphdream.dream import lease, state
from graphdream.dream.exchanges import take_over_unusable
from graphdream.dream.held import HoldingBack
from graphdream.dream.options import PassOptions
from graphdream.dream.report import DreamReport
from graphdream.dream.steps import Steps
from graphdream.dreamers.base import Dreamer
from graphdream.graph.store import Store
from graphdream.journal.passes import PassHeader, record_unapplied

__all__ = ["PassOptions", "dream"]


def dream(store: Store, dreamer: Dreamer, options: PassOptions, *, clock: Clock = utc_now) -> DreamReport:
    """Run one pass under the lease.

    Raises:
        BusyError: another pass holds the lease.
        Exception: whatever the dreamer raised; the failure is on record and nothing has changed.
    """
    with lease.hold(store, deadline_seconds=options.deadline_seconds) as held:
        try:
            holding = HoldingBack(store, dreamer, again=options.again)
            report = _run(Steps(store, holding, options, clock, held))
            report.held = holding.told()
            return report
        except Exception as fault:
            if not options.dry_run:
                header = PassHeader(kind="dream", mode=options.mode, trigger=options.trigger, dreamer=dreamer.name)
                with suppress(Exception):
                    state.failed(store, str(fault), now=clock())  # first: the back-off rests on it
                with suppress(Exception):
                    failed = record_unapplied(
                        store, header, status="failed", error=str(fault)[:500], counts={}, clock=clock
                    )
                    take_over_unusable(store, failed)
            raise


def _run(steps: Steps) -> DreamReport:
    """The seven steps. Those that write are one transaction, tried again without what did harm."""
    steps.gather()
    steps.plan()
    steps.think()
    while not steps.done:
        with steps.attempt():
            steps.check()
            steps.apply()
            steps.prove()
    return steps.report()
