#!/usr/bin/env python3
"""Write `graphdream/library/awaited.py`: every method of `Graph` as one to be awaited, with the same parameters.

    python tools/awaited.py            # writes it anew; a test says when that is due

Derived from the source of `graphdream/library`: an editor and mypy know the methods, and nobody writes one twice.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent / "graphdream" / "library"
PARTS = ("base", "experience", "dreaming", "cycle", "journal", "knowledge")
WRITTEN = LIBRARY / "awaited.py"
_NOT_AWAITED = {"close"}  # ends the thread as well: `AsyncGraph` has its own

_HEAD = '''"""Every method of `Graph`, to be awaited. Written by `python tools/awaited.py`; mend those, not this."""

from __future__ import annotations

{imports}


class Awaited(ABC):
    """The methods of `Graph` with the same parameters; each runs on the memory's own thread."""

    @abstractmethod
    async def call(self, function: Callable[[Graph], T]) -> T:
        """Run a function with the `Graph` on its thread, for what takes several calls."""
'''


def written() -> str:
    """The module, as it is to be."""
    methods = "\n".join(_awaited(method) for part in PARTS for method in _methods(_tree(part)))
    used = set(re.findall(r"\w+", methods))
    loaded, checked = _imports(used)
    imports = [
        "from abc import ABC, abstractmethod",
        *loaded,
        "from typing import TYPE_CHECKING, Any, Literal, TypeVar",
        "",
        "if TYPE_CHECKING:",
        *(f"    {line}" for line in [*checked, "from graphdream.library import Graph"]),
        "",
        'T = TypeVar("T")',
    ]
    return _formatted(_HEAD.format(imports="\n".join(imports)) + "\n" + methods)


def _tree(part: str) -> ast.Module:
    return ast.parse((LIBRARY / f"{part}.py").read_text(encoding="utf-8"))


def _methods(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    (owner,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    for node in owner.body:
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            continue
        if not node.name.startswith("_") and node.name not in _NOT_AWAITED:
            yield node


def _awaited(method: ast.FunctionDef) -> str:
    """`async def recall(self, query: str, *, k: int = 5) -> list[Hit]`, its docstring, and the call."""
    takes = method.args
    given = [one.arg for one in takes.args[1:]]
    given += [f"*{takes.vararg.arg}"] if takes.vararg else []
    given += [f"{one.arg}={one.arg}" for one in takes.kwonlyargs]
    assert takes.kwarg is None and method.returns is not None
    documented = ast.get_docstring(method, clean=False)
    return (
        f"    async def {method.name}({ast.unparse(takes)}) -> {ast.unparse(method.returns)}:\n"
        f'        """{documented}"""\n'
        f"        return await self.call(lambda graph: graph.{method.name}({', '.join(given)}))\n"
    )


def _imports(used: set[str]) -> tuple[list[str], list[str]]:
    """The imports of the parts that the signatures need: those of the standard library, and those for type checkers."""
    loaded: dict[str, set[str]] = {"collections.abc": {"Callable"}}
    checked: dict[str, set[str]] = {}
    whole = set()
    for part in PARTS:
        for node in ast.walk(_tree(part)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module not in ("__future__", "typing"):
                names = {alias.name for alias in node.names} & used
                if names and all(name[:1].isupper() for name in names):
                    place = checked if node.module.startswith("graphdream") else loaded
                    place.setdefault(node.module, set()).update(names)
            elif isinstance(node, ast.Import):
                whole |= {f"import {alias.name}" for alias in node.names if alias.name in used - {"threading"}}
    lines = [[f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(place.items())]
             for place in (loaded, checked)]  # fmt: skip
    return lines[0], [*sorted(whole), *lines[1]]


def _formatted(text: str) -> str:
    """As the linter leaves it."""
    ruff = [sys.executable, "-m", "ruff"]
    for words in (["format"], ["check", "--fix", "--exit-zero"], ["format"]):
        command = [*ruff, *words, "--quiet", "--stdin-filename", str(WRITTEN), "-"]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    return text


def main() -> int:
    """Write the module anew."""
    WRITTEN.write_text(written(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
