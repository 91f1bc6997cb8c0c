"""From what came over a boundary (a model's answer, a file, an old journal) to typed proposals; nothing is dropped."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from graphdream.mutations.applier import Proposal
from graphdream.mutations.registry import typed
from graphdream.mutations.schema import FAULT_CHARACTERS, faults_of

LONGEST_ITEM = 100_000  # characters of all its texts; a fact is a sentence, and an entity comes with some dozens
DEEPEST_ITEM = 8  # levels; a fact of an aspect of an entity lies on the fifth


def parse_proposals(items: Iterable[Any]) -> list[Proposal]:
    """One proposal for each item, in order; an item that is no mutation keeps its faults, each with its path."""
    return [_parse_one(item) for item in items]


def parse_trusted(items: Iterable[dict[str, Any]]) -> list[Proposal]:
    """As `parse_proposals`, for bodies from the journal, which may hold what only a host or a person proposes."""
    return [_validated(_as_text(item)) for item in items]


def _as_text(item: Any) -> Any:
    """The same item with half characters replaced by U+FFFD: JSON can escape half of a pair, but UTF-8 has none."""
    text = json.dumps(item, ensure_ascii=False)
    if text.isascii():
        return item
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return item if whole == text else json.loads(whole)


def _misshapen(item: Any) -> str:
    """Why an item cannot be looked at any closer; "" where it can."""
    characters, level, depth = 0, [item], 0
    while level:
        depth += 1
        if depth > DEEPEST_ITEM:
            return "$: nested too deep"
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below += [*value, *value.values()]
            elif isinstance(value, list):
                below += value
            elif isinstance(value, str):
                characters += len(value)
            elif isinstance(value, float) and not math.isfinite(value):
                return "$: a number that is none"
            elif not isinstance(value, (int, float, bool, type(None))):
                return f"$: {type(value).__name__} is nothing that JSON has"
        level = below
        if characters > LONGEST_ITEM or len(below) > LONGEST_ITEM:
            return f"$: longer than {LONGEST_ITEM} characters"
    return ""


def _parse_one(item: Any) -> Proposal:
    fault = _misshapen(item)
    if fault:
        op = item.get("op") if isinstance(item, dict) else ""
        return Proposal({"op": _as_text(op[:64]) if isinstance(op, str) else ""}, None, fault)
    item = _as_text(item)
    body = item if isinstance(item, dict) else {"op": "", "item": repr(item)[:300]}
    faults = faults_of(item)
    if faults:
        return Proposal(body, None, "; ".join(faults))
    return _validated(body)


def _validated(body: dict[str, Any]) -> Proposal:
    try:
        return Proposal(body, typed(body))
    except ValidationError as fault:
        lines = (f"$.{'.'.join(map(str, error['loc'][1:]))}: {error['msg']}" for error in fault.errors())
        return Proposal(body, None, "; ".join(line[:FAULT_CHARACTERS] for line in lines))
