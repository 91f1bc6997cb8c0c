"""What a cycle is asked to do, and what it and its passes did."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from graphdream.journal.overview import Overview
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
        overview: of a dry run, what would change; of a pass, `Graph.overview` tells what did.
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
    overview: Overview | None = None

    @property
    def ran(self) -> bool:
        """Whether it looked at something new."""
        return self.status in ("applied", "nothing", "refused", "dry-run")

    @property
    def changes(self) -> int:
        """How many of its mutations, or files, were applied, or would be."""
        return int(self.counts.get("applied", 0))

    @property
    def tells(self) -> bool:
        """Whether there is anything to tell of it: it read something, or something came of it."""
        return self.status in ("applied", "failed", "refused") or (self.ran and self.processed > 0)

    def as_json(self) -> dict[str, Any]:
        """The report as plain values; what it proposes is all there, so the overview is left out."""
        return {name: value for name, value in asdict(self).items() if name != "overview"}

    def as_logged(self) -> dict[str, Any]:
        """The report as the dream log holds it: without what is empty, and what it proposed."""
        return {name: value for name, value in self.as_json().items() if value and name != "proposals"}

    @classmethod
    def of_log(cls, told: Mapping[str, Any]) -> PassReport:
        """Read what `as_logged` wrote, without what a later program may have added."""
        return cls(**{one.name: told[one.name] for one in fields(cls) if one.name in told})


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
        done = ", ".join(f"{one.name} ({one.changes})" for one in self.passes if one.status == "applied")
        would = ", ".join(
            f"{one.name} ({one.changes})" for one in self.passes if one.status == "dry-run" and one.changes
        )
        failed = [one.name for one in self.failed]
        said = done or (f"would do: {would}" if would else "nothing to do")
        return said + (f"; failed: {', '.join(failed)}" if failed else "")

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        passes = [one.as_json() for one in self.passes]
        return {**asdict(self), "passes": passes, "summary": self.summary, "tokens": self.tokens}
