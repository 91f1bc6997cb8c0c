"""Vetoes: proposals that made recall worse, remembered by what they rest on.

A pass that leaves a harmful proposal out, and forgets that it did, makes the next one propose it again, and whatever
rested on it moves with it. So a veto is put on record, and the dreamer thinks with it from then on: until the
texts or names that it rests on are others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

from graphdream.dreamers.gathered import Gathered
from graphdream.graph.rows import parse_handle
from graphdream.graph.tables import ATTRIBUTE, ENTITY
from graphdream.mutations import model

_PREFIX = "veto "
_RESTS_ON = ("source", "target", "old", "new", "attribute", "entity", "content", "name", "first", "second", "aspect")


class Vetoes:
    """The vetoes on a view, and the fingerprints of proposals about it.

    Args:
        view: what was gathered; its declined fingerprints hold the vetoes.
    """

    def __init__(self, view: Gathered) -> None:
        self._vetoed = frozenset(one for one in view.declined if one.startswith(_PREFIX))
        self._said = {fact.id: fact.content for fact in view.facts}
        self._named = {entity.id: entity.name for entity in view.entities}

    def allowed(self, mutations: Iterable[model.Mutation]) -> list[model.Mutation]:
        """The mutations on which there is no veto."""
        if not self._vetoed:
            return list(mutations)
        return [one for one in mutations if self.fingerprint(one.model_dump()) not in self._vetoed]

    def fingerprint(self, body: Mapping[str, Any]) -> str:
        """What a proposal does and what it rests on: its operation, its rows, and their texts and names."""
        parts: list[object] = [body.get("op")]
        for name in _RESTS_ON:
            value = body.get(name)
            for item in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(item, str):
                    parts += [name, item, self._text(item)]
        digest = blake2b(json.dumps(parts).encode("utf-8", "surrogatepass"), digest_size=16)
        return _PREFIX + digest.hexdigest()

    def _text(self, item: str) -> str:
        parsed = parse_handle(item)
        if parsed is None:
            return ""
        table, number = parsed
        known = self._said if table is ATTRIBUTE else self._named if table is ENTITY else {}
        return known.get(number, "")
