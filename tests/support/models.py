"""Models that answer what a test tells them to, through the client's own interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphdream.dreamers.client.base import Finish, Message, Reply, Tool, ToolCall, Usage
from graphdream.events.tokens import default_tokenizer

Answer = str | dict[str, Any] | Reply | Exception
Script = Callable[[Sequence[Message]], Answer] | Sequence[Answer]


def said(*mutations: dict[str, Any], summary: str = "as scripted") -> dict[str, Any]:
    """An answer that proposes these mutations."""
    return {"mutations": list(mutations), "summary": summary}


def looking(name: str, **arguments: Any) -> Reply:
    """A reply that looks something up."""
    return Reply("", "tools", "scripted/model", Usage(1, 10, 5), (ToolCall("call-1", name, arguments),))


class ScriptedClient:
    """Answers by a function of the messages, or one answer after another; remembers what it was sent.

    Attributes:
        sent: the messages of each call, in the order in which they came.
    """

    model = "scripted/model"

    def __init__(self, script: Script = (), *, window: int = 200_000, finish: Finish = "stop") -> None:
        self._script, self._window, self._finish = script, window, finish
        self._tokenizer = default_tokenizer()
        self._lock = threading.Lock()
        self.sent: list[Sequence[Message]] = []
        self.tools: list[Sequence[Tool]] = []

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None, tools: Sequence[Tool] = (),
        max_tokens: int = 8192,
    ) -> Reply:  # fmt: skip
        with self._lock:
            number = len(self.sent)
            self.sent.append(tuple(messages))
            self.tools.append(tools)
        answer = self._script(messages) if callable(self._script) else self._script[number]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Reply):
            return answer
        text = answer if isinstance(answer, str) else json.dumps(answer)
        sent = json.dumps(schema, separators=(",", ":")) + "".join(message.content for message in messages)
        sent += json.dumps([[tool.name, tool.description, dict(tool.parameters)] for tool in tools]) if tools else ""
        return Reply(text, self._finish, self.model, Usage(1, self.count(sent), self.count(text), 0, 0.001))

    def count(self, text: str) -> int:
        return self._tokenizer.count(text)

    def context_window(self) -> int:
        return self._window

    def prompt(self, number: int = -1) -> str:
        """The messages of a call as one text."""
        return "\n".join(f"[{message.role}]\n{message.content}" for message in self.sent[number])
