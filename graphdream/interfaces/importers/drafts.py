"""Drafts: the facts that a note is the first to bring, or has again, and which line an edit put each in place of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from graphdream.graph.names import canonical, canonical_text
from graphdream.interfaces.importers.heirs import Line, heirs_of
from graphdream.interfaces.importers.known import AspectOf, Known, Owner, uid_of
from graphdream.interfaces.importers.note import Note
from graphdream.interfaces.importers.notes_text import Statement, unstruck
from graphdream.interfaces.importers.standing import Standing
from graphdream.mutations.specifics import words_of

History = Callable[[Note, str], Mapping[str, Any]]
"""Of a note's fact, by its id: since when it is known, what became of it, its tags, as fields of its line."""
Said = tuple[str, str]
"""An aspect and a text, both folded."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A new fact.

    Attributes:
        said: what it says.
        fact: its id.
        entity: the id of what it is said of, as its note has it.
        owner, aspect: where it goes.
        told: when it was told.
        fared: what is known of how it fared.
    """

    said: Statement
    fact: str
    entity: str
    owner: Owner
    aspect: AspectOf
    told: str
    fared: Mapping[str, Any]

    @property
    def line(self) -> Line:
        """The line that it is in its file."""
        return Line(self.fact, (self.owner.row, canonical(self.aspect.name)), self.said.text)

    @property
    def standing(self) -> Standing:
        """The same beside lines that earlier imports brought, and when it was told."""
        return Standing(self.fact, (self.entity, canonical(self.aspect.name)), self.said.text, self.told)


class Drafts:
    """What one import makes of a note.

    Args:
        note: the file.
        known: what earlier imports left.
        now: the time of the import.
        history: how each line fared.

    Attributes:
        met: lines that an earlier import brought and that the note still has; filled by `new`.
    """

    def __init__(self, note: Note, known: Known, now: str, history: History, *, at: str = "") -> None:
        self._note, self._known, self._now, self._history, self._at = note, known, now, history, at
        self.met: list[Standing] = []

    def new(self, made: set[str]) -> Iterator[Draft]:
        """The facts that it is the first to bring, and those that an edit had replaced and that it has again instead.

        Args:
            made: ids of facts that this import makes; those of the note are added.
        """
        note, known = self._note, self._known
        for one in note.cut.statements:
            line = fact = note.fact_of(one)
            if line in made:
                continue
            made.add(line)
            fared = self._history(note, line)
            title = note.title_of(one)
            entity = uid_of("ent", note.path, *([canonical(title)] if title else []))
            if known.has(fact):
                now_known, is_new = self._again(fact) if stands(fared) else (fact, False)
                if not is_new:
                    known.met += 1
                    if stands(fared):
                        self.met.append(Standing(now_known, (entity, canonical(note.aspect_of(one))), one.text))
                    continue
                fact, fared = now_known, {}
            owner = known.entity(entity)
            if owner.archived:
                known.left_out += 1
                continue
            if one.struck and not self._strikes_out(one, fact, owner):
                known.struck_out += 1
                continue
            told = fared.get("created_at") or known.told(note.path, note.day_of(one) or self._at, self._now)
            yield Draft(one, fact, entity, owner, known.aspect(owner, note.aspect_of(one), self._now), told, fared)

    def former(self, drafts: Sequence[Draft]) -> dict[str, str]:
        """Of each new fact that an edit has put in the place of another since an earlier import: the id of that one."""
        fresh = [draft.line for draft in drafts if draft.owner.row is not None and stands(draft.fared)]
        places = dict.fromkeys(line.place for line in fresh)
        there = [line for place in places for line in self._known.standing(self._note.source, place)]
        gone = [line for line in there if (line.place[1], canonical_text(line.text)) not in self._standing]
        return {heir: fact for fact, heir in reversed(heirs_of(gone, fresh).items())}

    def _strikes_out(self, one: Statement, fact: str, owner: Owner) -> bool:
        """Whether a line that is struck out ends one that was told before and that the note does not have any more.
        Where it ends none, there is nothing to remember: nobody has told us that it ever held."""
        if fact in self._replacing:
            return True
        place = (owner.row, canonical(self._note.aspect_of(one)))
        said = words_of(unstruck(one.text))
        return any(
            said <= words_of(line.text)
            for line in self._known.standing(self._note.source, place)
            if (place[1], canonical_text(line.text)) not in self._standing
        )

    @cached_property
    def _replacing(self) -> frozenset[str]:
        """The facts that took the place of others in the note's history."""
        note = self._note
        fates = (self._history(note, note.fact_of(one)) for one in note.cut.statements)
        return frozenset(str(fared["superseded_by"]) for fared in fates if "superseded_by" in fared)

    def _again(self, fact: str) -> tuple[str, bool]:
        """The id by which a fact is known that the note has, and whether it is a new one: the note has its line again,
        had replaced it by another, and does not have that any more."""
        while (last := self._known.replaced_by(fact, self._note.source)) is not None:
            if last.said in self._standing:
                return fact, False
            fact = uid_of("att", fact, last.uid)
            if not self._known.has(fact):
                return fact, True
        return fact, False

    @cached_property
    def _standing(self) -> frozenset[Said]:
        """What the note says now. Only where it was edited is that asked."""
        note = self._note
        return frozenset(
            (canonical(note.aspect_of(one)), canonical_text(one.text))
            for one in note.cut.statements
            if stands(self._history(note, note.fact_of(one)))
        )


def stands(fared: Mapping[str, Any]) -> bool:
    """Whether a line stands in its note now, by what is known of how it fared."""
    return not (fared.get("status") or fared.get("removed"))
