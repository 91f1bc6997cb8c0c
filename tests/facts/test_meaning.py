"""What is measured of meanings and of exchanged values, on lines that no list or table names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from graphdream.facts import Fact, Subject, consolidate
from graphdream.facts.answers import Sentences, learn_one_answer, read_openings
from graphdream.facts.evidence import Evidence, gather_evidence
from graphdream.facts.oneanswer import shipped
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.signals import SIGNALS
from graphdream.facts.statements import StatementMaker
from graphdream.facts.wordweights import WordWeights, unknown
from graphdream.language.senses import WIDTH, sense_hash, senses_of, senses_of_characters
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
        ("release 4.1.0 shipped", "release 4.2.0 shipped"),
        ("parcel 4410: 12 kg", "parcel 4587: 31 kg"),
        ("docks on 12 February", "docks on 4 June"),
        ("flew to Mandal on 4 January", "flew to Mandal on 9 March"),
        ("the train was 20 minutes late", "the train was 5 minutes late"),
        ("der Zug hatte 20 Minuten Verspätung", "der Zug hatte 5 Minuten Verspätung"),
        ("board meeting on 12 January", "board meeting on 9 April"),
        ("the vet saw the goat on 3 January", "the vet saw the goat on 8 March"),
        ("Klausur am 10. Januar", "Klausur am 4. März"),
        ("el barco sale el 10 de enero", "el barco sale el 14 de marzo"),
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
        ("the warranty ends on 9 January", "the warranty ends on 4 November"),  # its day had passed
        ("the visa is valid until 9 January", "the visa is valid until 12 May"),
    ],
)
def test_what_has_one_answer_is_replaced_in_a_small_memory_in_several_languages(old: str, new: str) -> None:
    subjects = [SIREN, Subject(2, ("Ulla Vik",), "person", False), Subject(3, ("Piet Aas",), "person", False)]
    besides = ("stands by a salt pan", "has two masts", "smells of cinnamon", "creaks when it rains", "keeps old maps")
    others = [fact(2 + at, 1, text, 20 + 9 * at) for at, text in enumerate(besides)]
    found = consolidate([fact(0, 1, old, 10), fact(1, 1, new, 70), *others], subjects)
    assert [(a, b) for a, b, *_ in found.superseded] == [(0, 1)]


def odds_of(texts: Sequence[str], one_answer: WordWeights) -> NDArray[np.float32]:
    weights = np.array([one_answer.weights_of(text.split()).sum() for text in texts], dtype=np.float32)
    return one_answer.log_odds(senses_of(texts), weights)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        (("current price", "is based in", "the deadline is", "reports to", "lives in"),
         ("has visited", "enjoys", "knows how to", "was seen with", "tasted")),
        (("wohnt in", "die Miete", "ansprechpartner", "liegt in"), ("besuchte", "mag", "hat repariert", "traf")),
        (("vive en", "el alquiler", "la encargada", "su jefe"), ("visitó", "le gusta", "reparó", "conoció a")),
        (("habite à", "le loyer", "employeur"), ("a visité", "aime", "a réparé")),
        (("живёт в", "цена", "начальник"), ("посетил", "любит", "встретил")),
        (("bor i", "hyran är", "chefen är"), ("besökte", "älskar", "träffade")),
        (("risiede a", "sua moglie è", "il fuso orario è"), ("è tornata a", "ha dormito a", "ha incontrato")),
        (("a esposa dele é", "a cidade dela é", "o gestor é"), ("passeou em", "jantou com", "já viu")),
        (("haar man is", "de tijdzone is", "zijn baas"), ("heeft geslapen in", "zag", "is gereisd")),
        (("jej mąż to", "jego szefową jest", "zarabia"), ("spała w", "spotkała się z", "widziała")),
    ],
)  # fmt: skip
def test_what_has_one_answer_is_told_from_what_has_many_by_its_words_alone(
    one: Sequence[str], many: Sequence[str]
) -> None:
    assert np.median(odds_of(one, shipped())) > np.median(odds_of(many, shipped())) + 1.0


def test_a_pair_of_han_characters_that_is_no_word_means_what_both_do() -> None:
    """`住在` (*live in*) is in no table of words."""
    pair, word, kana = senses_of_characters(["住在", "live", "がい"])
    assert not senses_of(["住在"]).any() and not word.any() and not kana.any()
    assert np.array_equal(pair, senses_of(["住", "在"]).sum(axis=0))


def test_what_no_word_is_known_of_is_not_judged() -> None:
    assert np.isnan(odds_of(["qzxvkjw"], shipped())).all()


@given(st.lists(st.floats(-4, 4, width=32), min_size=WIDTH, max_size=WIDTH), st.floats(-4, 4), st.floats(-4, 4))
def test_weights_survive_a_round_trip(weights: list[float], base: float, of_word: float) -> None:
    before = WordWeights(np.array(weights, dtype=np.float32), base, {sense_hash("kettle"): of_word})
    after = WordWeights.from_json(json.loads(json.dumps(before.to_json())))
    assert np.allclose(before.weights, after.weights, atol=1e-4) and abs(before.base - after.base) < 1e-4
    assert abs(after.weights_of(["Kettle"])[0] - of_word) < 1e-3


def test_who_knows_nothing_says_nothing() -> None:
    assert not odds_of(["oslo", "tea"], unknown()).any()


def test_what_is_learned_of_openings_is_known_of_them(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text(
        "# a comment\n[en one]\nperches on\nanchored off\n\n[en many]\nhas gnawed\nspat out\n", encoding="utf-8"
    )
    learned = learn_one_answer(read_openings(path))
    assert odds_of(["perches on", "anchored off"], learned).min() > odds_of(["has gnawed", "spat out"], learned).max()


def test_a_question_with_one_answer_for_each_of_several_things_teaches_nothing() -> None:
    """`the retry limit is 5` changes, and so does `the page size is 40` of the same tool."""
    words = (("moored", "off"), ("knob", "turned"), ("gnawed", "at"))
    taught = Sentences("harbour", words, ("berth", "knob", "gnawed"), frozenset({"berth", "knob"}), frozenset(), True)
    elsewhere = Sentences("harbour", (), (), frozenset(), frozenset({"knob", "gnawed"}), True)
    learned = learn_one_answer([taught, elsewhere])
    assert not learned.weights_of(["knob", "turned"]).any()
    assert learned.weights_of(["moored"]) > 0 > learned.weights_of(["gnawed"])


def test_an_opening_under_no_heading_is_named(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# a comment\nperches on\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 2: stands under no heading"):
        read_openings(path)
