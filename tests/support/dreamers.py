"""Dreamers that think what a test tells them to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from graphdream.dreamers.base import Judged, Thought
from graphdream.dreamers.gathered import Gathered
from graphdream.mutations.parse import parse_proposals


class Scripted:
    """Proposes the same mutations whatever it is shown; before it answers, `meanwhile` runs. It is sure that the facts of
    the ids `empty` say nothing."""

    name = "scripted"

    def __init__(
        self,
        *bodies: dict[str, Any],
        reads: Sequence[dict[str, Any]] = (),
        meanwhile: Callable[[], object] = lambda: None,
        empty: Collection[int] = (),
    ) -> None:
        self._bodies, self._reads, self._meanwhile, self._empty = bodies, reads, meanwhile, frozenset(empty)
        self.shown: list[Gathered] = []

    def read(self, gathered: Gathered) -> Thought:
        return Thought(parse_proposals(self._reads))

    def think(self, gathered: Gathered) -> Thought:
        self.shown.append(gathered)
        self._meanwhile()
        return Thought(parse_proposals(self._bodies), "as scripted", judged=Judged(self._empty))


class Failing:
    """Fails whenever it is asked."""

    name = "failing"

    def read(self, gathered: Gathered) -> Thought:
        return Thought(())

    def think(self, gathered: Gathered) -> Thought:
        raise RuntimeError("the model is out of reach")
