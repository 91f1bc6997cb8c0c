#!/usr/bin/env python3
"""Check that imports go one way through the house, downwards.

    python tools/house.py [PACKAGE_FOLDER]

Prints a line for each import that goes another way and exits 1, or exits 0. Standard library only; nothing is imported.
The rules:

- a room imports itself and rooms below it, never one beside or above it;
- modules beside the rooms (`errors`, `paths`, `config` ...) are the ground: any room stands on them, they on no room;
- `graph` imports nothing of ours but what itself imports nothing of ours;
- the front doors, `graphdream` itself, its `library`, `aio` and `__main__`, stand on everything; of the rooms, only
  those that use a memory as anybody would, `fleet` and `interfaces`, go through them;
- litellm is never imported while a module loads: it takes seconds.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

STOREYS: tuple[tuple[str, ...], ...] = (
    ("language", "sealing"),  # texts in any script; keys and seals of a file, of whatever is in it
    ("graph",),
    ("events",),  # both books lie in one file, and the connection to it is graph's
    ("journal",),
    ("mutations",),
    ("scoring",),  # trees, curves and budgets; knows no entity and no fact
    ("views", "recall", "entities", "facts"),
    ("dreamers", "passes"),
    ("dream",),
    ("fleet",),
    ("interfaces",),
)
"""The rooms from the ground up; those of one storey do not know each other."""

_STOREY_OF = {room: storey for storey, rooms in enumerate(STOREYS) for room in rooms}
_DOORS = ("__init__", "__main__", "library", "aio")
_GUESTS = ("fleet", "interfaces")
_NEVER_WHILE_LOADING = frozenset({"litellm"})


@dataclass(frozen=True, slots=True)
class Import:
    """One import of a module: the dotted name asked for, its line, and whether it runs while the module loads."""

    target: str
    line: int
    while_loading: bool


def faults(package: Path) -> list[str]:
    """Return a line for each import of the package that breaks a rule, ordered by file and line.

    Args:
        package: the folder of the package; its name is the name of ours.
    """
    files = sorted(package.rglob("*.py"))
    modules = {_dotted(package, file): file for file in files}
    imports = {name: list(_imports(name, file, modules)) for name, file in modules.items()}
    leaves = {name for name, found in imports.items() if not any(_is_ours(i.target, package.name) for i in found)}
    return [
        f"{modules[name]}:{found.line}: {complaint}"
        for name in modules
        for found in imports[name]
        if (complaint := _complaint(name, found, package.name, leaves))
    ]


def _complaint(importer: str, found: Import, ours: str, leaves: set[str]) -> str | None:
    if found.while_loading and found.target.split(".")[0] in _NEVER_WHILE_LOADING:
        return f"{found.target} is imported while the module loads; import it in the function that uses it"
    if not _is_ours(found.target, ours):
        return None
    here, there = _room(importer), _room(found.target)
    if here in _DOORS:
        return None
    if there in _DOORS:
        return None if here in _GUESTS else f"{importer} goes out through the front door {found.target}"
    if here not in _STOREY_OF:
        return f"{importer} is below the rooms and imports {found.target}" if there in _STOREY_OF else None
    if there not in _STOREY_OF:
        if here == "graph" and found.target not in leaves:
            return f"{importer} is in graph and imports {found.target}, which imports more of ours"
        return None
    if here == there or _STOREY_OF[here] > _STOREY_OF[there]:
        return None
    return f"{importer} imports {found.target}; {here} is not above {there}"


def _room(module: str) -> str:
    """Return the part below the package: a room, a module beside the rooms, or "__init__" for the package itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def _is_ours(module: str, ours: str) -> bool:
    return module.split(".")[0] == ours


def _dotted(package: Path, file: Path) -> str:
    parts = [package.name, *file.relative_to(package).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(module: str, file: Path, modules: dict[str, Path]) -> Iterator[Import]:
    inside = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for node, while_loading in _walk(ast.parse(file.read_text(encoding="utf-8"), str(file)), True):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, while_loading)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = inside.split(".")[: len(inside.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                # `from graphdream import errors` asks for a module, `from graphdream.errors import X` for content.
                whole = f"{base}.{alias.name}"
                yield Import(whole if whole in modules else base, node.lineno, while_loading)


def _walk(node: ast.AST, while_loading: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Yield every node, and whether it runs while its module loads: not in a function, not for type checkers only."""
    yield node, while_loading
    if isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
        for statement in node.body:
            yield from _walk(statement, False)
        for statement in node.orelse:
            yield from _walk(statement, while_loading)
        return
    deferred = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, while_loading and not deferred)


def main(arguments: list[str]) -> int:
    """Check the package named on the command line, or the one beside this folder; return the exit code."""
    package = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent / "graphdream"
    found = faults(package)
    print("\n".join(found) if found else f"{package.name}: imports go one way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
