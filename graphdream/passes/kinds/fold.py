"""Fold facts in the very same words, where they hang on one aspect: no model is needed to know that they are one."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from graphdream.mutations import model
from graphdream.passes.lens import fixed_facts
from graphdream.passes.material import newest_change
from graphdream.passes.protocol import PassKind, Plan, Scene, Sight, Skip

NAME = "fold"


def look(scene: Scene) -> Sight | Skip:
    """Facts of one aspect and one digest, where anything changed since."""
    newest = newest_change(scene.connection, NAME)
    if not newest:
        return Skip("nothing is in the memory")
    if newest == scene.read.get("change"):
        return Sight({"change": newest}, [])
    rows = scene.connection.execute(
        "SELECT attribute.id, aspect_id, attribute.digest, content FROM attribute JOIN (SELECT aspect_id AS at, digest"
        " FROM attribute WHERE status = 'active' GROUP BY aspect_id, digest HAVING count(*) > 1) AS twin"
        " ON aspect_id = at AND attribute.digest = twin.digest WHERE status = 'active'"
        " ORDER BY coalesce(first_seen, ''), attribute.id"
    ).fetchall()
    return Sight({"change": newest}, rows, len(rows))


def local(scene: Scene, rows: Any) -> Plan:
    """The oldest survives in its own words; what is protected survives whatever its age."""
    plan = Plan()
    alike: dict[tuple[int, str], list[str]] = defaultdict(list)
    for row in rows:
        alike[row["aspect_id"], " ".join(row["content"].split())].append(f"a{row['id']}")
    fixed = fixed_facts(scene.connection, (handle for handles in alike.values() for handle in handles))
    for handles in alike.values():
        target = next((handle for handle in handles if handle in fixed), handles[0])
        others = tuple(handle for handle in handles if handle != target and handle not in fixed)
        if others:
            plan.propose(model.Fold(source=others, target=target, reason="the same words"))
            plan.figures["folded"] = plan.figures.get("folded", 0) + len(others)
    return plan


PASS = PassKind(
    NAME, 10, "memory", "folds entries in the very same words into the oldest of them", look, local,
)  # fmt: skip
