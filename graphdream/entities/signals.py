"""Everything that speaks for or against a pair, as one row of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.entities.blocking import Candidates
from graphdream.entities.corpus import CALENDAR, Corpus, Floats, Ints
from graphdream.entities.differences import DIFFERENCE_DIRECTION, DIFFERENCE_SIGNALS, difference_signals
from graphdream.entities.mentions import Mentions, mention_signals
from graphdream.entities.names import NAME_SIGNALS, cosine, name_signals
from graphdream.entities.order import best_first, two_best

CHUNK = 400_000
"""Fact pairs compared at once: bounds the memory."""
FACT_PAIRS = 64
"""Fact pairs compared for one pair of records."""
TWIN_NAMES = 0.95
"""Similarity of names at which two records count as namesakes."""
NAME_STEPS = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
"""Degrees of name similarity that are told apart."""
CHANCE_GROUPS = 1
"""Groups of least alike names that stand for chance."""
LEAST_TWINS = 12
TWIN_QUANTILE = 0.8
TWIN_FLOOR = 0.05
"""Namesakes needed to know what is usual, the quantile that is taken for usual, and its smallest value."""

CONTEXT_SIGNALS = tuple(
    "same_key type facts_small bag bag_info bag_rarest fact fact_info same_facts clash call_up call_down call_rival "
    "subject wider neighbor neighbor_both fields field_long field_clash field_best field_number rank rank_far margin "
    "margin_facts mutual common kinds bag_twins fact_twins fields_twins long_twins neighbor_twins vouched".split()
)
"""In order: one key, types, facts of the record with fewer; similarity of all facts together, rarity of the words they
share in sum and at most; the same of the best two facts, equal facts, one statement with other figures; names that the
facts call (mentions.py); neighbours; `key: value` fields; standing among the other candidates; kinds of things in the
graph; what is shared as a part of what namesakes share here; how far facts vouch for names as alike as these."""
SIGNALS = (*NAME_SIGNALS, *CONTEXT_SIGNALS, *DIFFERENCE_SIGNALS)
_FOR = (
    "ratio winkler sorted grams overlap covered soft squash core initials numbers codes base same_key type bag "
    "bag_info bag_rarest fact fact_info same_facts call_up call_down subject neighbor fields field_long field_best "
    "field_number margin margin_facts mutual common bag_twins fact_twins fields_twins long_twins neighbor_twins "
    "vouched".split()
)
_AGAINST = (
    "missing_small missing_large soft_known ambiguous slash clash field_clash call_rival wider rank rank_far".split()
)
DIRECTION = {
    **dict.fromkeys(_FOR, 1),
    **dict.fromkeys(_AGAINST, -1),
    **dict(zip(DIFFERENCE_SIGNALS, DIFFERENCE_DIRECTION, strict=True)),
}
"""Which way a signal speaks, whatever the graph: +1 more of it never speaks against a pair, -1 never for it."""
WEAK_TYPES = frozenset(
    {"", "unknown", "concept", "topic", "entity", "thing", "other", "misc", "object", "none", "general", "item"}
)
"""Types that say nothing: an extractor that could not decide writes one of these. Source: data/bloat/README.md
("Types drift"), and the catch-all classes of common extraction schemas."""


@dataclass(frozen=True, slots=True)
class PairTable:
    """Signals of candidate pairs.

    Attributes:
        table: shape (pairs, len(SIGNALS)); NaN where a signal does not apply (no fields, no facts on one side).
        difference: shape (pairs,), identity of what tells the two names apart, -1 if that cannot recur.
        name_pair: shape (pairs,), identity of the pair of distinct names.
    """

    table: NDArray[np.float32]
    difference: Ints
    name_pair: Ints

    def signal(self, name: str) -> Floats:
        """One of `SIGNALS`, shape (pairs,), 0 where it does not apply."""
        return np.nan_to_num(self.table[:, SIGNALS.index(name)].astype(np.float64))

    def usual_among_twins(self, source: str) -> float | None:
        """How much of a signal records of one name usually have in common in this graph; None if too few tell."""
        return _usual_among_twins(self.table, source)


def pair_signals(corpus: Corpus, mentions: Mentions, candidates: Candidates, workers: int = 1) -> PairTable:
    """Signals of every candidate pair."""
    left, right = candidates.left, candidates.right
    out = np.full((len(left), len(SIGNALS)), np.nan, dtype=np.float32)
    if not len(left):
        return PairTable(out, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    column = {name: i for i, name in enumerate(SIGNALS)}
    key_a, key_b = corpus.of_key[left], corpus.of_key[right]
    low, high = np.minimum(key_a, key_b), np.maximum(key_a, key_b)
    code, back = np.unique(low * len(corpus.forms) + high, return_inverse=True)
    by_name, difference = name_signals(corpus, code // len(corpus.forms), code % len(corpus.forms), workers)
    out[:, : len(NAME_SIGNALS)] = by_name[back]
    overlap = by_name[:, NAME_SIGNALS.index("overlap")]
    apart = difference_signals(corpus, code // len(corpus.forms), code % len(corpus.forms), overlap)
    out[:, len(SIGNALS) - len(DIFFERENCE_SIGNALS) :] = apart[back]
    out[:, column["same_key"]] = key_a == key_b
    out[:, column["type"]] = _type_signal(corpus, left, right)
    facts = np.diff(corpus.fact_start)
    fewest = np.minimum(facts[left], facts[right])
    out[:, column["facts_small"]] = np.log1p(fewest)
    talk = _FactSignals(corpus, left, right)
    for name in ("bag", "bag_info", "bag_rarest", "fact", "fact_info", "same_facts", "clash"):
        out[:, column[name]] = np.where(fewest > 0, getattr(talk, name), np.nan)
    has_neighbors = np.diff(corpus.neighbors.indptr) > 0
    both = has_neighbors[left] & has_neighbors[right]
    near = cosine(corpus.neighbors, left, right)
    out[:, column["neighbor"]] = np.where(both, near, np.nan)
    out[:, column["neighbor_both"]] = both
    for name, values in mention_signals(corpus, mentions, left, right).items():
        out[:, column[name]] = values
    for name, values in _field_signals(corpus, left, right).items():
        out[:, column[name]] = values
    _relative(corpus, candidates, out, column)
    out[:, column["kinds"]] = graph_kinds(corpus)
    _against_twins(out, column)
    out[:, column["vouched"]] = _vouched(out, column)
    return PairTable(out, difference[back], back.astype(np.int64))


def _against_twins(out: NDArray[np.float32], column: dict[str, int]) -> None:
    """What two records share, as a part of what the records of one name share in this graph.

    Where namesakes usually repeat one another's facts, a pair that repeats none is two things; where they never do,
    silence says nothing. Written into the `*_twins` columns; NaN where there are too few namesakes to tell.
    """
    for source, name in (
        ("bag", "bag_twins"), ("fact", "fact_twins"), ("fields", "fields_twins"), ("field_long", "long_twins"),
        ("neighbor", "neighbor_twins"),
    ):  # fmt: skip
        usual = _usual_among_twins(out, source)
        if usual is not None:
            out[:, column[name]] = np.minimum(out[:, column[source]] / max(usual, TWIN_FLOOR), 1.5)


def _usual_among_twins(table: NDArray[np.float32], source: str) -> float | None:
    twins = (table[:, SIGNALS.index("squash")] == 1) | (table[:, SIGNALS.index("sorted")] >= TWIN_NAMES)
    values = table[:, SIGNALS.index(source)]
    told = values[twins & ~np.isnan(values)]
    return float(np.quantile(told, TWIN_QUANTILE)) if len(told) >= LEAST_TWINS else None


def _vouched(out: NDArray[np.float32], column: dict[str, int]) -> Floats:
    """How often what is said vouches for names as alike as these, in this graph.

    Names and facts are independent witnesses: among pairs of one degree of name similarity, the mean of what they
    share lies between that of chance pairs and that of true ones, and tells how many of them are true. Pairs are
    grouped by name similarity; chance is the group of the least alike names, truth the best of the namesakes.

    Returns:
        Shape (pairs,), estimated share of true pairs among those with names like these; NaN if nothing vouches.
    """
    alike = (out[:, column["sorted"]] + out[:, column["grams"]] + out[:, column["overlap"]]).astype(np.float64) / 3.0
    alike = np.where(out[:, column["squash"]] == 1, 1.01, alike)
    group = np.searchsorted(NAME_STEPS, alike, side="right")
    count = len(NAME_STEPS) + 1
    total, weight = np.zeros(count), np.zeros(count)
    for source in ("bag", "fields", "neighbor"):
        values = out[:, column[source]].astype(np.float64)
        told = ~np.isnan(values)
        twins = values[told & (alike >= TWIN_NAMES)]
        apart = values[told & (group <= CHANCE_GROUPS)]
        if len(twins) < LEAST_TWINS or len(apart) < LEAST_TWINS:
            continue
        chance, truth = float(apart.mean()), float(np.quantile(twins, TWIN_QUANTILE))
        apart_by = truth - chance
        if apart_by <= TWIN_FLOOR:
            continue
        seen = np.bincount(group[told], minlength=count)
        mean = np.bincount(group[told], values[told], count) / np.maximum(1, seen)
        share = np.clip((mean - chance) / apart_by, 0.0, 1.0)
        worth = apart_by * np.minimum(1.0, seen / LEAST_TWINS)
        total += worth * share
        weight += worth
    return np.asarray(np.where(weight > 0, total / np.maximum(weight, 1e-9), np.nan)[group])


def graph_kinds(corpus: Corpus) -> float:
    """How many kinds of things the graph holds: exp of the entropy of its telling types, 1 for a list of one kind."""
    weak = np.array([t in WEAK_TYPES for t in corpus.type_names])
    seen = np.bincount(corpus.types, minlength=len(corpus.type_names))[~weak]
    share = seen[seen > 0] / max(1, seen.sum())
    return float(np.exp(-(share * np.log(share)).sum())) if len(share) else 1.0


def _type_signal(corpus: Corpus, left: Ints, right: Ints) -> Floats:
    """1 the same telling type, 0 at least one says nothing, -1 two different telling types."""
    weak = np.array([t in WEAK_TYPES for t in corpus.type_names])
    a, b = corpus.types[left], corpus.types[right]
    return np.where(weak[a] | weak[b], 0.0, np.where(a == b, 1.0, -1.0))


class _FactSignals:
    """What two records say in common: whole bags, the best pair of single facts, equal facts."""

    def __init__(self, corpus: Corpus, left: Ints, right: Ints) -> None:
        bag = corpus.bag
        shared = bag[left].multiply(bag[right]).tocsr()
        self.bag = np.asarray(shared.sum(axis=1), dtype=np.float64).ravel()
        rarity = _rarity(corpus)
        present = shared.copy()
        present.data = rarity[present.indices]
        self.bag_info = np.log1p(np.asarray(present.sum(axis=1), dtype=np.float64).ravel())
        self.bag_rarest = np.asarray(present.max(axis=1).todense(), dtype=np.float64).ravel()
        self.fact = np.zeros(len(left))
        self.fact_info = np.zeros(len(left))
        self.same_facts = np.zeros(len(left))
        self.clash = np.zeros(len(left))
        self._best_facts(corpus, left, right, rarity)

    def _best_facts(self, corpus: Corpus, left: Ints, right: Ints, rarity: Floats) -> None:
        worth = np.flatnonzero(self.bag > 0.02)
        if not len(worth):
            return
        owner, ours, theirs = _fact_pairs(corpus.fact_start, worth, left[worth], right[worth])
        figure = np.array([w in CALENDAR or any(c.isdigit() for c in w) for w in corpus.fact_vocabulary] or [False])
        plain, figures = corpus.facts.copy(), corpus.facts.copy()
        plain.data = np.where(figure[plain.indices], 0.0, plain.data)
        figures.data = np.where(figure[figures.indices], 1.0, 0.0)
        length = np.sqrt(np.asarray(plain.multiply(plain).sum(axis=1)).ravel())
        count = np.asarray(figures.sum(axis=1)).ravel()
        for begin in range(0, len(owner), CHUNK):
            part = slice(begin, begin + CHUNK)
            shared = corpus.facts[ours[part]].multiply(corpus.facts[theirs[part]]).tocsr()
            similar = np.asarray(shared.sum(axis=1), dtype=np.float64).ravel()
            shared.data = rarity[shared.indices]
            info = np.asarray(shared.sum(axis=1), dtype=np.float64).ravel()
            np.maximum.at(self.fact, owner[part], similar)
            np.maximum.at(self.fact_info, owner[part], info * similar)
            norm = np.maximum(1e-9, length[ours[part]] * length[theirs[part]])
            frame = np.asarray(plain[ours[part]].multiply(plain[theirs[part]]).sum(axis=1)).ravel() / norm
            common = np.asarray(figures[ours[part]].multiply(figures[theirs[part]]).sum(axis=1)).ravel()
            differs = (count[ours[part]] > common) & (count[theirs[part]] > common)
            np.maximum.at(self.clash, owner[part], np.where(differs, frame, 0.0))
            np.add.at(self.same_facts, owner[part], corpus.fact_key[ours[part]] == corpus.fact_key[theirs[part]])
        self.same_facts = np.log1p(self.same_facts)


def _fact_pairs(start: Ints, owner: Ints, left: Ints, right: Ints) -> tuple[Ints, Ints, Ints]:
    """Pairs of facts of pairs of records, about `FACT_PAIRS` of each at most: those of the first facts.

    Args:
        start: shape (records + 1,), rows of facts that belong to a record.
        owner: shape (pairs,), what to call each pair of records.
        left, right: shape (pairs,), its records.

    Returns:
        Three of shape (fact pairs,): the owner, the fact of its left record, that of its right one.
    """
    size = np.diff(start)
    ours, theirs = size[left], size[right]
    many = ours * theirs > FACT_PAIRS
    few_ours = np.where(many, np.minimum(ours, np.maximum(8, FACT_PAIRS // np.maximum(1, theirs))), ours)
    few_theirs = np.where(many, np.minimum(theirs, np.maximum(8, FACT_PAIRS // np.maximum(1, ours))), theirs)
    count = few_ours * few_theirs
    pair = np.repeat(np.arange(len(owner)), count)
    at = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
    return owner[pair], start[left][pair] + at // few_theirs[pair], start[right][pair] + at % few_theirs[pair]


def _rarity(corpus: Corpus) -> Floats:
    seen = np.bincount(corpus.bag.indices, minlength=corpus.bag.shape[1])
    return np.asarray(np.log((corpus.bag.shape[0] + 1.0) / (seen + 0.5)))


def _field_signals(corpus: Corpus, left: Ints, right: Ints) -> dict[str, Floats]:
    """Agreement of `key: value` fields.

    Returns:
        Per pair, NaN where no such field is on both sides: `fields` mean similarity of the short fields, weighted by
        how much their values tell; `field_long` the same of texts; `field_clash` how telling the most telling short
        field is that disagrees; `field_best` surprise of the best agreement; `field_number` numbers agree or not.
    """
    n = len(left)
    out = {name: np.full(n, np.nan) for name in ("field_clash", "field_best", "field_number")}
    total = {False: np.zeros(n), True: np.zeros(n)}
    weight = {False: np.zeros(n), True: np.zeros(n)}
    for field in corpus.fields:
        both = field.present[left] & field.present[right]
        if not both.any():
            continue
        a, b = left[both], right[both]
        if field.numeric:
            agrees = np.where(field.value[a] == field.value[b], 1.0, -1.0)
            out["field_number"][both] = np.fmin(out["field_number"][both], agrees)
            continue
        similar = cosine(field.matrix, a, b)
        told = float(field.surprise[field.present].mean()) / np.log(len(corpus) + 1.0)
        total[field.long][both] += told * similar
        weight[field.long][both] += told
        surprise = similar * np.minimum(field.surprise[a], field.surprise[b])
        out["field_best"][both] = np.fmax(out["field_best"][both], surprise)
        if not field.long:
            out["field_clash"][both] = np.fmax(out["field_clash"][both], told * (1.0 - similar))
    for name, long in (("fields", False), ("field_long", True)):
        out[name] = np.where(weight[long] > 0, total[long] / np.maximum(weight[long], 1e-9), np.nan)
    return out


def _relative(corpus: Corpus, candidates: Candidates, out: NDArray[np.float32], column: dict[str, int]) -> None:
    """Signals that compare a pair with the other candidates of its two records."""
    left, right = candidates.left, candidates.right
    name = np.maximum(out[:, column["sorted"]], np.maximum(out[:, column["grams"]], out[:, column["overlap"]]))
    facts = np.nan_to_num(out[:, column["bag"]])
    base = (name + 0.5 * facts).astype(np.float64)
    place_l, place_r, margin_l, margin_r = _standing(left, right, base, len(corpus))
    out[:, column["rank"]] = np.log1p(np.minimum(place_l, place_r))
    out[:, column["rank_far"]] = np.log1p(np.maximum(place_l, place_r))
    out[:, column["margin"]] = np.minimum(margin_l, margin_r)
    out[:, column["mutual"]] = (place_l == 0) & (place_r == 0)
    _, _, fact_l, fact_r = _standing(left, right, facts.astype(np.float64), len(corpus))
    out[:, column["margin_facts"]] = np.minimum(fact_l, fact_r)
    out[:, column["common"]] = _common(left, right, base, len(corpus))


def _standing(left: Ints, right: Ints, score: Floats, n: int) -> tuple[Ints, Ints, Floats, Floats]:
    """Place of the pair in each record's list, and its lead over the best other pair of that record."""
    listed = best_first(left, right, score, n)
    sorted_score = score[listed.entry % max(1, len(score))]
    fresh = np.concatenate(([True], (sorted_score[1:] != sorted_score[:-1]) | (listed.who[1:] != listed.who[:-1])))
    # equal scores share the better place, so that the order of records does not matter
    first = np.maximum.accumulate(np.where(fresh, np.arange(len(fresh)), 0))
    place = np.empty(len(fresh), dtype=np.int64)
    place[listed.entry] = listed.place[first]
    top, second = two_best(listed, score, 0.0)

    def lead(who: Ints) -> Floats:
        return np.where(score >= top[who], score - second[who], score - top[who])

    return place[: len(left)], place[len(left) :], lead(left), lead(right)


def _common(left: Ints, right: Ints, score: Floats, n: int) -> Floats:
    """Share of strong candidates that the two records have in common (cosine of their candidate lists)."""
    strong = score >= 0.5
    rows = np.concatenate((left[strong], right[strong], np.arange(n)))
    cols = np.concatenate((right[strong], left[strong], np.arange(n)))
    graph = sparse.csr_matrix((np.concatenate((score[strong], score[strong], np.ones(n))), (rows, cols)), shape=(n, n))
    norm = np.sqrt(np.asarray(graph.multiply(graph).sum(axis=1)).ravel())
    unit = sparse.csr_matrix(sparse.diags(1.0 / norm) @ graph)
    return cosine(unit, left, right)
