"""Every figure of the resolver in one run: ours left out, per set, beside doing nothing and other systems.

    python bench/resolve.py [--json OUT] [--skip-training] [--peers PYTHON [--peer-seconds S]] [--readme PAGE]

Labelled sets are looked for in $GRAPHDREAM_DATA, else ../shared/data beside the project. Entity sets are scored by a
scorer that never saw their family, with a cut that never saw them either. The memory graphs (`data/bloat`) are scored
by the shipped calibration, which was made from other seeds of their generator. `--peers` names an interpreter that has
splink, nodecanon and goldenmatch installed; those that are missing there are reported as not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

import peers  # noqa: E402  (the bench folder is not a package)
from page import write_between  # noqa: E402

from graphdream.entities import Record, resolve  # noqa: E402
from graphdream.entities.budget import cut_sure  # noqa: E402
from graphdream.entities.calibration import retell, weigh_agreement  # noqa: E402
from graphdream.entities.closure import measure_closure  # noqa: E402
from graphdream.entities.examples import Example, example, fit_scorer, left_out_scores, parts_of  # noqa: E402
from graphdream.entities.guards import guard_scores, hard_guards  # noqa: E402
from graphdream.entities.labelled import Labelled, read_entities, read_graph  # noqa: E402
from graphdream.entities.resolver import guarded_pairs  # noqa: E402
from graphdream.entities.train import (  # noqa: E402
    LIST_FOLDS,
    LIST_SETTINGS,
    agreement_curves,
    isolation,
    isolation_curve,
    left_out,
    pair_counts,
    pair_f1,
    told_again,
    usual_cut,
    usual_own_cut,
)
from graphdream.intervals import wilson  # noqa: E402
from graphdream.scoring.curve import Curve  # noqa: E402
from graphdream.scoring.trees import Floats  # noqa: E402

BUDGET = 0.01
GRAPH_BUDGET = 0.005
INSTALLED = ("splink", "nodecanon", "goldenmatch")
SECONDS_EACH = 300


def data_folder() -> Path:
    """Where the labelled sets are.

    Raises:
        SystemExit: they are nowhere.
    """
    folder = Path(os.environ.get("GRAPHDREAM_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "er").is_dir():
        raise SystemExit(f"NOT MEASURED: no labelled sets in {folder}; set GRAPHDREAM_DATA")
    return folder


def measure(labelled: Labelled, clusters: Mapping[str, str]) -> dict[str, float]:
    """Pairwise precision, recall, F1 and wrong merges over records that are something.

    A record that may be one of several things counts for the one that its cluster holds.
    """
    members: dict[str, list[int]] = {}
    for i, record in enumerate(labelled.records):
        members.setdefault(clusters[record.id], []).append(i)
    cell: dict[tuple[str, str], int] = {}
    wrong = 0
    for label, rows in members.items():
        sure = {t for i in rows if len(labelled.truth[i]) == 1 for t in labelled.truth[i]}
        held: set[str] = set()
        for i in rows:
            if labelled.truth[i]:
                cluster = min(labelled.truth[i] & sure or labelled.truth[i])
                cell[label, cluster] = cell.get((label, cluster), 0) + 1
                held.add(cluster)
        wrong += len(held) > 1
    placed: dict[str, int] = {}
    gold: dict[str, int] = {}
    for (label, cluster), n in cell.items():
        placed[label] = placed.get(label, 0) + n
        gold[cluster] = gold.get(cluster, 0) + n
    hit, together, true = (sum(n * (n - 1) // 2 for n in d.values()) for d in (cell, placed, gold))
    p, r = hit / together if together else 1.0, hit / true if true else 1.0
    return {"precision": p, "recall": r, "f1": 2 * p * r / (p + r) if p + r else 0.0, "wrong_merges": wrong}


def timed(
    run: Callable[[Sequence[Record]], Mapping[str, str]], records: Sequence[Record]
) -> tuple[Mapping[str, str], float]:
    """Clusters and CPU seconds."""
    start = time.process_time()
    clusters = run(records)
    return clusters, time.process_time() - start


def installed(python: str, name: str, labelled: Labelled, seconds: float) -> dict[str, float] | None:
    """Figures of an installed library, run by another interpreter; None where it fails or takes too long."""
    rows = "".join(
        json.dumps({"id": r.id, "name": r.name, "type": r.type, "attributes": r.attributes, "neighbors": r.neighbors})
        + "\n"
        for r in labelled.records
    )
    command = [python, str(ROOT / "bench" / "peers_installed.py"), name]
    try:
        done = subprocess.run(command, input=rows, capture_output=True, text=True, timeout=seconds, check=True)
    except (OSError, subprocess.SubprocessError) as fault:
        print(f"NOT MEASURED: {name} on {labelled.name}: {type(fault).__name__}", file=sys.stderr)
        return None
    answer = json.loads(done.stdout.splitlines()[-1])
    return {**measure(labelled, answer["clusters"]), "cpu_s": answer["cpu_s"]}


def others(labelled: Labelled, python: str | None, seconds: float = SECONDS_EACH) -> dict[str, dict[str, float] | None]:
    """Figures of every rule and installed library on one set."""
    rows: dict[str, dict[str, float] | None] = {}
    for name, rule in peers.RULES.items():
        clusters, cpu = timed(rule, labelled.records)
        rows[name] = {**measure(labelled, clusters), "cpu_s": cpu}
    for name in INSTALLED if python else ():
        rows[name] = installed(python, name, labelled, seconds)
    return rows


def lists_left_out(examples: Sequence[Example]) -> dict[str, dict[str, float]]:
    """Each set by a scorer, curves and cuts that never saw its family: not even the scorers behind the curves did."""
    families = sorted({e.labelled.family for e in examples})
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(_family_left_out, families, [examples] * len(families)))
    return {name: figures for one in found for name, figures in one.items()}


def _family_left_out(family: str, examples: Sequence[Example]) -> dict[str, dict[str, float]]:
    rest = [e for e in examples if e.labelled.family != family]
    rest_parts = [part for e in rest for part in parts_of(e.labelled)]
    scores = left_out_scores(rest, LIST_SETTINGS, LIST_FOLDS, rest_parts)
    sets = [left_out(e, scores[e.labelled.name]) for e in rest]
    usual = usual_cut(sets)
    usual_own = usual_own_cut([told_again(x, usual) for x in sets])
    agreed = agreement_curves([*rest, *rest_parts])
    isolated = isolation_curve(
        [(e, isolation(e, scores[e.labelled.name], usual, usual_own)) for e in (*rest, *rest_parts)]
    )
    scorer = fit_scorer(rest, LIST_SETTINGS)
    out = {}
    for e in examples:
        if e.labelled.family == family:
            mine = [e, *parts_of(e.labelled)]
            log_odds = [guard_scores(x.compared.pairs, scorer.log_odds(x.compared)) for x in mine]
            x = left_out(e, log_odds[0])
            own = told_again(x, usual)
            cut = own.own.at(usual_own)
            p, r, f = pair_f1(e, own.log_odds, cut)
            out[e.labelled.name] = {
                "precision": p, "recall": r, "f1": f, "cut": cut, "f1_usual_cut": x.f1[usual],
                "f1_best_cut": max(own.f1.values()), "blocking_recall": int(e.same.sum()) / e.labelled.gold_pairs(),
                "candidates_per_entity": len(e.same) / len(e.labelled.records),
                **_budgets(mine, log_odds, agreed, isolated, usual, usual_own),
            }  # fmt: skip
    return out


DENSITY = {1: "", 2: "_halves", 4: "_quarters"}


def _budgets(
    mine: Sequence[Example],
    log_odds: Sequence[Floats],
    agreed: Sequence[Curve],
    isolated: Curve,
    usual: float,
    usual_own: float,
) -> dict[str, float]:
    """False-merge rate found and recall reached where `BUDGET` was asked: of the whole, its halves, its quarters."""
    counts: dict[int, list[tuple[int, int, int]]] = {}
    for e, scores in zip(mine, log_odds, strict=True):
        c = e.compared.candidates
        closed = measure_closure(len(e.compared.records), c.left, c.right, scores).cut(usual)
        own = retell(e.compared, scores, closed)
        sure = isolated.at(isolation(e, scores, usual, usual_own))
        within = cut_sure(own, np.maximum(weigh_agreement(agreed, e.compared), sure), BUDGET)
        counts.setdefault(e.parts, []).append(
            pair_counts(e, within.log_odds, within.cut, guarded_pairs(e.compared, within.likely))
        )
    out = {}
    for parts, found in counts.items():
        hit, placed, gold = (sum(each) for each in zip(*found, strict=True))
        out["budget_found" + DENSITY[parts]] = 1.0 - hit / placed if placed else 0.0
        out["budget_recall" + DENSITY[parts]] = hit / gold if gold else 0.0
    return out


def guard_costs(examples: Sequence[Example]) -> dict[str, dict[str, int]]:
    """For each hard guard, the true and the other candidate pairs that it forbids."""
    out: dict[str, dict[str, int]] = {}
    for e in examples:
        for name, mask in hard_guards(e.compared.pairs).items():
            row = out.setdefault(name, {"true": 0, "other": 0})
            row["true"] += int((mask & e.same).sum())
            row["other"] += int((mask & e.known & ~e.same).sum())
    return out


def graphs(folder: Path, python: str | None, seconds: float) -> dict[str, dict[str, dict[str, float] | None]]:
    """The memory graphs, by the shipped calibration and by the other rules and libraries."""
    out: dict[str, dict[str, dict[str, float] | None]] = {}
    for path in sorted((folder / "bloat").glob("*.jsonl.gz")):
        if ".gold." in path.name:
            continue
        labelled = read_graph(path)
        rows = others(labelled, python, seconds)
        start = time.process_time()
        got = resolve(labelled.records, max_false_merge_rate=GRAPH_BUDGET)
        cpu = time.process_time() - start
        figures = measure(labelled, got.clusters)
        low, high = wilson(int(figures["wrong_merges"]), len(got.merged))
        index = {r.id: truth for r, truth in zip(labelled.records, labelled.truth, strict=True)}
        compared = sum(len(index[a]) == 1 and index[a] == index[b] for a, b in got.candidates)
        rows["graphdream"] = {
            **figures, "cpu_s": cpu, "asked": GRAPH_BUDGET, "expected": got.false_merge_rate,
            "wrong_a_merge_low": low, "wrong_a_merge_high": high, "blocking_recall": compared / labelled.gold_pairs(),
            "candidates_per_entity": len(got.candidates) / len(labelled.records),
        }  # fmt: skip
        out[labelled.name] = rows
    return out


def cost(folder: Path) -> dict[str, float]:
    """CPU seconds and peak memory of one resolution of 15,000 entities: entity sets, one after the other, as one."""
    lists = [read_entities(p) for p in sorted((folder / "er").glob("*.jsonl.gz"))]
    records = [
        Record(f"{graph.name}:{r.id}", r.name, r.type, r.attributes, r.neighbors)
        for graph in lists
        for r in graph.records
    ][:15_000]
    del lists
    start = time.process_time()
    resolve(records, workers=1)
    return {
        "entities": len(records),
        "cpu_s": time.process_time() - start,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def table(rows: Sequence[Sequence[str]]) -> str:
    """A markdown table, the first row its head."""
    head, *body = rows
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *body])


def percent(share: float | None) -> str:
    """A share as a percentage, "-" where it was not measured."""
    return "-" if share is None else f"{100 * share:.1f}"


LISTS_SAY = """Pairwise F1 in percent on ten labelled lists of names and records. graphdream is scored on each list by a
scorer, curves and cuts that saw neither the list nor its relatives, nor did the scorers behind them; the others are as
they come (- is not measured: it failed or took too long). "One cut for all" takes the trees' scores as they are, with
the cut that was best on the other lists; "best cut" looks with the labels; blocking is the share of the true pairs that
are compared; the last six columns ask for at most 1 % wrong merges of the whole list, of its random halves, and of its
random quarters."""
GRAPHS_SAY = """Pairs of entities on generated memory graphs, by the shipped calibration (made from other seeds of the
same generator), asked for at most 0.5 % wrong merges; the others are as they come. Wrong merges are entities that hold
two things."""
MARKS = ("<!-- resolver: written by `make bench-resolve` -->", "<!-- end of resolver -->")


OURS = {
    "f1": "graphdream", "f1_usual_cut": "one cut for all", "f1_best_cut": "best cut", "blocking_recall": "blocking",
    "candidates_per_entity": "pairs an entity", "budget_found": "asked 1 %: found", "budget_recall": "recall there",
    "budget_found_halves": "halves: found", "budget_recall_halves": "recall of halves",
    "budget_found_quarters": "quarters: found", "budget_recall_quarters": "recall of quarters",
}  # fmt: skip


def _ours(figures: Mapping[str, float] | None) -> list[str]:
    if not figures:
        return ["-"] * len(OURS)
    return [f"{figures[k]:.1f}" if k == "candidates_per_entity" else percent(figures[k]) for k in OURS]


def report(result: Mapping[str, Any]) -> str:
    """The figures as markdown."""
    names, left = list(result["peers"]), result.get("left_out", {})
    rules = list(next(iter(result["peers"].values())))
    rows = [["set", *rules, *OURS.values()]]
    for name in names:
        of_others = [row["f1"] if (row := result["peers"][name][rule]) else None for rule in rules]
        rows.append([name, *map(percent, of_others), *_ours(left.get(name))])
    means = []
    for rule in rules:
        seen = [result["peers"][n][rule]["f1"] for n in names if result["peers"][n][rule]]
        means.append(percent(float(np.mean(seen))) if len(seen) == len(names) else "-")
    mean = {k: float(np.mean([left[n][k] for n in names])) for k in OURS} if left else None
    rows.append(["mean", *means, *_ours(mean)])
    parts = [LISTS_SAY, "", table(rows), ""]
    rows = [["graph", "rule", "P", "R", "F1", "wrong merges", "CPU s"]]
    for graph, by_rule in result["graphs"].items():
        for rule, x in by_rule.items():
            if x is None:
                rows.append([graph, rule, *["-"] * 5])
                continue
            shares = (percent(x[k]) for k in ("precision", "recall", "f1"))
            rows.append([graph, rule, *shares, str(int(x["wrong_merges"])), f"{x['cpu_s']:.1f}"])
    parts += [GRAPHS_SAY, "", table(rows), ""]
    if "guards" in result:
        rows = [["hard guard", "true pairs forbidden", "other pairs forbidden"]]
        rows += [[name, str(x["true"]), str(x["other"])] for name, x in result["guards"].items()]
        parts += ["Pairs of the ten lists that hard guards forbid:", "", table(rows), ""]
    spent = result["cost"]
    parts.append(
        f"One call on {spent['entities']:,} records of all lists: {spent['cpu_s']:.1f} CPU s,"
        f" at most {spent['peak_mib']:.0f} MiB."
    )
    return "\n".join(parts)


def main(argv: Sequence[str] | None = None) -> None:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(description="Measure the resolver.")
    parser.add_argument("--json", type=Path, help="write all figures here")
    parser.add_argument(
        "--skip-training", action="store_true", help="without the left-out scores (minutes of training)"
    )
    parser.add_argument("--peers", metavar="PYTHON", help="interpreter that has the other libraries")
    parser.add_argument(
        "--peer-seconds", type=float, default=SECONDS_EACH, metavar="S", help="wall time of a library for one set"
    )
    parser.add_argument("--readme", type=Path, help="also write the report between the marks of this page")
    args = parser.parse_args(argv)
    folder = data_folder()
    result: dict[str, Any] = {"cost": cost(folder), "peers": {}}
    result["graphs"] = graphs(folder, args.peers, args.peer_seconds)
    sets = [read_entities(p) for p in sorted((folder / "er").glob("*.jsonl.gz"))]
    for labelled in sets:
        result["peers"][labelled.name] = others(labelled, args.peers, args.peer_seconds)
    if not args.skip_training:
        examples = [example(labelled) for labelled in sets]
        result["left_out"] = lists_left_out(examples)
        result["guards"] = guard_costs(examples)
    text = report(result)
    print(text)
    if args.readme:
        write_between(args.readme, MARKS, text)
    if args.json:
        args.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
