"""Identifiers in names, fields and facts: addresses, handles, links, telephone numbers.

An identifier belongs to one thing, whatever language it is told in: two records that hold one which hardly anyone else
holds are most likely one, and two that hold different ones of a kind are more likely two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from graphdream.entities.records import Record

MOST_OWNERS = 6
"""Rows up to which an identifier is one that hardly anyone shares: one thing is often there several times."""
KINDS = ("mail", "handle", "link", "number")
_MAIL = re.compile(r"(?<![\w.+-])([\w.+-]+@[\w-]+(?:\.[\w-]+)+)")
_LINK = re.compile(r"\b(?:https?://|www\.)([^\s<>\"')\]]+)", re.IGNORECASE)
_HANDLE = re.compile(r"(?<![\w@.])@([A-Za-z_][\w.-]{2,})(?![\w@])")
_NUMBER = re.compile(r"(?<![\w.,-])(\+?\d[\d ()/.-]{6,}\d)(?![\w-])")
_DATE = re.compile(r"\b\d{4}[-./]\d{1,2}[-./]\d{1,2}\b|\b\d{1,2}[-./]\d{1,2}[-./]\d{2,4}\b")
DIGITS = (8, 15)
"""Digits of a telephone number, least and most (ITU-T E.164 allows 15; eight tell it from a count)."""


@lru_cache(maxsize=65_536)
def find_identifiers(text: str) -> frozenset[tuple[int, str]]:
    """Identifiers of a text as (index into `KINDS`, folded value)."""
    out: set[tuple[int, str]] = set()
    if "@" in text:
        out.update((0, found.casefold().rstrip(".")) for found in _MAIL.findall(text))
        out.update((1, found.casefold().rstrip(".-")) for found in _HANDLE.findall(text))
    out.update((2, found.casefold().rstrip("/.,;")) for found in _LINK.findall(text))
    for found in _NUMBER.findall(_DATE.sub(" ", text)):
        digits = re.sub(r"\D", "", found)
        if DIGITS[0] <= len(digits) <= DIGITS[1]:
            out.add((3, digits))
    return frozenset(out)


def identifiers_of(record: Record, most_facts: int) -> frozenset[tuple[int, str]]:
    """All identifiers of a record: of its name and of its first `most_facts` attributes."""
    texts: Sequence[str] = (record.name, *record.aliases, *record.attributes[:most_facts])
    return frozenset().union(*map(find_identifiers, texts))
