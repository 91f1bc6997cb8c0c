"""What recall returns: a fact, a turn or a summary, with where it comes from and why it was returned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

_ALWAYS = ("handle", "kind", "text", "score", "parts")


@dataclass(frozen=True, slots=True)
class Other:
    """The other side of a contradiction.

    Attributes:
        handle: of the fact that says otherwise.
        text: what it says.
    """

    handle: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that recall returns.

    Attributes:
        handle: `a345` for a fact, `t12` for a turn, `sum7` for the summary of a session.
        text: the fact, turn or summary as it is on record; of turns next to each other a line each, in order.
        category: path of a fact (`user-preferences/timezone`); "" for the rest.
        score: higher is better; comparable within one answer only.
        parts: what the score is made of; it is their sum.
        time: when it was said, or since when the fact is known or true; UTC, "" where nobody knows.
        session: key of the session it comes from; "" for facts without one.
        turns: transcript ids of the turns it rests on; for a turn its own.
        speaker: who said a turn; "" where several are told together, whose lines say who.
        beside: handles of the turns told together with the best of them, in the order spoken.
        status: "active" or "superseded".
        contradicts: the facts that say otherwise, unresolved.
        authority: of a fact: `user` where a person told it, else `observed`, `inferred` or `imported`.
        via: handle of the entity over whose links it was reached; "" for a direct hit.
    """

    kind: Literal["fact", "turn", "summary"]
    handle: str
    text: str
    category: str
    score: float
    parts: Mapping[str, float]
    time: str
    session: str
    turns: tuple[str, ...] = ()
    speaker: str = ""
    beside: tuple[str, ...] = ()
    status: str = "active"
    constraint: bool = False
    contradicts: tuple[Other, ...] = ()
    via: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    authority: str = ""

    def as_json(self) -> dict[str, Any]:
        """The hit as plain data, in the field order of docs/recall.md; what is empty is left out but for `_ALWAYS`."""
        shown: dict[str, Any] = {
            "handle": self.handle,
            "kind": self.kind,
            "text": self.text,
            "category": self.category,
            "score": round(self.score, 4),
            "parts": {name: round(value, 4) for name, value in self.parts.items()},
            "time": self.time,
            "session": self.session,
            "turns": list(self.turns),
            "speaker": self.speaker,
            "beside": list(self.beside),
            "status": "" if self.status == "active" else self.status,
            "constraint": self.constraint,
            "contradicts": [{"handle": other.handle, "text": other.text} for other in self.contradicts],
            "via": self.via,
            "authority": self.authority,
        }
        return {name: value for name, value in shown.items() if name in _ALWAYS or value not in ("", [], {}, False)}
