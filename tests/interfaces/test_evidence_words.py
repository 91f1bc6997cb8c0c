"""Two facts are explained in words: every signal has its phrase, and the sentences come out of real judgements."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from graphdream.dream import evidence_words
from graphdream.dream.evidence_words import in_words, phrase_of
from graphdream.dream.explained_facts import FactPairExplanation
from graphdream.facts import changes, emptiness, secondopinion, signals
from graphdream.facts.explain import Answered, FactExplanation
from graphdream.interfaces.cli import main

NAMES = {"a": "the first", "b": "the second"}
OF_PAIRS = sorted({*signals.SIGNALS, *changes.SIGNALS, *secondopinion.SIGNALS})
TABLES = [*((name, False) for name in OF_PAIRS), *((name, True) for name in emptiness.SIGNALS)]


@pytest.mark.parametrize(("name", "alone"), TABLES)
def test_every_signal_of_every_table_says_something_for_much_and_for_little(name: str, alone: bool) -> None:
    phrase = phrase_of(name, alone=alone)
    assert phrase.much != phrase.little
    for told, value in ((phrase.much, phrase.least), (phrase.little, phrase.least - 0.01)):
        words = in_words(name, value, NAMES, alone=alone)
        assert not re.search(r"[{}_,;]", words), "commas and semicolons stand between phrases; no place is left open"
        assert words == told.format(**NAMES) and len(words) <= 120


@pytest.mark.parametrize("name", [name for name in OF_PAIRS if name.endswith("_a") and name[:-1] + "b" in OF_PAIRS])
def test_a_signal_of_either_says_of_the_second_what_it_says_of_the_first(name: str) -> None:
    turned = {"a": NAMES["b"], "b": NAMES["a"]}
    assert in_words(name, -9.0, NAMES) == in_words(f"{name[:-1]}b", -9.0, turned)


def test_no_phrase_is_of_a_signal_that_is_not_measured() -> None:
    known = {re.sub("_[ab]$", "_x", name) for name in OF_PAIRS} | set(OF_PAIRS)
    for table in (evidence_words._PAIR, evidence_words._CHANGE, evidence_words._OWN):
        assert set(table) <= known
    assert set(evidence_words._ALONE) <= set(emptiness.SIGNALS)


@pytest.mark.parametrize(
    ("name", "alone"), [("brightness", False), ("brightness_a", False), ("template_brightness", False), ("n_hue", True)]
)
def test_a_signal_without_a_phrase_is_refused(name: str, alone: bool) -> None:
    with pytest.raises(KeyError):
        phrase_of(name, alone=alone)


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command on one memory; what it printed."""

    def called(*words: str) -> str:
        capsys.readouterr()
        assert main([*words, "--db", str(tmp_path / "memory.db")]) == 0
        return capsys.readouterr().out

    return called


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The ferry leaves from pier 4.", "The ferry now leaves from pier 9."),
        ("Das Becken wird von Odo gereinigt.", "Das Becken wird jetzt von Wenke gereinigt."),
        ("La forge ouvre à 7 heures.", "La forge ouvre maintenant à 9 heures."),
    ],
)
def test_what_speaks_for_a_change_is_told_in_words(call: Callable[..., str], before: str, after: str) -> None:
    call("remember", before, "--category", "place/Quay", "--at", "2026-03-02")
    call("remember", after, "--category", "place/Quay", "--at", "2026-05-04")
    lines = call("explain", "a1", "a2").splitlines()
    assert len(lines) == 3
    said, likely = lines[1], lines[2]
    assert said.startswith("  for: by themselves they look like a change, ") and "; against: " in said
    assert not re.search(r"\d|_", said), "no figure and no name of a signal"
    assert likely.startswith("  did the second replace the first? probability 0.")
    assert likely.endswith("; to every other question the answer is no")
    told = call("explain", "a1", "a2", "--verbose").splitlines()
    assert told[:3] == lines
    assert any(re.fullmatch(r" +best +\d+\.\d{3}  [+]\d+\.\d{3}", line) for line in told[3:])


@pytest.mark.parametrize(
    ("question", "first", "alone"),
    [
        ("does the second say all of the first?", "the first", False),
        ("does the first say all of the second?", "the second", False),
        ("did the second replace the first?", "the first", False),
        ("did the first replace the second?", "the second", False),
        ("does the first say nothing?", "the first", True),
        ("does the second say nothing?", "the second", True),
    ],
)
def test_a_question_tells_which_of_the_two_its_signals_are_of(question: str, first: str, alone: bool) -> None:
    answer = Answered(question, 0.5, 0.9, ())
    assert (answer.names["a"], answer.alone) == (first, alone)
    assert {*answer.names.values()} == {"the first", "the second"}


def _explained(*answers: Answered) -> FactPairExplanation:
    return FactPairExplanation(FactExplanation("tea at noon", "at the", len(answers) > 2, answers), "two facts")


NOTHING = (
    Answered("does the first say nothing?", 0.01, 0.99, (("capital", 1.0, -0.7),)),
    Answered("does the second say nothing?", 0.998, 0.99, (("ends_dangling", 1.0, 2.0), ("size", 1.1, 1.0))),
)


def test_a_fact_that_says_nothing_is_told_of_in_words_also_where_the_two_were_not_compared() -> None:
    expected = (
        "does the second say nothing? yes, probability 0.9980, since the second ends with a word that wants another,"
        " the second has few words"
    )
    assert _explained(*NOTHING).lines()[-1] == f"  {expected}"
    pair = Answered("does the second say all of the first?", 0.2, 0.94, (("ratio", 0.3, -1.0),))
    assert _explained(pair, *NOTHING).lines()[1:] == [
        "  for: nothing; against: they are spelled unlike",
        f"  does the second say all of the first? probability 0.2000, yes from 0.9400; {expected}",
    ]


def test_what_holds_a_change_that_is_likely_enough_is_told() -> None:
    held = Answered(
        "did the second replace the first?", 0.98, 0.95, (("best", 4.0, 3.0),), "both may hold, so it stays"
    )
    assert "; but both may hold, so it stays" in _explained(held, *NOTHING).lines()[2]
