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
    """Refuse what writes a name that is none, whoever writes it. Folders, into which facts are filed, and skills are
    called as a person or a host likes: `notes`, `debug`.

    Raises:
        Refusal: failed, as `bad_name`.
    """
    if applying.actor != "pass" and getattr(mutation, "type", "") in (FOLDER, SKILL):
        return
    for item in all_models(mutation):
        for part in parts_of(type(item)):
            if part.role == "name":
                for name in values_in(item, part):
                    fault = "a line of a text, with its mark" if _MARKED.match(name) else name_fault(name)
                    if fault is not None:
                        raise fail("bad_name", f"{quoted(name)} is no name for an entity: {fault}")
