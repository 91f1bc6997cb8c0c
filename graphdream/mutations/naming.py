"""The names that a mutation writes pass the gate, whichever operation writes them."""

from __future__ import annotations

import re

from graphdream.errors import quoted
from graphdream.graph.categories import FOLDER, SKILL
from graphdream.graph.name_gate import name_fault
from graphdream.mutations.base import Mutation, all_models, parts_of, values_in
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import fail

_MARKED = re.compile(r"\s*(?:#{1,6}|[-*+>])\s")  # a heading, an item of a list, a quotation


def refuse_no_name(applying: Applying, mutation: Mutation) -> None:
    """Refuse what writes a name that is none. Folders, into which facts are filed, and skills are called as a person or
    a host likes: `notes`, `debug`. A person calls everything as they like, but for what nobody could read as a name.

    Raises:
        Refusal: failed, as `bad_name`.
    """
    if applying.actor != "pass" and getattr(mutation, "type", "") in (FOLDER, SKILL):
        return
    for item in all_models(mutation):
        for part in parts_of(type(item)):
            if part.role == "name":
                for name in values_in(item, part):
                    fault = _fault(name, by_person=applying.actor == "person")
                    if fault is not None:
                        raise fail("bad_name", f"{quoted(name)} is no name for an entity: {fault}")


def _fault(name: str, *, by_person: bool) -> str | None:
    if _MARKED.match(name):
        return "a line of a text, with its mark"
    if by_person:
        return None if any(letter.isalnum() for letter in name) else "punctuation"
    return name_fault(name)
