"""The cycle: every pass over the views that is due, in its order, each by itself.

One pass that fails or finds nothing never stops the others. Each part of a pass is a pass of the journal of its own, by
way of the one runner: so protection, undo, replay, the harm gate, the budget and the bill hold for all of them alike.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from graphdream.clock import Clock, utc_now
from graphdream.config import Settings
from graphdream.dream.cursors import passes_read_by
from graphdream.dream.cycle_report import CycleOptions, CycleReport, PassReport
from graphdream.dream.runner import run
from graphdream.dream.view_steps import ViewSteps
from graphdream.dreamers.client.base import Client
from graphdream.errors import BusyError, UnwritableError
from graphdream.events.patience import PATIENCE_SECONDS
from graphdream.events.record import take_in
from graphdream.graph.sealwalk import WHOLE, confirm_sound
from graphdream.graph.store import Store
from graphdream.journal.soundness import confirm_passes
from graphdream.passes.protocol import Part, PassKind
from graphdream.passes.registry import kind_named, kinds
from graphdream.progress import part_of

__all__ = ["CycleOptions", "CycleReport", "PassReport", "cycle"]

_UNANSWERED = 2  # passes in a row that got no answer, after which this cycle asks no more


def cycle(
    store: Store, settings: Settings, options: CycleOptions | None = None, *, client: Client | None = None,
    folder: Path | None = None, clock: Clock = utc_now,
) -> CycleReport:  # fmt: skip
    """Run every pass that is due.

    Args:
        client: the model; None: the local parts only.
        folder: of the agent's own files: directives, MEMORY.md.

    Raises:
        NotFoundError: there is no such pass; nothing was done.
        BusyError: another pass is running, before this one did anything.
        UnwritableError: nothing can be written to the file, and nothing was done.
    """
    options = options or CycleOptions()
    wanted = [kind_named(name) for name in dict.fromkeys(options.only)] if options.only is not None else kinds()
    began, report = time.monotonic(), CycleReport(clock())
    take_in(store, wait_seconds=PATIENCE_SECONDS)
    confirm_sound(store.seal, WHOLE)  # its passes read all over the file
    confirm_passes(store, passes_read_by(store))
    unanswered, done = 0, False
    for place, kind in enumerate(sorted(wanted, key=lambda kind: (kind.place, kind.name))):
        for part in () if options.stop() else kind.parts:
            if part == "model" and client is not None and unanswered >= _UNANSWERED:
                why = "the model gave no answer to the passes before it"
                report.passes.append(PassReport(kind.name, part, "skipped", why))
                continue
            steps = ViewSteps(store, kind, part, settings, options, client, folder, clock)
            with part_of(kind.name.replace("_", " "), place, len(wanted)):
                one = _run(steps, kind, part, settings, may_wait=done)
            unanswered = unanswered + 1 if steps.unanswered else 0 if part == "model" and one.ran else unanswered
            done |= one.ran
            report.passes.append(one)
    report.seconds = round(time.monotonic() - began, 3)
    if not options.dry_run and any(one.tells for one in report.passes):
        _log(store, report, options.trigger, clock())
    return report


def _run(steps: ViewSteps, kind: PassKind, part: Part, settings: Settings, *, may_wait: bool) -> PassReport:
    """Run one part by itself: whatever goes wrong in it is in its report.

    Raises:
        BusyError: another pass is running, and this one cannot be left for the next cycle (`may_wait`).
        UnwritableError: nothing can be written to the file, which no pass before it (`may_wait`) found.
    """
    try:
        if not steps.is_due():
            return steps.report()
    except Exception as fault:  # it cannot even look
        steps.failed(fault)
        return steps.report()
    try:
        return run(steps, deadline_seconds=settings.dreaming.timeout / 1000)
    except BusyError:
        if not may_wait:
            raise
        return PassReport(kind.name, part, "skipped", "another pass is running")
    except Exception as fault:
        if steps.report().status == "failed":
            return steps.report()  # its failure is on record
        if isinstance(fault, UnwritableError) and not may_wait:
            raise
        steps.failed(fault)  # it could not begin
        return steps.report()


def _log(store: Store, report: CycleReport, trigger: str, now: str) -> None:
    shown = [one.as_logged() for one in report.passes if one.status != "skipped"]
    processed = sum(one.processed for one in report.passes)
    with store.writing():
        store.connection.execute(
            "INSERT INTO cycle_log (started_at, ended_at, trigger, processed, summary, passes)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (report.started_at, now, trigger, processed, report.summary, json.dumps(shown, ensure_ascii=False)),
        )
