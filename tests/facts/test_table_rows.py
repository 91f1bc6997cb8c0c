"""Rows of tables: each is about what its first cell names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphdream.facts import Fact, Subject, consolidate
from graphdream.facts.tablerows import are_of_two_rows
from support.facts_world import fact

ROTA = Subject(1, ("ROTA.md",), "file", False)


@pytest.mark.parametrize(
    ("before", "after", "two"),
    [
        ("Ilse | Desk: 4 | Keys: yes", "Bo | Desk: 4 | Keys: yes", True),
        ("**Ilse** | Tisch: 4 | Schlüssel: ja", "Bo | Tisch: 4 | Schlüssel: ja", True),
        ("窯場 | 担当: 佐々木 | 鍵: 有", "倉庫 | 担当: 佐々木 | 鍵: 有", True),
        ("Ilse | Desk: 4 | Keys: yes", "Bo | Desk: 4 | Keys: yes, for Ilse", False),  # it names whom it replaced
        ("Ilse | Desk: 4 | Keys: yes", "Ilse | Desk: 6 | Keys: yes", False),
        ("Big kiln | Heat: 1200", "Kiln 2, big | Heat: 1180", False),
        ("the kiln is at 1200", "Bo | Heat: 1180", False),  # no row
        ("Ilse: desk 4", "Bo: desk 4", False),  # labels are judged by a score
        ("", "", False),
    ],
)
def test_rows_are_told_apart_by_what_their_first_cells_name(before: str, after: str, two: bool):
    assert are_of_two_rows(before, after) is two


def _rows(*told: tuple[str, int]) -> list[Fact]:
    return [
        replace(fact(at, 1, text, day), source="file:ROTA.md", aspect="Rota / Desks")
        for at, (text, day) in enumerate(told)
    ]


ILSE, BO = "Ilse (porter) | Shift: mornings | Keys: yes", "Bo (driver) | Shift: mornings | Keys: yes"


def test_a_new_row_ends_no_other_ones_row():
    found = consolidate(_rows((ILSE, 1), (BO, 60)), [ROTA])
    assert not found.superseded


def test_a_row_of_the_same_thing_is_edited():
    found = consolidate(_rows((ILSE, 1), (ILSE.replace("mornings", "nights"), 60)), [ROTA])
    assert [one[:2] for one in found.superseded] == [(0, 1)]


def test_a_row_is_over_where_its_edit_was_seen():
    old, new = _rows((ILSE, 1), (BO, 60))
    found = consolidate([old, replace(new, instead_of=old.id)], [ROTA])
    assert [one[:2] for one in found.superseded] == [(0, 1)]
