"""Forms of a word: whether two words are one but for their endings, in languages whose endings nobody here lists."""

from __future__ import annotations

import re

APOSTROPHES = "'’"
ELIDED = re.compile(rf"[^\W\d_]{{1,4}}[{APOSTROPHES}](?=[^\W\d_]{{3}})")
"""What is written as one with the word behind it: `l'affitto`, `dell'auto`; but not `we're`."""
LEAST_STEM = 4
"""Letters that two forms of a word share at least."""
LONGEST_ENDING = 2
"""Letters that a form of a word has more than its stem, at most."""


def unelided(word: str) -> str:
    """A word without what is elided before it: `affitto` for `l'affitto`."""
    elided = ELIDED.match(word)
    return word if elided is None else word[elided.end() :]


def are_forms(one: str, other: str) -> bool:
    """Whether two words are forms of one name: the one is the other with an ending, or, where names are inflected by
    another last letter, they differ in it."""
    short, long = sorted((one, other), key=len)
    if len(short) < LEAST_STEM or len(long) - len(short) > LONGEST_ENDING or short[:LEAST_STEM] != long[:LEAST_STEM]:
        return False
    return long.startswith(short) or (not long.isascii() and long[: len(short) - 1] == short[:-1])


def share_stem(one: str, other: str) -> bool:
    """Whether two words of a text that have the same place in it are forms of one (`nächster`, `nächste`); looser than
    `are_forms`, since what stands beside them is the same."""
    stem = max(LEAST_STEM, max(len(one), len(other)) - LONGEST_ENDING)
    return min(len(one), len(other)) >= stem and one[:stem] == other[:stem]


def stem_of(word: str) -> str:
    """What forms of a word begin with."""
    return word[: max(LEAST_STEM, len(word) - LONGEST_ENDING)]
