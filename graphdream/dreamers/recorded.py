"""The recorded dreamer: a past pass's answers again, on the same graph or another; for replay and for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphdream.dreamers.asking.exchange import Exchange
from graphdream.dreamers.base import Dreamer, Thought
from graphdream.dreamers.gathered import Gathered


class RecordedDreamer:
    """Says what a model said then, where it said it: on reading sessions, or behind what is certain.

    Args:
        certain: who decides what the model was not asked about.
        exchanges: the conversations of the pass, in order.
    """

    name = "recorded"
    rethinks = False

    def __init__(self, certain: Dreamer, exchanges: Sequence[Exchange]) -> None:
        self._certain, self._exchanges = certain, tuple(exchanges)

    def read(self, gathered: Gathered) -> Thought:
        """The recorded answers, if any; asks nobody."""
        return self._said(Thought(())) if gathered.lived else Thought(())

    def think(self, gathered: Gathered) -> Thought:
        """What is certain today, and behind it, where no session was read, the recorded answers."""
        certain = self._certain.think(gathered)
        return certain if gathered.settling or gathered.lived else self._said(certain)

    def _said(self, certain: Thought) -> Thought:
        said = [
            proposal
            for exchange in self._exchanges
            if exchange.ended in ("answered", "cut")
            for proposal in exchange.proposals()
        ]
        first = len(certain.proposals)
        return replace(
            certain,
            proposals=[*certain.proposals, *said],
            summary="\n".join(exchange.summary for exchange in self._exchanges if exchange.summary),
            from_model=(first, first + len(said)),
            model=self._exchanges[0].model if self._exchanges else "",
        )
