"""Make the shipped calibration of facts from labelled memories.

    bloat.py --entities 1k --vocab VOCABULARY --profile PROFILE --seed SEED --out graphs/NAME
    history.py GITDIR histories/NAME.jsonl.gz histories/NAME.gold.json --limit 3000
    python -m graphdream.facts.train --graphs graphs/*.jsonl.gz --histories histories/*.jsonl.gz --out calibration.json

Scorers are trained on all sets. What their scores are worth is read off scorers that had not seen the set's family: the
repository of a history, the whole vocabulary of a generated graph. Nothing of a text is kept; the artefact is numbers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import emptiness, signals
from graphdream.facts.calibration import QUESTIONS, Calibration, Judge
from graphdream.facts.labelled import Asked, LabelledFacts, read_labelled
from graphdream.scoring.boosting import Boosting, fit_trees
from graphdream.scoring.curve import Curve, isotonic, rising
from graphdream.scoring.trees import Floats, Trees

SETTINGS = Boosting(rounds=240, depth=5)
FOLDS = 2
"""Parts that repositories are left out in; each vocabulary is a part of its own."""
MOST_FALSE = 1200
"""Rows with the answer no that are drawn from one set, at most, those of like texts four times as often."""
_LIKE, _OFTENER = 0.5, 4.0
_OF_PARTS = 0.35
_NAMES = {"same": signals.SIGNALS, "replaces": signals.SIGNALS, "empty": emptiness.SIGNALS}
_DIRECTION = {
    "same": {"cover_a": 1, "ratio": 1, "marks_differ": -1, "beside_differs": -1, "one_value": -1},
    "replaces": {"one_occasion": -1, "after": 1, "siblings_together": -1, "apart": 1, "alike_together_a": -1},
    "empty": {"cut_begin": 1, "cut_end": 1, "piece": 1, "name_piece": 1, "faulty": 1},
}
"""What is known of a signal before anything is seen: +1 speaks for yes, -1 against."""
REPORTED = (0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995)


def _drawn(asked: Asked) -> NDArray[np.int64]:
    known = np.flatnonzero(~np.isnan(asked.truth))
    no = known[asked.truth[known] == 0]
    if len(no) <= MOST_FALSE:
        return known
    odds = np.where(asked.table[no, 0] > _LIKE, _OFTENER, 1.0)
    kept = np.random.default_rng(len(no)).choice(no, MOST_FALSE, replace=False, p=odds / odds.sum())
    return np.sort(np.concatenate([known[asked.truth[known] == 1], kept]))


def _share(one: LabelledFacts) -> float:
    """Of the small memories made of one, all together weigh about as much as the whole."""
    return _OF_PARTS if "/" in one.name else 1.0


def _fit(sets: Sequence[LabelledFacts], question: str) -> Trees:
    rows = [_drawn(one.asked[question]) for one in sets]
    table = np.concatenate([one.asked[question].table[r] for one, r in zip(sets, rows, strict=True)])
    truth = np.concatenate([one.asked[question].truth[r] for one, r in zip(sets, rows, strict=True)])
    weight = np.concatenate(
        [np.full(len(r), _share(one) * max(1, len(r)) ** -0.5) for one, r in zip(sets, rows, strict=True)]
    )
    direction = [_DIRECTION[question].get(name, 0) for name in _NAMES[question]]
    return fit_trees(table, truth > 0.5, weight / weight.mean(), _NAMES[question], direction, SETTINGS)


def _parts(sets: Sequence[LabelledFacts]) -> list[set[str]]:
    """Families that are left out together."""
    real = sorted({one.family for one in sets if not one.generated})
    parts = [set(real[at::FOLDS]) for at in range(min(FOLDS, len(real)))]
    return [*parts, *({family} for family in sorted({one.family for one in sets if one.generated}))]


def left_out_scores(sets: Sequence[LabelledFacts], question: str) -> dict[str, Floats]:
    """Log-odds of each set's rows by scorers that never saw its family."""
    out: dict[str, Floats] = {}
    for part in _parts(sets):
        trees = _fit([one for one in sets if one.family not in part], question)
        for one in sets:
            if one.family in part:
                out[one.name] = trees.log_odds(one.asked[question].table, _NAMES[question])
    return out


def _calibrated(sets: Sequence[LabelledFacts], scores: dict[str, Floats], question: str) -> Curve:
    known = {one.name: ~np.isnan(one.asked[question].truth) for one in sets}
    blocks = isotonic(
        np.concatenate([scores[one.name][known[one.name]] for one in sets]),
        np.concatenate([one.asked[question].truth[known[one.name]] for one in sets]),
        np.concatenate([np.full(n, max(1, n) ** -0.5) for n in (int(known[one.name].sum()) for one in sets)]),
    )
    return Curve(tuple(b.mean for b in blocks), rising([b.share for b in blocks]))


def _measured(sets: Sequence[LabelledFacts], scores: dict[str, Floats], curve: Curve, question: str) -> dict[str, Any]:
    """By kind of set and family of graphs: at each probability, how many rows, how many wrong, share of the true."""
    out: dict[str, Any] = {}
    for kind in ("histories", *sorted({one.family for one in sets if one.generated})):
        mine = [one for one in sets if (one.family == kind if one.generated else kind == "histories")]
        truth = np.concatenate([one.asked[question].truth for one in mine])
        worth = np.concatenate([curve.at(scores[one.name]) for one in mine])
        figures = {}
        for cut in REPORTED:
            above = worth >= cut
            yes, no = int((above & (truth == 1)).sum()), int((above & (truth == 0)).sum())
            share = yes / max(1, int((truth == 1).sum()))
            figures[str(cut)] = {"rows": yes + no, "wrong": no, "found": round(share, 4)}
        out[kind] = figures
    return out


def make_judge(sets: Sequence[LabelledFacts], question: str) -> Judge:
    """Train on all sets; read what scores are worth off sets left out."""
    scores = left_out_scores(sets, question)
    curve = _calibrated(sets, scores, question)
    return Judge(_fit(sets, question), curve, _measured(sets, scores, curve, question))


def _job(sets: Sequence[LabelledFacts], question: str) -> Judge:
    return make_judge(sets, question)


def main(argv: Sequence[str] | None = None) -> None:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(description="Train and calibrate the judgement of facts.")
    parser.add_argument("--graphs", nargs="+", type=Path, required=True, help="bloated graphs, truth beside them")
    parser.add_argument("--histories", nargs="+", type=Path, required=True, help="histories of real notes, likewise")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    paths = sorted(path for path in (*args.graphs, *args.histories) if ".gold." not in path.name)
    with ProcessPoolExecutor(2) as pool:
        sets = [one for found in pool.map(read_labelled, paths) for one in found]
        judges = list(pool.map(_job, [sets] * len(QUESTIONS), QUESTIONS))
    graphs = " ".join(sorted(path.name.split(".")[0] for path in args.graphs if ".gold." not in path.name))
    count = len([path for path in args.histories if ".gold." not in path.name])
    command = f"python -m graphdream.facts.train --graphs {graphs} --histories ({count} repositories)"
    same, replaces, empty = judges
    calibration = Calibration(same, replaces, empty, command)
    args.out.write_text(json.dumps(calibration.to_json(), separators=(",", ":")) + "\n", encoding="utf-8")
    for question, judge in zip(QUESTIONS, judges, strict=True):
        for kind, figures in judge.measured.items():
            for cut, found in figures.items():
                print(f"{question} {kind} {cut}: {found['rows']}, wrong {found['wrong']}, found {found['found']:.3f}")


if __name__ == "__main__":
    main()
