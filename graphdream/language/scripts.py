"""Scripts: what differs from script to script in cutting a text into units, and marks that stand for words.

Chinese, Japanese and the scripts of South-East Asia write no spaces between words, so that a whole clause would be one
word. There each letter is read as a word, and two neighbours as a unit of meaning: pairs of characters are what
retrieval without a dictionary counts in such scripts (Foo and Li, Information Processing & Management 40:161, 2004).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_UNSPACED = f"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff{_HAN}"
"""Thai, Lao, Myanmar, Khmer, kana and Han characters (Unicode blocks)."""
_CHARACTER = re.compile(f"[{_UNSPACED}]")
_HAN_PAIR = re.compile(f"[{_HAN}]{{2}}")
_CHECKBOX = re.compile(r"\[([ xX~/-])\]")
_STRUCK_OUT = re.compile(r"~~(?=\S)(.+?)(?<=\S)~~", re.DOTALL)
STROKE = "~~"
"""What Markdown strikes out stands between two of these; among the marks of a text: something of it is struck out."""


@lru_cache(maxsize=200_000)
def spaced(text: str) -> str:
    """A text with a space beside each character of a script that writes none between words."""
    if text.isascii() or not _CHARACTER.search(text):
        return text
    return _CHARACTER.sub(lambda found: f" {found[0]} ", text)


def is_unspaced(word: str) -> bool:
    """Whether a word is one character of a script without spaces."""
    return len(word) == 1 and _CHARACTER.match(word) is not None


def is_han_pair(unit: str) -> bool:
    """Whether a unit is two Han characters, each of which means something by itself, as a kana or a Thai letter does
    not."""
    return _HAN_PAIR.fullmatch(unit) is not None


def units(words: Sequence[str]) -> Iterator[str]:
    """Units of meaning of words in order: words, and pairs of neighbouring characters where no spaces are written."""
    before = ""
    for word, after in zip(words, (*words[1:], ""), strict=False):
        if not is_unspaced(word):
            yield word
        elif is_unspaced(after):
            yield word + after
        elif not is_unspaced(before):
            yield word
        before = word


@lru_cache(maxsize=200_000)
def status_marks(text: str) -> tuple[str, ...]:
    """The marks of a text that say how things stand, in order: strokes through words, boxes, ticks, crosses, lights."""
    strokes = [STROKE] if struck_out(text) else []
    boxes = ["[x]" if found[1] in "xX" else f"[{found[1]}]" for found in _CHECKBOX.finditer(text)]
    if text.isascii():
        return (*strokes, *boxes)
    return (*strokes, *boxes, *(sign for sign in text if unicodedata.category(sign) == "So"))


def struck_out(text: str) -> str:
    """What of a text is struck out, as Markdown writes it; "" where nothing is."""
    return " ".join(_STRUCK_OUT.findall(text)) if STROKE in text else ""


def without_struck(text: str) -> str:
    """What of a text is not struck out."""
    return _STRUCK_OUT.sub(" ", text) if STROKE in text else text
