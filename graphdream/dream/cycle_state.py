"""How the passes of the cycle stand, and what past cycles did: for whoever looks, nothing is run."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.config import Settings
from graphdream.dream.cursors import forged_standings, gate, name_of, passes_read_by, standing_of
from graphdream.dream.cycle_report import PassReport
from graphdream.errors import GraphdreamError, IntegrityError
from graphdream.graph.sealwalk import confirm_sound
from graphdream.graph.served import sound
from graphdream.graph.store import Store
from graphdream.journal.soundness import wrong_among
from graphdream.passes.protocol import Part, PassKind, Scene, Skip
from graphdream.passes.registry import kinds

_NOT_AS_SEALED = "how it stands is not as it was sealed"


@dataclass(frozen=True, slots=True)
class PartStanding:
    """One part of a pass: when it ran last, whether it is due, and if not, why."""

    part: Part
    last_run_at: str
    last_pass_id: int | None
    failures: int
    last_error: str
    due: bool
    why_not: str


@dataclass(frozen=True, slots=True)
class PassStanding:
    """A pass of the cycle with its parts.

    Attributes:
        parts: what it does without a model, and what with one.
    """

    name: str
    place: int
    view: str
    does: str
    events: tuple[str, ...]
    directive: str
    parts: tuple[PartStanding, ...]

    @property
    def due(self) -> bool:
        """Whether any part of it is."""
        return any(part.due for part in self.parts)


@dataclass(frozen=True, slots=True)
class LoggedCycle:
    """A cycle of the dream log.

    Attributes:
        passes: what each part of each pass did; those that were left out of the cycle are not there.
    """

    id: int
    started_at: str
    ended_at: str
    trigger: str
    processed: int
    summary: str
    passes: tuple[PassReport, ...]

    def as_json(self) -> dict[str, Any]:
        """The cycle as plain values."""
        return asdict(self) | {"passes": [one.as_logged() for one in self.passes]}


def pass_standings(
    store: Store, settings: Settings, *, folder: Path | None = None, clock: Clock = utc_now
) -> list[PassStanding]:
    """Every pass, in the order of the cycle. How a part of it stands is not told where that is not as it was sealed,
    and noted in `store.seal.left_out`, as is each newest pass by which one would be due, or not."""
    forged = forged_standings(store)
    with store.reading():
        store.seal.left_out.update(f"pass {number}" for number in wrong_among(store, passes_read_by(store)))
    now, model = clock(), settings.dreaming.model is not None and settings.cycle.model_passes
    found = []
    for kind in kinds():
        parts = []
        for part in kind.parts:
            if name_of(kind, part) in forged:
                parts.append(PartStanding(part, "", None, 0, "", False, _NOT_AS_SEALED))
                continue
            standing = standing_of(store.connection, kind, part)
            why = gate(kind, part, standing, settings.cycle, by_hand=False, model=model, now=now)
            if not why:
                scene = Scene(store.connection, now, settings.cycle, standing.read, folder, standing.last_run_at)
                why = _why_not(store, kind, scene)
            parts.append(
                PartStanding(
                    part, standing.last_run_at, standing.last_pass_id, standing.failures, standing.last_error, not why,
                    why,
                )
            )  # fmt: skip
        found.append(
            PassStanding(kind.name, kind.place, kind.view, kind.does, tuple(kind.events), kind.directive, tuple(parts))
        )
    return found


def _why_not(store: Store, kind: PassKind, scene: Scene) -> str:
    """Why a pass that may run has nothing to do; "" where it has. One that cannot even look says so."""
    try:
        with store.reading():
            sight = kind.look(scene)
    except GraphdreamError as fault:
        return str(fault)
    except Exception:
        if why := _unsound(store):
            return why
        raise
    if isinstance(sight, Skip):
        return sight.reason
    return f"nothing new since {scene.last_run_at[:16]}" if dict(sight.mark) == dict(scene.read) else ""


def _unsound(store: Store) -> str:
    """What is not as it was sealed, "" for nothing: no cycle runs over that, and a row that somebody else has written
    need not even be readable."""
    try:
        confirm_sound(store.seal)
    except IntegrityError as fault:
        return str(fault)
    return ""


def logged_cycles(store: Store, *, most: int = 20) -> list[LoggedCycle]:
    """The newest cycles of the dream log, newest first. One that is not as it was sealed is left out, and noted in
    `store.seal.left_out`."""
    with store.reading():
        rows = store.connection.execute(
            "SELECT id, started_at, ended_at, trigger, processed, summary, passes FROM cycle_log"
            " ORDER BY id DESC LIMIT ?",
            (most,),
        ).fetchall()
        told = sound(store, rows, lambda row: (f"cycle_log {row['id']}",))
    return [
        LoggedCycle(**{**dict(row), "passes": tuple(map(PassReport.of_log, json.loads(row["passes"])))}) for row in told
    ]
