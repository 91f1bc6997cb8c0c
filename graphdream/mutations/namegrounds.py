"""What a pass calls something stands somewhere: names, types, aspects and kinds of links, asked as `grounds` asks of
facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from graphdream.graph.names import canonical
from graphdream.language.folding import fold
from graphdream.mutations.base import Mutation, RoleName, all_models, parts_of, values_in
from graphdream.mutations.called import called_by, is_plain, is_run_of_signs, specific_capitals, uncovered
from graphdream.mutations.context import Applying
from graphdream.mutations.grounding import listed
from graphdream.mutations.grounds import Grounds, told_in
from graphdream.mutations.groundtexts import SessionText, Texts, session_text, unread_text
from graphdream.mutations.outcome import skip
from graphdream.mutations.specifics import Token

_LEAST_PART = 5  # letters of the first word of a compound, and of what follows it
_MOST_SAYING = 50  # sessions that are read for a word that is looked up among all
_FOUND_BY = frozenset((
    ("delete_aspect", "aspect"), ("delete_attribute", "aspect"), ("supersede_attribute", "aspect"),
    ("merge_aspects", "source"),
))  # fmt: skip
"""Fields with an aspect that is only looked for: where there is none, nothing is written."""
_LABELS: dict[RoleName, str] = {
    "type": "SELECT 1 FROM entity WHERE type = ?1 UNION ALL SELECT 1 FROM link WHERE type = ?1 LIMIT 1",
    "aspect": "SELECT 1 FROM aspect WHERE canonical = ?1 LIMIT 1",
}
"""Roles of words for many things, and how to ask whether the memory uses such a word already."""
_SAYING = (
    "SELECT * FROM session WHERE kind = 'session' AND id IN ("
    "SELECT session_id FROM summary WHERE content LIKE ?1 UNION SELECT session_id FROM observation"
    " WHERE content LIKE ?1 OR speaker LIKE ?1 UNION SELECT session_id FROM turn WHERE content LIKE ?1 OR speaker"
    f" LIKE ?1) ORDER BY id DESC LIMIT {_MOST_SAYING}"
)


def refuse_invented_names(applying: Applying, mutation: Mutation) -> None:
    """Refuse a mutation that calls something by what nothing says.

    Raises:
        Refusal: skipped, as `grounding`; or as the handler would say it: whom it is about has changed meanwhile, cannot
            be found, or may be several.
    """
    items = list(all_models(mutation))
    names = [name for item in items for name in told_in(item, "name")]
    labels = [
        (part.role, label)
        for item in items
        for part in parts_of(type(item))
        if part.role in _LABELS and (mutation.op, part.name) not in _FOUND_BY
        for label in values_in(item, part)
    ]
    if not (names or any(label for _, label in labels)):
        return
    sessions = [
        session_text(applying, key) for key in dict.fromkeys(key for item in items for key in told_in(item, "session"))
    ]
    grounds = NameGrounds(applying, mutation, [session for session in sessions if session is not None])
    for invented in (
        *(grounds.invented_in_name(name) for name in names if name),
        *(grounds.invented_in_label(role, label) for role, label in labels if label),
    ):
        if invented:
            for reference in filter(None, told_in(mutation, "entity")):
                applying.entity(reference)
            raise skip("grounding", f"nothing that it rests on says {listed(invented)}")


class NameGrounds:
    """What the names, types, aspects and kinds of links of a mutation may rest on.

    That is the sessions that it names, what is known of the entities that it is about, and the sessions that the pass
    may be reading: a model reads several at once. What names no session may rest on any. The names that the mutation
    itself writes are no ground.
    """

    def __init__(self, applying: Applying, mutation: Mutation, sessions: list[SessionText]) -> None:
        self._applying, self._mutation, self._sessions = applying, mutation, sessions
        self._about = Grounds(applying, mutation, None)

    def invented_in_name(self, name: str) -> frozenset[str]:
        """The words of a name that nothing says."""
        called = called_by(name)
        wanted = {token.text: token for token in (*called.exact, *called.capitals)}
        missing = self._not_said(wanted)
        runs = {run for run in called.uncased if all(run not in told.plain for told in self._near)}
        if not (missing or runs):
            return frozenset()
        for told in self._all_told(name):
            if told.calls(name):
                return frozenset()
            missing = {text: token for text, token in missing.items() if not _is_called(told, token, name)}
        if missing and len(missing) < len(wanted) and not self._is_person:
            missing = {text: token for text, token in missing.items() if not self._is_added(token)}
        return frozenset(missing) | self._made_up(name, runs, len(called.uncased))

    def invented_in_label(self, role: RoleName, label: str) -> frozenset[str]:
        """The words of a type, an aspect or a kind of link that make it specific, and that nothing says."""
        called = called_by(label)
        if not (called.exact or called.capitals) or self._is_in_use(role, label):
            return frozenset()
        missing = self._not_said({token.text: token for token in (*called.exact, *called.capitals)})
        exact = {token.text for token in called.exact}
        if missing.keys() - exact:
            kept = exact | specific_capitals(called, self._language(label), label)
            missing = {text: token for text, token in missing.items() if text in kept}
        for told in self._all_told(label) if missing else ():
            if told.calls(label):
                return frozenset()
            missing = {text: token for text, token in missing.items() if not told.names(token)}
        return frozenset(missing)

    def _not_said(self, wanted: Mapping[str, Token]) -> dict[str, Token]:
        """Those of some words that stand nowhere near as they are; most do, and this is found at once."""
        missing = dict(wanted)
        for told in self._near:
            missing = {text: token for text, token in missing.items() if text not in told.words}
            if not missing:  # what is further off is read only where it must be
                break
        return missing

    @property
    def _near(self) -> Iterator[Texts]:
        """What is read before all else, the nearest first; the further ones only where they are asked for."""
        yield from self._sessions
        yield self._memory
        yield unread_text(self._applying)

    def _all_told(self, text: str) -> Iterator[Texts]:
        """All that a text may rest on, the nearest first."""
        yield from self._near
        if not self._sessions:
            longest = max(re.findall(r"\w+", text), key=len, default="")
            rows = self._applying.connection.execute(_SAYING, (f"%{longest}%",)).fetchall() if longest else []
            yield SessionText(self._applying.connection, *rows)

    @cached_property
    def _memory(self) -> Texts:
        return Texts(self._about.known_of())

    @cached_property
    def _is_person(self) -> bool:
        """Whether what is named is a person: their names are made of words that mean something else in a dictionary."""
        types = [label for label in told_in(self._mutation, "type") if label] or self._about.types()
        return any(fold(label) == "person" for label in types)

    def _is_added(self, token: Token) -> bool:
        """Whether a word only says what kind of thing it is beside a name that is said: `Nygata Apartment`."""
        return token.kind == "word" and is_plain(token.text, self._language(""))

    def _made_up(self, name: str, runs: set[str], count: int) -> frozenset[str]:
        """Those of some words in scripts without capitals that are made up. Where there are blanks between words, their
        endings are many, and it is all of the `count` words of the name or none."""
        if not runs:
            return frozenset()
        told = list(self._all_told(name))
        signs = {run for run in runs if is_run_of_signs(run)}
        made_up = {run for run in signs if uncovered(run, lambda part: any(part in one.plain for one in told))}
        words = {run for run in runs - signs if all(run not in one.plain for one in told)}
        return frozenset(made_up | (words if len(words) == count else set()))

    def _language(self, text: str) -> str | None:
        """The language of what a text stands beside."""
        return next(filter(None, (told.languages.of(text) for told in self._near)), None)

    def _is_in_use(self, role: RoleName, label: str) -> bool:
        """Whether the memory uses a label already, so that it is no news."""
        wanted = canonical(label) if role == "aspect" else label
        if role == "aspect" and self._about.has_aspect(wanted):
            return True  # found without a look at the aspects of all
        return self._applying.connection.execute(_LABELS[role], (wanted,)).fetchone() is not None


def _is_called(told: Texts, token: Token, name: str) -> bool:
    """Whether a word of a name stands in some texts, be it in short (`IMR`) or as the first part of it."""
    if told.names(token):
        return True
    if token.kind != "word":
        return False
    if len(token.text) > 1 and token.text.upper() in name and token.text in told.initials:
        return True
    return any(_begins_compound(word, token.text) for word in told.words)


def _begins_compound(word: str, compound: str) -> bool:
    """Whether a compound begins with a word: `Küchenrenovierung` with `Küche`."""
    return len(word) >= _LEAST_PART <= len(compound) - len(word) and compound.startswith(word)
