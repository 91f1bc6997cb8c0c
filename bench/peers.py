"""Other systems' rules for who is who, as published, on the same records.

Each takes records and returns a cluster label per id. The rules are re-implemented from the reference descriptions
(peers.md sections 1.1 and 1.4) without the parts that ask a model: they are what those systems do unasked.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from graphdream.entities.records import Record
from graphdream.graph.names import canonical

Clusters = dict[str, str]
LONGEST_POSTING = 500
"""Names that one trigram may lead to: bounds the candidate search of a rule that is quadratic as published."""


def nothing(records: Sequence[Record]) -> Clusters:
    """Every record by itself: the baseline that no kind of dreaming beat in the one published ablation."""
    return {r.id: r.id for r in records}


def exact(records: Sequence[Record]) -> Clusters:
    """Equal canonical names are one thing (GraphRAG, LightRAG, Cognee, mem0)."""
    first: dict[str, str] = {}
    return {r.id: first.setdefault(canonical(r.name), r.id) for r in sorted(records, key=lambda r: r.id)}


GRAPHITI_ENTROPY = 1.5
GRAPHITI_PERMUTATIONS = 32
GRAPHITI_BAND = 4
GRAPHITI_JACCARD = 0.9


def graphiti(records: Sequence[Record]) -> Clusters:
    """Graphiti without a model: equal normalised names, then MinHash over 3-gram shingles at Jaccard >= 0.9.

    Names below the entropy gate are compared exactly only. 32 permutations in bands of 4 (peers.md 1.1).
    """
    names = {r.id: re.sub(r"\s+", " ", r.name.lower()).strip() for r in records}
    joined = _Union([r.id for r in records])
    by_name: dict[str, str] = {}
    shingles: dict[str, frozenset[str]] = {}
    buckets: dict[tuple[int, tuple[int, ...]], list[str]] = defaultdict(list)
    for record in sorted(records, key=lambda r: r.id):
        name = names[record.id]
        if name in by_name:
            joined.join(by_name[name], record.id)
            continue
        by_name[name] = record.id
        if _entropy(name) < GRAPHITI_ENTROPY:
            continue
        own = frozenset(_ngrams(name.replace(" ", ""), 3))
        shingles[record.id] = own
        signature = _minhash(own)
        for band in range(0, GRAPHITI_PERMUTATIONS, GRAPHITI_BAND):
            bucket = buckets[band, signature[band : band + GRAPHITI_BAND]]
            for other in bucket:
                if len(own & shingles[other]) >= GRAPHITI_JACCARD * len(own | shingles[other]):
                    joined.join(other, record.id)
            bucket.append(record.id)
    return joined.labels()


HINDSIGHT_FLOOR = 0.15
HINDSIGHT_LINK = 0.6
HINDSIGHT_WEIGHTS = (0.5, 0.3, 0.2)


def hindsight(records: Sequence[Record]) -> Clusters:
    """Hindsight's linking: 0.5 name + 0.3 co-occurrence + 0.2 recency above 0.6, candidates by trigrams >= 0.15.

    Name similarity is pg_trgm's; co-occurrence is the overlap of neighbours. All records arrive at once, so recency
    is 1 (peers.md 1.4). A record links to the best of those before it.
    """
    grams = {r.id: frozenset(_pg_trigrams(r.name)) for r in records}
    near = {r.id: frozenset(canonical(n) for n in r.neighbors) for r in records}
    posting: dict[str, list[str]] = defaultdict(list)
    out: Clusters = {}
    by_name, by_near, by_time = HINDSIGHT_WEIGHTS
    for record in sorted(records, key=lambda r: r.id):
        own = grams[record.id]
        shared: Counter[str] = Counter()
        for gram in own:
            shared.update(posting[gram][:LONGEST_POSTING])
        best, best_id = HINDSIGHT_LINK, ""
        for other, count in sorted(shared.items()):
            name = count / (len(own) + len(grams[other]) - count)
            if name < HINDSIGHT_FLOOR:
                continue
            union = len(near[record.id] | near[other])
            overlap = len(near[record.id] & near[other]) / union if union else 0.0
            score = by_name * name + by_near * overlap + by_time
            if score > best:
                best, best_id = score, other
        out[record.id] = out[best_id] if best_id else record.id
        for gram in own:
            posting[gram].append(record.id)
    return out


RULES: dict[str, Callable[[Sequence[Record]], Clusters]] = {
    "nothing": nothing,
    "exact": exact,
    "graphiti (no model)": graphiti,
    "hindsight": hindsight,
}


class _Union:
    def __init__(self, ids: Sequence[str]) -> None:
        self.parent = {i: i for i in ids}

    def root(self, i: str) -> str:
        while self.parent[i] != i:
            self.parent[i] = i = self.parent[self.parent[i]]
        return i

    def join(self, a: str, b: str) -> None:
        a, b = sorted((self.root(a), self.root(b)))
        self.parent[b] = a

    def labels(self) -> Clusters:
        return {i: self.root(i) for i in self.parent}


def _ngrams(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(max(1, len(text) - size + 1))]


def _entropy(text: str) -> float:
    counts = Counter(text.replace(" ", ""))
    total = sum(counts.values())
    return -sum(n / total * math.log2(n / total) for n in counts.values()) if total else 0.0


def _minhash(shingles: frozenset[str]) -> tuple[int, ...]:
    prime = (1 << 61) - 1
    base = [int.from_bytes(hashlib.blake2b(s.encode(), digest_size=8).digest(), "big") % prime for s in shingles]
    seeds = [(2 * k + 1, k * 0x9E3779B97F4A7C15) for k in range(GRAPHITI_PERMUTATIONS)]
    return tuple(min((h * scale + shift) % prime for h in base) for scale, shift in seeds)


def _pg_trigrams(name: str) -> list[str]:
    return [g for word in re.findall(r"\w+", name.lower()) for g in _ngrams(f"  {word} ", 3)]
