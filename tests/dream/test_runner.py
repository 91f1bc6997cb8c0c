"""The pass runner: what a pass is shown, what it applies, proves and leaves out, and what it puts on record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.dream import lease
from graphdream.dream.edit import edit
from graphdream.dream.runner import PassOptions, dream
from graphdream.dream.state import read_state
from graphdream.errors import BusyError, UsageError
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.journal.passes import current_hash, list_passes, mutations_of
from graphdream.journal.verify import verify
from graphdream.mutations import model
from tests.support.dreamers import Failing, Scripted
from tests.support.graphs import apply, clock, dump, entity, facts_of

COMPACT = PassOptions(mode="compact", loss_cap=1.0)
MERGE = {"op": "merge_attributes", "source": ["a2"], "target": "a1", "content": "likes green tea in the morning"}
DELETE = {"op": "delete_attribute", "content": "a4"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Ada (e1: a1 likes green tea, a2 in the morning, a3 lives in London since 2021) and Bo (e2: a4 plays chess on Fridays)."""
    with Store.open(tmp_path / "memory.db") as store:
        apply(
            store,
            [
                entity(
                    "Ada", general=["likes green tea", "likes green tea in the morning", "lives in London since 2021"]
                ),
                entity("Bo", general=["plays chess on Fridays"]),
            ],
        )
        yield store


def newest(store: Store) -> dict[str, object]:
    return list_passes(store.connection)[-1]


def test_a_pass_applies_what_was_proposed_and_says_so(store: Store) -> None:
    report = dream(store, Scripted(MERGE, {"op": "nonsense"}), COMPACT, clock=clock)
    assert (report.status, report.pass_id, report.mode) == ("applied", 2, "compact")
    assert [(outcome.status, outcome.code) for outcome in report.outcomes] == [("applied", "ok"), ("failed", "invalid")]
    assert report.counts["applied"] == 1 and report.counts["not_applied"] == {"invalid": 1}
    assert report.figures["recall_before"] == report.figures["recall_after"] == 1.0
    record = newest(store)
    assert (record["status"], record["dreamer"], record["summary"]) == ("applied", "scripted", report.summary)
    assert "1 merge attributes" in report.summary and "1 not applied" in report.summary
    assert [item["body"]["op"] for item in mutations_of(store.connection, 2)] == ["merge_attributes", "nonsense"]
    assert read_state(store.connection).last_pass_id == 2
    assert lease.read_holder(store.connection) is None
    assert verify(store).ok


def test_a_dreamer_is_shown_the_whole_graph_in_compact_mode_and_the_change_in_the_other(store: Store) -> None:
    whole = Scripted(MERGE)
    dream(store, whole, COMPACT, clock=clock)
    assert {one.name for one in whole.shown[0].entities} == {"Ada", "Bo"}
    edit(store, [model.CreateAttribute(entity="Bo", content="sings in a choir")], clock=clock)
    part = Scripted()
    dream(store, part, PassOptions(mode="incremental"), clock=clock)
    assert {one.name for one in part.shown[0].entities if one.changed} == {"Bo"}


def test_a_dry_run_does_everything_and_changes_nothing(store: Store) -> None:
    before, passes = dump(store), list_passes(store.connection)
    report = dream(store, Scripted(MERGE), PassOptions(mode="compact", dry_run=True), clock=clock)
    assert (report.status, report.pass_id) == ("dry-run", None)
    assert [outcome.code for outcome in report.outcomes] == ["ok"]
    assert dump(store) == before and list_passes(store.connection) == passes
    assert read_state(store.connection).last_pass_id is None


@pytest.mark.parametrize("bodies", [(), ({"op": "pin", "entity": "e1"},)], ids=["nothing proposed", "nothing applied"])
def test_a_pass_without_a_change_is_no_pass(store: Store, bodies: tuple[dict[str, str], ...]) -> None:
    report = dream(store, Scripted(*bodies), COMPACT, clock=clock)
    assert (report.status, report.pass_id, report.summary) == ("nothing", None, "nothing to do")
    assert len(list_passes(store.connection)) == 1
    assert read_state(store.connection).last_checked_at == clock()


def test_a_failure_is_on_record_and_changes_nothing(store: Store) -> None:
    before = current_hash(store.connection)
    with pytest.raises(RuntimeError, match="out of reach"):
        dream(store, Failing(), COMPACT, clock=clock)
    record = newest(store)
    assert (record["status"], record["error"]) == ("failed", "the model is out of reach")
    assert current_hash(store.connection) == before
    state = read_state(store.connection)
    assert (state.consecutive_failures, state.last_error) == (1, "the model is out of reach")
    assert lease.read_holder(store.connection) is None
    assert verify(store).ok
    dream(store, Scripted(MERGE), COMPACT, clock=clock)
    assert read_state(store.connection).consecutive_failures == 0


def test_a_failure_of_the_very_first_pass_counts_too(tmp_path: Path) -> None:
    """The file had no name yet, writing its anchor failed, and with it the count that the back-off rests on."""
    with Store.open(tmp_path / "new.db") as store:
        for failures in (1, 2):
            with pytest.raises(RuntimeError):
                dream(store, Failing(), COMPACT, clock=clock)
            assert read_state(store.connection).consecutive_failures == failures
        report = verify(store)
        assert report.ok and not report.notes


def test_what_changed_while_the_dreamer_thought_fails_alone(store: Store) -> None:
    """A person edits between gather and apply: the mutation of that very row is stale, the others go on."""
    rename = {"op": "rename_entity", "entity": "e2", "name": "Bob"}

    def meanwhile() -> None:
        with Store.open(store.path) as other:
            edit(other, [model.RetypeEntity(entity="e2", type="dog")], clock=clock)

    report = dream(store, Scripted(rename, MERGE, meanwhile=meanwhile), COMPACT, clock=clock)
    assert [outcome.code for outcome in report.outcomes] == ["stale", "ok"]
    assert store.connection.execute("SELECT name, type FROM entity WHERE id = 2").fetchone()[:] == ("Bo", "dog")


def test_sessions_are_read_once_and_only_those_that_were_shown(store: Store) -> None:
    record(store, "s1", summary="Bo has moved to Oslo.")
    fact = {"op": "create_attribute", "entity": "Bo", "content": "has moved to Oslo", "session": "s1"}

    def meanwhile() -> None:
        with Store.open(store.path) as other:
            record(other, "s2", summary="Ada has a cat.")

    incremental = PassOptions(mode="incremental")
    report = dream(store, Scripted(fact, meanwhile=meanwhile), incremental, clock=clock)
    assert report.status == "applied"
    cursor = dict(
        store.connection.execute("SELECT key, read_by FROM summary JOIN session ON session.id = session_id").fetchall()
    )
    assert cursor["s1"] == report.pass_id and cursor["s2"] is None
    second = Scripted()
    dream(store, second, incremental, clock=clock)
    assert "s2" in {session.key for session in second.shown[0].sessions}
    assert "s1" not in {session.key for session in second.shown[0].sessions}


def test_an_applied_pass_is_a_session_that_the_next_one_reads(store: Store) -> None:
    report = dream(store, Scripted(MERGE), COMPACT, clock=clock)
    told = store.connection.execute(
        "SELECT content FROM summary JOIN session ON session.id = session_id WHERE kind = 'dream'"
    ).fetchall()
    assert [row[0] for row in told] == [report.summary]


def test_the_loss_cap_is_a_share_of_the_active_facts(store: Store) -> None:
    deletes = [{"op": "delete_attribute", "content": f"a{number}"} for number in (1, 3, 4)]
    report = dream(store, Scripted(*deletes, empty={1, 3, 4}), PassOptions(mode="compact", loss_cap=0.5), clock=clock)
    assert [outcome.code for outcome in report.outcomes] == ["ok", "ok", "over_cap"]


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan")])
def test_a_share_beyond_the_whole_is_refused(share: float) -> None:
    with pytest.raises(UsageError, match="no share"):
        PassOptions(loss_cap=share)
    with pytest.raises(UsageError, match="no share"):
        PassOptions(recall_tolerance=share)


def test_a_pass_that_lost_its_lease_applies_nothing(store: Store) -> None:
    """The process slept, another took over: what it thought meanwhile is not written."""

    def meanwhile() -> None:
        with Store.open(store.path) as other, other.writing():
            other.connection.execute("UPDATE lease SET owner = 'another', pid = 1")

    before = dump(store)
    with pytest.raises(BusyError, match="lease was lost"):
        dream(store, Scripted(MERGE, meanwhile=meanwhile), COMPACT, clock=clock)
    assert dump(store) == before
    assert facts_of(store, "Bo") == {"plays chess on Fridays"}


def test_a_pass_that_is_to_be_made_once_is_made_once(store: Store) -> None:
    """Whoever was killed before it could note that a pass was made asks again, and is told of the one on record."""
    once = PassOptions(mode="compact", loss_cap=1.0, trigger="fleet r1", once=True)
    first = dream(store, Scripted(MERGE), once, clock=clock)
    digest = current_hash(store.connection)
    again = dream(store, Scripted(DELETE), once, clock=clock)
    assert (again.status, again.pass_id, again.mode, again.summary) == (
        "made already", first.pass_id, "compact", first.summary,
    )  # fmt: skip
    assert current_hash(store.connection) == digest and lease.read_holder(store.connection) is None
    other = PassOptions(mode="compact", loss_cap=1.0, trigger="fleet r2", once=True)
    assert dream(store, Scripted(DELETE), other, clock=clock).status != "made already"


def test_a_pass_that_failed_is_made_anew_though_it_is_to_be_made_once(store: Store) -> None:
    once = PassOptions(mode="compact", loss_cap=1.0, trigger="fleet r1", once=True)
    with pytest.raises(RuntimeError):
        dream(store, Failing(), once, clock=clock)
    assert dream(store, Scripted(MERGE), once, clock=clock).status == "applied"
