"""Labels: what a line says it is about, before the mark that sets it off (`default model: Larch 4`)."""

from __future__ import annotations

import re
from functools import lru_cache

from graphdream.language.formatting import bare

# A colon inside a time of day (`16:05`) or before the rest of an address (`https://`) sets nothing off.
_COLON = r"(?:(?<!\d)[:：]|[:：](?!\d))(?!//)"
_LABEL = re.compile(rf"^(.{{1,80}}?)\s*(?:{_COLON}|[=|→]|->|\s[-–—]\s)\s*(.*)$", re.DOTALL)
_NO_DIGITS = str.maketrans("", "", "0123456789")
_DRESS = "*_` \"'"


@lru_cache(maxsize=200_000)
def label_of(content: str) -> tuple[str, str]:
    """The label of a text and what it says of it, folded; the label is "" where there is none."""
    found = _LABEL.match(bare(content).casefold())
    if found is None or not found[2].strip(_DRESS):
        return "", ""
    return found[1].strip(_DRESS), found[2].strip(_DRESS)


def without_digits(label: str) -> str:
    """A label as it is on every day, in every week, of every version."""
    return label.translate(_NO_DIGITS)
