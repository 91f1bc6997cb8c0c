"""Every pass kind: one for each module in `graphdream.passes.kinds`, in the order in which a cycle runs them.

A module of a kind ends in its declaration, `PASS = PassKind(...)`.
"""

from __future__ import annotations

from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

from graphdream.bounded import whole_text
from graphdream.errors import GraphdreamError, NotFoundError
from graphdream.passes.protocol import PassKind

LONGEST_DIRECTIVE = 200_000  # characters; a task prompt of 50,000 tokens is a mistake


class Directive(NamedTuple):
    """A task prompt; `origin` is "shipped", or "agent" where the agent's folder has one of its own."""

    text: str
    origin: str
    digest: str


class DirectiveError(GraphdreamError):
    """The agent's own directive of a pass cannot be used."""

    exit_code = 2


def kinds() -> tuple[PassKind, ...]:
    """Every kind, by place and name."""
    from graphdream.passes import kinds as package

    found = [
        (import_module(f"{package.__name__}.{module.name}"), module.name) for module in iter_modules(package.__path__)
    ]
    declared: dict[str, PassKind] = {}
    for module, name in found:
        kind: PassKind = module.PASS
        if kind.name in declared:
            raise ValueError(f"there are two passes called {kind.name}; the second is in {name}")
        object.__setattr__(kind, "module", str(module.__file__))
        declared[kind.name] = kind
    return tuple(sorted(declared.values(), key=lambda kind: (kind.place, kind.name)))


def kind_named(name: str) -> PassKind:
    """A kind by name. Raises NotFoundError, naming those there are."""
    known = {kind.name: kind for kind in kinds()}
    if name not in known:
        raise NotFoundError(f"there is no pass called {name!r}", f"there are {', '.join(known)}")
    return known[name]


def read_directive(kind: PassKind, folder: Path | None) -> Directive:
    """The task prompt of a kind: the agent's own, which replaces the shipped one whole, else that one. Read anew at
    each run.

    Raises:
        DirectiveError: the agent's own is empty, no text, or cannot be read.
    """
    own = folder / kind.directive if folder is not None else None
    # What stands there and is no file, such as a folder or a link that leads nowhere, was meant to count.
    origin = "agent" if own is not None and (own.exists() or own.is_symlink()) else "shipped"
    path = own if own is not None and origin == "agent" else Path(kind.module).parent / kind.directive
    try:
        text = whole_text(path, encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as fault:
        why = getattr(fault, "strerror", None) or "it is no UTF-8 text"
        raise DirectiveError(f"the directive {path} cannot be read: {why}", "mend or remove it") from fault
    if not text or "\x00" in text or len(text) > LONGEST_DIRECTIVE:
        what = "empty" if not text else "no text" if "\x00" in text else f"longer than {LONGEST_DIRECTIVE:,} characters"
        raise DirectiveError(f"the directive {path} is {what}", "mend or remove it")
    return Directive(text, origin, blake2b(text.encode(), digest_size=16).hexdigest())


def schema_of(kind: PassKind) -> dict[str, Any]:
    """The JSON Schema of the answers that a kind accepts. Raises NotFoundError where it asks no model."""
    if kind.answer is None:
        raise NotFoundError(f"the pass {kind.name} asks no model")
    return kind.answer.model_json_schema(by_alias=True)
