"""How many mutations of each kind the passes applied."""

from __future__ import annotations

from collections import defaultdict

from graphdream.graph.store import Store


def applied_by_op(store: Store) -> dict[int, dict[str, int]]:
    """Pass -> op -> how many of its mutations were applied; a pass that applied none has no entry."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    with store.reading():
        for pass_id, op, count in store.connection.execute(
            "SELECT pass_id, op, count(*) FROM mutation WHERE status = 'applied' GROUP BY pass_id, op ORDER BY 1, 2"
        ):
            found[pass_id][op] = count
    return dict(found)
