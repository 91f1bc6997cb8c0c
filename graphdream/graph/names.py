"""One canonical form for names, and the gate that new names must pass.

Every room compares names through `canonical`; nothing else folds case or strips markdown.
Three different rules in one system are a trap, as Signet, an agent memory, found out.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b

_QUOTES = str.maketrans({
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‟": '"',
    "‘": "'", "’": "'", "‚": "'", "‛": "'", "ʼ": "'", "`": "'", "´": "'",
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-",
    "\u200b": None, "\u200c": None, "\u200d": None, "\u2060": None, "\ufeff": None, "\u00ad": None,
})  # fmt: skip
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*\)")
_LEAD = re.compile(r"^(?:#{1,6}\s+|>\s+|[-*+•]\s+(?:\[[ x]\]\s+)?)+")
_EDGE = "*_~'\"\\|"
_TAIL = ".,;:!?"
_ALL_STRUCK_OUT = re.compile(rf"~~((?:(?!~~).)+)~~[ {_TAIL}]*", re.DOTALL)
_POSSESSIVE = re.compile(r"(?<=\w)(?:'s|(?<=s)')$")


@lru_cache(maxsize=200_000)
def canonical(name: str) -> str:
    """Fold a name to the form in which equal names are equal.

    Unicode NFKC, case, white space, typographic quotes and dashes, markdown around the name, sentence
    punctuation after it, and a closing possessive are folded; accents, inner punctuation and digits are
    kept, because they tell names apart (`C++`/`C#`, `Q2`/`Q3`, `Zoë`/`Zoe` is for the resolver to judge).

    Returns:
        The canonical form; a name that is nothing but decoration keeps its white-space-folded text, so
        only an empty or blank name gives "".
    """
    folded = _folded(name)
    bare = _unled(folded)
    previous = None
    while bare != previous:
        previous = bare
        bare = bare.strip(_EDGE + " ")
        bare = bare.rstrip(_TAIL + " ") if bare.rstrip(_TAIL + " ") else bare
        bare = _POSSESSIVE.sub("", bare)
    return bare or folded


@lru_cache(maxsize=200_000)
def canonical_text(content: str) -> str:
    """Fold a fact to the form in which exact copies are equal.

    As `canonical`, but a closing possessive stays (it is part of what is said), and so does a stroke through the whole:
    what is struck out is over.

    Returns:
        The canonical form; "" only for blank text.
    """
    folded = _folded(content)
    unled = _unled(folded)
    struck = _ALL_STRUCK_OUT.fullmatch(unled)
    bare = (struck[1] if struck else unled).strip(_EDGE + " ").rstrip(_TAIL + " ")
    return (f"~~{bare}~~" if struck else bare) if bare else folded


def _folded(text: str) -> str:
    """Unicode NFKC, case, white space, typographic quotes and dashes."""
    if text.isascii():  # which NFKC leaves as it is
        return " ".join(text.replace("`", "'").casefold().split())
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold().split())


def _unled(folded: str) -> str:
    """Without markdown links and what opens a line."""
    linked = _LINK.sub(r"\1", folded) if "](" in folded else folded
    return linked if linked[:1].isalnum() else _LEAD.sub("", linked)


def text_digest(content: str) -> int:
    """64 bits, signed, of a fact's canonical text: equal for exact copies, so that copies are found by an index.

    Two different texts meet once in about 5 billion facts (birthday bound at 2^64); whoever merges compares the texts.
    """
    digest = blake2b(canonical_text(content).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
