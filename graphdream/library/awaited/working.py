"""Methods of `WorkingMemory`, to be awaited. `tools/awaited.py` writes this from those."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import graphdream
from graphdream.library.awaited.base import Memory
from graphdream.views.working import DEFAULT_TTL_SECONDS, Note


class AwaitedWorkingMemory:
    """The methods of `WorkingMemory` with the same parameters; each runs on the memory's own thread."""

    def __init__(self, memory: Memory, held: graphdream.WorkingMemory) -> None:
        self._memory, self._held = memory, held
        self.namespace = held.namespace

    async def put(
        self,
        key: str,
        value: str,
        *,
        ttl_seconds: float = DEFAULT_TTL_SECONDS,
        category: str = "",
        tags: Iterable[str] = (),
    ) -> Note:
        """Write a note into one's own namespace; one under the same key is replaced.

        Raises:
            UsageError: the key lies in another namespace or is blank, the value is too long, or the time to live is
                not positive.
            ConflictError: the namespace is full.
        """
        return await self._memory.call(
            lambda graph: self._held.put(key, value, ttl_seconds=ttl_seconds, category=category, tags=tags)
        )

    async def get(self, key: str) -> Note:
        """Read a note: by its plain key in one's own namespace, by its full key in any.

        Raises:
            NotFoundError: there is none, or it has expired.
            IntegrityError: there is one, and it is not what was sealed.
            UsageError: the key is blank.
        """
        return await self._memory.call(lambda graph: self._held.get(key))

    async def list(self, prefix: str = "") -> Sequence[Note]:
        """Notes of one's own namespace, or of everything below a prefix (`patrol`, `subagent/t1`), by key."""
        return await self._memory.call(lambda graph: self._held.list(prefix))

    async def search(
        self, query: str = "", *, category: str = "", tags: Iterable[str] = (), prefix: str = ""
    ) -> Sequence[Note]:
        """Notes that have any word of a query, those with most of them first, then by key.

        Args:
            query: words; none finds every note.
            category: only notes of it.
            tags: only notes that bear all of them.
            prefix: where to look; one's own namespace without one, everywhere with "/".
        """
        return await self._memory.call(
            lambda graph: self._held.search(query, category=category, tags=tags, prefix=prefix)
        )

    async def drop(self, key: str) -> None:
        """Remove a note of one's own namespace. Raises as `put` and `get`."""
        return await self._memory.call(lambda graph: self._held.drop(key))

    async def inventory(self) -> Sequence[str]:
        """What a prompt is told: one's own notes and, in a user's session, what patrols have left. No values."""
        return await self._memory.call(lambda graph: self._held.inventory())
