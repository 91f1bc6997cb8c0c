"""What a call was given, held against what it may be: what is wrong is told at once, with what would be right."""

from __future__ import annotations

import os

from graphdream.errors import UsageError

MOST_WRONG_MERGES = 0.5  # of the merged pairs: beyond that most merges may be wrong, and nothing is left to ask for


def confirm_text(name: str, given: object) -> None:
    """Raise UsageError where something is no text."""
    if not isinstance(given, str):
        raise UsageError(f"{name} is of type {type(given).__name__}; it should be text")


def confirm_path(name: str, given: object) -> None:
    """Raise UsageError where something is no path."""
    if not isinstance(given, str | os.PathLike):
        raise UsageError(f"{name} is of type {type(given).__name__}; it should be a path")


def confirm_number(name: str, given: object, *, least: int, of: str = "") -> None:
    """Raise UsageError where something is no whole number from `least` on, of what it counts; None is right."""
    if given is not None and not (isinstance(given, int) and given >= least):
        what = f"a number of {of}" if of else "a whole number"
        raise UsageError(f"{name} is {what} from {least} on, not {given!r:.60}")


def confirm_rate(name: str, given: object) -> None:
    """Raise UsageError where something is no share of merges that may be wrong, as the setting allows it; None is
    right."""
    if given is not None and not (isinstance(given, int | float) and 0 < given <= MOST_WRONG_MERGES):
        raise UsageError(f"{name} is a share above 0, and at most {MOST_WRONG_MERGES}, not {given!r:.60}")


def confirm_share(name: str, given: object) -> None:
    """Raise UsageError where something is no share between 0 and 1; None is right."""
    if given is not None and not (isinstance(given, int | float) and 0 <= given <= 1):
        raise UsageError(f"{name} is a share between 0 and 1, not {given!r:.60}")
