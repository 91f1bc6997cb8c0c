"""A client that answers what a test tells it to, and keeps what it was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphdream.dreamers.client.base import Message, Reply, Tool, Usage
from graphdream.events.tokens import EstimatingTokenizer


class ScriptedClient:
    """Gives its replies in order; an exception among them is raised."""

    model = "scripted/one"

    def __init__(self, *replies: Reply | str | Exception) -> None:
        self._replies = list(replies)
        self.sent: list[list[Message]] = []

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
        max_tokens: int = 8192,
    ) -> Reply:
        self.sent.append(list(messages))
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, str):
            return Reply(reply, "stop", self.model, Usage(1, 100, self.count(reply), 0, 0.001))
        return reply

    def count(self, text: str) -> int:
        return EstimatingTokenizer().count(text)

    def context_window(self) -> int:
        return 100_000
