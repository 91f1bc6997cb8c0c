"""The memory behind the server: asked from the loop, answered on threads of its own, its errors said in words."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from mcp.server.mcpserver.exceptions import ToolError

from graphdream.errors import GraphdreamError, NotFoundError
from graphdream.library import Graph
from graphdream.shown import shown

T = TypeVar("T")


_NOTHING_YET = (
    "`remember` makes it, and so does the first session on record; where there should be one, the path in the client's"
    " settings is mistyped"
)


class NoMemoryYetError(NotFoundError):
    """There is no file where the server was told to look, and nothing was told it yet."""


class Served:
    """The memory of a server: opened when it is there, and made by nothing but a tool that is told something. A client
    starts its server whether or not anybody will use it, and a path that was mistyped would leave an empty memory."""

    def __init__(self, opening: Callable[[bool], Graph]) -> None:
        """
        Args:
            opening: opens the memory; told whether it may make the file.
        """
        self._opening = opening
        self._lock = threading.Lock()
        self._graph: Graph | None = None

    def graph(self, *, make: bool = False) -> Graph:
        """The memory. Raises NoMemoryYetError where there is none and none is to be made."""
        with self._lock:
            if self._graph is None:
                try:
                    self._graph = self._opening(make)
                except NotFoundError as fault:
                    raise NoMemoryYetError(f"nothing is remembered yet: {fault}", _NOTHING_YET) from fault
            return self._graph

    def close(self) -> None:
        """Close the file, if it was opened."""
        with self._lock:
            if self._graph is not None:
                self._graph.close()


class Answering:
    """Two threads work: one answers, one dreams, so that recall does not wait for a pass."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._quick = ThreadPoolExecutor(1, "answers")
        self._long = ThreadPoolExecutor(1, "dreams")

    async def ask(
        self, work: Callable[[Graph], T], *, long: bool = False, makes: bool = False,
        without: Callable[[str], T] | None = None,
    ) -> T:  # fmt: skip
        """Do it with the memory, and say in words what is wrong.

        Args:
            long: it may take minutes.
            makes: it brings something in, so that the memory is made where there is none yet.
            without: the answer where there is none yet, from what is said then; None: that is an error.

        Raises:
            ToolError: it cannot be done.
        """
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(
                self._long if long else self._quick, lambda: work(self._served.graph(make=makes))
            )
        except NoMemoryYetError as fault:
            if without is None:
                raise ToolError(in_words(fault)) from fault
            return without(in_words(fault))
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
