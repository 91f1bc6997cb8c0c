"""Words as they are compared: without case, accents that people leave out, and typographic variants."""

from __future__ import annotations

import re
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


def unpointed(text: str) -> str:
    """`text` without the points of Arabic and Hebrew, at which a full-text index would cut a word in pieces."""
    return text if text.isascii() else _POINTS.sub("", text)


def signs_as_words(text: str) -> list[str]:
    """The emoji and other pictures of a text as words that an index keeps, which else cuts at them; in order.

    Skin tones and what joins signs to one are left out, so that each sign of it finds it.
    """
    if text.isascii():
        return []
    return [f"u{ord(sign)}" for sign in text if ord(sign) >= _FIRST_PICTURE and unicodedata.category(sign) == "So"]


_FIRST_PICTURE = 0x2190  # where the blocks of arrows and symbols begin
_POINTS = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]+")
"""Hebrew points and accents; Arabic points, the sign that stretches a word, and the small alef (Unicode 15)."""
_CARRIERS = str.maketrans("\u0622\u0623\u0625\u0671", "\u0627" * 4)


def other_spellings(word: str) -> tuple[str, ...]:
    """How a word is written by who leaves marks and typographic variants out, in lower case, so far as that is another
    word: folded, and in Arabic with a plain alef besides (`احمد` for `أحمد`)."""
    if word.isascii():
        return ()
    folded = fold(unpointed(word))
    return tuple(form for form in dict.fromkeys((folded, folded.translate(_CARRIERS))) if form != word.lower())


_LEFT_OUT = ((0x0300, 0x036F), (0x0591, 0x05C7), (0x064B, 0x0652))
"""Blocks of marks: combining diacritical marks; Hebrew points; Arabic points (Unicode 15)."""


def _is_left_out(sign: str) -> bool:
    return unicodedata.combining(sign) > 0 and any(first <= ord(sign) <= last for first, last in _LEFT_OUT)
