"""What is worked out for all names at once, and how it grows with the number of records."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphdream.entities import Record
from graphdream.entities.blocking import STEADY, find_candidates
from graphdream.entities.containment import POSTING_CAP, find_containment
from graphdream.entities.corpus import build_corpus
from graphdream.entities.mentions import find_mentions
from graphdream.entities.order import best_first, two_best

WORDS = st.lists(st.sampled_from("one two three four five six".split()), min_size=1, max_size=4, unique=True)


def contained(names):
    """Pairs of names, written out, of which the second holds all words of the first."""
    corpus = build_corpus([Record(str(i), name) for i, name in enumerate(names)])
    inner, outer = find_containment(corpus.name_words)
    names = [form.key for form in corpus.forms]
    assert list(zip(inner, outer, strict=True)) == sorted(zip(inner, outer, strict=True))
    return {(names[a], names[b]) for a, b in zip(inner.tolist(), outer.tolist(), strict=True)}


@given(st.lists(WORDS, max_size=12, unique_by=tuple))
def test_containment_is_that_of_the_sets_of_words(names):
    spoken = [" ".join(words) for words in names]
    expected = {(a, b) for a, b in itertools.permutations(spoken, 2) if set(a.split()) <= set(b.split())}
    assert contained(spoken) == expected


def test_a_word_of_many_names_leads_to_some_of_them():
    names = ["atlas", *(f"atlas n{i}" for i in range(3 * POSTING_CAP))]
    pairs = contained(names)
    assert len(pairs) == POSTING_CAP - 1  # `atlas` is among the first of its own
    assert {inner for inner, _ in pairs} == {"atlas"}


def test_no_names_hold_no_others():
    assert contained([]) == contained(["", "..."]) == set()


@given(st.integers(2, 6), st.data())
def test_the_pairs_of_each_record_come_best_first(records, data):
    pairs = data.draw(st.lists(st.sampled_from(list(itertools.combinations(range(records), 2))), unique=True))
    pairs.sort()
    score = np.array([data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])) for _ in pairs])
    left, right = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    listed = best_first(left, right, score, records)
    top, second = two_best(listed, score, -1.0)
    for who in range(records):
        mine = sorted((at for at, pair in enumerate(pairs) if who in pair), key=lambda at: (-score[at], at))
        entries = listed.entry[listed.start[who] : listed.start[who + 1]]
        assert [int(e) % len(pairs) for e in entries] == mine
        assert all((left if e < len(pairs) else right)[e % len(pairs)] == who for e in entries.tolist())
        best = [*(float(score[at]) for at in mine), -1.0, -1.0]
        assert (top[who], second[who]) == (best[0], best[1])
    assert listed.place.tolist() == [at - int(listed.start[who]) for at, who in enumerate(listed.who.tolist())]


def test_pairs_a_record_do_not_grow_with_the_graph():
    """Names of three words out of sixty: the more of them there are, the more look alike by chance."""

    def pairs_each(count):
        draw = np.random.default_rng(count)
        words = [f"{a}{b}{a}o" for a, b in itertools.product("bdfglm", "aeiouqrstu")]
        names = [" ".join(words[w] for w in draw.choice(len(words), 3, replace=False)) for _ in range(count)]
        records = [Record(str(i), name, attributes=(f"note {i}",)) for i, name in enumerate(names)]
        corpus = build_corpus(records)
        return len(find_candidates(corpus, find_mentions(corpus, records)).left) / count

    assert pairs_each(2 * STEADY) <= pairs_each(STEADY)
