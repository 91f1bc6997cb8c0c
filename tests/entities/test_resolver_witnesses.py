"""What a list may merge inside an error budget: only what two witnesses agree on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.entities import Record, resolve
from graphdream.entities.budget import cut_sure
from graphdream.entities.calibration import shipped
from graphdream.entities.clustering import cluster_pairs
from graphdream.entities.explain import explain
from graphdream.entities.scorer import compare
from graphdream.entities.witnesses import KINDS, hear_witnesses
from graphdream.scoring.curve import Curve

TOWNS = "Arosa Bergamo Cadiz Delft Evora Fulda Ghent Hobart Izmir Jena Kiruna Lodz Malaga Namur Odense Porto".split()
TRADES = "weaving glazing tanning minting bottling carving milling dyeing".split()


def listed(*records):
    """The records among 64 others that have nothing in common with them but the kind of thing they are."""
    others = [
        Record(f"z{i}", f"{town} {trade} house", "", (f"year: {1800 + i}", f"founder: {town} guild for {trade}"))
        for i, (town, trade) in enumerate((town, trade) for town in TOWNS for trade in TRADES[:4])
    ]
    return [*records, *others]


def kind_of(*records):
    compared = compare(records)
    heard = hear_witnesses(compared.corpus, compared.pairs)
    at = {id_: i for i, id_ in enumerate(compared.corpus.ids)}
    rows = zip(compared.candidates.left, compared.candidates.right, heard.kind, strict=True)
    found = [int(kind) for a, b, kind in rows if {a, b} == {at["a"], at["b"]}]
    return KINDS[found[0]] if found and found[0] >= 0 else None


QUARRY = "founder: Ottoline Vane, Barnaby Quill, Silvester Crane"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (("Harrowgate slate quarry", QUARRY), ("harrowgate Slate Quary", QUARRY), "names and facts"),
        (("Harrowgate slate quarry", QUARRY), ("Harrowgate slate quarry", "founder: Milling guild"), None),
        (("Harrowgate slate quarry", QUARRY), ("Harrowgate slate quarry north", QUARRY), None),
        (("Harrowgate slate quarry 2", QUARRY), ("Harrowgate slate quarry 3", QUARRY), None),
    ],
)
def test_names_and_facts_must_both_speak_for_a_pair(first, second, expected):
    a, b = (Record(id_, name, "", (fact,)) for id_, (name, fact) in zip("ab", (first, second), strict=True))
    assert kind_of(*listed(a, b)) == expected


def test_a_year_that_differs_contradicts_what_both_witnesses_say():
    same = [Record(id_, "Harrowgate slate quarry", "", (QUARRY, "year: 1790")) for id_ in "ab"]
    assert kind_of(*listed(*same)) == "names and facts"
    other = Record("b", "Harrowgate slate quarry", "", (QUARRY, "year: 1797"))
    assert kind_of(*listed(same[0], other)) is None


def test_bare_names_are_a_witness_only_where_nothing_is_said_of_anyone():
    twins = [Record("a", "Harrowgate slate quarry"), Record("b", "Harrowgate Slate-Quarry")]
    assert kind_of(*listed(*twins)) is None
    assert kind_of(*(Record(r.id, r.name) for r in listed(*twins))) == "bare names"


def test_a_list_merges_inside_a_budget_only_what_two_witnesses_agree_on():
    records = listed(
        Record("a", "Harrowgate slate quarry", "", (QUARRY,)),
        Record("b", "Harrowgate Slate Quarry", "", (QUARRY,)),
        Record("c", "Harrowgate slate quarry", "", ("founder: Milling guild",)),
    )
    got = resolve(records, max_false_merge_rate=0.01, sort="list")
    assert {"a", "b"} in ({*pair} for pair in got.merged)
    assert len(got.merged) == 1
    assert got.threshold >= 0.99
    assert got.false_merge_rate <= 0.01
    assert not resolve(records, max_false_merge_rate=0.0, sort="list").merged


def test_an_explanation_says_whether_the_witnesses_agree():
    records = listed(
        Record("a", "Harrowgate slate quarry", "", (QUARRY,)),
        Record("b", "Harrowgate Slate Quarry", "", (QUARRY,)),
        Record("c", "Harrowgate slate quarry", "", ("founder: Milling guild",)),
    )
    assert explain(records, "a", "b", max_false_merge_rate=0.01, sort="list").verdict == "same"
    other = explain(records, "a", "c", max_false_merge_rate=0.01, sort="list")
    assert other.verdict != "same"
    assert "its names and its facts" in other.why


SURE = st.lists(st.floats(0, 0.9999), min_size=1, max_size=60)


@given(SURE, st.floats(0, 1), st.floats(0, 1))
def test_a_larger_budget_lets_the_same_pairs_merge_and_more(sure, one, other):
    probability, scores = np.array(sure), np.zeros(len(sure))
    small, large = (cut_sure(scores, probability, budget) for budget in sorted((one, other)))
    assert set(small.likely) <= set(large.likely)
    for budget, cut in zip(sorted((one, other)), (small, large), strict=True):
        assert all(probability[row] > 0 and 1 - probability[row] <= budget + 1e-9 for row in cut.likely)
        assert set(np.flatnonzero(cut.log_odds > cut.cut)) <= set(cut.likely)


def test_what_an_agreement_is_worth_rises_with_its_weight():
    for curve in shipped().listing.agreed:
        assert (np.diff(curve.at(np.linspace(0, 50, 500))) >= 0).all()
    assert len(shipped().listing.agreed) == len(KINDS)
    assert shipped().memory.agreed == ()
    assert Curve.from_json(Curve((1.0, 2.0), (0.5, 0.9)).to_json()).at(np.array([0.0, 1.5, 9.0])).tolist() == [
        0.5,
        0.7,
        0.9,
    ]


def clusters_of_two_sixes(agreed):
    """Clusters where the records 0 to 5 are one thing and 6 to 11 another, and so many pairs between are agreed on."""
    inside = [(a, b) for a in range(12) for b in range(a + 1, 12) if a // 6 == b // 6]
    between = [(a, a + 6) for a in range(6)][:agreed]
    left, right = np.array([*inside, *between], dtype=np.int64).T
    within = cut_sure(np.zeros(len(left)), np.full(len(left), 0.99), 0.01)
    return len(set(cluster_pairs(12, left, right, within.log_odds, cut=within.cut).tolist()))


def test_groups_join_by_some_agreed_pairs_but_not_by_a_single_one():
    assert clusters_of_two_sixes(agreed=1) == 2
    assert clusters_of_two_sixes(agreed=3) == 1
