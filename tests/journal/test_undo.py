"""Undo: what it refuses, whom it names, what it remembers."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from graphdream.errors import ConflictError, IntegrityError, NotFoundError, UndoConflictError
from graphdream.graph.rowtext import row_sql
from graphdream.graph.store import Store
from graphdream.graph.tables import TABLES
from graphdream.intervals import wilson
from graphdream.journal.mergerecord import live_merge_record
from graphdream.journal.passes import PassHeader, chain_pass, current_hash, get_pass, record_unapplied
from graphdream.journal.undo import UndoReport, undo
from graphdream.journal.verify import verify
from journal.graphs import WORDS, clock, dump, write_pass

TWO = [("make_entity", 1, 0, 0), ("make_entity", 2, 0, 0), ("make_aspect", 0, 1, 0), ("make_aspect", 1, 1, 0)]
MERGE = [("absorb", 1, 0, 0)]


def take_back(store: Store, pass_id: int, **options: Any) -> UndoReport:
    report = undo(store, pass_id, clock=clock, **options)
    assert verify(store).faults == ()
    return report


def in_the_way(store: Store, pass_id: int) -> tuple[int, ...]:
    before, hash_before = dump(store.connection, version=True), current_hash(store.connection)
    with pytest.raises(UndoConflictError) as caught:
        undo(store, pass_id, clock=clock)
    assert (dump(store.connection, version=True), current_hash(store.connection)) == (before, hash_before)
    assert verify(store).faults == ()
    return caught.value.passes


def names(store: Store) -> list[str]:
    return [row[0] for row in store.connection.execute("SELECT name FROM entity ORDER BY id")]


def rejections(store: Store) -> list[tuple[int, ...]]:
    columns = "pass_id, merged_by, first_id, second_id, revoked_by"
    return [tuple(row) for row in store.connection.execute(f"SELECT {columns} FROM rejection ORDER BY id")]


def test_a_pass_that_is_not_there_is_refused(store):
    with pytest.raises(NotFoundError, match="no pass was ever written"):
        undo(store, 1)
    write_pass(store, TWO)
    with pytest.raises(NotFoundError, match="the newest is 1"):
        undo(store, 2)


def test_a_pass_that_changed_nothing_because_it_failed_is_refused(store):
    write_pass(store, TWO)
    failed = record_unapplied(store, PassHeader("dream"), status="failed", error="no answer", counts={}, clock=clock)
    with pytest.raises(ConflictError, match="was failed"):
        undo(store, failed)


def test_twice_is_refused_and_says_how_to_bring_it_back(store):
    done = write_pass(store, TWO)
    report = take_back(store, done)
    with pytest.raises(ConflictError, match="undone already, by pass 2") as caught:
        undo(store, done)
    assert caught.value.hint == "graphdream undo 2 brings it back"
    assert take_back(store, report.pass_id).brought_back == (done,)
    assert get_pass(store.connection, done)["undone_by"] is None


def test_an_undo_is_a_pass_on_record(store):
    done = write_pass(store, TWO)
    report = take_back(store, done, cascade=True)
    noted = get_pass(store.connection, report.pass_id)
    assert (noted["kind"], noted["undoes"], noted["status"]) == ("undo", [done], "applied")
    assert noted["options"] == {"actor": "person", "cascade": True, "target": done, "wrong": []}
    assert noted["summary"] == "Took back pass 1"
    assert report.rows == {"entity deleted": 2, "aspect deleted": 2}
    assert report.hash_after == get_pass(store.connection, done)["hash_before"]
    assert store.seal.head().state["pass"][0] == report.pass_id


def test_what_is_left_alone_keeps_its_version_and_what_is_restored_gets_the_undo_as_its_version(store):
    write_pass(store, TWO)
    done = write_pass(store, [("rename_entity", 0, 3, 0)])
    report = take_back(store, done)
    versions = [row[0] for row in store.connection.execute("SELECT version FROM entity ORDER BY id")]
    assert versions == [report.pass_id, 1]


def test_later_passes_on_the_same_rows_are_named_oldest_first_and_cascade_takes_them_newest_first(store):
    write_pass(store, TWO)
    first = write_pass(store, [("rename_entity", 0, 3, 0)])
    write_pass(store, [("make_entity", 5, 0, 0)])
    second = write_pass(store, [("rename_entity", 0, 4, 0), ("rename_aspect", 1, 4, 0)])
    third = write_pass(store, [("rename_aspect", 1, 5, 0)])
    assert in_the_way(store, first) == (second, third)
    assert take_back(store, first, cascade=True).undone == (third, second, first)
    assert names(store) == ["amber", "birch", WORDS[5]]


def test_a_pass_whose_rows_nobody_touched_is_undone_out_of_order(store):
    write_pass(store, TWO)
    first = write_pass(store, [("rename_entity", 0, 3, 0)])
    write_pass(store, [("rename_entity", 1, 4, 0)])
    take_back(store, first)
    assert names(store) == ["amber", WORDS[4]]


def test_a_row_that_a_later_pass_hung_on_this_one_is_in_the_way(store):
    made = write_pass(store, TWO)
    hung = write_pass(store, [("make_fact", 0, 1, 0)])
    assert in_the_way(store, made) == (hung,)


def test_a_name_that_a_later_pass_took_is_in_the_way(store):
    write_pass(store, [*TWO, ("make_aspect", 0, 2, 0)])
    freed = write_pass(store, [("rename_aspect", 0, 5, 0)])
    took = write_pass(store, [("rename_aspect", 2, 1, 0)])
    assert in_the_way(store, freed) == (took,)
    take_back(store, took)
    take_back(store, freed)


def test_a_reference_back_to_what_an_undo_took_away_is_in_the_way(store):
    write_pass(store, [*TWO, ("make_fact", 0, 1, 0)])
    extra = write_pass(store, [("make_aspect", 0, 3, 0)])
    write_pass(store, [("move_fact", 0, 2, 0)])
    away = write_pass(store, [("move_fact", 0, 1, 0)])
    gone = take_back(store, extra).pass_id
    assert in_the_way(store, away) == (gone,)
    assert take_back(store, away, cascade=True).brought_back == (extra,)


def test_undoing_an_undo_meets_what_was_done_since(store):
    made = write_pass(store, TWO)
    renamed = write_pass(store, [("rename_entity", 0, 3, 0)])
    back = take_back(store, renamed).pass_id
    gone = take_back(store, made).pass_id
    assert in_the_way(store, back) == (gone,)
    report = take_back(store, back, cascade=True)
    assert report.undone == (gone, back)
    assert set(report.brought_back) == {made, renamed}


def test_a_chain_of_undos_is_no_obstacle(store):
    made = write_pass(store, TWO)
    renamed = write_pass(store, [("rename_entity", 0, 3, 0)])
    for _ in range(5):
        last = take_back(store, take_back(store, renamed).pass_id)
    assert last.brought_back == (renamed,)
    assert take_back(store, made, cascade=True).undone == (renamed, made)


def test_a_merge_judged_wrong_is_remembered_and_counts_until_the_undo_is_undone(store):
    write_pass(store, TWO)
    merged = write_pass(store, MERGE)
    assert live_merge_record(store.connection).merges == 1
    report = take_back(store, merged, all_wrong=True)
    assert [(merge.first_id, merge.second_id) for merge in report.rejected] == [(1, 2)]
    assert rejections(store) == [(report.pass_id, merged, 1, 2, None)]
    record = live_merge_record(store.connection)
    assert (record.merges, record.rejected, record.rate) == (1, 1, 1.0)
    again = take_back(store, report.pass_id)
    assert rejections(store) == [(report.pass_id, merged, 1, 2, again.pass_id)]
    assert live_merge_record(store.connection).rate is None
    take_back(store, again.pass_id)
    assert rejections(store) == [(report.pass_id, merged, 1, 2, None)]
    assert live_merge_record(store.connection).rate == 1.0


def test_taking_back_is_no_verdict(store):
    write_pass(store, TWO)
    merged = write_pass(store, MERGE)
    report = take_back(store, merged)
    assert (report.rejected, report.held) == ((), True)
    assert rejections(store) == []
    assert live_merge_record(store.connection).rate is None


@pytest.mark.parametrize(
    ("kind", "options", "held"),
    [
        ("dream", {}, True), ("cycle", {}, True), ("edit", {}, True), ("dream", {"all_wrong": True}, False),
        ("dream", {"wrong": ["e1"]}, False), ("import", {}, False), ("remember", {}, False), ("check", {}, False),
    ],
)  # fmt: skip
def test_it_is_held_only_where_a_pass_might_do_it_again(store, kind, options, held):
    """Also of an import and of merges that were judged wrong it said that `dream --again` may do it again."""
    write_pass(store, TWO)
    report = take_back(store, write_pass(store, MERGE, kind=kind), **options)
    assert report.held == held
    assert ("--again" in report.as_text()) == held


def test_what_was_not_judged_wrong_is_held_beside_what_was(store):
    write_pass(store, FOUR)
    merged = write_pass(store, [("absorb", number, 0, 0) for number in (1, 2, 3)])
    report = take_back(store, merged, wrong=["e2"])
    assert report.held and "held: no pass does the rest again by itself" in report.as_text()


FOUR = [("make_entity", number, 0, 0) for number in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("wrong", "distinct", "false_merges"),
    [
        (["e2"], {(1, 2), (2, 3), (2, 4)}, 1),
        (["e2", "e4"], {(1, 2), (2, 3), (2, 4), (1, 4), (3, 4)}, 2),
        (["e1"], {(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)}, 3),
        ("all", {(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)}, 3),
    ],
)
def test_a_verdict_covers_the_pairs_of_two_absorbed_entities_too(store, wrong, distinct, false_merges):
    write_pass(store, FOUR)
    merged = write_pass(store, [("absorb", number, 0, 0) for number in (1, 2, 3)])
    report = take_back(store, merged, **({"all_wrong": True} if wrong == "all" else {"wrong": wrong}))
    assert {(pair.first_id, pair.second_id) for pair in report.rejected} == distinct
    assert {(row[2], row[3]) for row in rejections(store)} == distinct
    record = live_merge_record(store.connection)
    assert (record.merges, record.rejected) == (false_merges, false_merges)


def test_an_undo_written_when_each_was_a_verdict_is_still_sound(store):
    write_pass(store, FOUR)
    merged = write_pass(store, [("absorb", 1, 0, 0), ("absorb", 2, 0, 0)])
    report = take_back(store, merged)
    with store.writing():
        options = '{"actor":"person","cascade":false,"remember":true,"target":2}'
        store.connection.execute("UPDATE pass SET options = ? WHERE id = ?", (options, report.pass_id))
        chain_pass(store.connection, report.pass_id)
        store.connection.executemany(
            "INSERT INTO rejection (pass_id, merged_by, first_id, second_id) VALUES (?, ?, ?, ?)",
            [(report.pass_id, merged, 1, 2), (report.pass_id, merged, 1, 3)],
        )
    assert [fault for fault in verify(store).faults if fault.check != "seal"] == []


def test_a_merge_whose_entities_go_with_the_undo_is_no_verdict(store):
    made = write_pass(store, TWO)
    write_pass(store, MERGE)
    assert take_back(store, made, cascade=True, all_wrong=True).rejected == ()


def test_a_persons_own_merge_does_not_count_as_a_judgement_of_ours(store):
    write_pass(store, TWO)
    merged = write_pass(store, MERGE, kind="edit")
    take_back(store, merged, all_wrong=True)
    assert len(rejections(store)) == 1
    assert live_merge_record(store.connection).merges == 0


def test_text_that_looks_like_a_merge_is_none(store):
    write_pass(store, TWO)
    written = write_pass(store, [("rename_entity", 0, 7, 0)])
    assert take_back(store, written, all_wrong=True).rejected == ()
    assert live_merge_record(store.connection).merges == 0


def test_wilson_interval_of_known_cases():
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)  # Newcombe, Statistics in Medicine 17 (1998)


def test_a_graph_that_is_not_what_the_journal_says_is_left_as_it_is(store):
    write_pass(store, TWO)
    renamed = write_pass(store, [("rename_entity", 0, 3, 0)])
    trigger = store.connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'entity_changed'").fetchone()[0]
    store.connection.execute("DROP TRIGGER entity_changed")
    store.connection.execute("UPDATE entity SET name = 'forged' WHERE id = 1")
    store.connection.execute(trigger)  # as who hides it would: the schema is whole again
    before = dump(store.connection, version=True)
    with pytest.raises(IntegrityError, match="entity e1 cannot be changed as the journal says"):
        undo(store, renamed)
    assert dump(store.connection, version=True) == before


def test_a_column_name_in_a_forged_journal_is_not_run_as_sql(store):
    write_pass(store, TWO)
    renamed = write_pass(store, [("rename_entity", 0, 3, 0)])
    forged = '{"2 = (SELECT value FROM meta), type":["amber","cedar"]}'
    store.connection.execute("UPDATE change SET diff = ? WHERE pass_id = ?", (forged, renamed))
    with pytest.raises(IntegrityError, match=f"pass {renamed} was changed behind graphdream's back"):
        undo(store, renamed)
    store.seal.accepting = True
    with pytest.raises(IntegrityError, match="is not what graphdream writes"):
        undo(store, renamed)


def test_an_undo_can_be_part_of_a_larger_transaction(store):
    write_pass(store, TWO)
    renamed = write_pass(store, [("rename_entity", 0, 3, 0)])
    hung = write_pass(store, [("rename_entity", 0, 4, 0)])
    before = dump(store.connection)
    with pytest.raises(sqlite3.Error), store.writing():
        undo(store, renamed, cascade=True, clock=clock)
        raise sqlite3.Error
    assert dump(store.connection) == before
    with store.writing():
        with pytest.raises(UndoConflictError):
            undo(store, renamed, clock=clock)
        assert undo(store, renamed, cascade=True, clock=clock).undone == (hung, renamed)
    assert verify(store).faults == ()


def test_the_journal_knows_every_column(store):
    for table in TABLES:
        columns = [row["name"] for row in store.connection.execute(f"PRAGMA table_info({table.name})")]
        assert columns == [*table.columns, "version"]
        assert row_sql(table).count(",") == len(table.columns) - 1
