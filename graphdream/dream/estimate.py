"""What a pass with a model would take, before anything is spent; nobody is asked and nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.dream.exchanges import StoredNotebook
from graphdream.dream.experience import PLANNED, experiences
from graphdream.dream.gather import gather, unread_sessions
from graphdream.dreamers.asking.agenda import task_of
from graphdream.dreamers.asking.exchange import digest_of
from graphdream.dreamers.hybrid import HybridDreamer
from graphdream.graph.store import Store

EMPTY_TOKENS = 14  # of an answer that changes nothing and says so
LONGEST_ANSWERS = 3  # how many times as long as expected answers are within `high`


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a pass would take.

    Attributes:
        calls: how often the model would be asked.
        tokens_in: sent, schemas included.
        tokens_out: expected back.
        low: tokens where every answer changes nothing.
        high: tokens where each answer is three times as long as expected. A provider's own way of counting, looks and
            corrections come on top, as far as `learned_from` does not know.
        learned_from: how many past calls of the model it rests on besides the plan.
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
    low: int = 0
    high: int = 0
    learned_from: int = 0
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
            "cost": self.cost, "low": self.low, "high": self.high, "learned_from": self.learned_from,
            "tokens_in": self.tokens_in, "tokens_out": self.tokens_out, "figures": self.figures,
            "left": list(self.left),
        }  # fmt: skip


def estimate(
    store: Store, dreamer: HybridDreamer, *, mode: str, model: str, reads: bool | None = None, clock: Clock = utc_now
) -> Estimate:
    """Plan a pass and add it up; what an interrupted one has on record is not asked, and not paid for, again.

    Args:
        reads: whether the pass reads the unread sessions; None: an incremental one does.
    """
    wanted = mode == "incremental" if reads is None else reads
    sessions = unread_sessions(store, left_open=True) if wanted else []
    agenda = dreamer.plan(gather(store, mode=mode, now=clock(), sessions=sessions))
    notebook = StoredNotebook(store, clock)
    open_calls = [call for call in agenda.calls if notebook.find(digest_of(model, call)) is None]
    known = experiences(store.connection, model, dreamer.count, open_calls)
    went = [(call, known.get(task_of(call.what), PLANNED)) for call in open_calls]
    tokens_in = round(sum(call.tokens_in * past.sent for call, past in went))
    tokens_out = round(sum(call.tokens_out * past.answered for call, past in went))
    figures = {
        "sessions": len({key for call in agenda.calls for key in call.sessions}),
        "sessions_left": len(agenda.unread),
        **agenda.figures,
    }
    if len(open_calls) < len(agenda.calls):
        figures["calls_resumed"] = len(agenda.calls) - len(open_calls)
    return Estimate(
        mode=mode, model=model, calls=len(open_calls), tokens_in=tokens_in, tokens_out=tokens_out,
        cost=_price(model, tokens_in, tokens_out), low=tokens_in + EMPTY_TOKENS * len(open_calls),
        high=tokens_in + LONGEST_ANSWERS * tokens_out, learned_from=sum(past.calls for past in known.values()),
        figures=figures, left=tuple(agenda.left),
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
