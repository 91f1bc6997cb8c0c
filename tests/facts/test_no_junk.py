"""What says something though it is short, or another text begins with it."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.explain import explain_facts
from support.facts_world import fact, told_weeks_apart

WHO = Subject(1, ("Maren Voss",), "person", False)


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("eats fish", "eats fish only on Fridays"),
        ("isst Fisch", "isst Fisch nur freitags"),
        ("come pescado", "come pescado solo los viernes"),
        ("ест рыбу", "ест рыбу только по пятницам"),
    ],
)
def test_what_another_text_narrows_is_no_piece_of_it(less: str, more: str):
    told = [*told_weeks_apart(less, more), fact(9, 1, "owes Ole 60 kroner", 30)]
    assert not consolidate(told, [WHO]).junk


@pytest.mark.parametrize("letter", ["B", "F", "Ж"])
def test_a_letter_answers_its_aspect(letter: str):
    told = [
        fact(0, 1, letter, 1, aspect="channel"),
        fact(1, 1, "beeps twice", 1),
        fact(2, 1, "87%", 1, aspect="battery"),
    ]
    assert not consolidate(told, [Subject(1, ("Hive scale",), "device", False)]).junk


@pytest.mark.parametrize("text", ["blue", "hired in May", "blau", "sin gluten", "синий", "青い"])
def test_what_a_few_things_of_a_small_memory_have_in_common_is_no_talk(text: str):
    doors = [Subject(at, (name,), "place", False) for at, name in enumerate(("Kitchen", "Scullery", "Larder"), 1)]
    facts = [fact(2 * door.id + more, door.id, (text, "tiles from Porto")[more]) for door in doors for more in (0, 1)]
    assert not consolidate(facts, doors).junk
    assert "so it stays" in explain_facts(facts, doors, facts[0].id, facts[2].id).answers[-2].held
