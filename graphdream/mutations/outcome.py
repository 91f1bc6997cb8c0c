"""What became of a mutation: one outcome each, with a reason code and words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Status = Literal["applied", "skipped", "failed"]

PURGED = "purged"
UNREASONED = "deferred_without_reason"

CODES: dict[str, str] = {
    "ok": "done",
    "reinforced": "the fact was known; it now counts as seen again",
    "nothing_to_do": "the graph is so already",
    "pinned": "the entity, or the entity that the row hangs on, is pinned",
    "constraint": "the fact is a constraint, or a constraint hangs under it",
    "distinct": "the two were judged not to be the same",
    "authority": "what a person told goes only where a person tells otherwise",
    "coverage": "the replacement loses something specific",
    "grounding": "the replacement says something specific that its sources do not",
    "quote": "the words that it rests on do not stand in the session that it names",
    "no_session": "there is no session of that key",
    "shielded": "a merge of this row was refused in the same pass, so it is kept",
    "forgotten": "a person has removed this fact",
    PURGED: "a person has purged this for good; the journal keeps no word of the proposal",
    "reserved": "only the host or a person may do this",
    "bad_name": "this is no name for an entity",
    "invalid": "the mutation itself is malformed",
    UNREASONED: "the question was put off without naming what it waits for; it counts as left alone",
    "not_found": "no such row",
    "ambiguous": "the name fits several entities",
    "stale": "the row changed after the mutation was proposed",
    "not_active": "the row is no longer active",
    "elsewhere": "the rows belong to different entities",
    "over_cap": "the pass would archive more than its loss cap allows",
    "harmful": "recall fell with this change, or nothing stands for what it takes away, so the pass left it out",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Attributes: status; code, one of `CODES`; message, the words for this very case; archived, how many active facts
    it has put aside."""

    status: Status
    code: str
    message: str
    archived: int = field(default=0, compare=False)


class Refusal(Exception):
    """Raised by a handler to end its mutation; the savepoint takes back what it had written."""

    def __init__(self, status: Status, code: str, message: str) -> None:
        super().__init__(message)
        self.outcome = Outcome(status, code, message)


def skip(code: str, message: str) -> Refusal:
    """The mutation is understood and left out, for a reason."""
    return Refusal("skipped", code, message)


def fail(code: str, message: str) -> Refusal:
    """The mutation cannot be done."""
    return Refusal("failed", code, message)
