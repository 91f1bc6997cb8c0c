"""What every command prints with `--json`: its shape, from which docs/json.md and JSON Schemas are derived.

No command loads this package; a test runs every command and holds what it prints against its shape.
"""

from __future__ import annotations

from typing import Any

from graphdream.errors import NotFoundError
from graphdream.interfaces.shapes import changes, dreaming, journal, memory, others
from graphdream.interfaces.shapes.declaring import Form
from graphdream.interfaces.shapes.schema import schema

NONE = {
    "hook": "prints what its host reads, in the host's own form",
    "mcp": "speaks the Model Context Protocol, which says what is sent",
}
"""Commands whose output is not theirs to shape -> why."""

FORMS: dict[str, Form] = {
    form.words: form for module in (memory, dreaming, others, journal, changes) for form in module.FORMS
}
"""What commands print, by the command with what makes it print this."""


def schema_of(words: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what a command prints with `--json`; of a command that prints a document a
    line, of each of them.

    Args:
        words: the command, as docs/json.md has it: `recall`, `plan show --clusters`.

    Raises:
        NotFoundError: there is no such entry.
    """
    if words not in FORMS:
        raise NotFoundError(f"nothing is declared for {words!r}", f"one of {', '.join(FORMS)}")
    return schema(FORMS[words])
