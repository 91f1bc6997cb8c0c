"""Events beside the talk: taken once, by line, and purged with their session."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from graphdream.events.observed import EVENTS, observe, observed
from graphdream.graph.store import Store
from graphdream.library import Graph
from graphdream.library import open as open_graph

NOW = "2026-04-01T12:00:00.000Z"
LINES: list[dict[str, Any]] = [
    {"kind": "turn", "session": "s1", "role": "user", "content": "Summarise my inbox.", "id": "t1", "at": "2026-03-01T09:00:00Z"},
    {"kind": "turn", "session": "s1", "role": "assistant", "content": "Done.", "id": "t2"},
    {"kind": "session", "session": "s1", "summary": "The inbox was summed up.", "started_at": "2026-03-01T09:00:00Z"},
    {"kind": "feedback", "session": "s1", "feedback": "correction", "content": "Don't send mail.", "id": "f1"},
    {"kind": "skill-use", "session": "s1", "skill": "mcp/email", "outcome": "failed", "id": "u1"},
    {"kind": "execution", "session": "s1", "description": "nightly report", "outcome": "ok", "skill": "mcp/email", "id": "x1"},
    {"kind": "tool-call", "session": "s1", "tool": "grep", "outcome": "ok", "domain": "search", "id": "c1"},
    {"kind": "reading", "entity": "Gold", "aspect": "price", "value": "2000", "id": "r1"},
]  # fmt: skip


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return open_graph(tmp_path / "memory.db", clock=lambda: NOW)


def told(store: Store, *rows: Any) -> Any:
    file = io.BytesIO(b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows))
    return observe(store, file, clock=lambda: NOW)


def test_every_kind_is_taken_and_told_again_is_the_same_event(graph: Graph) -> None:
    first, second = told(graph.store, *LINES), told(graph.store, *LINES)
    assert first.added == {kind: 2 if kind == "turn" else 1 for kind in dict.fromkeys(row["kind"] for row in LINES)}
    assert (second.added, second.known, second.bad_lines) == ({}, len(LINES), 0)
    assert {row["kind"] for row in LINES} == {kind.model_fields["kind"].annotation.__args__[0] for kind in EVENTS}


def test_an_event_has_the_name_it_is_asked_for_by(graph: Graph) -> None:
    told(graph.store, *LINES)
    names = {
        kind: observed(graph.store.connection, kind)[0].name
        for kind in ("feedback", "skill-use", "execution", "tool-call", "reading")
    }
    assert names == {
        "feedback": "correction",
        "skill-use": "mcp/email",
        "execution": "nightly report",
        "tool-call": "grep",
        "reading": "Gold",
    }


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"nonsense\n", "not JSON"),
        (b"[1, 2]\n", "not a JSON object"),
        (b"null\n", "not a JSON object"),
        ({"kind": "execution", "description": "deploy", "outcome": "ok", "steps": 3}, "steps: Input should be a list"),
        (b'{"kind": "skill-use", "skill": "\xff"}\n', "not UTF-8"),
        ({"kind": "dance"}, "kind: should be one of turn, session, feedback"),
        ({"skill": "a"}, "kind: should be one of"),
        ({"kind": "skill-use"}, "skill: Field required"),
        ({"kind": "skill-use", "skill": "a", "outcome": "maybe"}, "outcome:"),
        ({"kind": "skill-use", "skill": "a", "at": "2100-01-01"}, "lies in the future"),
        ({"kind": "skill-use", "skill": "a", "at": "1970-01-01T00:00:00Z"}, "before 1990"),
        ({"kind": "skill-use", "skill": "a", "at": "soon"}, "is not a time"),
        ({"kind": "skill-use", "skill": "another", "session": "s1", "id": "u1"}, "on record and says something else"),
    ],
)  # fmt: skip
def test_a_bad_line_is_told_by_number_and_the_others_are_taken(graph: Graph, line: Any, why: str) -> None:
    told(graph.store, *LINES)
    report = told(graph.store, {"kind": "skill-use", "skill": "b"}, b"\n", line, {"kind": "skill-use", "skill": "c"})
    assert report.added == {"skill-use": 2} and report.bad_lines == 1
    assert report.faults[0].startswith("line 3: ") and why in report.faults[0]


def test_a_line_of_any_length_does_not_fill_the_memory(graph: Graph) -> None:
    long = json.dumps({"kind": "skill-use", "skill": "x" * (17 * 1024 * 1024)}).encode() + b"\n"
    report = told(graph.store, long, {"kind": "skill-use", "skill": "b"})
    assert report.added == {"skill-use": 1} and "longer than 16 MiB" in report.faults[0]


def test_purging_a_session_takes_its_events_and_keeps_them_out(graph: Graph) -> None:
    told(graph.store, *LINES)
    graph.purge("s1", session=True)
    left = [row[0] for row in graph.store.connection.execute("SELECT kind FROM observed")]
    assert left == ["reading"]
    again = told(graph.store, *LINES)
    assert not again.added and again.purged == len(LINES) - 1


def test_purging_a_fact_cuts_its_words_out_of_events(graph: Graph) -> None:
    fact = graph.remember("Mirela lives in Oslo")
    told(
        graph.store,
        {
            "kind": "feedback",
            "feedback": "correction",
            "session": "s2",
            "content": "No: Mirela lives in Oslo, and always did.",
        },
    )
    graph.purge(fact.handle)
    body = graph.store.connection.execute("SELECT body FROM observed").fetchone()[0]
    assert "Oslo" not in body and "[purged]" in body


def test_events_are_append_only(graph: Graph) -> None:
    told(graph.store, *LINES)
    with pytest.raises(Exception, match="append-only"):
        graph.store.connection.execute("UPDATE observed SET name = 'x'")


def test_the_library_takes_objects(graph: Graph) -> None:
    report = graph.observe([{"kind": "skill-use", "skill": "a"}, {"kind": "skill-use"}])
    assert report.added == {"skill-use": 1} and report.faults == ["line 2: skill: Field required"]
