"""Words as they are compared: accents that people leave out are no difference, marks that make another letter are."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.words import FUNCTION_WORDS, NEGATIONS
from graphdream.language.classes import closed_class
from graphdream.language.folding import fold
from graphdream.mutations.specifics import tokens
from support.facts_world import fact


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Łukasz", "lukasz"),
        ("Größe", "grosse"),
        ("ÉTÉ", "ete"),
        ("ёлка", "елка"),
        ("ﬁne", "fine"),
        ("שָׁלוֹם", "שלום"),
        ("مُحَمَّد", "محمد"),
    ],
)
def test_accents_and_points_that_people_leave_out_are_no_difference(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("バス", "パス"), ("かき", "かぎ"), ("ใกล", "ใกล้"), ("कल", "कल्")])
def test_a_mark_that_makes_another_letter_is_a_difference(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.parametrize("text", ["서울", "が", "नदी", "ไทย"])
def test_scripts_without_accents_stay_as_they_are(text: str) -> None:
    assert fold(text) == text


def test_closed_classes_are_found_in_the_tokens_of_a_text() -> None:
    found = [token.text for token in tokens("für über está não à")]
    assert set(found) <= NEGATIONS | FUNCTION_WORDS


def test_two_facts_that_differ_in_a_letter_of_their_script_are_two() -> None:
    someone = Subject(1, ("佐藤",), "person", False)
    found = consolidate([fact(0, 1, "かぎをなくした", 1), fact(1, 1, "かきをなくした", 1)], [someone])
    assert not found.duplicates and not found.superseded


def test_a_closed_class_can_be_asked_of_some_languages() -> None:
    assert {"jetzt", "maintenant"} <= closed_class("now", of=("de", "fr"))
    assert "now" not in closed_class("now", of=("de", "fr"))
    assert "now" not in closed_class("now", but="en")
    with pytest.raises(KeyError):
        closed_class("changes", of=("ja",))
