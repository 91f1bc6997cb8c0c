"""How far a group stands off from all others, which pairs are doubted, and what both are worth inside a budget."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.entities import Record
from graphdream.entities.blocking import Candidates
from graphdream.entities.calibration import retell, shipped
from graphdream.entities.examples import Example
from graphdream.entities.guards import GUARDED
from graphdream.entities.isolation import COMPLETE, HIGHEST, STEP, find_doubted, measure_isolation
from graphdream.entities.labelled import Labelled
from graphdream.entities.scorer import compare
from graphdream.entities.train import isolation_curve
from graphdream.entities.witnesses import hear_witnesses

GROUP = list(itertools.combinations(range(4), 2))
"""All pairs of the records 0 to 3."""


def isolation_of(scored, n=8):
    """Isolation by pair, from scores above the cut by pair."""
    left, right = np.array(list(scored), dtype=np.int64).T
    told = measure_isolation(n, left, right, np.array(list(scored.values()), dtype=np.float64))
    return dict(zip(scored, told.tolist(), strict=True))


def test_a_complete_group_stands_off_as_far_as_its_pairs_lie_above_the_cut():
    assert isolation_of(dict.fromkeys(GROUP, 2.2)) == dict.fromkeys(GROUP, 2.0)


def test_what_leads_out_of_a_group_brings_it_nearer():
    near = isolation_of({**dict.fromkeys(GROUP, 2.2), (3, 4): 1.2})
    assert [near[pair] for pair in GROUP] == [0.5] * len(GROUP)
    assert near[3, 4] == 0.0
    below = isolation_of({**dict.fromkeys(GROUP, 2.2), (3, 4): -0.1})
    assert [below[pair] for pair in GROUP] == [2.0] * len(GROUP)


def test_a_group_of_which_much_was_not_found_alike_does_not_stand_off():
    chain = {(0, 1): 3.2, (1, 2): 3.2, (2, 3): 3.2}
    assert set(isolation_of(chain).values()) == {0.0}
    assert len(chain) / len(GROUP) < COMPLETE


def test_a_group_within_a_larger_one_is_found_too():
    scored = {**dict.fromkeys(GROUP, 4.2), **dict.fromkeys([(i, j) for i in range(4) for j in range(4, 8)], 0.2)}
    assert isolation_of(scored)[0, 1] == 3.5


SCORES = st.lists(st.floats(-3, 9), min_size=len(GROUP), max_size=len(GROUP))


@given(SCORES, st.permutations(range(4)))
def test_names_of_the_records_and_order_of_the_pairs_change_nothing(scores, renamed):
    scored = dict(zip(GROUP, scores, strict=True))
    other = isolation_of({tuple(sorted((renamed[a], renamed[b]))): scored[a, b] for a, b in reversed(GROUP)})
    for (a, b), told in isolation_of(scored).items():
        assert other[tuple(sorted((renamed[a], renamed[b])))] == told


@given(SCORES, st.floats(0, 3))
def test_isolation_is_a_number_of_steps_and_a_rival_only_takes_from_it(scores, rival):
    scored = dict(zip(GROUP, scores, strict=True))
    alone, rivalled = isolation_of(scored), isolation_of({**scored, (0, 5): rival, (5, 6): rival})
    for pair, told in alone.items():
        assert 0.0 <= rivalled[pair] <= told <= max(0.0, *scores)
        assert told % STEP == 0.0


def test_no_pairs_stand_off_from_nothing():
    nothing = np.zeros(0, dtype=np.int64)
    assert len(measure_isolation(3, nothing, nothing, np.zeros(0))) == 0


TOWNS = "Arosa Bergamo Cadiz Delft Evora Fulda Ghent Hobart Izmir Jena Kiruna Lodz Malaga Namur Odense Porto".split()
TRADES = "weaving glazing tanning minting".split()


def doubted(first, second, others):
    """Whether the pair of the two records among others is doubted."""
    compared = compare([first, second, *others])
    at = {id_: i for i, id_ in enumerate(compared.corpus.ids)}
    rows = zip(compared.candidates.left, compared.candidates.right, find_doubted(compared), strict=True)
    return next(bool(doubt) for a, b, doubt in rows if {a, b} == {at[first.id], at[second.id]})


def shops(twins=True):
    """Shops whose namesakes repeat one another's facts; each stands there twice."""
    for i, (town, trade) in enumerate(itertools.product(TOWNS, TRADES)):
        told = (f"founder: {town} guild for {trade}", f"mark: {town[::-1]} {trade[::-1]}")
        yield Record(f"y{i}", f"{town} {trade} house", "", told)
        if twins:
            yield Record(f"z{i}", f"{town} {trade.title()}-House", "", told)


QUARRY = "founder: Ottoline Vane, Barnaby Quill, Silvester Crane"


def test_where_facts_speak_their_silence_is_a_doubt():
    silent = Record("a", "Harrowgate slate quarry", "", (QUARRY,)), Record("b", "Harrowgate Slate-Quarry", "", ("?",))
    other = Record("b", "Harrowgate Slate-Quarry", "", ("founder: nobody that anyone remembers",))
    assert doubted(silent[0], other, list(shops()))
    assert not doubted(silent[0], Record("b", "Harrowgate Slate-Quarry", "", (QUARRY,)), list(shops()))
    assert not doubted(silent[0], other, list(shops(twins=False)))


def test_a_name_written_twice_of_which_different_things_are_said_is_a_doubt():
    one, two = (
        Record(id_, "Harrowgate slate quarry", "", (fact,)) for id_, fact in (("a", QUARRY), ("b", "owner: the crown"))
    )
    assert doubted(one, two, list(shops(twins=False)))
    assert not doubted(one, Record("b", "Harrowgate Slate Quarry", "", two.attributes), list(shops(twins=False)))
    bare = [Record(r.id, r.name) for r in shops(twins=False)]
    assert not doubted(Record("a", one.name), Record("b", two.name), bare)


def test_a_contradiction_is_a_doubt_and_a_shared_identifier_settles_it():
    def rated(id_, name, power):
        return Record(id_, name, "", (f"power: {power}",))

    forges = [rated(f"p{i}", f"{town} forge", 40 + i) for i, town in enumerate(TOWNS)]
    kilns = [rated(f"m{i}", f"{town} kiln KX{1000 + 37 * i}", 70 + i) for i, town in enumerate(TOWNS)]
    named = rated("a", "Harrowgate kiln", 90), rated("b", "Harrowgate Kiln", 95)
    sold = rated("a", "Harrowgate kiln KX7777", 90), rated("b", "kiln Harrowgate KX7777", 95)
    assert doubted(*named, [*kilns, *forges[:4]])
    assert doubted(*sold, [*kilns[:4], *forges]), "few of these things bear an identifier"
    assert not doubted(*sold, [*kilns, *forges[:4]]), "most of these do"


@pytest.mark.parametrize(("bearers", "expected"), [(3, 0), (9, -1)])
def test_a_name_with_far_more_bearers_than_usual_is_no_witness(bearers, expected):
    column = [Record(f"c{i}", "Notes from the workshop", "", (QUARRY,)) for i in range(bearers)]
    compared = compare([*column, *shops()])
    heard = hear_witnesses(compared.corpus, compared.pairs)
    inside = [compared.corpus.ids[i].startswith("c") for i in compared.candidates.left]
    assert set(heard.kind[np.array(inside)].tolist()) == {expected}


@pytest.mark.parametrize(("bearers", "agree", "apart"), [(9, False, True), (3, False, False), (9, True, False)])
def test_a_name_with_far_more_bearers_than_usual_makes_no_two_records_one(bearers, agree, apart):
    """The records of a column are held apart if it is long and they say different things."""
    told = [QUARRY] * bearers if agree else [f"founder: {town} guild, {town[::-1]} bros" for town in TOWNS[:bearers]]
    column = [Record(f"c{i}", "Notes from the workshop", "", (fact,)) for i, fact in enumerate(told)]
    compared = compare([*column, *shops()])
    scores = retell(compared, np.full(len(compared.pairs.table), 9.0), 0.0)
    inside = [compared.corpus.ids[i].startswith("c") for i in compared.candidates.left]
    assert (scores[np.array(inside)] <= GUARDED).all() == apart


def family(name, wrong, pairs):
    """A labelled set of so many pairs that stand off by 1.5, so many of them wrong."""
    same = np.arange(pairs) >= wrong
    none = np.zeros(0, dtype=np.int64)
    labelled = Labelled(name, name, (), ())
    compared = compare(())
    assert isinstance(compared.candidates, Candidates)
    return Example(labelled, compared, same, np.ones(pairs, dtype=np.bool_), none), np.full(pairs, 1.5)


def test_standing_off_is_worth_what_all_families_but_the_worst_keep():
    sets = [family("bad", 90, 100), family("fair", 2, 100), family("good", 0, 100), family("small", 9, 10)]
    worth = isolation_curve(sets)
    assert worth.at(np.array([0.0, 0.5, 1.5, 5.0])).tolist() == pytest.approx([0.0, 0.99, 0.99, 0.99])
    assert isolation_curve(sets[:2]).at(np.array([1.5])).tolist() == [0.0], "two families cannot leave out the worst"


def test_what_standing_off_is_worth_rises_and_only_lists_have_it():
    curve = shipped().listing.isolated
    assert (np.diff(curve.at(np.linspace(0.0, HIGHEST, 100))) >= 0).all()
    assert curve.at(np.array([0.0])) == 0.0
    assert shipped().memory.isolated is None
