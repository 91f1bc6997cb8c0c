"""What each source says about the settings: a file, the environment, flags.

A layer is read against the settings model, so that a key nobody knows is named where it stands, with its line and the
key that was probably meant. The model itself is config.py's.
"""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from graphdream.bounded import whole_text
from graphdream.marked_yaml import Marked, YamlFault, parse_yaml

KeyPath = tuple[str, ...]
"""A setting by the names of its fields: ("memory", "dreaming", "token_threshold")."""

ENVIRONMENT_PREFIX = "GRAPHDREAM_"
# What the environment and flags may leave out: `GRAPHDREAM_DREAMING__MODEL` is `memory.dreaming.model`.
_SHORT_SECTIONS: Mapping[str, KeyPath] = {
    "dreaming": ("memory", "dreaming"),
    "cycle": ("memory", "cycle"),
    "witness": ("memory", "witness"),
}

_values = reprlib.Repr()
_values.maxlevel = 2  # aliases can make a short file hold an endless value


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """Where something stands: a file with a line from 1, a variable, or the flags."""

    source: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}" if self.line else self.source


@dataclass(frozen=True, slots=True)
class Given:
    """A value as a source gives it, and how its key is spelled there."""

    value: Any
    place: Place
    spelling: str


@dataclass(frozen=True, slots=True)
class Layer:
    """What one source sets, and what was wrong with the rest of it."""

    given: dict[KeyPath, Given] = field(default_factory=dict)
    faults: list[tuple[Place, str]] = field(default_factory=list)

    def add(self, key: KeyPath, given: Given) -> None:
        """Take a value; a second one for the same setting is a fault, whichever way it is spelled."""
        if key in self.given:
            self.fault(given.place, f"{given.spelling} is set twice, first at {self.given[key].place}")
        else:
            self.given[key] = given

    def fault(self, place: Place, message: str) -> None:
        """Note that something is wrong."""
        self.faults.append((place, message))

    def values(self) -> dict[KeyPath, Any]:
        """Return the values without their places."""
        return {key: given.value for key, given in self.given.items()}

    def all_faults(self, model: type[BaseModel]) -> list[str]:
        """Return a line for each fault, those that `model` finds in the values among them, in the source's order."""
        faults = {*self.faults, *self._value_faults(model)}
        return [f"{place}: {message}" for place, message in sorted(faults)]

    def _value_faults(self, model: type[BaseModel]) -> Iterator[tuple[Place, str]]:
        try:
            model.model_validate(nested(self.values()))
        except ValidationError as error:
            for fault in error.errors(include_url=False):
                key = tuple(str(part) for part in fault["loc"])
                while key not in self.given:  # a fault inside a list is told at the list, and once
                    key = key[:-1]
                given = self.given[key]
                if fault["type"] == "value_error":
                    # The model's own words are enough; the value may be a secret in the wrong place.
                    yield given.place, f"{given.spelling} {fault['ctx']['error']}"
                else:
                    expected = fault["msg"].removeprefix("Input ")
                    found = _values.repr(given.value)
                    yield given.place, f"{given.spelling} {expected}, found {found} ({_meaning(model, key)})"


def nested(values: Mapping[KeyPath, Any]) -> dict[str, Any]:
    """Turn values by key path into sections within sections."""
    tree: dict[str, Any] = {}
    for key, value in values.items():
        section = tree
        for name in key[:-1]:
            section = section.setdefault(name, {})
        section[key[-1]] = value
    return tree


def file_layer(path: Path, model: type[BaseModel], *, others: Mapping[KeyPath, frozenset[str]]) -> Layer:
    """Read a YAML file.

    Args:
        path: the file.
        model: the settings.
        others: keys of another program that may stand in each section; they are passed over unread.
    """
    layer = Layer()
    try:
        document = parse_yaml(whole_text(path, encoding="utf-8-sig"))
    except OSError as error:
        layer.fault(Place(str(path)), f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        found = f"byte {error.object[error.start]:#04x} at offset {error.start}"
        layer.fault(Place(str(path)), f"should be UTF-8, found {found}")
    except YamlFault as fault:
        layer.fault(Place(str(path), fault.line), f"should be YAML, found this: {fault}")
    else:
        if document is not None:
            _read_section(layer, document, model, key=(), spelling="", path=path, others=others)
    return layer


def environment_layer(environ: Mapping[str, str], model: type[BaseModel]) -> Layer:
    """Read the variables `GRAPHDREAM_SECTION__KEY`; those without a double underscore are no settings.

    Values are YAML, so a list is `[A.md, B.md]`; an empty one is not set.
    """
    layer = Layer()
    for variable in sorted(environ):
        name = variable.removeprefix(ENVIRONMENT_PREFIX)
        if name == variable or "__" not in name or not environ[variable]:
            continue
        place = Place(f"${variable}")
        key = _find(name.lower().split("__"), model, layer, place=place, spell=str.upper)
        if key is None:
            continue
        try:
            document = parse_yaml(environ[variable])
            layer.add(key, Given(document and document.data(), place, ".".join(key)))
        except YamlFault as fault:
            layer.fault(place, f"should be YAML, found this: {fault}")
    return layer


def flag_layer(flags: Mapping[str, object], model: type[BaseModel]) -> Layer:
    """Take the values of command-line options under dotted keys (`dreaming.model`); None values were not given."""
    layer = Layer()
    for dotted, value in flags.items():
        if value is None:
            continue
        key = _find(dotted.split("."), model, layer, place=Place("flag"), spell=str)
        if key is not None:
            layer.add(key, Given(value, Place("flag"), dotted))
    return layer


def _read_section(
    layer: Layer,
    section: Marked,
    model: type[BaseModel],
    *,
    key: KeyPath,
    spelling: str,
    path: Path,
    others: Mapping[KeyPath, frozenset[str]],
) -> None:
    entries = section.entries()
    if entries is None:
        # Everything in a section commented out leaves nothing, which is not wrong.
        if not section.is_null():
            message = f"{spelling or 'the file'} should be a section that holds {_one_of(_camel(model))}"
            layer.fault(Place(str(path), section.line), message)
        return
    names = _names(model)
    for entry in entries:
        if entry.key in others.get(key, ()):
            continue
        place, dotted = Place(str(path), entry.line), f"{spelling}.{entry.key}".removeprefix(".")
        name = names.get(entry.key)
        if name is None:
            layer.fault(place, f"{dotted} is not a setting; {_suggestion(entry.key, _camel(model))}")
        elif below := _section(model, name):
            _read_section(layer, entry, below, key=(*key, name), spelling=dotted, path=path, others=others)
        else:
            try:
                layer.add((*key, name), Given(entry.data(), place, dotted))
            except YamlFault as fault:
                layer.fault(Place(str(path), fault.line), f"{dotted} should be plain data, found this: {fault}")


def _find(
    parts: Sequence[str], model: type[BaseModel], layer: Layer, *, place: Place, spell: Callable[[str], str]
) -> KeyPath | None:
    """Look a setting up by its parts; what is no setting becomes a fault of the layer."""
    names = [*_SHORT_SECTIONS.get(parts[0], parts[:1]), *parts[1:]]
    current: type[BaseModel] | None = model
    for depth, name in enumerate(names):
        if current is None:
            layer.fault(place, f"{names[depth - 1]} has no parts, found {spell(name)}")
            return None
        if name not in current.model_fields:
            choices = [spell(known) for known in (*current.model_fields, *(_SHORT_SECTIONS if depth == 0 else ()))]
            layer.fault(place, f"{spell(name)} is not a setting; {_suggestion(spell(name), choices)}")
            return None
        current = _section(current, name)
    if current is not None:
        layer.fault(place, f"is a section; expected {_one_of([spell(name) for name in current.model_fields])} in it")
        return None
    return tuple(names)


def _names(model: type[BaseModel]) -> dict[str, str]:
    """Return the field's name for both spellings of it."""
    return dict(zip(_camel(model), model.model_fields, strict=True)) | {name: name for name in model.model_fields}


def _camel(model: type[BaseModel]) -> list[str]:
    return [info.alias or name for name, info in model.model_fields.items()]


def _section(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    annotation = model.model_fields[name].annotation
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _meaning(model: type[BaseModel], key: KeyPath) -> str:
    for name in key[:-1]:
        model = _section(model, name) or model
    return model.model_fields[key[-1]].description or ""


def _suggestion(key: str, choices: Sequence[str]) -> str:
    close = difflib.get_close_matches(key, choices, n=1)
    return f"did you mean {close[0]}?" if close else f"expected {_one_of(choices)}"


def _one_of(choices: Sequence[str]) -> str:
    return choices[0] if len(choices) == 1 else "one of " + ", ".join(choices)
