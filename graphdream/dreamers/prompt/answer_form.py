"""The form of an answer: which mutations a model may propose here, as one line each and as a JSON Schema.

Both are made from the typed mutations, less the fields that a model has no use for. The lines are what a model reads;
the schema is what a provider holds it to, and is small because many providers bill it with every call.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from graphdream.dreamers.asking.deferrals import FIELD as DEFERRED
from graphdream.dreamers.asking.deferrals import SCHEMA as DEFERRALS
from graphdream.dreamers.asking.verdicts import SCHEMA as VERDICTS
from graphdream.dreamers.client.salvage import ADDING
from graphdream.mutations import model

EVERYTHING: tuple[str, ...] = (
    "create_entity", "update_aspect", "create_attribute", "supersede_attribute", "merge_entities", "merge_attributes",
    "delete_attribute", "delete_entity", "delete_aspect", "rename_entity", "retype_entity", "split_entity",
    "merge_aspects", "move_attribute", "link", "unlink", "add_alias", "flag_contradiction",
)  # fmt: skip
"""The eight mutations of the specification and all others that a model has a use for: questions are answered by their
numbers, and repeated facts reinforced without it."""
TIDYING: tuple[str, ...] = (
    "merge_attributes", "supersede_attribute", "delete_attribute", "delete_entity", "rename_entity", "retype_entity",
    "move_attribute",
)  # fmt: skip
"""What may be put in order beside questions about the graph; they themselves are answered by their numbers, and new
facts come from sessions only."""

# Kept for the host: it counts, dates and weighs, and finds the turns under a session's words.
_HOSTS_OWN = frozenset({"confidence", "importance", "tags", "turns", "known_at", "apart", "strength"})
_KINDS: dict[str, Any] = {kind.model_fields["op"].default: kind for kind in model.Proposable.__args__}


def op_lines(ops: Sequence[str] = EVERYTHING) -> str:
    """One line an operation: its fields, optional ones with a question mark; the `reason` is in the schema alone."""
    return "\n".join(_op_line(op) for op in ops)


def _op_line(op: str) -> str:
    schema = TypeAdapter(_KINDS[op]).json_schema()
    definitions = schema.get("$defs", {})
    return f'{{"op": "{op}", {_fields(schema, definitions, skip=("op", "reason"))}}}'


def _fields(schema: dict[str, Any], definitions: dict[str, Any], *, skip: Sequence[str] = ()) -> str:
    needed = set(schema.get("required", ()))
    shown = [
        f'"{name}"{"" if name in needed else "?"}: {_kind(part, definitions)}'
        for name, part in schema["properties"].items()
        if name not in skip and name not in _HOSTS_OWN
    ]
    return ", ".join(shown)


def _kind(part: dict[str, Any], definitions: dict[str, Any]) -> str:
    if "$ref" in part:
        return "{" + _fields(definitions[part["$ref"].rsplit("/", 1)[1]], definitions) + "}"
    if part.get("type") == "array":
        return "[" + _kind(part["items"], definitions) + "]"
    if "enum" in part:
        return "|".join(f'"{value}"' for value in part["enum"])
    return "handle" if "pattern" in part else str(part.get("type", "string"))


def answer_schema(ops: Sequence[str] = EVERYTHING) -> dict[str, Any]:
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
def schema_text(ops: tuple[str, ...] = EVERYTHING) -> str:
    """The schema as text: part of what names a call, so that an answer in another form is not taken for one to it."""
    return json.dumps(answer_schema(ops), separators=(",", ":"))


def _op_schema(op: str) -> dict[str, Any]:
    schema = TypeAdapter(_KINDS[op]).json_schema()
    lean = _lean(schema, schema.get("$defs", {}))
    if op in ADDING:
        del lean["properties"]["reason"]  # what is added rests on a session's words; a reason would only cost
    lean["properties"] = {"op": {"type": "string", "const": op}, **lean["properties"]}
    lean["required"] = ["op", *(name for name in lean["required"] if name != "op")]
    return lean


def _lean(part: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in part:
        return _lean(definitions[part["$ref"].rsplit("/", 1)[1]], definitions)
    if part.get("type") == "object":
        properties = {
            name: _lean(below, definitions)
            for name, below in part["properties"].items()
            if name != "op" and name not in _HOSTS_OWN
        }
        return {
            "type": "object", "properties": properties,
            "required": [name for name in part.get("required", ()) if name in properties],
            "additionalProperties": False,
        }  # fmt: skip
    if part.get("type") == "array":
        return {"type": "array", "items": _lean(part["items"], definitions)}
    return {key: part[key] for key in ("type", "enum") if key in part}
