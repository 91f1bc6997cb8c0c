"""A look at itself: how healthy the memory is, what the agent knows of itself, what it uses, how its passes stand."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Literal

from graphdream.clock import seconds_between
from graphdream.config import Settings
from graphdream.dream.cursors import forged_standings
from graphdream.dream.state import told_state
from graphdream.graph.rows import handle
from graphdream.graph.served import sound, unsound
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE
from graphdream.journal.told import told_newest
from graphdream.views.self_model import SelfModel, self_model
from graphdream.views.skill_use import skill_table
from graphdream.views.skills import skills

Weight = Literal["critical", "warning", "minor"]
TAKES: dict[Weight, int] = {"critical": 30, "warning": 15, "minor": 5}  # points off 100; source: WASP's introspection
_PAIRS = 5  # contradictions that are named
_WEEK = 7 * 86_400


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """Something that is not as it should be, and what to do.

    Attributes:
        weight: critical, warning or minor.
        what: in words.
        hint: what to do; "" where that is nothing.
    """

    weight: Weight
    what: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class RecentPass:
    """One of the newest passes of the journal.

    Attributes:
        pass_id: its number.
        mode: compact or incremental; "" for what is no dream.
        finished_at: UTC; None for one that has not ended.
    """

    pass_id: int
    kind: str
    mode: str
    status: str
    finished_at: str | None

    def as_json(self) -> dict[str, Any]:
        """The pass as plain values."""
        return {
            "pass": self.pass_id, "kind": self.kind, "mode": self.mode, "status": self.status,
            "finished": self.finished_at,
        }  # fmt: skip


@dataclass(slots=True)
class Introspection:
    """How healthy a memory is, and what the agent knows of itself.

    Attributes:
        score: 0..100.
        findings: what is not as it should be.
        top_skills: name -> uses in the last days.
        recent: the newest passes, newest first.
        totals: facts, entities, skills, open contradictions, sessions -> how many.
    """

    score: int
    findings: list[HealthFinding]
    self_model: SelfModel
    top_skills: dict[str, int] = field(default_factory=dict)
    recent: list[RecentPass] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return asdict(self) | {
            "self_model": self.self_model.as_json(), "recent": [one.as_json() for one in self.recent],
        }  # fmt: skip


def self_model_of(store: Store, settings: Settings, now: str) -> SelfModel:
    """The self-model under the agent's settings."""
    cycle = settings.cycle
    with store.reading():
        return self_model(
            store.connection, now, step=cycle.confidence_step, low=cycle.confidence_low, high=cycle.confidence_high,
            left_out=partial(unsound, store),
        )  # fmt: skip


def introspect(store: Store, settings: Settings, now: str) -> Introspection:
    """Look at everything; nothing is changed."""
    connection = store.connection
    with store.reading():
        table = skill_table(
            connection, skills(connection), now, days=settings.cycle.usage_days,
            sparse_chars=settings.cycle.sparse_chars, sparse_days=settings.cycle.sparse_days,
            left_out=partial(unsound, store),
        )  # fmt: skip
        used = sorted(
            ((name, uses.uses) for name, uses in table.uses.items() if uses.uses), key=lambda u: (-u[1], u[0])
        )
        recent = [
            RecentPass(one["id"], one["kind"], one["mode"], one["status"], one["finished_at"])
            for one in told_newest(store, offset=0, limit=5)
        ]
        totals = {
            name: connection.execute(sql).fetchone()[0]
            for name, sql in (
                ("facts", "SELECT count(*) FROM attribute WHERE status = 'active'"),
                ("entities", "SELECT count(*) FROM entity WHERE status = 'active'"),
                ("skills", "SELECT count(*) FROM entity WHERE status = 'active' AND type = 'skill'"),
                ("open contradictions", "SELECT count(*) FROM contradiction WHERE status = 'open'"),
                ("sessions", "SELECT count(*) FROM session WHERE kind = 'session'"),
            )
        }
    model = self_model_of(store, settings, now)
    findings = _findings(store, settings, now, totals, table.at_risk, table.sparse, model)
    score = max(0, 100 - sum(TAKES[finding.weight] for finding in findings))
    return Introspection(score, findings, model, dict(used[:10]), recent, totals)


def _findings(
    store: Store, settings: Settings, now: str, totals: dict[str, int], at_risk: dict[str, list[str]],
    sparse: list[str], model: SelfModel,
) -> list[HealthFinding]:  # fmt: skip
    connection, found = store.connection, list[HealthFinding]()
    if (fault := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        found.append(HealthFinding("critical", f"the file is damaged: {fault}", "graphdream verify"))
    state = told_state(store)
    failed, why = state.consecutive_failures, state.last_error
    if failed >= settings.dreaming.halt_after_failures:
        found.append(HealthFinding("critical", f"dreaming is halted: {why}", "graphdream dream --status"))
    elif failed:
        found.append(HealthFinding("warning", f"the last {failed} dreams failed: {why}", "graphdream dream --status"))
    forged = forged_standings(store)
    for name, failures, error, at in connection.execute(
        "SELECT name, failures, last_error, last_failure_at FROM cycle_pass WHERE failures > 0 ORDER BY name"
    ):
        if name in forged:
            continue
        weight: Weight = "warning" if failures > 2 or seconds_between(at, now) < _WEEK else "minor"
        found.append(HealthFinding(weight, f"{name} failed {failures} times: {error}", "graphdream cycle --list"))
    if number := totals["open contradictions"]:
        pairs = connection.execute(
            "SELECT id, first_id, second_id FROM contradiction WHERE status = 'open' ORDER BY id LIMIT ?", (_PAIRS,)
        ).fetchall()
        told = sound(store, pairs, lambda row: (f"contradiction {row['id']}",))
        named = ", ".join(f"{handle(ATTRIBUTE, one)} and {handle(ATTRIBUTE, other)}" for _, one, other in told)
        are = "contradiction is" if number == 1 else "contradictions are"
        found.append(
            HealthFinding(
                "minor",
                f"{number:,} {are} open: {named}{', …' if number > _PAIRS else ''}",
                "both hold: graphdream distinct FACT FACT; one does: graphdream replace OLD NEW; or graphdream dream",
            )
        )
    if at_risk:
        found.append(
            HealthFinding("minor", f"skills at risk: {', '.join(sorted(at_risk)[:5])}", "graphdream skills list")
        )
    if sparse:
        found.append(
            HealthFinding("minor", f"skills that say little: {', '.join(sparse[:5])}", "graphdream skills list")
        )
    if model.known_failures:
        found.append(
            HealthFinding("minor", f"what mostly fails: {', '.join(model.known_failures[:5])}", "graphdream self")
        )
    return found
