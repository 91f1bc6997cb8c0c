"""The memory view: paths both ways, and entries that say where they hang."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.graph.categories import FOLDER, GENERAL, Place, category_of, place_of
from graphdream.graph.store import Store
from graphdream.views.memory import categories, entries
from support.graphs import apply, entity

# A name without blanks around it: blank segments of a path do not count.
NAMES = st.text(min_size=1).filter(lambda name: name.strip() == name)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        apply(
            opened,
            [
                entity("user-preferences", FOLDER, timezone=["Lisbon time."], editor=["Zed.", "No tabs."]),
                entity("Avery", "person", work=["Leads the tracker."]),
                entity("mcp/email", "skill", summary=["Sends mail."]),
            ],
            actor="person",
        )
        yield opened


@given(kind=NAMES, name=NAMES, aspect=NAMES)
def test_a_path_reads_back_as_what_it_was_made_of(kind: str, name: str, aspect: str) -> None:
    for place in (Place(kind, name, aspect), Place(FOLDER, name, aspect), Place(FOLDER, GENERAL, GENERAL)):
        assert place_of(category_of(place)) == place


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("user-preferences/timezone", Place(FOLDER, "user-preferences", "timezone")),
        ("person/Avery/work", Place("person", "Avery", "work")),
        ("general", Place(FOLDER, GENERAL, GENERAL)),
        ("", Place(FOLDER, GENERAL, GENERAL)),
        ("/a//b/", Place(FOLDER, "a", "b")),
        ("a", Place(FOLDER, "a", GENERAL)),
        ("a/b/c/d", Place("a", "b", "c/d")),
    ],
)
def test_paths(path: str, place: Place) -> None:
    assert place_of(path) == place


def test_categories_are_counted(store: Store) -> None:
    assert categories(store) == {
        "person/Avery/work": 1,
        "skill/mcp%2Femail/summary": 1,
        "user-preferences/editor": 2,
        "user-preferences/timezone": 1,
    }


def test_entries_of_a_folder_and_of_a_path(store: Store) -> None:
    def found(category: str) -> set[str]:
        return {entry.content for entry in entries(store.connection, category=category)}

    assert found("user-preferences") == {"Lisbon time.", "Zed.", "No tabs."}
    assert found("user-preferences/editor") == {"Zed.", "No tabs."}
    assert found("person/Avery/work") == {"Leads the tracker."}
    assert len(found("")) == 5
    assert found("nowhere") == set()


def test_the_category_of_an_entry_leads_back_to_it(store: Store) -> None:
    for entry in entries(store.connection):
        assert entry.content in {other.content for other in entries(store.connection, category=entry.category)}
