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
VIEWS = {"WorkingMemory": LIBRARY.parent / "views" / "working.py", "Skills": LIBRARY.parent / "dream" / "skills.py"}
"""Objects that a `Graph` gives out and that go on using it: what is awaited gives out one whose methods are awaited."""
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

    @abstractmethod
    def _opened(self) -> graphdream.Graph:
        """The `Graph`, while it is open."""

'''
_PART = '''
class {owner}({above}):
    """The methods of `{owner}` with the same parameters; each runs on the memory's own thread."""

'''


_VIEW = '''"""Methods of `{owner}`, to be awaited. `tools/awaited.py` writes this from those."""

from __future__ import annotations

{imports}
from typing import Any

import graphdream
from graphdream.library.awaited.base import Memory

class Awaited{owner}:
    """The methods of `{owner}` with the same parameters; each runs on the memory's own thread."""

    def __init__(self, memory: Memory, held: graphdream.{owner}) -> None:
        self._memory, self._held = memory, held
{attributes}
'''


def written() -> dict[Path, str]:
    """The modules, as they are to be."""
    modules = {WRITTEN / f"{part}.py": _formatted(_module(part)) for part in PARTS}
    modules |= {WRITTEN / source.name: _formatted(_view(owner, source)) for owner, source in VIEWS.items()}
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


def _view(owner: str, source: Path) -> str:
    """The module of an object that a `Graph` gives out."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    (node,) = (one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == owner)
    methods = [one for one in _methods(node) if not one.decorator_list]
    text = "\n".join(_awaited(one, "self._memory.call(lambda graph: self._held") for one in methods)
    here = f"graphdream.{source.parent.name}.{source.stem}"
    own = [one.name for one in tree.body if isinstance(one, ast.ClassDef)]
    own += [target.id for one in tree.body if isinstance(one, ast.Assign) for target in one.targets
            if isinstance(target, ast.Name)]  # fmt: skip
    imports = [ast.unparse(one) for one in tree.body if isinstance(one, ast.ImportFrom) and one.module != "__future__"]
    imports.append(f"from {here} import {', '.join(sorted({*own} & {*re.findall(r'[A-Za-z_]+', text)}))}")
    attributes = [
        f"        self.{target.attr} = held.{target.attr}\n"
        for one in ast.walk(node) if isinstance(one, ast.Assign) for target in one.targets
        if isinstance(target, ast.Attribute) and not target.attr.startswith("_")
    ]  # fmt: skip
    head = _VIEW.format(owner=owner, imports="\n".join(imports), attributes="".join(attributes))
    return head + text


def _tree(part: str) -> ast.Module:
    return ast.parse((LIBRARY / f"{part}.py").read_text(encoding="utf-8"))


def _methods(owner: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    for node in owner.body:
        if not isinstance(node, ast.FunctionDef) or (node.decorator_list and _view_of(node) is None):
            continue
        if not node.name.startswith("_") and node.name not in _NOT_AWAITED:
            yield node


def _view_of(method: ast.FunctionDef) -> str | None:
    """The object with methods to be awaited that a method gives out, by its own name; None where it gives out none."""
    named = ast.unparse(method.returns).removeprefix("graphdream.") if method.returns else ""
    return named if named in VIEWS else None


def _awaited(method: ast.FunctionDef, call: str = "self.call(lambda graph: graph") -> str:
    """`async def recall(self, query: str, *, k: int = 5) -> list[Hit]`, its docstring, and the call."""
    takes = method.args
    given = [one.arg for one in takes.args[1:]]
    given += [f"*{takes.vararg.arg}"] if takes.vararg else []
    given += [f"{one.arg}={one.arg}" for one in takes.kwonlyargs]
    given += [f"**{takes.kwarg.arg}"] if takes.kwarg else []
    assert method.returns is not None
    documented = ast.get_docstring(method, clean=False)
    kind, gives, result = "async def", ast.unparse(method.returns), f"await {call}.{method.name}({', '.join(given)}))"
    if view := _view_of(method):
        gives = f"graphdream.Awaited{view}"
        if method.decorator_list:
            kind, result = "@property\n    def", f"self._opened().{method.name}"
        result = f"{gives}(self, {result})"
    return (
        f"    {kind} {method.name}({ast.unparse(takes)}) -> {gives}:\n"
        f'        """{documented}"""\n'
        f"        return {result}\n"
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
