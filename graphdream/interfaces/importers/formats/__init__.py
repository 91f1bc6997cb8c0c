"""The formats that `graphdream import` reads: one module each, which declares it as `FORMAT`."""

from __future__ import annotations

import os
from importlib import import_module
from pkgutil import iter_modules

from graphdream.errors import UsageError
from graphdream.interfaces.importers.format import Format
from graphdream.paths import expanded


def formats() -> tuple[Format, ...]:
    """Every format, in the order of the names."""
    found: list[Format] = [import_module(f"{__name__}.{one.name}").FORMAT for one in iter_modules(__path__)]
    return tuple(sorted(found, key=lambda one: one.name))


def format_of(path: str | os.PathLike[str], name: str = "") -> Format:
    """The format of that name; without one, that of a path: one that knows it, a folder's, that of the ending, else
    that of any name.

    Raises:
        UsageError: no format has that name.
    """
    known = formats()
    if name:
        for one in known:
            if one.name == name:
                return one
        raise UsageError(f"{name!r} is no format", "--format " + " or ".join(one.name for one in known))
    place = expanded(path)
    for one in known:
        if one.knows is not None and one.knows(place):
            return one
    endings = {suffix.lower() for suffix in place.suffixes[-1:]}
    return (
        next((one for one in known if one.folders), known[0])
        if place.is_dir()
        else next((one for one in known if endings & set(one.suffixes)), next(one for one in known if one.any_name))
    )


def formats_table() -> str:
    """The formats as a Markdown table."""
    rows = ["| format | what it holds | files |", "|---|---|---|"]
    return "\n".join([*rows, *(f"| `{one.name}` | {one.what} | {one.files} |" for one in formats())])


def in_words() -> str:
    """The names of the formats in a sentence: `history, jsonl or markdown`."""
    *others, last = (one.name for one in formats())
    return f"{', '.join(others)} or {last}"
