"""Meaning: vectors of facts and turns, stored beside them, searched exactly. An extra; without it recall is text alone.

Vectors are made in the background (`embed_missing`), never while something is recorded; what has none yet is found by
its words. Search looks at all of them roughly and at the best exactly (graphdream/recall/nearest.py); no index is kept.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from graphdream.errors import GraphdreamError
from graphdream.graph.names import text_digest
from graphdream.graph.store import Store
from graphdream.recall.nearest import Shadows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["fact", "turn"]

NEAREST = 50  # rows of each kind that meaning may add to those found by words
_BATCH = 256
_MADE = "vectors_made"  # in `meta`: how many were made so far, of any model
_TABLE: dict[Kind, str] = {"fact": "attribute", "turn": "turn"}
_ROWS: dict[Kind, str] = {
    "fact": "SELECT id, digest FROM attribute WHERE status IN ('active', 'superseded')",
    "turn": "SELECT id FROM turn",
}


class EmbeddingError(GraphdreamError):
    """There are no vectors now: an endpoint does not answer. What was asked is answered by words alone."""

    exit_code = 7


class Embedder(Protocol):
    """Anything that turns texts into vectors of length 1."""

    @property
    def name(self) -> str:
        """Name of the model; vectors of another one are not compared."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts, shape (texts, dimensions), each of length 1, or 0 for a text without a known word.

        Raises:
            EmbeddingError: there are none now.
        """


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many facts and turns have a vector; the rest is found by its words alone."""

    embedded: int
    rows: int


def coverage(connection: sqlite3.Connection, model: str, kinds: Sequence[Kind] = ("fact", "turn")) -> Coverage:
    """How far the vectors of a model reach, for `doctor`; a vector of a text that has changed since counts."""
    embedded = rows = 0
    for kind in kinds:
        wanted = _ROWS[kind]
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

    Raises:
        EmbeddingError: the embedder gave none; those made before are kept.
    """
    import numpy as np

    made = 0
    for kind in _ROWS:
        missing = _missing(store.connection, kind, embedder.name, limit - made)
        for start in range(0, len(missing), _BATCH):
            batch = store.connection.execute(
                f"SELECT id, content FROM {_TABLE[kind]} WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(missing[start : start + _BATCH]),),
            ).fetchall()
            values = embedder.embed([text for _, text in batch]).astype("<f2")
            with store.writing():
                store.connection.executemany(
                    "INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?, ?)",
                    [
                        (kind, row_id, embedder.name, text_digest(text), np.ascontiguousarray(value).tobytes())
                        for (row_id, text), value in zip(batch, values, strict=True)
                    ],
                )
                store.connection.execute(
                    "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value",
                    (_MADE, str(len(batch))),
                )
        made += len(missing)
    return made


def _missing(connection: sqlite3.Connection, kind: Kind, model: str, limit: int) -> list[int]:
    """Rows without a vector of their text, newest first. The text of a turn never changes; a redacted one has none."""
    changed = "OR vector.digest <> wanted.digest" if kind == "fact" else ""
    rows = connection.execute(
        f"SELECT wanted.id FROM ({_ROWS[kind]}) AS wanted LEFT JOIN vector ON model = ? AND kind = ?"
        f" AND row_id = wanted.id WHERE vector.row_id IS NULL {changed} ORDER BY wanted.id DESC LIMIT ?",
        (model, kind, limit),
    )
    return [row[0] for row in rows]


class Meanings:
    """The vectors of one file and model, held in memory between questions.

    `fault`: why the last question was answered by words alone; None where it was not.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.fault: EmbeddingError | None = None
        self._embedder = embedder
        self._made = ""
        self._shadows: dict[str, Shadows] = {}

    def nearest(self, connection: sqlite3.Connection, query: str) -> dict[str, dict[int, float]]:
        """The rows of each kind nearest in meaning, with a share of 0 to 1.

        The share is the row's place between the median similarity of its kind (0) and the best (1): similarities of
        different models, and of short and long questions, lie in different ranges.
        Source: min-max normalisation beats reciprocal ranks for weak vectors (measured, docs/recall.md).
        """
        self._refresh(connection)
        shares: dict[str, dict[int, float]] = {kind: {} for kind in self._shadows}
        self.fault = None
        try:
            asked = self._embedder.embed([query])[0]
        except EmbeddingError as fault:
            self.fault = fault
            return shares
        if not asked.any():
            return shares
        for kind, shadows in self._shadows.items():
            found, low = shadows.nearest(asked, NEAREST)
            span = max(max(found.values(), default=0.0) - low, 1e-9)
            shares[kind] = {row: max(0.0, (similarity - low) / span) for row, similarity in found.items()}
        return shares

    def _refresh(self, connection: sqlite3.Connection) -> None:
        """Read the vectors again where some were made since."""
        row = connection.execute("SELECT value FROM meta WHERE key = ?", (_MADE,)).fetchone()
        made = row[0] if row else "none"
        if made == self._made:
            return
        self._made = made
        self._shadows = {kind: Shadows(connection, self._embedder.name, kind) for kind in _ROWS}
