"""A stranger adds an operation in one file: this one. It is found wherever operations are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doc_tables
import graphdream
from graphdream.dreamers.prompt.answer_form import answer_schema, op_lines, tidying
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE
from graphdream.interfaces.cli import main
from graphdream.mutations.base import FactHandle, Mutation
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip
from graphdream.mutations.parse import parse_proposals
from graphdream.mutations.registry import ops, registered
from graphdream.mutations.schema import faults_of, mutation_schema
from tests.laws.plans import bodies
from tests.support.graphs import apply, codes, entity, facts_of


class Doubt(Mutation):
    """A fact is less sure than was thought."""

    op: Literal["doubt"] = "doubt"
    attribute: FactHandle


def doubt(mutation: Doubt, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    if fact["confidence"] <= 0.1:
        raise skip("nothing_to_do", "it is in doubt already")
    applying.rows.change(ATTRIBUTE, fact["id"], confidence=0.1)
    return Outcome("applied", "ok", f"a{fact['id']} is in doubt")


OP = Op(Doubt, doubt, example={"op": "doubt", "attribute": "a1"}, told=("questions",), protects=("attribute",))


@pytest.fixture(autouse=True, scope="module")
def own() -> Iterator[None]:
    with registered(OP):
        yield


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as store:
        apply(store, [entity("Ada", general=["likes tea"]), entity("Bo", general=["plays chess"])])
        apply(store, [{"op": "pin", "entity": "e2"}], actor="person")
        yield store


def confidences(store: Store) -> list[float]:
    return [row[0] for row in store.connection.execute("SELECT confidence FROM attribute ORDER BY id")]


def test_it_is_parsed_validated_and_published() -> None:
    (proposal,) = parse_proposals([dict(OP.example)])
    assert proposal.mutation == Doubt(attribute="a1")
    assert faults_of({"op": "doubt"}) and not faults_of(dict(OP.example))
    assert '"doubt"' in json.dumps(mutation_schema())


def test_a_model_is_told_of_it_with_its_fields() -> None:
    assert '{"op": "doubt", "attribute": handle}' in op_lines(tidying()).splitlines()
    assert '"doubt"' in json.dumps(answer_schema(tidying()))


def test_it_is_documented_with_its_example() -> None:
    assert "less sure" in doc_tables.mutation_table() and '"doubt"' in doc_tables.mutation_examples()


def test_it_is_applied_one_by_one_and_held_off_from_what_is_pinned(store: Store) -> None:
    assert codes(store, {"op": "doubt", "attribute": "a1"}) == [("applied", "ok")]
    assert codes(store, {"op": "doubt", "attribute": "a2"}) == [("skipped", "pinned")]
    assert codes(store, {"op": "doubt", "attribute": "a1"}) == [("skipped", "nothing_to_do")]
    assert confidences(store) == [0.1, 0.8] and facts_of(store, "Ada") == {"likes tea"}


def test_a_person_calls_it_at_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = ["--db", str(tmp_path / "memory.db")]
    assert main(["remember", "Ada likes tea", "--wait", *db]) == 0
    assert main(["edit", "--help"]) == 0
    assert '{"op": "doubt", "attribute": "a1"}\n    A fact is less sure than was thought.' in capsys.readouterr().out
    assert main(["edit", '{"op": "doubt", "attribute": "a1"}', *db]) == 0
    assert "a1 is in doubt" in capsys.readouterr().out
    for wrong in ("doubt", "[]", '{"op": "doubt"}', '{"op": "dout", "attribute": "a1"}'):
        assert main(["edit", '{"op": "doubt", "attribute": "a1"}', wrong, *db]) == 2
    assert "is no change" not in capsys.readouterr().out


def test_a_person_calls_it_from_the_library_and_takes_it_back(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db") as graph:
        graph.remember("Ada likes tea")
        before = confidences(graph.store)
        done = graph.edit({"op": "doubt", "attribute": "a1"})
        assert confidences(graph.store) == [0.1]
        assert done.pass_id is not None
        graph.undo(done.pass_id)
        assert confidences(graph.store) == before and graph.verify().ok


@given(data=st.data())
@settings(max_examples=20)
def test_the_laws_draw_it(data: st.DataObject) -> None:
    assert OP in ops() and data.draw(bodies(OP.kind))["op"] == "doubt"
