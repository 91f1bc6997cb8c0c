"""An undo at a glance: how much came back or went, by kind, and a few of each by name and text."""

from __future__ import annotations

from graphdream.graph.store import Store
from graphdream.interfaces.overview_text import examples, headline
from graphdream.journal.overview import sound_overview
from graphdream.journal.undo import UndoReport

_OF_EACH_KIND = 3  # examples; `graphdream show` lists more
_TOLD_BY_NAME = 100_000  # rows; to look up what more of them are would take longer than the undo itself


def undo_text(store: Store, report: UndoReport) -> str:
    """The report of an undo with what it changed, which is read from the journal of the file that it was made in."""
    if sum(report.rows.values()) > _TOLD_BY_NAME:
        return report.as_text([*report.rows_in_words(), f"  by name and text: graphdream show {report.pass_id}"])
    seen = sound_overview(store, report.pass_id - 1, report.pass_id)
    if not seen.counts:
        return report.as_text()
    lines = [*headline(seen, " "), *(f"  {line}" for line in examples(seen, most=_OF_EACH_KIND))]
    if any(kind.count > _OF_EACH_KIND for kind in seen.kinds):
        lines.append(f"  more of them: graphdream show {report.pass_id}")
    return report.as_text(lines)
