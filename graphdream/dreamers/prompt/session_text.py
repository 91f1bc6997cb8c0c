"""Sessions as a model reads them: fenced as data, so that nothing said in one can pass for an instruction around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphdream.dreamers.client.fencing import fenced
from graphdream.dreamers.gathered import SeenSession
from graphdream.dreamers.prompt.graph_text import one_line

_PARAGRAPH = re.compile(r"(?<=\n)\s*\n|(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class SessionPart:
    """A session, or a part of one that is longer than a call can hold. `text` is fenced."""

    key: str
    text: str
    tokens: int


def section(kind: str, body: str, **attributes: str) -> str:
    """A part of a prompt that is data, in a fence that says what it is and that nothing in it can close."""
    told = {name: one_line(value) for name, value in attributes.items() if value}
    return fenced(body.strip(), kind=kind, **told) + "\n"


def told(session: SeenSession) -> str:
    """What is unread of a session: its summaries, then the facts that came with it; else what people said in it."""
    parts = [text.strip() for _, text in session.summaries]
    if session.observations:
        parts.append("\n".join(f"- {_who(item.speaker)}{one_line(item.content)}" for item in session.observations))
    if session.told:
        parts.append("\n".join(f"{_who(turn.speaker)}{one_line(turn.content)}" for turn in session.told))
    return "\n\n".join(parts)


def _who(speaker: str) -> str:
    return f"{one_line(speaker)}: " if speaker else ""


def session_parts(session: SeenSession, count: Callable[[str], int], most_tokens: int) -> list[SessionPart]:
    """A session in fenced parts of at most `most_tokens` each; nearly always one. Nothing is left out: cuts are made
    between paragraphs or sentences, and within one only where it alone is too long."""
    pieces = _pieces(told(session), count, most_tokens - count(section("session", "", **_marks(session, "99 of 99"))))
    texts = [
        section("session", piece, **_marks(session, f"{number} of {len(pieces)}" if len(pieces) > 1 else ""))
        for number, piece in enumerate(pieces, 1)
    ]
    return [SessionPart(session.key, text, count(text)) for text in texts]


def _marks(session: SeenSession, part: str) -> dict[str, str]:
    return {"key": session.key, "at": session.at, "part": part}


def _pieces(text: str, count: Callable[[str], int], most: int) -> Sequence[str]:
    if count(text) <= most:
        return [text]
    pieces, current, tokens = list[str](), "", 0
    for unit in _units(text, count, most):
        more = count(unit)
        if current and tokens + more > most:
            pieces.append(current)
            current, tokens = "", 0
        current += unit
        tokens += more
    return [*pieces, current]


def _units(text: str, count: Callable[[str], int], most: int) -> Sequence[str]:
    """The text cut behind paragraphs and sentences, those that are too long alone cut in halves; joined again they are
    the text."""
    ends = [match.end() for match in _PARAGRAPH.finditer(text)] + [len(text)]
    units: list[str] = []
    start = 0
    for end in ends:
        units += _halved(text[start:end], count, most)
        start = end
    return units


def _halved(unit: str, count: Callable[[str], int], most: int) -> list[str]:
    if not unit:
        return []
    if len(unit) < 2 or count(unit) <= most:
        return [unit]
    middle = len(unit) // 2
    return _halved(unit[:middle], count, most) + _halved(unit[middle:], count, most)
