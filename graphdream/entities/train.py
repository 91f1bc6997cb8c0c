"""Make the shipped calibration from labelled graphs.

    bloat.py --entities 3k --profile PROFILE --seed SEED --out graphs/b_PROFILE_SEED   # clean: --entities 1k
    bloat.py --entities 6k --profile PROFILE --seed SEED --out graphs/b_PROFILE_SEED   # clean: --entities 2k
    python -m graphdream.entities.train --lists DATA/er/*.jsonl.gz --graphs graphs/*.jsonl.gz --out calibration.json

Each expert is trained on its sets; what its scores are worth is read off sets that were left out, never off those it
saw. The graphs come from the generator of `data/bloat`, with other seeds than those of its sets; the artefact names
them: three each of the profiles mixed, audit, chat, docs and clean, the third (seeds from 311) twice as large.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphdream.entities import owncut
from graphdream.entities.blocking import Candidates
from graphdream.entities.calibration import Calibration, Expert, retell
from graphdream.entities.closure import PLACES, Closure, measure_closure
from graphdream.entities.clustering import cluster_pairs
from graphdream.entities.corpus import Floats
from graphdream.entities.evidence import EVIDENCE, EVIDENCE_DIRECTION, Evidence, hear_evidence
from graphdream.entities.evidence import KINDS as KINDS_OF_NAMES
from graphdream.entities.examples import Example, example, fit_scorer, left_out_scores, parts_of
from graphdream.entities.guards import hard_pairs
from graphdream.entities.isolation import HIGHEST, STEP, stand_off
from graphdream.entities.labelled import read_entities, read_graph
from graphdream.entities.prior import Prior, find_support
from graphdream.entities.samples import small_pieces
from graphdream.entities.scorer import compare
from graphdream.entities.witnesses import KINDS, hear_witnesses
from graphdream.scoring.boosting import Boosting, fit_trees
from graphdream.scoring.curve import Curve, isotonic, rising
from graphdream.scoring.trees import Trees

UNHEARD = Curve((0.0,), (0.5,))
"""What an agreement is worth of which no labelled set has any."""
WITHIN = 2.0
"""Times the wrong merges asked for that all families of lists but the worst may have. Who asks for 1 % is to
meet at most 2 % on eight of ten sets."""
FEWEST_PAIRS, FEWEST_FAMILIES = 50, 3
"""Pairs of a family below which one wrong pair is more than 2 %, and families needed to leave out the worst."""
LIST_FOLDS, GRAPH_FOLDS = 8, 3
"""Parts that the families are left out in; eight leave every list out by itself."""
PIECES, PRIOR_FOLDS = 60, 3
"""Small pieces of each labelled graph, and parts that the families are left out in."""
PRIOR_SETTINGS = Boosting(rounds=60, depth=3, least=60, columns=1.0)
LIST_SETTINGS = Boosting(rounds=100, depth=3)
GRAPH_SETTINGS = Boosting(rounds=150, depth=5)


def pair_f1(e: Example, log_odds: Floats, cut: float) -> tuple[float, float, float]:
    """Pairwise precision, recall and F1 of the clusters at a cut, over records whose truth is sure."""
    hit, placed, gold = pair_counts(e, log_odds, cut)
    p, r = hit / placed if placed else 1.0, hit / gold if gold else 1.0
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


def pair_counts(
    e: Example, log_odds: Floats, cut: float, apart: Sequence[tuple[int, int]] = ()
) -> tuple[int, int, int]:
    """True pairs that clusters at a cut place together, all that they do, and all true ones; sure records only."""
    c = e.compared.candidates
    never = [*hard_pairs(c, e.compared.pairs), *apart]
    labels = cluster_pairs(len(e.compared.records), c.left, c.right, log_odds, cut=cut, apart=never)
    cell: dict[tuple[int, str], int] = {}
    size: dict[int, int] = {}
    for label, truth in zip(labels.tolist(), e.labelled.truth, strict=True):
        if len(truth) == 1:
            key = (label, next(iter(truth)))
            cell[key] = cell.get(key, 0) + 1
            size[label] = size.get(label, 0) + 1
    hit = sum(n * (n - 1) // 2 for n in cell.values())
    return hit, sum(n * (n - 1) // 2 for n in size.values()), e.labelled.gold_pairs()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A set scored by a scorer that never saw its family.

    Attributes:
        example: the set.
        log_odds: shape (pairs,).
        closure: what its own cut is read off, without its labels.
        f1: pairwise F1 at each of `closure.PLACES`.
    """

    example: Example
    log_odds: Floats
    closure: Closure
    f1: Mapping[float, float]


def left_out(example: Example, log_odds: Floats) -> LeftOut:
    """Measure a set at every place where its cut may lie."""
    c = example.compared.candidates
    closure = measure_closure(len(example.compared.records), c.left, c.right, log_odds)
    return LeftOut(example, log_odds, closure, {cut: pair_f1(example, log_odds, cut)[2] for cut in PLACES.tolist()})


def usual_cut(sets: Sequence[LeftOut]) -> float:
    """The cut near which sets find their own best ones on the mean (pairwise F1)."""
    places: list[float] = PLACES.tolist()
    return max(places, key=lambda usual: float(np.mean([x.f1[x.closure.cut(usual)] for x in sets])))


USUAL = np.arange(-1.0, 3.01, 0.25)
"""Log-odds at which the cuts of scores that are told again may usually lie."""


@dataclass(frozen=True, slots=True)
class Retold:
    """A left-out set whose scores are told again in its own terms.

    Attributes:
        example: the set.
        log_odds: shape (pairs,).
        own: what it says of its cut.
        f1: pairwise F1 at each of `owncut.PLACES`.
    """

    example: Example
    log_odds: Floats
    own: owncut.OwnCut
    f1: Mapping[float, float]


def told_again(x: LeftOut, usual: float) -> Retold:
    """Tell a left-out set's scores again.

    Args:
        x: the set, scored by trees.
        usual: cut of the trees (`usual_cut`).
    """
    e = x.example
    log_odds = retell(e.compared, x.log_odds, x.closure.cut(usual))
    f1 = {cut: pair_f1(e, log_odds, cut)[2] for cut in owncut.PLACES.tolist()}
    return Retold(e, log_odds, owncut.measure_own_cut(log_odds), f1)


def usual_own_cut(sets: Sequence[Retold]) -> float:
    """The cut near which sets whose scores are told again find their own best ones on the mean (pairwise F1).

    The mean is smoothed over neighbouring places, twice: the best place matters less than a broad one, since one set
    more or less moves it.
    """
    mean = np.array([float(np.mean([x.f1[x.own.at(usual)] for x in sets])) for usual in USUAL.tolist()])
    for _ in range(2):
        mean = _smooth(mean)
    return float(USUAL[np.argmax(mean)])


def _smooth(values: Floats) -> Floats:
    """Each value averaged with its neighbours, which weigh half; shape kept."""
    padded = np.concatenate((values[:1], values, values[-1:]))
    return np.asarray(0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:])


def calibrated(scored: Sequence[tuple[Example, Floats]]) -> Curve:
    """What a log-odds is worth, over sets of like weight, each with the scores of its pairs."""
    blocks = isotonic(
        np.concatenate([scores[e.known] for e, scores in scored]),
        np.concatenate([e.same[e.known] for e, _ in scored]).astype(np.float64),
        np.concatenate([np.full(int(e.known.sum()), max(1, int(e.known.sum())) ** -0.5) for e, _ in scored]),
    )
    return Curve(tuple(b.mean for b in blocks), rising([b.share for b in blocks]))


def agreement_curves(examples: Sequence[Example]) -> tuple[Curve, ...]:
    """For each of `witnesses.KINDS`, what the weight of an agreement is worth; every pair of every set counts alike."""
    heard = [hear_witnesses(e.compared.corpus, e.compared.pairs) for e in examples]
    curves = []
    for kind in range(len(KINDS)):
        rows = [(h.kind == kind) & e.known for h, e in zip(heard, examples, strict=True)]
        weight = np.concatenate([h.weight[r] for h, r in zip(heard, rows, strict=True)])
        same = np.concatenate([e.same[r] for e, r in zip(examples, rows, strict=True)]).astype(np.float64)
        if len(weight):
            blocks = isotonic(weight, same, np.ones(len(weight)))
            # level within a block: a weight is worth no more than its own block, however strong the next one is
            steps = [edge for b in blocks for edge in (b.first, b.last)]
            curves.append(Curve(tuple(steps), rising([b.share for b in blocks for _ in range(2)])))
        else:
            curves.append(UNHEARD)
    return tuple(curves)


def isolation(e: Example, log_odds: Floats, usual: float, usual_own: float) -> Floats:
    """How far the groups of a set's pairs stand off (isolation.py), as the expert would find it.

    Args:
        e: the set.
        log_odds: shape (pairs,), by trees that had not seen its family.
        usual: cut of the trees (`usual_cut`).
        usual_own: cut of scores that are told again (`usual_own_cut`).
    """
    c = e.compared.candidates
    cut = measure_closure(len(e.compared.records), c.left, c.right, log_odds).cut(usual)
    told = retell(e.compared, log_odds, cut)
    return stand_off(e.compared, told - owncut.measure_own_cut(told).at(usual_own))


def isolation_curve(sets: Sequence[tuple[Example, Floats]]) -> Curve:
    """What standing off is worth.

    Lists, not pairs, are what is drawn when a new one comes: many pairs of one list say little of another. So at each
    isolation the share of wrong pairs among those that stand off as far is read off every family of lists, whole, in
    halves and in quarters, the worst of which counts: a thin list has fewer look-alikes in it, and what is alone there
    is so by chance. What all families but the worst keep is what it is worth. Asked for less than that, a list like
    them finds at most `WITHIN` times as much, and the usual one finds less than what was asked.

    Args:
        sets: each with the isolation of its pairs, shape (pairs,).
    """
    steps = np.arange(0.0, HIGHEST, STEP)
    worth = np.zeros(len(steps))
    for at, step in enumerate(steps.tolist()[1:], start=1):
        seen: dict[tuple[str, int], tuple[int, int]] = {}
        for e, isolated in sets:
            rows = e.known & (isolated >= step)
            pairs, wrong = seen.get((e.labelled.family, e.parts), (0, 0))
            seen[e.labelled.family, e.parts] = (pairs + int(rows.sum()), wrong + int((rows & ~e.same).sum()))
        worst: dict[str, float] = {}
        for (family, _), (pairs, wrong) in seen.items():
            if pairs >= FEWEST_PAIRS:
                worst[family] = max(worst.get(family, 0.0), wrong / pairs)
        rates = sorted(worst.values())
        worth[at] = 1.0 - rates[-2] / WITHIN if len(rates) >= FEWEST_FAMILIES else 0.0
    return Curve(tuple(steps.tolist()), rising(worth.tolist()))


def make_expert(examples: Sequence[Example], how: Boosting, folds: int, of_lists: bool) -> Expert:
    """Train on all, calibrate on what was left out.

    Args:
        examples: compared sets.
        how: settings of the scorer.
        folds: parts that the families are left out in.
        of_lists: whether scores are told again in each set's own terms, and only what two witnesses agree on, or what
            stands off from all others, counts inside an error budget.
    """
    parts = [part for e in examples for part in parts_of(e.labelled)] if of_lists else []
    scores = left_out_scores(examples, how, folds, parts)
    sets = [left_out(e, scores[e.labelled.name]) for e in examples]
    usual = usual_cut(sets)
    retold = [told_again(x, usual) for x in sets] if of_lists else []
    own_cut = usual_own_cut(retold) if of_lists else None
    if own_cut is None:
        cuts = [(x.example, x.log_odds, x.closure.cut(usual)) for x in sets]
    else:
        cuts = [(x.example, x.log_odds, x.own.at(own_cut)) for x in retold]
    measured = {}
    for e, log_odds, cut in cuts:
        p, r, f = pair_f1(e, log_odds, cut)
        measured[e.labelled.name] = {"precision": round(p, 4), "recall": round(r, 4), "f1": round(f, 4)}
    return Expert(
        scorer=fit_scorer(examples, how),
        usual_cut=usual,
        calibrated=calibrated([(e, log_odds) for e, log_odds, _ in cuts]),
        sets=tuple(e.labelled.name for e in examples),
        agreed=agreement_curves([*examples, *parts]) if of_lists else (),
        isolated=None
        if own_cut is None
        else isolation_curve([(e, isolation(e, scores[e.labelled.name], usual, own_cut)) for e in (*examples, *parts)]),
        own_cut=own_cut,
        measured=measured,
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """A small piece of a labelled graph: its family, pairs and their evidence, and what is known of them."""

    family: str
    candidates: Candidates
    evidence: Evidence
    same: NDArray[np.bool_]
    known: NDArray[np.bool_]


def prior_pieces(examples: Sequence[Example]) -> list[Piece]:
    """Small pieces of labelled graphs, with the evidence of their pairs."""
    out = []
    for e in examples:
        for piece in small_pieces(e.labelled, e.compared, PIECES, seed=len(e.labelled.records)):
            compared = compare(piece.records)
            same, known = piece.same(compared.candidates)
            heard = hear_evidence(compared.records, compared.corpus, compared.candidates, compared.pairs)
            out.append(Piece(e.labelled.family, compared.candidates, heard, same, known))
    return out


def make_prior(examples: Sequence[Example]) -> Prior:
    """What kinds of evidence are worth in small graphs; curves are read off families that were left out."""
    pieces = prior_pieces(examples)
    families = sorted({piece.family for piece in pieces})
    place = {family: at % PRIOR_FOLDS for at, family in enumerate(families)}
    folds = [(_kind_trees([p for p in pieces if place[p.family] != at]), at) for at in range(PRIOR_FOLDS)]
    scored = [(p, _kind_scores(trees, p.evidence)) for trees, at in folds for p in pieces if place[p.family] == at]
    every = [np.ones(len(p.same), dtype=np.bool_) for p, _ in scored]
    curves = _kind_curves(scored, every)
    worth = Prior((), curves, ())
    third = [find_support(p.candidates, worth.read(p.evidence, scores)) for p, scores in scored]
    return Prior(_kind_trees(pieces), curves, _kind_curves(scored, third))


def _kind_trees(pieces: Sequence[Piece]) -> tuple[Trees, ...]:
    out = []
    for kind in range(len(KINDS_OF_NAMES)):
        rows = [p.known & (p.evidence.kind == kind) for p in pieces]
        table = np.concatenate([p.evidence.table[mine] for p, mine in zip(pieces, rows, strict=True)])
        same = np.concatenate([p.same[mine] for p, mine in zip(pieces, rows, strict=True)])
        out.append(fit_trees(table, same, np.ones(len(same)), EVIDENCE, EVIDENCE_DIRECTION, PRIOR_SETTINGS))
    return tuple(out)


def _kind_scores(trees: Sequence[Trees], evidence: Evidence) -> Floats:
    out = np.full(len(evidence.kind), -np.inf)
    for kind in range(len(KINDS_OF_NAMES)):
        mine = evidence.kind == kind
        out[mine] = trees[kind].log_odds(evidence.table[mine], EVIDENCE)
    return out


def _kind_curves(scored: Sequence[tuple[Piece, Floats]], counted: Sequence[NDArray[np.bool_]]) -> tuple[Curve, ...]:
    """What scores are worth, by kind, over the known pairs that count."""
    out = []
    for kind in range(len(KINDS_OF_NAMES)):
        rows = [p.known & (p.evidence.kind == kind) & c for (p, _), c in zip(scored, counted, strict=True)]
        scores = np.concatenate([s[mine] for (_, s), mine in zip(scored, rows, strict=True)])
        same = np.concatenate([p.same[mine] for (p, _), mine in zip(scored, rows, strict=True)])
        blocks = isotonic(scores, same.astype(np.float64), np.ones(len(same)))
        out.append(Curve(tuple(b.mean for b in blocks), rising([b.share for b in blocks])))
    return tuple(out)


def _job(paths: Sequence[Path], graphs: bool) -> tuple[Expert, Prior | None]:
    if not graphs:
        return make_expert([example(read_entities(p)) for p in paths], LIST_SETTINGS, LIST_FOLDS, of_lists=True), None
    examples = [example(read_graph(p)) for p in paths]
    return make_expert(examples, GRAPH_SETTINGS, GRAPH_FOLDS, of_lists=False), make_prior(examples)


def main(argv: Sequence[str] | None = None) -> None:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(description="Train and calibrate the resolver.")
    parser.add_argument("--lists", nargs="+", type=Path, required=True, help="entity sets, data/er format")
    parser.add_argument("--graphs", nargs="+", type=Path, required=True, help="bloated graphs, truth beside them")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    graphs = [p for p in args.graphs if ".gold." not in p.name]
    with ProcessPoolExecutor(2) as pool:
        (memory, prior), (listing, _) = pool.map(_job, (graphs, args.lists), (True, False))
    assert prior is not None, "the graphs are what the prior is made from"
    names = " ".join(sorted(p.name.split(".")[0] for p in (*args.lists, *graphs)))
    command = f"python -m graphdream.entities.train --lists er/*.jsonl.gz --graphs graphs/*.jsonl.gz ({names})"
    calibration = Calibration(memory, listing, prior, command)
    args.out.write_text(json.dumps(calibration.to_json(), separators=(",", ":")) + "\n", encoding="utf-8")
    for name, figures in {**memory.measured, **listing.measured}.items():
        print(f"{name:28s} P {figures['precision']:.3f} R {figures['recall']:.3f} F1 {figures['f1']:.3f}")


if __name__ == "__main__":
    main()
