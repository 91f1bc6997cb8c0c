"""The changes of a pass are read page by page, forwards or backwards, at a cost that follows their number."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphdream.graph.store import Store
from graphdream.journal.changes import PAGE, changes_of
from graphdream.journal.passes import PassHeader, open_pass


def pass_of(store: Store, changes: int) -> int:
    """A pass with so many changes of no row in particular."""
    with open_pass(store, PassHeader("edit")) as current:
        store.connection.execute(
            "WITH RECURSIVE n (n) AS (SELECT 1 WHERE ?2 > 0 UNION ALL SELECT n + 1 FROM n WHERE n < ?2)"
            " INSERT INTO change (pass_id, kind, row_id, op, diff) SELECT ?1, 2, n, '-', '[]' FROM n",
            (current.id, changes),
        )
        return current.id


def steps_of(store: Store, pass_id: int, *, newest_first: bool) -> int:
    """Instructions of SQLite's machine, in hundreds, that reading a pass takes."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    store.connection.set_progress_handler(count, 100)
    ids = [change.id for change in changes_of(store.connection, pass_id, newest_first=newest_first)]
    store.connection.set_progress_handler(None, 0)
    assert ids == sorted(ids, reverse=newest_first)
    return steps


@pytest.mark.parametrize("newest_first", [False, True])
def test_reading_a_pass_costs_as_much_for_each_change_however_many_there_are(
    tmp_path: Path, newest_first: bool
) -> None:
    with Store.open(tmp_path / "graph.db") as store:
        few, many = pass_of(store, PAGE), pass_of(store, 12 * PAGE)
        assert steps_of(store, many, newest_first=newest_first) <= 12.5 * steps_of(
            store, few, newest_first=newest_first
        )


@pytest.mark.parametrize("changes", [0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE])
@pytest.mark.parametrize("newest_first", [False, True])
def test_every_change_of_a_pass_is_read_once(tmp_path: Path, changes: int, newest_first: bool) -> None:
    with Store.open(tmp_path / "graph.db") as store:
        before, own, after = pass_of(store, 3), pass_of(store, changes), pass_of(store, 3)
        rows = [change.row_id for change in changes_of(store.connection, own, newest_first=newest_first)]
        assert sorted(rows) == list(range(1, changes + 1))
        assert rows == sorted(rows, reverse=newest_first)
        assert len(list(changes_of(store.connection, before))) == len(list(changes_of(store.connection, after))) == 3
