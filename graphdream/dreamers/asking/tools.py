"""The tools that a model is offered for looking around in its graph."""

from __future__ import annotations

from graphdream.dreamers.client.base import Tool


def _tool(name: str, description: str, **parameters: str) -> Tool:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters), "additionalProperties": False}
    return Tool(name, description, schema)


TOOLS: tuple[Tool, ...] = (
    _tool("search", "Facts and turns that answer a question, best first.", query="any words"),
    _tool("entity", "An entity with all its facts, links and other names.", entity="handle or name"),
    _tool("neighbours", "The entities that an entity is linked with.", entity="handle or name"),
    _tool("similar", "Entities whose names or facts are nearest to those of an entity.", entity="handle or name"),
    _tool("session", "What was recorded of a session: its summaries and turns.", key="key of the session"),
    _tool("history", "A fact with where it came from, and what replaced it or was replaced by it.", fact="handle"),
)
