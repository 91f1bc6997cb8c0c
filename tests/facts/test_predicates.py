"""Two sentences that begin with what they are about, and say something else of it: neither ends the other."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.explain import explain_facts
from support.facts_world import fact, told_weeks_apart

NOTES = Subject(1, ("Notes",), "concept", False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Ilka has a cat", "Ilka moved to Husum"),
        ("Ilka prefers tabs", "Ilka is 40 now"),
        ("Ilka works at Tern Corp", "Ilka moved to Husum"),
        ("The barn has a loft", "The barn moved to Ghent"),
        ("The barn closes at 6", "The barn moved to Ghent"),
        ("The printer is called heron", "The printer was moved to rack 4"),
        ("Ilka spielt Cello", "Ilka wohnt jetzt in Husum"),
        ("El granero tiene un altillo", "El granero se ha mudado ahora a Lugo"),
    ],
)
def test_neither_ends_the_other(before: str, after: str):
    assert not consolidate(told_weeks_apart(before, after), [NOTES]).superseded


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The desk is in Ghent", "The desk moved to Lille"),
        ("The barn is closed until 4 May", "The barn is closed until 9 June now"),
        ("The gym costs 30 euros a month", "The gym raised its fee to 38 euros a month"),
        ("Docker image: ghcr.io/barn/loft:1.4", "Docker image is ghcr.io/barn/loft:1.6 now"),
        ("The alarm code is 7719", "The alarm code was changed to 2280"),
        ("Models live in lib/models", "Models moved to app/models"),
        ("Ledgers are kept in Pantry", "Ledgers moved to Cellarium"),
    ],
)
def test_the_same_question_is_answered_anew(before: str, after: str):
    assert [one[:2] for one in consolidate(told_weeks_apart(before, after), [NOTES]).superseded] == [(0, 1)]


def test_explain_says_what_holds_it():
    told = explain_facts(told_weeks_apart("The barn has a loft", "The barn moved to Ghent"), [NOTES], 0, 1).as_text()
    assert "it says something else of what both begin with, so it stays" in told


def test_what_has_ended_something_is_not_asked_about_with_what_it_shares_nothing_with():
    texts = ("The queue runs on port 5433", "Node 20, pnpm 9", "Auth via Keycloak")
    facts = [fact(at, 1, text, day=2) for at, text in enumerate(texts)]
    facts.append(fact(3, 1, "The queue now listens on port 5440", day=42, session="ses_later"))
    found = consolidate(facts, [NOTES])
    assert [one[:2] for one in found.superseded] == [(0, 3)]
    assert not [one for one in found.open if one.question == "replaces" and one.related]
