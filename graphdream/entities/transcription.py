"""Names and words of any script in Latin letters, and when two words of names are one.

Nothing here depends on how many records there are. A transcription is no spelling: `Мария` is written Maria, Mariya or
Marija, so words of *different* scripts are compared by likeness, words of one script only by equality once accents and
umlauts are folded (Dawson and Lawson differ by a letter and are two names).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import Literal

from rapidfuzz.distance import Levenshtein

from graphdream.entities.legal_forms import split_form
from graphdream.graph.names import canonical

OTHER_SCRIPT = 0.72
"""Likeness of two transcriptions at and above which words of different scripts may be one name."""
ABJAD_LETTERS = 3
"""Consonants from which a word written without vowels can be recognised by them."""
HAN = "CJK"
"""The script whose signs are words, of which many are read alike."""
LETTERS = 3
"""Letters of the shortest word that likeness is asked of; shorter ones have to be equal."""

_WORD = re.compile(r"[^\W_]+(?:[+#]+(?!\w))?")
"""Words of letters and figures; signs that end one belong to it (C, C++, C#)."""
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
Forms = Literal["all", "telling", "none"]
_VERSION = re.compile(r"v\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])|(?<=[a-z]{2})(?=[A-Z])")
"""Where words are joined by capitals; not in a name that was typed with the shift lock on (`tOMAS`)."""
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})
# what the usual romanisations write differently (BGN/PCGN, ISO 9, Hepburn, Revised and McCune-Reischauer, Pinyin)
_SOUNDS = (
    ("ks", "x"), ("ph", "f"), ("ck", "k"), ("sch", "sh"), ("tsch", "ch"), ("th", "t"), ("ou", "u"), ("oo", "u"),
    ("w", "v"), ("c", "k"), ("q", "k"), ("y", "i"), ("j", "i"), ("g", "k"), ("b", "p"), ("d", "t"), ("h", ""),
)  # fmt: skip


@lru_cache(maxsize=65_536)
def script_of(word: str) -> str:
    """The script of a word's first letter, as Unicode names it (`LATIN`, `CYRILLIC`, `CJK`); "" without a letter.

    Han, kana and hangul are one script each of their own.
    """
    for sign in word:
        if sign.isalpha():
            return unicodedata.name(sign, "?").split()[0]
    return ""


@lru_cache(maxsize=200_000)
def transcribed(text: str) -> str:
    """Text in Latin letters, case kept; text that is Latin already only loses its accents."""
    if text.isascii():
        return text
    from anyascii import anyascii

    return str(anyascii(unicodedata.normalize("NFKC", text)))


@lru_cache(maxsize=200_000)
def name_words(name: str, forms: Forms = "all") -> tuple[str, ...]:
    """The words of a name, noise stripped, in their own script, lower case; `v2` after another word is the number.

    Args:
        name: as it is written; one that is nothing but a legal form keeps it.
        forms: the legal forms that are left out: none in names of what is no organization (`Watch SE`), "telling" where
            no type says whether it is one.
    """
    bare = canonical(name)
    if _MAIL.fullmatch(bare):
        name = bare.partition("@")[0]
    elif forms != "none":
        # Letters are split after the legal form is gone: GmbH is one word.
        name, _ = split_form(name, telling=forms == "telling")
    words = _WORD.findall(canonical(_CAMEL.sub(" ", name)).replace("_", " "))
    return tuple(word[1:] if at and _VERSION.fullmatch(word) else word for at, word in enumerate(words)) or (bare,)


@lru_cache(maxsize=200_000)
def _spellings(word: str) -> frozenset[str]:
    """The letters of a word without accents, and with its umlauts the long way."""
    return frozenset((_letters(word), _letters(word.translate(_UMLAUTS))))


@lru_cache(maxsize=200_000)
def _letters(word: str) -> str:
    return "".join(sign for sign in transcribed(word).casefold() if sign.isalnum() or sign in "+#") or word


@lru_cache(maxsize=200_000)
def sounds(word: str) -> str:
    """A Latin word with the differences between usual romanisations folded; doubled letters once."""
    out = "".join(sign for sign in word.casefold() if sign.isalnum())
    for old, new in _SOUNDS:
        out = out.replace(old, new)
    return "".join(sign for sign, _ in groupby(out))


@lru_cache(maxsize=200_000)
def word_likeness(a: str, b: str) -> float:
    """How far two words of names are one word, 0..1.

    1 the same letters (accents, umlauts, case and romanisation of other scripts apart); between `OTHER_SCRIPT` and 1
    two words of different scripts that sound alike; 0 else: of two words of one script a different letter is a
    different word.

    Args:
        a, b: lower case, in their own scripts.
    """
    if a == b:
        return 1.0
    if script_of(a) == script_of(b):
        if script_of(a) == HAN:
            return 0.0  # 刘芳 and 刘方 are read alike and are two people
        return 0.0 if _spellings(a).isdisjoint(_spellings(b)) else 1.0
    return sound_likeness(transcribed(a), transcribed(b))


@lru_cache(maxsize=200_000)
def sound_likeness(a: str, b: str) -> float:
    """Likeness of two transcribed words of different scripts, 0 below `OTHER_SCRIPT`."""
    a, b = _letters(a), _letters(b)
    if a == b:
        return 1.0
    if min(len(a), len(b)) < LETTERS:
        return 0.0
    alike = Levenshtein.normalized_similarity(sounds(a), sounds(b))
    bare_a, bare_b = _consonants(a), _consonants(b)
    unvowelled = bare_a == sounds(a) or bare_b == sounds(b)
    if unvowelled and min(len(bare_a), len(bare_b)) >= ABJAD_LETTERS and bare_a == bare_b:
        alike = max(alike, OTHER_SCRIPT)
    return float(alike) if alike >= OTHER_SCRIPT else 0.0


def _consonants(word: str) -> str:
    return "".join(sign for sign in sounds(word) if sign not in "aeiou")
