"""Lines that a scorer takes for one line that was edited, and which stand in two places."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphdream.facts import Fact, FactFindings, Subject, consolidate
from graphdream.facts.calibration import shipped
from graphdream.facts.cuts import Cuts
from graphdream.facts.judge import judge
from support.facts_world import fact

ORCHARD = Subject(1, ("Orchard",), "project", False)
EASY = Cuts(edited=0.3, unlike=0.3)  # what two lines show by themselves is enough, so that their places alone decide

TWO_LINES = [
    ("**Watering:** every 3 days from tank B, row 12 first", "**Watering:** every 5 days from tank B, row 12 first"),
    ("Vor dem Schnitt den Schlüssel zu Schuppen 4 holen", "Vor dem Schnitt den Schlüssel zu Schuppen 7 holen"),
    ("Riego: la fila 12 cada 3 días, desde el tanque B", "Riego: la fila 12 cada 5 días, desde el tanque B"),
    ("水やり: 12列は3日ごと、タンクBから", "水やり: 12列は5日ごと、タンクBから"),
]
TWO_LABELS = [
    ("Grafting (spring): cut scions at 45 degrees", "Grafting (Bruno): cut scions at 45 degrees, wrapped"),
    ("Veredelung im Frühjahr: Reiser schräg schneiden", "Veredelung nach Bruno: Reiser schräg schneiden, wickeln"),
    ("接ぎ木(春): 穂木を斜めに切る", "接ぎ木(秋): 穂木を斜めに切って巻く"),
]


def _line(at: int, text: str, day: int, *, heading: str = "Work", file: str = "north/orchard.md") -> Fact:
    return fact(at, 1, text, day, aspect=f"Orchard / {heading}", source=f"file:{file}", session=None)


def _judged(*facts: Fact) -> FactFindings:
    return judge(facts, [ORCHARD], shipped(), cuts=EASY)


def _ended(found: FactFindings) -> list[tuple[int, int]]:
    return [(old, new) for old, new, _, _ in found.superseded]


def _asked(found: FactFindings) -> list[tuple[int, int]]:
    return [(one.first, one.second) for one in found.open if one.question == "replaces"]


@pytest.mark.parametrize(("older", "newer"), TWO_LINES)
def test_a_line_in_another_folder_ends_nothing_and_is_asked_about(older: str, newer: str) -> None:
    first = _line(0, older, 3)
    assert _ended(_judged(first, _line(1, newer, 40))) == [(0, 1)]
    found = _judged(first, _line(1, newer, 40, file="south/orchard.md"))
    assert not _ended(found)
    assert _asked(found) == [(0, 1)]


@pytest.mark.parametrize(("older", "newer"), TWO_LABELS)
@pytest.mark.parametrize("heading", ["4 June", "2026-06-04"])
def test_parts_of_one_day_s_entry_end_each_other_not(older: str, newer: str, heading: str) -> None:
    first, second = _line(0, older, 3, heading=heading), _line(1, newer, 3, heading=heading)
    second = replace(second, known_at=second.known_at[:11] + "21:30:00Z")
    assert not _ended(_judged(first, second))


def test_a_line_of_another_file_of_the_folder_may_end_one() -> None:
    older, newer = TWO_LINES[0]
    found = _judged(_line(0, older, 3), _line(1, newer, 40, file="north/trees.md"))
    assert _ended(found) == [(0, 1)]


@pytest.mark.parametrize(("older", "newer"), TWO_LABELS)
def test_a_number_of_a_heading_makes_no_entry(older: str, newer: str) -> None:
    """Nor does it keep what is asked of the scorer from being asked: with a cut that anything passes, it ends."""
    first, second = _line(0, older, 3, heading="4. Trees"), _line(1, newer, 3, heading="4. Trees")
    second = replace(second, known_at=second.known_at[:11] + "21:30:00Z")
    lenient = Cuts(edited=0.0, unlike=0.0)
    found = judge([first, second], [ORCHARD], shipped(), cuts=lenient)
    dated = [replace(fact, aspect="Orchard / 4 June") for fact in (first, second)]
    assert _ended(found) == [(0, 1)]
    assert not _ended(judge(dated, [ORCHARD], shipped(), cuts=lenient))


def test_a_line_of_an_entry_that_the_importer_saw_edited_is_over() -> None:
    older, newer = TWO_LABELS[0]
    first, second = _line(0, older, 3, heading="4 June"), _line(1, newer, 3, heading="4 June")
    second = replace(second, known_at=second.known_at[:11] + "21:30:00Z", instead_of=0)
    assert _ended(consolidate([first, second], [ORCHARD])) == [(0, 1)]
