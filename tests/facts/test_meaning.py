"""What is measured of meanings and of exchanged values, on lines that no list or table names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.facts import Fact, Subject, consolidate
from graphdream.facts.evidence import Evidence, gather_evidence
from graphdream.facts.oneanswer import OneAnswer, shipped, unknown
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.signals import SIGNALS
from graphdream.facts.statements import StatementMaker
from graphdream.language.senses import WIDTH, senses_of
from support.facts_world import fact

SIREN = Subject(1, ("Siren",), "project", False)


def _evidence(facts: Sequence[Fact], subjects: Sequence[Subject] = (SIREN,)) -> Evidence:
    return gather_evidence(facts, (), subjects, StatementMaker(facts, subjects, ReadingMemory()))


def _signal(evidence: Evidence, name: str, older: str, newer: str) -> float:
    """A signal of two statements, the older first, by the beginning of their texts."""
    first, second, table = evidence.in_time()
    for a, b, row in zip(first.tolist(), second.tolist(), table, strict=True):
        texts = [evidence.said[at].facts[0].content for at in (a, b)]
        if texts[0].startswith(older) and texts[1].startswith(newer):
            return float(row[SIGNALS.index(name)])
    raise AssertionError(f"{older!r} and {newer!r} were not compared")


def test_two_sentences_without_a_common_word_are_compared_if_they_mean_something_alike() -> None:
    facts = [
        fact(0, 1, "is headed by Ulla"),
        fact(1, 1, "run now under Piet's direction", 40),
        fact(2, 1, "smells of tar", 50),
    ]
    evidence = _evidence(facts)
    near = _signal(evidence, "sense", "is headed", "run now")
    assert near > 0


def test_a_file_is_not_searched_for_lines_that_mean_something_alike() -> None:
    lines = [fact(at, 1, text, source="file:n.md") for at, text in enumerate(("is headed by Ulla", "run under Piet"))]
    assert not len(_evidence(lines).pairs)


def test_days_that_had_passed_when_the_next_was_told_are_told_from_plans() -> None:
    facts = [
        fact(0, 1, "docks on 12 February", 15),  # 15 January
        fact(1, 1, "docks on 20 February", 30),  # told before the first day: a plan that moved
        fact(2, 1, "docks on 4 June", 130),  # told long after both: another call
    ]
    evidence = _evidence(facts)
    assert _signal(evidence, "due_a", "docks on 12", "docks on 20") > 0
    assert _signal(evidence, "due_a", "docks on 12", "docks on 4") < 0
    assert _signal(evidence, "due_between", "docks on 12", "docks on 20") == pytest.approx(np.log1p(8), abs=1e-4)


def test_entities_of_one_type_meet_and_those_of_two_do_not() -> None:
    subjects = [
        SIREN, Subject(2, ("Ulla Vik",), "person", False), Subject(3, ("Piet Aas",), "person", False),
        Subject(4, ("Tarn Works",), "organization", False),
    ]  # fmt: skip
    facts = [
        fact(0, 1, "looked after by Ulla Vik"),
        fact(1, 1, "looked after by Piet Aas", 40),
        fact(2, 1, "looked after by Tarn Works", 60),
    ]
    evidence = _evidence(facts, subjects)
    assert _signal(evidence, "type_meets", "looked after by Ulla", "looked after by Piet") == 1
    assert _signal(evidence, "type_meets", "looked after by Ulla", "looked after by Tarn") == 0


def test_records_differ_in_two_values() -> None:
    facts = [fact(0, 1, "parcel 4410: 12 kg"), fact(1, 1, "parcel 4587: 31 kg", 40)]
    assert _signal(_evidence(facts), "values_least", "parcel 4410", "parcel 4587") == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("crate 118 sent to Mandal", "crate 131 sent to Mandal"),
        ("mended leak #31", "mended leak #44"),
        ("parcel 4410: 12 kg", "parcel 4587: 31 kg"),
        ("docks on 12 February", "docks on 4 June"),
    ],
)
def test_records_do_not_replace_each_other_in_a_small_memory(old: str, new: str) -> None:
    assert not consolidate([fact(0, 1, old, 15), fact(1, 1, new, 130)], [SIREN]).superseded


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the loom is priced at 410 crowns", "the loom is priced at 388 crowns"),
        ("Miete: 700 Euro", "Miete: 760 Euro"),
        ("el alquiler es de 620 euros", "el alquiler es de 655 euros"),
        ("foreman of the north kiln is Ulla Vik", "foreman of the north kiln is Piet Aas"),
    ],
)
def test_what_has_one_answer_is_replaced_in_a_small_memory_in_several_languages(old: str, new: str) -> None:
    subjects = [SIREN, Subject(2, ("Ulla Vik",), "person", False), Subject(3, ("Piet Aas",), "person", False)]
    besides = ("stands by a salt pan", "has two masts", "smells of cinnamon", "creaks when it rains", "keeps old maps")
    others = [fact(2 + at, 1, text, 20 + 9 * at) for at, text in enumerate(besides)]
    found = consolidate([fact(0, 1, old, 10), fact(1, 1, new, 70), *others], subjects)
    assert [(a, b) for a, b, *_ in found.superseded] == [(0, 1)]


def test_what_has_one_answer_is_told_from_what_has_many_by_its_words_alone() -> None:
    one = ["current price", "is based in", "the deadline is", "reports to", "lives in"]
    many = ["has visited", "enjoys", "knows how to", "was seen with", "tasted"]
    odds = shipped().log_odds(senses_of([*one, *many]))
    assert np.median(odds[: len(one)]) > np.median(odds[len(one) :]) + 0.3


def test_what_no_word_is_known_of_is_not_judged() -> None:
    assert np.isnan(shipped().log_odds(senses_of(["qzxvkjw"]))).all()


@given(st.lists(st.floats(-4, 4, width=32), min_size=WIDTH, max_size=WIDTH), st.floats(-4, 4))
def test_weights_survive_a_round_trip(weights: list[float], base: float) -> None:
    before = OneAnswer(np.array(weights, dtype=np.float32), base)
    after = OneAnswer.from_json(before.to_json())
    assert np.allclose(before.weights, after.weights, atol=1e-4) and abs(before.base - after.base) < 1e-4


def test_who_knows_nothing_says_nothing() -> None:
    assert not unknown().log_odds(senses_of(["oslo", "tea"])).any()
