"""Archive a link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from graphdream.graph.rows import handle
from graphdream.graph.tables import LINK
from graphdream.mutations.ahead import links_with_ends
from graphdream.mutations.base import LinkHandle, Mutation
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying
from graphdream.mutations.folding import active_link
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome


class Unlink(Mutation):
    """Archive a link."""

    op: Literal["unlink"] = "unlink"
    link: LinkHandle


def unlink(mutation: Unlink, applying: Applying) -> Outcome:
    row = active_link(applying, mutation.link)
    reason = applying.removal_reason(mutation.reason)
    applying.rows.change(LINK, row["id"], status="archived", status_reason=reason)
    return Outcome("applied", "ok", f"archived {handle(LINK, row['id'])}")


def _ahead(rows: WorkingRows, named: Mapping[str, Sequence[int]]) -> None:
    links_with_ends(rows, named["link"])


OP = Op(
    Unlink, unlink,
    example={"op": "unlink", "link": "l1", "reason": "no longer so"},
    told=("sessions",), protects=("link",), ahead=_ahead,
)  # fmt: skip
