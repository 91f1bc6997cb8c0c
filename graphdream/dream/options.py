"""How a pass is run."""

from __future__ import annotations

from dataclasses import dataclass

from graphdream.errors import UsageError


@dataclass(frozen=True, slots=True)
class PassOptions:
    """How a pass is run.

    Attributes:
        mode: "compact" or "incremental".
        trigger: what started it: manual, threshold, first run, interval, ...
        dry_run: do everything, commit nothing.
        loss_cap: share of the active facts that the pass may archive, 0..1.
        review: do everything, commit nothing, and keep what would be done as a plan for a person.
        recall_tolerance: how much probe recall may fall, 0..1; 0.0: not at all.
        sessions: whether unread sessions are read; None: in an incremental pass.
        again: what a person took back from earlier passes may be done anew.
        once: where a pass of the same trigger is on record in the file, none is made: whoever does not know whether it
            came to that asks again, and nothing is dreamed twice.
        deadline_seconds: after which another process may take the lease over.

    Raises:
        UsageError: a share is none.
    """

    mode: str = "incremental"
    trigger: str = "manual"
    dry_run: bool = False
    review: bool = False
    loss_cap: float = 0.35
    recall_tolerance: float = 0.0
    sessions: bool | None = None
    again: bool = False
    once: bool = False
    deadline_seconds: float = 1200.0

    def __post_init__(self) -> None:
        for name, share in (("loss cap", self.loss_cap), ("recall tolerance", self.recall_tolerance)):
            if not 0 <= share <= 1:
                raise UsageError(f"a {name} of {share} is no share of 0 to 1")

    @property
    def reads(self) -> bool:
        """Whether unread sessions are read."""
        return self.mode == "incremental" if self.sessions is None else self.sessions
