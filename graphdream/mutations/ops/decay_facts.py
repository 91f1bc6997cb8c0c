"""Lower the importance of every fact that was not seen for long, as one mutation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from graphdream.clock import stamp
from graphdream.graph.decay import Curve, decayed
from graphdream.graph.staging import update_rows
from graphdream.mutations.base import HOSTS_OWN, Mutation, Role
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip

At = Annotated[str, Role("time"), HOSTS_OWN]


class DecayFacts(Mutation):
    """Host only: let the importance of all facts decay from one moment to another; protected facts keep theirs."""

    op: Literal["decay_facts"] = "decay_facts"
    at: At = Field(description="the moment up to which they decay, ISO 8601")
    since: At = Field(default="", description="the moment up to which they have decayed already; default: none")
    grace_days: float = Field(default=30, ge=0, description="days after a fact was last seen in which it keeps all")
    half_life_days: float = Field(default=45, gt=0, description="days in which importance halves")
    floor: float = Field(default=0.10, ge=0, le=1, description="importance below which nothing decays")


def decay_facts(mutation: DecayFacts, applying: Applying) -> Outcome:
    """Apply it. The protected are left out by the question that finds the rows, as each would be by itself."""
    try:
        at, since = stamp(mutation.at), stamp(mutation.since) if mutation.since else ""
    except ValueError as fault:
        raise fail("invalid", f"{mutation.at!r} or {mutation.since!r} is no ISO 8601 time") from fault
    curve = Curve(mutation.grace_days, mutation.half_life_days, mutation.floor)
    rows = decayed(applying.connection, curve, at=at, since=since, protected=applying.actor != "person")
    pass_id = applying.store.pass_id
    count = update_rows(
        applying.connection, "attribute", ("importance", "version"),
        ((fact, after, pass_id, before) for fact, before, after in rows), found=("importance",),
    )  # fmt: skip
    if not count:
        raise skip("nothing_to_do", "nothing has decayed")
    return Outcome("applied", "ok", f"{count:,} facts decayed up to {at}")


OP = Op(
    DecayFacts, decay_facts,
    example={"op": "decay_facts", "at": "2030-01-01T00:00:00Z"},
    by="host",
)  # fmt: skip
