"""Make lasting knowledge of episodes that were used again and again."""

from __future__ import annotations

from typing import Any

from graphdream.mutations import model
from graphdream.passes.protocol import PassKind, Plan, Scene, Sight, Skip

NAME = "promotion"


def look(scene: Scene) -> Sight | Skip:
    """Episodes with enough sessions that used them, where a fact was used since."""
    newest = scene.connection.execute(
        "SELECT coalesce(max(id), 0) FROM recall_feedback WHERE signal = 'used'"
    ).fetchone()[0]
    if not newest:
        return Skip("no recalled fact was said to be of use")
    if newest == scene.read.get("used"):
        return Sight({"used": newest}, [])
    rows = scene.connection.execute(
        "SELECT attribute_id, count(*) FROM recall_feedback JOIN attribute ON attribute.id = attribute_id"
        " JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id = entity_id"
        " WHERE signal = 'used' AND attribute.status = 'active' AND entity.status = 'active' AND (entity.name ="
        " 'episodic' OR EXISTS (SELECT 1 FROM json_each(attribute.tags) WHERE value = 'episodic'))"
        " AND NOT EXISTS (SELECT 1 FROM json_each(attribute.tags) WHERE value = 'semantic')"
        " GROUP BY attribute_id HAVING count(*) >= ? ORDER BY attribute_id",
        (scene.settings.promotion_uses,),
    ).fetchall()
    return Sight({"used": newest}, rows, len(rows))


def local(scene: Scene, rows: Any) -> Plan:
    """Each of them, once."""
    plan = Plan()
    plan.propose(*(model.Promote(attribute=f"a{fact}", reason=f"used in {uses} sessions") for fact, uses in rows))
    return plan


PASS = PassKind(
    NAME, 80, "episodes", "makes lasting knowledge of episodes that several sessions used", look, local,
    events=("recall feedback",),
)  # fmt: skip
