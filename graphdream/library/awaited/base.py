"""Methods of `graphdream.library.base`, to be awaited. `tools/awaited.py` writes this from those."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

import graphdream

T = TypeVar("T")


class Memory(ABC):
    """What each part stands on."""

    @abstractmethod
    async def call(self, function: Callable[[graphdream.Graph], T]) -> T:
        """Run a function with the `Graph` on its thread, for what takes several calls."""

    @abstractmethod
    def _opened(self) -> graphdream.Graph:
        """The `Graph`, while it is open."""

    async def settings(self) -> graphdream.Settings:
        """The agent's settings: defaults, agent.yaml, environment. Raises ConfigError, naming every wrong key."""
        return await self.call(lambda graph: graph.settings())
