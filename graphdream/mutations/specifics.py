"""The specifics of a text: the names, numbers, dates, addresses and identifiers that carry its meaning.

Two checks rest on them: *coverage* (no specific of a source is missing in what replaces it)
and *grounding* (a rewritten text brings in none that its sources lack). Fact consolidation
reads the same tokens, so that "the same values" means one thing in the whole program.

Source: RockBot's merge coverage check, made stricter: dates and times are
compared by value (`14 March`, `Mar 14` and `2026-03-14` are one day), and any number counts, not only
those of two digits.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from graphdream.language.calendar import MONTHS, month_called
from graphdream.language.classes import closed_class
from graphdream.language.folding import fold
from graphdream.language.formatting import bare
from graphdream.language.scripts import spaced

Kind = Literal["word", "mark", "number", "date", "time", "url", "id"]

_MONTH_OF = {name: at for at, month in enumerate(MONTHS, 1) for name in (month, month[:3])} | {"sept": 9}
_QUOTES = str.maketrans({
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
    "‘": "'", "’": "'", "‚": "'", "ʼ": "'", "´": "'",
    "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-", "…": " ",
    "\u200b": None, "\u200c": None, "\u200d": None, "\u2060": None, "\ufeff": None, "\u00ad": None,
})  # fmt: skip

_MAX_CHARS = 4_000
"""Texts are read up to this many characters; a fact is a sentence, not a document."""

_CHUNK = re.compile(
    r"""
    (?P<url>[a-z][a-z0-9+.-]*://[^\s<>"')\]]+)
  | (?P<mark>[,;:=()\[\]{}|?!]|\.(?=\s|$)|(?<=\s)-+(?=\s))
  | (?P<chunk>[^\s,;:=()\[\]{}|"*`<>?!]+(?:(?:[:,=?!](?=[^\s"*`<>|)\]}]))[^\s,;:=()\[\]{}|"*`<>?!]+)*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(am|pm)?|(1[0-2]|[1-9])(am|pm)", re.IGNORECASE)
_HALF_DAY = re.compile(r"(?<![\d:.])(\d{1,2}(?::[0-5]\d){1,2}) ([ap]m)(?!\w)", re.IGNORECASE)
"""A time and its half of the day, written apart: `5:54 PM`."""
_ISO = re.compile(r"((?:19|20)\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(t[\d:.]+z?)?", re.IGNORECASE)
_DAY = re.compile(r"(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?", re.IGNORECASE)
_DAY_ELSEWHERE = re.compile(r"(0?[1-9]|[12]\d|3[01])(?:er|re|e|º|ª|°)?", re.IGNORECASE)
"""A day before the name of a month that is not English: `1er mai`, `1º de maio`, `1° maggio`."""
_HAN_DAY = re.compile(
    r"(?<!\d)(?:((?:19|20)\d\d)\s*[年년]\s*)?(1[0-2]|0?[1-9])\s*[月월]\s*(3[01]|[12]\d|0?[1-9])\s*[日号號일]"
)
"""A day of Chinese, Japanese and Korean: `5月4日`, `2026年5月4日`."""
_OF = ("de", "di")
"""What may stand between a day and its month (`4 de mayo`), besides the full stop of an ordinal number (`4. Mai`)."""
_BEFORE_DAYS = closed_class("before_days")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"[#$€£¥~+-]?\d[\d.,]*(?:%|[a-zµ°]{1,5}(?:/[a-z]+)?)?[+]?", re.IGNORECASE)
_ID = re.compile(r"(?=.*\d)(?=.*[^\W\d_]).{2,}|.*[_@/\\#].*|.*\w[.:=+]\w.*|\w+\(\)|[^\W\d_]{1,3}[+#-]{1,2}")
_VERSION = re.compile(r"v(\d+(?:\.\d+)+)", re.IGNORECASE)
_ASSIGNED = re.compile(r"([^\W\d][\w.-]*)=([^\s=&?]+)")
"""`PAGE_SIZE=25` is a key and its value, as `PAGE_SIZE = 25` is."""
_INNER_CASE = re.compile(r"[a-zß-ÿ](?:[A-ZÀ-Þ]|-[A-Z]{2})")
"""Capitals inside a word: `DataFrame`, `en-US`."""
_LETTER_SAID = re.compile(r"(?<=: )(?!I )[^\W\d_](?=[.!]?(?: [^\s:]+)?\s*$)")
"""A letter that is all that a label leads to, or is so but for a word behind it: `gate: B`, `row: A left`."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a text.

    Attributes:
        text: the folded form in which equal tokens are equal (case, accents, typographic variants gone;
            dates as `MM-DD` or `YYYY-MM`, times as `HH:MM` or, where it has seconds, `HH:MM:SS`, numbers without
            thousands separators, versions without their `v`).
        kind: what it is; `mark` is punctuation that separates clauses.
        proper: written as a name (capital not owed to the start of a sentence, or inner capitals).
        year: year of a date, 0 when the text gives none.
    """

    text: str
    kind: Kind
    proper: bool = False
    year: int = 0


def _time_of(text: str) -> str | None:
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    hour, minute, second = int(found[1] or found[5]), int(found[2] or 0), int(found[3] or 0)
    half = (found[4] or found[6] or "").casefold()
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return f"{hour:02d}:{minute:02d}" + (f":{second:02d}" if second else "")


def _classify(chunk: str, proper: bool) -> Token:
    """A token from one run of characters without white space."""
    iso = _ISO.fullmatch(chunk)
    if iso is not None:
        return Token(f"{iso[2]}-{iso[3]}{(iso[4] or '').casefold()}", "date", year=int(iso[1]))
    when = _time_of(chunk)
    if when is not None:
        return Token(when, "time")
    version = _VERSION.fullmatch(chunk)
    if version is not None:
        return Token(version[1], "number")
    folded = fold(chunk)
    if _NUMBER.fullmatch(chunk):
        return Token(re.sub(r",(?=\d{3})", "", folded.rstrip(".,")), "number")
    if _ID.fullmatch(chunk):
        return Token(folded, "id", proper)
    return Token(folded, "word", proper or bool(_INNER_CASE.search(chunk)))


_OWNER = Token("'s", "word")
_STOP = Token(".", "mark")
_TITLE = re.compile(r"[A-Z][bcdfghjklmnpqrstvwxz]{1,3}\.")
"""A title or another word that is shortened to its consonants: its full stop ends no clause (`Dr.`, `Mrs.`, `St.`)."""


@lru_cache(maxsize=100_000)
def _chunk_tokens(chunk: str, fresh: bool) -> tuple[Token, ...]:
    """The tokens of one run of characters; `fresh`: at the start of a sentence, where a capital says nothing."""
    bare = chunk.strip("'_~\\").rstrip(".")
    if not any(c.isalnum() for c in bare):
        return ()
    owned = chunk.endswith("s'")
    if bare[-2:] in ("'s", "'S"):
        bare, owned = bare[:-2], True
    out = [_classify(bare, bare[:1].isupper() and not fresh)] if bare else []
    if owned:
        out.append(_OWNER)
    if chunk.endswith(".") and not _TITLE.fullmatch(chunk):
        out.append(_STOP)
    return tuple(out)


def _join_dates(tokens: list[Token]) -> list[Token]:
    """Replace month names with their day or year by one date token; names that are not English, only behind a day."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        here = tokens[at]
        month = _MONTH_OF.get(here.text.rstrip(".")) if here.kind == "word" else None
        follower = tokens[at + 1] if at + 1 < len(tokens) else None
        before = out[-1] if out else None
        if month is None:
            _add_day_of(here, out)
        elif follower is not None and follower.kind == "number" and _DAY.fullmatch(follower.text):
            out.append(_day(month, follower.text))
            at += 1
        elif before is not None and before.kind == "number" and _DAY.fullmatch(before.text):
            out[-1] = _day(month, before.text)
        elif before is _STOP and _is_ordinal_day(out):
            out[-2:] = [_day(month, out[-2].text)]
        elif follower is not None and follower.kind == "number" and _YEAR.fullmatch(follower.text):
            out.append(Token(f"{follower.text}-{month:02d}", "date", year=int(follower.text)))
            at += 1
        elif here.proper and len(here.text) > 3:
            out.append(Token(f"month-{month:02d}", "date"))
        else:
            out.append(here)
        at += 1
    return out


def _is_ordinal_day(out: list[Token]) -> bool:
    """Whether tokens end with the ordinal number of a day: `am 14.` before `April`, which is spelt as in English; there
    a sentence may end with a number (`we are 14. April is the youngest`)."""
    number, lead = out[-2] if len(out) > 1 else None, out[-3] if len(out) > 2 else None
    if number is None or number.kind != "number" or not _DAY_ELSEWHERE.fullmatch(number.text):
        return False
    return lead is None or lead.kind == "mark" or lead.text in _BEFORE_DAYS


def _add_day_of(here: Token, out: list[Token]) -> None:
    """Add a token; if it names a month of another language and a day stands before it, as one date with that."""
    joined = len(out) > 1 and (out[-1].text in _OF or out[-1] is _STOP)
    number = out[-2] if joined else out[-1] if out else None
    if here.kind == "word" and number is not None and number.kind == "number" and _DAY_ELSEWHERE.fullmatch(number.text):
        month = _month_of(here.text)
        if month is not None:
            del out[-2 if joined else -1 :]
            here = _day(month, number.text)
    out.append(here)


def _spelled(han: re.Match[str]) -> str:
    """A day of `_HAN_DAY` as the other languages write it."""
    year, month, day = han[1], int(han[2]), int(han[3])
    return f" {year}-{month:02d}-{day:02d} " if year else f" {day} {MONTHS[month - 1]} "


def _day(month: int, number: str) -> Token:
    return Token(f"{month:02d}-{int(re.sub(r'[^0-9]', '', number)):02d}", "date")


def read_tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a text in any script: where no spaces are written, each sign is one, and a number another."""
    return tokens(spaced(text))


@lru_cache(maxsize=200_000)
def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a text, markdown and quotation marks left out.

    Linear in the length of the text, of which the first 4,000 characters are read.

    Returns:
        Words, numbers, dates, times, addresses and identifiers in order, with clause marks between them;
        possessive `'s` is a word of its own.
    """
    source = text[:_MAX_CHARS]
    if not source.isascii():  # what has to be made even is none of it ASCII
        source = unicodedata.normalize("NFKC", source).translate(_QUOTES)
        source = _HAN_DAY.sub(_spelled, source)
    source = _HALF_DAY.sub(r"\1\2", source)
    letter = found.start() if (found := _LETTER_SAID.search(source)) else -1
    out: list[Token] = []
    fresh = True
    for found in _CHUNK.finditer(source):
        kind, run = found.lastgroup, found[0]
        if kind == "mark":
            out.append(_MARKS.get(run) or Token(run, "mark"))
            fresh = run in ".?!:|"
        elif kind == "url":
            out.append(Token(run.rstrip(".,;:").casefold(), "url"))
            fresh = False
        else:
            fresh = fresh and found.start() != letter
            assigned = _ASSIGNED.fullmatch(run) if "=" in run else None
            if assigned:
                out += [*_chunk_tokens(assigned[1], fresh), _MARKS["="]]
            more = _chunk_tokens(assigned[2] if assigned else run, fresh and not assigned)
            if more:
                out += more
                fresh = more[-1] is _STOP
    return tuple(_join_dates(out) if any(_may_be_of_date(token) for token in out) else out)


def _may_be_of_date(token: Token) -> bool:
    """Whether a token is the name of a month, or a number, without which no other month is looked for."""
    return token.kind == "number" or (token.kind == "word" and token.text.rstrip(".") in _MONTH_OF)


def _month_of(word: str) -> int | None:
    """The month that a word names, whatever is written behind an apostrophe (Turkish `4 Mayıs'ta`)."""
    return month_called(word.partition("'")[0])


_MARKS = {mark: Token(mark, "mark") for mark in ",;:=()[]{}|?!."}


def words_of(text: str) -> frozenset[str]:
    """The words, numbers and days of a text, without the formatting around it."""
    return frozenset(token.text for token in tokens(bare(text)) if token.kind != "mark")
