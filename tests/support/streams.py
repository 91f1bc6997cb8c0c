"""Answers of two providers as streams of server-sent events, made from the same answer as one body."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

PIECE, MOST_PIECES = 1_000, 200  # characters of one delta, of how many deltas; a short text comes in three


def pieces(text: str) -> list[str]:
    """A text in the parts in which it comes."""
    step = max(1, min(PIECE, -(-len(text) // 3)), len(text) // MOST_PIECES)
    return [text[at : at + step] for at in range(0, len(text), step)]


def openai_events(body: dict[str, Any]) -> Iterator[str]:
    """`chat.completion.chunk` events, the usage in one of its own, and the mark of the end."""
    (choice,) = body["choices"]
    message = choice["message"]
    head = {"id": body["id"], "object": "chat.completion.chunk", "created": 1, "model": body["model"]}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        return _data({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield chunk({"role": "assistant", "content": ""})
    for part in pieces(message.get("content") or ""):
        yield chunk({"content": part})
    if message.get("refusal"):
        yield chunk({"refusal": message["refusal"]})
    for number, call in enumerate(message.get("tool_calls") or ()):
        named = {"index": number, "id": call["id"], "type": "function"}
        yield chunk({"tool_calls": [{**named, "function": {"name": call["function"]["name"], "arguments": ""}}]})
        for part in pieces(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": number, "function": {"arguments": part}}]})
    yield chunk({}, choice["finish_reason"])
    if body.get("usage"):
        yield _data({**head, "choices": [], "usage": body["usage"]})
    yield "data: [DONE]\n\n"


def anthropic_events(body: dict[str, Any]) -> Iterator[str]:
    """The events of a message: its start, each block in deltas, why it stopped, its end."""
    usage = body["usage"]
    start = {**body, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield _event({"type": "message_start", "message": start})
    yield _event({"type": "ping"})
    for number, block in enumerate(body["content"]):
        if block["type"] == "text":
            yield _event(
                {"type": "content_block_start", "index": number, "content_block": {"type": "text", "text": ""}}
            )
            deltas: list[dict[str, Any]] = [{"type": "text_delta", "text": part} for part in pieces(block["text"])]
        else:
            yield _event({"type": "content_block_start", "index": number, "content_block": {**block, "input": {}}})
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in pieces(json.dumps(block["input"]))]
        for delta in deltas:
            yield _event({"type": "content_block_delta", "index": number, "delta": delta})
        yield _event({"type": "content_block_stop", "index": number})
    stop = {"stop_reason": body["stop_reason"], "stop_sequence": None}
    yield _event({"type": "message_delta", "delta": stop, "usage": {"output_tokens": usage["output_tokens"]}})
    yield _event({"type": "message_stop"})


def events_of(body: dict[str, Any]) -> list[str]:
    """The stream of a body of either protocol."""
    return list(openai_events(body) if "choices" in body else anthropic_events(body))


def _event(value: dict[str, Any]) -> str:
    return f"event: {value['type']}\n{_data(value)}"


def _data(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value)}\n\n"
