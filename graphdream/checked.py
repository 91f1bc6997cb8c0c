"""What public methods are given, held against their own annotations: what is of another type is told at once, in words,
and not by whatever meets it first.
"""

from __future__ import annotations

import errno
import operator
import os
from functools import wraps
from types import FunctionType

from graphdream.errors import UsageError

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from inspect import Parameter
    from typing import Any, TypeVar

    T = TypeVar("T", bound=type)
    Check = Callable[[str, Any], Any]

_LARGEST = 2**63 - 1  # what the file can hold


def checks_arguments(owner: T) -> T:
    """Have every public method of a class refuse arguments of other types than it declares, with UsageError."""
    for name, function in list(vars(owner).items()):
        if not name.startswith("_") and isinstance(function, FunctionType):
            code = function.__code__
            if code.co_argcount + code.co_kwonlyargcount > 1:
                setattr(owner, name, _checking(function))
    return owner


def _checking(function: FunctionType) -> Callable[..., Any]:
    bind: list[Any] = []  # how the signature binds arguments, found when it is first called
    checks: dict[str, Check | None] = {}  # likewise of each parameter: some types are of modules that take time to load

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if not bind:
            from inspect import signature

            bind.append(signature(function).bind)
        try:
            bound = bind[0](*args, **named)
        except TypeError:
            return function(*args, **named)  # which says what is missing or too much
        for name, given in bound.arguments.items():
            if name != "self" and given is not bound.signature.parameters[name].default:
                if name not in checks:
                    checks[name] = _check_of(function, bound.signature.parameters[name])
                check = checks[name]
                if check is not None:
                    bound.arguments[name] = check(name, given)
        return function(*bound.args, **bound.kwargs)

    return call


def _check_of(function: FunctionType, parameter: Parameter) -> Check | None:
    """The check of one parameter; None where there is none."""
    from types import SimpleNamespace
    from typing import get_type_hints

    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return None
    declared = SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    return _check_for(get_type_hints(declared, function.__globals__)[parameter.name])


def _check_for(hint: Any) -> Check | None:
    """The check of one annotation; None for what cannot be told by looking at a value."""
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path
    from types import NoneType, UnionType
    from typing import Union, get_args, get_origin

    kinds = list(get_args(hint)) if get_origin(hint) in (Union, UnionType) else [hint]
    optional = NoneType in kinds
    kinds = [kind for kind in kinds if kind is not NoneType]
    check: Check | None = None
    if len(kinds) == 1 and kinds[0] in _PLAIN:
        check = _PLAIN[kinds[0]]
    elif set(kinds) == {str, Path}:
        check = _path
    elif len(kinds) == 1 and get_origin(kinds[0]) in (Iterable, Collection, Sequence, list, tuple):
        check = _several(_PLAIN.get(get_args(kinds[0])[0]))
    else:
        check = _one_of([get_origin(kind) or kind for kind in kinds])
    if check is None or not optional:
        return check
    inner = check
    return lambda name, given: None if given is None else inner(name, given)


def _refusal(name: str, given: object, wanted: str, hint: str = "") -> UsageError:
    return UsageError(f"{name} is of type {type(given).__name__}; it should be {wanted}", hint)


def _text(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise _refusal(name, given, "text")
    try:
        given.encode()
    except UnicodeEncodeError:  # half of a character, which a host leaves where it cuts a text within one
        return "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in given)
    return given


def _whole_number(name: str, given: Any) -> int:
    try:
        number = operator.index(given)
    except TypeError:
        raise UsageError(f"{name} is a whole number, not {given!r:.60}") from None
    if abs(number) > _LARGEST:
        raise UsageError(f"{name} is larger than any number that can be kept: {number:.3g}")
    return number


def _number(name: str, given: Any) -> float:
    if not isinstance(given, int | float):
        raise _refusal(name, given, "a number")
    return given


def _path(name: str, given: Any) -> Any:
    if not isinstance(given, str | os.PathLike):
        raise _refusal(name, given, "a path")
    try:
        os.lstat(given)
    except (ValueError, OSError) as fault:  # a UnicodeError is one of the former
        if isinstance(fault, ValueError) or fault.errno == errno.ENAMETOOLONG:
            raise UsageError(f"{name} can be no path: {fault!s:.60}", "give the path of a file or folder") from None
    return given


def _several(one: Check | None) -> Check:
    """Of a list; its items are looked at where `one` says how."""

    def check(name: str, given: Any) -> Any:
        if one is not None and isinstance(given, str):
            raise UsageError(f"{name} is one text; it should be a list", f"{name}=[{given!r:.60}]")
        if not hasattr(given, "__iter__"):
            raise _refusal(name, given, "a list")
        return given if one is None else tuple(one(f"an item of {name}", item) for item in given)

    return check


def _one_of(kinds: Iterable[Any]) -> Check | None:
    """Of a few classes; None where one of them is none, or tells by its methods only."""
    from pathlib import Path

    classes = tuple(kinds)
    if not all(isinstance(one, type) and one.__module__ != "typing" and not _is_protocol(one) for one in classes):
        return None
    wanted = " or ".join("text" if kind is str else kind.__name__ for kind in classes)

    def check(name: str, given: Any) -> Any:
        if not isinstance(given, classes):
            raise _refusal(name, given, wanted)
        return _path(name, given) if Path in classes and isinstance(given, str) else given

    return check


def _is_protocol(kind: type) -> bool:
    return bool(getattr(kind, "_is_protocol", False)) and kind.__module__ != "collections.abc"


_PLAIN: Mapping[Any, Check] = {str: _text, int: _whole_number, float: _number}
