"""How a call is put to a provider: messages, the schema of the answer, tools; in litellm's form, which is OpenAI's."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from graphdream.dreamers.client.base import Message, Tool, ToolCall
from graphdream.mutations.schema import provider_schema

Mode = Literal["schema", "tool", "text"]
"""How an answer is held to its schema: by the provider, as the arguments of a tool, or in words only."""

ANSWER_TOOL = "answer"
_ANSWER_TOOL_SAYS = "Give the answer; call this once, when there is nothing left to look up."
_IN_WORDS = (
    "Answer with one JSON object and nothing else: no words before or after it, no code fence."
    " It has to be valid against this JSON Schema:\n{schema}"
)
_MOST_CACHE_MARKS = 4  # Anthropic, "Prompt caching": up to four breakpoints in one request


def spoken(
    messages: Sequence[Message], *, mode: Mode, schema: Mapping[str, Any] | None, tools: Sequence[Tool], marks: bool
) -> dict[str, Any]:
    """The arguments of `litellm.completion` that say what is asked.

    Args:
        marks: whether the provider wants stable prefixes marked (Anthropic); others find them by themselves.
    """
    if mode == "text":
        asked = _in_words([_told(message) for message in messages], schema)
        return {"messages": [_message(message, marked) for message, marked in _marked(asked, marks)]}
    call: dict[str, Any] = {"messages": [_message(message, marked) for message, marked in _marked(messages, marks)]}
    offered = [_tool(tool) for tool in tools]
    if schema is not None and mode == "schema":
        strict = {"name": ANSWER_TOOL, "schema": provider_schema(schema), "strict": True}
        call["response_format"] = {"type": "json_schema", "json_schema": strict}
    elif schema is not None:
        offered.append(_tool(Tool(ANSWER_TOOL, _ANSWER_TOOL_SAYS, provider_schema(schema))))
        forced = {"type": "function", "function": {"name": ANSWER_TOOL}}
        call["tool_choice"] = "auto" if tools else forced
    if offered:
        call["tools"] = offered
    return call


def beside_text(schema: Mapping[str, Any] | None, tools: Sequence[Tool]) -> str:
    """What is sent beside the messages, as text; for counting. It is so as structured output; as a tool it is the same
    but for a few words, and in words it stands in a message."""
    said = spoken((), mode="schema", schema=schema, tools=tools, marks=False)
    return _json({name: part for name, part in said.items() if name != "messages"})


def heard(calls: Sequence[Any]) -> tuple[list[ToolCall], str | None]:
    """The tools that a model asks for, and the answer where it gave that as one (`ANSWER_TOOL`).

    Arguments that are no JSON object come as `{"unreadable": text}`, which is no argument of any tool.
    """
    asked, answer = [], None
    for call in calls:
        name, arguments = str(call.function.name or ""), str(call.function.arguments or "")
        if name == ANSWER_TOOL:
            answer = arguments
        else:
            asked.append(ToolCall(str(call.id or ""), name, _arguments(arguments)))
    return asked, answer


def _arguments(text: str) -> Mapping[str, Any]:
    try:
        read = json.loads(text or "{}")
    except (ValueError, RecursionError):
        read = None
    return read if isinstance(read, dict) else {"unreadable": text[:1_000]}


def _marked(messages: Sequence[Message], marks: bool) -> list[tuple[Message, bool]]:
    wanted = [place for place, message in enumerate(messages) if message.cache and marks][-_MOST_CACHE_MARKS:]
    return [(message, place in wanted) for place, message in enumerate(messages)]


def _message(message: Message, marked: bool) -> dict[str, Any]:
    content: Any = message.content
    if marked:
        content = [{"type": "text", "text": message.content, "cache_control": {"type": "ephemeral"}}]
    said: dict[str, Any] = {"role": message.role, "content": content}
    if message.tool_calls:
        said["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _json(call.arguments)}}
            for call in message.tool_calls
        ]
    if message.role == "tool":
        said["tool_call_id"] = message.tool_call_id
    return said


def _tool(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _told(message: Message) -> Message:
    """A message without tools, for a provider that knows none: what was looked up stands as text."""
    if message.role == "tool":
        return Message("user", f"What was looked up ({message.tool_call_id}):\n{message.content}", cache=message.cache)
    asked = [f"Look up {call.name} {_json(call.arguments)} ({call.id})" for call in message.tool_calls]
    return Message(message.role, "\n".join(filter(None, [message.content, *asked])), cache=message.cache)


def _in_words(messages: Sequence[Message], schema: Mapping[str, Any] | None) -> list[Message]:
    """The messages with the schema in the first one, where it is part of the prefix that stays the same."""
    if schema is None:
        return list(messages)
    words = _IN_WORDS.format(schema=_json(schema))
    if messages and messages[0].role == "system":
        first = Message("system", f"{messages[0].content}\n\n{words}", cache=messages[0].cache)
        return [first, *messages[1:]]
    return [Message("system", words), *messages]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)
