"""What commands print: JSON for programs, plain aligned text for people. Nothing heavy is loaded for it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from graphdream.shown import json_shown, printable


def print_json(value: Any, *, stream: TextIO | None = None) -> None:
    """Print a value as indented JSON, keys in the order given."""
    print(json_text(value, indent=2), file=stream or sys.stdout)


def json_text(value: Any, *, indent: int | None = None) -> str:
    """A value as JSON, as it is stored; signs that would steer whatever it is shown on stand as escapes."""
    return json_shown(json.dumps(value, ensure_ascii=False, indent=indent))


def is_watched() -> bool:
    """Whether a person reads what is printed."""
    try:
        return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):
        return False


def table(rows: Iterable[Sequence[object]], headings: Sequence[str] = ()) -> str:
    """Lay out rows in columns.

    Args:
        rows: as many cells each as there are headings; None is shown as nothing, numbers stand to the right. For a
            person at a terminal a table with headings is fitted to its width.
        headings: one for each column; none leaves the heading out.

    Returns:
        Lines ending in a line feed each; "" for no rows and no headings.
    """
    shown = [[_cell(value) for value in row] for row in rows]
    numeric = [all(right for _, right in column) for column in zip(*shown, strict=True)]
    if headings and is_watched():
        from graphdream.interfaces.terminal import laid_out

        return laid_out([[text for text, _ in row] for row in shown], headings, numeric or [False] * len(headings))
    lines = [list(headings)] if headings else []
    lines += [[text for text, _ in row] for row in shown]
    widths = [max(width_of(text) for text in column) for column in zip(*lines, strict=True)]
    return "".join(_line(line, widths, numeric or [False] * len(widths)) for line in lines)


def fields(pairs: Mapping[str, object], *, width: int | None = None) -> str:
    """Lay out names and values, one pair a line; pairs whose value is None are left out.

    Args:
        width: columns of a line; a value that is longer goes on below itself. None leaves each in one line.
    """
    told = {name: printable(str(value)) for name, value in pairs.items() if value is not None}
    if width is None or not told:
        return table(told.items())
    room = width - max(map(width_of, told)) - 2
    return table(
        (name if at == 0 else "", line) for name, value in told.items() for at, line in enumerate(wrapped(value, room))
    )


def plural(count: int, noun: str, several: str = "") -> str:
    """`1 turn`, `2 turns`, `12,000 turns`; `several` where the plural is not made with an s."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def shortened(text: str, room: int) -> str:
    """A text in so many columns of a terminal; where it is longer, an ellipsis ends it."""
    if width_of(text) <= room:
        return text
    kept, used = "", 1
    for sign in text:
        used += width_of(sign)
        if used > room:
            break
        kept += sign
    return kept.rstrip() + "…"


def wrapped(text: str, width: int, *, indent: str = "") -> list[str]:
    """A text as lines of so many columns, broken between words, and within a word only where it fills a line.

    Args:
        indent: stands before every line but the first.
    """
    lines = [""]
    for word in re.findall(r"\s*\S+", text):
        if width_of(lines[-1] + word) > width and lines[-1].strip():
            lines.append("")
            word = indent + word.lstrip()
        lines[-1] += word
        while width_of(lines[-1]) > width:
            end = max(len(indent) + 1, _signs_within(lines[-1], width))
            lines[-1:] = [lines[-1][:end], indent + lines[-1][end:]]
    return lines


def _signs_within(text: str, width: int) -> int:
    """How many signs of a text fit into so many columns."""
    used = 0
    for at, sign in enumerate(text):
        used += width_of(sign)
        if used > width:
            return at
    return len(text)


def _cell(value: object) -> tuple[str, bool]:
    if value is None:
        return "", True
    if isinstance(value, bool):
        return ("yes" if value else "no"), False
    if isinstance(value, int):
        return f"{value:,}", True
    if isinstance(value, float):
        return f"{value:,.4g}", True
    return printable(str(value)), False


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = []
    for cell, width, right in zip(cells, widths, numeric, strict=True):
        blanks = " " * (width - width_of(cell))
        padded.append(blanks + cell if right else cell + blanks)
    return "  ".join(padded).rstrip() + "\n"


def width_of(text: str) -> int:
    """Columns of a terminal that a text takes: two for a wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)
