"""What a pass with a model would take, before anything is spent; nobody is asked and nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.dream.gather import gather, unread_sessions
from graphdream.dreamers.hybrid import HybridDreamer
from graphdream.graph.store import Store


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a pass would take.

    Attributes:
        tokens_in, tokens_out: sent, schemas included; expected back.
        cost: US dollars; None where the model's price is not known.
        figures: of the plan: sessions, questions, chunks, tokens of the whole graph, ...
        left: what would not fit and be left for the next pass, in words.
    """

    mode: str
    model: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    figures: dict[str, Any] = field(default_factory=dict)
    left: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.tokens_in + self.tokens_out

    def as_json(self) -> dict[str, Any]:
        """The estimate as plain values."""
        return {
            "status": "estimate", "mode": self.mode, "model": self.model, "tokens": self.tokens, "calls": self.calls,
            "cost": self.cost, "tokens_in": self.tokens_in, "tokens_out": self.tokens_out, "figures": self.figures,
            "left": list(self.left),
        }  # fmt: skip


def estimate(store: Store, dreamer: HybridDreamer, *, mode: str, model: str, clock: Clock = utc_now) -> Estimate:
    """Plan a pass and add it up."""
    sessions = unread_sessions(store) if mode == "incremental" else []
    agenda = dreamer.plan(gather(store, mode=mode, now=clock(), sessions=sessions))
    tokens_in = sum(call.tokens_in for call in agenda.calls)
    tokens_out = sum(call.tokens_out for call in agenda.calls)
    figures = {
        "sessions": len({key for call in agenda.calls for key in call.sessions}),
        "sessions_left": len(agenda.unread),
        **agenda.figures,
    }
    return Estimate(
        mode=mode, model=model, calls=len(agenda.calls), tokens_in=tokens_in, tokens_out=tokens_out,
        cost=_price(model, tokens_in, tokens_out), figures=figures, left=tuple(agenda.left),
    )  # fmt: skip


def _price(model: str, tokens_in: int, tokens_out: int) -> float | None:
    """US dollars by litellm's own price list, without its caches' rebates; None for a model that is not in it."""
    from graphdream.dreamers.client.loading import load_litellm

    if not tokens_in:
        return 0.0
    try:
        prices = load_litellm().cost_per_token(model=model, prompt_tokens=tokens_in, completion_tokens=tokens_out)
    except Exception:  # a model without a price; litellm has several errors for it
        return None
    return round(float(sum(prices)), 6)
