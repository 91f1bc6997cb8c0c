"""A line of notes that comes back in the same words under another heading, or in another file, has moved there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphdream import Graph
from graphdream import open as open_graph
from graphdream.mutations.standing import where_it_stands

SPRING, SUMMER, AUTUMN = "2026-03-02T10:00:00Z", "2026-06-02T10:00:00Z", "2026-09-02T10:00:00Z"


@pytest.mark.parametrize(
    ("copies", "stays"),
    [
        ([("file:a.md", SPRING), ("file:b.md", SUMMER)], 1),
        ([("file:a.md", SUMMER), ("file:a.md", SPRING)], 0),
        ([("file:a.md", SPRING), ("file:b.md", SPRING)], 0),
        ([("extraction", SPRING), ("file:b.md", SUMMER)], 0),
        ([("file:a.md", SPRING), ("extraction", SUMMER)], 0),
        ([("file:a.md", ""), ("file:a.md", SPRING), ("file:a.md", SUMMER)], 2),
    ],
)
def test_of_lines_the_one_written_last_stays_and_of_what_was_told_the_first(
    copies: list[tuple[str, str]], stays: int
) -> None:
    assert where_it_stands(copies) == stays


def rows(names: tuple[str, str], lines: list[tuple[str, str, str, str]]) -> list[dict[str, Any]]:
    """Import lines of two entities; `lines` are (entity, heading, text, moment)."""
    out: list[dict[str, Any]] = [{"kind": "meta", "format": "graphdream/1"}]
    out += [{"kind": "entity", "id": at, "name": name, "type": "project"} for at, name in zip("xy", names, strict=True)]
    headings = dict.fromkeys((entity, heading) for entity, heading, _, _ in lines)
    out += [{"kind": "aspect", "id": "/".join(one), "entity_id": one[0], "name": one[1]} for one in headings]
    for at, (entity, heading, text, moment) in enumerate(lines):
        out.append(
            {"kind": "attribute", "id": f"f{at}", "entity_id": entity, "aspect_id": f"{entity}/{heading}", "content": text,
             "created_at": moment, "source": f"file:{entity}.md"}
        )  # fmt: skip
    return out


def exported(graph: Graph, folder: Path) -> str:
    graph.export(folder / "out.jsonl")
    return (folder / "out.jsonl").read_text(encoding="utf-8")


def headings_after(folder: Path, lines: list[dict[str, Any]], name: str) -> dict[str, list[str]]:
    """Heading -> texts of an entity after a compaction; a second one must find nothing, and undo gives all back."""
    (folder / "notes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with open_graph(folder / "memory.db") as graph:
        graph.import_file(folder / "notes.jsonl")
        before = exported(graph, folder)
        done = graph.dream(compact=True)
        found = {heading: [fact.content for fact in said] for heading, said in graph.entity(name).facts.items() if said}
        settled = exported(graph, folder)
        graph.dream(compact=True)
        assert exported(graph, folder) == settled
        assert done.pass_id is not None
        graph.undo(done.pass_id)
        assert exported(graph, folder) == before
    return found


def test_a_moved_line_stands_under_its_new_heading(tmp_path: Path) -> None:
    line = "Die Wärmepumpe im Keller wird von der Firma Brüggemann gewartet, Vertrag 2291."
    notes = rows(
        ("Haus am Deich", "Werkstatt"),
        [("x", "Offen", line, SPRING), ("x", "Erledigt", line, AUTUMN), ("x", "Offen", "Dachrinne reinigen", AUTUMN)],
    )
    assert headings_after(tmp_path, notes, "Haus am Deich") == {
        "Erledigt": [line], "Offen": ["Dachrinne reinigen"],
    }  # fmt: skip


def test_of_two_files_that_become_one_the_newer_line_stays(tmp_path: Path) -> None:
    line = "La grúa del muelle norte no levanta más de 4200 kg con viento."
    notes = rows(
        ("Puerto Calandria", "Puerto  Calandria"),
        [("x", "Seguridad", line, SPRING), ("y", "Seguridad", line, SUMMER)],
    )
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(one) + "\n" for one in notes), encoding="utf-8")
    with open_graph(tmp_path / "memory.db") as graph:
        graph.import_file(tmp_path / "notes.jsonl")
        graph.edit({"op": "merge_entities", "source": ["e2"], "target": "e1"})
        (fact,) = graph.entity("Puerto Calandria").facts["Seguridad"]
        assert (fact.content, fact.source) == (line, "file:y.md")
