"""The published schema: true to the models, in the form providers accept, and every fault is told with its path."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator

from graphdream.mutations.outcome import CODES
from graphdream.mutations.parse import parse_proposals
from graphdream.mutations.schema import SCHEMA_FILE, faults_of, mutation_schema


def _objects(node: Any) -> list[dict[str, Any]]:
    found = [node] if isinstance(node, dict) and node.get("type") == "object" else []
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return found + [item for child in children for item in _objects(child)]


def test_the_published_file_is_what_the_models_say() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == mutation_schema()


def test_the_schema_is_in_the_form_that_strict_structured_output_accepts() -> None:
    schema = mutation_schema()
    Draft202012Validator.check_schema(schema)
    text = json.dumps(schema)
    assert '"oneOf"' not in text and '"discriminator"' not in text and '"default"' not in text
    for item in _objects(schema):
        assert item["additionalProperties"] is False
        assert set(item["required"]) == set(item.get("properties", {}))


def test_every_fault_of_an_item_is_told_with_its_path() -> None:
    faults = faults_of({"op": "merge_entities", "source": [], "target": 7, "extra": 1})
    assert any(fault.startswith("$.source") for fault in faults)
    assert any(fault.startswith("$.target") for fault in faults)
    assert any("extra" in fault for fault in faults)


def test_a_mutation_that_leaves_out_what_is_optional_is_right() -> None:
    assert faults_of({"op": "create_attribute", "entity": "Ada", "content": "likes tea"}) == []
    assert faults_of({"entity": "Ada", "content": "likes tea"}) != []


def test_nothing_that_is_no_mutation_raises_or_is_dropped() -> None:
    items = [
        None,
        7,
        "merge",
        [],
        {},
        {"op": None},
        {"op": "pin", "entity": "e1"},
        {"op": "unlink", "link": "x" * 100_000},
    ]
    proposals = parse_proposals(items)
    assert len(proposals) == len(items)
    assert all(proposal.mutation is None and proposal.fault for proposal in proposals)


def test_codes_are_documented() -> None:
    assert all(words and not words.endswith(".") for words in CODES.values())
