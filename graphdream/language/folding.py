"""Words as they are compared: without case, accents that people leave out, and typographic variants."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_PLAIN_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i"})


@lru_cache(maxsize=200_000)
def fold_accents(text: str) -> str:
    """`text` without the marks that people leave out, and with the letters that do not decompose written plainly.

    These are the accents of Latin, Greek and Cyrillic letters and the vowel points of Arabic and Hebrew. A mark that
    makes another letter stays: Japanese `が` is not `か`, nor is a Thai tone or a Hindi virama an ornament.
    """
    if text.isascii():
        return text
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not _is_left_out(sign))
    return unicodedata.normalize("NFC", bare).translate(_PLAIN_LETTERS)


def fold(text: str) -> str:
    """`text` without case either, and in one form of Unicode (NFKC)."""
    return fold_accents(unicodedata.normalize("NFKC", text).casefold())


_LEFT_OUT = ((0x0300, 0x036F), (0x0591, 0x05C7), (0x064B, 0x0652))
"""Blocks of marks: combining diacritical marks; Hebrew points; Arabic points (Unicode 15)."""


def _is_left_out(sign: str) -> bool:
    return unicodedata.combining(sign) > 0 and any(first <= ord(sign) <= last for first, last in _LEFT_OUT)
