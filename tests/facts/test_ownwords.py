"""What two statements say of their own beside each other, and what a second scorer holds of changes by it."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.facts import Subject, consolidate
from graphdream.facts.calibration import shipped
from graphdream.facts.cuts import Cuts
from graphdream.facts.explain import explain_facts
from graphdream.facts.holds import Hold
from graphdream.facts.learnedwords import PairsOfWords, learn_own_words
from graphdream.facts.ownweights import OwnWeights, unknown_words
from graphdream.facts.ownwords import COLUMNS, columns_of, words_of_its_own
from graphdream.facts.secondopinion import cut_of_second
from graphdream.scoring.curve import Curve
from support.facts_world import reading_of, told_weeks_apart

WHO = Subject(1, ("Ondrea",), "person", False)


def _columns(before: str, after: str) -> dict[str, float]:
    return dict(zip(COLUMNS, columns_of([(reading_of(before), reading_of(after))])[0].tolist(), strict=True))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("the kiln fires at 980 degrees", "the kiln fires at 1040 degrees now", {"swapped": 1, "now_b": 1, "now_a": 0}),
        ("the crypt opens at 7", "on feast days the crypt opens at 9", {"first_b": 2, "led_in_b": 1, "put_in": 1}),
        ("the skiff leaks", "the barge was tarred", {"two_subjects": 1, "opens_alike": -1}),
        ("the skiff leaks", "the skiff was tarred", {"two_subjects": 0, "opens_alike": 1}),
        ("spielt Laute", "spielt auch Harfe", {"adds_b": 1, "adds_a": 0, "swapped": 1}),
    ],
)
def test_what_each_says_of_its_own_is_counted(before: str, after: str, expected: dict[str, float]):
    found = _columns(before, after)
    assert {name: found[name] for name in expected} == expected


def test_a_statement_beside_itself_says_nothing_of_its_own():
    found = _columns("the kiln fires at 980 degrees", "the kiln fires at 980 degrees")
    assert {name for name, count in found.items() if count} == {"opens_alike"}


def test_own_words_are_no_forms_of_words_of_the_other():
    older = reading_of("the wardens close the gate")
    newer = reading_of("the warden has closed the gate since the flood")
    telling, function = words_of_its_own(newer, older)
    assert telling == ("flood",) and "has" in function and "the" not in function


def _pairs(source: str, words: tuple[str, ...], replaced: float) -> PairsOfWords:
    own = [((), ()), (words, ())]
    return PairsOfWords(source, np.zeros(40), np.full(40, replaced), [(own[0], own[1])] * 40, 1.0)


def test_what_many_sources_say_beside_changes_is_learned_and_what_one_says_is_not():
    """Words of no list: what tells is in which pairs they stand."""
    told = [_pairs(f"source {at}", ("zorv", f"matter{at}"), 1.0) for at in range(4)]
    beside = [_pairs(f"source {at}", ("blick",), 0.0) for at in range(4)]
    learned = learn_own_words([*told, *beside])
    words = ("zorv",), ("blick",), ("matter1",), ()
    worth = learned.columns_of_words([(((), ()), (one, ())) for one in words])[:, 1]
    assert worth[0] > 0.2 > -0.2 > worth[1] and worth[2] == worth[3] == 0


def test_weights_survive_a_round_trip_and_hold_no_word():
    kept = shipped().second.own_words
    assert OwnWeights.from_json(json.loads(json.dumps(kept.to_json()))).to_json() == kept.to_json()
    assert all(isinstance(word, int) for side in kept.to_json().values() for word in side["words"])
    assert not unknown_words().columns_of([(reading_of("leaks"), reading_of("leaks now"))]).any()


@pytest.mark.parametrize(
    ("changes", "holds"),
    [("now", "when"), ("jetzt", "wenn"), ("ya", "cuando"), ("maintenant", "pendant"), ("agora", "quando")],
)
def test_words_of_change_weigh_more_than_words_that_narrow(changes: str, holds: str):
    pairs = [(((), ()), ((changes,), ())), (((), ()), ((), (holds,)))]
    tells, narrows = shipped().second.own_words.columns_of_words(pairs)[:, 1]
    assert tells > 0 > narrows


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.sampled_from([0.9, 0.95, 0.97, 0.985])), min_size=1))
def test_the_second_opinion_alone_is_never_cut_sooner_than_the_first(pairs: list[tuple[float, float, float]]):
    first, second, cut = (np.array(column) for column in zip(*pairs, strict=True))
    found = cut_of_second(first, second, cut, Cuts())
    assert (found >= cut).all() and (found[first >= cut] == cut[first >= cut]).all()
    alone = (first < cut) & (second > first) & (cut >= Cuts().told)
    assert (found[alone] >= Cuts().again).all()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The lodge porter is Ansel Quiroga", "Since the spring thaw Berthe Okonjo is the lodge porter"),
        ("Kiln temperature: 980 degrees", "The kiln is run at 1040 degrees these days"),
        ("Le four est à 980 degrés", "Le four est désormais à 1040 degrés"),
        ("Der Brennofen läuft bei 980 Grad", "Der Brennofen läuft inzwischen bei 1040 Grad"),
    ],
)
def test_explain_says_what_a_pass_does(before: str, after: str):
    """Whoever of the two scorers is surer: what is explained is what is done."""
    facts = told_weeks_apart(before, after)
    ended = (0, 1) in [one[:2] for one in consolidate(facts, [WHO]).superseded]
    asked = {answer.question: answer for answer in explain_facts(facts, [WHO], 0, 1).answers}
    answer = asked["did the second replace the first?"]
    assert ended == (answer.probability >= answer.cut and not answer.held)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Builds run on node 4", "Only the nightly builds run on node 9"),
        ("Die Werkstatt öffnet um 8:30", "An Markttagen öffnet die Werkstatt um 6:15"),
        ("La péniche porte 60 tonnes", "Avec les eaux basses, la péniche porte 35 tonnes"),
    ],
)
def test_what_the_second_opinion_denies_ends_nothing(before: str, after: str):
    """However sure the first one is: what is so at times has the words of a change. By nothing else is it held here."""
    facts = told_weeks_apart(before, after)
    found = consolidate(facts, [WHO])
    assert not found.superseded
    assert [(one.question, one.first, one.second) for one in found.open] == [("replaces", 0, 1)]
    told = explain_facts(facts, [WHO], 0, 1).as_text()
    assert "did the second replace the first? yes" in told and Hold.DENIED.value in told


def test_what_the_second_opinion_cannot_be_asked_about_ends_nothing_either():
    facts = told_weeks_apart("Kiln temperature: 980 degrees", "The kiln is run at 1040 degrees these days")
    known = shipped()
    assert consolidate(facts, [WHO], calibration=known).superseded
    silent = replace(known.second, changes=replace(known.second.changes, calibrated=Curve((0.0,), (0.0,))))
    assert not consolidate(facts, [WHO], calibration=replace(known, second=silent)).superseded
