"""Tables in docs/ that repeat the code: `make docs` writes them between cog marks, `make lint` compares them."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from graphdream.config import Settings


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
    return ", ".join(bounds) or ("file names" if info.annotation == tuple[str, ...] else "a name")
