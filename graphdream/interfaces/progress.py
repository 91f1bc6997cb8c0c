"""Progress shown: a bar for whoever watches a terminal, once it takes longer than two seconds; or JSON lines.

With `--progress`, one object a line on standard error: `{"progress": {"what": "thinking", "done": 2, "total": 7}}`;
`total` is 0 where nobody knows.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from graphdream.interfaces.guarded import unguarded
from graphdream.interfaces.output import json_text
from graphdream.progress import Progress, told_to
from graphdream.shown import printable

PATIENCE_SECONDS = 2.0
_LOOK_SECONDS = 0.1


@contextmanager
def showing(*, as_json: bool = False) -> Iterator[None]:
    """Show on standard error what the work of a `with` block does."""
    if as_json:
        with told_to(_tell_json):
            yield
        return
    latest = [Progress("")]
    ended = threading.Event()

    def hear(progress: Progress) -> None:
        latest[0] = progress

    watcher = threading.Thread(target=_watch, args=(latest, ended), name="progress", daemon=True)
    watcher.start()
    try:
        with told_to(hear):
            yield
    finally:
        ended.set()
        watcher.join()


def _tell_json(progress: Progress) -> None:
    print(json_text({"progress": progress._asdict()}), file=sys.stderr, flush=True)


def _watch(latest: list[Progress], ended: threading.Event) -> None:
    """Draw a bar from the third second on; nothing for what is quicker, or says nothing."""
    began = time.monotonic()
    if ended.wait(PATIENCE_SECONDS):
        return
    while not latest[0].what:
        if ended.wait(_LOOK_SECONDS):
            return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(file=unguarded(sys.stderr)), transient=True) as bar:
        task = bar.add_task("", total=None, start=True)
        bar.tasks[0].start_time = bar.get_time() - (time.monotonic() - began)
        while not ended.wait(_LOOK_SECONDS):
            told = latest[0]
            bar.update(task, description=printable(told.what), completed=told.done, total=told.total or None)
