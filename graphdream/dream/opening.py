"""Put a dreamer together from an agent's settings: the local one, or a model beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphdream.clock import Clock
from graphdream.dream.exchanges import StoredNotebook
from graphdream.dream.history import past_passes
from graphdream.dream.judge import foresee
from graphdream.dreamers.asking.agenda import Limits
from graphdream.dreamers.asking.answers import Desk
from graphdream.dreamers.asking.looks import Looks
from graphdream.dreamers.client.base import Client, Message, Reply, Tool
from graphdream.dreamers.client.ledgered import LedgeredClient
from graphdream.dreamers.hybrid import HybridDreamer
from graphdream.dreamers.local import LocalDreamer
from graphdream.dreamers.model import Asking, ModelDreamer
from graphdream.dreamers.prompt.directive import read_directive, read_identity
from graphdream.dreamers.prompt.preamble import Standing
from graphdream.events.tokens import default_tokenizer
from graphdream.graph.store import Store

if TYPE_CHECKING:
    from graphdream.config import Settings

OWN_WORDS_TOKENS = 500  # around the messages of a call: roles, marks, what a provider adds


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for beyond the settings.

    Attributes:
        model: as litellm names it.
        budget_tokens: of the whole pass; None: no bound.
        max_false_merge_rate: of what is decided without a model.
        thorough: show the model the whole graph.
    """

    model: str
    max_false_merge_rate: float
    budget_tokens: int | None = None
    thorough: bool = False


class Uncalled:
    """A client for estimates: it counts as every count of this program does, and is never asked."""

    def __init__(self, model: str, window: int) -> None:
        self.model, self._window = model, window
        self._tokenizer = default_tokenizer()

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None, tools: Sequence[Tool] = (),
        max_tokens: int = 8192,
    ) -> Reply:  # fmt: skip
        """Raises RuntimeError: an estimate asks nobody."""
        raise RuntimeError("an estimate asked a model")

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return self._tokenizer.count(text)

    def context_window(self) -> int:
        """As configured."""
        return self._window


def open_hybrid(
    store: Store, client: Client, wish: Wish, settings: Settings, folder: Path | None, *, clock: Clock
) -> HybridDreamer:
    """The hybrid dreamer of an agent.

    Args:
        client: the model; `Uncalled` for an estimate.
        folder: where the agent's identity files and its own DREAMING.md are; None: nowhere.
    """
    dreaming = settings.dreaming
    window = client.context_window()
    max_output = min(dreaming.max_output_tokens, window // 4)
    limits = Limits(
        max_input=min(dreaming.max_input_tokens, window - max_output) - OWN_WORDS_TOKENS,
        max_output=max_output,
        budget=wish.budget_tokens,
        looks=dreaming.looks,
        parallel=dreaming.parallel_calls,
    )
    standing = Standing(
        directive=read_directive(folder),
        identity=read_identity(folder, settings.identity.startup.load),
        past=past_passes(store),
    )
    desk = Desk(
        looks=Looks(store.path, client.count, limits.look_tokens),
        judge=lambda proposals: foresee(store.path, proposals, now=clock(), scratch=store.seal.off),
        notebook=StoredNotebook(store, clock),
    )
    ledger = client.ledger if isinstance(client, LedgeredClient) else None
    asked = ModelDreamer(client, Asking(standing, limits, desk, ledger))
    return HybridDreamer(LocalDreamer(wish.max_false_merge_rate), asked, thorough=wish.thorough)
