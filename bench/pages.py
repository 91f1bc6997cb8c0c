"""Figures on a page of the documentation, between marks that name the command which wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def table(rows: Sequence[Sequence[str]]) -> str:
    """A markdown table, the first row its head."""
    head, *body = rows
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *body])


def write_between(page: Path, text: str, marks: tuple[str, str]) -> None:
    """Put a text between the two marks of a page.

    Raises:
        ValueError: the page has no such marks.
    """
    before, first, rest = page.read_text(encoding="utf-8").partition(marks[0])
    _, last, after = rest.partition(marks[1])
    if not first or not last:
        raise ValueError(f"{page} has no marks {marks}")
    page.write_text(f"{before}{first}\n\n{text}\n\n{last}{after}", encoding="utf-8")
