"""What is one fact: copies, cut copies, paraphrases, junk, stale values; and what must never be taken for them."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from support.facts_world import contents, fact, left, person, world

MAYA = Subject(1, ("Maya Okafor", "Maya"), "person", False)
LAMP = Subject(1, ("signal lamp",), "tool", False)


def _kept(*texts: str, subject: Subject = MAYA) -> list[str]:
    facts = [fact(number, 1, text, day=number + 1) for number, text in enumerate(texts)]
    return contents(left(facts, consolidate(facts, [subject])))


@pytest.mark.parametrize(
    "copy",
    [
        "Maya Okafor lives in Lisbon",
        "maya okafor lives in lisbon.",
        "**Maya Okafor lives in Lisbon**",
        '> Maya Okafor lives in Lisbon."**',
        "1. Maya lives in Lisbon",
        "She lives in Lisbon",
        "lives in Lisbon",
        "Maya  Okafor lives in Lisbon \\n",
        "| Maya Okafor lives in Lisbon |",
    ],
)
def test_copies_in_any_dress_fold(copy):
    assert len(_kept("Maya Okafor lives in Lisbon.", copy)) == 1


@pytest.mark.parametrize(
    ("left_text", "right_text"),
    [
        ("likes purple", "likes cyan"),
        ("Maya is flying to Oslo on March 14", "Maya is flying to Oslo on March 15"),
        ("Maya is flying to Oslo on March 14", "Maya is flying to Rome on March 14"),
        ("the upload stopped at 25 MB", "the upload stopped at 100 MB"),
        ("Maya meets Ada Falk on May 2 at 9:00", "Maya meets Ada Falk on May 2 at 10:00"),
        ("Maya eats meat", "Maya does not eat meat"),
        ("Maya will move to Oslo", "Maya did move to Oslo"),
        ("telemetry: on", "telemetry: off"),
        ("strict mode: on", "strict mode: on for new modules only"),
        ("allergic to peanuts", "allergic to shellfish"),
        ("Pilot G-2 0.38", "Pilot G-2 0.5"),
        ("release 1.2.0 shipped", "release 1.2.1 shipped"),
    ],
)
def test_look_alikes_with_another_value_both_stay(left_text, right_text):
    assert len(_kept(left_text, right_text)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "tabs.",
        "TTL = 60s",
        "birthday May 8",
        "HQ: Oslo",
        "v2.1.0",
        "based in Oslo",
        "blood type O+",
        "9 shots",
        "est. 2003",
    ],
)
def test_short_facts_that_are_perfectly_good_stay(text):
    assert _kept(text) == [text]


@pytest.mark.parametrize(
    ("wordy", "plain"),
    [
        ("Ada Falk said Maya Okafor lives in Lisbon", "lives in Lisbon"),
        ("Maya Okafor has to see the dentist about the tooth", "Maya has to see the dentist about"),
    ],
)
def test_a_copy_that_lacks_a_name_or_was_cut_never_stands_for_the_others(wordy, plain):
    assert wordy in _kept(wordy, plain)


def test_several_likings_of_one_person_are_no_slot():
    facts, subjects = world()
    number = len(facts)
    facts += [
        fact(number, 1000, "Zoe Zorn always orders green tea", day=10),
        fact(number + 1, 1000, "Zoe Zorn always orders black coffee", day=200),
    ]
    found = consolidate(facts, [*subjects, Subject(1000, ("Zoe Zorn",), "person", False)])
    assert {number, number + 1} <= {f.id for f in left(facts, found)}


def test_a_protected_fact_never_goes_and_others_fold_into_it():
    facts = [
        fact(0, 1, "Maya lives in Lisbon", day=1),
        fact(1, 1, "**Maya Okafor lives in Lisbon.**", day=2, protected=True),
        fact(2, 1, "and then the", kind="constraint", protected=True),
    ]
    found = consolidate(facts, [MAYA])
    assert [f.id for f in left(facts, found)] == [1, 2]
    assert found.duplicates == [(0, 1, "copy")]


def test_superseded_and_archived_facts_are_history_and_not_judged():
    facts = [fact(0, 1, "Maya lives in Lisbon"), fact(1, 1, "Maya lives in Lisbon", status="superseded")]
    assert consolidate(facts, [MAYA]).duplicates == []


def test_the_same_words_on_two_entities_are_two_facts():
    facts = [fact(0, 1, "lives in Lisbon"), fact(1, 2, "lives in Lisbon")]
    assert consolidate(facts, [person(1), person(2)]).duplicates == []


def test_a_heading_that_holds_only_copied_notes_goes_and_nothing_with_it():
    notes = "file:memory/MEMORY.backup-2025-03-01.md"
    facts = [
        fact(0, 1, "Maya Okafor lives in Lisbon", day=1),
        fact(1, 2, "- **Maya Okafor**: Maya Okafor lives in Lisbon", day=90, source=notes),
        fact(2, 3, "Bo Stern lives in Oslo", day=1),
        fact(3, 2, "Bo Stern: Bo Stern lives in Oslo", day=90, source=notes),
    ]
    heading = Subject(2, ("People**",), "unknown", False)
    found = consolidate(facts, [MAYA, heading, Subject(3, ("Bo Stern",), "person", False)])
    assert [number for number, _ in found.junk_subjects] == [2]
    assert {(loser, survivor) for loser, survivor, _ in found.duplicates} == {(1, 0), (3, 2)}


def test_a_copied_note_goes_into_the_fact_of_whom_it_is_about_while_its_heading_stays():
    notes = "file:memory/MEMORY.backup-2025-03-01.md"
    facts = [
        fact(0, 1, "Maya Okafor lives in Lisbon", day=1),
        fact(1, 2, "- **Maya Okafor**: Maya Okafor lives in Lisbon", day=90, source=notes),
        fact(2, 2, "the kickoff notes are kept in the blue folder", day=90, source=notes),
    ]
    found = consolidate(facts, [MAYA, Subject(2, ("MEMORY.md (backup)",), "unknown", False)])
    assert [(loser, survivor) for loser, survivor, _ in found.duplicates] == [(1, 0)]
    assert found.junk_subjects == []


def test_a_name_that_names_nothing_stays_while_it_holds_a_fact_said_nowhere_else():
    facts = [fact(0, 1, "line 42 is where the parser drops the last token of Maya's budget")]
    assert consolidate(facts, [Subject(1, ("line 42",), "unknown", False)]).junk_subjects == []


def test_a_pinned_subject_is_never_junk():
    assert consolidate([], [Subject(1, ("line 42",), "unknown", True)]).junk_subjects == []


def test_nothing_in_nothing_out():
    found = consolidate([], [])
    assert not (found.duplicates or found.junk or found.superseded or found.contradictions or found.junk_subjects)
