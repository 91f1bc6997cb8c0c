"""What a client may read without a tool, and prompts for a person to choose from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError

from graphdream.errors import NotFoundError
from graphdream.graph.rows import row_number
from graphdream.interfaces.damage import Damage
from graphdream.interfaces.mcp.answering import Answering
from graphdream.interfaces.mcp.tools import pass_text
from graphdream.interfaces.output import json_text
from graphdream.library import Graph
from graphdream.shown import shown

_PASSES_LISTED = 100


def add_resources(server: MCPServer[Any], answering: Answering) -> None:
    """Passes, categories, one pass, one entity."""

    async def read(work: Callable[[Graph], str]) -> str:
        try:
            return shown(await answering.ask(work))
        except ToolError as fault:
            if isinstance(fault.__cause__, NotFoundError):
                raise ResourceNotFoundError(str(fault)) from fault
            raise ResourceError(str(fault)) from fault

    @server.resource("graphdream://passes", title="Passes", mime_type="application/json")
    async def passes() -> str:
        """The newest passes: number, kind, when, what they did."""
        return await read(_passes_json)

    @server.resource("graphdream://categories", title="Categories", mime_type="application/json")
    async def categories() -> str:
        """Every category of the memory with its number of facts."""
        return await read(lambda graph: json_text(graph.categories(), indent=1))

    @server.resource("graphdream://passes/{number}", title="A pass", mime_type="text/plain")
    async def one_pass(number: str) -> str:
        """What one pass changed."""
        pass_id = row_number(number)
        if pass_id is None:
            raise ResourceNotFoundError(f"{number!r} is no number of a pass; graphdream://passes lists them")
        return await read(lambda graph: _with_warnings(graph, lambda: pass_text(graph, pass_id)))

    @server.resource("graphdream://entities/{reference}", title="An entity", mime_type="text/plain")
    async def entity(reference: str) -> str:
        """What is known of one entity, by its handle or its name."""
        return await read(lambda graph: _with_warnings(graph, lambda: graph.entity(reference).text()))


def _with_warnings(graph: Graph, make: Callable[[], str]) -> str:
    damage = Damage(graph.store)
    text = make()
    return "\n".join([text.removesuffix("\n"), *(f"warning: {words}" for words in damage.words())])


def _passes_json(graph: Graph) -> str:
    newest = graph.passes()[-_PASSES_LISTED:][::-1]
    rows = [{"pass": one.id, "kind": one.kind, "status": one.status, "at": one.started_at, "summary": one.summary,
             "undone_by": one.undone_by} for one in newest]  # fmt: skip
    return json_text(rows, indent=1)


def add_prompts(server: MCPServer[Any]) -> None:
    """Ask what is known, look over the last dream, keep what matters of a session."""

    @server.prompt(title="What do you know about …?")
    def what_is_known(topic: str) -> str:
        """What the memory holds about a topic, with its sources."""
        return (
            f"Call the tool `recall` with the question {json_text(topic)}, then tell in a few"
            " sentences what is known, with the handles of the facts in brackets. Say what contradicts, and what is not"
            " known."
        )

    @server.prompt(title="Look over the last dream")
    def review_last_dream() -> str:
        """Go through what the last dream changed, and take it back if it is wrong."""
        return (
            "Read the resource graphdream://passes, find the newest pass of kind dream that was applied, and read"
            " graphdream://passes/NUMBER. Tell the user in a few lines what it changed, name what looks wrong, and ask"
            " before you call the tool `undo`."
        )

    @server.prompt(title="Remember this session")
    def remember_session() -> str:
        """Keep what will still matter from the conversation so far."""
        return (
            "Go through our conversation. For each fact that will still matter in a later session (who and what,"
            " preferences, decisions, deadlines, rules) call the tool `remember` once, one sentence with names instead"
            " of pronouns; set `told_by_user` only for what I said myself. Leave out what was only true for the moment."
        )
