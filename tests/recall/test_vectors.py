"""Meaning adds to words where there are vectors, and takes nothing away where there are none."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from numpy.typing import NDArray

from graphdream.dream.purge import purge
from graphdream.errors import NotFoundError
from graphdream.graph.store import Store
from graphdream.recall.embedders import WordLlama
from graphdream.recall.nearest import Shadows
from graphdream.recall.search import recall
from graphdream.recall.vectors import Coverage, Meanings, coverage, embed_missing
from support.families import Families


def test_another_word_for_it_is_found_with_vectors_only(memory: Store) -> None:
    assert recall(memory, "ceramics") == []
    assert embed_missing(memory, Families()) == 10
    found = recall(memory, "ceramics", k=1, meanings=Meanings(Families()))
    assert found[0].turns == ("c2",)
    assert set(found[0].parts) >= {"meaning"}


def test_vectors_are_made_once_and_again_when_the_text_changes(memory: Store) -> None:
    model = Families()
    assert coverage(memory.connection, model.name) == Coverage(0, 10)
    assert embed_missing(memory, model, limit=4) == 4
    assert embed_missing(memory, model) == 6
    assert embed_missing(memory, model) == 0
    assert coverage(memory.connection, model.name) == Coverage(10, 10)
    with memory.writing():
        memory.connection.execute("UPDATE vector SET digest = digest + 1 WHERE kind = 'fact' AND row_id = 1")
    assert embed_missing(memory, model) == 1


def test_new_vectors_are_seen_without_opening_anew(memory: Store) -> None:
    meanings = Meanings(Families())
    assert recall(memory, "ceramics", meanings=meanings) == []
    embed_missing(memory, Families())
    assert recall(memory, "ceramics", meanings=meanings)


def test_without_vectors_meaning_changes_nothing(memory: Store) -> None:
    assert recall(memory, "Avery editor", meanings=Meanings(Families())) == recall(memory, "Avery editor")


@pytest.mark.skipif(find_spec("wordllama") is not None, reason="the extra is installed")
def test_a_missing_extra_says_how_to_get_it() -> None:
    with pytest.raises(NotFoundError) as caught:
        WordLlama()
    assert "graphdream[vectors]" in caught.value.hint


@pytest.mark.skipif(find_spec("wordllama") is None, reason="NOT TESTED: the extra `vectors` is not installed")
def test_the_word_vectors_know_related_words() -> None:
    car, vehicle, tree = WordLlama().embed(["the car", "a vehicle", "a tree"])
    assert car @ vehicle > car @ tree


def filled(store: Store, rows: int, width: int) -> NDArray[np.float32]:
    """Vectors as models make them: most of their length lies in few directions. Those of turns 1 to `rows`."""
    chance = np.random.default_rng(5)
    made = (chance.standard_normal((rows, width)) * np.exp(-np.arange(width) / 30)).astype(np.float32)
    made @= np.linalg.qr(chance.standard_normal((width, width)))[0].astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    with store.writing():
        store.connection.executemany(
            "INSERT INTO vector VALUES ('turn', ?, 'm', 0, ?)",
            [(at + 1, value.astype("<f2").tobytes()) for at, value in enumerate(made)],
        )
    return made


@pytest.mark.parametrize(("rows", "width"), [(1, 8), (300, 300), (3_000, 8), (3_000, 256)])
def test_the_nearest_rows_are_found_with_a_rough_look_first(memory: Store, rows: int, width: int) -> None:
    made = filled(memory, rows, width)
    shadows = Shadows(memory.connection, "m", "turn")
    shares = []
    for at in range(0, rows, max(1, rows // 20)):
        exact = {int(row) + 1 for row in np.argsort(-(made @ made[at]))[:50]}
        found, middle = shadows.nearest(made[at], 50)
        assert next(iter(found)) == at + 1 and found[at + 1] == pytest.approx(1.0, abs=0.01)
        assert list(found.values()) == sorted(found.values(), reverse=True)
        assert middle == pytest.approx(float(np.median(made @ made[at])), abs=0.05)
        shares.append(len(exact & found.keys()) / len(exact))
    assert np.mean(shares) >= 0.97


def test_without_rows_nothing_is_near(memory: Store) -> None:
    assert Shadows(memory.connection, "m", "turn").nearest(np.ones(8, dtype=np.float32), 50) == ({}, 0.0)


def test_a_row_that_was_erased_is_not_recalled(memory: Store) -> None:
    embed_missing(memory, Families())
    meanings = Meanings(Families())
    assert recall(memory, "ceramics", k=1, meanings=meanings)[0].turns == ("c2",)
    purge(memory, "chat-1", session=True)
    assert all(hit.session != "chat-1" for hit in recall(memory, "ceramics", meanings=meanings))
