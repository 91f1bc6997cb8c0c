"""What is wrong with a memory while an answer is made of it: for the person who reads that."""

from __future__ import annotations

from graphdream.graph.served import left_out_words
from graphdream.graph.store import Store


class Damage:
    """One look at the file as the answer begins, and what the answer then leaves out."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.seal.left_out.clear()
        self._faults = [str(fault) for fault in store.seal.faults()]

    def words(self) -> list[str]:
        """A line for each fault, and one for all that was left out; [] where the file is sound."""
        left_out = left_out_words(self._store)
        return [*self._faults, left_out] if left_out else self._faults
