"""Differences: the net effect, in the words of the graph; the picture; points in time."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphdream.clock import shifted
from graphdream.errors import NotFoundError, UsageError
from graphdream.graph import rows
from graphdream.graph.store import Store
from graphdream.graph.tables import ALIAS, ASPECT, ATTRIBUTE, ENTITY, LINK, TABLES
from graphdream.journal.diff import diff
from graphdream.journal.fold import newest_pass
from graphdream.journal.graph_diff import GraphDiff
from graphdream.journal.net import net_changes, resolve_point
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.journal.picture import MOST_DRAWN, picture
from graphdream.journal.undo import undo
from journal.graphs import acts, clock, dump, folded, new_store, write_pass


@pytest.fixture
def told(store: Store) -> GraphDiff:
    """Pass 1 makes Ada, Ada L. and Carl; pass 2 merges Ada L. into Ada and does all the rest that can be told."""
    with open_pass(store, PassHeader("import"), clock=clock):
        for name in ("Ada", "Ada L.", "Carl"):
            rows.insert(store, ENTITY, name=name, canonical=name.lower(), type="person")
        for entity in (1, 2, 3):
            rows.insert(store, ASPECT, entity_id=entity, name="life", canonical="life")
        for aspect, text in ((1, "was born in London"), (2, "was born in London."), (2, "lives in Rome"), (3, "x|y")):
            rows.insert(store, ATTRIBUTE, aspect_id=aspect, content=text, digest=0)
        rows.insert(store, LINK, source_id=2, target_id=3, type="knows")
    with open_pass(store, PassHeader("dream"), clock=clock):
        rows.insert(store, ALIAS, entity_id=1, name="Ada L.", canonical="ada l")
        rows.update(store, ENTITY, 1, mentions=2)
        rows.update(store, ENTITY, 2, status="absorbed", absorbed_into=1, status_reason="one person")
        rows.update(store, ENTITY, 3, name="Carl Ray", canonical="carl ray", pinned=1)
        rows.update(store, ATTRIBUTE, 2, status="absorbed", absorbed_into=1)
        rows.update(store, ATTRIBUTE, 3, aspect_id=1)
        rows.update(store, ATTRIBUTE, 4, status="archived", status_reason="junk")
        rows.update(store, LINK, 1, source_id=1, confidence=0.9)
    return diff(store, 1, 2)


def test_a_difference_is_told_entity_by_entity(told):
    assert told.text().splitlines() == [
        "pass 1 → pass 2: entities changed 2, entities merged 1, aliases added 1, facts absorbed 1, facts moved 1,"
        " facts archived 1, links redirected 1",
        "e1 Ada (person)",
        "  mentions brought up to date",
        "  also called “Ada L.”",
        "  ~ a3 moved: lives in Rome  [from e2 Ada L. / life]",
        "  → l1 redirected: knows e3 Carl Ray  [was e2 Ada L. → e3 Carl Ray]",
        "e2 Ada L. (person)",
        "  merged into e1 Ada",
        "  ~ a2 absorbed: was born in London.  [into a1 “was born in London”]",
        "e3 Carl Ray (person)",
        "  renamed from “Carl”",
        "  pinned",
        "  - a4 archived: x|y  [junk]",
    ]


def test_a_text_steers_no_terminal(store):
    with open_pass(store, PassHeader("import"), clock=clock):
        rows.insert(store, ENTITY, name="\x1b[31mred\u202e\n\tx", canonical="red")
    assert diff(store, 0, 1).text().splitlines()[1:] == ["e1 \\x1b[31mred\\u202e\\n\\tx (unknown)", "  made"]


def test_json_holds_all_of_it(told):
    plain = json.loads(json.dumps(told.as_json()))
    assert (plain["before"], plain["after"]) == (1, 2)
    assert [(entity["handle"], entity["fate"], entity["into"]) for entity in plain["entities"]] == [
        ("e1", "changed", ""),
        ("e2", "merged", "e1"),
        ("e3", "changed", ""),
    ]


def test_told_backwards_it_is_the_undo(store, told):
    back = diff(store, 2, 1)
    undo(store, 2, clock=clock)
    assert back.entities == diff(store, 2, 3).entities
    assert "  restored" in back.text().splitlines()
    assert diff(store, 1, 3).text() == "pass 1 → pass 3: the same graph\n"


def test_what_comes_out_of_nothing_is_made(store, told):
    first = diff(store, 0, 1)
    assert first.counts == {"entities made": 3, "aspects added": 3, "facts added": 4, "links added": 1}
    assert {entity.fate for entity in diff(store, 1, 0).entities} == {"removed"}


def test_long_differences_are_shortened_in_text_only(told):
    text = told.text(most=1)
    assert text.endswith("… and 2 more entities (--json has all of them)\n")
    assert "e1 Ada" in text


def test_the_picture_is_one_valid_svg_and_always_the_same(told):
    drawn = picture(told)
    root = ElementTree.fromstring(drawn)
    titles = [node.text for node in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == 3
    assert any(title.startswith("e2 Ada L.: merged into e1 Ada") for title in titles)
    assert drawn.count('marker-end="url(#tip)"') == 1
    assert picture(told) == drawn


def test_a_picture_leaves_out_what_does_not_fit_and_says_so(store):
    with open_pass(store, PassHeader("import"), clock=clock):
        for number in range(MOST_DRAWN + 7):
            rows.insert(store, ENTITY, name=f"<&\x00\x1b{number}", canonical=str(number))
    drawn = picture(diff(store, 0, 1))
    assert "7 more entities changed" in drawn
    assert len(list(ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}title"))) == MOST_DRAWN


def test_a_picture_of_nothing_is_a_picture(store):
    write_pass(store, [("make_entity", 1, 0, 0)])
    ElementTree.fromstring(picture(diff(store, 1, 1)))


def test_points_are_passes_or_times(store):
    start = "2026-01-01T00:00:00.000Z"
    for hour in range(3):
        with open_pass(store, PassHeader("edit"), clock=lambda hour=hour: shifted(start, hour * 3600)):
            pass
    assert [resolve_point(store, word) for word in (0, "2", " 3 ")] == [0, 2, 3]
    assert resolve_point(store, "2025-12-31") == 0
    assert resolve_point(store, "2026-01-01") == 1
    assert resolve_point(store, "2026-01-01T01:59:59Z") == 2
    assert resolve_point(store, "2026-01-01T03:00+01:00") == 3
    with pytest.raises(NotFoundError, match="no pass 4; the newest is 3"):
        resolve_point(store, "4")
    with pytest.raises(UsageError, match="neither a pass nor a date"):
        resolve_point(store, "yesterday")
    with pytest.raises(NotFoundError):
        diff(store, 0, 9)


@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(history=st.lists(st.lists(acts, max_size=8), min_size=1, max_size=5), data=st.data())
def test_the_net_changes_lead_from_one_state_to_the_other(tmp_path, template, history, data):
    with new_store(tmp_path, template) as store:
        for step in history:
            write_pass(store, step)
        undo(store, data.draw(st.integers(1, len(history))), cascade=True, clock=clock)
        newest = newest_pass(store.connection)
        start, end = data.draw(st.integers(0, newest)), data.draw(st.integers(0, newest))
        state = {table.name: {row[0]: row for row in folded(store, start)[table.name]} for table in TABLES}
        for change in net_changes(store.connection, start, end):
            held = state[change.table.name]
            if change.after is None:
                assert held.pop(change.id) == tuple(change.before.values())
            elif change.before is None:
                held[change.id] = tuple(change.after.values())
            else:
                row = dict(zip(change.table.columns, held[change.id], strict=True))
                assert {column: row[column] for column in change.before} == change.before
                assert change.before.keys() == change.after.keys()
                held[change.id] = tuple({**row, **change.after}.values())
        assert {name: [held[row_id] for row_id in sorted(held)] for name, held in state.items()} == folded(store, end)
        told = diff(store, start, end)
        told.text()
        json.dumps(told.as_json())
        ElementTree.fromstring(picture(told))
        if end == newest:
            assert folded(store, end) == dump(store.connection)
