"""What a person at a terminal sees besides the words: emphasis, tables that fit, and a pager for what is long.

Whatever is piped or written to a file stays plain text. `NO_COLOR` (no-color.org) leaves emphasis out; the pager is
`GRAPHDREAM_PAGER`, else `PAGER`, else `less`, and none where the variable is empty.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from shutil import get_terminal_size, which

from graphdream.interfaces.guarded import harmless
from graphdream.interfaces.output import is_watched

_LESS = "FRX"  # as git has it: end where one screen holds it all, show colours, leave the text on the screen


def strong(text: str) -> str:
    """A text in bold for a person, as it is for a program."""
    if not text or not is_watched() or os.environ.get("NO_COLOR"):
        return text
    from rich.color import ColorSystem
    from rich.style import Style

    return Style(bold=True).render(text, color_system=ColorSystem.STANDARD)


def laid_out(rows: Sequence[Sequence[str]], headings: Sequence[str], to_the_right: Sequence[bool]) -> str:
    """A table that fits the terminal: what is too long goes on in the next line of its cell."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading, right in zip(headings, to_the_right, strict=True):
        drawn.add_column(heading, justify="right" if right else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*map(Text, row))
    out = StringIO()
    Console(
        file=out, force_terminal=True, width=get_terminal_size().columns, highlight=False,
        no_color=bool(os.environ.get("NO_COLOR")),
    ).print(drawn)  # fmt: skip
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


class _Page(StringIO):
    """What is printed for a person, until it is known whether one screen holds it."""

    def isatty(self) -> bool:
        return True


@contextmanager
def paged() -> Iterator[None]:
    """Show what the `with` block prints in a pager, where a person looks and it is longer than the screen."""
    if not is_watched():
        yield
        return
    screen, page = sys.stdout, _Page()
    sys.stdout = page
    try:
        yield
    finally:
        sys.stdout = screen
        _show(page.getvalue())


def _show(text: str) -> None:
    command = _pager()
    if command and text.count("\n") >= get_terminal_size().lines:
        environment = {"LESS": _LESS, **os.environ}
        try:
            sent = harmless(text).encode("utf-8", "backslashreplace")
            done = subprocess.run(command, input=sent, env=environment, check=False)
        except OSError:
            pass  # there is no such program, or it may not be run
        else:
            if done.returncode not in (126, 127):  # as a shell tells the same
                return
    print(text, end="")


def _pager() -> list[str]:
    named = os.environ.get("GRAPHDREAM_PAGER", os.environ.get("PAGER"))
    if named is None:
        return ["less"] if which("less") else []
    try:
        return shlex.split(named)
    except ValueError:  # a quote that is not closed
        return []
