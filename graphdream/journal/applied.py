"""How much of each kind the passes did by mutations."""

from __future__ import annotations

from collections import defaultdict

from graphdream.graph.store import Store

_OF_MANY = ("merge_entities", "merge_attributes", "fold", "merge_aspects")  # ops that put several rows into one


def applied_by_op(store: Store) -> dict[int, dict[str, int]]:
    """Pass -> op -> how many rows it was applied to: of what makes several one, each that went into another counts, as
    in what a pass says of itself. A pass that applied nothing has no entry."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    marks = ", ".join("?" * len(_OF_MANY))
    with store.reading():
        for pass_id, op, count in store.connection.execute(
            f"SELECT pass_id, op, sum(CASE WHEN op IN ({marks}) AND json_type(body, '$.source') = 'array'"
            " THEN json_array_length(body, '$.source') ELSE 1 END)"
            " FROM mutation WHERE status = 'applied' GROUP BY pass_id, op ORDER BY 1, 2",
            _OF_MANY,
        ):
            found[pass_id][op] = count
    return dict(found)
