"""What a cycle is asked to do, and what it and its passes did."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from graphdream.passes.protocol import Part

Status = Literal["applied", "nothing", "skipped", "failed", "refused", "dry-run"]


@dataclass(frozen=True, slots=True)
class CycleOptions:
    """How a cycle is run.

    Attributes:
        only: names of passes; None: all.
        by_hand: a person asks: the hours between two runs do not count, nor does a pass that failed a moment ago.
        again: also what is not new, and what a person took back.
        dry_run: do everything, commit nothing; a model is asked for it all the same.
        trigger: what started it.
        stop: asked between two passes; True ends the cycle there.
    """

    only: Collection[str] | None = None
    by_hand: bool = False
    again: bool = False
    dry_run: bool = False
    trigger: str = "manual"
    stop: Callable[[], bool] = lambda: False


@dataclass(slots=True)
class PassReport:
    """What one part of a pass did, or why it did nothing.

    Attributes:
        status: "applied"; "nothing": it looked, and found nothing to change; "skipped" before it looked or because
            nothing is new; "failed"; "refused": recall would have fallen; "dry-run".
        reason: in words, of everything but "applied".
        processed: entries and events that it read.
        notes: for a person.
    """

    name: str
    part: Part
    status: Status
    reason: str = ""
    pass_id: int | None = None
    processed: int = 0
    counts: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    proposals: list[dict[str, Any]] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0

    @property
    def ran(self) -> bool:
        """Whether it looked at something new."""
        return self.status in ("applied", "nothing", "refused", "dry-run")


@dataclass(slots=True)
class CycleReport:
    """What a cycle did, pass by pass."""

    started_at: str
    passes: list[PassReport] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def failed(self) -> list[PassReport]:
        """The passes that failed."""
        return [one for one in self.passes if one.status == "failed"]

    @property
    def tokens(self) -> int:
        """Sent and received."""
        return sum(one.tokens_in + one.tokens_out for one in self.passes)

    @property
    def summary(self) -> str:
        """In one line."""
        done = [f"{one.name} ({one.counts.get('applied', 0)})" for one in self.passes if one.status == "applied"]
        failed = [one.name for one in self.failed]
        said = ", ".join(done) or "nothing to do"
        return said + (f"; failed: {', '.join(failed)}" if failed else "")

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return {**asdict(self), "summary": self.summary, "tokens": self.tokens}
