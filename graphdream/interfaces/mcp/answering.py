"""The memory behind the server: asked from the loop, answered on threads of its own, its errors said in words."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from mcp.server.mcpserver.exceptions import ToolError

from graphdream.errors import GraphdreamError
from graphdream.library import Graph
from graphdream.shown import shown

T = TypeVar("T")


class Answering:
    """Two threads work: one answers, one dreams, so that recall does not wait for a pass."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._quick = ThreadPoolExecutor(1, "answers")
        self._long = ThreadPoolExecutor(1, "dreams")

    async def ask(self, work: Callable[[Graph], T], *, long: bool = False) -> T:
        """Do it with the memory, and say in words what is wrong. Raises ToolError."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._long if long else self._quick, work, self._graph)
        except GraphdreamError as fault:
            raise ToolError(in_words(fault)) from fault
        except sqlite3.OperationalError as fault:
            if "locked" not in str(fault):
                raise
            raise ToolError("another program is writing to the memory; try again in some seconds") from fault

    def close(self) -> None:
        """Let what is running end."""
        self._quick.shutdown()
        self._long.shutdown()


def in_words(fault: GraphdreamError) -> str:
    """An error with what to do next."""
    return shown(f"{fault}. To mend it: {fault.hint}" if fault.hint else str(fault))
