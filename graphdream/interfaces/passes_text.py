"""A pass in a few words, for a list of passes: what it did, and who made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ONE_AND_SEVERAL = {
    "merge_entities": ("entity merged", "entities merged"),
    "supersede_attribute": ("fact replaced by a later one", "facts replaced by later ones"),
    "flag_contradiction": ("contradiction flagged", "contradictions flagged"),
    "merge_attributes": ("duplicate fact folded", "duplicate facts folded"),
    "fold": ("duplicate fact folded", "duplicate facts folded"),
    "delete_attribute": ("fact archived", "facts archived"),
    "delete_entity": ("entity archived", "entities archived"),
    "unlink": ("link archived", "links archived"),
    "delete_aspect": ("aspect archived", "aspects archived"),
    "merge_aspects": ("aspect merged", "aspects merged"),
    "move_attribute": ("fact moved", "facts moved"),
    "rename_entity": ("entity renamed", "entities renamed"),
    "retype_entity": ("entity retyped", "entities retyped"),
    "create_entity": ("entity added", "entities added"),
    "create_attribute": ("fact added", "facts added"),
    "reinforce_attribute": ("fact heard again", "facts heard again"),
    "link": ("link added", "links added"),
}
"""Op -> what one of it did, and several. Others are told by their names; what matters most comes first."""
_TOLD_BY_OPS = ("dream", "cycle")
"""Kinds of passes that do much at once; all others say themselves, in their summary, what they did."""


def what_it_did(record: Mapping[str, Any], applied: Mapping[str, int]) -> str:
    """What a pass did, or what went wrong in it.

    Args:
        record: the pass, as `told_passes` has it.
        applied: op -> how many rows it was applied to (`graphdream.journal.applied`).
    """
    if record["kind"] not in _TOLD_BY_OPS or not applied:
        return " ".join(str(record["summary"] or record["error"]).split())
    known = [op for op in _ONE_AND_SEVERAL if op in applied]
    left = record["counts"].get("skipped", 0) + record["counts"].get("failed", 0)
    told = [_counted(op, applied[op]) for op in (*known, *(op for op in applied if op not in _ONE_AND_SEVERAL))]
    return ", ".join(told) + (f"; {left:,} not applied" if left else "")


def _counted(op: str, count: int) -> str:
    name = op.replace("_", " ")
    one, several = _ONE_AND_SEVERAL.get(op, (name, name))
    return f"{count:,} {one if count == 1 else several}"


def made_by(record: Mapping[str, Any]) -> str:
    """Who made a pass: who told it or took it back, or the dreamer with what started it; "" where nobody wrote it."""
    who = record["options"].get("by") or record["options"].get("actor")
    if who:
        return str(who)
    dreamer = " ".join(filter(None, (record["dreamer"], record["model"])))
    return f"{dreamer} ({record['trigger']})" if dreamer and record["trigger"] else dreamer or record["trigger"]
