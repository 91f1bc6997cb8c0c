"""What every dreamer is: something that turns what was gathered into proposals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from graphdream.mutations.applier import Proposal

if TYPE_CHECKING:
    from graphdream.dreamers.gathered import Gathered


@dataclass(frozen=True, slots=True)
class Thought:
    """What a dreamer answers.

    Attributes:
        proposals: mutations in the order in which they are to be applied.
        summary: what it did, in words.
        declined: fingerprints of findings that were looked at and left alone, with the reason.
        figures: what the dreamer counted, for the report (error rate, candidates, ...).
        answer: raw answers of a model; "" where none was asked.
        tokens_in, tokens_out, tokens_cached: what was sent and received.
        cost: US dollars; None where the price is not known.
    """

    proposals: Sequence[Proposal]
    summary: str = ""
    declined: dict[str, str] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    answer: str = ""
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float | None = 0.0


class Dreamer(Protocol):
    """Local, model, recorded: interchangeable (DESIGN, step 3)."""

    name: str

    def read(self, gathered: Gathered) -> Thought:
        """Turn unread sessions into proposals, before anything else. Reads nothing but `gathered`, writes nothing."""
        ...

    def think(self, gathered: Gathered) -> Thought:
        """Turn what was gathered into proposals. Reads nothing but `gathered`, writes nothing."""
        ...
