"""What an undone pass had read is unread again; it is read again once the pass stands again."""

from __future__ import annotations

from pathlib import Path

import graphdream
from tests.support.graphs import NOW


def unread(graph: graphdream.Graph) -> int:
    sql = "SELECT count(*) FROM summary JOIN session ON session.id = session_id WHERE read_by IS NULL AND kind = 'session'"
    return int(graph.store.connection.execute(sql).fetchone()[0])


def test_the_cursor_follows_its_pass(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        graph.record_session("s1", summary="Avery Holm moved to Oslo. Avery Holm sails.")
        report = graph.dream()
        assert report.pass_id is not None
        assert unread(graph) == 0
        undone = graph.undo(report.pass_id)
        assert unread(graph) == 1
        graph.undo(undone.pass_id)
        assert unread(graph) == 0
