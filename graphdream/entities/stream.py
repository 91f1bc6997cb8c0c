"""`graphdream resolve`: entities as JSON lines in, clusters as JSON lines out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from graphdream.bounded import text_lines
from graphdream.entities.records import Record
from graphdream.entities.resolver import DEFAULT_RATE, Resolution, resolve


def read_records(lines: Iterable[str]) -> Iterator[Record]:
    """Records of a JSONL stream; blank lines are skipped, unknown fields ignored.

    Raises:
        ValueError: a line is not a JSON object with an `id`; the message names the line.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"line {number}: not JSON ({error})") from error
        yield record_of(row, f"line {number}")


def record_of(row: Any, where: str) -> Record:
    """An entity as it is given by an object; unknown fields are ignored.

    Args:
        where: it stands, for the message.

    Raises:
        ValueError: it is no object with an `id`.
    """
    if not isinstance(row, Mapping):
        raise ValueError(f"{where}: not a JSON object")
    if "id" not in row:
        raise ValueError(f"{where}: an entity needs at least an id")
    return Record(
        id=str(row["id"]),
        name=str(row.get("name") or ""),
        type=str(row.get("type") or ""),
        attributes=_texts(row.get("attributes")),
        neighbors=_texts(row.get("neighbors")),
        aliases=_texts(row.get("aliases")),
        pinned=bool(row.get("pinned", False)),
    )


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(x) for x in value) if isinstance(value, list | tuple) else ()


def write_resolution(resolution: Resolution, stdout: IO[str]) -> None:
    """One line an entity, then one a candidate with its probability."""
    for id_, cluster in resolution.clusters.items():
        stdout.write(json.dumps({"id": id_, "cluster": cluster}, ensure_ascii=False) + "\n")
    for (a, b), score in zip(resolution.candidates, resolution.scores, strict=True):
        stdout.write(json.dumps({"candidate": [a, b]}, ensure_ascii=False) + "\n")
        stdout.write(json.dumps({"pair": [a, b], "score": round(score, 6)}, ensure_ascii=False) + "\n")


def main(
    stdin: IO[str],
    stdout: IO[str],
    *,
    max_false_merge_rate: float | None = None,
    best_f1: bool = False,
    workers: int = 2,
) -> None:
    """Resolve a stream.

    Args:
        stdin: entities, one JSON object a line: `id`, `name`, `type`?, `attributes`?, `neighbors`?, `aliases`?,
            `pinned`?.
        stdout: `{"id", "cluster"}` for each entity; `{"candidate": [a, b]}` and `{"pair": [a, b], "score": p}`
            for each pair that was compared.
        max_false_merge_rate: error budget. Without one it is that of a dream; but a long list that tells more than
            names is cut where it shows itself, which finds far more of it and is wrong more often.
        best_f1: no budget: the cut that is best on the whole (pairwise F1), whatever is given.
        workers: threads.

    Raises:
        ValueError: the input is not in this format.
    """
    records = list(read_records(text_lines(stdin)))
    rate = max_false_merge_rate
    write_resolution(resolved(records, max_false_merge_rate=rate, best_f1=best_f1, workers=workers), stdout)


def resolved(
    records: Sequence[Record], *, max_false_merge_rate: float | None = None, best_f1: bool = False, workers: int = 2
) -> Resolution:
    """Resolve what was read; arguments and errors as of `main`."""
    asked = max_false_merge_rate is not None
    return resolve(
        records,
        max_false_merge_rate=None if best_f1 else max_false_merge_rate if asked else DEFAULT_RATE,
        workers=workers,
        told_lists_by_cut=not asked,
    )
