"""Plans that wait for a person: made without a change, decided item by item, stale where rows moved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest

import graphdream.dream.plan as plan_module
from graphdream.dream.edit import edit
from graphdream.dream.plan import Decision, PlannedItem, approve, items_of, list_plans, reject
from graphdream.dream.runner import PassOptions, dream
from graphdream.errors import NotFoundError, UsageError
from graphdream.events.counter import backlog
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.journal.passes import get_pass, mutations_of
from graphdream.journal.undo import undo
from graphdream.journal.verify import verify
from graphdream.mutations import model
from tests.support.dreamers import Scripted
from tests.support.graphs import apply, clock, dump, entity, facts_of

REVIEW = PassOptions(mode="compact", loss_cap=1.0, review=True)
MERGE = {"op": "merge_attributes", "source": ["a2"], "target": "a1", "reason": "the same tea"}
MOVE = {"op": "move_attribute", "attribute": "a3", "aspect": "home"}
BAD = {"op": "move_attribute", "attribute": "a99", "aspect": "home"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Ada (e1) with a1 and a2 on tea and a3 on London."""
    with Store.open(tmp_path / "memory.db") as store:
        apply(store, [entity("Ada", general=["likes green tea", "really likes green tea", "lives in London"])])
        yield store


def planned(store: Store) -> int:
    report = dream(store, Scripted(MERGE, MOVE, BAD), REVIEW, clock=clock)
    assert report.status == "planned" and report.pass_id is not None
    return report.pass_id


def test_a_plan_changes_nothing_and_says_what_each_item_would_do(store: Store) -> None:
    before = dump(store)
    plan = planned(store)
    assert dump(store) == before and get_pass(store.connection, plan)["status"] == "planned"
    items = items_of(store.connection, plan)
    assert [(item.position, item.op, item.verdict, item.moved) for item in items] == [
        (0, "merge_attributes", "open", ()), (1, "move_attribute", "open", ()), (2, "move_attribute", "open", ())
    ]  # fmt: skip
    assert items[0].foreseen.startswith("applied/ok") and items[2].foreseen.startswith("failed/not_found")
    assert list_plans(store.connection)[0]["open"] == 3 and verify(store).ok


def test_what_is_approved_is_a_pass_of_its_own_that_can_be_undone(store: Store) -> None:
    plan, before = planned(store), dump(store)
    decision = approve(store, plan, [1], clock=clock)
    assert decision.outcomes[1].status == "applied" and decision.pass_id == plan + 1
    assert [item["op"] for item in mutations_of(store.connection, plan + 1)] == ["move_attribute"]
    assert get_pass(store.connection, plan + 1)["trigger"] == f"plan {plan}"
    rest = approve(store, plan, clock=clock)
    assert {at: outcome.status for at, outcome in rest.outcomes.items()} == {0: "applied", 2: "failed"}
    assert "really likes green tea" not in facts_of(store, "Ada") and verify(store).ok
    undo(store, plan + 2, clock=clock)
    undo(store, plan + 1, clock=clock)
    assert dump(store) == before


def test_a_stale_item_names_what_moved_and_is_left_open(store: Store) -> None:
    plan = planned(store)
    edited, _ = edit(store, [model.MoveAttribute(attribute="a3", aspect="places")], clock=clock)
    assert items_of(store.connection, plan)[1].moved == (f"a3 (pass {edited})",)
    decision = approve(store, plan, clock=clock)
    assert (decision.outcomes[1].code, decision.outcomes[0].status) == ("stale", "applied")
    assert f"a3 (pass {edited})" in decision.outcomes[1].message
    assert [item.verdict for item in items_of(store.connection, plan)] == ["approved", "open", "approved"]


def test_what_is_rejected_stays_as_it_was_and_is_not_decided_twice(store: Store) -> None:
    plan, before = planned(store), dump(store)
    assert reject(store, plan, [0, 1, 2], clock=clock).pass_id is None
    assert dump(store) == before
    for again in (approve, reject):
        with pytest.raises(UsageError):
            again(store, plan, [0], clock=clock)
    with pytest.raises(UsageError, match="nothing in plan"):
        approve(store, plan, clock=clock)
    with pytest.raises(NotFoundError):
        approve(store, plan, [7], clock=clock)
    with pytest.raises(UsageError, match="no plan"):
        items_of(store.connection, 1)


def test_a_session_counts_as_read_once_its_plan_is_decided(store: Store) -> None:
    record(store, "s1", summary="Ada likes green tea.", clock=clock)
    tea = {"op": "create_attribute", "entity": "Ada", "content": "Ada likes green tea", "session": "s1"}
    options = PassOptions(mode="incremental", review=True)
    plan = dream(store, Scripted(reads=[tea]), options, clock=clock).pass_id
    assert plan is not None and backlog(store).summaries == 1
    approve(store, plan, clock=clock)
    assert backlog(store).summaries == 0


def test_a_pinned_row_is_safe_from_an_approved_plan(store: Store) -> None:
    plan = planned(store)
    edit(store, [model.Pin(entity="e1")], clock=clock)
    decision = approve(store, plan, [1], clock=clock)
    assert decision.outcomes[1].code in ("pinned", "stale") and facts_of(store, "Ada") >= {"lives in London"}


@pytest.mark.parametrize("first", [approve, reject])
@pytest.mark.parametrize("second", [approve, reject])
def test_two_who_decide_at_once_do_not_both_find_an_item_open(
    store: Store, monkeypatch: pytest.MonkeyPatch, first: Callable[..., Decision], second: Callable[..., Decision]
) -> None:
    """What was open was asked before the transaction: what one applied stood as rejected by the other, and two who
    approved made two passes, of which the second was empty."""
    plan, errors = planned(store), list[UsageError]()

    def decide_beside() -> None:
        with Store.open(store.path) as beside:
            try:
                second(beside, plan, clock=clock)
            except UsageError as fault:
                errors.append(fault)

    other, chosen = threading.Thread(target=decide_beside), plan_module._chosen

    def chosen_slowly(asked: Store, pass_id: int, positions: Collection[int] | None) -> list[PlannedItem]:
        found = chosen(asked, pass_id, positions)
        if asked is store:
            other.start()
            other.join(0.5)
        return found

    monkeypatch.setattr(plan_module, "_chosen", chosen_slowly)
    first(store, plan, clock=clock)
    other.join()
    assert "nothing in plan" in str(*errors)
    verdict = "approved" if first is approve else "rejected"
    assert {item.verdict for item in items_of(store.connection, plan)} == {verdict}
    with pytest.raises(NotFoundError):
        get_pass(store.connection, plan + 2)
    assert verify(store).ok


@pytest.mark.parametrize("decide", [approve, reject])
def test_who_names_no_item_decides_nothing(store: Store, decide: Callable[..., Decision]) -> None:
    """It wrote an empty pass."""
    plan = planned(store)
    with pytest.raises(UsageError, match=f"no item of plan {plan} is named") as refused:
        decide(store, plan, [], clock=clock)
    assert refused.value.hint
    assert {item.verdict for item in items_of(store.connection, plan)} == {"open"}
    with pytest.raises(NotFoundError):
        get_pass(store.connection, plan + 1)
