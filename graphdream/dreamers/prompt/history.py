"""What past passes did and how it turned out, as the next one reads it.

Source: the dreaming of Signet, an agent memory: one line a pass, open work and failures first; a pass sees what its
predecessor merged, whether that was undone, and what recall did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphdream.dreamers.prompt.graph_text import one_line

_LONGEST_NOTE = 600  # characters of a pass's note to itself that are shown


@dataclass(frozen=True, slots=True)
class PastPass:
    """One past pass of a dreamer, or a person's undo or edit.

    Attributes:
        done: what it changed, in words: its summary.
        note: the model's own summary, "" where there was none.
        undone_by: the pass that took it back, None where it stands.
        lost: what the undo took back, a line for each merge (`e5 Grace Hoper was merged into e3 Grace Hopper`).
        recall: share of the probe questions answered before and after, None where nothing was measured.
    """

    id: int
    kind: str
    at: str
    done: str
    note: str = ""
    undone_by: int | None = None
    lost: Sequence[str] = ()
    recall: tuple[float, float] | None = None
    status: str = "applied"

    def text(self) -> str:
        """The pass in a line, with further lines for what was taken back and for its note."""
        parts = [f"pass {self.id} ({self.kind}, {self.at[:10]}): {one_line(self.done) or 'no summary'}"]
        if self.status not in ("applied", "planned"):
            parts[0] += f" [{self.status}: nothing was changed]"
        if self.recall is not None and self.recall[1] < self.recall[0]:
            parts[0] += f" [recall fell from {self.recall[0]:.3f} to {self.recall[1]:.3f}]"
        if self.undone_by is not None:
            parts[0] += f" [UNDONE by pass {self.undone_by}]"
        parts += [f"  taken back, do not repeat: {one_line(line)}" for line in self.lost]
        if self.note:
            note = one_line(self.note)
            parts.append(f"  your note: {note[:_LONGEST_NOTE]}{'…' if len(note) > _LONGEST_NOTE else ''}")
        return "\n".join(parts)


def history_text(passes: Sequence[PastPass], count: Callable[[str], int], most_tokens: int) -> tuple[str, int]:
    """The newest passes that fit, oldest of them first; what was undone is kept before what was not.

    Returns:
        The text, and how many passes did not fit.
    """
    chosen: list[PastPass] = []
    left = most_tokens
    for one in sorted(passes, key=lambda one: (one.undone_by is None, -one.id)):
        tokens = count(one.text()) + 1
        if tokens <= left:
            chosen.append(one)
            left -= tokens
    lines = [one.text() for one in sorted(chosen, key=lambda one: one.id)]
    return "\n".join(lines), len(passes) - len(chosen)
