"""`graphdream resolve`: JSON lines in, JSON lines out."""

from __future__ import annotations

import io
import json

import pytest

from graphdream.entities.stream import main, read_records

ROWS = [
    {
        "id": "a",
        "name": "Maya Okafor",
        "attributes": ["lives in Lisbon"],
        "neighbors": ["Northbeam"],
        "cluster": "never read",
    },
    {"id": "b", "name": "maya okafor", "attributes": ["lives in Lisbon"], "neighbors": ["Northbeam"]},
    {"id": "c", "name": None},
    {"id": 4, "name": "Rust", "type": "tool", "attributes": None},
]


def run(rows, **options):
    out = io.StringIO()
    main(io.StringIO("\n".join(json.dumps(r) for r in rows) + "\n\n"), out, **options)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_every_entity_gets_a_cluster_and_every_pair_a_score():
    lines = run(ROWS)
    assert {x["id"] for x in lines if "id" in x} == {"a", "b", "c", "4"}
    pairs = [tuple(x["candidate"]) for x in lines if "candidate" in x]
    assert pairs == [tuple(x["pair"]) for x in lines if "pair" in x]
    assert ("a", "b") in pairs
    assert all(0.0 <= x["score"] <= 1.0 for x in lines if "score" in x)


def test_a_budget_of_nothing_merges_nothing():
    lines = run(ROWS, max_false_merge_rate=0.0)
    assert all(x["id"] == x["cluster"] for x in lines if "id" in x)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a JSON object$"),
        ('{"name": "x"}', "an entity needs at least an id$"),
        ("3", "not a JSON object$"),
    ],
    ids=["cut off", "deep", "list", "no id", "number"],
)
def test_a_line_that_is_no_entity_is_named(line, why):
    with pytest.raises(ValueError, match=f"line 2: {why}"):
        list(read_records(['{"id": "a"}', line]))


def test_names_of_nothing_but_symbols_are_told_apart_by_these():
    rows = [{"id": "fox", "name": "🦊"}, {"id": "snake", "name": "🐍"}, {"id": "snake again", "name": "🐍\ufe0f"}]
    lines = run(rows, best_f1=True)
    clusters = {line["id"]: line["cluster"] for line in lines if "id" in line}
    assert clusters["snake"] == clusters["snake again"] != clusters["fox"]
    assert [line["pair"] for line in lines if "pair" in line] == [["snake", "snake again"]]


def test_nothing_in_nothing_out():
    assert run([]) == []
