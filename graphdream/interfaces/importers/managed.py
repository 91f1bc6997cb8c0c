"""The block of a note that graphdream itself has written: imports pass over it, so nothing is learned from itself."""

from __future__ import annotations

BEGIN = "<!-- graphdream: begin; written by `graphdream export`, do not edit -->"
END = "<!-- graphdream: end -->"


def block_of(text: str) -> tuple[int, int] | None:
    """Where the block begins and ends in a text, marks included; None where there is none."""
    begin = text.find(BEGIN)
    end = text.find(END, begin) if begin >= 0 else -1
    return (begin, end + len(END)) if end >= 0 else None


def without_block(text: str) -> str:
    """The text with blank lines in the place of the block, so that the lines around it keep their numbers."""
    found = block_of(text)
    if found is None:
        return text
    return text[: found[0]] + "\n" * text.count("\n", *found) + text[found[1] :]
