"""What words mean, as directions: words that are used alike point the same way.

`Oslo` and `Bergen` are both towns, `lives in` and `is based in` ask one question: a memory of a few lines cannot show
that, and no list holds it. The table gives each of 138,000 words of fourteen languages a direction in a
space of 64 numbers. It was made once (`tools/sense_table.py`) from two public sentence encoders, all-MiniLM-L6-v2
(Apache-2.0) for English and multilingual-e5-small (MIT) for the others, laid into the space of the first; the words are
the most frequent ones of each language, kept as hashes. Nothing is loaded from elsewhere, and a word that is not in the
table has no direction: whoever asks gets nothing, and goes by other signs.

Sources: Reimers and Gurevych 2019 (sentence encoders); Wang et al. 2024 (multilingual E5); Arora, Liang and Ma 2017 (a
text is the mean of its words, the rarer ones counting more).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from graphdream.language.folding import fold
from graphdream.language.scripts import is_han_pair

WIDTH = 64
"""Numbers of a direction."""
Vectors = NDArray[np.float32]


@lru_cache(maxsize=200_000)
def sense_hash(word: str) -> int:
    """The key of a word in the table: 64 bits; two of a hundred thousand words share one in a billionth of cases."""
    return int.from_bytes(blake2b(fold(word).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def senses_of(words: Sequence[str]) -> Vectors:
    """Directions of words, shape (words, WIDTH): the longer the more telling; 0 of unknown words.

    Args:
        words: one word each, or several with spaces between them, which give the sum of their directions.
    """
    keys, vectors = _table()
    out = np.zeros((len(words), WIDTH), dtype=np.float32)
    parts = [(at, part) for at, word in enumerate(words) for part in word.split()]
    if not parts:
        return out
    wanted = np.array([sense_hash(part) for _, part in parts], dtype=np.uint64)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    known = keys[place] == wanted
    np.add.at(out, np.array([at for at, _ in parts])[known], vectors[place[known]].astype(np.float32) / _SCALE)
    return out


def has_sense(word: str) -> bool:
    """Whether a word is in the table: it is one of the most frequent ones of its language."""
    keys, wanted = _table()[0], np.uint64(sense_hash(word))
    place = int(np.searchsorted(keys, wanted))
    return place < len(keys) and bool(keys[place] == wanted)


def senses_of_characters(units: Sequence[str]) -> Vectors:
    """Directions of pairs of Han characters, shape (units, WIDTH): the sum of those of both characters, as of `住在`
    (*live in*), which is a verb with what follows it and no word of the table; 0 of other units."""
    return senses_of([" ".join(unit) if is_han_pair(unit) else "" for unit in units])


_SCALE = np.float32(127.0)
"""The table keeps eight bits a number."""


@lru_cache(maxsize=1)
def _table() -> tuple[NDArray[np.uint64], NDArray[np.int8]]:
    """Hashes in rising order, and the direction of each."""
    with resources.files("graphdream.language").joinpath("senses.npz").open("rb") as file, np.load(file) as found:
        return found["keys"], found["vectors"]
