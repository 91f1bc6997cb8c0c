"""Texts without the formatting that stood around them: list markers, quotes, emphasis, line ends."""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST_TEXT = 4_000
"""Characters of a fact that are read; more is a document, and only its beginning identifies it."""
_LONGEST_TAIL = 40
"""Characters of formatting after a text, at most."""
_LEAD = re.compile(r"^(?:\s+|[-*+>•|#]+(?=[\s*])|\d{1,2}[.)]\s+|\[[ xX]?\]\s|[*_`\"'~]+)+")
_TRAIL = re.compile(r"(?:\s+|\\n|\s-{2,}|[*_`\"'~|\\]+|!{2,})+$")


@lru_cache(maxsize=200_000)
def bare(content: str) -> str:
    """`content` without the list markers, quotes, emphasis and line ends that formatting left around it."""
    start = _LEAD.sub("", content[:LONGEST_TEXT])
    return start[:-_LONGEST_TAIL] + _TRAIL.sub("", start[-_LONGEST_TAIL:])
