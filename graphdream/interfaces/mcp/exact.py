"""A tool that takes the arguments it has, and no others, and says in words what is wrong with one.

A protocol library that passes over what it does not know turns a slip of a model into another meaning: a fact that the
user told, said with `by` instead of `told_by_user`, would be kept as an observation, and nobody would hear of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from reprlib import Repr
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import ValidationError

from graphdream.shown import shown

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MOST_TOLD = 5
_given = Repr()  # of a value that may be a whole document
_ELSEWHERE = {
    "by": "told_by_user", "authority": "told_by_user", "text": "fact", "content": "fact", "path": "category",
    "query": "question", "limit": "k", "include_superseded": "superseded", "budget": "budget_tokens",
    "session_id": "session", "first": "what", "second": "other", "pass": "pass_id", "number": "pass_id",
}  # fmt: skip
"""How the library, the command line and other memories call an argument, and how the tools do."""


class ExactTool(Tool):
    """A tool whose schema allows no further arguments, and which says of one what was meant."""

    def model_post_init(self, context: Any, /) -> None:
        """Say in the schema what `run` holds to."""
        super().model_post_init(context)
        self.parameters["additionalProperties"] = False

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        """Run the tool. Raises ToolError where an argument is none of its own, missing or wrong, and as `Tool.run`."""
        takes = list(self.parameters.get("properties", {}))
        if unknown := [name for name in arguments if name not in takes]:
            raise ToolError(shown(f"{self.name} has no argument {_meant(unknown[:_MOST_TOLD], takes)}"))
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as fault:
            told = "; ".join(self._told(one) for one in fault.errors(include_url=False)[:_MOST_TOLD])
            raise ToolError(shown(f"{self.name}: {told}")) from None
        return await super().run(arguments, context, convert_result)

    def _told(self, fault: ErrorDetails) -> str:
        """What is wrong with an argument, what was given, and what belongs there."""
        name = str(fault["loc"][0])
        wanted = self.parameters["properties"][name].get("description", "")
        if fault["type"] == "missing":
            return f"`{name}` is missing: {wanted}"
        message = fault["msg"].removeprefix("Input ")
        return f"`{name}` {message[:1].lower()}{message[1:]}, and is {_given.repr(fault['input'])}: {wanted}"


def _meant(unknown: Iterable[str], takes: list[str]) -> str:
    """The arguments that were not known, each with the one that was meant, and what there is."""
    told = []
    for name in unknown:
        near = [_ELSEWHERE[name]] if _ELSEWHERE.get(name) in takes else get_close_matches(name, takes, n=1)
        told.append(f"`{name:.60}`" + (f" (it is called `{near[0]}`)" if near else ""))
    return f"{', '.join(told)}; it takes {', '.join(f'`{name}`' for name in takes) or 'none'}"
