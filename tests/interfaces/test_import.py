"""What a good file becomes: rows, folded copies, dangling links, sessions read and unread."""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from graphdream.errors import ImportRefusedError
from graphdream.graph.fulltext import index_faults
from graphdream.graph.store import Store
from graphdream.interfaces.importers import import_graph, import_lines

NOW = "2026-01-01T00:00:00Z"
SESSION = {
    "kind": "session_summary", "id": "s1", "started_at": "2025-01-01T10:00:00Z", "ended_at": "2025-01-01T11:00:00Z",
    "text": "Maya joined.", "tokens": 4,
}  # fmt: skip
MAYA = {"kind": "entity", "id": "e_maya", "name": "Maya Okafor's**", "type": "person", "session_ids": ["s1"]}
LAB = {"kind": "entity", "id": "e_lab", "name": "Quiet Lab", "type": "org", "pinned": True}
GENERAL = {"kind": "aspect", "id": "p_1", "entity_id": "e_maya", "name": "general"}
FACT = {
    "kind": "attribute", "id": "a_1", "entity_id": "e_maya", "aspect_id": "p_1", "content": "Lives in Lisbon.",
    "created_at": "2025-01-01T10:30:00Z", "session_id": "s1",
}  # fmt: skip
EDGE = {"kind": "edge", "id": "l_1", "source_id": "e_maya", "target_id": "e_lab", "type": "works_at"}
SMALL = (SESSION, MAYA, LAB, GENERAL, FACT, EDGE)


def clock() -> str:
    return NOW


def write(path: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in store.connection.execute(query)]


def test_rows_arrive_with_their_canonical_forms_and_defaults(store: Store, tmp_path: Path) -> None:
    report = import_graph(store, write(tmp_path / "graph.jsonl", SMALL), clock=clock)
    assert report.rows == {"entity": 2, "aspect": 1, "attribute": 1, "link": 1, "session": 1, "summary": 1}
    assert rows(store, "SELECT name, canonical, pinned, sessions FROM entity ORDER BY id") == [
        ("Maya Okafor's**", "maya okafor", 0, '["s1"]'),
        ("Quiet Lab", "quiet lab", 1, "[]"),
    ]
    assert rows(store, "SELECT content, authority, first_seen, last_seen, session_key, version FROM attribute") == [
        ("Lives in Lisbon.", "imported", "2025-01-01T10:30:00Z", "2025-01-01T10:30:00Z", "s1", report.pass_id)
    ]
    assert not index_faults(store.connection)
    assert rows(store, "SELECT content FROM fact_index WHERE fact_index MATCH 'lisbon'") == [("Lives in Lisbon.",)]


def test_an_import_is_one_pass_that_names_its_input(store: Store, tmp_path: Path) -> None:
    import_graph(store, write(tmp_path / "graph.jsonl", SMALL), clock=clock)
    kind, status, inputs, counts = rows(store, "SELECT kind, status, inputs, counts FROM pass")[0]
    assert (kind, status) == ("import", "applied")
    assert json.loads(inputs)["file"] == "graph.jsonl" and json.loads(inputs)["lines"] == len(SMALL)
    assert json.loads(counts)["imported"]["entity"] == 2


def test_the_order_of_lines_is_free(tmp_path: Path) -> None:
    lines = list(SMALL)
    seen = set()
    for seed in range(5):
        random.Random(seed).shuffle(lines)
        with Store.open(tmp_path / f"{seed}.db") as store:
            import_graph(store, write(tmp_path / "graph.jsonl", lines), clock=clock)
            seen.add(tuple(rows(store, "SELECT e.uid, a.uid FROM attribute AS a JOIN aspect AS p ON p.id = a.aspect_id"
                                       " JOIN entity AS e ON e.id = p.entity_id")))  # fmt: skip
    assert seen == {(("e_maya", "a_1"),)}


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_and_gzip_are_read_whatever_the_name(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    data = write(tmp_path / "graph", SMALL).read_bytes()
    data = gzip.compress(data) if packed else data
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert import_graph(store, "-", clock=clock).rows["entity"] == 2
    (tmp_path / "graph").write_bytes(b"\xef\xbb\xbf" + data if not packed else data)
    with Store.open(tmp_path / "second.db") as second:
        assert import_graph(second, tmp_path / "graph", clock=clock).rows["entity"] == 2


def test_a_second_aspect_of_a_name_is_folded_into_the_first_with_its_facts(store: Store) -> None:
    lines = [
        *SMALL,
        {"kind": "aspect", "id": "p_2", "entity_id": "e_maya", "name": "General:"},
        {"kind": "attribute", "id": "a_2", "entity_id": "e_maya", "aspect_id": "p_2", "content": "Plays chess."},
        {"kind": "aspect", "id": "p_3", "entity_id": "e_lab", "name": "general"},
    ]
    report = import_lines(store, lines, source="test", clock=clock)
    assert report.folded == {"aspect": 1}
    assert rows(store, "SELECT id, uid, status, absorbed_into FROM aspect ORDER BY id") == [
        (1, "p_1", "active", None), (2, "p_2", "absorbed", 1), (3, "p_3", "active", None),
    ]  # fmt: skip
    assert rows(store, "SELECT aspect_id FROM attribute ORDER BY id") == [(1,), (1,)]


def test_a_second_link_is_folded_into_the_first_which_was_seen_as_often_as_both(store: Store) -> None:
    lines = [
        *SMALL[:-1],
        {**EDGE, "created_at": "2025-02-01T00:00:00Z", "strength": 0.25, "reinforcement": 2},
        {**EDGE, "id": "l_2", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-03-01", "strength": 0.75},
        {**EDGE, "id": "l_3", "type": "visits"},
    ]
    assert import_lines(store, lines, source="test", clock=clock).folded == {"link": 1}
    query = "SELECT uid, status, absorbed_into, reinforcement, first_seen, last_seen, strength FROM link ORDER BY id"
    assert rows(store, query) == [
        ("l_1", "active", None, 3, "2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z", 0.75),
        ("l_2", "absorbed", 1, 1, "2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z", 0.75),
        ("l_3", "active", None, 1, None, None, 0.5),
    ]


def test_a_link_to_nobody_keeps_what_it_points_at(store: Store) -> None:
    lines = [*SMALL, {**EDGE, "id": "l_2", "target_id": "e_gone"}, {**EDGE, "id": "l_3", "target_id": "e_maya"}]
    assert import_lines(store, lines, source="test", clock=clock).dangling == 1
    assert rows(store, "SELECT uid, target_id, target_ref FROM link ORDER BY id") == [
        ("l_1", 2, ""), ("l_2", None, "e_gone"), ("l_3", 1, ""),
    ]  # fmt: skip


def test_sessions_that_the_rows_rest_on_are_read_and_the_others_left_to_dream_about(store: Store) -> None:
    unread = {**SESSION, "id": "s2", "text": "Nobody has drawn anything from this."}
    report = import_lines(store, [*SMALL, unread], source="test", clock=clock)
    assert report.summaries_read == 1
    query = (
        "SELECT session.key, tokens, read_by FROM summary JOIN session ON session.id = summary.session_id ORDER BY 1"
    )
    assert rows(store, query) == [("s1", None, report.pass_id), ("s2", None, None)]


def test_telling_a_session_twice_is_telling_it_once(store: Store) -> None:
    turn = {"kind": "turn", "session_id": "s1", "position": 0, "speaker": "user", "content": "Hello."}
    seen = {"kind": "observation", "session_id": "s1", "position": 0, "content": "The user says hello."}
    assert import_lines(store, [SESSION, turn, seen], source="test", clock=clock).rows["turn"] == 1
    again = import_lines(store, [SESSION, turn, seen], source="test", clock=clock)
    assert (again.pass_id, again.rows) == (None, {})
    more = import_lines(store, [{**SESSION, "text": "Maya joined, then left."}], source="test", clock=clock)
    assert more.rows == {"summary": 1}
    assert rows(store, "SELECT count(*) FROM pass") == [(2,)]


def test_superseded_facts_keep_their_successor_where_one_is_named(store: Store) -> None:
    old = {**FACT, "id": "a_0", "content": "Lives in Porto.", "status": "superseded", "superseded_by": "a_1"}
    lost = {**FACT, "id": "a_9", "content": "Lives in Faro.", "status": "superseded"}
    import_lines(store, [old, lost, *SMALL], source="test", clock=clock)
    assert rows(store, "SELECT uid, status, superseded_by FROM attribute ORDER BY id") == [
        ("a_0", "superseded", 3), ("a_9", "superseded", None), ("a_1", "active", None),
    ]  # fmt: skip


def test_chains_in_any_order_arrive_whole(store: Store) -> None:
    length = 300
    chain = [{"kind": "entity", "id": f"e{n}", "name": f"Copy {n}", "into": f"e{n + 1}"} for n in range(length)]
    import_lines(store, [*chain, {"kind": "entity", "id": f"e{length}", "name": "Last"}], source="test", clock=clock)
    assert rows(store, "SELECT count(*), sum(absorbed_into = id + 1) FROM entity") == [(length + 1, length)]
    assert rows(store, "PRAGMA foreign_key_check") == []


def test_fields_beyond_the_format_are_told(store: Store) -> None:
    report = import_lines(store, [{**MAYA, "colour": "red"}, {**LAB, "colour": "blue"}], source="test", clock=clock)
    assert report.ignored == {"entity.colour": 2}


def test_text_is_taken_as_text(store: Store, tmp_path: Path) -> None:
    hostile = [
        "'; DROP TABLE entity; --", '" OR NEAR(a b) AND *', "\x1b[2J\x07 \x7f", "a\tb\nc", "\u202eevil", "💥" * 50,
        "a\u2028b\u2029", "%s {} \\", "NULL",
    ]  # fmt: skip
    lines = [*SMALL, *({**FACT, "id": f"h_{n}", "content": text} for n, text in enumerate(hostile))]
    import_graph(store, write(tmp_path / "graph.jsonl", lines), clock=clock)
    assert [row[0] for row in rows(store, "SELECT content FROM attribute WHERE uid LIKE 'h%' ORDER BY id")] == hostile


def test_a_file_goes_into_a_graph_that_is_there_already(store: Store) -> None:
    import_lines(store, SMALL, source="first", clock=clock)
    second = import_lines(store, [{"kind": "entity", "id": "e_new", "name": "Maya Okafor"}], source="2nd", clock=clock)
    assert rows(store, f"SELECT id, uid FROM entity WHERE version = {second.pass_id}") == [(3, "e_new")]
    with pytest.raises(ImportRefusedError, match="the database is as it was"):
        import_lines(store, SMALL, source="again", clock=clock)


def test_nothing_of_the_import_is_left_but_its_rows(store: Store) -> None:
    cache = rows(store, "PRAGMA cache_size")
    import_lines(store, SMALL, source="test", clock=clock)
    assert rows(store, "SELECT name FROM sqlite_temp_master WHERE name LIKE 'incoming%'") == []
    assert rows(store, "PRAGMA cache_size") == cache
    assert not store.connection.in_transaction


def test_an_import_within_a_transaction_of_the_caller_is_taken_back_with_it(store: Store) -> None:
    with pytest.raises(RuntimeError), store.writing():
        import_lines(store, SMALL, source="test", clock=clock)
        raise RuntimeError
    assert rows(store, "SELECT count(*) FROM entity") == [(0,)]


@pytest.mark.parametrize("name", ["small", "audit13k"])
def test_the_shared_graphs_are_taken_as_they_are(store: Store, shared_data: Path, name: str) -> None:
    source = shared_data / "bloat" / f"{name}.jsonl.gz"
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        meta = json.loads(next(lines))
    report = import_graph(store, source, clock=clock)
    assert (report.ignored, report.fault_count) == ({}, 0)
    assert report.rows["attribute"] == meta["attributes"] and report.rows["summary"] == meta["session_summaries"]
    assert rows(store, "PRAGMA foreign_key_check") == []
    assert not index_faults(store.connection)
