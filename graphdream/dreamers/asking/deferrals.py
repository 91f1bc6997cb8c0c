"""Questions that a model puts off: with what it waits for, or the putting off counts for nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from graphdream.mutations.outcome import UNREASONED

FIELD = "deferred"
OP = "defer"  # of a deferral among the items of an exchange
SCHEMA: Mapping[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"question": {"type": "integer"}, "blocker": {"type": "string"}},
        "required": ["question", "blocker"],
        "additionalProperties": False,
    },
}

_LONGEST_TEXT = 500  # characters of a blocker that are kept


def read_deferrals(told: Any, asked: Mapping[int, str]) -> list[tuple[dict[str, Any], str]]:
    """The deferrals of an answer as items, each with its fault, "" where it is right; of each question the last one.

    Args:
        told: what the answer holds under `FIELD`, whatever it is. It names a question by its number or its words.
        asked: the questions of the call, as they were put, by their numbers. What was not asked is not put off.
    """
    words = {named: text for number, text in asked.items() for named in (str(number), text, f"{number}: {text}")}
    found: dict[str, str] = {}
    for item in told if isinstance(told, list) else ():
        question = item.get("question") if isinstance(item, dict) else item
        blocker = item.get("blocker") if isinstance(item, dict) else ""
        text = words.get(" ".join(str(question).split())) if isinstance(question, str | int) else None
        if text is not None:
            found[text] = " ".join(blocker.split())[:_LONGEST_TEXT] if isinstance(blocker, str) else ""
    return [
        (
            {"op": OP, "question": question, "blocker": blocker},
            "" if any(map(str.isalnum, blocker)) else _fault(question),
        )
        for question, blocker in found.items()
    ]


def _fault(question: str) -> str:
    return f"{UNREASONED}: {question} was put off without a word on what it waits for"


def blockers(items: Collection[tuple[dict[str, Any], str]]) -> dict[str, str]:
    """Of the items of an exchange, the questions that were put off rightly, with what each waits for."""
    return {str(body["question"]): str(body["blocker"]) for body, fault in items if body.get("op") == OP and not fault}
