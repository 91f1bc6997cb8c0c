"""Meaning adds to words where there are vectors, and takes nothing away where there are none."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
import pytest
from numpy.typing import NDArray

from graphdream.errors import NotFoundError
from graphdream.graph.store import Store
from graphdream.recall.embedders import WordLlama
from graphdream.recall.search import recall
from graphdream.recall.vectors import Coverage, Meanings, coverage, embed_missing

FAMILIES = [{"editor", "program", "zed", "emacs"}, {"pottery", "ceramics"}, {"billing", "invoices"}, {"cello"}]


class Families:
    """A model that knows which words mean the same: one dimension a family."""

    name = "families"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), len(FAMILIES)), dtype=np.float32)
        for at, text in enumerate(texts):
            words = {word.strip(".,'?").removesuffix("'s") for word in text.lower().split()}
            for family, members in enumerate(FAMILIES):
                found[at, family] = len(words & members)
            found[at] /= max(float(np.linalg.norm(found[at])), 1e-9)
        return found


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
