"""What is wrong with an input file, by line: the first faults in words, the rest as a number."""

from __future__ import annotations

SHOWN = 20
_KEPT = 1_000  # a file of nothing but bad lines must not fill the memory
_LENGTH = 240  # characters of one fault


class Faults:
    """A growing list of faults; however many there are, memory stays bounded. `count` is how many there are."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: list[tuple[str, int, str]] = []

    def add(self, line: int, text: str, file: str = "") -> None:
        """Note a fault of a line, counted from 1; `file` names one of several."""
        self.count += 1
        if len(self._kept) < _KEPT:
            self._kept.append((file, line, text if len(text) <= _LENGTH else text[: _LENGTH - 1] + "…"))

    def shown(self) -> tuple[str, ...]:
        """The first `SHOWN` in the order of the files, as `line 12: ...` or `notes/a.md, line 12: ...`, and how many
        more there are."""
        first = [
            f"{file}, line {line:,}: {text}" if file else f"line {line:,}: {text}"
            for file, line, text in sorted(self._kept)[:SHOWN]
        ]
        more = self.count - len(first)
        return (*first, f"and {more:,} more") if more else tuple(first)
