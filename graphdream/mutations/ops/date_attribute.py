"""Say when a fact holds in the world, and when to look at it again."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graphdream.clock import dated
from graphdream.errors import quoted
from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE
from graphdream.mutations.base import FactHandle, Mutation, OwnTime, Precision
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip

TimeName = Literal["valid_from", "valid_to", "occurred_at", "review_after"]


class DateAttribute(Mutation):
    """Host and person only: the times of a fact in the world; a year or a month alone is a time, known that exactly."""

    op: Literal["date_attribute"] = "date_attribute"
    attribute: FactHandle
    valid_from: OwnTime = Field(default="", description="since when it holds: 2026, 2026-03, 2026-03-01 or a time")
    valid_to: OwnTime = Field(default="", description="until when it holds")
    occurred_at: OwnTime = Field(default="", description="when it happened")
    review_after: OwnTime = Field(default="", description="when to look whether it still holds")
    precision: Precision = Field(default="", description="how exactly they are known; default: as they are written")
    clear: tuple[TimeName, ...] = Field(default=(), description="times that are not known after all")


def date_attribute(mutation: DateAttribute, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    values: dict[str, str | None] = dict.fromkeys(mutation.clear)
    precision: str = mutation.precision
    for name in ("valid_from", "valid_to", "occurred_at", "review_after"):
        text = getattr(mutation, name)
        if text:
            try:
                values[name], exactly = dated(text)
            except ValueError as fault:
                raise fail("invalid", f"{quoted(text)} is no year, month, day or time") from fault
            precision = precision or (exactly if name != "review_after" else "")
    held = {name: values.get(name, fact[name]) for name in ("valid_from", "valid_to")}
    if held["valid_from"] and held["valid_to"] and held["valid_to"] < held["valid_from"]:
        raise fail("invalid", f"it would hold until {held['valid_to']}, before it began at {held['valid_from']}")
    if precision:
        values["time_precision"] = precision
    if all(fact[name] == value for name, value in values.items()):
        raise skip("nothing_to_do", f"{handle(ATTRIBUTE, fact['id'])} has these times already")
    applying.rows.change(ATTRIBUTE, fact["id"], **values)
    return Outcome("applied", "ok", f"{handle(ATTRIBUTE, fact['id'])} is dated")


OP = Op(
    DateAttribute, date_attribute,
    example={"op": "date_attribute", "attribute": "a1", "valid_from": "2026-03", "valid_to": "2026-05-11"},
    by="host", protects=("attribute",),
)  # fmt: skip
