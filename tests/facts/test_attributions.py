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
    assert attributed in stays(PLAIN, attributed)


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
