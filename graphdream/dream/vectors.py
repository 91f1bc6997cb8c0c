"""Meaning for one agent's memory: its embedder, the vectors that are made with it, and the bill for them."""

from __future__ import annotations

from collections.abc import Callable

from graphdream.clock import Clock, utc_now
from graphdream.config import Settings
from graphdream.dream.exchanges import keep_spending
from graphdream.dreamers.client.embedding import LiteLLMEmbedder, open_embedder
from graphdream.graph.callers import CallersStore
from graphdream.graph.store import Store
from graphdream.recall.embedders import WordLlama
from graphdream.recall.vectors import Meanings, embed_missing


class Vectors(CallersStore):
    """The endpoint that the settings name, else the word vectors of the extra.

    Attributes:
        meanings: to be searched beside words; `meanings.fault` says why the last question was answered by words alone.

    Raises:
        NotFoundError: the settings name no endpoint, and the extra is not installed.
        UnknownModelError, MissingKeyError: there is no such provider, or its key is not set.
    """

    def __init__(self, store: Store | Callable[[], Store], settings: Settings, clock: Clock = utc_now) -> None:
        super().__init__(store)
        self._clock = clock
        embedder = open_embedder(settings)
        self._ledger = embedder.ledger if isinstance(embedder, LiteLLMEmbedder) else None
        self._embedder = embedder or WordLlama()
        self._billed = 0
        self.meanings = Meanings(self._embedder)

    def make(self, limit: int = 10_000) -> int:
        """Make vectors of facts and turns that have none yet, newest first; returns how many.

        Raises:
            EmbeddingError: the endpoint gave none; what was made before is kept.
        """
        try:
            return embed_missing(self._store, self._embedder, limit=limit)
        finally:
            self.bill()

    def bill(self) -> None:
        """Put what was spent since the last time on record; questions cost too, and a question writes nothing."""
        if self._ledger is not None:
            entries = self._ledger.entries[self._billed :]
            self._billed += len(entries)
            keep_spending(self._store, "vectors", entries, self._clock)
