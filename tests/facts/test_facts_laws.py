"""Properties of fact consolidation: order plays no part, the protected stays, a second look finds nothing, no input hurts."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graphdream.facts import Fact, FactFindings, ReadingMemory, Subject, consolidate, read_ahead
from graphdream.facts.consolidate import remaining
from support.facts_world import fact, left, world

WORDS = st.sampled_from(
    "Maya lives in Lisbon Oslo likes tea on May 8 9 not the of to from moved now and ( ) : ** - 3.5 at budget is € 🔥".split()
)
TEXTS = st.lists(WORDS, max_size=9).map(" ".join)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Fact], list[Subject]]:
    texts = draw(st.lists(st.one_of(TEXTS, st.text(max_size=30)), min_size=1, max_size=25))
    facts = [
        fact(number, draw(st.integers(1, 3)), text, draw(st.integers(1, 300)), protected=draw(st.booleans()))
        for number, text in enumerate(texts)
    ]
    names = st.lists(st.one_of(TEXTS, st.just("Maya Okafor")), min_size=1, max_size=3)
    return facts, [Subject(number, tuple(draw(names)), "person", draw(st.booleans())) for number in (1, 2, 3)]


def _losers(found: FactFindings) -> list[int]:
    return [*(d[0] for d in found.duplicates), *(j[0] for j in found.junk), *(s[0] for s in found.superseded)]


@given(graphs(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_order_of_facts_and_subjects_plays_no_part(graph, rng):
    facts, subjects = graph
    expected = consolidate(facts, subjects)
    mixed, others = facts[:], subjects[:]
    rng.shuffle(mixed)
    rng.shuffle(others)
    assert consolidate(mixed, others) == expected


@given(graphs(), graphs())
@settings(max_examples=60)
def test_what_an_earlier_look_remembers_changes_nothing(earlier, graph):
    memory = ReadingMemory()
    consolidate(*earlier, memory=memory)
    assert consolidate(*graph, memory=memory) == consolidate(*graph)


def test_a_name_that_another_graph_knows_is_not_remembered():
    subjects = [Subject(1, ("Maya Okafor",), "person", False), Subject(2, ("Osprey",), "project", False)]
    facts = [fact(1, 1, "Maya Okafor works on Osprey"), fact(2, 1, "Maya Okafor leads the Osprey team")]
    memory = ReadingMemory()
    consolidate(facts, subjects, memory=memory)
    assert any("osprey@2" in reading.words for reading in memory.readings.values())
    consolidate(facts, subjects[:1], memory=memory)
    assert not any("osprey@2" in reading.words for reading in memory.readings.values())


@given(graphs())
@settings(max_examples=60)
def test_no_protected_fact_and_no_fact_twice_is_ever_a_loser(graph):
    facts, subjects = graph
    found = consolidate(facts, subjects)
    losers = _losers(found)
    assert len(losers) == len(set(losers))
    assert not {f.id for f in facts if f.protected}.intersection(losers)
    pinned = {subject.id for subject in subjects if subject.pinned}
    assert pinned.isdisjoint(number for number, _ in found.junk_subjects)


@given(graphs())
@settings(max_examples=60)
def test_every_survivor_is_there_and_every_dropped_subject_is_empty(graph):
    facts, subjects = graph
    found = consolidate(facts, subjects)
    kept = left(facts, found)
    ids = {f.id for f in kept}
    stale = {old for old, _, _, _ in found.superseded}
    assert all(survivor in ids | stale for _, survivor, _ in found.duplicates)
    assert {number for number, _ in found.junk_subjects}.isdisjoint(f.entity for f in facts if f.id in ids)


@given(graphs())
@settings(max_examples=60)
def test_a_second_look_at_what_remains_finds_nothing(graph):
    facts, subjects = graph
    found = consolidate(facts, subjects)
    dropped = {number for number, _ in found.junk_subjects}
    kept = remaining(facts, found)
    ids = {f.id for f in kept}
    history = [replace(f, status="archived") for f in facts if f.id not in ids]
    again = consolidate([*kept, *history], [s for s in subjects if s.id not in dropped])
    assert not _losers(again) and not again.junk_subjects


VALUES = {
    "date": ["March 14", "March 15", "14 April", "2025-06-01"],
    "limit": ["25 MB", "100 MB", "2 GB", "1,000 MB"],
    "colour": ["purple", "cyan", "burnt orange", "mustard yellow"],
    "name": ["Ada Falk", "Ada Falck", "Bo Stern", "Bo Sterne"],
}
FRAMES = [
    "the {k} is {v}",
    "{k}: {v}",
    "Maya set the {k} to {v}",
    "as of May the {k} of Maya is {v}",
    "Maya's {k} is {v}",
]


@given(
    st.sampled_from(sorted(VALUES)),
    st.lists(st.tuples(st.sampled_from(FRAMES), st.integers(0, 3)), min_size=2, max_size=8),
    st.booleans(),
)
@example(
    kind="colour", said=[("the {k} is {v}", 0), ("{k}: {v}", 2), ("Maya's {k} is {v}", 0), ("{k}: {v}", 2)], taught=True
)
def test_look_alikes_with_different_values_are_never_merged(kind, said, taught):
    facts, subjects = world(people=20) if taught else ([], [])
    first = len(facts)
    values = VALUES[kind]
    told = {}
    for at, (frame, value) in enumerate(said):
        told[first + at] = values[value]
        facts.append(fact(first + at, 999, frame.format(k=kind, v=values[value]), day=at + 1))
    found = consolidate(facts, [*subjects, Subject(999, ("Maya Okafor",), "person", False)])
    for loser, survivor, _ in found.duplicates:
        if loser in told:
            assert told[loser] == told[survivor]


@given(st.lists(st.text(max_size=60), max_size=12))
def test_any_text_is_judged(texts):
    consolidate([fact(number, 1, text) for number, text in enumerate(texts)], [Subject(1, ("Maya",), "person", False)])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "🔥🔥",
        "مرحبا بالعالم",
        "你好 世界 你好",
        "a" * 200_000,
        "((" * 5_000,
        "**" * 9_000,
        "x " * 20_000,
        "1." * 9_000,
        "w=1 " * 9_000,
    ],
    ids=["empty", "emoji", "rtl", "han", "long", "brackets", "stars", "words", "numbers", "pairs"],
)
def test_hostile_texts_and_names_cost_no_more_than_their_length(text):
    began = time.process_time()
    consolidate(
        [fact(0, 1, text), fact(1, 1, text + " 1"), fact(2, 2, text)], [Subject(1, (text, "n" * 10_000), "", False)]
    )
    assert time.process_time() - began < 5


def test_one_entity_with_many_facts_is_not_quadratic():
    rng = random.Random(5)
    nouns = [f"noun{chr(97 + n % 26)}{n}x" for n in range(900)]

    def cost(count: int) -> float:
        texts = (f"prefers {rng.choice(nouns)} {rng.choice(nouns)} over {rng.choice(nouns)}" for _ in range(count))
        facts = [fact(number, 1, text) for number, text in enumerate(texts)]
        began = time.process_time()
        consolidate(facts, [Subject(1, ("Maya Okafor",), "person", False)])
        return time.process_time() - began

    small, large = cost(4_000), cost(16_000)
    assert large < 4 * 2.5 * small + 1


def test_many_entities_of_one_name_are_not_quadratic():
    facts = [fact(number, number, f"lives in block {number % 700}") for number in range(8_000)]
    subjects = [Subject(number, ("Maya Okafor", "Maya"), "person", False) for number in range(8_000)]
    began = time.process_time()
    consolidate(facts, subjects)
    assert time.process_time() - began < 30


@given(graphs(), graphs())
@settings(max_examples=60)
def test_what_was_read_ahead_changes_nothing(before, graph):
    memory = ReadingMemory()
    read_ahead(*before, memory)
    assert consolidate(*graph, memory=memory) == consolidate(*graph)
