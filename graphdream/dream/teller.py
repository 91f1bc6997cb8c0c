"""Who tells something: a person, whose word no pass takes away, or an agent, whose word is an observation."""

from __future__ import annotations

from typing import Literal

from graphdream.errors import UsageError
from graphdream.mutations.context import TOLD, Actor

Teller = Literal["user", "agent"]
TELLERS: tuple[Teller, ...] = ("user", "agent")

_AUTHORITY: dict[str, str] = {"user": TOLD, "agent": "observed"}
_ACTORS: dict[str, Actor] = {"user": "person", "agent": "host"}


def authority_of(teller: str) -> str:
    """The authority of the facts that somebody tells. Raises UsageError where `teller` is none of `TELLERS`."""
    return _AUTHORITY[_checked(teller)]


def actor_of(teller: str) -> Actor:
    """With whose rights somebody edits: an agent is bound by pins, constraints and what a person told.

    Raises:
        UsageError: `teller` is none of `TELLERS`.
    """
    return _ACTORS[_checked(teller)]


def _checked(teller: str) -> str:
    if teller not in TELLERS:
        raise UsageError(f"{teller!r} tells nothing here", "by: " + " or ".join(TELLERS))
    return teller
