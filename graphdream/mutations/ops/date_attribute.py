"""Say when a fact holds in the world, and when to look at it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from graphdream.clock import dated
from graphdream.errors import quoted
from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE
from graphdream.graph.worldtimes import exactness
from graphdream.mutations.base import FactHandle, Mutation, OwnTime, Precision
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip
from graphdream.mutations.rows import Row

WORLD_TIMES = ("valid_from", "valid_to", "occurred_at")
EACH_EXACTLY = 5  # rules of the applier since which each time is known as exactly as it was given
_UNITS = ("year", "month", "day", "time")

TimeName = Literal["valid_from", "valid_to", "occurred_at", "review_after"]


class DateAttribute(Mutation):
    """Host and person only: the times of a fact in the world; a year or a month alone is a time, known that exactly."""

    op: Literal["date_attribute"] = "date_attribute"
    attribute: FactHandle
    valid_from: OwnTime = Field(default="", description="since when it holds: 2026, 2026-03, 2026-03-01 or a time")
    valid_to: OwnTime = Field(default="", description="until when it holds")
    occurred_at: OwnTime = Field(default="", description="when it happened")
    review_after: OwnTime = Field(default="", description="when to look whether it still holds")
    precision: Precision = Field(
        default="", description="how exactly all of them are known; default: each as it is written"
    )
    clear: tuple[TimeName, ...] = Field(default=(), description="times that are not known after all")


def date_attribute(mutation: DateAttribute, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    values: dict[str, str | None] = dict.fromkeys(mutation.clear)
    given: dict[str, str] = {}
    for name in (*WORLD_TIMES, "review_after"):
        text = getattr(mutation, name)
        if text:
            try:
                values[name], given[name] = dated(text)
            except ValueError as fault:
                raise fail("invalid", f"{quoted(text)} is no year, month, day or time") from fault
    given.pop("review_after", None)  # a day to look again, which is as exact as it is written
    held = {name: values.get(name, fact[name]) for name in ("valid_from", "valid_to")}
    if held["valid_from"] and held["valid_to"] and held["valid_to"] < held["valid_from"]:
        raise fail("invalid", f"it would hold until {held['valid_to']}, before it began at {held['valid_from']}")
    if mutation.precision:
        values["time_precision"] = mutation.precision
    elif given:
        first = next(iter(given.values()))
        values["time_precision"] = first if applying.rules < EACH_EXACTLY else _exactly(fact, values, given)
    if all(fact[name] == value for name, value in values.items()):
        raise skip("nothing_to_do", f"{handle(ATTRIBUTE, fact['id'])} has these times already")
    applying.rows.change(ATTRIBUTE, fact["id"], **values)
    return Outcome("applied", "ok", f"{handle(ATTRIBUTE, fact['id'])} is dated")


def _exactly(fact: Row, values: Mapping[str, str | None], given: dict[str, str]) -> str:
    """How exactly the least exact time of the fact is known, of those given now and those that stay.

    Raises:
        Refusal: one precision is kept for all of them, and by that one of them would be known otherwise than it is.
    """
    before = {name: fact[name] for name in WORLD_TIMES if fact[name]}
    known = dict(zip(before, exactness(list(before.values()), fact["time_precision"]), strict=True)) | given
    stamps = {name: values.get(name, fact[name]) for name in WORLD_TIMES}
    standing = {name: stamp for name, stamp in stamps.items() if stamp}
    coarsest: str = min((known[name] for name in standing), key=_UNITS.index)
    shown = dict(zip(standing, exactness(list(standing.values()), coarsest), strict=True))
    for name, stamp in standing.items():
        if shown[name] != known[name] and (shown[name], known[name]) != ("day", "time"):
            raise fail(
                "invalid",
                f"one precision is kept for all times of a fact, and by the {coarsest} {stamp[:10]} ({name}) would be"
                f" known by the {shown[name]} alone; say `precision`, or leave one of the times out",
            )
    return coarsest


OP = Op(
    DateAttribute, date_attribute,
    example={"op": "date_attribute", "attribute": "a1", "valid_from": "2026-03", "valid_to": "2026-05-11"},
    by="host", protects=("attribute",),
)  # fmt: skip
