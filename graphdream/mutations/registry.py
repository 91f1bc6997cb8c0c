"""Every operation there is: one for each module in `graphdream.mutations.ops`, and what a program has registered.

A module of an operation ends in its declaration, `OP = Op(...)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from pydantic import TypeAdapter

from graphdream.mutations.base import Mutation
from graphdream.mutations.op import Op, Task

_registered: dict[str, Op] = {}


def ops() -> tuple[Op, ...]:
    """Every operation, by name."""
    _discover()
    return tuple(op for _, op in sorted(_registered.items()))


def op_of(mutation: Mutation) -> Op:
    """The operation of a mutation."""
    return op_named(mutation.op)


def op_named(name: str) -> Op:
    """An operation by its name. Raises KeyError where there is none."""
    _discover()
    return _registered[name]


def proposable() -> tuple[Op, ...]:
    """The operations that a pass may propose, by name."""
    return tuple(op for op in ops() if op.by == "pass")


def adds(name: object) -> bool:
    """Whether this names an operation that takes nothing away."""
    _discover()
    return isinstance(name, str) and name in _registered and _registered[name].adds


def told(task: Task) -> tuple[str, ...]:
    """Names of the operations that a model is told of with a task."""
    return tuple(op.name for op in ops() if task in op.told)


@cache
def _discover() -> None:
    from graphdream.mutations import ops as package

    for found in iter_modules(package.__path__):
        register(import_module(f"{package.__name__}.{found.name}").OP)


def register(op: Op) -> None:
    """Add an operation.

    Raises:
        ValueError: there is another one of that name.
    """
    if _registered.setdefault(op.name, op) is not op:
        raise ValueError(f"there is a mutation {op.name} already")


@contextmanager
def registered(op: Op) -> Iterator[Op]:
    """Add an operation for a while."""
    ops()
    register(op)
    try:
        yield op
    finally:
        del _registered[op.name]


def typed(body: Any) -> Mutation:
    """A mutation from an object with `op`.

    Raises:
        pydantic.ValidationError: it is none; each fault has its place, behind the name of the operation.
    """
    mutation: Mutation = _adapter(ops()).validate_python(body)
    return mutation


@lru_cache(maxsize=4)
def _adapter(known: tuple[Op, ...]) -> TypeAdapter[Any]:
    return TypeAdapter(union(known))


def union(known: tuple[Op, ...]) -> Any:
    """The typed union of operations, told apart by `op`."""
    from typing import Annotated, Union

    from pydantic import Field

    return Annotated[Union[tuple(op.kind for op in known)], Field(discriminator="op")]  # noqa: UP007
