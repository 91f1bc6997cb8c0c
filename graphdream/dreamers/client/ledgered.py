"""A client that keeps the books: credentials taken out, the budget asked, requests repeated, all of it written down."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from graphdream.dreamers.client.base import Client, Message, Reply, Tool, Usage
from graphdream.dreamers.client.errors import ProviderError
from graphdream.dreamers.client.ledger import Entry, Ledger
from graphdream.dreamers.client.limits import Gate
from graphdream.dreamers.client.redaction import redact, redact_values
from graphdream.dreamers.client.retrying import RetryPolicy
from graphdream.dreamers.client.speech import beside_text
from graphdream.shown import shown, without_hidden

TOO_MANY = 429  # the status of a provider that is asked too often
LONGEST_HOLD_SECONDS = 120.0  # that one who is asked to wait makes everybody wait
MESSAGE_TOKENS = 4  # around the content of each: its role and its ends (OpenAI cookbook, "how to count tokens": 3 or 4)


class LedgeredClient:
    """Any client, within a ledger.

    Args:
        client: asks once for each call.
        ledger: shared by all calls of a pass, also of several threads.
        what: what this client's calls are for; stands in the ledger.
        retry: when a request that failed is sent again. Each is held against the budget.
        gate: what every request goes through, where a provider allows only so many a minute.

    Attributes:
        entries: what this client sent, request by request; the ledger has those of every client that shares it.
    """

    def __init__(
        self, client: Client, ledger: Ledger, *, what: str = "", retry: RetryPolicy | None = None,
        gate: Gate | None = None,
    ) -> None:  # fmt: skip
        self.model = client.model
        self.ledger = ledger
        self.entries: list[Entry] = []
        self._client, self._what, self._retry = client, what, retry or RetryPolicy()
        self._gate = gate

    def labelled(self, what: str) -> LedgeredClient:
        """The same client in the same ledger, for another purpose."""
        return LedgeredClient(self._client, self.ledger, what=what, retry=self._retry, gate=self._gate)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
        max_tokens: int = 8192,
    ) -> Reply:
        """Ask, and write down every request that was sent for it.

        Raises:
            BudgetError: the call does not fit into what is left; it was not made.
            ProviderError: there is no answer, after all retries.
        """
        sent, redacted = _redacted(messages)
        tokens_in = self.estimate(sent, schema=schema, tools=tools)
        attempt = 0

        def note(usage: Usage, **about: Any) -> None:
            self.entries.append(self.ledger.add(usage, self._what, redacted=redacted, **about))

        def ask() -> Reply:
            nonlocal attempt
            attempt += 1
            with self.ledger.holding(tokens_in + max_tokens):
                try:
                    with self._passing(tokens_in + max_tokens) as settle:
                        reply = self._client.complete(sent, schema=schema, tools=tools, max_tokens=max_tokens)
                        settle(reply.usage.tokens_in + reply.usage.tokens_out)
                except ProviderError as fault:
                    lost = Usage(calls=1, tokens_in=tokens_in, cost=None) if fault.maybe_billed else Usage(calls=1)
                    note(lost, attempts=attempt, model=self.model, error=str(fault))
                    raise
                note(reply.usage, attempts=attempt, model=reply.model)
                return reply

        return self._retry.run(ask)

    @contextmanager
    def _passing(self, tokens: int) -> Iterator[Callable[[int], None]]:
        """Send a request when it is its turn; where the provider asks to wait, everybody does."""
        if self._gate is None:
            yield lambda taken: None
            return
        with self._gate.passing(tokens) as settle:
            try:
                yield settle
            except ProviderError as fault:
                if fault.status == TOO_MANY and fault.retry_after:
                    self._gate.hold_off(min(fault.retry_after, LONGEST_HOLD_SECONDS))
                raise

    def estimate(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> int:
        """Tokens that a call sends, schema and tools included."""
        texts = [text for message in messages for text in _texts(message)]
        if schema is not None or tools:
            texts.append(beside_text(schema, tools))
        return sum(self.count(text) for text in texts) + MESSAGE_TOKENS * len(messages)

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        return self._client.count(text)

    def context_window(self) -> int:
        """How many tokens the model reads in one call."""
        return self._client.context_window()


def _redacted(messages: Sequence[Message]) -> tuple[list[Message], dict[str, int]]:
    counts: Counter[str] = Counter()
    sent = []
    for message in messages:
        content, found = _sendable(message.content)
        counts.update(found)
        calls = []
        for call in message.tool_calls:
            arguments, found = redact_values(call.arguments)
            counts.update(found)
            calls.append(replace(call, arguments=arguments))
        sent.append(replace(message, content=content, tool_calls=tuple(calls)))
    return sent, dict(sorted(counts.items()))


def _sendable(text: str) -> tuple[str, dict[str, int]]:
    """A text as a model reads it: nothing hidden in it, no credential, and none that hidden signs had broken up."""
    plain = shown(text)
    sent, found = redact(plain)
    if plain != text:
        joined, hidden = redact(without_hidden(text))
        if sum(hidden.values()) > sum(found.values()):
            return joined, hidden
    return sent, found


def _texts(message: Message) -> list[str]:
    return [message.content, *(f"{call.name} {_json(call.arguments)}" for call in message.tool_calls)]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)
