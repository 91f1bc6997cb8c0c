"""Figures go where people read them: between two marks of a page, written by the command that measures them."""

from __future__ import annotations

from pathlib import Path


def write_between(page: Path, marks: tuple[str, str], text: str) -> None:
    """Put a report between the marks of a page.

    Raises:
        ValueError: the page has no such marks.
    """
    before, _, rest = page.read_text(encoding="utf-8").partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not end:
        raise ValueError(f"{page} has no marks {marks}")
    page.write_text(f"{before}{marks[0]}\n\n{text}\n\n{marks[1]}{after}", encoding="utf-8")
