"""Step 7, report: what a pass did, for the journal, for the next pass and for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from graphdream.journal.overview import Overview, without_change
from graphdream.mutations.applier import Proposal
from graphdream.mutations.outcome import Outcome


@dataclass(slots=True)
class DreamReport:
    """What a pass did.

    Attributes:
        status: applied, nothing (no change was needed), refused (recall would have fallen), dry-run, planned, or made
            already (it was to be made once, and is on record).
        pass_id: None where nothing was written.
        counts: outcomes, and rows by table.
        figures: what was measured: probes, recall before and after, undecided pairs, ...
        left: what did not fit and is left for the next pass, in words.
        held: what was left alone because a person took it back, in one line; "" where nothing was.
        sessions: how many it read to their end; no later pass reads them again.
        seconds: wall time of the whole pass.
        overview: of a dry run or a plan, what would change; of a pass, `Graph.overview` tells what did.
    """

    status: str
    pass_id: int | None
    mode: str
    summary: str
    counts: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    proposals: Sequence[Proposal] = ()
    outcomes: Sequence[Outcome] = ()
    left: tuple[str, ...] = ()
    held: str = ""
    sessions: int = 0
    seconds: float = 0.0
    overview: Overview | None = None

    def told(self) -> str:
        """The summary of the pass in one line, as the next one will read it."""
        done = Counter(
            str(proposal.body.get("op", "")).replace("_", " ")
            for proposal, outcome in zip(self.proposals, self.outcomes, strict=True)
            if outcome.status == "applied"
        )
        words = ", ".join(f"{number} {op}" for op, number in sorted(done.items())) or without_change(self.sessions)
        left = self.counts.get("skipped", 0) + self.counts.get("failed", 0)
        return f"{self.mode} pass: {words}" + (f"; {left} not applied" if left else "") + self._recall()

    def _recall(self) -> str:
        if "recall_before" not in self.figures:
            return ""
        return f"; probe recall {self.figures['recall_before']:.3f} -> {self.figures['recall_after']:.3f}"
