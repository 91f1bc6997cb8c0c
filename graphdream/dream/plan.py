"""Plans that wait for a person: what a pass would have done, mutation by mutation.

A plan is a pass of status `planned`: sealed in the journal like any other, without a change. Approving some of it is a
pass of its own, a dream with the same protections; what moved since the plan was made is stale and names who moved it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.collector import collector_paused
from graphdream.dream.exchanges import take_over
from graphdream.dream.rejected import remember_rejected
from graphdream.dream.report import DreamReport
from graphdream.dream.soundness import confirm_plan, is_plan_as_made
from graphdream.errors import NotFoundError, UsageError
from graphdream.events.counter import mark_read
from graphdream.graph.rows import parse_handle
from graphdream.graph.store import Store
from graphdream.journal.passes import PassHeader, after_a_pass, get_pass, open_pass, record_unapplied
from graphdream.journal.told import forged_among
from graphdream.mutations.applier import apply_proposals, record_outcomes
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import Outcome
from graphdream.mutations.parse import parse_proposals, parse_trusted


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """One mutation of a plan.

    Attributes:
        foreseen: what would have become of it when the plan was made, as "status/code: message".
        verdict: open, approved or rejected.
        decided_by: the pass that applied it, or by which it is rejected; None where there is none.
        moved: rows it names that changed since, each as `e5 (pass 12)`; such an item is stale.
    """

    position: int
    op: str
    body: dict[str, Any]
    trusted: bool
    foreseen: str
    verdict: str
    decided_by: int | None
    moved: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The item as plain values."""
        return {
            "position": self.position, "op": self.op, "body": self.body, "foreseen": self.foreseen,
            "verdict": self.verdict, "decided_by": self.decided_by, "moved": list(self.moved),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Decision:
    """What came of a decision.

    Attributes:
        pass_id: the pass that applied what was approved; None where nothing was.
        outcomes: what became of each item that was approved.
        rejected_by: the pass by which it is remembered what was rejected, to be undone like any other; None where
            nothing was.
    """

    pass_id: int | None
    outcomes: dict[int, Outcome]
    rejected_by: int | None = None


def keep_plan(
    store: Store, header: PassHeader, report: DreamReport, exchanges: Iterable[str] = (), *, clock: Clock = utc_now
) -> int:
    """Write a plan down; returns the id of its pass."""
    pass_id = record_unapplied(store, header, status="planned", error="", counts=report.counts, clock=clock)
    spans = header.inputs.get("from_model", [])
    with store.writing():
        store.connection.executemany(
            "INSERT INTO planned (pass_id, position, op, body, trusted, foreseen) VALUES (?, ?, ?, ?, ?, ?)",
            [
                (
                    pass_id, position, str(proposal.body.get("op", ""))[:64],
                    json.dumps(proposal.body, ensure_ascii=False), not _within(position, spans),
                    f"{outcome.status}/{outcome.code}: {outcome.message}",
                )
                for position, (proposal, outcome) in enumerate(zip(report.proposals, report.outcomes, strict=True))
            ],
        )  # fmt: skip
        take_over(store.connection, pass_id, exchanges)
    return pass_id


def _within(position: int, spans: Iterable[Sequence[int]]) -> bool:
    return any(start <= position < end for start, end in spans)


@dataclass(frozen=True, slots=True)
class PlanRecord:
    """A plan that was made with `review`, and how many of its items are open, approved and rejected."""

    id: int
    mode: str
    started_at: str
    dreamer: str
    model: str
    items: int
    open: int
    approved: int
    rejected: int


def plan_records(store: Store) -> list[PlanRecord]:
    """Every plan, oldest first. One that is not the one that was made is left out, and noted in
    `store.seal.left_out`."""
    with store.reading():
        plans = list_plans(store.connection)
        forged = forged_among(store, [plan["id"] for plan in plans])
        wrong = {plan["id"] for plan in plans if not is_plan_as_made(store, plan["id"])}
        store.seal.left_out.update(f"plan {pass_id}" for pass_id in wrong)
        return [PlanRecord(**plan) for plan in plans if plan["id"] not in forged | wrong]


def told_items(store: Store, pass_id: int) -> list[PlannedItem]:
    """As `items_of`, for somebody who reads them. Raises IntegrityError besides, where the plan is not the one that was
    made."""
    with store.reading():
        get_pass(store.connection, pass_id)
        confirm_plan(store, pass_id)
        return items_of(store.connection, pass_id)


def list_plans(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Every plan with how many of its items are open, approved and rejected; oldest first."""
    rows = connection.execute(
        "SELECT pass.id, mode, started_at, dreamer, model, count(*) AS items, sum(verdict = 'open') AS open,"
        " sum(verdict = 'approved') AS approved, sum(verdict = 'rejected') AS rejected"
        " FROM pass JOIN planned ON pass_id = pass.id GROUP BY pass.id ORDER BY pass.id"
    )
    return [dict(row) for row in rows]


def items_of(connection: sqlite3.Connection, pass_id: int) -> list[PlannedItem]:
    """The items of a plan in the order proposed, with what moved since.

    Raises:
        NotFoundError: there is no such pass.
        UsageError: the pass is no plan.
    """
    record = get_pass(connection, pass_id)
    if record["status"] != "planned":
        raise UsageError(
            f"pass {pass_id} is no plan: it was {record['status']}", "graphdream plan list names the plans"
        )
    seen = record["inputs"].get("seen_version", 0)
    own = {
        row[0] for row in connection.execute("SELECT DISTINCT decided_by FROM planned WHERE pass_id = ?", (pass_id,))
    }
    rows = connection.execute("SELECT * FROM planned WHERE pass_id = ? ORDER BY position", (pass_id,))
    return [_item(connection, row, seen, own) for row in rows]


def _item(connection: sqlite3.Connection, row: sqlite3.Row, seen: int, own: Collection[int | None]) -> PlannedItem:
    body = json.loads(row["body"])
    moved = _moved(connection, body, seen, own) if row["verdict"] == "open" else ()
    return PlannedItem(
        row["position"],
        row["op"],
        body,
        bool(row["trusted"]),
        row["foreseen"],
        row["verdict"],
        row["decided_by"],
        moved,
    )


def _moved(
    connection: sqlite3.Connection, body: dict[str, Any], seen: int, own: Collection[int | None]
) -> tuple[str, ...]:
    """Rows that the body addresses by handle and that a pass other than the plan's own approvals has changed."""
    found = []
    for reference in sorted(_references(body)):
        parsed = parse_handle(reference)
        if parsed is None:
            continue
        table, row_id = parsed
        row = connection.execute(f"SELECT version FROM {table.name} WHERE id = ?", (row_id,)).fetchone()
        if row is not None and row[0] > seen and row[0] not in own:
            found.append(f"{reference} (pass {row[0]})")
    return tuple(found)


def _references(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value} if parse_handle(value) is not None else set()
    if isinstance(value, dict):
        return set[str]().union(*map(_references, value.values()))
    if isinstance(value, list):
        return set[str]().union(*map(_references, value))
    return set()


def approve(
    store: Store, pass_id: int, positions: Collection[int] | None = None, *, clock: Clock = utc_now
) -> Decision:
    """Apply open items of a plan as one pass, in the order proposed.

    Args:
        positions: which; None: all that are open.

    Raises:
        NotFoundError: there is no such plan, or no such item.
        UsageError: the pass is no plan, no item is named, or one was decided before.
    """
    with _deciding(store):
        chosen = _chosen(store, pass_id, positions)
        plan = get_pass(store.connection, pass_id)
        proposals = [(parse_trusted if item.trusted else parse_proposals)([item.body])[0] for item in chosen]
        stale = {item.position: item.moved for item in chosen if item.moved}
        kept_out = frozenset(at for at, item in enumerate(chosen) if item.position in stale)
        spans = [[at, at + 1] for at, item in enumerate(chosen) if not item.trusted]
        now = clock()
        header = PassHeader(
            "dream", mode=plan["mode"], trigger=f"plan {pass_id}", dreamer=plan["dreamer"], model=plan["model"],
            inputs={"now": now, "plan": pass_id, "from_model": spans},
        )  # fmt: skip
        with open_pass(store, header, clock=clock) as current:
            applied = apply_proposals(Applying(store, "pass", now), proposals, without=kept_out)
            outcomes = [
                Outcome("failed", "stale", "changed since the plan was made: " + ", ".join(stale[item.position]))
                if item.position in stale
                else outcome
                for item, outcome in zip(chosen, applied, strict=True)
            ]
            current.counts.update(record_outcomes(store.connection, current.id, proposals, outcomes))
            current.summary = (
                f"{sum(o.status == 'applied' for o in outcomes)} of {len(outcomes)} approved items of plan {pass_id}"
            )
            decided = [item for item in chosen if item.position not in stale]
            _decide(store.connection, pass_id, decided, "approved", current.id, now)
            _consume(store.connection, plan, current.id)
    return Decision(current.id, {item.position: outcome for item, outcome in zip(chosen, outcomes, strict=True)})


def reject(store: Store, pass_id: int, positions: Collection[int] | None = None, *, clock: Clock = utc_now) -> Decision:
    """Decide that open items of a plan are not to be done; the sessions they came from count as read.

    That is remembered (`graphdream.dream.rejected`): no pass does them, unless one is asked to do anew what was taken
    back, and entities that they would have made one are distinct. The items stay decided where that is undone.

    Raises:
        NotFoundError, UsageError: as for `approve`.
    """
    with _deciding(store):
        chosen = _chosen(store, pass_id, positions)
        judge = remember_rejected(store, pass_id, [item.body for item in chosen], clock=clock)
        _decide(store.connection, pass_id, chosen, "rejected", judge, clock())
        _consume(store.connection, get_pass(store.connection, pass_id), pass_id)
    return Decision(None, {}, judge)


@contextmanager
def _deciding(store: Store) -> Iterator[None]:
    """The transaction of a decision. What is open is asked within it: else two who decide at once both find the same
    item open, and it is applied by one and stands as rejected by the other."""
    joined = store.connection.in_transaction
    with collector_paused(), store.joining():
        yield
    if not joined:
        after_a_pass(store)


def at_positions(items: Sequence[PlannedItem], pass_id: int, positions: Collection[int]) -> list[PlannedItem]:
    """Those of the items of a plan that stand at some positions.

    Raises:
        NotFoundError: there is no item at one of them.
    """
    missing = sorted(set(positions) - {item.position for item in items})
    if missing:
        raise NotFoundError(f"plan {pass_id} has no item {missing[0]}; it has {len(items)}, counted from 0")
    return [item for item in items if item.position in positions]


def _chosen(store: Store, pass_id: int, positions: Collection[int] | None) -> list[PlannedItem]:
    with store.reading():
        get_pass(store.connection, pass_id)
        confirm_plan(store, pass_id)
        items = items_of(store.connection, pass_id)
    if positions is not None and not positions:
        raise UsageError(
            f"no item of plan {pass_id} is named", "name items that are open; all of them are meant where none is given"
        )
    if positions is None:
        chosen = [item for item in items if item.verdict == "open"]
        if not chosen:
            raise UsageError(f"nothing in plan {pass_id} is open any more")
        return chosen
    known = {item.position: item for item in at_positions(items, pass_id, positions)}
    decided = [at for at in sorted(set(positions)) if known[at].verdict != "open"]
    if decided:
        raise UsageError(f"item {decided[0]} of plan {pass_id} was {known[decided[0]].verdict} before")
    return [known[at] for at in sorted(set(positions))]


def _decide(
    connection: sqlite3.Connection, pass_id: int, items: Iterable[PlannedItem], verdict: str, by: int | None, now: str
) -> None:
    connection.executemany(
        "UPDATE planned SET verdict = ?, decided_by = ?, decided_at = ? WHERE pass_id = ? AND position = ?",
        [(verdict, by, now, pass_id, item.position) for item in items],
    )


def _consume(connection: sqlite3.Connection, plan: dict[str, Any], by: int) -> None:
    shown = plan["inputs"]
    mark_read(connection, by, shown.get("summaries", ()), shown.get("observations", ()), shown.get("turns", {}))
