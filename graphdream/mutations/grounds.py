"""What a pass writes stands somewhere: in the session it names, in the facts it replaces, on the entity it is about.

Asked of every mutation by the types of its fields, before its handler begins: whatever writes a text, or rests on a
session, is asked the same. A person's own words are their own ground.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import cached_property

from pydantic import BaseModel

from graphdream.errors import quoted
from graphdream.graph.rows import parse_handle
from graphdream.graph.tables import ATTRIBUTE, ENTITY
from graphdream.language.calendar import calendar_of, day_meant
from graphdream.language.folding import fold
from graphdream.language.forms import are_forms
from graphdream.language.lexicon import Languages, capitalises_nouns, language_of
from graphdream.mutations.base import Mutation, RoleName, all_models, parts_of, values_in
from graphdream.mutations.context import Applying, entities_named
from graphdream.mutations.grounding import listed
from graphdream.mutations.outcome import skip
from graphdream.mutations.specifics import Token, read_tokens

_DECORATION = re.compile(r"[\W_]+")
_OMISSION = re.compile(r"\.{3,}|…|\[\.*\]")
_SENTENCE = re.compile(r"[^.!?\n]+")
_PIECE = 3_500  # characters; `tokens` reads no further than some more


def refuse_ungrounded(applying: Applying, mutation: Mutation) -> None:
    """Refuse a mutation that rests on nothing.

    Raises:
        Refusal: skipped; `no_session`: it names one that there is not; `quote`: the words that it rests on stand
            nowhere; `grounding`: it says something specific that nothing says that it rests on.
    """
    for item in all_models(mutation):
        texts, sessions, quotes = (_told(item, *roles) for roles in (("text", "replacement"), ("session",), ("quote",)))
        texts = [text for text in texts if not _is_fact(text)]
        if not (texts or any(sessions) or any(quotes)):
            continue
        session = _session(applying, next(filter(None, sessions), ""))
        grounds = _Grounds(applying, mutation, session)
        for quote in filter(None, quotes):
            if not grounds.says(quote):
                where = f"session {quoted(session.key)}" if session is not None else "any session that it names"
                raise skip("quote", f"{quoted(quote)} does not stand in {where}")
        for text in texts:
            invented = grounds.invented(text)
            if invented:
                raise skip("grounding", f"nothing that it rests on says {listed(invented)}")


def _told(item: BaseModel, *roles: RoleName) -> list[str]:
    return [value for part in parts_of(type(item)) if part.role in roles for value in values_in(item, part)]


def _is_fact(text: str) -> bool:
    parsed = parse_handle(text)
    return parsed is not None and parsed[0] is ATTRIBUTE


class SessionText:
    """What a session says, read once a pass.

    Attributes:
        key: of the session.
        days: on which it was held, as `2026-03-03`, in order.
        parts: its summaries, turns and observations.
    """

    def __init__(self, connection: sqlite3.Connection, row: sqlite3.Row) -> None:
        self.key: str = row["key"]
        turns = connection.execute(
            "SELECT speaker, content, said_at FROM turn WHERE session_id = ? ORDER BY position", (row["id"],)
        ).fetchall()
        stamps = [row["started_at"], row["ended_at"], *(turn["said_at"] for turn in turns)]
        self.days = sorted({stamp[:10] for stamp in stamps if stamp} or {row["recorded_at"][:10]})
        self.parts = [f"{turn['speaker']}: {turn['content']}" for turn in turns]
        for table in ("summary", "observation"):
            found = connection.execute(f"SELECT content FROM {table} WHERE session_id = ? ORDER BY id", (row["id"],))
            self.parts += [content for (content,) in found]

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word, number, name and address of it, folded."""
        return _words(self.parts)

    @cached_property
    def languages(self) -> Languages:
        """What it is written in, by script."""
        return Languages(self._sentences)

    @cached_property
    def _sentences(self) -> list[str]:
        return [found[0] for part in self.parts for found in _SENTENCE.finditer(part)]

    @cached_property
    def plain(self) -> str:
        """All of it in letters and figures alone, to look for quotes in."""
        return _plain("\n".join(self.parts))

    @cached_property
    def days_meant(self) -> frozenset[str]:
        """Days, months and years that its words can mean: told as `yesterday`, `on Friday`, `next month`."""
        found: set[date] = set()
        for day in self.days:
            today = date.fromisoformat(day)
            found |= {today, *(_month(today, by) for by in (-1, 0, 1))}
            for sentence in self._sentences:
                language = self.languages.of(sentence)
                calendar = calendar_of(language) if language is not None else None
                meant = day_meant(sentence, day, language)
                found |= {date.fromisoformat(meant)} if meant else set()
                for word in re.findall(r"\w+", sentence.lower()) if calendar is not None else ():
                    weekday = calendar.weekdays.get(word) if calendar is not None else None
                    if weekday is not None:
                        ahead = (weekday - today.weekday()) % 7
                        found |= {today + timedelta(days=ahead), today + timedelta(days=ahead - 7)}
        return frozenset(form for day in found for form in _forms(day))


def _month(day: date, by: int) -> date:
    """The first of a month so many months on."""
    months = day.year * 12 + day.month - 1 + by
    return date(months // 12, months % 12 + 1, 1)


def _forms(day: date) -> tuple[str, ...]:
    """How a day, its month and its year are told (`graphdream.mutations.specifics.Token`)."""
    return f"{day:%m-%d}", f"{day:%Y-%m}", f"month-{day:%m}", f"{day.year}", f"{day.year - 1}", f"{day.year + 1}"


def _session(applying: Applying, key: str) -> SessionText | None:
    if not key:
        return None
    known = applying.session_texts
    if key not in known:
        row = applying.connection.execute("SELECT * FROM session WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise skip("no_session", f"there is no session {quoted(key)}")
        known[key] = SessionText(applying.connection, row)
    return known[key]


class _Grounds:
    """What a text of a mutation may rest on."""

    def __init__(self, applying: Applying, mutation: Mutation, session: SessionText | None) -> None:
        self._applying, self._mutation, self._session = applying, mutation, session

    def says(self, quote: str) -> bool:
        """Whether the words stand in the session, or, where none is named, in a fact that the mutation is about;
        capitals, punctuation and blanks count for nothing, and what was left out (`...`) stays out."""
        pieces = [piece for piece in map(_plain, _OMISSION.split(quote)) if piece]
        where = [self._session.plain] if self._session is not None else list(map(_plain, self._facts))
        return bool(pieces) and any(_in_order(pieces, text) for text in where)

    def invented(self, text: str) -> frozenset[str]:
        """The specifics of a text that nothing says that it rests on."""
        missing = {token.text: token for piece in _pieces(text) for token in read_tokens(piece) if _is_specific(token)}
        for known in (self._said, self._named, self._meant, lambda: _words(self._facts), self._beside):
            if missing:
                words = known()
                missing = {said: token for said, token in missing.items() if not _is_known(token, words)}
        if missing and self._nouns_are_capitalised(text):
            missing = {said: token for said, token in missing.items() if not _only_a_capital(token)}
        return frozenset(missing)

    def _said(self) -> frozenset[str]:
        return self._session.words if self._session is not None else frozenset()

    def _meant(self) -> frozenset[str]:
        return self._session.days_meant if self._session is not None else frozenset()

    def _nouns_are_capitalised(self, text: str) -> bool:
        """Whether a capital says no more than that a word is a noun, as in German."""
        language = language_of(text)
        if language is None and self._session is not None:
            language = self._session.languages.of(text)
        return language is not None and capitalises_nouns(language)

    @cached_property
    def _facts(self) -> list[str]:
        """The facts that the mutation addresses."""
        ids = [number for table, number in self._handles if table is ATTRIBUTE]
        found = self._query("SELECT content FROM attribute WHERE id IN (SELECT value FROM json_each(?))", ids)
        old = [text for text in _told(self._mutation, "fact") if parse_handle(text) is None]
        return [*found, *old]  # a fact may be addressed by its own words

    @cached_property
    def _handles(self) -> list[tuple[object, int]]:
        addressed = _told(self._mutation, "entity", "fact", "row", "replacement")
        return [parsed for text in addressed if (parsed := parse_handle(text)) is not None]

    @cached_property
    def _entities(self) -> list[int]:
        """The entities that the mutation is about."""
        named = [text for text in _told(self._mutation, "entity", "name") if text and parse_handle(text) is None]
        facts = [number for table, number in self._handles if table is ATTRIBUTE]
        owners = self._query(
            "SELECT aspect.entity_id FROM attribute JOIN aspect ON aspect.id = aspect_id"
            " WHERE attribute.id IN (SELECT value FROM json_each(?))",
            facts,
        )
        return [
            *(number for table, number in self._handles if table is ENTITY), *map(int, owners),
            *(row["id"] for name in named for row in entities_named(self._applying.connection, name)),
        ]  # fmt: skip

    def _named(self) -> frozenset[str]:
        """The names of the entities that the mutation is about, also of one that it makes."""
        names = self._query(
            "SELECT name FROM entity WHERE id IN (SELECT value FROM json_each(?1)) UNION SELECT name FROM alias"
            " WHERE entity_id IN (SELECT value FROM json_each(?1))",
            self._entities,
        )
        return _words([*names, *_told(self._mutation, "entity", "name")])

    def _beside(self) -> frozenset[str]:
        """What else is known of these entities."""
        return _words(
            self._query(
                "SELECT content FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE attribute.status = 'active'"
                " AND entity_id IN (SELECT value FROM json_each(?))",
                self._entities,
            )
        )

    def _query(self, sql: str, ids: Iterable[int]) -> list[str]:
        listed = f"[{','.join(map(str, ids))}]"
        return [found for (found,) in self._applying.connection.execute(sql, (listed,))]


def _is_specific(token: Token) -> bool:
    return token.kind in ("number", "date", "time", "url", "id") or (token.kind == "word" and token.proper)


def _only_a_capital(token: Token) -> bool:
    """Whether a token is a plain word that is written with a capital at its head."""
    return token.kind == "word" and token.text.isalpha()


def _is_known(token: Token, words: frozenset[str]) -> bool:
    if token.text in words:
        return True
    if token.kind != "word":
        return False
    return any(are_forms(token.text, word) for word in words)


def _pieces(text: str) -> Iterator[str]:
    """A text in pieces that `tokens` reads to their end, cut at lines or, in longer ones, at blanks."""
    for line in text.split("\n"):
        while len(line) > _PIECE:
            cut = line.rfind(" ", 1, _PIECE)
            cut = cut if cut > 0 else _PIECE
            yield line[:cut]
            line = line[cut:]
        yield line


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(
        token.text for text in texts for piece in _pieces(text) for token in read_tokens(piece) if token.kind != "mark"
    )


def _plain(text: str) -> str:
    return _DECORATION.sub(" ", fold(text)).strip()


def _in_order(pieces: list[str], text: str) -> bool:
    start = 0
    for piece in pieces:
        place = text.find(piece, start)
        if place < 0:
            return False
        start = place + len(piece)
    return True
