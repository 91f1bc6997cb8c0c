"""Tables in docs/ that repeat the code: `make docs` writes them between cog marks, `make lint` compares them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from graphdream.config import Settings
from graphdream.interfaces.cli import COMMANDS, help_text, main
from graphdream.mutations.outcome import CODES
from graphdream.mutations.registry import ops


def settings_table() -> str:
    """Return the Markdown table of every setting: its key in `agent.yaml`, default, bounds and meaning."""
    rows = ["| key | default | allowed | meaning |", "|---|---|---|---|"]
    for key, info in _leaves(Settings, ""):
        rows.append(f"| `{key}` | {_default(info)} | {_bounds(info)} | {info.description} |")
    return "\n".join(rows)


def _leaves(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, info in model.model_fields.items():
        key = prefix + (info.alias or name)
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from _leaves(info.annotation, key + ".")
        else:
            yield key, info


def _default(info: FieldInfo) -> str:
    value = info.default
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`[{', '.join(value)}]`"
    return f"`{value}`"


def _bounds(info: FieldInfo) -> str:
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    bounds = [
        f"{sign} {value}"
        for constraint in info.metadata
        for attribute, sign in signs.items()
        if (value := getattr(constraint, attribute, None)) is not None
    ]
    if info.annotation is bool:
        return "`true`, `false`"
    many = "names" if info.alias == "off" else "file names"
    return ", ".join(bounds) or (many if info.annotation == tuple[str, ...] else _kind(info))


def _kind(info: FieldInfo) -> str:
    if info.alias in ("folder", "git", "command"):
        return "a command" if info.alias == "command" else "a folder"
    return "a number" if info.annotation is float else "a whole number" if info.annotation is int else "a name"


def routes_table() -> str:
    """Return the Markdown table of every route of the HTTP interface: what it takes and what it does."""
    from graphdream.interfaces.http.api import ENDPOINTS

    rows = ["| route | takes | does |", "|---|---|---|"]
    for one in ENDPOINTS:
        fields = [*one.query.model_fields, *(one.body.model_fields if one.body is not None else ())]
        path = re.sub(r"\{(\w+):\w+\}", r"{\1}", one.path)
        told = (one.run.__doc__ or "").strip().splitlines()[0]
        rows.append(f"| `{one.method} {path}` | {', '.join(f'`{name}`' for name in fields)} | {told} |")
    return "\n".join(rows)


def mutation_table() -> str:
    """Return the Markdown table of every mutation: its name, who may propose it, its fields and what it does."""
    rows = ["| mutation | fields (`*` required) | by | what it does |", "|---|---|---|---|"]
    for op in ops():
        fields = ", ".join(
            f"`{name}{'*' if info.is_required() else ''}`"
            for name, info in op.kind.model_fields.items()
            if name not in ("op", "reason", "apart")
        )
        by = {"pass": "anyone"}.get(op.by, op.by)
        rows.append(f"| `{op.name}` | {fields} | {by} | {op.does} |")
    return "\n".join(rows)


def mutation_examples() -> str:
    """Return an example of every mutation, one line each, as a fenced block."""
    lines = (json.dumps(op.example, ensure_ascii=False) for op in ops())
    return "\n".join(["```json lines", *lines, "```"])


def pass_table() -> str:
    """Return the Markdown table of every pass of the cycle, in its order."""
    from graphdream.passes.registry import kinds

    rows = [
        "| pass | view | reads | without a model | with a model: directive | what it does |",
        "|---|---|---|---|---|---|",
    ]
    for kind in kinds():
        local = "yes" if kind.local is not None else "waits"
        asks = f"`{kind.directive}`" if kind.directive else ""
        rows.append(f"| `{kind.name}` | {kind.view} | {', '.join(kind.events)} | {local} | {asks} | {kind.does} |")
    return "\n".join(rows)


def event_table() -> str:
    """Return the Markdown table of every kind of event that `observe` takes."""
    from graphdream.events.observed import EVENTS

    rows = ["| kind | fields (`*` required) | what it is |", "|---|---|---|"]
    for kind in EVENTS:
        name = kind.model_fields["kind"].annotation.__args__[0]  # type: ignore[union-attr]
        told = [
            f"`{field}{'*' if info.is_required() else ''}`"
            for field, info in kind.model_fields.items()
            if field != "kind"
        ]
        rows.append(f"| `{name}` | {', '.join(told)} | {' '.join((kind.__doc__ or '').split())} |")
    return "\n".join(rows)


def code_table() -> str:
    """Return the Markdown table of the reason codes of outcomes."""
    rows = ["| code | meaning |", "|---|---|"]
    return "\n".join([*rows, *(f"| `{code}` | {words} |" for code, words in CODES.items())])


def command_help() -> str:
    """Return the help of the program and of every command, as one fenced block each."""
    blocks = [f"```text\n{help_text()}```"]
    for name in COMMANDS:
        out = io.StringIO()
        with redirect_stdout(out):
            main([name, "--help"])
        blocks.append(f"## {name}\n\n```text\n{out.getvalue()}```")
    return "\n\n".join(blocks)


def library_methods() -> str:
    """Return the Markdown table of what `Graph` can do: each method with its parameters and its first sentence."""
    import inspect

    from graphdream import Graph

    rows = ["| call | what it does |", "|---|---|"]
    methods = {name: method for owner in Graph.__mro__ for name, method in vars(owner).items()}
    for name, method in methods.items():
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        rows.append(f"| `{name}({_takes(method)})` | {_first_sentence(method)} |")
    return "\n".join(rows)


def library_functions() -> str:
    """Return the Markdown table of what the package itself can do, without a `Graph`: the functions among its names."""
    import inspect

    import graphdream

    rows = ["| call | what it does |", "|---|---|"]
    for name in graphdream.__all__:
        function = getattr(graphdream, name)
        if inspect.isfunction(function):
            rows.append(f"| `{name}({_takes(function)})` | {_first_sentence(function)} |")
    return "\n".join(rows)


def _takes(function: Callable[..., object]) -> str:
    """The parameters of a call as a reader needs them: `name=` where it has to be named."""
    import inspect

    forms: dict[object, str] = {inspect.Parameter.KEYWORD_ONLY: "{}=", inspect.Parameter.VAR_POSITIONAL: "*{}"}
    parameters = [one for one in inspect.signature(function).parameters.values() if one.name != "self"]
    return ", ".join(forms.get(one.kind, "{}").format(one.name) for one in parameters)


def library_types() -> str:
    """Return the Markdown table of the types that calls give back, each with its first sentence."""
    import graphdream

    rows = ["| type | what it is |", "|---|---|"]
    for name in graphdream.__all__:
        held = getattr(graphdream, name)
        if isinstance(held, type) and name not in ("Graph", "AsyncGraph"):
            rows.append(f"| `{name}` | {_first_sentence(held)} |")
    return "\n".join(rows)


def _first_sentence(documented: object) -> str:
    text = " ".join((documented.__doc__ or "").partition("\n\n")[0].split())
    return text.removeprefix("Attributes: ").replace("|", "\\|")


def json_shapes() -> str:
    """Return what every command prints with `--json`, each object as a table where it is met first."""
    from graphdream.interfaces.shapes import FORMS, NONE
    from graphdream.interfaces.shapes.schema import schemas

    roots, objects = schemas(FORMS.values())
    told: set[str] = set()
    parts = []
    for commands in _told_together(COMMANDS):
        parts.append(f"## {', '.join(commands)}")
        if commands[0] in NONE:
            parts.append(f"`{commands[0]}` {NONE[commands[0]]}.")
            continue
        forms = [form for form in FORMS.values() if form.command == commands[0]]
        lines = []
        for form in forms:
            what = _type_of(roots[form.words], objects) + (", one a line" if form.lines else "")
            words = f"`{form.words}`" if len(commands) == 1 else "each of them"
            lines.append(f"- {words}: {what}. {form.note}".rstrip())
        parts.append("\n".join(lines))
        for form in forms:
            parts += _tables(roots[form.words], objects, told)
    return "\n\n".join(parts)


def _told_together(commands: Iterable[str]) -> list[list[str]]:
    """Commands in their order; those that print the same one thing stand together."""
    from graphdream.interfaces.shapes import FORMS

    found: list[list[str]] = []
    for command in commands:
        shapes = [form.shape for form in FORMS.values() if form.command == command]
        before = [form.shape for form in FORMS.values() if found and form.command == found[-1][0]]
        if len(shapes) == 1 and shapes == before:
            found[-1].append(command)
        else:
            found.append([command])
    return found


def _tables(schema: Mapping[str, Any], objects: Mapping[str, dict[str, Any]], told: set[str]) -> Iterator[str]:
    """A table of each object that a schema names and that was not told yet, then those that it names itself."""
    for name in _named_in(schema):
        if name in told:
            continue
        told.add(name)
        one = objects[name]
        rows = ["| key | type | what |", "|---|---|---|"]
        for key, value in one["properties"].items():
            kind = _type_of(value, objects) + ("" if key in one["required"] else ", not always there")
            rows.append(f"| `{key}` | {kind} | {value['description']} |")
        yield f"### {name}"
        yield f"{one['description']}."
        yield "\n".join(rows)
        yield from _tables(one["properties"], objects, told)


def _named_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].rpartition("/")[2]
        for value in schema.values():
            yield from _named_in(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _named_in(value)


def _type_of(schema: Mapping[str, Any], objects: Mapping[str, dict[str, Any]]) -> str:
    """A type in words, with a link to the table of an object."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type_of(one, objects) for one in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    kind = str(schema.get("type", "anything"))
    if kind == "array" and "prefixItems" in schema:
        return f"[{', '.join(_type_of(one, objects) for one in schema['prefixItems'])}]"
    if kind == "array":
        return f"list of {_type_of(schema['items'], objects)}"
    if kind == "object":
        values = schema.get("additionalProperties", True)
        return "object" if values is True else f"object: name → {_type_of(values, objects)}"
    return {"null": "`null`", "boolean": "true or false", "integer": "whole number"}.get(kind, kind)
