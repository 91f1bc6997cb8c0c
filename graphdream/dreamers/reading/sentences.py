"""Texts as sentences, and sentences as words, in any script that writes them one after another."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from graphdream.language.calendar import is_within_a_day

LONGEST_SENTENCE = 600  # characters; beyond it is a paste, not a sentence

OWNER = re.compile(r"['’]s$")
"""What a name has behind it where it owns something."""
_END = re.compile(r"(?<=[.!?])(?:\s»(?=\s))?[\"'”“’‘»)\]]*\s+(?!»(?:\s|$))|(?<=[。！？])[」』）]*\s*|\n+")
"""Where a sentence ends, quotation marks that close with it: German `“`, and French `»` behind a blank."""
_WORD = re.compile(r"[^\W_](?:[\w.'’/+#@&-]*[\w+#])?")
_VOWELS = frozenset("aeiouyаеиоуыэюяєіїαεηιουω")
_LONGEST_TITLE = (
    4  # letters of a shortened title that opens a sentence: Dr., Prof., Sra.; and before a number: no., vol.
)
_LAST_WORD = re.compile(r"(?<!\d)([^\W\d_]+)\.$")
_UNIT = re.compile(r"\d[ \u00a0](?:[^\W\d_]|[^\W\d_]+[A-Z][^\W\d_]*)\.$")
"""Behind a figure stands a unit, which ends a sentence like any word: `às 13h.`, `à 8 h.`, `to 25 MB.`, `2 MHz.`"""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence: its text, and where in the sentence it starts and ends, in characters."""

    text: str
    start: int
    end: int

    @property
    def is_capital(self) -> bool:
        """Whether it is written with a capital letter; in a script without them, never."""
        return self.text[:1].isupper()


def sentences(text: str) -> list[str]:
    """The sentences of a text, list marks and blanks taken off. A shortened title or an initial ends none."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if "\n" not in end.group() and _is_shortened(text[start : end.start()], text[end.end() :]):
            continue
        found.append(text[start : end.end()])
        start = end.end()
    parts = (part.strip().lstrip("-*•> ").strip() for part in [*found, text[start:]])
    return [part for part in parts if part]


def _is_shortened(before: str, after: str) -> bool:
    """Whether a full stop belongs to the word before it: `Dr. Weber`, `J. Doe`, `z. B. heute`, `approx. five`, `no. 2`,
    `am 21. März`."""
    if is_within_a_day(before, after):
        return True
    last = _LAST_WORD.search(before)
    if last is None or not after[:1].isalnum() or (_UNIT.search(before) and not after[:1].islower()):
        return False
    if len(last[1]) == 1 or after[:1].islower() or (after[:1].isdigit() and len(last[1]) <= _LONGEST_TITLE):
        return True
    if not last[1][:1].isupper() or len(last[1]) > _LONGEST_TITLE:
        return False
    letters = unicodedata.normalize("NFD", last[1].casefold())
    opens = not before[: last.start()].strip("-*•> \"'“„«")
    return opens or not any(letter in _VOWELS for letter in letters)


def words(sentence: str) -> list[Word]:
    """The words of a sentence, in order."""
    return [Word(found.group(), found.start(), found.end()) for found in _WORD.finditer(sentence)]


def span(sentence: str, found: list[Word], at: int, count: int) -> str:
    """The text from one word on over `count` words."""
    return sentence[found[at].start : found[at + count - 1].end]


def writes_without_blanks(sign: str) -> bool:
    """Whether a sign belongs to a script that puts no blank behind a name: Chinese, Japanese, and Korean, whose
    particles stick to the word."""
    return "\u3040" <= sign <= "\u30ff" or "\u3400" <= sign <= "\u9fff" or "\uac00" <= sign <= "\ud7a3"
