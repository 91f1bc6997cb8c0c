"""What a dreamer asks a model through: one call, one reply, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length", "tools", "refusal"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model asks for; `id` names this request in the answer to it."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """`cache`: the prefix up to here is stable and may be cached by the provider."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    cache: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """`parameters`: a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more calls; `cost` in US dollars, None where the price is not known."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float | None = 0.0


def total(usages: Sequence[Usage]) -> Usage:
    """The sum; its cost is None where that of one is not known."""
    costs = [usage.cost for usage in usages]
    return Usage(
        calls=sum(usage.calls for usage in usages),
        tokens_in=sum(usage.tokens_in for usage in usages),
        tokens_out=sum(usage.tokens_out for usage in usages),
        tokens_cached=sum(usage.tokens_cached for usage in usages),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, why it stopped, and what it took."""

    text: str
    finish: Finish
    model: str
    usage: Usage
    tool_calls: tuple[ToolCall, ...] = ()


class Client(Protocol):
    """A model that can be asked."""

    model: str

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
        max_tokens: int = 8192,
    ) -> Reply:
        """Ask once. `schema`: the JSON Schema that the answer is held to, by the provider where it can, else in words.

        Raises:
            ClientError: there is no answer; nothing was changed anywhere.
        """
        ...

    def count(self, text: str) -> int:
        """How many tokens a text has, counted offline."""
        ...

    def context_window(self) -> int:
        """How many tokens the model reads in one call."""
        ...
