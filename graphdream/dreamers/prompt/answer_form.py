"""The form of an answer: which mutations a model may propose here, as one line each and as a JSON Schema.

Both are made from the typed mutations, less the fields that a model has no use for. The lines are what a model reads;
the schema is what a provider holds it to, and is small because many providers bill it with every call.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, TypeAdapter

from graphdream.dreamers.asking.deferrals import FIELD as DEFERRED
from graphdream.dreamers.asking.deferrals import SCHEMA as DEFERRALS
from graphdream.dreamers.asking.verdicts import SCHEMA as VERDICTS
from graphdream.mutations.base import parts_of
from graphdream.mutations.registry import adds, op_named, told


def everything() -> tuple[str, ...]:
    """The mutations that a model has a use for: questions are answered by their numbers, and repeated facts reinforced
    without it."""
    return told("sessions")


def tidying() -> tuple[str, ...]:
    """What may be put in order beside questions about the graph; they themselves are answered by their numbers, and new
    facts come from sessions only."""
    return told("questions")


def op_lines(ops: Sequence[str]) -> str:
    """One line an operation: its fields, optional ones with a question mark; the `reason` is in the schema alone."""
    return "\n".join(_op_line(op) for op in ops)


def _op_line(op: str) -> str:
    schema = TypeAdapter(op_named(op).kind).json_schema()
    definitions = schema.get("$defs", {})
    return f'{{"op": "{op}", {_fields(schema, definitions, {"op", "reason"} | _hosts_own(op))}}}'


def _hosts_own(op: str) -> frozenset[str]:
    """The fields of a mutation, and of what it holds, that a model is not told of."""
    kinds: list[type[BaseModel]] = [op_named(op).kind]
    found: set[str] = set()
    while kinds:
        for part in parts_of(kinds.pop()):
            if part.hosts_own:
                found.add(part.name)
            if part.holds is not None:
                kinds.append(part.holds)
    return frozenset(found)


def _fields(schema: dict[str, Any], definitions: dict[str, Any], skip: Collection[str]) -> str:
    needed = set(schema.get("required", ()))
    shown = [
        f'"{name}"{"" if name in needed else "?"}: {_kind(part, definitions, skip)}'
        for name, part in schema["properties"].items()
        if name not in skip
    ]
    return ", ".join(shown)


def _kind(part: dict[str, Any], definitions: dict[str, Any], skip: Collection[str]) -> str:
    if "$ref" in part:
        return "{" + _fields(definitions[part["$ref"].rsplit("/", 1)[1]], definitions, skip) + "}"
    if part.get("type") == "array":
        return "[" + _kind(part["items"], definitions, skip) + "]"
    if "enum" in part:
        return "|".join(f'"{value}"' for value in part["enum"])
    return "handle" if "pattern" in part else str(part.get("type", "string"))


def answer_schema(ops: Sequence[str]) -> dict[str, Any]:
    """JSON Schema of an answer: an object with lists of the numbers of questions, one for each verdict, `mutations`, of
    these operations only, `summary`, and `deferred`. The lists come first, so that an answer that is cut has them.

    `anyOf` and closed objects without `discriminator` or `default`, as strict structured output accepts them; fields
    that are optional in a mutation may be left out or be null, for a provider that demands every one.
    """
    return {
        "type": "object",
        "properties": {
            **VERDICTS,
            "mutations": {"type": "array", "items": {"anyOf": [_op_schema(op) for op in ops]}},
            "summary": {"type": "string"},
            DEFERRED: DEFERRALS,
        },
        "required": ["mutations", "summary"],
        "additionalProperties": False,
    }


@cache
def schema_text(ops: tuple[str, ...]) -> str:
    """The schema as text: part of what names a call, so that an answer in another form is not taken for one to it."""
    return json.dumps(answer_schema(ops), separators=(",", ":"))


def _op_schema(op: str) -> dict[str, Any]:
    schema = TypeAdapter(op_named(op).kind).json_schema()
    lean = _lean(schema, schema.get("$defs", {}), {"op"} | _hosts_own(op))
    if adds(op):
        del lean["properties"]["reason"]  # what is added rests on a session's words; a reason would only cost
    lean["properties"] = {"op": {"type": "string", "const": op}, **lean["properties"]}
    lean["required"] = ["op", *(name for name in lean["required"] if name != "op")]
    return lean


def _lean(part: dict[str, Any], definitions: dict[str, Any], skip: Collection[str]) -> dict[str, Any]:
    if "$ref" in part:
        return _lean(definitions[part["$ref"].rsplit("/", 1)[1]], definitions, skip)
    if part.get("type") == "object":
        properties = {
            name: _lean(below, definitions, skip) for name, below in part["properties"].items() if name not in skip
        }
        return {
            "type": "object", "properties": properties,
            "required": [name for name in part.get("required", ()) if name in properties],
            "additionalProperties": False,
        }  # fmt: skip
    if part.get("type") == "array":
        return {"type": "array", "items": _lean(part["items"], definitions, skip)}
    return {key: part[key] for key in ("type", "enum") if key in part}
