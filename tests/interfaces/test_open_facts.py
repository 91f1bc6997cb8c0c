"""Two facts are explained in three lines; what a dream leaves open of facts is asked, and an answer ends it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from graphdream.interfaces.cli import main

Call = Callable[..., str]


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command on one memory; what it printed."""

    def called(*words: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main([*words, "--db", str(tmp_path / "memory.db")]) == code
        told = capsys.readouterr()
        return told.out if code == 0 else told.err

    return called


@pytest.fixture
def shifts(call: Call) -> Call:
    """What somebody told of a café in the course of two months."""
    call("remember", "Imke macht immer die Frühschicht", "--category", "person/Imke/arbeit", "--at", "2026-03-02")
    call("remember", "Imke macht jetzt die Spätschicht", "--category", "person/Imke/arbeit", "--at", "2026-05-04")
    call("remember", "mag keinen Koriander", "--category", "person/Imke/essen", "--at", "2026-05-04")
    return call


def open_facts(call: Call) -> list[tuple[str, str, str]]:
    found = json.loads(call("dream", "--compact", "--json"))["figures"].get("open_facts", [])
    assert all(0 < pair["probability"] < 1 for pair in found)
    return [(pair["question"], pair["first"], pair["second"]) for pair in found]


def test_what_may_have_been_replaced_is_asked_with_its_texts_and_the_commands_that_answer(shifts: Call) -> None:
    assert open_facts(shifts) == [("replaces", "a1", "a2")]
    told = shifts("dream", "--compact").splitlines()
    at = told.index("  the second may have replaced the first, and nobody can be sure:")
    assert told[at + 1].startswith("    a1 Imke macht immer die Frühschicht | a2 Imke macht jetzt die Spätschicht (")
    assert told[at + 2] == "    answer: graphdream replace a1 a2, or graphdream distinct a1 a2"
    assert told[at + 3] == "    where a part of it still holds: graphdream replace a1 'what holds now'"
    assert max(map(len, told)) <= 100


@pytest.mark.parametrize("answer", [("replace", "a1", "a2"), ("distinct", "a1", "a2")], ids=lambda words: words[0])
def test_an_answer_ends_the_question_and_taking_it_back_opens_it(shifts: Call, answer: tuple[str, ...]) -> None:
    answered = json.loads(shifts(*answer, "--json"))["pass"]
    assert open_facts(shifts) == []
    shifts("undo", str(answered))
    assert open_facts(shifts) == [("replaces", "a1", "a2")]


def test_what_was_replaced_by_hand_is_found_only_in_history(shifts: Call) -> None:
    shifts("replace", "a1", "hat seit Mai frei")
    assert "Frühschicht" not in shifts("entity", "Imke")
    assert "Frühschicht" in shifts("entity", "Imke", "--history")
    assert "hat seit Mai frei" in shifts("entity", "Imke")


def test_of_two_facts_that_both_hold_no_pass_makes_one(call: Call, tmp_path: Path) -> None:
    notes = "# Ostertor\n\n## Été\n\n- Ouvert le dimanche de huit heures à midi\n\n## Hiver\n\n- Ouvert le dimanche de huit heures à midi\n"
    (tmp_path / "café.md").write_text(notes, encoding="utf-8")
    call("import", str(tmp_path / "café.md"))
    call("distinct", "a1", "a2")
    call("dream", "--compact")
    assert call("entity", "Ostertor").count("Ouvert le dimanche") == 2
    assert "both hold" in call("explain", "a1", "a2")
    call("undo", "2")
    call("dream", "--compact")
    assert call("entity", "Ostertor").count("Ouvert le dimanche") == 1
    told = call("explain", "a1", "a2").splitlines()
    assert "one fact" in told[0] and "went into" in told[2], "it is judged as it was before it was absorbed"


def test_same_makes_one_fact_of_two_and_says_what_would_be_lost(shifts: Call) -> None:
    shifts("remember", "Imke isst keinen Koriander", "--category", "person/Imke/essen")
    assert "absorbed" in shifts("same", "a4", "a3")
    told = shifts("same", "a1", "a2")
    assert "loses" in told and "graphdream replace a2 a1" in told and "nothing changed" in told


def test_two_facts_are_explained_in_three_lines_and_by_a_table(shifts: Call) -> None:
    told = shifts("explain", "a1", "a2").splitlines()
    assert len(told) == 3
    assert told[0].endswith("undecided, one may have replaced the other")
    assert told[1].startswith("  for: ") and "; against: " in told[1]
    assert told[2].startswith("  did the second replace the first? probability 0.")
    assert len(shifts("explain", "a1", "a2", "--verbose").splitlines()) > 20
    read = json.loads(shifts("explain", "a1", "a2", "--json"))
    assert read["verdict"] == "undecided, one may have replaced the other" and read["answers"]
    assert shifts("explain", "a1", "a3").startswith(
        "'Imke macht immer die Frühschicht' and 'mag keinen Koriander': two facts"
    )
    shifts("remember", "Zqxv wrrk", "--category", "person/Imke/essen")
    assert "no evidence was weighed" in shifts("explain", "a1", "a4")


def test_a_rule_is_marked_by_hand_is_in_every_prompt_and_no_pass_replaces_it(shifts: Call) -> None:
    assert "a1 is now a constraint" in shifts("constraint", "a1")
    assert shifts("context", "--session", "s", "--message", "こんにちは").startswith("Constraints")
    assert "is a constraint already" in shifts("constraint", "a1")
    shifts("dream", "--compact")
    assert "Frühschicht" in shifts("entity", "Imke")
    shifts("constraint", "a1", "--off")
    assert "Constraints" not in shifts("context", "--session", "s", "--message", "こんにちは")
    assert "person" in shifts("constraint", "a1", "--by", "agent", code=4)


def test_what_cannot_be_explained_says_why(shifts: Call) -> None:
    assert "no fact a99" in shifts("explain", "a1", "a99", code=6)
    assert "are one fact" in shifts("explain", "a1", "a1", code=2)
    assert "a fact and an entity" in shifts("explain", "a1", "e1", code=2)
    assert "a fact and an entity" in shifts("same", "e1", "a1", code=2)
    shifts("replace", "a1", "macht Pause")
    assert "not there yet when a1 was replaced by a4" in shifts("explain", "a1", "a4", code=6)


def test_what_a_session_told_and_what_that_replaced_in_one_pass_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(tmp_path / "m.db")]
    for month, told in enumerate(("Wanda Rusk lives in Nakuru.", "Wanda Rusk moved from Nakuru to Kisumu."), 1):
        session = ["--session", f"s{month}", "--started-at", f"2026-0{month}-10T09:00:00Z", "--summary", told]
        assert main(["record", *session, *db]) == 0
        assert main(["dream", *db]) == 0
    capsys.readouterr()
    assert main(["explain", "a1", "a2", *db]) == 0
    told = capsys.readouterr().out
    assert "the second replaced the first" in told and "judged before pass 2, in which a1 was replaced by a2" in told
