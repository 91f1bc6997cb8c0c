"""Learns what the own words of statements tell (ownweights.py), of pairs whose truth is known. For training only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphdream.facts.labelledsets import Labels
from graphdream.facts.ownweights import OwnWeights, OwnWords, directions_of
from graphdream.facts.wordweights import WordWeights, counted
from graphdream.language.senses import WIDTH, sense_hash
from graphdream.scoring.trees import Floats

_FIRMNESS = 3_000.0
"""How freely weights may be learned: the larger, the freer. With 15,000 no more is found on sources left out."""
_DIRECTIONS = 3.0
"""How much longer a direction is than one word, for the learner (as in answers.py)."""
_WIDESPREAD = 3
"""Sources in which a word must stand; what stands in fewer is a matter, and no way of speaking."""
_MOST = 600
"""Pairs of one memory that are looked at."""
_FAR = 6.0
"""Log-odds beyond which it does not matter how sure the scorer of sentences is."""
_SLIGHT = 0.02
"""Weight of a word below which it is left out of the artefact."""


@dataclass(frozen=True, slots=True)
class PairsOfWords:
    """Pairs of one memory.

    Attributes:
        source: what wrote it; words count by how many have them.
        odds: shape (pairs,), log-odds without the words that the newer replaced the older.
        truth: shape (pairs,): 1.0 it did, 0.0 it did not, NaN where nobody knows.
        own: the own words of the older and of the newer of each pair.
        weight: what the memory counts.
    """

    source: str
    odds: Floats
    truth: Labels
    own: Sequence[tuple[OwnWords, OwnWords]]
    weight: float

    def drawn(self) -> PairsOfWords:
        """Those of which the truth is known, and no more than are looked at."""
        known = np.flatnonzero(~np.isnan(self.truth))
        if len(known) > _MOST:
            known = np.sort(np.random.default_rng(len(known)).choice(known, _MOST, replace=False))
        own = [self.own[at] for at in known.tolist()]
        return PairsOfWords(self.source, self.odds[known], self.truth[known], own, self.weight)


def learn_own_words(memories: Sequence[PairsOfWords]) -> OwnWeights:
    """Learn what own words tell, besides what the log-odds of the pairs do; each memory counts by its weight and by the
    root of how many pairs it has."""
    from sklearn.linear_model import LogisticRegression

    drawn = [one for memory in memories if len((one := memory.drawn()).truth)]
    sides = [[pair[side] for one in drawn for pair in one.own] for side in (0, 1)]
    widespread = [_widespread(drawn, side) for side in (0, 1)]
    odds = np.clip(np.concatenate([one.odds for one in drawn]), -_FAR, _FAR)[:, None] / _DIRECTIONS
    directions = [_DIRECTIONS * directions_of([telling for telling, _ in own]) for own in sides]
    words = [_table(own, known) for own, known in zip(sides, widespread, strict=True)]
    seen = sparse.hstack([sparse.csr_matrix(odds), *map(sparse.csr_matrix, directions), *words]).tocsr()
    weight = np.concatenate([np.full(len(one.truth), one.weight * len(one.truth) ** -0.5) for one in drawn])
    learner = LogisticRegression(C=_FIRMNESS / seen.shape[0], max_iter=400)
    learner.fit(seen, np.concatenate([one.truth for one in drawn]) > 0.5, sample_weight=weight / weight.mean())
    learned = learner.coef_[0].astype(np.float32)
    of_words = np.split(learned[1 + 2 * WIDTH :], [len(widespread[0])])
    older, newer = (
        WordWeights(
            _DIRECTIONS * learned[1 + side * WIDTH : 1 + (side + 1) * WIDTH],
            0.0,
            {
                sense_hash(word): float(value)
                for word, value in zip(widespread[side], of_words[side], strict=True)
                if abs(value) >= _SLIGHT
            },
        )
        for side in (0, 1)
    )
    return OwnWeights(older, newer)


def _widespread(memories: Sequence[PairsOfWords], side: int) -> list[str]:
    """Words that are own words on one side in enough sources."""
    sources: dict[str, set[str]] = defaultdict(set)
    for one in memories:
        for pair in one.own:
            for part in pair[side]:
                for word in part:
                    sources[word].add(one.source)
    return sorted(word for word, found in sources.items() if len(found) >= _WIDESPREAD)


def _table(own: Sequence[OwnWords], words: Sequence[str]) -> sparse.csr_matrix:
    """Shape (statements, words): how often a statement has a word of its own."""
    every, counts = counted([(*telling, *function) for telling, function in own])
    place = {word: at for at, word in enumerate(every)}
    return counts[:, [place[word] for word in words]]
