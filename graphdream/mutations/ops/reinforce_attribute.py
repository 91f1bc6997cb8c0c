"""Count a fact as seen again."""

from __future__ import annotations

from typing import Literal

from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE
from graphdream.mutations.base import FactHandle, Mutation, OwnTime, Quote, Session, Turns
from graphdream.mutations.context import Applying
from graphdream.mutations.facts import reinforce
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip


class ReinforceAttribute(Mutation):
    """A fact was seen again."""

    op: Literal["reinforce_attribute"] = "reinforce_attribute"
    attribute: FactHandle
    session: Session = ""
    turns: Turns = ()
    quote: Quote = ""
    known_at: OwnTime = ""


def reinforce_attribute(mutation: ReinforceAttribute, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    idle = reinforce(applying, fact, mutation.session, mutation.turns, mutation.quote, mutation.known_at)
    if idle:
        raise skip("nothing_to_do", idle)
    return Outcome("applied", "reinforced", f"{handle(ATTRIBUTE, fact['id'])} seen {fact['reinforcement'] + 1} times")


OP = Op(
    ReinforceAttribute, reinforce_attribute,
    example={"op": "reinforce_attribute", "attribute": "a1", "session": "s1", "quote": "still in Oslo"},
    adds=True, counts=True,
)  # fmt: skip
