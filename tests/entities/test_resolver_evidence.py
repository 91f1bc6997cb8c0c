"""What speaks for and against a pair, what forbids a merge, and how pairs become clusters."""

from __future__ import annotations

import numpy as np
import pytest

from graphdream.entities import Record, resolve
from graphdream.entities.blocking import CHANNELS, find_candidates
from graphdream.entities.calibration import shipped
from graphdream.entities.closure import count_wedges, measure_closure
from graphdream.entities.clustering import cluster_pairs
from graphdream.entities.corpus import build_corpus
from graphdream.entities.explain import explain
from graphdream.entities.guards import guard_pairs, guard_scores
from graphdream.entities.mentions import find_mentions
from graphdream.entities.scorer import HOPELESS, SECOND_SIGNALS, compare
from graphdream.entities.signals import DIRECTION, SIGNALS, graph_kinds

REST = [Record(f"r{i}", name, "place") for i, name in enumerate(("Lisbon", "Rust", "Maya Okafor", "Northbeam", "tea"))]


def signals(*records):
    compared = compare([*records, *REST])
    return {
        (compared.corpus.ids[a], compared.corpus.ids[b]): dict(zip(SIGNALS, row, strict=True))
        for a, b, row in zip(compared.candidates.left, compared.candidates.right, compared.pairs.table, strict=True)
    }


def test_facts_call_the_longest_name_they_hold():
    rows = [Record("a", "Obsidian", "", ("Obsidian Sync costs $5",)), Record("b", "Obsidian Sync", "", ())]
    corpus = build_corpus(rows)
    mentions = find_mentions(corpus, rows)
    called = mentions.called.toarray()[0]
    assert called[mentions.of_key[corpus.of_key[1]]] == 1.0
    assert called[mentions.of_key[corpus.of_key[0]]] == 0.0


def test_a_row_whose_facts_speak_of_the_longer_name_is_called_up():
    got = signals(
        Record("a", "lol robin", "", ("Robin Sato bikes to work",)), Record("b", "Robin Sato", "", ("is a pilot",))
    )
    assert got["a", "b"]["call_up"] == 1.0


def test_names_that_have_nothing_in_common_are_compared_when_the_facts_call_one():
    rows = [
        Record("a", "NPM", "tool", ("performant packager is pinned at 9",)),
        Record("b", "performant packager", "tool"),
    ]
    compared = compare([*rows, *REST])
    pairs = dict(
        zip(
            zip(compared.candidates.left, compared.candidates.right, strict=True),
            compared.candidates.channel,
            strict=True,
        )
    )
    index = {id_: i for i, id_ in enumerate(compared.corpus.ids)}
    assert pairs[index["a"], index["b"]] >> CHANNELS.index("called") & 1


def test_a_date_that_differs_in_an_otherwise_equal_fact_clashes():
    got = signals(Record("a", "Kim", "", ("birthday on January 26",)), Record("b", "Kim", "", ("birthday on June 20",)))
    same = signals(Record("a", "Kim", "", ("birthday on June 20",)), Record("b", "Kim", "", ("birthday on June 20",)))
    assert got["a", "b"]["clash"] > 0.9 > same["a", "b"]["clash"]


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        ("Q2 planning", "Q3 planning", -2),
        ("watch", "watch2", -1),
        ("release 7", "the release 7", 1),
        ("mix", "remix mix", 0),
    ],
)
def test_numbers_of_two_names_are_compared(a, b, relation):
    assert signals(Record("a", a), Record("b", b))["a", "b"]["numbers"] == relation


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        ("Toshiba SD-V296 player", "Toshiba SDV296 combo", 2),
        ("Sony KDL46S4100 TV", "Sony KDL46S4100B TV", 1),
        ("Panasonic KX-TG9341T phone", "Panasonic KX-TG9348T phone", -1),
        ("Panasonic phone", "Panasonic KX-TG9348T phone", 0),
    ],
)
def test_identifiers_of_two_names_are_compared(a, b, relation):
    assert signals(Record("a", a), Record("b", b))["a", "b"]["codes"] == relation


def test_fields_of_which_one_tells_more_than_another_are_weighed():
    rows = [Record(f"{i:02}", "mix", "album", (f"artist: band {i}", "genre: rock")) for i in range(6)]
    got = signals(*rows, Record("zz", "mix", "album", ("artist: band 0", "genre: pop")))
    assert got["00", "zz"]["fields"] > got["01", "zz"]["fields"]
    assert got["01", "zz"]["field_clash"] > got["00", "zz"]["field_clash"]


def test_hopeless_pairs_are_looked_at_once():
    compared = compare([Record(f"{i}", f"Alex Moor {i}", "person", (f"likes tea {i % 3}",)) for i in range(30)])
    scorer = shipped().memory.scorer
    first = scorer.first.log_odds(compared.pairs.table, SIGNALS)
    hopeless = first <= HOPELESS
    assert (scorer.log_odds(compared)[hopeless] == first[hopeless]).all()


def test_every_direction_names_a_signal():
    assert set(DIRECTION) <= set(SIGNALS)
    assert len(set(SECOND_SIGNALS)) == len(SECOND_SIGNALS)


def test_a_graph_of_many_types_counts_as_many_kinds():
    kinds = ["person", "tool", "place", "unknown", "concept"]
    assert graph_kinds(build_corpus([Record(k, k, k) for k in kinds])) == pytest.approx(3.0)
    assert graph_kinds(build_corpus([Record("a", "a")])) == 1.0


GUARDED = [
    ("Q2 2026 planning", "Q3 2026 planning", "numbers differ"),
    ("ticket AB-1234", "ticket AB-1299", "identifiers differ"),
    ("src/auth/session.py", "src/graph/session.py", "one file name, two folders"),
    ("watch", "watch2", "a number added"),
    ("meeting in March", "meeting in April", "dates differ"),
    ("enable sync", "disable sync", "negation"),
    ("release plan", "release done", "plan and done"),
    ("Peter Jansen", "Peter Jansen Jr.", "a generation added"),
]


@pytest.mark.parametrize(("a", "b", "guard"), GUARDED, ids=[g for _, _, g in GUARDED])
@pytest.mark.parametrize("sort", ["memory", "list"])
def test_a_guard_forbids_a_merge_without_asking(a, b, guard, sort):
    rows = [Record("a", a, "event", ("one",)), Record("b", b, "event", ("two",)), *REST]
    compared = compare(rows)
    found = guard_pairs(compared.corpus, compared.candidates, compared.pairs, np.arange(len(compared.candidates.left)))
    assert any(guard in guards for guards in found.values())
    got = resolve(rows, max_false_merge_rate=1.0, sort=sort)
    assert got.clusters["a"] != got.clusters["b"]


@pytest.mark.parametrize(
    ("one", "other", "guarded"),
    [
        ("Инспекция № 14", "Инспекция 14", False),
        ("Platform No. 14", "Platform 14", False),
        ("no sync", "sync", True),
    ],
)
def test_the_sign_of_a_number_is_no_negation(one, other, guarded):
    rows = [Record("a", one, "place", ("by the river",)), Record("b", other, "place", ("by the river",)), *REST]
    compared = compare(rows)
    found = guard_pairs(compared.corpus, compared.candidates, compared.pairs, np.arange(len(compared.candidates.left)))
    assert any("negation" in guards for guards in found.values()) == guarded


@pytest.mark.parametrize(
    ("one", "other", "guarded"), [("Anna Berg", "Anne Berg", True), ("Hanna Berg", "Hannna Berg", False)]
)
def test_two_first_names_with_other_figures_are_asked_about_and_a_misspelling_is_not(one, other, guarded):
    rows = [Record("a", one, "person", ("born 1987",)), Record("b", other, "person", ("farmer, born 1959",)), *REST]
    compared = compare(rows)
    found = guard_pairs(compared.corpus, compared.candidates, compared.pairs, np.arange(len(compared.candidates.left)))
    assert any("two first names, and figures differ" in guards for guards in found.values()) == guarded


def test_hard_guards_hold_without_a_budget_too():
    rows = [Record("a", "invoice 17 for Northbeam"), Record("b", "invoice 18 for Northbeam"), *REST]
    compared = compare(rows)
    held = guard_scores(compared.pairs, np.full(len(compared.candidates.left), 9.0))
    pair = (compared.corpus.ids[compared.candidates.left[0]], compared.corpus.ids[compared.candidates.right[0]])
    assert pair == ("a", "b")
    assert held[0] < 0
    got = resolve(rows, max_false_merge_rate=None)
    assert got.clusters["a"] != got.clusters["b"]


def test_an_explanation_names_the_guard():
    rows = [Record("a", "Q2 2026 planning", "event"), Record("b", "Q3 2026 planning", "event"), *REST]
    got = explain(rows, "a", "b")
    assert (got.verdict, got.why) == ("distinct", "not merged unasked: numbers differ")


def join(pairs, n=6, **options):
    left, right, score = (np.array(x) for x in zip(*pairs, strict=True))
    return cluster_pairs(n, left, right, score.astype(float), cut=0.0, **options).tolist()


def test_one_strong_link_does_not_chain_two_groups():
    groups = [(0, 1, 5.0), (1, 2, 5.0), (0, 2, 5.0), (3, 4, 5.0), (4, 5, 5.0), (3, 5, 5.0)]
    against = [(a, b, -3.0) for a in (0, 1, 2) for b in (3, 4, 5) if (a, b) != (2, 3)]
    assert join([*groups, (2, 3, 2.0), *against]) == [0, 0, 0, 3, 3, 3]


def test_a_veto_holds_for_all_that_joined_its_sides():
    pairs = [(0, 1, 5.0), (2, 3, 5.0), (1, 2, 4.0), (0, 2, 4.0), (0, 3, 4.0), (1, 3, 4.0)]
    assert join(pairs, n=4, apart=[(0, 3)]) == [0, 0, 2, 2]


def test_a_cluster_holds_one_pinned_record_at_most():
    assert join([(0, 1, 5.0), (1, 2, 4.0), (0, 2, 4.0)], n=3, pinned=np.array([0, 2])) == [0, 0, 2]


def test_candidates_are_bounded_for_every_record():
    rows = [Record(f"{i:04}", f"Alex {i % 40}", "person", ("likes tea",)) for i in range(2_000)]
    corpus = build_corpus(rows)
    found = find_candidates(corpus, find_mentions(corpus, rows))
    assert len(found.left) <= 100 * len(rows)
    assert (found.left < found.right).all()


def test_wedges_are_counted_and_so_are_those_that_a_third_pair_closes():
    triangle_with_a_tail = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3])
    assert count_wedges(4, *triangle_with_a_tail) == (5.0, 3.0)
    assert count_wedges(4, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)) == (0.0, 0.0)


def groups_with_noise(true_at, wrong_at, groups=60, size=4):
    """True pairs of groups of four score `true_at`, links between one group and the next `wrong_at`."""
    true = [(g * size + a, g * size + b) for g in range(groups) for a in range(size) for b in range(a + 1, size)]
    wrong = [(g * size + a, g * size + size + a) for g in range(groups - 1) for a in range(size)]
    left, right = (np.array(side) for side in zip(*true, *wrong, strict=True))
    return groups * size, left, right, np.array([true_at] * len(true) + [wrong_at] * len(wrong))


@pytest.mark.parametrize(("true_at", "wrong_at"), [(-1.2, -3.2), (1.3, -0.7), (3.3, 1.3)])
def test_the_cut_lies_where_likeness_is_transitive_wherever_the_scores_are(true_at, wrong_at):
    assert wrong_at <= measure_closure(*groups_with_noise(true_at, wrong_at)).cut(-1.0) < true_at


def test_without_likely_pairs_the_usual_cut_stays():
    nobody = np.zeros(0, dtype=np.int64)
    assert measure_closure(5, nobody, nobody, np.zeros(0)).cut(-1.25) == -1.25
    assert measure_closure(2, np.array([0]), np.array([1]), np.array([9.0])).cut(-1.25) == -1.25


def test_a_crowd_of_namesakes_is_judged_by_a_part_of_it():
    left, right = np.triu_indices(400, 1)
    wedges, closed = count_wedges(400, left, right)
    assert wedges == closed == pytest.approx(400 * 399 * 398 / 2)
    assert measure_closure(400, left, right, np.full(len(left), 1.0)).cut(-1.0) == -1.0


@pytest.mark.parametrize("changed", [{"0003"}, {"0001", "0017", "0150"}])
def test_candidates_of_changed_records_are_among_those_of_the_whole_graph_or_better(changed):
    rows = [Record(f"{i:04}", f"Alex Moor {i % 90}", "person", (f"likes tea {i % 7}",)) for i in range(200)]
    corpus = build_corpus(rows)
    mentions = find_mentions(corpus, rows)
    touched = np.array([r.id in changed for r in rows])
    some, whole = find_candidates(corpus, mentions, touched), find_candidates(corpus, mentions)
    assert (touched[some.left] | touched[some.right]).all()
    of_whole = {(a, b) for a, b in zip(whole.left, whole.right, strict=True) if touched[a] or touched[b]}
    namesakes = {(a, b) for a, b in of_whole if corpus.of_key[a] == corpus.of_key[b]}
    assert namesakes
    assert namesakes <= set(zip(some.left, some.right, strict=True))
