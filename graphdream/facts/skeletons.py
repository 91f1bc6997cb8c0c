"""Skeletons: statements with one span left open, and what fills it across the graph.

`lives in *` is a skeleton of `lives in Lisbon`; so is `* Lisbon`. Every statement has several, and which of
them is a sentence form and which a value is not decided here: this module only counts, for all skeletons of
all statements at once, how many different fillers and how many different entities each one has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.reading import LABEL, SUBJECT, TYPED, Reading
from graphdream.facts.tokentable import TokenTable
from graphdream.facts.words import FUNCTION_WORDS

_LONGEST_SPAN = 8
"""Tokens in an open span, at most."""
_LONGEST_STATEMENT = 24
"""Longer statements have no skeletons: they are compared as wholes."""
_SEED = 0x5EED
_BASE = np.uint64(1_099_511_628_211)
_BUCKETS = np.uint64(2**20 - 1)
"""Skeletons are first counted by some bits of their hashes: most are rare, and need not be sorted."""


@dataclass(frozen=True, slots=True)
class Skeletons:
    """All productive skeletons of a list of statements, as parallel arrays, one row per (statement, span).

    Attributes:
        statement: index into the list.
        key: skeleton number, dense from 0.
        filler: hash of the values: the words in the span and all typed values outside it, in any order.
        low, high: the open span is the places low..high-1 of the statement; low == high: no open span, the
            typed values alone are the filler.
        fillers: per key, how many different fillers it has.
        entities: per key, on how many different entities.
    """

    statement: NDArray[np.int64]
    key: NDArray[np.int64]
    filler: NDArray[np.uint64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    fillers: NDArray[np.int64]
    entities: NDArray[np.int64]


def _numbers(tokens: Sequence[str], rng: np.random.Generator) -> NDArray[np.uint64]:
    return rng.integers(1, 2**63, size=len(tokens) + 1, dtype=np.uint64)


def skeletons(readings: Sequence[Reading], entities: Sequence[int], *, least_fillers: int = 3) -> Skeletons:
    """Enumerate the skeletons of all statements and keep those that at least `least_fillers` fillers share.

    An open span begins and ends with a word that is not a function word and holds at least one free word;
    the fixed part is never empty. Statements of one length are handled together, so the cost is one array
    operation per (length, span), not per statement.

    Args:
        readings: different statements; two equal ones on one entity would count as evidence of nothing.
        entities: the entity of each.
        least_fillers: skeletons with fewer different fillers, or entities, are left out.
    """
    table = TokenTable.of(readings)
    rng = np.random.default_rng(_SEED)
    shape_hash, word_hash = _numbers(table.shapes, rng), _numbers(table.words, rng)
    closed = np.array([s in FUNCTION_WORDS or s in (LABEL, SUBJECT) for s in table.shapes] + [True])
    typed = np.array([s in TYPED for s in table.shapes] + [False])
    parts: list[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64], int, int]] = []
    size = table.size
    for length in np.unique(size[(size > 0) & (size <= _LONGEST_STATEMENT)]).tolist():
        rows = np.flatnonzero(size == length)
        places = table.start[rows][:, None] + np.arange(length)
        kinds, values = table.shape[places], table.word[places]
        parts += _spans(length, rows, shape_hash[kinds], word_hash[values], closed[kinds], typed[kinds])
    return _collect(parts, np.asarray(entities, dtype=np.int64), least_fillers)


def _spans(
    length: int,
    rows: NDArray[np.int64],
    shape: NDArray[np.uint64],
    word: NDArray[np.uint64],
    closed: NDArray[np.bool_],
    typed: NDArray[np.bool_],
) -> list[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64], int, int]]:
    """(rows, skeleton hashes, filler hashes, low, high) of every span of statements of one length."""
    count = len(rows)
    zero = np.zeros(count, dtype=np.uint64)
    before, after, run = [zero], [zero], [zero]
    for at in range(length):
        before.append(before[-1] * _BASE + shape[:, at])
        after.append(after[-1] * _BASE + shape[:, length - 1 - at])
        run.append(run[-1] * _BASE + word[:, at])
    bag = np.cumsum(np.where(typed, word * np.uint64(0x9E3779B97F4A7C15), np.uint64(0)), axis=1, dtype=np.uint64)
    bag = np.concatenate([zero[:, None], bag], axis=1)
    free = np.concatenate([np.zeros((count, 1), dtype=np.int64), np.cumsum(~closed & ~typed, axis=1)], axis=1)
    out = []
    whole = np.flatnonzero(typed.any(axis=1) & ~typed.all(axis=1))
    if len(whole):
        out.append((rows[whole], before[length][whole], bag[whole, length], 0, 0))
    power = [np.array([1], dtype=np.uint64)]
    for _ in range(_LONGEST_SPAN):
        power.append(power[-1] * _BASE)
    for low in range(length):
        for high in range(low + 1, min(length, low + _LONGEST_SPAN) + 1):
            if high - low == length:
                continue
            fit = np.flatnonzero(~closed[:, low] & ~closed[:, high - 1] & (free[:, high] > free[:, low]))
            if not len(fit):
                continue
            key = before[low][fit] * np.uint64(0xC2B2AE3D27D4EB4F) + after[length - high][fit] * np.uint64(
                0x165667B19E3779F9
            )
            key += np.uint64(low * 1_000_003 + (length - high) * 7_919 + 1)
            span = run[high][fit] - run[low][fit] * power[high - low]
            rest = bag[fit, length] - bag[fit, high] + bag[fit, low]
            out.append((rows[fit], key, span + rest, low, high))
    return out


def _collect(
    parts: list[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64], int, int]],
    entities: NDArray[np.int64],
    least: int,
) -> Skeletons:
    """Join the parts and keep the productive keys."""
    if not parts:
        none = np.zeros(0, dtype=np.int64)
        return Skeletons(none, none, none.astype(np.uint64), none, none, none, none)
    statement = np.concatenate([p[0] for p in parts])
    filler = np.concatenate([p[2] for p in parts])
    hashed = np.concatenate([p[1] for p in parts])
    low = np.concatenate([np.full(len(p[0]), p[3]) for p in parts])
    high = np.concatenate([np.full(len(p[0]), p[4]) for p in parts])
    bucket = (hashed & _BUCKETS).astype(np.int64)
    often = np.bincount(bucket)[bucket] >= least
    statement, filler, hashed, low, high = (one[often] for one in (statement, filler, hashed, low, high))
    _, key = np.unique(hashed, return_inverse=True)
    enough = (_distinct(key, filler) >= least) & (_distinct(key, entities[statement].astype(np.uint64)) >= least)
    keep = enough[key]
    statement, filler, low, high = statement[keep], filler[keep], low[keep], high[keep]
    _, key = np.unique(key[keep], return_inverse=True)
    return Skeletons(
        statement, key, filler, low, high, _distinct(key, filler), _distinct(key, entities[statement].astype(np.uint64))
    )


def _distinct(key: NDArray[np.int64], value: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Per key, how many different values it occurs with.

    Key and value are sorted as one number, the value being cut to the bits that the keys leave: two values of one key
    are then taken for one in less than one case of a million.
    """
    if not len(key):
        return np.zeros(0, dtype=np.int64)
    most = int(key.max())
    room = np.uint64(64 - max(1, most.bit_length()))
    both = np.sort((key.astype(np.uint64) << room) | (value & ((np.uint64(1) << room) - np.uint64(1))))
    fresh = np.concatenate([[True], both[1:] != both[:-1]])
    return np.bincount((both[fresh] >> room).astype(np.int64), minlength=most + 1)
