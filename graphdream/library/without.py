"""What needs no open memory: who is who in other people's graphs, a threshold for one's own data, and the doctor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphdream.clock import Clock, utc_now
from graphdream.errors import ImportRefusedError, NotFoundError, UsageError
from graphdream.given import confirm_path, confirm_text

if TYPE_CHECKING:
    from graphdream.entities.calibrate import Solved
    from graphdream.entities.resolver import Resolution
    from graphdream.graph.mending import Mended
    from graphdream.interfaces.checks import Finding

DEFAULT_RATE = 0.005


def resolve(
    entities: Iterable[Mapping[str, Any]], *, max_false_merge_rate: float | None = None, best_f1: bool = False
) -> Resolution:
    """Decide which entities of any graph are one thing, as `graphdream resolve` does; no memory is needed.

    Args:
        entities: each an object with `id` and `name`, and where they are known `type`, `attributes`, `neighbors`,
            `aliases` (lists of texts) and `pinned`.
        max_false_merge_rate: share of the merges that may be wrong; None: that of a dream, but of a long list with
            facts the cut that it shows itself.
        best_f1: merge what is likely, right or wrong: no budget, best pairwise F1.

    Raises:
        UsageError: an entity is none, two have one id, the rate is no share, or both it and `best_f1` are given.
        UnwritableError: the process has too little room.
    """
    from graphdream.entities.stream import record_of, resolved
    from graphdream.room import confirm_memory

    _confirm_merge_rate(max_false_merge_rate)
    if best_f1 and max_false_merge_rate is not None:
        raise UsageError("best_f1 keeps to no rate", "give max_false_merge_rate or best_f1, not both")
    if isinstance(entities, str | bytes | Mapping) or not isinstance(entities, Iterable):
        raise UsageError(f"entities is of type {type(entities).__name__}; it should be a list of objects")
    confirm_memory()
    try:
        records = [record_of(row, f"entity {number}") for number, row in enumerate(entities, 1)]
        return resolved(records, max_false_merge_rate=max_false_merge_rate, best_f1=best_f1)
    except ValueError as fault:
        raise UsageError(str(fault), "an entity is an object: id, name, type?, attributes?, neighbors?") from fault


def calibrate(labels: Iterable[str | Path], *, max_false_merge_rate: float = DEFAULT_RATE) -> Solved:
    """Find the lowest probability at which merges of labelled entities stay within a budget of wrong ones, as
    `graphdream calibrate` does; no memory is needed.

    Args:
        labels: files of entities as `resolve` takes them, one JSON object a line (.gz too), each with its `cluster`.
        max_false_merge_rate: share of the merges that may be wrong.

    Raises:
        NotFoundError: a file is not there.
        ImportRefusedError: a file is none of labelled entities.
        UsageError: there is no file, or the rate is no share.
        UnwritableError: the process has too little room.
    """
    from graphdream.entities.calibrate import calibrate as solved
    from graphdream.room import confirm_memory

    _confirm_merge_rate(max_false_merge_rate)
    if isinstance(labels, str | Path) or not isinstance(labels, Iterable):
        raise UsageError(f"labels is of type {type(labels).__name__}; it should be a list of paths")
    paths = []
    for name in labels:
        confirm_path("a file of labels", name)
        paths.append(Path(name))
        if not paths[-1].is_file():
            raise NotFoundError(f"there is no file {name}")
    if not paths:
        raise UsageError("there are no labels", "give at least one file of labelled entities")
    confirm_memory()
    try:
        return solved(paths, max_false_merge_rate=max_false_merge_rate)
    except (ValueError, KeyError, TypeError, AttributeError, OSError, EOFError) as fault:
        hint = "one JSON object a line with at least id, name and cluster"
        raise ImportRefusedError(f"the labels cannot be read: {fault}", hint=hint) from fault


def doctor(path: str | Path | None = None, *, agent: str | None = None) -> list[Finding]:
    """What `graphdream doctor` looks at: is the installation whole, is the file sound, what is missing or works with
    less. Also where the file cannot be opened, or is not there yet; nothing is written.

    Args:
        path: the database file; None: the agent's own, as `graphdream.open` finds it.
        agent: name of the agent where no path is given, and whose settings are looked at.
    """
    from graphdream.interfaces.checks import Scene, look_at_all

    return list(look_at_all(Scene(_database(path, agent), agent)))


def mend_schema(path: str | Path | None = None, *, agent: str | None = None, clock: Clock = utc_now) -> Mended:
    """Put the schema of a file right, as `graphdream doctor --mend-schema` does: a backup is kept, what is foreign
    goes, what is missing or altered comes back, rows stay as they are.

    Raises:
        NotFoundError: there is no such file.
        SchemaError: it is none of graphdream's, or an object cannot be put right; the file is as it was.
        UnwritableError: it cannot be written.
    """
    from graphdream.graph.mending import mend

    return mend(_database(path, agent), clock())


def _database(path: str | Path | None, agent: str | None) -> Path:
    from graphdream.paths import database_path

    if path is not None:
        confirm_path("the path of a memory", path)
    if agent is not None:
        confirm_text("the name of an agent", agent)
    return database_path(path, agent)


def _confirm_merge_rate(rate: object) -> None:
    if rate is not None and not (isinstance(rate, int | float) and 0 < rate < 1):
        raise UsageError(f"max_false_merge_rate is a share between 0 and 1, not {rate!r:.60}")
