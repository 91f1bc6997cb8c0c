"""The JSON Schema (draft 2020-12) of what a command prints, derived from its declared form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import TypeAdapter

from graphdream.interfaces.shapes.declaring import SOMETIMES, Form, in_json, told_in
from graphdream.interfaces.shapes.words import WORDS

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema(form: Form) -> dict[str, Any]:
    """The schema of one document of a form. Keys that it does not name are allowed: later versions add some."""
    found, objects = schemas([form])
    return {"$schema": DRAFT, **found[form.words], **({"$defs": objects} if objects else {})}


def schemas(forms: Iterable[Form]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """The schemas of several forms by their words, and of the objects that they share by name."""
    adapters = [(form.words, "serialization", TypeAdapter(form.shape)) for form in forms]
    made, shared = TypeAdapter.json_schemas(adapters)  # type: ignore[arg-type]
    objects: dict[str, dict[str, Any]] = shared.get("$defs", {})
    for one in (*made.values(), *objects.values()):
        _finish(one)
    return {words: one for (words, _), one in made.items()}, objects


def _finish(part: Any) -> None:
    """Say of each key what it is, and which are always there; titles, which only repeat names, go."""
    if isinstance(part, list):
        for one in part:
            _finish(one)
        return
    if not isinstance(part, dict):
        return
    if isinstance(part.get("title"), str):
        del part["title"]
    part.pop("default", None)
    keys = part.get("properties")
    if isinstance(keys, dict):
        told = dict(told_in(part.get("description", "")))
        for name, key in keys.items():
            if not key.get("description"):
                key["description"] = told.get(name) or WORDS.get(name, "")
        part["required"] = [name for name, key in keys.items() if not key.pop(SOMETIMES, False)]
        part["description"] = _head(part.get("description", ""))
    for name, one in part.items():
        if name == "properties":
            for key in one.values():
                _finish(key)
        elif name not in ("required", "enum", "const", "description"):
            _finish(one)


def _head(doc: str) -> str:
    """The first sentence of a docstring."""
    text = " ".join(doc.partition("\n\n")[0].split())
    return in_json(text.partition(". ")[0].removesuffix("."))
