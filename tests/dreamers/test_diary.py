"""A newer line of a page of a diary that may replace a lasting line is asked about, and ends nothing by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphdream
from tests.support.graphs import NOW

LATER = "2027-03-05T09:00:00Z"
LASTING = """# Observatory

- Dome motor lives on circuit 14
- Guide camera at http://10.7.0.31:3000
- Dew heater off above 12 degrees
- Visitors book with Signe
"""
PAGE = """- Moved the guide camera to http://10.7.0.44:3000
- Dome motor rewired from circuit 14 to circuit 22
- Saw the first Perseids
"""


@pytest.fixture
def graph(tmp_path: Path):
    """Lasting notes of an earlier day, and a page that was written a month later."""
    notes = tmp_path / "notes"
    (notes / "log").mkdir(parents=True)
    (notes / "README.md").write_text(LASTING, encoding="utf-8")
    now = [NOW]
    with graphdream.open(tmp_path / "memory.db", clock=lambda: now[0]) as graph:
        graph.import_file(notes)
        graph.dream()
        now[0] = LATER
        (notes / "log" / "2027-03-04.md").write_text(PAGE, encoding="utf-8")
        graph.import_file(notes)
        yield graph


def _asked(report) -> set[tuple[str, str]]:
    return {(one["first_text"], one["second_text"]) for one in report.figures.get("open_facts", ())}


CAMERA = ("Guide camera at http://10.7.0.31:3000", "Moved the guide camera to http://10.7.0.44:3000")
MOTOR = ("Dome motor lives on circuit 14", "Dome motor rewired from circuit 14 to circuit 22")


def _handle(graph: graphdream.Graph, text: str) -> str:
    row = graph.store.connection.execute("SELECT id FROM attribute WHERE content = ?", (text,)).fetchone()
    return f"a{row[0]}"


@pytest.mark.parametrize("compact", [False, True])
def test_what_a_page_tells_of_a_lasting_line_is_asked(graph: graphdream.Graph, compact: bool) -> None:
    report = graph.dream(compact=compact)
    assert _asked(report) == {CAMERA, MOTOR}
    assert graph.store.connection.execute("SELECT count(*) FROM attribute WHERE status != 'active'").fetchone()[0] == 0


def test_a_person_answers_and_the_page_stays_as_it_is(graph: graphdream.Graph) -> None:
    graph.dream()
    old, new = (_handle(graph, text) for text in CAMERA)
    graph.edit({"op": "supersede_attribute", "old": old, "new": new})
    rows = graph.store.connection.execute(
        "SELECT entity.name, attribute.status FROM attribute JOIN aspect ON aspect.id = aspect_id"
        " JOIN entity ON entity.id = entity_id WHERE content = ? ORDER BY attribute.id",
        (CAMERA[1],),
    ).fetchall()
    assert [tuple(row) for row in rows] == [("log 2027-03-04", "active"), ("Observatory", "active")]
    assert _asked(graph.dream(compact=True)) == {MOTOR}
    assert graph.verify().ok


def test_what_a_person_says_both_hold_is_not_asked_again(graph: graphdream.Graph) -> None:
    graph.dream()
    first, second = (_handle(graph, text) for text in CAMERA)
    graph.edit(
        {"op": "flag_contradiction", "first": first, "second": second},
        {"op": "resolve_contradiction", "first": first, "second": second},
    )
    assert _asked(graph.dream(compact=True)) == {MOTOR}


def test_a_model_or_an_agent_takes_no_words_over_from_elsewhere(graph: graphdream.Graph) -> None:
    graph.dream()
    old, new = (_handle(graph, text) for text in CAMERA)
    result = graph.edit({"op": "supersede_attribute", "old": old, "new": new}, by="agent")
    assert [(one.status, one.code) for one in result.outcomes] == [("skipped", "elsewhere")]


def test_it_is_explained_as_it_was_judged(graph: graphdream.Graph) -> None:
    graph.dream()
    told = graph.explain_facts(*(_handle(graph, text) for text in MOTOR))
    assert "a page of a diary may have replaced" in told.verdict
    assert told.explanation.compared
