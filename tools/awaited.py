#!/usr/bin/env python3
"""Write `graphdream/library/awaited`: every method of `Graph` as one to be awaited, with the same parameters.

    python tools/awaited.py            # writes its modules anew; a test says when that is due

Derived from the source of `graphdream/library`, a module from each of its parts: an editor and mypy know the methods,
and nobody writes one twice.
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
WRITTEN = LIBRARY / "awaited"
_NOT_AWAITED = {"close"}  # ends the thread as well: `AsyncGraph` has its own

_HEAD = '''"""Methods of `graphdream.library.{part}`, to be awaited. `tools/awaited.py` writes this from those."""

from __future__ import annotations

{imports}

'''
_ROOT = '''T = TypeVar("T")


class {owner}(ABC):
    """What each part stands on."""

    @abstractmethod
    async def call(self, function: Callable[[graphdream.Graph], T]) -> T:
        """Run a function with the `Graph` on its thread, for what takes several calls."""

'''
_PART = '''
class {owner}({above}):
    """The methods of `{owner}` with the same parameters; each runs on the memory's own thread."""

'''


def written() -> dict[Path, str]:
    """The modules, as they are to be."""
    modules = {WRITTEN / f"{part}.py": _formatted(_module(part)) for part in PARTS}
    return {WRITTEN / "__init__.py": '"""The methods of `Graph`, each to be awaited."""\n', **modules}


def _module(part: str) -> str:
    (owner,) = (node for node in _tree(part).body if isinstance(node, ast.ClassDef))
    above = [ast.unparse(base) for base in owner.bases]
    methods = "\n".join(_awaited(method) for method in _methods(owner))
    imports = [*_imports(part, {*above, *re.findall(r"\w+", methods)}), "from typing import Any, Literal, TypeVar"]
    if not above:
        imports += ["from abc import ABC, abstractmethod", "from collections.abc import Callable"]
    head = _PART if above else _ROOT
    return (_HEAD + head).format(
        part=part, imports="\n".join(imports), owner=owner.name, above=", ".join(above)
    ) + methods


def _tree(part: str) -> ast.Module:
    return ast.parse((LIBRARY / f"{part}.py").read_text(encoding="utf-8"))


def _methods(owner: ast.ClassDef) -> Iterator[ast.FunctionDef]:
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


def _imports(part: str, used: set[str]) -> list[str]:
    """The imports that the signatures of a part need. They name the program's own types by way of `graphdream`, which
    loads each when it is asked for, so that these are of the standard library, and the parts below."""
    found: list[str] = []
    for node in ast.walk(_tree(part)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module not in ("__future__", "typing"):
            names = {alias.name for alias in node.names} & used
            if names and all(name[:1].isupper() for name in names):
                module = node.module.replace("graphdream.library.", "graphdream.library.awaited.")
                if module != node.module or not module.startswith("graphdream"):
                    found.append(f"from {module} import {', '.join(sorted(names))}")
        elif isinstance(node, ast.Import):
            found += [f"import {alias.name}" for alias in node.names if alias.name in used - {"threading"}]
    return found


def _formatted(text: str) -> str:
    """As the linter leaves it."""
    ruff = [sys.executable, "-m", "ruff"]
    for words in (["format"], ["check", "--fix", "--exit-zero"], ["format"]):
        command = [*ruff, *words, "--quiet", "--stdin-filename", str(WRITTEN / "part.py"), "-"]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    return text


def main() -> int:
    """Write the modules anew."""
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
