"""What is said in sessions and in the memory, to look in for words, names, days and quotes."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property

from graphdream.errors import quoted
from graphdream.language.calendar import calendar_of, time_meant
from graphdream.language.folding import fold
from graphdream.language.forms import are_forms
from graphdream.language.lexicon import Languages
from graphdream.language.moments import days_on, moved
from graphdream.mutations.called import initials_of
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import skip
from graphdream.mutations.specifics import Token, read_tokens

_DECORATION = re.compile(r"[\W_]+")
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d])(?=\w)|(?<=\d)(?=[^\W\d])")  # two figures next to each other are a number
_SENTENCE = re.compile(r"[^.!?\n]+")
_LEAST_JOINED = 4  # letters of a word that may stand in two (`home lab`)
_LONGEST_NAME = 200  # letters and figures
_PIECE = 3_500  # characters; `tokens` reads no further than some more
_IS_UNREAD = "(read_by IS NULL OR read_by IN (SELECT id FROM pass WHERE undoes <> '[]'))"
_UNREAD = (
    "SELECT * FROM session WHERE kind = 'session' AND id IN ("
    f"SELECT session_id FROM summary WHERE {_IS_UNREAD} UNION SELECT session_id FROM observation WHERE {_IS_UNREAD}"
    " UNION SELECT session_id FROM turn WHERE read_by IS NULL) ORDER BY id"
)


class Texts:
    """Some texts, and what stands in them.

    Attributes:
        parts: the texts.
    """

    def __init__(self, parts: Iterable[str]) -> None:
        self.parts = list(parts)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word, number, name and address of them, folded."""
        return words_of(self.parts)

    @cached_property
    def languages(self) -> Languages:
        """What they are written in, by script."""
        return Languages(self._sentences)

    @cached_property
    def _sentences(self) -> list[str]:
        return [found[0] for part in self.parts for found in _SENTENCE.finditer(part)]

    @cached_property
    def plain(self) -> str:
        """All of them in letters and figures alone, to look for quotes in."""
        return plain("\n".join(self.parts))

    @cached_property
    def initials(self) -> str:
        """First letters of their words with a capital (`initials_of`)."""
        return initials_of(self.parts)

    @property
    def days_meant(self) -> frozenset[str]:
        """Days that their words can mean; none, where nobody knows when they were said."""
        return frozenset()

    def calls(self, words: str) -> bool:
        """Whether words stand here in this order, whatever is written between them, and be it nothing (`home lab`,
        `homelab`). A text that is too long for a name is not looked for."""
        letters = "".join(plain(words).split())
        loosely = _BETWEEN_LETTERS.sub(" ?", letters)
        return 0 < len(letters) <= _LONGEST_NAME and re.search(rf"(?<!\w){loosely}(?!\w)", self.plain) is not None

    def names(self, token: Token) -> bool:
        """Whether a word, a number or another token stands here, also as a form of it or, as `A.`, by its initial."""
        if is_known(token, self.words) or token.text in self.days_meant:
            return True
        if token.kind == "word" and len(token.text) == 1:
            return any(word.startswith(token.text) for word in self.words)
        least = {"word": _LEAST_JOINED, "id": 1}.get(token.kind)
        return least is not None and len(token.text) >= least and self.calls(token.text)


class SessionText(Texts):
    """What a session says, or several together, read once a pass.

    Attributes:
        key: of the session; "" of several.
        days: on which it was held, as `2026-03-03`, in order.
        parts: its summaries, turns and observations.
    """

    def __init__(self, connection: sqlite3.Connection, *rows: sqlite3.Row) -> None:
        self.key: str = rows[0]["key"] if len(rows) == 1 else ""
        days, parts = set[str](), list[str]()
        for row in rows:
            turns = connection.execute(
                "SELECT speaker, content, said_at FROM turn WHERE session_id = ? ORDER BY position", (row["id"],)
            ).fetchall()
            stamps = [row["started_at"], row["ended_at"], *(turn["said_at"] for turn in turns)]
            days |= {stamp[:10] for stamp in stamps if stamp} or {row["recorded_at"][:10]}
            parts += [f"{turn['speaker']}: {turn['content']}" for turn in turns]
            for table in ("summary", "observation"):
                found = connection.execute(f"SELECT * FROM {table} WHERE session_id = ? ORDER BY id", (row["id"],))
                parts += [text["content"] for text in found]
        speakers = connection.execute(
            "SELECT DISTINCT speaker FROM observation WHERE speaker <> '' AND session_id IN"
            " (SELECT value FROM json_each(?))",
            (json.dumps([row["id"] for row in rows]),),
        )
        super().__init__([*parts, *(speaker for (speaker,) in speakers)])
        self.days = sorted(days)

    @cached_property
    def days_meant(self) -> frozenset[str]:
        """Days, months and years that its words can mean: told as `yesterday`, `on Friday`, `next month`."""
        found: set[date] = set()
        for day in self.days:
            today = date.fromisoformat(day)
            found |= {today, *(month.first for by in (-1, 0, 1) if (month := moved(today, "month", by)))}
            for sentence in self._sentences:
                language = self.languages.of(sentence)
                calendar = calendar_of(language) if language is not None else None
                meant = time_meant(sentence, day, language)
                found |= {meant.first} if meant is not None else set()
                for word in re.findall(r"\w+", sentence.lower()) if calendar is not None else ():
                    weekday = calendar.weekdays.get(word) if calendar is not None else None
                    if weekday is not None:
                        ahead = (weekday - today.weekday()) % 7
                        found |= {days_on(today, ahead), days_on(today, ahead - 7)}
        return frozenset(form for day in found for form in _forms(day))


def _forms(day: date) -> tuple[str, ...]:
    """How a day, its month and its year are told (`graphdream.mutations.specifics.Token`)."""
    return f"{day:%m-%d}", f"{day:%Y-%m}", f"month-{day:%m}", f"{day.year}", f"{day.year - 1}", f"{day.year + 1}"


def session_text(applying: Applying, key: str) -> SessionText | None:
    """What a session says, read once a pass; None for no key.

    Raises:
        Refusal: skipped, as `no_session`: there is none of that key.
    """
    if not key:
        return None
    known = applying.session_texts
    if key not in known:
        row = applying.connection.execute("SELECT * FROM session WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise skip("no_session", f"there is no session {quoted(key)}")
        known[key] = SessionText(applying.connection, row)
    return known[key]


def unread_text(applying: Applying) -> SessionText:
    """What is said in the sessions that the pass may be reading. It stands under the key that no session has."""
    known = applying.session_texts
    if "" not in known:
        known[""] = SessionText(applying.connection, *applying.connection.execute(_UNREAD).fetchall())
    return known[""]


def is_known(token: Token, words: frozenset[str]) -> bool:
    """Whether a token, or of a word a form of it, is among some words."""
    if token.text in words:
        return True
    if token.kind != "word":
        return False
    return any(are_forms(token.text, word) for word in words)


def pieces_of(text: str) -> Iterator[str]:
    """A text in pieces that `tokens` reads to their end, cut at lines or, in longer ones, at blanks."""
    for line in text.split("\n"):
        while len(line) > _PIECE:
            cut = line.rfind(" ", 1, _PIECE)
            cut = cut if cut > 0 else _PIECE
            yield line[:cut]
            line = line[cut:]
        yield line


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Every word, number, name and address of some texts, folded."""
    return frozenset(
        token.text
        for text in texts
        for piece in pieces_of(text)
        for token in read_tokens(piece)
        if token.kind != "mark"
    )


def plain(text: str) -> str:
    """A text in letters and figures alone, folded, to look for quotes in."""
    return _DECORATION.sub(" ", fold(text)).strip()
