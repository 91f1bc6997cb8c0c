"""What an undone dream had read is held: no pass reads it by itself, `dream(again=True)` does."""

from __future__ import annotations

from pathlib import Path

import graphdream
from graphdream.interfaces.importers import import_lines
from tests.support.graphs import NOW, facts_of


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
        assert unread(graph) == 0
        left_alone = graph.dream()
        assert (left_alone.status, facts_of(graph.store, "Avery Holm")) == ("nothing", set())
        assert "1 session taken back" in left_alone.held
        again = graph.dream(again=True)
        assert (again.status, again.held) == ("applied", "")
        assert facts_of(graph.store, "Avery Holm")
        assert again.pass_id is not None
        graph.undo(again.pass_id)
        graph.undo(undone.pass_id)
        assert facts_of(graph.store, "Avery Holm")
        assert (unread(graph), graph.dream().held) == (0, "")


def test_what_is_said_in_a_held_session_later_is_read(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        graph.record_session("s1", summary="Avery Holm moved to Oslo. Avery Holm sails.")
        report = graph.dream()
        assert report.pass_id is not None
        graph.undo(report.pass_id)
        graph.record_session("s1", summary="Avery Holm moved to Bergen. Avery Holm sings.")
        assert graph.dream().status == "applied"
        assert "Avery Holm moved to Bergen." in facts_of(graph.store, "Avery Holm")
        assert "Avery Holm moved to Oslo." not in facts_of(graph.store, "Avery Holm")


def test_what_an_undone_import_had_brought_along_as_read_is_unread_again(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        lines = [
            {"kind": "session", "id": "s1"},
            {"kind": "session_summary", "id": "s1", "text": "Avery Holm moved to Oslo."},
            {"kind": "entity", "id": "n1", "name": "Avery Holm", "session_ids": ["s1"]},
            {"kind": "aspect", "id": "p1", "entity_id": "n1", "name": "general"},
            {"kind": "attribute", "id": "f1", "entity_id": "n1", "aspect_id": "p1", "content": "lives in Oslo",
             "session_id": "s1"},
        ]  # fmt: skip
        number = import_lines(graph.store, lines, source="one", clock=lambda: NOW).pass_id
        assert unread(graph) == 0
        graph.undo(number)
        assert unread(graph) == 1
