"""Entity-resolution libraries with their documented defaults, run by an interpreter that has them installed.

    PYTHON bench/peers_installed.py splink|nodecanon|goldenmatch < entities.jsonl

Writes one JSON line: {"clusters": {id: label}, "cpu_s": seconds}. Nothing is tuned: each library sees name, type, the
attributes as one text and, where it takes them, neighbours.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

Rows = list[dict[str, Any]]


def splink(rows: Rows) -> dict[str, str]:
    """Splink (Fellegi-Sunter, DuckDB): blocked on the first letters and last word, trained by EM, merged from 0.9."""
    import pandas as pd
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    frame = pd.DataFrame(
        {
            "unique_id": [r["id"] for r in rows],
            "name": [r["name"].lower() or None for r in rows],
            "last": [(r["name"].lower().split() or [None])[-1] for r in rows],
            "text": [" ".join(r["attributes"])[:200].lower() or None for r in rows],
        }
    )
    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=[
            cl.JaroWinklerAtThresholds("name", [0.95, 0.9, 0.8]),
            cl.JaroWinklerAtThresholds("text", [0.9, 0.8]),
        ],
        blocking_rules_to_generate_predictions=[block_on("substr(name, 1, 4)"), block_on("last")],
    )
    linker = Linker(DuckDBAPI().register(frame), settings)
    linker.training.estimate_probability_two_random_records_match([block_on("name")], recall=0.7)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("last"))
    predicted = linker.inference.predict(threshold_match_probability=0.9)
    found = linker.clustering.cluster_pairwise_predictions_at_threshold(predicted, 0.9).as_pandas_dataframe()
    return dict(zip(found["unique_id"].astype(str), found["cluster_id"].astype(str), strict=True))


class _HashedGrams:
    """Stands in for the sentence encoder, which has to be downloaded: character 3-grams hashed to 256 dimensions."""

    def encode(self, texts: str | Sequence[str], **_: Any) -> Any:
        import numpy as np

        listed = [texts] if isinstance(texts, str) else list(texts)
        out = np.zeros((len(listed), 256))
        for row, text in enumerate(listed):
            padded = f" {text.lower()} "
            for i in range(len(padded) - 2):
                out[row, hashlib.blake2b(padded[i : i + 3].encode(), digest_size=1).digest()[0]] += 1.0
        out /= np.maximum(1e-9, np.linalg.norm(out, axis=1, keepdims=True))
        return out[0] if isinstance(texts, str) else out


def nodecanon(rows: Rows) -> dict[str, str]:
    """nodecanon's Resolver as it comes, threshold 0.75, with hashed 3-grams in place of MiniLM."""
    from nodecanon import KGEdge, KGGraph, KGNode, Resolver
    from nodecanon.core.scoring import NodeScorer

    scorer = NodeScorer(cache_dir=None)
    scorer._get_encoder = _HashedGrams  # type: ignore[method-assign, assignment]
    nodes = [
        KGNode(
            id=r["id"],
            name=r["name"] or "?",
            type=r["type"] or None,
            description=" ".join(r["attributes"])[:500] or None,
        )
        for r in rows
    ]
    names = {name for r in rows for name in r["neighbors"]}
    nodes += [KGNode(id=f"neighbour {name}", name=name or "?", type="NEIGHBOUR") for name in sorted(names)]
    edges = [
        KGEdge(source_id=r["id"], target_id=f"neighbour {n}", relation="near")
        for r in rows
        for n in set(r["neighbors"])
    ]
    result = Resolver(scorer=scorer).resolve(KGGraph(nodes=nodes, edges=edges))
    out = {r["id"]: r["id"] for r in rows}
    for node in result.graph.nodes:
        for merged in node._merged_from or ():
            if merged in out:
                out[merged] = node.id
    return out


def goldenmatch(rows: Rows) -> dict[str, str]:
    """goldenmatch's automatic configuration on name, type and text."""
    import goldenmatch as gm
    import pyarrow as pa

    table = pa.table(
        {
            "record": [r["id"] for r in rows],
            "name": [r["name"] for r in rows],
            "text": [" ".join(r["attributes"])[:300] for r in rows],
        }
    )
    result = gm.dedupe_df(table, exclude_columns=["record"], confidence_required=False, allow_red_config=True)
    out = {r["id"]: r["id"] for r in rows}
    for label, cluster in result.clusters.items():
        for member in cluster["members"]:
            out[rows[int(member)]["id"]] = f"cluster {label}"
    return out


LIBRARIES: dict[str, Callable[[Rows], dict[str, str]]] = {
    "splink": splink,
    "nodecanon": nodecanon,
    "goldenmatch": goldenmatch,
}


def main() -> None:
    """Command line; see the module's text."""
    rows = [json.loads(line) for line in sys.stdin if line.strip()]
    start = time.process_time()
    clusters = LIBRARIES[sys.argv[1]](rows)
    print(json.dumps({"clusters": clusters, "cpu_s": time.process_time() - start}))


if __name__ == "__main__":
    main()
