"""Who said it, where and when is no part of what is said; and a clause is one however a sentence leads into it."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from support.facts_world import fact, left

HARBOUR = (Subject(1, ("Harbour",), "project", False),)


def stays(*lines: str) -> list[str]:
    """What stays of facts of one entity, learned a day apart."""
    facts = [fact(number, 1, content, 10 + number) for number, content in enumerate(lines)]
    return [f.content for f in left(facts, consolidate(facts, HARBOUR))]


PLAIN = "Harbour keeps its backups on the old workstation"


@pytest.mark.parametrize(
    "attributed",
    [
        "In the March 18 session: Harbour keeps its backups on the old workstation",
        "From the kickoff notes: Harbour keeps its backups on the old workstation",
        "Harbour keeps its backups on the old workstation, per the April 15 call",
        "Harbour keeps its backups on the old workstation, noted April 15",
        "Harbour keeps its backups on the old workstation (confirmed January 25)",
        "Harbour keeps its backups on the old workstation, said at the June meeting",
        "Harbour keeps its backups on the old workstation as discussed",
        "Harbour keeps its backups on the old workstation (source: email thread)",
        "Harbour keeps its backups on the old workstation, according to the handover doc",
        "User mentioned that Harbour keeps its backups on the old workstation",
        "FYI: Harbour keeps its backups on the old workstation",
    ],
)
def test_a_fact_and_the_same_with_an_attribution_are_one(attributed):
    assert len(stays(PLAIN, attributed)) == 1


def test_the_fact_that_names_who_said_it_is_the_one_that_stays():
    attributed = "According to Slack, Harbour keeps its backups on the old workstation"
    assert stays(PLAIN, attributed) == [attributed]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Days and places of what is said, not of its telling.
        ("On March 18 Harbour moved the backups", "On April 2 Harbour moved the backups"),
        ("in March: two days in Oslo with Ada", "in May: two days in Oslo with Ada"),
        ("a guest of the house, seen April 15 in Oslo", "a guest of the house, seen May 3 in Turin"),
        ("in prod: retries = 5", "in staging: retries = 3"),
        ("From Lisbon: two crates of lenses", "From Oslo: two crates of lenses"),
        ("Harbour sends the report to Ada, due April 15", "Harbour sends the report to Ada, due May 3"),
        # Who says it differs, and each is a fact of its own.
        ("Ada said Harbour is too slow", "Bela said Harbour is too slow"),
        # What follows takes back what stands before it.
        ("Harbour deploys on Fridays", "Harbour deploys on Fridays, as agreed only for June"),
    ],
)
def test_what_only_looks_like_an_attribution_keeps_two_facts_apart(one, other):
    assert sorted(stays(one, other)) == sorted((one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Goal: replace the spreadsheet the producers use",
            "Harbour exists to replace the spreadsheet the producers use",
        ),
        ("heads-up for Harbour: phone signal dies past the lobby", "in Harbour phone signal dies past the lobby"),
        ("we know Harbour as a prospect from the trade fair", "in short, Harbour is a prospect from the trade fair"),
        (
            "Note that phone signal dies past the front lobby when visiting Harbour",
            "warning for Harbour: phone signal dies past the front lobby",
        ),
    ],
)
def test_two_ways_into_one_clause_say_the_same(one, other):
    assert len(stays(one, other)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Harbour wants to replace the spreadsheet the producers use",
            "Harbour hates the spreadsheet the producers use",
        ),
        ("Harbour joined the backend search team", "Harbour left the backend search team"),
        ("Harbour started migrating the search index", "Harbour finished migrating the search index"),
        ("Harbour proposed to double the render budget", "Harbour agreed to double the render budget"),
        ("Harbour refused to double the render budget", "Harbour voted to double the render budget"),
        ("Harbour never exports the camera handles", "Harbour always exports the camera handles"),
        ("Ada reviews the quarterly budget plan", "Bela reviews the quarterly budget plan"),
        ("the usual place is third on the left", "the usual place is by the organ"),
    ],
)
def test_another_stance_or_another_value_before_a_clause_is_another_fact(one, other):
    assert sorted(stays(one, other)) == sorted((one, other))


def test_leaving_one_place_is_not_contained_in_leaving_another():
    one, other = "Harbour left Taipei", "Harbour left Pune and now lives in Taipei"
    assert other in stays(other, one)
    facts = [fact(0, 1, other, 10), fact(1, 1, one, 60)]
    assert not [found for found in consolidate(facts, HARBOUR).duplicates if found[2] == "contained"]


@pytest.mark.parametrize(
    "content",
    ["thinks kubectl is overpriced for what it does", "the plan to leave the old search code behind"],
)
def test_a_sentence_that_names_what_it_points_at_and_one_that_ends_in_a_particle_are_whole(content):
    assert stays(content) == [content]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("home base is Hobart", "Harbour left Hobart and now lives in Hanoi"),
        ("named a flat white as coffee order", "changed its mind: coffee order is a double espresso, not a flat white"),
    ],
)
def test_a_former_value_is_told_by_what_was_left_and_by_what_it_is_not(old, new):
    assert stays(old, new) == [new]


def test_a_value_that_is_over_goes_with_the_statement_that_says_the_same_in_more_words():
    lines = (
        "According to Slack, Harbour belongs to Chidi Duarte",
        "Harbour belongs to Chidi Duarte",
        "Ownership of Harbour passed from Chidi Duarte to Ada Birk",
    )
    assert stays(*lines) == [lines[-1]]


def test_a_beginning_that_stops_inside_the_subjects_name_is_a_cut_copy():
    park = (Subject(1, ("Abbey Park",), "place", False),)
    facts = [fact(0, 1, "heads-up for Abbey Park: the gate sticks", 10), fact(1, 1, "heads-up for Abbey P", 11)]
    assert [f.id for f in left(facts, consolidate(facts, park))] == [0]


def test_a_person_who_is_only_ever_named_first_is_known_by_the_entity_of_that_name():
    subjects = (*HARBOUR, Subject(2, ("Dara Delgado",), "person", False), Subject(3, ("Erik Huang",), "person", False))
    facts = [
        fact(0, 1, "Dara Delgado administers Harbour", 10),
        fact(1, 1, "Apparently Harbour is administered by Erik Huang", 60),
    ]
    subjects += (Subject(4, ("Lantern",), "project", False), Subject(5, ("Beacon",), "project", False))
    facts += [fact(2, 4, "Erik Huang administers Lantern", 61), fact(3, 5, "Erik Huang administers Beacon", 62)]
    for number, name in enumerate(("Quay", "Mole", "Buoy"), start=6):
        facts.append(fact(number, number, f"Dara Delgado administers {name}", 60 + number))
        subjects += (Subject(number, (name,), "project", False),)
    found = consolidate(facts, subjects)
    assert [(old, new) for old, new, _, _ in found.superseded] == [(0, 1)]
