"""The tools that `graphdream init` sets up: a module each, which says where its settings are and what belongs there."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from graphdream.interfaces.hosts.base import Tool

_NOT_TOOLS = ("base", "files", "ledger", "merging")


def tools() -> tuple[Tool, ...]:
    """Every tool that is known, in the order of their names."""
    names = sorted(one.name for one in iter_modules(__path__) if one.name not in _NOT_TOOLS)
    return tuple(import_module(f"{__name__}.{name}").TOOL for name in names)
