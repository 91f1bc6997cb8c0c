"""Vetoes: proposals that made recall worse, or took away what nothing covers, remembered by what they rest on.

A pass that leaves a harmful proposal out, and forgets that it did, makes the next one propose it again, and whatever
rested on it moves with it. So a veto is put on record, and the dreamer thinks with it from then on: until the
texts or names that it rests on are others.

A merge is vetoed pair by pair. Another list of sources, another direction or a detour by way of a third row would bring
the same two together, so none of them is proposed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import product
from typing import Any, TypeVar, cast

from graphdream.dreamers.gathered import Gathered
from graphdream.graph.rows import parse_handle
from graphdream.graph.tables import ATTRIBUTE, ENTITY
from graphdream.mutations import model

_PREFIX = "veto "
_RESTS_ON = ("source", "target", "old", "new", "attribute", "entity", "content", "name", "first", "second", "aspect")
_MERGES = (model.MergeEntities, model.MergeAttributes, model.Fold, model.MergeLinks)
Kind = TypeVar("Kind", bound=model.Mutation)


class Vetoes:
    """The vetoes on a view, and the fingerprints of proposals about it.

    Args:
        view: what was gathered; its declined fingerprints hold the vetoes.

    Attributes:
        passed_on: fingerprints of pairs that are vetoed because of a row that one of them has absorbed; to be put on
            record too, as that row will not be shown any more.
    """

    def __init__(self, view: Gathered) -> None:
        self._vetoed = frozenset(one for one in view.declined if one.startswith(_PREFIX))
        self._said = {fact.id: fact.content for fact in view.facts}
        self._named = {entity.id: entity.name for entity in view.entities}
        self._members: dict[str, set[str]] = defaultdict(set)  # handle -> those that went into it
        self.passed_on: set[str] = set()

    def allowed(self, mutations: Iterable[Kind]) -> list[Kind]:
        """What of the mutations there is no veto on; a merge without the sources that are to stay apart from it."""
        listed = list(mutations)
        if not self._vetoed:
            return listed
        return [left for left in map(self._left_of, listed) if left is not None]

    def _left_of(self, mutation: Kind) -> Kind | None:
        if not isinstance(mutation, _MERGES):
            return None if self._print(_parts(mutation.model_dump())) in self._vetoed else mutation
        together, left = [mutation.target], list[str]()
        for source in mutation.source:
            if not any(self._is_apart(mutation.op, source, other) for other in together):
                left.append(source)
                together.append(source)
        for source in left:
            self._members[mutation.target] |= {source, *self._members.pop(source, ())}
        if len(left) == len(mutation.source):
            return mutation
        return cast(Kind, mutation.model_copy(update={"source": tuple(left)})) if left else None

    def _is_apart(self, op: str, one: str, other: str) -> bool:
        pairs = product((one, *self._members.get(one, ())), (other, *self._members.get(other, ())))
        found = any(self._pair(op, *pair) in self._vetoed for pair in pairs)
        if found and (direct := self._pair(op, one, other)) not in self._vetoed:
            self.passed_on.add(direct)
        return found

    def fingerprints(self, body: Mapping[str, Any], blamed: Collection[str] = ()) -> set[str]:
        """What a proposal does and what it rests on: its operation, its rows, and their texts and names.

        Args:
            body: the proposal.
            blamed: handles of rows that were harmed. Of a merge, the sources among them are meant; if none of them is,
                every source.
        """
        op, sources = body.get("op"), body.get("source")
        if isinstance(op, str) and isinstance(sources, (list, tuple)) and isinstance(body.get("target"), str):
            harmful = [source for source in sources if source in blamed] or sources
            return {self._pair(op, str(source), body["target"]) for source in harmful}
        return {self._print(_parts(body))}

    def _pair(self, op: str, one: str, other: str) -> str:
        return self._print([op, *sorted((one, other))])

    def _print(self, parts: Sequence[object]) -> str:
        told = [[part, self._text(part)] if isinstance(part, str) else part for part in parts]
        return _PREFIX + blake2b(json.dumps(told).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def _text(self, item: str) -> str:
        parsed = parse_handle(item)
        if parsed is None:
            return ""
        table, number = parsed
        known = self._said if table is ATTRIBUTE else self._named if table is ENTITY else {}
        return known.get(number, "")


def _parts(body: Mapping[str, Any]) -> list[object]:
    return [body.get("op"), *_rests_on(body)]


def _rests_on(body: Mapping[str, Any]) -> Iterator[str]:
    """What a proposal names, each with the name of its field before it; a field that is left blank says nothing."""
    for name in _RESTS_ON:
        value = body.get(name)
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, str) and item:
                yield from (name, item)
