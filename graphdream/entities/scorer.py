"""From records to log-odds: the signals of a pair, a first look, and a second one that knows the whole graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.entities.blocking import Candidates, find_candidates
from graphdream.entities.context import CONTEXT, context_signals
from graphdream.entities.corpus import Corpus, Floats, build_corpus
from graphdream.entities.mentions import find_mentions
from graphdream.entities.records import Record
from graphdream.entities.signals import SIGNALS, PairTable, graph_kinds, pair_signals
from graphdream.scoring.trees import Trees

SECOND_SIGNALS = (*SIGNALS, *(f"graph_{name}" for name in CONTEXT))
"""Columns of the second look: the pair's own signals, then those of the scored graph."""

HOPELESS = -4.5
"""Log-odds of the first look below which there is no second one: no cut lies that low (closure.py)."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Records, the pairs that were compared, and their signals.

    Attributes:
        records: in order of their ids.
        corpus: the records as arrays.
        candidates: the pairs.
        pairs: their signals.
        kinds: how many kinds of things the graph holds.
    """

    records: tuple[Record, ...]
    corpus: Corpus
    candidates: Candidates
    pairs: PairTable
    kinds: float


def compare(records: Sequence[Record], changed: frozenset[str] | None = None, workers: int = 1) -> Compared:
    """Block and measure: everything that needs no calibration.

    Args:
        records: unique ids, any order.
        changed: with it, only pairs that touch one of these ids.
        workers: threads for the edit distances.

    Raises:
        ValueError: two records share an id.
    """
    ordered = tuple(sorted(records, key=lambda r: r.id))
    corpus = build_corpus(ordered)
    touched = None if changed is None else np.array([r.id in changed for r in ordered], dtype=np.bool_)
    mentions = find_mentions(corpus, ordered)
    candidates = find_candidates(corpus, mentions, touched)
    pairs = pair_signals(corpus, mentions, candidates, workers)
    return Compared(ordered, corpus, candidates, pairs, graph_kinds(corpus))


def second_table(compared: Compared, first: Floats, rows: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
    """Signals of the second look, shape (pairs, len(SECOND_SIGNALS)).

    Args:
        compared: the pairs.
        first: shape (pairs,), log-odds of the first look.
        rows: shape (pairs,), the pairs to look at again; all of them without it.
    """
    own = compared.pairs.table
    graph = context_signals(len(compared.records), compared.candidates, compared.pairs, first)
    return np.concatenate([own, graph] if rows is None else [own[rows], graph[rows]], axis=1)


@dataclass(frozen=True, slots=True)
class Scorer:
    """Two looks at a pair."""

    first: Trees
    second: Trees

    def log_odds(self, compared: Compared) -> Floats:
        """Log-odds, shape (pairs,), that each pair is one thing."""
        first = self.first.log_odds(compared.pairs.table, SIGNALS)
        out = np.minimum(first, HOPELESS)
        again = first > HOPELESS
        out[again] = self.second.log_odds(second_table(compared, first, again), SECOND_SIGNALS)
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Scorer:
        """Read what `to_json` wrote."""
        return cls(Trees.from_json(data["first"]), Trees.from_json(data["second"]))

    def to_json(self) -> dict[str, Any]:
        """Both looks as plain data."""
        return {"first": self.first.to_json(), "second": self.second.to_json()}
