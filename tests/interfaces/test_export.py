"""What an export says of every row, and that it can be imported again as it was."""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from graphdream.errors import UsageError
from graphdream.graph.store import Store
from graphdream.graph.tables import BY_NAME
from graphdream.interfaces.exporters import export_graph
from graphdream.interfaces.importers import import_graph, import_lines
from graphdream.journal.fold import fold
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.journal.undo import undo
from support import graphs

OpenStore = Callable[[Path], Store]
Line = dict[str, Any]


def clock() -> str:
    return "2026-01-01T00:00:00Z"


@pytest.fixture
def stores(tmp_path: Path, blank_store: OpenStore) -> Iterator[list[Store]]:
    opened = [blank_store(tmp_path / name) for name in ("first.db", "second.db")]
    yield opened
    for store in opened:
        store.close()


LIVED = [
    {"kind": "session", "id": "s1", "started_at": "2025-01-01T10:00:00Z", "recorded_at": "2025-01-02T00:00:00Z",
     "metadata": {"host": "x", "n": [1, None, {"z": 1, "a": 0.1}]}},
    {"kind": "session_summary", "id": "s1", "started_at": "2025-01-01T10:00:00Z", "ended_at": None, "text": "One."},
    {"kind": "session_summary", "id": "s1", "started_at": "2025-01-01T10:00:00Z", "ended_at": None, "text": "Two.",
     "recorded_at": "2025-02-01T00:00:00Z"},
    {"kind": "turn", "session_id": "s1", "position": 0, "id": "t0", "speaker": "user", "content": "Hi,\nthere \x07."},
    {"kind": "turn", "session_id": "s1", "position": 1, "speaker": "", "content": "", "metadata": {"tool": True}},
    {"kind": "observation", "session_id": "s1", "position": 0, "content": "Greets.", "evidence": ["t0"]},
    {"kind": "session", "id": "s2"},
]  # fmt: skip
GRAPH = [
    {"kind": "entity", "id": "e1", "name": "Maya", "type": "person", "pinned": True, "importance": 0.7, "mentions": 4,
     "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-05T00:00:00Z", "session_ids": ["s1", "gone"]},
    {"kind": "entity", "id": "e2", "name": "Leo", "metadata": {"a": 1}, "derived": True},
    {"kind": "entity", "id": "e3", "name": "line 42", "removed": "junk"},
    {"kind": "entity", "id": "e4", "name": "lines 42", "removed": "junk", "into": "e3"},
    {"kind": "absorbed", "of": "entity", "id": "e5", "name": "Maya O.", "into": "e6"},
    {"kind": "absorbed", "of": "entity", "id": "e6", "name": "Maya**", "into": "e1", "status_reason": "same facts"},
    {"kind": "entity", "id": "e7", "name": "old", "removed": "archived"},
    {"kind": "alias", "entity_id": "e1", "name": "Maya O.", "source": "merge"},
    {"kind": "aspect", "id": "p1", "entity_id": "e1", "name": "general", "weight": 0.25},
    {"kind": "aspect", "id": "p2", "entity_id": "e2", "name": "general"},
    {"kind": "aspect", "id": "p3", "entity_id": "e3", "name": "general"},
    {"kind": "attribute", "id": "a1", "entity_id": "e1", "aspect_id": "p1", "content": "Lives in Lisbon.",
     "confidence": 0.1, "authority": "user", "slot": "city", "tags": ["a", "b"], "valid_from": "2024",
     "valid_to": "2024-05", "occurred_at": "2024-05-06", "time_precision": "day", "reinforcement": 3},
    {"kind": "attribute", "id": "a2", "entity_id": "e1", "aspect_id": "p1", "content": "Lives in Porto.",
     "status": "superseded", "superseded_by": "a1"},
    {"kind": "absorbed", "of": "attribute", "id": "a3", "entity_id": "e1", "aspect_id": "p1", "content": "In Porto",
     "into": "a2"},
    {"kind": "attribute", "id": "a4", "entity_id": "e1", "aspect_id": "p1", "content": "rm -rf", "removed": "dup"},
    {"kind": "attribute", "id": "a5", "entity_id": "e1", "aspect_id": "p1", "content": "rm -rf /", "removed": "dup",
     "into": "a4"},
    {"kind": "attribute", "id": "a6", "entity_id": "e3", "aspect_id": "p3", "content": "on an archived entity"},
    {"kind": "attribute", "id": "a7", "entity_id": "e2", "aspect_id": "p2", "content": "never", "updated_at": None,
     "attribute_kind": "constraint", "created_at": "2025-01-01T00:00:00Z", "session_id": "s1", "source": "file:x"},
    {"kind": "edge", "id": "l1", "source_id": "e1", "target_id": "e2", "type": "knows", "strength": 1},
    {"kind": "edge", "id": "l2", "source_id": "e1", "target_id": "nobody", "type": "knows"},
    {"kind": "edge", "id": "l3", "source_id": "e1", "target_id": "e2", "type": "knows", "dangling": True},
    {"kind": "edge", "id": "l4", "source_id": "e3", "target_id": "e2", "type": "knows", "reason": "said so"},
    {"kind": "edge", "id": "l5", "source_id": "e2", "target_id": "e2", "type": "knows"},
    {"kind": "edge", "id": "l6", "source_id": "e1", "target_id": "e2", "type": "knows"},
    {"kind": "mention", "attribute_id": "a1", "entity_id": "e2"},
    {"kind": "evidence", "attribute_id": "a1", "session_id": "s1", "turn_id": "t0", "quote": "Lisbon", "seen_at": None},
    {"kind": "distinct", "first_id": "e2", "second_id": "e1", "reason": "told"},
    {"kind": "contradiction", "first_id": "a7", "second_id": "a1", "slot": "city", "status": "resolved",
     "resolution": "a1"},
]  # fmt: skip


def exported(store: Store, format: str = "jsonl") -> str:
    out = io.StringIO()
    assert export_graph(store, out, format=format) == len(out.getvalue())
    return out.getvalue()


def parsed(text: str) -> list[Line]:
    return [json.loads(line) for line in text.splitlines()]


def by_id(lines: Sequence[Line]) -> dict[str, Line]:
    return {line["id"]: line for line in lines if "id" in line and line["kind"] not in ("session", "session_summary")}


def test_what_was_exported_is_imported_as_the_same_graph(stores: list[Store], tmp_path: Path) -> None:
    import_lines(stores[0], [*LIVED, *GRAPH], source="test", clock=clock)
    export_graph(stores[0], tmp_path / "graph.jsonl")
    report = import_graph(stores[1], tmp_path / "graph.jsonl", clock=lambda: "2030-01-01T00:00:00Z")
    assert (report.ignored, report.folded) == ({}, {})
    assert exported(stores[1]) == (tmp_path / "graph.jsonl").read_text(encoding="utf-8")


def test_no_line_says_more_than_it_must(stores: list[Store]) -> None:
    entity = {"kind": "entity", "id": "e1", "name": "Maya"}
    import_lines(stores[0], [entity], source="test", clock=clock)
    base = {"type": "unknown", "pinned": False, "created_at": None, "updated_at": None, "session_ids": []}
    assert parsed(exported(stores[0]))[1] == entity | base


def test_every_id_is_found_once_as_surviving_absorbed_or_removed(stores: list[Store]) -> None:
    import_lines(stores[0], [*LIVED, *GRAPH], source="test", clock=clock)
    lines = parsed(exported(stores[0]))
    found: Counter[str] = Counter()
    for line in lines:
        if line["kind"] in ("entity", "aspect", "attribute", "edge"):
            found.update([line["id"]] if "removed" in line else [line["id"], *line.get("absorbed", ())])
    assert found == Counter(line["id"] for line in GRAPH if "id" in line)
    at = by_id(lines)
    assert at["e1"]["absorbed"] == ["e5", "e6"] and at["a2"]["absorbed"] == ["a3"] and at["l1"]["absorbed"] == ["l6"]
    removed = {line["id"]: line["removed"] for line in lines if "removed" in line}
    assert removed == {
        "e3": "junk", "e4": "junk", "e7": "archived", "p3": "junk", "a4": "dup", "a5": "dup", "a6": "junk",
        "l4": "junk",
    }  # fmt: skip


def test_what_the_applier_makes_is_imported_as_the_same_graph(stores: list[Store]) -> None:
    maya = graphs.entity("Maya", general=["Lives in Lisbon.", "Likes tea."], work=["Engineer."])
    double = graphs.entity("Maya O.", general=["Lives in Lisbon.", "Plays chess."])
    graphs.apply(stores[0], [maya, double, graphs.entity("Lab", " ", general=["In Porto."])])
    graphs.apply(
        stores[0],
        [
            {"op": "link", "source": "Maya", "target": "Lab", "type": "works_at"},
            {"op": "link", "source": "Maya O.", "target": "Lab", "type": "works_at"},
            {"op": "link", "source": "Maya O.", "target": "Maya", "type": "knows"},
        ],
    )
    outcomes = graphs.apply(
        stores[0],
        [
            {"op": "merge_entities", "source": ["Maya O."], "target": "Maya"},
            {"op": "supersede_attribute", "old": "a1", "new": "Lives in Porto.", "session": "s1", "quote": "I moved"},
            {"op": "delete_entity", "name": "Lab"},
            {"op": "delete_attribute", "content": "a2", "reason": "junk"},
            {"op": "merge_aspects", "entity": "Maya", "source": ["work"], "target": "general"},
            {"op": "split_entity", "entity": "Maya", "name": "Maya the Second", "attributes": ["a3"]},
        ],
    )
    assert [outcome.status for outcome in outcomes] == ["applied"] * 6
    text = exported(stores[0])
    import_lines(stores[1], parsed(text), source="test", clock=clock)
    assert exported(stores[1]) == text


def test_history_stays_as_superseded(stores: list[Store]) -> None:
    import_lines(stores[0], GRAPH, source="test", clock=clock)
    fact = by_id(parsed(exported(stores[0])))["a2"]
    assert (fact["status"], fact["superseded_by"], fact["content"]) == ("superseded", "a1", "Lives in Porto.")


def test_the_order_of_lines_does_not_matter_to_the_round_trip(stores: list[Store]) -> None:
    import_lines(stores[0], [*LIVED, *GRAPH], source="test", clock=clock)
    lines = parsed(exported(stores[0]))
    import_lines(stores[1], reversed(lines), source="test", clock=clock)
    assert sorted(exported(stores[1]).splitlines()) == sorted(exported(stores[0]).splitlines())


def change(store: Store, *statements: str) -> int:
    with open_pass(store, PassHeader("dream"), clock=clock) as current:
        for statement in statements:
            store.connection.execute(statement.replace("SET", f"SET version = {current.id},"))
    return current.id


CHANGES = (
    "UPDATE entity SET status = 'archived', status_reason = 'archived' WHERE uid = 'e2'",
    "UPDATE attribute SET status = 'absorbed', absorbed_into = 1, superseded_by = NULL,"
    " status_reason = 'merged' WHERE uid = 'a2'",
    "UPDATE link SET status = 'archived', status_reason = 'dangling' WHERE uid = 'l2'",
    "UPDATE link SET target_ref = 'nobody' WHERE uid = 'l5'",
    "UPDATE alias SET name = 'Maja' WHERE id = 1",
)


def test_a_changed_graph_makes_the_round_trip_and_its_undo_leaves_no_trace(stores: list[Store]) -> None:
    import_lines(stores[0], [*LIVED, *GRAPH], source="test", clock=clock)
    before = exported(stores[0])
    changed = change(stores[0], *CHANGES)
    after = exported(stores[0])
    import_lines(stores[1], parsed(after), source="test", clock=clock)
    assert exported(stores[1]) == after != before
    undo(stores[0], changed, clock=clock)
    assert exported(stores[0]) == before


def test_a_past_state_is_exported_as_it_was(stores: list[Store]) -> None:
    import_lines(stores[0], [*LIVED, *GRAPH], source="test", clock=clock)
    before = exported(stores[0])
    change(stores[0], *CHANGES)
    past = fold(stores[0], 1)
    out = io.StringIO()
    export_graph(past, out)
    past.close()
    assert out.getvalue() == before


def test_dreams_are_no_part_of_what_was_lived(stores: list[Store]) -> None:
    import_lines(stores[0], LIVED, source="test", clock=clock)
    before = exported(stores[0])
    with stores[0].writing():
        stores[0].connection.execute("INSERT INTO session (key, kind, recorded_at) VALUES ('d', 'dream', '2026-01-01')")
        stores[0].connection.execute(
            "INSERT INTO summary (session_id, content, digest, recorded_at)"
            " VALUES (last_insert_rowid(), 'x', 'x', '2026')"
        )
    assert exported(stores[0]) == before


def test_a_link_to_nobody_stays_one_where_an_entity_of_that_id_came_later(stores: list[Store]) -> None:
    import_lines(stores[0], GRAPH, source="test", clock=clock)
    import_lines(stores[0], [{"kind": "entity", "id": "nobody", "name": "Somebody"}], source="later", clock=clock)
    line = by_id(parsed(exported(stores[0])))["l2"]
    assert (line["target_id"], line["dangling"]) == ("nobody", True)
    import_lines(stores[1], parsed(exported(stores[0])), source="test", clock=clock)
    assert exported(stores[1]) == exported(stores[0])


def test_a_file_is_there_whole_or_not_at_all(stores: list[Store], tmp_path: Path) -> None:
    import_lines(stores[0], GRAPH, source="test", clock=clock)
    target = tmp_path / "out" / "graph.jsonl"
    with pytest.raises(UsageError, match="cannot be written"):
        export_graph(stores[0], target)
    target.parent.mkdir()
    target.write_text("kept")
    stores[0].connection.execute("DROP TABLE contradiction")
    with pytest.raises(UsageError, match="is there already"):
        export_graph(stores[0], target)
    with pytest.raises(Exception, match="contradiction"):
        export_graph(stores[0], target, force=True)
    assert [path.name for path in target.parent.iterdir()] == ["graph.jsonl"]
    assert target.read_text() == "kept"


def test_a_compressed_file_has_equal_bytes_for_equal_graphs(stores: list[Store], tmp_path: Path) -> None:
    import_lines(stores[0], GRAPH, source="test", clock=clock)
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        export_graph(stores[0], tmp_path / name)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()).decode() == exported(stores[0])


def test_an_unknown_format_is_named(stores: list[Store]) -> None:
    with pytest.raises(UsageError, match="'xlsx' is not a format"):
        export_graph(stores[0], io.StringIO(), format="xlsx")


def test_every_column_of_the_graph_is_in_the_grammar() -> None:
    from graphdream.interfaces.importers.grammar import BY_TABLE
    from graphdream.interfaces.importers.lines import columns

    for name, table in BY_NAME.items():
        assert set(table.columns) - {"id"} <= set(columns(BY_TABLE[name])), name


def scorer(shared_data: Path) -> ModuleType:
    path = shared_data.parent / "tools" / "bloat" / "score.py"
    if not path.is_file():
        pytest.skip(f"NOT TESTED: no scorer at {path}")
    spec = importlib.util.spec_from_file_location("score", path)
    assert spec and spec.loader
    sys.modules["score"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_untouched_graph_scores_as_one_that_nothing_was_done_to(
    stores: list[Store], shared_data: Path, tmp_path: Path
) -> None:
    score, small = scorer(shared_data), shared_data / "bloat"
    import_graph(stores[0], small / "small.jsonl.gz", clock=clock)
    export_graph(stores[0], tmp_path / "out.jsonl")
    report = score.score_files(small / "small.jsonl.gz", small / "small.gold.jsonl.gz", tmp_path / "out.jsonl")
    assert (report["attributes"]["lost_facts"], report["attributes"]["misplaced_facts"]) == (0, 0)
    assert (report["protected"]["violations"], report["entities"]["lost_entities"]) == (0, 0)
    assert (report["attributes"]["unlisted"], report["entities"]["unlisted"]) == (0, 0)
    assert report["entities"]["wrong_merges"] == 0 and report["entities"]["pair_recall"] == 0
    assert report["edges"]["recall"] == 1
    assert report["probes"]["before"] == report["probes"]["after"]
    assert report["size"]["before"]["active_attributes"] == report["size"]["after"]["active_attributes"]
