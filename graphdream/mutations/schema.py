"""The published JSON Schema of an answer, made from the typed mutations (FEATURES G6).

    python -m graphdream.mutations.schema > graphdream/mutations/mutation.schema.json

`anyOf` and closed objects, no `discriminator`, no `default`, every property required (optional ones may be empty): the
form that providers of structured output accept (PACKAGES, "litellm, closely").
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from graphdream.errors import quoted
from graphdream.mutations import model

FAULT_CHARACTERS = 300  # of one fault; its path comes first
SCHEMA_FILE = Path(__file__).with_name("mutation.schema.json")


def mutation_schema() -> dict[str, Any]:
    """Schema of an answer: an object with `mutations` and `summary`."""
    made = TypeAdapter(model.Proposable).json_schema()
    definitions = {name: _strict(body) for name, body in made.pop("$defs").items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "DreamPlan",
        "type": "object",
        "properties": {
            "mutations": {"type": "array", "items": _strict(made)},
            "summary": {"type": "string", "description": "what changed, in words"},
        },
        "required": ["mutations", "summary"],
        "additionalProperties": False,
        "$defs": definitions,
    }


def _strict(node: Any) -> Any:
    """The same schema in the form that strict structured output accepts."""
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    strict = {key: _strict(value) for key, value in node.items() if key not in ("default", "discriminator")}
    if "oneOf" in strict:
        strict["anyOf"] = strict.pop("oneOf")
    if strict.get("type") == "object":
        strict["additionalProperties"] = False
        strict["required"] = list(strict.get("properties", {}))
    return strict


# What strict structured output of one provider or another refuses (OpenAI "Structured outputs", supported properties;
# Anthropic "Structured outputs", limitations). Nothing is lost by it: every answer is validated here.
_NOT_EVERYWHERE = frozenset(
    "$schema title default discriminator format pattern minLength maxLength minimum maximum exclusiveMinimum"
    " exclusiveMaximum multipleOf minItems maxItems uniqueItems".split()
)


def provider_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema in the form that every provider of strict structured output takes: no bounds, closed objects.

    Names of properties are left alone, whatever they are.
    """
    strict: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            strict[key] = {name: provider_schema(body) for name, body in value.items()}
        elif key == "const":
            strict["enum"] = [value]
        elif key in ("anyOf", "oneOf"):
            strict["anyOf"] = [provider_schema(body) for body in value]
        elif key == "items":
            strict[key] = provider_schema(value)
        elif key not in _NOT_EVERYWHERE:
            strict[key] = value
    if strict.get("type") == "object":
        strict["additionalProperties"] = False
        strict["required"] = list(strict.setdefault("properties", {}))
    return strict


@cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator

    schema = mutation_schema()
    items = schema["properties"]["mutations"]["items"]
    lenient = {"$defs": {name: _lenient(body) for name, body in schema["$defs"].items()}, **items}
    return Draft202012Validator(lenient)


def _lenient(body: dict[str, Any]) -> dict[str, Any]:
    """Optional fields may be left out by models that cannot be held to the strict form; `op` never."""
    properties = body.get("properties", {})
    needed = [name for name in body.get("required", []) if name in _needed(body.get("title", ""))]
    return {**body, "properties": properties, "required": needed}


def _needed(title: str) -> set[str]:
    kind = getattr(model, title, None)
    fields = kind.model_fields if kind is not None else {}
    return {name for name, field in fields.items() if field.is_required()} | {"op"} & set(fields)


@cache
def _validators() -> dict[str, Any]:
    """By `op`: what checks one mutation of that kind."""
    whole = _validator()
    definitions = whole.schema["$defs"]
    return {
        kind.model_fields["op"].default: whole.evolve(schema={**definitions[kind.__name__], "$defs": definitions})
        for kind in model.Proposable.__args__
    }


def faults_of(body: Any) -> list[str]:
    """Every fault of one proposed mutation against the published schema, each with its path; [] where it is right."""
    op = body.get("op") if isinstance(body, dict) else None
    validators = _validators()
    if not isinstance(op, str) or op not in validators:
        found = quoted(op) if isinstance(op, str) else repr(op)[:FAULT_CHARACTERS]
        return [f"$.op: found {found}, expected one of {', '.join(sorted(validators))}"]
    faults = validators[op].iter_errors(body)
    return sorted(f"{error.json_path}: {error.message}"[:FAULT_CHARACTERS] for error in faults)


if __name__ == "__main__":
    print(json.dumps(mutation_schema(), indent=2))
