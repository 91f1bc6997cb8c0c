"""The graph for networkx, for programs that draw, for people; and the two commands."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx
import pytest

from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.interfaces.exporters import export_graph
from graphdream.interfaces.exporters.markdown import plain
from graphdream.interfaces.importers import import_lines
from graphdream.views.networkx_view import from_networkx, to_networkx

OpenStore = Callable[[Path], Store]
GRAPH: list[dict[str, Any]] = [
    {"kind": "entity", "id": "e1", "name": "Maya <b>", "type": "person", "pinned": True},
    {"kind": "entity", "id": "e2", "name": "snake_case", "type": "file"},
    {"kind": "entity", "id": "e3", "name": "gone", "type": "file", "removed": "junk"},
    {"kind": "alias", "entity_id": "e1", "name": "M. O."},
    {"kind": "aspect", "id": "p1", "entity_id": "e1", "name": "general"},
    {"kind": "attribute", "id": "a1", "entity_id": "e1", "aspect_id": "p1", "content": "Lives in *Lisbon*\n\x07now."},
    {"kind": "attribute", "id": "a2", "entity_id": "e1", "aspect_id": "p1", "content": "Lives in Porto.",
     "status": "superseded"},
    {"kind": "attribute", "id": "a3", "entity_id": "e1", "aspect_id": "p1", "content": "1. Never call.",
     "attribute_kind": "constraint"},
    {"kind": "edge", "id": "l1", "source_id": "e1", "target_id": "e2", "type": "wrote"},
    {"kind": "edge", "id": "l2", "source_id": "e1", "target_id": "e2", "type": "reads"},
    {"kind": "edge", "id": "l3", "source_id": "e1", "target_id": "e3", "type": "reads"},
    {"kind": "edge", "id": "l4", "source_id": "e1", "target_id": "nobody", "type": "reads"},
]  # fmt: skip


def clock() -> str:
    return "2026-01-01T00:00:00Z"


@pytest.fixture
def graph(tmp_path: Path, blank_store: OpenStore) -> Iterator[Store]:
    with blank_store(tmp_path / "memory.db") as opened:
        import_lines(opened, GRAPH, source="test", clock=clock)
        yield opened


def exported(store: Store, format: str) -> str:
    out = io.StringIO()
    export_graph(store, out, format=format)
    return out.getvalue()


def test_the_living_graph_is_a_networkx_graph(graph: Store) -> None:
    living = to_networkx(graph.connection)
    assert list(living.nodes) == ["e1", "e2"]
    assert list(living.edges(keys=True)) == [("e1", "e2", "l1"), ("e1", "e2", "l2")]
    maya = living.nodes["e1"]
    assert (maya["name"], maya["pinned"], maya["aliases"]) == ("Maya <b>", True, ["M. O."])
    assert [(fact["id"], fact["status"]) for fact in maya["facts"]] == [
        ("a1", "active"), ("a2", "superseded"), ("a3", "active"),
    ]  # fmt: skip


def test_a_networkx_graph_comes_back_as_it_was(graph: Store, blank_store: OpenStore, tmp_path: Path) -> None:
    living = to_networkx(graph.connection)
    with blank_store(tmp_path / "second.db") as second:
        report = import_lines(second, from_networkx(living), source="networkx", clock=clock)
        assert report.ignored == {}
        again = to_networkx(second.connection)
    assert dict(again.nodes(data=True)) == dict(living.nodes(data=True))
    assert list(again.edges(keys=True, data=True)) == list(living.edges(keys=True, data=True))


def test_any_networkx_graph_can_be_imported(tmp_path: Path, blank_store: OpenStore) -> None:
    karate = networkx.karate_club_graph()
    with blank_store(tmp_path / "second.db") as second:
        report = import_lines(second, from_networkx(karate), source="karate", clock=clock)
        assert (report.rows["entity"], report.rows["link"]) == (34, 78)
        said = second.connection.execute("SELECT content FROM attribute ORDER BY id LIMIT 1").fetchone()[0]
        assert said == "club: Mr. Hi"
    assert list(from_networkx(karate)) == list(from_networkx(karate))
    parallel = networkx.MultiGraph([("a", "b", {"type": "x"}), ("a", "b", {"type": "x"})])
    assert len({line["id"] for line in from_networkx(parallel)}) == 4
    with pytest.raises(ValueError, match="same text"):
        list(from_networkx(networkx.Graph([(1, "1")])))


def test_graphml_is_read_by_others(graph: Store) -> None:
    text = exported(graph, "graphml")
    ElementTree.fromstring(text)
    read = networkx.parse_graphml(text)
    assert read.nodes["e1"]["facts"] == "general: Lives in *Lisbon*\n\ufffdnow.\ngeneral: 1. Never call."
    assert sorted(data["type"] for _, _, data in read.edges(data=True)) == ["reads", "wrote"]


def test_cytoscape_json_is_read_by_others(graph: Store) -> None:
    data = json.loads(exported(graph, "cytoscape"))
    assert [node["data"]["id"] for node in data["elements"]["nodes"]] == ["e1", "e2"]
    read = networkx.cytoscape_graph(data)
    assert read.nodes["e1"]["facts"][0]["content"] == "Lives in *Lisbon*\n\x07now."
    assert [edge["data"]["target"] for edge in data["elements"]["edges"]] == ["e2", "e2"]


def test_markdown_says_what_is_known_and_marks_nothing_up(graph: Store) -> None:
    assert exported(graph, "markdown") == (
        "# Memory\n\n2 entities, 2 facts.\n\n## file\n\n### snake_case\n\n## person\n\n### Maya \\<b\\>\n\n"
        "Pinned. Also: M. O..\n\n#### general\n\n- Lives in \\*Lisbon\\* \\\\x07now.\n- **1\\. Never call.**\n"
        "- ~~Lives in Porto.~~\n\n#### links\n\n- reads: snake_case\n- wrote: snake_case\n"
    )


def test_markdown_counts_one_as_one(tmp_path: Path, blank_store: OpenStore) -> None:
    with blank_store(tmp_path / "memory.db") as opened:
        rows = [row for row in GRAPH if row.get("id") in ("e1", "p1", "a1")]
        import_lines(opened, rows, source="test", clock=clock)
        assert "\n1 entity, 1 fact.\n" in exported(opened, "markdown")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# heading", "\\# heading"), ("2024) list", "2024\\) list"), ("_em_ a_b", "\\_em\\_ a_b"),
        ("&lt; AT&T", "\\&lt; AT&T"), ("[a](b)", "\\[a\\](b)"), ("- item", "\\- item"), ("  a \n b ", "a b"),
    ],
)  # fmt: skip
def test_text_of_the_graph_is_shown_as_it_is(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_formats_are_the_same_each_time(graph: Store) -> None:
    for name in ("jsonl", "graphml", "cytoscape", "markdown"):
        assert exported(graph, name) == exported(graph, name)


def test_import_and_export_as_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, database = tmp_path / "graph.jsonl", str(tmp_path / "new.db")
    source.write_text("".join(json.dumps(line) + "\n" for line in GRAPH), encoding="utf-8")
    assert main(["import", str(source), "--db", database]) == 0
    assert "imported graph.jsonl: 3 entities, 1 alias, 1 aspect, 3 facts, 4 links" in capsys.readouterr().out
    assert main(["export", "--db", database]) == 0
    text = capsys.readouterr().out
    assert main(["export", "--db", database, "--at", "1", "--out", str(tmp_path / "out.jsonl"), "--json"]) == 0
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == text
    assert json.loads(capsys.readouterr().out)["bytes"] == len(text.encode())
    assert main(["import", str(source), "--db", database]) == 3
    assert "line 1: the id 'e1' is in the database already" in capsys.readouterr().err
    with source.open("a", encoding="utf-8") as stream:
        stream.write('{"kind": "entity"}\n')
    fresh = str(tmp_path / "fresh.db")
    assert main(["import", str(source), "--db", fresh, "--skip-bad", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["rows"]["entity"], report["faults"]) == (3, ["line 13: `id` is missing"])
    assert main(["export", "--db", str(tmp_path / "none.db")]) == 6
