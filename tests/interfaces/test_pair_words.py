"""Two entities are explained in words: every signal has its phrase, and the sentences come out of real judgements."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from graphdream.dream.explained import PairExplanation
from graphdream.dream.pair_words import PHRASES, in_words
from graphdream.entities.evidence import EVIDENCE, EVIDENCE_DIRECTION
from graphdream.entities.explain import Explanation, explain
from graphdream.entities.records import Record
from graphdream.entities.signals import DIRECTION
from graphdream.entities.telling import IDENTIFIED, KIND_SIGNALS, REST
from graphdream.interfaces.cli import main

OF_EVIDENCE = {name for name, side in zip(EVIDENCE, EVIDENCE_DIRECTION, strict=True) if side}
TOLD = {name for name, side in DIRECTION.items() if side} | OF_EVIDENCE | {IDENTIFIED, REST, *KIND_SIGNALS}


def test_every_signal_that_speaks_one_way_has_a_phrase_and_nothing_else_has() -> None:
    assert set(PHRASES) == TOLD


@pytest.mark.parametrize("name", sorted(TOLD))
def test_a_signal_says_something_for_much_and_for_little(name: str) -> None:
    phrase = PHRASES[name]
    told = in_words(name, phrase.least), in_words(name, phrase.least - 0.01)
    assert told == (phrase.much, phrase.little) and told[0] != told[1]
    for words in told:
        assert not re.search(r"[{}_,;]", words) and len(words) <= 80


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command on one memory; what it printed."""

    def called(*words: str) -> str:
        capsys.readouterr()
        assert main([*words, "--db", str(tmp_path / "m.db")]) == 0
        return capsys.readouterr().out

    for name, facts in (
        ("Ottilie Brandauer", ("repairs church organs in Passau", "phone 0851 99 3310", "drives an old Saab")),
        ("Ottilie", ("repairs church organs in Passau", "phone 0851 99 3310")),
        ("Ottokar Brandauer", ("sells bicycles in Graz", "born in 1971")),
    ):
        for fact in facts:
            called("remember", f"{fact}.", "--wait", "--category", f"person/{name}/general")
    return called


def test_who_looks_at_two_names_reads_what_was_seen(call: Callable[..., str]) -> None:
    head, evidence, likely = call("explain", "Ottilie Brandauer", "Ottilie").splitlines()
    assert head.startswith("'Ottilie Brandauer' and 'Ottilie': ")
    assert "said of" in evidence.partition("; against:")[0] and not re.search(r"\d|_", evidence)
    assert re.fullmatch(r"  probability 0\.\d{4}, merged from 0\.\d{4}", likely)
    assert "list" not in head


def test_two_with_one_surname_are_told_apart_in_words(call: Callable[..., str]) -> None:
    told = call("explain", "Ottilie Brandauer", "Ottokar Brandauer").splitlines()
    assert ": distinct, " in told[0] or ": never compared, " in told[0]
    assert all(not re.search(r"[a-z]+ \d+\.\d\d[,;]", line) for line in told[1:2])


def test_the_table_has_every_signal_by_its_name(call: Callable[..., str]) -> None:
    lines = call("explain", "Ottilie Brandauer", "Ottilie", "--verbose").splitlines()
    assert {"covered", "bag", "call_rival"} <= {line.split()[0] for line in lines[3:]}


def _records(*facts: str) -> list[Record]:
    return [
        Record("1", "Ottilie Brandauer", "person", tuple(facts)),
        Record("2", "Ottilie", "person", tuple(facts[:2])),
        Record("3", "Jory Penrose", "person", ("keeps ferrets",)),
    ]


def test_what_is_said_of_both_moves_the_pair_and_the_most_telling_comes_first() -> None:
    found = explain(_records("repairs church organs in Passau", "tunes a spinet in Linz"), "1", "2", sort="memory")
    strangers = _records("repairs church organs in Passau", "tunes a spinet in Linz")
    strangers[1] = Record("2", "Ottilie", "person", ("reads maps", "hates rain"))
    apart = explain(strangers, "1", "2", sort="memory")
    moved = [abs(one[2]) for one in found.telling]
    assert moved == sorted(moved, reverse=True) and len(moved) > 1
    said = {name: nats for name, _, nats in found.telling}
    assert said.get("shared_part", 0.0) + said.get("shared", 0.0) > 0
    assert not {"shared", "shared_part", "specific"} & {name for name, _, nats in apart.telling if nats > 0}
    assert found.probability is not None and apart.probability is not None and found.probability > apart.probability


def test_an_identifier_of_both_is_told_first() -> None:
    records = [
        Record("1", "Ottilie Brandauer", "person", ("mail: o.brandauer@orgelbau.example",)),
        Record("2", "O. Brandauer", "person", ("writes from o.brandauer@orgelbau.example",)),
        Record("3", "Jory Penrose", "person", ("keeps ferrets",)),
    ]
    found = explain(records, "1", "2", sort="memory")
    assert found.telling[0][0] == IDENTIFIED
    assert "for: they share an identifier that few have" in PairExplanation(found).lines()[1]


def test_what_is_left_open_is_less_likely_than_what_would_be_merged() -> None:
    records = [
        Record("1", "Ottilie Brandauer", "person", ("mail: ottilie@orgelbau.example", "tunes a spinet in Linz")),
        Record("2", "Ottilie Brandauer", "person", ("mail: o.b@anderswo.example", "tunes a spinet in Linz")),
        Record("3", "Jory Penrose", "person", ("keeps ferrets",)),
    ]
    found = explain(records, "1", "2", sort="memory", max_false_merge_rate=0.001)
    assert found.verdict == "undecided"
    assert found.probability is not None and found.probability < found.threshold <= 1.0
    assert (IDENTIFIED, -1.0) in {(name, value) for name, value, _ in found.telling}


def test_what_was_never_compared_and_what_weighs_nothing_is_not_put_in_words() -> None:
    never = PairExplanation(Explanation("A", "B", "never compared", "nothing", None, 0.9, ()))
    assert never.lines() == [
        "'A' and 'B': never compared, nothing",
        "  no evidence was weighed: nothing brought them together",
    ]
    faint = Explanation("A", "B", "distinct", "not likely enough", 0.1, 0.9, (), (("core", 1.0, 0.05),))
    assert PairExplanation(faint).lines()[1] == "  for: nothing; against: nothing"
    once = Explanation(
        "A", "B", "distinct", "x", 0.1, 0.9, (), (("rank_far", 0.0, 2.0), ("mutual", 1.0, 1.0), ("slash", 1.0, -1.0))
    )
    assert PairExplanation(once).lines()[1] == (
        "  for: each is the nearest to the other; against: a slash stands in their names"
    )
