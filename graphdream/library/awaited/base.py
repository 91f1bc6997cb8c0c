"""Methods of `graphdream.library.base`, to be awaited. `tools/awaited.py` writes this from those."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from graphdream.config import Settings
    from graphdream.library import Graph


T = TypeVar("T")


class Memory(ABC):
    """What each part stands on."""

    @abstractmethod
    async def call(self, function: Callable[[Graph], T]) -> T:
        """Run a function with the `Graph` on its thread, for what takes several calls."""

    async def settings(self) -> Settings:
        """The agent's settings: defaults, agent.yaml, environment. Raises ConfigError, naming every wrong key."""
        return await self.call(lambda graph: graph.settings())
