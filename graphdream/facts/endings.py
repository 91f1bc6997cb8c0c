"""What was found to be over: each group whose value ended, what is at odds, and what is open."""

from __future__ import annotations

from dataclasses import dataclass, field

from graphdream.facts.groups import Group
from graphdream.facts.model import Open


@dataclass(frozen=True, slots=True)
class Change:
    """A group whose value is over, and the one that replaced it."""

    old: int
    new: int
    slot: str
    probability: float


@dataclass(slots=True)
class Replaced:
    """What was found: all numbers are positions of groups.

    Attributes:
        changes: group -> the change that ended it.
        disputes: pairs of groups that contradict each other -> the question that both answer.
        left: what is open.
    """

    changes: dict[int, Change] = field(default_factory=dict)
    disputes: dict[tuple[int, int], str] = field(default_factory=dict)
    left: list[Open] = field(default_factory=list)

    def note(self, change: Change) -> None:
        """Keep the likelier of two changes that ended the same."""
        known = self.changes.get(change.old)
        if known is None or known.probability < change.probability:
            self.changes[change.old] = change


def may_replace(old: Group, new: Group) -> bool:
    """Whether what a person told is replaced by what a person told, and nothing by a guest."""
    return is_of_person(new) or not is_of_person(old)


def is_of_person(group: Group) -> bool:
    """Whether a person told it."""
    return any(fact.authority == "user" for statement in group.members for fact in statement.facts)
