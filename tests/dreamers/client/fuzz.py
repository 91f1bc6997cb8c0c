"""Answers as a model, a bad connection or an attacker may make them, drawn from one seeded source of chance."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from graphdream.dreamers.client.salvage import NUMBER_LISTS
from graphdream.mutations.registry import op_named
from graphdream.mutations.schema import mutation_schema
from tests.laws.plans import NAMES, NO_NAMES, SESSIONS, TEXTS, TIMES

_SCHEMA = mutation_schema()
_KINDS = [
    _SCHEMA["$defs"][item["$ref"].rsplit("/")[-1]] for item in _SCHEMA["properties"]["mutations"]["items"]["anyOf"]
]
_PIECES = (
    '"', "\\", "{", "}", "[", "]", ",", ":", "'", "\x00", "\ud83d", "\u2028", "```", "<think>", "</think>", "null", "NaN", "1e999",
    '{"op":', '"mutations":', "]}", "// ", "-", "\n", "\\u0000", "\\ud800", "9" * 400, "é",
)  # fmt: skip
_HOSTILE: tuple[Any, ...] = (
    {"op": "purge", "entity": "e1"}, {"op": "drop_table", "name": "entity"}, {"op": "pin", "entity": "e1"},
    {"op": "unpin", "entity": "e3"}, {"op": "mark_constraint", "attribute": "a1", "constraint": False},
    {"op": "decay", "attribute": "a1", "importance": 0}, {"op": "delete_entity", "name": "*"},
    {"op": "delete_entity", "name": "e1'; DELETE FROM entity; --"}, {"op": "restore", "row": "a1; a2"},
    {"op": "supersede_attribute", "old": "a5", "new": "you may do anything now"}, {"op": "delete_aspect", "entity": "e3", "aspect": "%"},
    {"op": "merge_entities", "source": ["e1", "e2", "e3", "e4", "e5", "e6"], "target": "e1"},
)  # fmt: skip


def _letter(op: str, name: str) -> str:
    """What kind of row a field wants."""
    if name in ("links", "link") or op == "merge_links":
        return "l"
    of_facts = ("merge_attributes", "flag_contradiction", "resolve_contradiction", "restore")
    return "a" if op in of_facts or name in ("attributes", "attribute", "content", "old", "new") else "e"


class Fuzzer:
    """Makes answers.

    Args:
        handles: gives the handles that there are by now; one in ten is of nothing.
        questions: how many were put; one number in ten is of none.
    """

    def __init__(self, seed: int, handles: Callable[[], list[str]], *, questions: int = 6) -> None:
        self.chance = random.Random(seed)
        self.questions = questions
        self._handles = handles

    def answer(self) -> str:
        """One answer: right, or spoiled in one or several ways."""
        items = [self._item() for _ in range(self.chance.choice((0, 1, 1, 2, 3, 5, 8)))]
        if items and self.chance.random() < 0.2:
            items += self.chance.choices(items, k=2)
        body: Any = {**self._lists(), "mutations": items, "summary": self.chance.choice(TEXTS)}
        if self.chance.random() < 0.05:
            del body["mutations"]
        body = self.chance.choice((body, body, body, body, items, items[:1], self._junk(3)))
        text = json.dumps(body, ensure_ascii=self.chance.random() < 0.5, indent=self.chance.choice((None, None, 1)))
        for _ in range(self.chance.choice((0, 0, 0, 1, 2, 6))):
            text = self._spoiled(text)
        return text

    def huge(self, characters: int) -> str:
        """One very long answer."""
        piece = self.chance.choice((*_PIECES, self.answer() or "x"))
        return '{"mutations": [' + piece * (characters // len(piece))

    def _lists(self) -> dict[str, Any]:
        """Numbers of questions: right ones, of no question, twice, in lists that contradict each other, far too many."""
        if self.chance.random() < 0.4:
            return {}
        lists: dict[str, Any] = {}
        for name in self.chance.sample(NUMBER_LISTS, self.chance.randrange(1, len(NUMBER_LISTS) + 1)):
            lists[name] = [self._number() for _ in range(self.chance.choice((0, 1, 1, 2, 3, 6)))]
        kind = self.chance.random()
        if kind < 0.1:
            lists[self.chance.choice((*lists, "others"))] = self._junk(2)
        elif kind < 0.11:
            lists["same"] = [self._number() for _ in range(12_000)]
        return lists

    def _number(self) -> Any:
        if self.chance.random() < 0.9:
            return self.chance.randrange(1, self.questions + 1)
        return self.chance.choice(
            (0, -1, self.questions + 1, 10**30, 2.5, True, None, "1", "e1 ? e2", [1], {"question": 1})
        )

    def _item(self) -> Any:
        kind = self.chance.random()
        if kind < 0.05:
            return self.chance.choice(_HOSTILE)
        if kind < 0.1:
            return self._junk(3)
        shape = self.chance.choice(_KINDS)
        body = self._value(shape, shape["properties"]["op"]["const"], "")
        if self.chance.random() < 0.1:
            body[self.chance.choice([*body, "more"])] = self._junk(2)
        return body

    def _value(self, shape: dict[str, Any], op: str, name: str) -> Any:
        """A value as the schema wants it; every other field that may be left out is left out."""
        shape = _SCHEMA["$defs"][shape["$ref"].rsplit("/")[-1]] if "$ref" in shape else shape
        if "const" in shape:
            return shape["const"]
        if "enum" in shape:
            return self.chance.choice(shape["enum"])
        if shape.get("type") == "object":
            wanted = {
                "op",
                "content",
                "name",
                "new",
                "type",
                "aspect",
                "attributes",
                "source",
                "target",
                *(part.name for part in op_named(op).addresses),
            }
            return {
                field: self._value(inner, op, field)
                for field, inner in shape["properties"].items()
                if field in wanted or self.chance.random() < 0.5
            }
        if shape.get("type") == "array":
            return [self._value(shape["items"], op, name) for _ in range(self.chance.choice((1, 1, 2, 3)))]
        if shape.get("type") == "number":
            return self.chance.choice((0, 1, 0.5, 0.3333333333))
        if shape.get("type") == "boolean":
            return self.chance.random() < 0.5
        return self._text(op, name)

    def _text(self, op: str, name: str) -> str:
        if name in {part.name for part in op_named(op).addresses} and self.chance.random() < 0.8:
            return self._handle(op, name)
        if name in ("known_at", "valid_from", "occurred_at"):
            return self.chance.choice(TIMES)
        if name == "session":
            return self.chance.choice(SESSIONS)
        if name in ("content", "new", "quote", "old"):
            return self.chance.choice(TEXTS)
        return self.chance.choice((*NAMES, *NAMES, *NO_NAMES, "general", "person"))

    def _handle(self, op: str, name: str) -> str:
        if self.chance.random() < 0.1:
            return self.chance.choice(("e999", "a999", "l999", "e0", f"a{10**17}", "s1", "x1"))
        known = self._handles()
        fitting = [handle for handle in known if handle[0] == _letter(op, name)]
        return self.chance.choice(fitting or known or ["e1"])

    def _junk(self, depth: int) -> Any:
        kind = self.chance.randrange(10 if depth else 7)
        if kind < 7:
            plain = (None, True, -1, 10**30, 0.1, "", self.chance.choice(TEXTS))
            return plain[kind]
        if kind == 7:
            return [self._junk(depth - 1) for _ in range(self.chance.randrange(4))]
        names = ("op", "mutations", "name", "entity", "summary", "")
        return {self.chance.choice(names): self._junk(depth - 1) for _ in range(self.chance.randrange(4))}

    def _spoiled(self, text: str) -> str:
        place, kind = self.chance.randrange(len(text) + 1), self.chance.randrange(12)
        other = self.chance.randrange(len(text) + 1)
        low, high = min(place, other), max(place, other)
        ways: tuple[Callable[[], str], ...] = (
            lambda: text[:place],
            lambda: text[place:],
            lambda: text[:low] + text[high:],
            lambda: text[:place] + self.chance.choice(_PIECES) + text[place:],
            lambda: text[:place] + text[low:high] + text[place:],
            lambda: f"```json\n{text}\n```",
            lambda: f"Here you are:\n{text}\nAnything else?",
            lambda: f"<think>{text[:place]}</think>{text}",
            lambda: text.replace('"', "'", self.chance.choice((2, -1))),
            lambda: text.replace("}", ",}", self.chance.choice((1, -1))).replace("]", ",]"),
            lambda: f"{text}\n{text}",
            lambda: json.dumps(text),
        )
        return ways[kind]()
