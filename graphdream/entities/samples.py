"""Parts of labelled graphs: small memories with the look-alikes that they will have, and lists of other densities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from graphdream.entities.labelled import Labelled
from graphdream.entities.scorer import Compared

SIZES = (6, 12, 24, 48, 96, 192)
"""Records of a piece, about: a cluster is never cut in two by the size alone."""
LOOKALIKE = 0.6
"""Share of the drawn records to which something that looks like it is drawn as well."""


def small_pieces(labelled: Labelled, compared: Compared, pieces: int, seed: int) -> Iterator[Labelled]:
    """Draw pieces of a labelled graph.

    Args:
        labelled: the graph; its pieces are named after it and are of its family.
        compared: its candidate pairs, of which look-alikes are drawn; records in the same order.
        pieces: how many.
        seed: of the draws.
    """
    rng = np.random.default_rng(seed)
    by_cluster: dict[str, list[int]] = defaultdict(list)
    for at, truth in enumerate(labelled.truth):
        for cluster in sorted(truth)[:1]:
            by_cluster[cluster].append(at)
    near: dict[int, list[int]] = defaultdict(list)
    for a, b in zip(compared.candidates.left.tolist(), compared.candidates.right.tolist(), strict=True):
        near[a].append(b)
        near[b].append(a)
    for number in range(pieces):
        size = SIZES[number % len(SIZES)]
        chosen: dict[int, None] = {}
        while len(chosen) < min(size, len(labelled.records)):
            start = int(rng.integers(len(labelled.records)))
            drawn = [start, *(near[start] if rng.random() < LOOKALIKE else [])]
            for at in drawn[: 1 + int(rng.integers(1, 6))]:
                chosen[at] = None
                own = [other for cluster in sorted(labelled.truth[at])[:1] for other in by_cluster[cluster]]
                for other in own[: 1 + int(rng.integers(0, 6))]:
                    chosen[other] = None
        rows = sorted(chosen)
        yield Labelled(
            f"{labelled.name}/{number}",
            labelled.family,
            tuple(labelled.records[at] for at in rows),
            tuple(labelled.truth[at] for at in rows),
        )


def thinned(labelled: Labelled, parts: int, seed: int) -> list[Labelled]:
    """A labelled list cut at random into parts of about one size, between clusters."""
    clusters = sorted({min(truth) for truth in labelled.truth if truth})
    place = dict(zip(clusters, np.random.default_rng(seed).permutation(len(clusters)) % parts, strict=True))
    out = []
    for part in range(parts):
        rows = [at for at, truth in enumerate(labelled.truth) if truth and place[min(truth)] == part]
        records = tuple(labelled.records[at] for at in rows)
        truth = tuple(labelled.truth[at] for at in rows)
        out.append(Labelled(f"{labelled.name}/{parts}.{part}", labelled.family, records, truth))
    return out
