"""Rows near a vector: a rough look at all of them, an exact one at the best.

Vectors are kept as half floats, and numpy takes a tenth of a second to compute with 100,000 of them. So each also has a
shadow in fewer dimensions, those in which the vectors of the file differ most; only the rows with the best shadows are
compared in full.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# With 64 of 256 dimensions the best 400 shadows hold 98.8 % of the 50 nearest rows, the best 800 hold 99.8 % (the
# texts and questions of LoCoMo and BEAM under the word vectors). 100,000 rows are 51 MB, their shadows 26 MB.
DIMENSIONS = 64
ROUGH = 400
_SAMPLE = 8_192  # rows from which the dimensions are learned, and scores from which the middle one is taken
_BATCH = 4_096  # rows read at a time
# A model that was changed under its name left vectors of another length: they are no neighbours of today's.
_OF_LENGTH = "FROM vector WHERE model = ? AND kind = ? AND length(value) = ?"


class Shadows:
    """The vectors of one model and kind of row, as they were when this was made."""

    def __init__(self, connection: sqlite3.Connection, model: str, kind: str) -> None:
        import numpy as np

        newest = connection.execute(
            "SELECT length(value) FROM vector WHERE model = ? AND kind = ? ORDER BY row_id DESC LIMIT 1", (model, kind)
        ).fetchone()
        width = newest[0] // 2 if newest else 0
        which = (model, kind, 2 * width)
        count = connection.execute(f"SELECT count(*) {_OF_LENGTH}", which).fetchone()[0]
        self._ids = np.zeros(count, dtype=np.int64)
        self._basis: NDArray[np.float32] | None = None
        if width > DIMENSIONS:
            self._basis = _basis(connection, which, max(1, count // _SAMPLE))
        self._values = np.zeros((count, width), dtype="<f2")
        self._shadows = np.zeros((min(width, DIMENSIONS), count), dtype=np.float32)
        rows, start = connection.execute(f"SELECT row_id, value {_OF_LENGTH} ORDER BY row_id", which), 0
        while batch := rows.fetchmany(_BATCH):
            values = _matrix([value for _, value in batch])
            end = start + len(batch)
            self._ids[start:end] = [row_id for row_id, _ in batch]
            self._values[start:end] = values
            whole = values.astype(np.float32)
            self._shadows[:, start:end] = (whole if self._basis is None else whole @ self._basis).T
            start = end

    def nearest(self, asked: NDArray[np.float32], count: int) -> tuple[dict[int, float], float]:
        """The nearest rows with their similarity, best first, and the similarity of the row in the middle.

        Args:
            asked: shape (dimensions,), of length 1; of other dimensions than the vectors, it is near to none.
            count: how many rows at most.
        """
        import numpy as np

        if not len(self._ids) or len(asked) != self._values.shape[1]:
            return {}, 0.0
        # Not with `@`: the threads of a BLAS wait for more work in a loop, at twice the price of the whole search.
        shadow = asked if self._basis is None else np.einsum("ij,i->j", self._basis, asked)
        scores = np.einsum("ij,i->j", self._shadows, shadow)
        middle = float(np.median(scores[:: max(1, len(scores) // _SAMPLE)]))
        best = np.argpartition(-scores, ROUGH)[:ROUGH] if len(scores) > ROUGH else np.arange(len(scores))
        exact = np.einsum("ij,j->i", self._values[best].astype(np.float32), asked)
        order = np.lexsort((-self._ids[best], -exact))[:count]
        return {int(self._ids[best[at]]): float(exact[at]) for at in order}, middle


def _matrix(values: list[bytes]) -> NDArray[np.float16]:
    """Stored vectors, shape (vectors, dimensions)."""
    import numpy as np

    return np.frombuffer(b"".join(values), dtype="<f2").reshape(len(values), -1)


def _basis(connection: sqlite3.Connection, which: tuple[str, str, int], step: int) -> NDArray[np.float32]:
    """The directions in which the vectors have most of their length, shape (dimensions, DIMENSIONS).

    Those of the largest eigenvalues of their second moments, from every so many-th row: principal components without
    taking the mean off, because the mean is part of every similarity.
    """
    import numpy as np

    spread = f"SELECT value FROM (SELECT value, row_number() OVER (ORDER BY row_id) AS place {_OF_LENGTH})"
    rows = connection.execute(f"{spread} WHERE place % ? = 0", (*which, step)).fetchall()
    sample = _matrix([row[0] for row in rows]).astype(np.float32)
    _, directions = np.linalg.eigh(sample.T @ sample)
    return np.ascontiguousarray(directions[:, -DIMENSIONS:])
