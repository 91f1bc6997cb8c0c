"""One conversation with a model about one planned call, as it is kept: for the record, and so that it is held once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Literal, Protocol

from graphdream.dreamers.asking.agenda import PlannedCall
from graphdream.dreamers.asking.deferrals import OP, blockers
from graphdream.dreamers.asking.verdicts import told_of
from graphdream.dreamers.client.base import Message, ToolCall, Usage, total
from graphdream.dreamers.client.errors import ClientError, ProviderError
from graphdream.dreamers.client.ledger import Entry
from graphdream.dreamers.prompt.answer_form import schema_text
from graphdream.mutations.applier import Proposal
from graphdream.mutations.outcome import UNREASONED
from graphdream.mutations.parse import parse_proposals

Ending = Literal["answered", "cut", "refused", "unreadable", "failed"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was asked and answered.

    Attributes:
        digest: of the model and the prompt; the same question of the same model has the same (`digest_of`).
        what: the planned call, in words.
        messages: all of them, the model's and those of its looks too.
        prompt_messages: how many of them were the prompt.
        items: what its verdicts come to, then those of the answer as they came, each with its fault ("" where it is
            right), corrections last, and behind them the questions that were put off.
        summary: the model's own words on what it did.
        ended: "answered"; "cut" at the length limit, "refused" by the model, "unreadable"; or "failed" where no answer
            came, and `summary` says why.
        attempts: answers that were asked for, looks and repair included.
        faults: items that were sent back to be corrected.
        requests: what was sent for it, one entry a request, those that got no answer too; empty without a ledger.
    """

    digest: str
    what: str
    model: str
    messages: tuple[Message, ...]
    prompt_messages: int
    items: tuple[tuple[dict[str, Any], str], ...]
    summary: str
    usage: Usage
    ended: Ending
    attempts: int = 1
    faults: int = 0
    requests: tuple[Mapping[str, Any], ...] = ()

    def proposals(self) -> list[Proposal]:
        """What the answer proposes, under today's rules; what was wrong with an item then is wrong still."""
        return [
            Proposal(body, None, fault, UNREASONED if body.get("op") == OP else "invalid")
            if fault
            else parse_proposals([body])[0]
            for body, fault in self.items
            if fault or body.get("op") != OP
        ]

    def blockers(self) -> dict[str, str]:
        """The questions that were put off, as they were asked, with what each waits for."""
        return blockers(self.items)

    def transcript(self) -> str:
        """What was said after the prompt, as text; then what the numbers of questions in it came to, and how it ended
        where that was not with an answer."""
        lines = []
        for message in self.messages[self.prompt_messages :]:
            lines += [f"[{message.role}]", message.content] if message.content else [f"[{message.role}]"]
            lines += [f"  looks: {call.name}({_json(call.arguments)})" for call in message.tool_calls]
        decided = told_of(self.items)
        lines += ["[decided]", *decided] if decided else []
        lines += [f"[{self.ended}]", self.summary] if self.ended != "answered" else []
        return "\n".join(lines)

    def sent(self, entries: Sequence[Entry]) -> Exchange:
        """The same with every request that was sent for it, repeated ones and those without an answer too, on record
        and on its bill."""
        spent = total([entry.usage for entry in entries])
        return replace(
            self, requests=tuple(entry.as_json() for entry in entries), usage=replace(spent, calls=self.usage.calls)
        )

    def prompt(self) -> str:
        """The prompt as text."""
        return "\n".join(
            line for message in self.messages[: self.prompt_messages] for line in (f"[{message.role}]", message.content)
        )


def failed_exchange(model: str, call: PlannedCall, fault: ClientError) -> Exchange:
    """The record of a call that got no answer; its price is not known where the provider may have worked on it."""
    billed = isinstance(fault, ProviderError) and fault.maybe_billed
    return Exchange(
        digest=digest_of(model, call), what=call.what, model=model, messages=call.messages,
        prompt_messages=len(call.messages), items=(), summary=str(fault), ended="failed",
        usage=Usage(1, call.tokens_in if billed else 0, cost=None if billed else 0.0),
    )  # fmt: skip


class Notebook(Protocol):
    """Where exchanges are kept while a pass runs, so that an interrupted one need not ask again."""

    def find(self, digest: str) -> Exchange | None:
        """An exchange that ended well and belongs to no pass yet."""
        ...

    def keep(self, exchange: Exchange) -> None:
        """Keep an exchange for good, at once."""
        ...


class NoNotebook:
    """Keeps nothing."""

    def find(self, digest: str) -> Exchange | None:
        """None."""
        return None

    def keep(self, exchange: Exchange) -> None:
        """Do nothing."""


def digest_of(model: str, call: PlannedCall) -> str:
    """Name of a question to a model: 32 hexadecimal digits."""
    said = [[message.role, message.content] for message in call.messages]
    return blake2b(_json([model, said, schema_text(call.ops), call.looks]).encode(), digest_size=16).hexdigest()


def messages_to_json(messages: Sequence[Message]) -> str:
    """Messages as they are kept."""
    return _json(
        [
            {
                "role": message.role,
                "content": message.content,
                **({"cache": True} if message.cache else {}),
                **({"tool_call_id": message.tool_call_id} if message.tool_call_id else {}),
                **({"tool_calls": [[call.id, call.name, dict(call.arguments)] for call in message.tool_calls]}
                   if message.tool_calls else {}),
            }
            for message in messages
        ]
    )  # fmt: skip


def messages_from_json(text: str) -> tuple[Message, ...]:
    """Messages that were kept."""
    return tuple(
        Message(
            item["role"], item["content"],
            tuple(ToolCall(*call) for call in item.get("tool_calls", ())),
            item.get("tool_call_id", ""), item.get("cache", False),
        )
        for item in json.loads(text)
    )  # fmt: skip


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else list(value)
