"""From the text of a line to the row it stands for, or to the sentence that says why it cannot be one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from graphdream.events.adding import summary_digest
from graphdream.graph.names import canonical, canonical_text, text_digest
from graphdream.interfaces.importers.grammar import BY_NAME, FORMATS, KINDS, Kind, Value

Row = list[Value]

_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_SURROUND = 60  # characters of a value that a message quotes
_IGNORED_NAMES = 100  # a file of nothing but new field names must not fill the memory


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


_DECODE = json.JSONDecoder(parse_constant=_no_number).raw_decode
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


def parse(text: str) -> dict[str, Any]:
    """Read one line, without white space around it.

    Raises:
        ValueError: it is not a JSON object, is nested too deep, or has text that no UTF-8 file can hold.
    """
    try:
        line, end = _DECODE(text)
        if end != len(text):
            raise json.JSONDecodeError("Extra data", text, end)
        # The decoder takes escaped text that cannot be stored: half a surrogate pair, or a NUL, at which some
        # programs end a text.
        if "\\u" in text:
            encoded = _ENCODE(line)
            encoded.encode()
            if _NUL.search(encoded):
                raise ValueError("has a NUL character in a text")
    except json.JSONDecodeError as fault:
        raise ValueError(f"is not JSON: {fault.msg}, at character {fault.pos + 1}") from None
    except UnicodeEncodeError:
        raise ValueError("has half a surrogate pair in a text") from None
    except RecursionError:
        raise ValueError("is nested too deep") from None
    if type(line) is not dict:
        raise ValueError("is not a JSON object")
    return line


class RowReader:
    """Turns lines into rows of the staging tables.

    Attributes:
        lines_by_plural: number of lines of each kind so far, by the names that the meta line uses.
        ignored: fields that are no part of the format, as "kind.field", with their number; the first hundred.
        meta: the meta line, with its number; None until it is met.
    """

    def __init__(self) -> None:
        self.lines_by_plural: Counter[str] = Counter()
        self.ignored: Counter[str] = Counter()
        self.meta: tuple[int, dict[str, Any]] | None = None
        self._readers = {kind.name: _Reader(kind, self.ignored) for kind in KINDS}

    def read(self, number: int, line: dict[str, Any]) -> tuple[Kind, Row] | None:
        """The kind and the row of a line, its columns as `columns` gives them; None for the meta line.

        Raises:
            ValueError: the line is not what the format wants; the message is what follows "line 12: ".
        """
        word = line.get("kind")
        if word == "meta":
            self._read_meta(number, line)
            return None
        kind = BY_NAME.get(word) if type(word) is str else None
        if word == "absorbed":
            word = line.get("of")
            kind = BY_NAME.get(word) if type(word) is str else None
            if kind is None or not kind.has_fate:
                raise ValueError(f"an absorbed row is `of` {_list(_fated())}, not {_quoted(word)}")
            self.lines_by_plural[kind.plural] += 1
            if line.get("into") is None:
                raise ValueError("`into` is missing")
        elif kind is None:
            raise ValueError(f"`kind` is {_list(sorted(BY_NAME))}, not {_quoted(word)}")
        else:
            self.lines_by_plural[kind.plural] += 1
        return kind, self._readers[kind.name].row(line)

    def _read_meta(self, number: int, line: dict[str, Any]) -> None:
        if self.meta is not None:
            raise ValueError(f"is a second meta line; the first is line {self.meta[0]:,}")
        if line.get("format") not in FORMATS:
            raise ValueError(f"the format is {_quoted(line.get('format'))}; this program reads {_list(FORMATS)}")
        self.meta = number, line

    def miscounts(self) -> list[str]:
        """Where the meta line's counts are not those of the file, in words: a sign that lines are missing."""
        if self.meta is None:
            return []
        return [
            f"the meta line counts {said:,} {plural}, the file has {self.lines_by_plural[plural]:,}: is it cut short?"
            for plural in (kind.plural for kind in KINDS)
            if type(said := self.meta[1].get(plural)) is int and said != self.lines_by_plural[plural]
        ]


def columns(kind: Kind) -> tuple[str, ...]:
    """The columns of a kind's rows: those its fields fill, then those worked out from them."""
    return kind.columns + _DERIVED_COLUMNS.get(kind.name, ())


# Worked out here and never read from a file, so that one rule holds for all rows.
_DERIVED_COLUMNS = {
    "entity": ("canonical",),
    "alias": ("canonical",),
    "aspect": ("canonical",),
    "attribute": ("digest",),
    "session_summary": ("digest",),
}


class _Reader:
    """Reads the lines of one kind."""

    def __init__(self, kind: Kind, ignored: Counter[str]) -> None:
        self._kind, self._ignored = kind, ignored
        names = columns(kind)
        self._at = {name: index for index, name in enumerate(names)}
        self._defaults: Row = [None] * len(names)
        self._fields: dict[str, tuple[int, Callable[[Any], Value]]] = {"kind": (-1, _known)}
        for field in kind.fields:
            index = self._at[field.column] if field.column else -1
            self._fields[field.name] = index, field.check
            if field.column:
                self._defaults[index] = field.default
        self._required = [(field.name, self._at[field.column]) for field in kind.fields if field.required]
        self._like = [(field.name, self._at[field.column], self._at[field.like]) for field in kind.fields if field.like]
        self._fated = kind.has_fate
        self._absorbed = self._at.get("absorbed_into", 0)
        self._superseded = self._at.get("superseded_by", self._absorbed)
        self._finish = _FINISH.get(kind.name)

    def row(self, line: Mapping[str, Any]) -> Row:
        row, fields = self._defaults.copy(), self._fields
        for name, value in line.items():
            known = fields.get(name)
            if known is None:
                self._ignore(name)
            elif value is not None:
                index, check = known
                try:
                    converted = check(value)
                except ValueError as fault:
                    raise ValueError(f"`{name}` {fault}") from None
                if index >= 0:
                    row[index] = converted
        for name, index in self._required:
            if row[index] is None:
                raise ValueError(f"`{name}` is missing")
        for name, index, other in self._like:
            if name not in line:
                row[index] = row[other]
        if self._fated and ("removed" in line or row[self._absorbed] is not None or row[self._superseded] is not None):
            self._settle(line, row)
        if self._finish:
            self._finish(row, self._at)
        return row

    def _ignore(self, name: str) -> None:
        known = f"{self._kind.name}.{name[:_SURROUND]}"
        if known in self._ignored or len(self._ignored) < _IGNORED_NAMES:
            self._ignored[known] += 1

    def _settle(self, line: Mapping[str, Any], row: Row) -> None:
        """Work out the status from the fields that tell how a row ended."""
        at = self._at
        removed = line.get("removed")
        if row[at["absorbed_into"]] is not None:
            row[at["status"]] = "absorbed"
        elif removed is not None and line.get("status") is None:
            row[at["status"]] = "archived"
        if removed is not None and row[at["status"]] == "archived" and line.get("status_reason") is None:
            row[at["status_reason"]] = removed
        if "superseded_by" in at and row[at["superseded_by"]] is not None and row[at["status"]] != "superseded":
            raise ValueError(f"`superseded_by` is given, but the status is {row[at['status']]}")


def _known(value: Any) -> None:
    return None


def _name(row: Row, at: Mapping[str, int]) -> None:
    row[at["canonical"]] = folded = canonical(str(row[at["name"]]))
    if not folded:
        raise ValueError("`name` is blank")


def _fact(row: Row, at: Mapping[str, int]) -> None:
    content = str(row[at["content"]])
    if not canonical_text(content):
        raise ValueError("`content` is blank")
    row[at["digest"]] = text_digest(content)


def _summary(row: Row, at: Mapping[str, int]) -> None:
    row[at["digest"]] = summary_digest(str(row[at["content"]]))


def _pair(row: Row, at: Mapping[str, int]) -> None:
    """A pair has no order: it is read and written with the smaller id first, so that it is one pair both ways."""
    first, second = sorted((str(row[at["first_id"]]), str(row[at["second_id"]])))
    if first == second:
        raise ValueError("`first_id` and `second_id` are the same")
    row[at["first_id"]], row[at["second_id"]] = first, second


_FINISH: dict[str, Callable[[Row, Mapping[str, int]], None]] = {
    "entity": _name,
    "alias": _name,
    "aspect": _name,
    "attribute": _fact,
    "session_summary": _summary,
    "distinct": _pair,
    "contradiction": _pair,
}


def _fated() -> list[str]:
    return [kind.name for kind in KINDS if kind.has_fate]


def _list(words: list[str] | tuple[str, ...]) -> str:
    return f"one of {', '.join(words)}"


def _quoted(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= _SURROUND else said[:_SURROUND] + "…"
