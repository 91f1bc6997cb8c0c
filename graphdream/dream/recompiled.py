"""What a model once answered a pass over a view, read and compiled anew: by today's parser and rules, on the graph and
the events as they were."""

from __future__ import annotations

from typing import Any

from graphdream.config import Cycle
from graphdream.dream.exchanges import foundations_of
from graphdream.dream.pass_asking import reread
from graphdream.dream.view_steps import without_held
from graphdream.events.extent import cut_back
from graphdream.graph.fulltext import reindex_all
from graphdream.graph.store import Store
from graphdream.mutations.applier import Proposal
from graphdream.passes.protocol import Scene, Skip
from graphdream.passes.registry import kind_named


def recompiled(store: Store, copy: Store, record: dict[str, Any]) -> list[Proposal] | None:
    """The proposals that the answer on record comes to.

    Args:
        store: the file, with the conversation.
        copy: the file as it was before the pass, in a write transaction; what a look must not see is taken out of it.
        record: the pass, with what it had seen of the events.

    Returns:
        None where the answer cannot be read any more, or there would be nothing to look at.

    Raises:
        NotFoundError: this program has no pass of that name.
    """
    inputs, options = record["inputs"], record["options"]
    (exchange,) = foundations_of(store.connection, record["id"])
    kind = kind_named(record["mode"])
    cut_back(copy.connection, inputs["events"])
    reindex_all(copy.connection)
    scene = Scene(copy.connection, inputs["now"], Cycle.model_validate(options["settings"]), inputs["read"])
    sight = kind.look(scene)
    if isinstance(sight, Skip) or kind.compile is None:
        return None
    compile, shown = kind.compile, sight.shown
    answer = reread(kind, exchange, lambda answer: compile(scene, shown, answer).faults())
    if answer is None:
        return None
    plan = compile(scene, shown, answer)
    return plan.proposals if options.get("again") else without_held(copy, plan).proposals
