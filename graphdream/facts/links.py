"""Links: two sentence forms that say the same, learned from entities of which both say the same value.

`lives in *` and `is based in * these days` are one relation, because on entity after entity both are filled by
the same place. A link holds between two statements; what it teaches about words holds everywhere: words of the
filled span carry values, the words around it are only the way of saying it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphdream.facts.skeletons import Skeletons
from graphdream.facts.statements import Statement

_LARGEST_GROUP = 40
"""Statements of one entity with one filler, at most; a filler that repeats more often on one entity says nothing."""
_MIN_AGREEMENT = 0.25
"""Of the entities that have both forms, the share on which they agree. Measured on generated graphs: forms of one
relation agree on more than half (on a quarter where an entity has several values), chance pairs on 0 to 10 %."""

_VALUE_SHARE = 0.25
"""A word with a smaller share of frame votes carries values."""


@dataclass(frozen=True, slots=True)
class Link:
    """Two statements of one entity with different skeletons around the same filler.

    Attributes:
        a, b: positions of the statements, a < b.
        key_a, key_b: their skeletons.
        filler: hash of what both are filled with.
        width: tokens in the shared span.
        evidence: nats in favour of the two forms being one relation: over the different fillers on which they
            agree, how much likelier agreement is for one relation (one half) than by chance (the filler's share).
    """

    a: int
    b: int
    key_a: int
    key_b: int
    filler: int
    width: int
    evidence: float = 0.0


def find_links(said: Sequence[Statement], found: Skeletons) -> list[Link]:
    """Links between statements, the widest shared span of each pair of statements.

    A pair of forms on which entities that have both mostly disagree is no link: they happened to coincide.
    """
    if not len(found.key):
        return []
    entity = np.array([s.entity for s in said], dtype=np.int64)[found.statement]
    order = np.lexsort((found.key, found.statement, found.filler, entity))
    entity, filler = entity[order], found.filler[order]
    statement, key = found.statement[order].tolist(), found.key[order].tolist()
    width, filled = (found.high - found.low)[order].tolist(), filler.tolist()
    fresh = np.flatnonzero((entity[1:] != entity[:-1]) | (filler[1:] != filler[:-1])) + 1
    starts = np.concatenate([[0], fresh])
    ends = np.concatenate([fresh, [len(entity)]])
    few = (ends - starts > 1) & (ends - starts <= _LARGEST_GROUP)
    best: dict[tuple[int, int], Link] = {}
    for start, end in zip(starts[few].tolist(), ends[few].tolist(), strict=True):
        for x in range(start, end):
            a, wide = statement[x], width[x]
            for y in range(x + 1, end):
                b = statement[y]
                if a == b or key[x] == key[y]:
                    continue
                known = best.get((a, b))
                if known is None or known.width < wide:
                    best[a, b] = Link(a, b, key[x], key[y], filled[x], wide)
    return _agreeing(list(best.values()), said, found)


def _agreeing(links: list[Link], said: Sequence[Statement], found: Skeletons) -> list[Link]:
    """The links whose two forms agree often enough where they meet, and not by chance alone."""
    wanted = {key for link in links for key in (link.key_a, link.key_b)}
    homes: dict[int, set[int]] = defaultdict(set)
    fills: dict[int, Counter[int]] = defaultdict(Counter)
    held = np.isin(found.key, np.array(sorted(wanted), dtype=np.int64))
    columns = (found.statement[held].tolist(), found.key[held].tolist(), found.filler[held].tolist())
    for statement, key, filler in zip(*columns, strict=True):
        homes[key].add(said[statement].entity)
        fills[key][filler] += 1
    times = {key: counted.total() for key, counted in fills.items()}
    agree: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    for link in links:
        agree[_pair(link)].add((said[link.a].entity, link.filler))
    evidence: dict[tuple[int, int], float] = {}
    for pair, seen in agree.items():
        met = len(homes[pair[0]] & homes[pair[1]])
        if len({entity for entity, _ in seen}) < _MIN_AGREEMENT * met:
            evidence[pair] = -math.inf
            continue
        evidence[pair] = sum(
            math.log(0.5 / max(fills[key][filler] / times[key] for key in pair))
            for filler in {filler for _, filler in seen}
        )
    return [replace(link, evidence=evidence[_pair(link)]) for link in links if evidence[_pair(link)] > 0]


def _pair(link: Link) -> tuple[int, int]:
    return (link.key_a, link.key_b) if link.key_a < link.key_b else (link.key_b, link.key_a)


class WordRoles:
    """Whether a word frames what is said, or is what is said; learned from links.

    The share of a word is its votes as frame (in one statement of a linked pair and not in the other) among all
    its votes (in the span both share counts against).
    """

    def __init__(self, said: Sequence[Statement], links: Sequence[Link]) -> None:
        frame: Counter[str] = Counter()
        value: Counter[str] = Counter()
        seen: set[tuple[int, frozenset[str], frozenset[str]]] = set()
        for link in links:
            a, b = said[link.a], said[link.b]
            left, right, shared = a.content - b.content, b.content - a.content, a.content & b.content
            once = (a.entity, left, right)
            if once in seen:
                continue
            seen.add(once)
            frame.update(left)
            frame.update(right)
            value.update(shared)
        self._share = {word: frame[word] / (frame[word] + value[word]) for word in frame | value}

    def share(self, word: str) -> float | None:
        """Frame votes among all votes, 0..1; None for a word without votes."""
        return self._share.get(word)

    def frames(self, at_least: float) -> frozenset[str]:
        """The words that are known to be only a way of saying it."""
        return frozenset(word for word, share in self._share.items() if share >= at_least)

    def carries(self, word: str) -> bool:
        """Whether the word is known to carry values."""
        share = self.share(word)
        return share is not None and share < _VALUE_SHARE
