"""Ask a model what a pass wants to know: one question, one answer of the pass's own form, one repair, on record."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from pydantic import BaseModel

from graphdream.dream.exchanges import StoredNotebook
from graphdream.dreamers.asking.exchange import Ending, Exchange, Notebook
from graphdream.dreamers.client.base import Client, Message, Reply, Usage, total
from graphdream.dreamers.client.errors import ClientError, ProviderError
from graphdream.dreamers.client.fencing import FENCE_RULE, fenced
from graphdream.dreamers.client.ledgered import LedgeredClient
from graphdream.errors import GraphdreamError
from graphdream.passes.answers import UnreadableAnswerError, read_answer
from graphdream.passes.protocol import PassKind, Question
from graphdream.passes.registry import Directive, schema_of

FORM = "Answer with one JSON object of this JSON Schema, and nothing else. Leave out what you do not change."
MOST_OUT = 8_192
Judge = Callable[[BaseModel], tuple[list[str], int]]
"""What a model could mend in an answer, in words; and how many of its items count as they are."""
_KEPT = 300  # characters of an answer that nobody could read, for the record


class NoAnswerError(GraphdreamError):
    """The model answered, and nothing of it could be used."""

    exit_code = 7


@dataclass(frozen=True, slots=True)
class Asked:
    """What came back: the answer, and the conversation as it is on record."""

    answer: BaseModel
    exchange: Exchange


def messages_for(kind: PassKind, directive: Directive, question: Question) -> tuple[Message, ...]:
    """The prompt of a pass: what never changes first, so that a provider may cache it."""
    form = json.dumps(_shorter(schema_of(kind)), ensure_ascii=False, separators=(",", ":"))
    standing = "\n\n".join((directive.text, FENCE_RULE, FORM, form))
    asked = "\n\n".join(f"{heading}\n{fenced(material)}" for heading, material in question.parts)
    return (Message("system", standing, cache=True), Message("user", asked))


def _shorter(schema: Any) -> Any:
    """A schema without what says nothing beside the names: titles, and defaults of what may be left out."""
    if isinstance(schema, list):
        return [_shorter(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    named = ("properties", "$defs")  # below these, a key is a name
    return {
        key: {name: _shorter(part) for name, part in value.items()} if key in named else _shorter(value)
        for key, value in schema.items()
        if key not in ("title", "default")
    }


def ask(
    client: Client, kind: PassKind, directive: Directive, question: Question, notebook: Notebook,
    *, most_in: int, judge: Judge | None = None,
) -> Asked:  # fmt: skip
    """Ask, once, and once more where the answer cannot be read or `judge` finds fault with it.

    Args:
        most_in: tokens that the prompt may have.
        judge: what a model could mend in an answer, and how much of it counts.

    Raises:
        ClientError: there is no answer, or the budget has no room for one.
        NoAnswerError: the answer cannot be used; it is on record.
        GraphdreamError: the prompt is longer than it may be.
    """
    assert kind.answer is not None
    messages = messages_for(kind, directive, question)
    tokens = sum(client.count(message.content) for message in messages)
    if tokens > most_in:
        raise GraphdreamError(
            f"the question has {tokens:,} tokens; {most_in:,} are allowed", "memory.cycle.promptTokens sets the bound"
        )
    digest = _digest(client.model, messages)
    found = notebook.find(digest)
    if found is not None:
        return Asked(kind.answer.model_validate(found.items[0][0]), found)
    own = client.labelled(f"pass {kind.name}") if isinstance(client, LedgeredClient) else client
    talk = _Talk(own, kind, messages)
    try:
        answer, ended = talk.held(judge)
    except ClientError as fault:
        if talk.usages or not isinstance(fault, ProviderError) or fault.maybe_billed:
            notebook.keep(_sent(own, talk.exchange(digest, "failed", None, str(fault))))
        raise
    exchange = _sent(own, talk.exchange(digest, ended, answer, "" if answer else talk.why))
    notebook.keep(exchange)
    if answer is None:
        raise NoAnswerError(f"{exchange.model}: {ended}: {talk.why}", "graphdream cycle --only asks again")
    return Asked(answer, exchange)


def reread(kind: PassKind, exchange: Exchange, judge: Judge) -> BaseModel | None:
    """The answer of a conversation on record, read from the model's own words under today's rules.

    Returns:
        None where nothing of what it said can be read today, or where it was too long to be kept whole.
    """
    assert kind.answer is not None
    best, most = None, -1
    for message in exchange.messages[exchange.prompt_messages :]:
        if message.role != "assistant":
            continue
        try:
            answer = read_answer(message.content, kind.answer)
        except UnreadableAnswerError:
            continue
        valid = judge(answer)[1]
        if valid >= most:
            best, most = answer, valid
    return best


class _Talk:
    """One conversation."""

    def __init__(self, client: Client, kind: PassKind, prompt: tuple[Message, ...]) -> None:
        self._client, self._kind, self._prompt = client, kind, prompt
        self._messages, self._model = list(prompt), client.model
        self.usages: list[Usage] = []
        self.why = ""
        self._faults = 0

    def held(self, judge: Judge | None) -> tuple[BaseModel | None, Ending]:
        answer, ended, faults, valid = self._once(judge)
        if ended == "refused" or not faults:
            return answer, ended
        self._faults = len(faults)
        asked = "Your answer cannot be used as it is:\n" + "\n".join(f"- {fault}" for fault in faults[:20])
        self._messages.append(Message("user", f"{asked}\nAnswer again, whole, with one JSON object."))
        try:
            second, ended_then, _, valid_then = self._once(judge)
        except ClientError:
            if answer is None:
                raise
            return answer, ended  # what is right in the first answer counts without its repair
        # A repair that drops what was right is none.
        better = second is not None and (answer is None or valid_then >= valid)
        return (second, ended_then) if better else (answer, ended)

    def _once(self, judge: Judge | None) -> tuple[BaseModel | None, Ending, list[str], int]:
        assert self._kind.answer is not None
        reply: Reply = self._client.complete(self._messages, schema=schema_of(self._kind), max_tokens=MOST_OUT)
        self.usages.append(reply.usage)
        self._model = reply.model
        kept = reply.text if len(reply.text) <= 200_000 else reply.text[:_KEPT] + " […]"
        self._messages.append(Message("assistant", kept))
        if reply.finish == "refusal":
            self.why = reply.text[:_KEPT]
            return None, "refused", [], 0
        try:
            answer = read_answer(reply.text, self._kind.answer, cut=reply.finish == "length")
        except UnreadableAnswerError as fault:
            self.why = str(fault)
            return None, "cut" if reply.finish == "length" else "unreadable", [str(fault)], 0
        return answer, "answered", *(judge(answer) if judge is not None else ([], 0))

    def exchange(self, digest: str, ended: Ending, answer: BaseModel | None, why: str) -> Exchange:
        items: tuple[tuple[dict[str, Any], str], ...] = ()
        if answer is not None:
            items = ((answer.model_dump(mode="json", by_alias=True), ""),)
        return Exchange(
            digest=digest, what=f"pass {self._kind.name}", model=self._model, messages=tuple(self._messages),
            prompt_messages=len(self._prompt), items=items, summary=str(getattr(answer, "summary", "")) or why,
            usage=total(self.usages), ended=ended, attempts=len(self.usages), faults=self._faults,
        )  # fmt: skip


def _sent(client: Client, exchange: Exchange) -> Exchange:
    if not isinstance(client, LedgeredClient):
        return exchange
    return replace(exchange.sent(client.entries), attempts=exchange.attempts)


def _digest(model: str, messages: tuple[Message, ...]) -> str:
    said = json.dumps([model, [[message.role, message.content] for message in messages]], ensure_ascii=False)
    return blake2b(said.encode(), digest_size=16).hexdigest()


__all__ = ["Asked", "NoAnswerError", "StoredNotebook", "ask", "messages_for", "reread"]
