"""The published JSON Schema of an answer, made from the typed mutations.

    python -m graphdream.mutations.schema > graphdream/mutations/mutation.schema.json

`anyOf` and closed objects, no `discriminator`, no `default`, every property required (optional ones may be empty): the
form that providers of structured output accept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from graphdream.errors import quoted
from graphdream.mutations.base import parts_of
from graphdream.mutations.op import Op
from graphdream.mutations.registry import proposable, union

FAULT_CHARACTERS = 300  # of one fault; its path comes first
SCHEMA_FILE = Path(__file__).with_name("mutation.schema.json")


def mutation_schema() -> dict[str, Any]:
    """Schema of an answer: an object with `mutations` and `summary`."""
    return _schema_of(proposable())


def _schema_of(known: tuple[Op, ...]) -> dict[str, Any]:
    made = TypeAdapter(union(known)).json_schema()
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


@lru_cache(maxsize=4)
def _validators(known: tuple[Op, ...]) -> dict[str, Any]:
    """By `op`: what checks one mutation of that kind. Optional fields may be left out by models that cannot be held to
    the strict form; `op` never."""
    from jsonschema import Draft202012Validator

    schema = _schema_of(known)
    needed = _needed(known)
    definitions = {
        name: {**body, "required": [field for field in body.get("required", []) if field in needed[name]]}
        for name, body in schema["$defs"].items()
    }
    whole = Draft202012Validator({"$defs": definitions, **schema["properties"]["mutations"]["items"]})
    return {op.name: whole.evolve(schema={**definitions[op.kind.__name__], "$defs": definitions}) for op in known}


def _needed(known: tuple[Op, ...]) -> dict[str, set[str]]:
    """By name of a mutation, or of what one holds: the fields that it cannot do without."""
    needed: dict[str, set[str]] = {}
    kinds: list[type[BaseModel]] = [op.kind for op in known]
    while kinds:
        kind = kinds.pop()
        fields = kind.model_fields
        needed[kind.__name__] = {name for name, field in fields.items() if field.is_required()} | {"op"} & set(fields)
        kinds += [part.holds for part in parts_of(kind) if part.holds is not None]
    return needed


def faults_of(body: Any) -> list[str]:
    """Every fault of one proposed mutation against the published schema, each with its path; [] where it is right."""
    op = body.get("op") if isinstance(body, dict) else None
    validators = _validators(proposable())
    if not isinstance(op, str) or op not in validators:
        found = quoted(op) if isinstance(op, str) else repr(op)[:FAULT_CHARACTERS]
        return [f"$.op: found {found}, expected one of {', '.join(sorted(validators))}"]
    faults = validators[op].iter_errors(body)
    return sorted(f"{error.json_path}: {error.message}"[:FAULT_CHARACTERS] for error in faults)


if __name__ == "__main__":
    print(json.dumps(mutation_schema(), indent=2))
