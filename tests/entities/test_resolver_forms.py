"""How names are taken apart."""

from __future__ import annotations

import pytest

from graphdream.entities.forms import name_form, words

SAME_SQUASH = [
    ("Maya Okafor", "MayaOkafor"),
    ("Maya Okafor", "**Maya Okafor's**"),
    ("lang chain", "LangChain"),
    ("session_start_hook", "session-start hook"),
    ("Zoë Brandt", "Zoe Brandt"),
    ("Łukasz", "Lukasz"),
    ("Mаya", "Maya"),  # the second letter of the first is Cyrillic
    ("Ｍａｙａ", "Maya"),
    ("the Foundry", "Foundry"),
    ("src\\app.py", "src/app.py"),
    ("Maya ✨", "Maya"),
]


@pytest.mark.parametrize(("a", "b"), SAME_SQUASH)
def test_surface_noise_does_not_tell_names_apart(a, b):
    assert name_form(a).squash == name_form(b).squash


@pytest.mark.parametrize(
    ("a", "b"), [("GPT-4", "GPT-4o"), ("C++ 17", "C++ 20"), ("Q2 planning", "Q3 planning"), ("Vue", "Vuex")]
)
def test_what_tells_names_apart_is_kept(a, b):
    assert name_form(a).squash != name_form(b).squash


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("Warcraft III", {"3"}),
        ("Henry VIII", {"8"}),
        ("release 1.02", {"1", "2"}),
        ("sprocket2", {"2"}),
        ("mix", set()),
        ("I am", set()),
    ],
)
def test_numerals_are_read_as_numbers(name, numbers):
    assert name_form(name).numbers == numbers


def test_a_path_has_a_base_and_folders():
    form = name_form("src/auth/session.py")
    assert (form.base, form.folder) == ("sessionpy", {"src", "auth"})


def test_an_address_has_a_base():
    assert name_form("maya.okafor@example.org").base == "mayaokafor"


def test_a_slash_joined_mention_has_two_sides():
    assert name_form("Maya Okafor/Jonas").sides == ("mayaokafor", "jonas")
    assert name_form("src/app.py").sides == ()


def test_long_names_with_one_beginning_are_told_apart_by_length():
    assert name_form("x" * 10_000).key != name_form("x" * 9_999).key


def test_words_fold_accents_and_case():
    assert words("Élan VITAL, 2×4") == ("elan", "vital", "2", "4")
