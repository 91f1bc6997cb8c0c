"""What a pass writes stands somewhere: in the session it names, in the facts it replaces, on the entity it is about.

Asked of every mutation by the types of its fields, before its handler begins: whatever writes a text, or rests on a
session, is asked the same. A person's own words are their own ground. Of names, types, aspects and kinds of links
`namegrounds` asks likewise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from pydantic import BaseModel

from graphdream.errors import quoted
from graphdream.graph.rows import parse_handle
from graphdream.graph.tables import ATTRIBUTE, ENTITY
from graphdream.language.lexicon import capitalises_nouns, language_of
from graphdream.mutations.base import Mutation, RoleName, all_models, parts_of, values_in
from graphdream.mutations.context import Applying, entities_named
from graphdream.mutations.grounding import listed
from graphdream.mutations.groundtexts import SessionText, is_known, pieces_of, plain, session_text, words_of
from graphdream.mutations.outcome import skip
from graphdream.mutations.specifics import Token, read_tokens

_OMISSION = re.compile(r"\.{3,}|…|\[\.*\]")


def refuse_ungrounded(applying: Applying, mutation: Mutation) -> None:
    """Refuse a mutation that rests on nothing.

    Raises:
        Refusal: skipped; `no_session`: it names one that there is not; `quote`: the words that it rests on stand
            nowhere; `grounding`: it says something specific, or calls something by it, that nothing says that it
            rests on.
    """
    for item in all_models(mutation):
        texts, sessions, quotes = (
            told_in(item, *roles) for roles in (("text", "replacement"), ("session",), ("quote",))
        )
        texts = [text for text in texts if not _is_fact(text)]
        if not (texts or any(sessions) or any(quotes)):
            continue
        session = session_text(applying, next(filter(None, sessions), ""))
        grounds = Grounds(applying, mutation, session)
        for quote in filter(None, quotes):
            if not grounds.says(quote):
                where = f"session {quoted(session.key)}" if session is not None else "any session that it names"
                raise skip("quote", f"{quoted(quote)} does not stand in {where}")
        for text in texts:
            invented = grounds.invented(text)
            if invented:
                raise skip("grounding", f"nothing that it rests on says {listed(invented)}")


def told_in(item: BaseModel, *roles: RoleName) -> list[str]:
    """What the fields of an item with any of these roles hold."""
    return [value for part in parts_of(type(item)) if part.role in roles for value in values_in(item, part)]


def _is_fact(text: str) -> bool:
    parsed = parse_handle(text)
    return parsed is not None and parsed[0] is ATTRIBUTE


class Grounds:
    """What a text of a mutation may rest on."""

    def __init__(self, applying: Applying, mutation: Mutation, session: SessionText | None) -> None:
        self._applying, self._mutation, self._session = applying, mutation, session

    def says(self, quote: str) -> bool:
        """Whether the words stand in the session, or, where none is named, in a fact that the mutation is about;
        capitals, punctuation and blanks count for nothing, and what was left out (`...`) stays out."""
        pieces = [piece for piece in map(plain, _OMISSION.split(quote)) if piece]
        where = [self._session.plain] if self._session is not None else list(map(plain, self._facts))
        return bool(pieces) and any(_in_order(pieces, text) for text in where)

    def invented(self, text: str) -> frozenset[str]:
        """The specifics of a text that nothing says that it rests on."""
        missing = {
            token.text: token for piece in pieces_of(text) for token in read_tokens(piece) if _is_specific(token)
        }
        for known in (self._said, self._named, self._meant, lambda: words_of(self._facts), self._beside):
            if missing:
                words = known()
                missing = {said: token for said, token in missing.items() if not is_known(token, words)}
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
        old = [text for text in told_in(self._mutation, "fact") if parse_handle(text) is None]
        return [*found, *old]  # a fact may be addressed by its own words

    @cached_property
    def _handles(self) -> list[tuple[object, int]]:
        addressed = told_in(self._mutation, "entity", "fact", "row", "replacement")
        return [parsed for text in addressed if (parsed := parse_handle(text)) is not None]

    @cached_property
    def _entities(self) -> list[int]:
        """The entities that the mutation is about."""
        named = [text for text in told_in(self._mutation, "entity", "name") if text and parse_handle(text) is None]
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
        return words_of([*names, *told_in(self._mutation, "entity", "name")])

    def _beside(self) -> frozenset[str]:
        """What else is known of these entities."""
        return words_of(
            self._query(
                "SELECT content FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE attribute.status = 'active'"
                " AND entity_id IN (SELECT value FROM json_each(?))",
                self._entities,
            )
        )

    def known_of(self) -> list[str]:
        """All that is known of these entities: their names, what is said of them or under them, and the names of those
        that they are linked with. What the mutation writes itself is not known yet."""
        near = "SELECT value FROM json_each(?1)"
        return [*self._facts, *self._query(
            f"SELECT name FROM entity WHERE id IN ({near}) UNION SELECT name FROM alias WHERE entity_id IN ({near})"
            f" UNION SELECT content FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE entity_id IN ({near})"
            f" UNION SELECT content FROM attribute WHERE id IN (SELECT attribute_id FROM mention"
            f" WHERE entity_id IN ({near}))"
            f" UNION SELECT name FROM entity WHERE id IN (SELECT target_id FROM link WHERE source_id IN ({near})"
            f" UNION SELECT source_id FROM link WHERE target_id IN ({near}))",
            self._entities,
        )]  # fmt: skip

    def types(self) -> list[str]:
        """The types of these entities."""
        return self._query("SELECT type FROM entity WHERE id IN (SELECT value FROM json_each(?))", self._entities)

    def has_aspect(self, key: str) -> bool:
        """Whether one of these entities has an aspect of a canonical name, or had one."""
        own = "SELECT canonical FROM aspect WHERE entity_id IN (SELECT value FROM json_each(?))"
        return key in self._query(own, self._entities)

    def _query(self, sql: str, ids: Iterable[int]) -> list[str]:
        listed = f"[{','.join(map(str, ids))}]"
        return [found for (found,) in self._applying.connection.execute(sql, (listed,))]


def _is_specific(token: Token) -> bool:
    return token.kind in ("number", "date", "time", "url", "id") or (token.kind == "word" and token.proper)


def _only_a_capital(token: Token) -> bool:
    """Whether a token is a plain word that is written with a capital at its head."""
    return token.kind == "word" and token.text.isalpha()


def _in_order(pieces: list[str], text: str) -> bool:
    start = 0
    for piece in pieces:
        place = text.find(piece, start)
        if place < 0:
            return False
        start = place + len(piece)
    return True
