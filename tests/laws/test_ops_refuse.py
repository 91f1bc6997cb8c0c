"""Whatever is proposed of any operation, it ends in an outcome with a reason: nothing that it addresses raises an error."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from graphdream.graph.store import Store
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.journal.undo import undo
from graphdream.mutations.applier import apply_proposals
from graphdream.mutations.base import Part
from graphdream.mutations.context import Actor, Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import CODES
from graphdream.mutations.parse import parse_trusted
from graphdream.mutations.registry import ops
from tests.support.graphs import NOW, apply, clock, dump, entity

# By what it stands for: two active rows, one that was absorbed, one that was archived, and one that was undone.
HANDLES = {
    "entity": ("e1", "e2", "e3", "e4", "e5"),
    "fact": ("a1", "a2", "a3", "a4", "a5"),
    "link": ("l1", "l2", "l3", "l4", "l5"),
}
ACTORS: tuple[Actor, ...] = ("pass", "host", "person")
ODD = ("e999999", "a999999", "l999999", "s999999", "s1", "Ada", "nobody", "", " ", "e0", "a²", "c1", f"a{10**17}")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Of entities, facts and links the first two are active, the third absorbed, the fourth archived, the fifth gone."""
    with Store.open(tmp_path / "memory.db") as store:
        apply(
            store, [entity("Ada", work=["likes tea", "leads the lab", "likes green tea", "rows"]), *map(entity, "BCD")]
        )
        for number, (source, target) in enumerate((("e1", "e2"), ("e2", "e1"), ("e1", "e4"), ("e2", "e4")), 1):
            body = {"op": "link", "source": source, "target": target, "type": f"type{number}"}
            (outcome,) = apply(store, [body])
            assert outcome.status == "applied", outcome
        done = [
            {"op": "merge_attributes", "source": ["a3"], "target": "a1"},
            {"op": "delete_attribute", "content": "a4"},
            {"op": "merge_links", "source": ["l3"], "target": "l1"},
            {"op": "unlink", "link": "l4"},
            {"op": "merge_entities", "source": ["e3"], "target": "e2"},
            {"op": "delete_entity", "name": "e4"},
        ]
        for body in done:
            apply(store, [body], actor="person")
        apply(store, [entity("Eve", work=["sails"]), {"op": "link", "source": "e5", "target": "e1", "type": "knows"}])
        newest = store.connection.execute("SELECT max(id) FROM pass").fetchone()[0]
        undo(store, newest, clock=clock)
        yield store


def variants(op: Op) -> Iterator[dict[str, Any]]:
    """An operation's example with every kind of address in each of its places, every pair of rows in every two of them,
    and one address in all of them."""
    places = op.addresses
    every = [*ODD, *(one for handles in HANDLES.values() for one in handles)]
    for place in places:
        for one in every:
            for value in ([one], [one, one]) if place.many else (one,):
                yield {**op.example, place.name: value}
        yield {**op.example, place.name: [] if place.many else ""}
    for first, second in combinations(places, 2):
        for one, other in product(*(HANDLES.get(place.role or "", ("e1",)) for place in (first, second))):
            yield {**op.example, first.name: _put(first, one), second.name: _put(second, other)}
    for one in every:
        yield {**op.example, **{place.name: _put(place, one) for place in places}}


def _put(place: Part, one: str) -> str | list[str]:
    return [one] if place.many else one


class _Enough(Exception):
    """Takes a pass back."""


def told(store: Store, actor: Actor, bodies: list[dict[str, Any]]) -> None:
    """Apply within the open pass; each ends in an outcome with a reason, and what was not done is refused in words."""
    outcomes = apply_proposals(Applying(store, actor, NOW, derived=actor == "pass"), parse_trusted(bodies))
    assert len(outcomes) == len(bodies)
    for body, outcome in zip(bodies, outcomes, strict=True):
        assert outcome.code in CODES and outcome.message.strip(), body
        assert outcome.status == "applied" or "the graph refuses it" not in outcome.message, body


@pytest.mark.parametrize("op", ops(), ids=lambda op: op.name)
def test_every_address_of_every_op_ends_in_an_outcome(store: Store, op: Op) -> None:
    """`fold` of a fact into itself raised an error out of the applier, and so ended the whole pass."""
    before = dump(store)
    with pytest.raises(_Enough), open_pass(store, PassHeader("edit", inputs={"now": NOW}), clock=clock):
        for actor, body in product(ACTORS, variants(op)):
            with pytest.raises(_Enough), store.savepoint():
                told(store, actor, [body])
                raise _Enough
        raise _Enough
    assert dump(store) == before


@pytest.mark.parametrize("actor", ACTORS)
def test_all_of_them_in_one_pass_end_in_an_outcome(store: Store, actor: Actor) -> None:
    """In a long run, which is carried out in memory."""
    before = dump(store)
    with pytest.raises(_Enough), open_pass(store, PassHeader("edit", inputs={"now": NOW}), clock=clock):
        told(store, actor, [body for op in ops() for body in variants(op)])
        raise _Enough
    assert dump(store) == before
