"""The one runner: whatever a pass is of, it takes the seven steps under the lease."""

from __future__ import annotations

from graphdream.clock import Clock, utc_now
from graphdream.collector import collector_paused
from graphdream.dream import lease
from graphdream.dream.options import PassOptions
from graphdream.dream.purge import finish as finish_purge
from graphdream.dream.report import DreamReport
from graphdream.dream.steps import ReportT, Steps
from graphdream.dreamers.base import Dreamer
from graphdream.graph.store import Store
from graphdream.observed import observed
from graphdream.progress import tell

__all__ = ["PassOptions", "dream", "run"]

# The steps in words, for whoever watches.
_WORDS = (
    "gathering what is new", "reading sessions", "thinking", "checking what was thought", "applying it",
    "proving that recall holds",
)  # fmt: skip


def run(steps: Steps[ReportT], *, deadline_seconds: float) -> ReportT:
    """Take the steps of a pass. Those that write are one transaction, tried again without what did harm.

    Raises:
        BusyError: another pass holds the lease.
        Exception: whatever went wrong in a step; the failure is on record and nothing has changed.
    """
    with observed("pass"), lease.hold(steps.store, deadline_seconds=deadline_seconds) as steps.held:
        try:
            finish_purge(steps.store)
            for at, step in enumerate((steps.gather, steps.plan, steps.think)):
                if not steps.done:
                    tell(_WORDS[at], at, len(_WORDS))
                    with observed("step", name=step.__name__):
                        step()
            while not steps.done:
                with collector_paused(), steps.attempt():
                    for at, step in enumerate((steps.check, steps.apply, steps.prove), 3):
                        tell(_WORDS[at], at, len(_WORDS))
                        with observed("step", name=step.__name__):
                            step()
            return steps.report()
        except Exception as fault:
            steps.failed(fault)
            raise


def dream(store: Store, dreamer: Dreamer, options: PassOptions, *, clock: Clock = utc_now) -> DreamReport:
    """Dream once. Raises as `run` does."""
    from graphdream.dream.dream_steps import DreamSteps  # brings the scorers, which passes over views do without

    return run(DreamSteps(store, dreamer, options, clock), deadline_seconds=options.deadline_seconds)
