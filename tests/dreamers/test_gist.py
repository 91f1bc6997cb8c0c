"""A sentence that opens with nothing the memory knows goes where the memory has most of what it tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import graphdream
from graphdream.dreamers.gathered import Gist
from graphdream.dreamers.reading.gist import gist_of, likeness
from graphdream.language.lexicon import language_of
from tests.support.notes import memory_of, place_of

NOTES = """# Weaving shed

## Machines
- Dobby loom: 24 shafts, belt from Harnisch
- Warping mill `sparrow` runs at 40 rpm
- Kiln log in kiln_log.csv, parsed by read_cones()
- Louvre panels, grade QX-9
- Rapier speed: 300

## Suppliers
- Linen thread: Brioude, by the cone
- Färberei: Waidhof, freitags
- Encargada: Nuria
- Varnish: Amber
- Dyes are kept in the Saffron cupboard

## Rules
- No loose cuffs near `sparrow`

# 2026-08-01
- Linen thread ran out
- Bobbins `tern` counted
"""


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    """A memory of notes with headings, and a page of a diary."""
    with memory_of(NOTES, tmp_path) as graph:
        yield graph


@pytest.mark.parametrize(
    ("told", "heading"),
    [
        ("We now get our linen thread from Tissot.", "Suppliers"),  # all words of a label
        ("Swapped the belt of the dobby loom.", "Machines"),
        ("I moved kiln_log.csv to the office machine.", "Machines"),  # an identifier
        ("Rewrote read_cones() in an hour.", "Machines"),  # a function
        ("Traded QX-9 for something lighter.", "Machines"),
        ("Wir haben die Färberei gewechselt.", "Suppliers"),
        ("La nueva encargada es Berta.", "Suppliers"),
        ("Exchanged Amber for Sandal.", "Suppliers"),  # the whole value of a label, where a change is told
        ("Amber haben wir gegen Sandal getauscht.", "Suppliers"),
        ("La nouvelle encargadée est Berta.", "Suppliers"),  # a form that the index cuts less
        ("Raised Rapier to 340.", "Machines"),  # a name in a label
        ("Dyes moved to the Walnut chest.", "Suppliers"),  # what a line begins with
        ("We tasted Amber and Sandal.", None),  # no change
        ("Traded the amber spoon for soup.", None),  # no name
        ("We greased sparrow.", None),  # of two headings
        ("We counted tern again.", None),  # a page of a diary is about its day
        ("It went to QX-9.", None),  # means what stands in another sentence
        ("They sold the dobby loom.", "Machines"),
        ("We ate by the river.", None),
        ("My coat has a torn belt.", None),  # one word in common, at no head
        ("Hemos comido junto al río.", None),
        ("Gestern hat es geregnet.", None),
    ],
)
def test_a_sentence_goes_where_most_of_what_it_tells_stands(graph: graphdream.Graph, told: str, heading: str | None):
    graph.record_session("s1", summary=told)
    graph.dream()
    place = place_of(graph, told)
    assert (place and place[1]) == heading


def test_what_a_page_of_a_diary_begins_with_is_at_home_where_a_lasting_line_is_about_it(graph: graphdream.Graph):
    told = "Linen thread comes on Mondays."
    graph.record_session("s1", summary=told)
    graph.dream()
    assert place_of(graph, told) == ("Weaving shed", "Suppliers")


def test_a_new_name_that_opens_it_must_stand_in_the_line():
    about = gist_of("Harnisch no longer sells belts for the dobby loom", "en", "Harnisch")
    assert about is not None and about.name == "harnisch"
    assert likeness("Dobby loom: 24 shafts, belt from Harnisch", about) > 0
    assert likeness("Dobby loom: 24 shafts, belt from Rüti", about) == 0


def test_words_in_common_count_from_two_on_where_one_is_at_the_head():
    gist = Gist(frozenset(("pedal", "belt", "cracked")))
    assert likeness("The belt of the pedal is worn", gist) == 2
    assert likeness("Greasing day: belt, then pedal", gist) == 0
    assert likeness("Greasing day: belt, pedal where cracked", gist) > 0


def test_english_that_is_not_spoken_does_not_hide_another_language():
    """`pan`, `dos` and `vino` are in the English dictionary, too."""
    assert language_of("Compramos pan y dos botellas de vino.") == "es"
