"""What the resolver promises whatever it is given."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphdream.entities import Record, resolve
from graphdream.entities.corpus import build_corpus

MEMORY = [
    Record("e1", "Maya Okafor", "person", ("Maya Okafor lives in Lisbon.", "Maya's birthday is May 8"), ("Northbeam",)),
    Record("e2", "**Maya Okafor's**", "unknown", ("Maya Okafor lives in Lisbon.",), ("Northbeam",)),
    Record("e3", "maya  okafor", "person", ("Maya's birthday is May 8",)),
    Record("e4", "GPT-4", "tool", ("GPT-4 drafts the release notes",)),
    Record("e5", "GPT-4o", "tool", ("GPT-4o answers support mail",)),
    Record("e6", "Northbeam", "organization", ("Northbeam has 40 employees",), ("Maya Okafor",)),
    Record("e7", "src/auth/session.py", "file", ("src/auth/session.py exports login()",)),
    Record("e8", "src/graph/session.py", "file", ("src/graph/session.py exports walk()",)),
]


def clusters(resolution):
    groups = {}
    for id_, representative in resolution.clusters.items():
        groups.setdefault(representative, set()).add(id_)
    return {frozenset(g) for g in groups.values()}


def test_every_record_is_in_one_cluster_represented_by_a_member():
    got = resolve(MEMORY)
    assert set(got.clusters) == {r.id for r in MEMORY}
    assert all(got.clusters[rep] == rep for rep in got.clusters.values())
    assert {a for a, _ in got.merged} <= set(got.clusters.values())


def test_spellings_of_one_name_with_the_same_facts_are_merged():
    got = resolve(MEMORY, max_false_merge_rate=0.05)
    assert got.clusters["e1"] == got.clusters["e2"]


@pytest.mark.parametrize("pair", [("e4", "e5"), ("e7", "e8")], ids=["version", "file name in two folders"])
def test_look_alikes_stay_apart(pair):
    got = resolve(MEMORY, max_false_merge_rate=0.05)
    assert got.clusters[pair[0]] != got.clusters[pair[1]]


@pytest.mark.parametrize("order", [MEMORY[::-1], MEMORY[3:] + MEMORY[:3]])
def test_the_order_of_the_records_changes_nothing(order):
    one, two = resolve(MEMORY), resolve(order)
    assert one == two


def test_two_calls_give_the_same_answer():
    assert resolve(MEMORY) == resolve(MEMORY)


def test_two_pinned_records_never_merge_into_each_other():
    twins = [Record(f"p{i}", "Ada Lovelace", "person", ("Ada Lovelace wrote note G",), pinned=True) for i in range(2)]
    got = resolve([*twins, *MEMORY], max_false_merge_rate=None)
    assert got.clusters["p0"] != got.clusters["p1"]


def test_a_pinned_record_represents_its_cluster():
    rows = [
        Record("a", "Ada Lovelace", "person", ("wrote note G",) * 3),
        Record("b", "Ada Lovelace", "person", ("wrote note G",), pinned=True),
    ]
    got = resolve([*rows, *MEMORY], max_false_merge_rate=None)
    assert {got.clusters[i] for i in ("a", "b")} in ({"b"}, {"a", "b"})


def test_pairs_known_to_be_distinct_never_share_a_cluster():
    got = resolve(MEMORY, max_false_merge_rate=None, distinct=[("e1", "e2"), ("e3", "e2"), ("nobody", "e1")])
    assert got.clusters["e1"] != got.clusters["e2"] != got.clusters["e3"]


def test_only_pairs_that_touch_a_changed_record_are_looked_at():
    got = resolve(MEMORY, changed={"e3"})
    assert got.candidates
    assert all("e3" in pair for pair in got.candidates)
    assert not resolve(MEMORY, changed=()).candidates


def test_a_smaller_budget_never_merges_more():
    rates = [0.0, 0.001, 0.01, 0.1, 1.0]
    merged = [len(resolve(MEMORY, max_false_merge_rate=r).merged) for r in rates]
    assert merged == sorted(merged)
    assert merged[0] == 0


def test_the_band_holds_what_was_not_merged_likeliest_first():
    got = resolve(MEMORY, max_false_merge_rate=0.0)
    scores = [p for _, _, p in got.band]
    assert scores == sorted(scores, reverse=True)
    assert all(got.clusters[a] != got.clusters[b] for a, b, _ in got.band)


@pytest.mark.parametrize("rate", [-0.1, 1.1])
def test_a_budget_that_is_no_share_is_refused(rate):
    with pytest.raises(ValueError, match="not a share"):
        resolve(MEMORY, max_false_merge_rate=rate)


def test_repeated_ids_are_refused():
    with pytest.raises(ValueError, match="not unique"):
        resolve([MEMORY[0], MEMORY[0]])


@pytest.mark.parametrize("records", [[], MEMORY[:1]], ids=["none", "one"])
def test_graphs_without_a_pair_are_fine(records):
    got = resolve(records)
    assert got.clusters == {r.id: r.id for r in records}
    assert got.false_merge_rate == 0.0


STRANGE = {
    "empty names": ["", " ", "\n", "**", "---"],
    "emoji": ["🔥", "🔥🔥", "Maya 🔥", "✨Maya✨"],
    "right to left": ["מקדונלדס", "מקדונלד", "شركة النور", "شركة النور المحدودة"],
    "other scripts": ["東京タワー", "東京", "Кириллица", "кириллица", "서울특별시", "서울"],
    "very long": ["x" * 10_000, "x" * 10_000 + "y", "long name " * 1_000],
    "controls": ["\x00", "a\x00b", "\u200b", "\u202eabc", "a/b/c", "/", "\\", "@", "a@b.c", "(", "[]("],
}


@pytest.mark.parametrize("names", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("rate", [None, 0.005])
@pytest.mark.parametrize("sort", ["memory", "list"])
def test_strange_names_are_resolved_without_a_complaint(names, rate, sort):
    rows = [Record(f"s{i}", name, "", (name, f"about {name}"), (name,)) for i, name in enumerate(names * 2)]
    assert len(resolve([*rows, *MEMORY], max_false_merge_rate=rate, sort=sort).clusters) == len(rows) + len(MEMORY)


@pytest.mark.parametrize("names", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("rate", [None, 0.01])
def test_strange_names_alone_are_a_list(names, rate):
    got = resolve([Record(f"s{i}", name) for i, name in enumerate(names * 3)], max_false_merge_rate=rate, sort="list")
    assert len(got.clusters) == 3 * len(names)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.text(max_size=30), st.text(max_size=10), st.lists(st.text(max_size=40), max_size=3)), max_size=8
    )
)
def test_any_text_is_resolved(rows):
    records = [Record(str(i), name, kind, tuple(facts), tuple(facts[:1])) for i, (name, kind, facts) in enumerate(rows)]
    assert set(resolve(records, max_false_merge_rate=None).clusters) == {r.id for r in records}


def seconds(records):
    start = time.process_time()
    resolve(records, workers=1)
    return time.process_time() - start


def test_ten_thousand_identical_names_stay_linear():
    small = seconds([Record(f"{i:05}", "Alex", "person", (f"fact number {i}",)) for i in range(1_000)])
    large = seconds([Record(f"{i:05}", "Alex", "person", (f"fact number {i}",)) for i in range(10_000)])
    assert large < 25 * max(small, 0.5)


def test_many_names_of_ten_thousand_characters_cost_about_as_much_as_their_beginnings():
    names = [f"{i} " + f"word{i} " * 1_400 for i in range(200)]
    cut = seconds([Record(f"{i:04}", name[:240]) for i, name in enumerate(names)])
    assert seconds([Record(f"{i:04}", name) for i, name in enumerate(names)]) < 10 * max(cut, 0.5)


def test_one_entity_with_fifty_thousand_facts_costs_no_more_than_a_few_hundred():
    hub = Record("hub", "Hub", "concept", tuple(f"fact {i} about something" for i in range(50_000)))
    assert seconds([hub, *MEMORY]) < 5.0


def test_neighbours_are_read_in_their_own_order_not_in_that_of_a_hash():
    """A set of names came in another order in every process, so that sums and ties could differ from run to run."""
    records = [
        Record("e1", "Maya", neighbors=tuple(f"place {n}" for n in range(40))),
        Record("e2", "Noor", neighbors=("place 7", "place 7", "place 3")),
    ]
    corpus = build_corpus(records)
    rows = [sorted(corpus.neighbors[row].indices.tolist()) for row in range(2)]
    assert rows == [list(range(40)), [3, 7]]
