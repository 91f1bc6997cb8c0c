"""How the shape of what a command prints with `--json` is declared: from the type of its result, or key by key."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, get_type_hints

from pydantic import Field, create_model

from graphdream.interfaces.shapes.words import WORDS

SOMETIMES = "x-sometimes"  # marks a key that is left out at times, until the schema is finished

Keys = Mapping[str, tuple[Any, str]]
"""Key -> its type, and what it says; "" for what `WORDS` says of every key of that name."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a command prints under some options.

    Attributes:
        words: the command, with what makes it print this: `plan show --clusters`.
        shape: type of what is printed.
        lines: it prints such a document on each line, however many there are, instead of one.
        note: a sentence for the page, beside what the shape says; "" for none.
    """

    words: str
    shape: Any
    lines: bool = False
    note: str = ""

    @property
    def command(self) -> str:
        """The command alone."""
        return self.words.partition(" ")[0]


def shape(name: str, says: str, keys: Keys, *, sometimes: Keys | None = None) -> Any:
    """Declare an object for which the program has no type.

    Args:
        name: as the page calls it.
        says: what it is, in a sentence.
        keys: those that are always there.
        sometimes: those that are left out where they have nothing to say.
    """
    made = {key: (type_, Field(description=words or WORDS.get(key, ""))) for key, (type_, words) in keys.items()}
    for key, (type_, words) in (sometimes or {}).items():
        made[key] = (type_, Field(description=words or WORDS.get(key, ""), json_schema_extra={SOMETIMES: True}))
    create: Any = create_model
    return create(name, __doc__=says, **made)


def printed(
    kind: type[Any], name: str = "", *, without: Collection[str] = (), also: Collection[str] = (),
    named: Mapping[str, str] | None = None, other: Keys | None = None, briefly: bool = False,
) -> Any:  # fmt: skip
    """Declare an object that is a result of the library as its command prints it.

    Args:
        kind: the dataclass or named tuple of the result.
        name: as the page calls it; "": as the program does.
        without: fields that are not printed.
        also: properties that are.
        named: field -> the key it is printed under, where that is another word.
        other: keys that are printed besides, or whose value is printed in another way.
        briefly: fields that have a default are left out where they say nothing.
    """
    hints, told = get_type_hints(kind), dict(told_of(kind))
    keys: dict[str, tuple[Any, str]] = {}
    sometimes: dict[str, tuple[Any, str]] = {}
    for field in field_names(kind):
        if field not in without:
            key = (named or {}).get(field, field)
            left_out = briefly and field not in _always(kind)
            (sometimes if left_out else keys)[key] = (hints[field], told.get(field, ""))
    for read in also:
        getter = getattr(kind, read).fget
        keys[read] = (get_type_hints(getter)["return"], told.get(read) or _lowered(first_sentence(getter)))
    return shape(name or kind.__name__, first_sentence(kind), {**keys, **(other or {})}, sometimes=sometimes)


def many(type_: Any) -> Any:
    """A list of what was declared."""
    return list[type_]


def by_name(type_: Any) -> Any:
    """An object whose keys are names and whose values are what was declared."""
    return dict[str, type_]


def either(*types: Any) -> Any:
    """One of several; None is `null`."""
    found = types[0]
    for type_ in types[1:]:
        found = found | type_
    return found


def field_names(kind: type[Any]) -> tuple[str, ...]:
    """Names of the fields of a dataclass or a named tuple."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else kind._fields


def _always(kind: type[Any]) -> frozenset[str]:
    """Names of the fields of a dataclass that have no default."""
    return frozenset(one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING)


def first_sentence(documented: object) -> str:
    """What a docstring says before its first empty line, up to the fields that it tells of, without the last dot."""
    text = " ".join((documented.__doc__ or "").partition("\n\n")[0].split())
    return in_json(re.split(r"\.(?: |$)", text)[0])


def in_json(text: str) -> str:
    """The words of a docstring with values as JSON spells them."""
    for python, json in (("None", "`null`"), ("True", "`true`"), ("False", "`false`")):
        text = re.sub(rf"(?<!`)\b{python}\b(?!`)", json, text)
    return text.replace(" () ", " `[]` ")


def told_of(kind: type[Any]) -> Iterator[tuple[str, str]]:
    """Each field that a docstring tells of, and what it tells: in a part `Attributes:`, or as `` `name`: ...``."""
    yield from told_in(kind.__doc__ or "")


def told_in(doc: str) -> Iterator[tuple[str, str]]:
    """The same of the text of a docstring."""
    head, _, tail = doc.partition("Attributes:")
    for names, says in re.findall(r"((?:`\w+`(?:, | and ))*`\w+`): ([^;.`]+)", " ".join(head.split())):
        for name in re.findall(r"\w+", names.replace(" and ", ", ")):
            yield name, in_json(says.strip())
    entry = ""
    for line in tail.splitlines():
        if re.match(r" {4,8}\w+(, \w+)*: ", line) and not re.match(r" {9}", line):
            yield from _entry(entry)
            entry = line.strip()
        elif entry and line.strip():
            entry += f" {line.strip()}"
        elif entry:
            break
    yield from _entry(entry)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def _entry(entry: str) -> Iterator[tuple[str, str]]:
    """`low, high: the bounds; rate: between them` tells of three fields."""
    for part in re.split(r"; (?=\w+: )", entry):
        names, colon, says = part.partition(": ")
        if colon:
            for name in names.split(", "):
                yield name, in_json(re.sub(r"(?<!\.)\.$", "", says.strip()))
