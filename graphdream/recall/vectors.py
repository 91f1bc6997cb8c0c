"""Meaning: vectors of facts and turns, stored beside them, searched exactly. An extra; without it recall is text alone.

Vectors are made in the background (`embed_missing`), never while something is recorded; what has none yet is found by
its words. Exact search over 100,000 vectors of 256 half floats takes some 10 ms and 50 MB, so no index is kept.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from graphdream.graph.names import text_digest
from graphdream.graph.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["fact", "turn"]

NEAREST = 50  # rows of each kind that meaning may add to those found by words
_BATCH = 256
_CHUNK = 16_384  # rows turned into float32 at a time: 16 MB at 256 dimensions

_ROWS = {
    "fact": "SELECT id, content FROM attribute WHERE status IN ('active', 'superseded')",
    "turn": "SELECT id, content FROM turn",
}


class Embedder(Protocol):
    """Anything that turns texts into vectors of length 1."""

    @property
    def name(self) -> str:
        """Name of the model; vectors of another one are not compared."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts, shape (texts, dimensions), each of length 1, or 0 for a text without a known word."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many facts and turns have a vector; the rest is found by its words alone."""

    embedded: int
    rows: int


def coverage(connection: sqlite3.Connection, model: str) -> Coverage:
    """How far the vectors of a model reach, for `doctor`; a vector of a text that has changed since counts."""
    embedded = rows = 0
    for kind, wanted in _ROWS.items():
        rows += connection.execute(f"SELECT count(*) FROM ({wanted})").fetchone()[0]
        embedded += connection.execute(
            f"SELECT count(*) FROM vector WHERE model = ? AND kind = ? AND row_id IN (SELECT id FROM ({wanted}))",
            (model, kind),
        ).fetchone()[0]
    return Coverage(embedded, rows)


def embed_missing(store: Store, embedder: Embedder, *, limit: int = 10_000) -> int:
    """Make vectors of facts and turns that have none, or whose text has changed; newest first.

    Each batch is a write transaction of its own, so a recording hook never waits for the model.

    Returns:
        How many were made, at most `limit`.
    """
    import numpy as np

    made = 0
    for kind, wanted in _ROWS.items():
        rows = store.connection.execute(
            f"SELECT wanted.id, content, digest FROM ({wanted}) AS wanted"
            " LEFT JOIN vector ON model = ? AND kind = ? AND row_id = wanted.id ORDER BY wanted.id DESC",
            (embedder.name, kind),
        ).fetchall()
        stale = [(row[0], row[1], text_digest(row[1]), row[2]) for row in rows]
        missing = [(row_id, text, digest) for row_id, text, digest, known in stale if digest != known]
        missing = missing[: limit - made]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            values = embedder.embed([text for _, text, _ in batch]).astype("<f2")
            with store.writing():
                store.connection.executemany(
                    "INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?, ?)",
                    [
                        (kind, row_id, embedder.name, digest, np.ascontiguousarray(value).tobytes())
                        for (row_id, _, digest), value in zip(batch, values, strict=True)
                    ],
                )
        made += len(missing)
    return made


class Meanings:
    """The vectors of one file and model, held in memory between questions."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._mark: tuple[int, ...] = ()
        self._ids: dict[str, NDArray[np.int64]] = {}
        self._values: dict[str, NDArray[np.float16]] = {}

    def nearest(self, connection: sqlite3.Connection, query: str) -> dict[str, dict[int, float]]:
        """The rows of each kind nearest in meaning, with a share of 0 to 1.

        The share is the row's place between the median similarity of its kind (0) and the best (1): similarities of
        different models, and of short and long questions, lie in different ranges.
        Source: min-max normalisation beats reciprocal ranks for weak vectors (measured, docs/recall.md).
        """
        import numpy as np

        self._refresh(connection)
        asked = self._embedder.embed([query])[0]
        shares: dict[str, dict[int, float]] = {}
        for kind, values in self._values.items():
            if not len(values) or not asked.any():
                shares[kind] = {}
                continue
            scores = np.concatenate(
                [values[at : at + _CHUNK].astype(np.float32) @ asked for at in range(0, len(values), _CHUNK)]
            )
            best = np.lexsort((-self._ids[kind], -scores))[:NEAREST]
            low, high = float(np.median(scores)), float(scores[best[0]])
            span = max(high - low, 1e-9)
            shares[kind] = {int(self._ids[kind][at]): max(0.0, (float(scores[at]) - low) / span) for at in best}
        return shares

    def _refresh(self, connection: sqlite3.Connection) -> None:
        """Read the vectors again where there are others than before."""
        import numpy as np

        mark = tuple(
            connection.execute(
                "SELECT count(*), total(digest) FROM vector WHERE model = ?", (self._embedder.name,)
            ).fetchone()
        )
        if mark == self._mark:
            return
        self._mark = mark
        for kind in _ROWS:
            rows = connection.execute(
                "SELECT row_id, value FROM vector WHERE model = ? AND kind = ? ORDER BY row_id",
                (self._embedder.name, kind),
            ).fetchall()
            self._ids[kind] = np.array([row[0] for row in rows], dtype=np.int64)
            joined = np.frombuffer(b"".join(row[1] for row in rows), dtype="<f2")
            self._values[kind] = joined.reshape(len(rows), -1) if rows else np.zeros((0, 1), dtype=np.float16)
