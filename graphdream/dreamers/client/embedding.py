"""Vectors from an endpoint, through litellm: credentials taken out, requests repeated and written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from graphdream.config import Settings
from graphdream.dreamers.client.base import Usage
from graphdream.dreamers.client.deadline import within
from graphdream.dreamers.client.errors import ClientError, ProviderError
from graphdream.dreamers.client.faults import provider_error
from graphdream.dreamers.client.ledger import Ledger
from graphdream.dreamers.client.loading import load_litellm
from graphdream.dreamers.client.opening import check_model
from graphdream.dreamers.client.redaction import redact
from graphdream.dreamers.client.retrying import RetryPolicy
from graphdream.events.tokens import default_tokenizer
from graphdream.recall.vectors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What the strictest of the large providers takes in one request (Cohere: 96 texts; OpenAI: 300,000 tokens in 2,048),
# and what the shortest of the usual models reads of one text (512 tokens), about 2,000 characters of English.
MOST_TEXTS = 96
MOST_CHARACTERS = 2_000
TIMEOUT_SECONDS = 60.0  # a question waits for its vector; a batch takes seconds


class LiteLLMEmbedder:
    """Any embedding model that litellm knows; an `Embedder` of graphdream.recall.vectors.

    Args:
        model: `provider/model`, as litellm names it. Keys and addresses come from its environment variables.
        ledger: where each request is written down; its budget is asked before.
        retry: when a request that failed is sent again.
    """

    def __init__(self, model: str, *, ledger: Ledger | None = None, retry: RetryPolicy | None = None) -> None:
        self.name = model
        self.ledger = ledger or Ledger()
        self._retry = retry or RetryPolicy(attempts=3, patience_seconds=20.0)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `graphdream.recall.vectors.Embedder.embed`; a blank text is not sent. Long texts are read in part.

        Raises:
            EmbeddingError: the endpoint gave no vectors, or the budget does not reach for them.
        """
        import numpy as np

        redacted: Counter[str] = Counter()
        sent: dict[int, str] = {}
        for at, text in enumerate(texts):
            clean, found = redact(text)
            redacted.update(found)
            if clean.strip():
                sent[at] = clean[:MOST_CHARACTERS]
        rows: dict[int, Sequence[float]] = {}
        try:
            for batch in _batches(list(sent)):
                vectors = self._retry.run(partial(self._asked, [sent[at] for at in batch], Counter(redacted)))
                rows.update(zip(batch, vectors, strict=True))
                redacted.clear()  # counted with the first request
        except ClientError as fault:
            raise EmbeddingError(f"{self.name} gave no vectors: {fault}", fault.hint) from fault
        width = len(next(iter(rows.values()), ()))
        if any(len(row) != width for row in rows.values()):
            raise EmbeddingError(f"{self.name} gave vectors of different lengths")
        values = np.zeros((len(texts), width), dtype=np.float32)
        for at, row in rows.items():
            values[at] = row
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
        sound = np.isfinite(lengths) & (lengths > 0)
        unit: NDArray[np.float32] = np.divide(values, lengths, out=np.zeros_like(values), where=sound)
        return unit

    def _asked(self, texts: list[str], redacted: Counter[str]) -> list[list[float]]:
        """Send one request and write it down."""
        tokens = sum(default_tokenizer().count(text) for text in texts)
        note = partial(self.ledger.add, what=f"embedding of {len(texts)} texts", model=self.name, redacted=redacted)
        with self.ledger.holding(tokens):
            try:
                response = within(TIMEOUT_SECONDS, partial(self._send, texts))
                vectors = _vectors(response, len(texts))
            except Exception as fault:
                error = fault if isinstance(fault, ProviderError) else provider_error(fault)
                billed = tokens if error.maybe_billed else 0
                note(Usage(1, billed, cost=None if billed else 0.0), error=str(error))
                raise error from fault
            note(Usage(1, _told(response) or tokens, cost=self._cost(response)))
        return vectors

    def _send(self, texts: list[str]) -> Any:
        return load_litellm().embedding(
            model=self.name, input=texts, timeout=TIMEOUT_SECONDS, num_retries=0, max_retries=0, drop_params=True,
            encoding_format="float",
        )  # fmt: skip

    def _cost(self, response: Any) -> float | None:
        try:
            return float(load_litellm().completion_cost(completion_response=response, model=self.name))
        except Exception:  # a model without a price; litellm has several errors for it
            return None


def open_embedder(settings: Settings) -> LiteLLMEmbedder | None:
    """The embedder that the settings name, None where they name none; nobody is called.

    Raises:
        UnknownModelError: there is no such provider.
        MissingKeyError: the variable that holds the provider's key is not set.
    """
    model = settings.memory.recall.embedding_model
    if model is None:
        return None
    check_model(model)
    return LiteLLMEmbedder(model)


def _batches(places: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(places), MOST_TEXTS):
        yield places[start : start + MOST_TEXTS]


def _vectors(response: Any, wanted: int) -> list[list[float]]:
    """The vectors of a response, in the order of the texts.

    Raises:
        ProviderError: it is no such response.
    """
    try:
        rows = sorted(response.data, key=lambda row: row["index"])
        vectors = [[float(value) for value in row["embedding"]] for row in rows]
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        raise ProviderError("the provider's answer is not one", retryable=True, maybe_billed=True) from fault
    if len(vectors) != wanted or not all(vectors):
        raise ProviderError(f"{wanted} vectors were asked for, and {len(vectors)} came", maybe_billed=True)
    return vectors


def _told(response: Any) -> int:
    value = getattr(getattr(response, "usage", None), "prompt_tokens", None)
    return value if isinstance(value, int) and value > 0 else 0
