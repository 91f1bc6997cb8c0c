"""graphdream consolidates an AI agent's long-term memory while it sleeps.

    import graphdream

    with graphdream.open("agent.db") as graph:
        graph.record_session("s1", summary="Avery moved the deadline to Friday.")
        if graph.dream_due():
            report = graph.dream()
            graph.undo(report.pass_id)

Nothing heavy is imported before it is used: a session-end hook that records a session starts in milliseconds.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from typing import Any

    from graphdream.aio import AsyncGraph
    from graphdream.dream.asked_again import Comparison
    from graphdream.dream.cycle import CycleReport, PassReport
    from graphdream.dream.cycle_state import LoggedCycle, PassStanding
    from graphdream.dream.edit import EditResult
    from graphdream.dream.estimate import Estimate
    from graphdream.dream.explained import PairExplanation
    from graphdream.dream.flags import Flag
    from graphdream.dream.introspect import Introspection
    from graphdream.dream.plan import Decision, PlannedItem, PlanRecord
    from graphdream.dream.project import ProjectReport
    from graphdream.dream.remember import Remembered
    from graphdream.dream.replay import ReplayReport
    from graphdream.dream.report import DreamReport
    from graphdream.dream.skills import Skills
    from graphdream.dream.trigger import Status
    from graphdream.errors import (
        AmbiguousNameError,
        BusyError,
        ConflictError,
        GraphdreamError,
        ImportRefusedError,
        NotFoundError,
        UndoConflictError,
        UsageError,
    )
    from graphdream.events.adding import Recorded
    from graphdream.events.observed import ObserveReport
    from graphdream.events.told import Observation
    from graphdream.fleet.run import FleetReport, dream_fleet
    from graphdream.fleet.work import AgentReport, FleetOptions
    from graphdream.interfaces.importers import ImportReport
    from graphdream.journal.graph_diff import GraphDiff
    from graphdream.journal.overview import Overview
    from graphdream.journal.purge import PurgeReport
    from graphdream.journal.records import MutationRecord, PassRecord
    from graphdream.journal.trust import TrustReport
    from graphdream.journal.undo import UndoReport
    from graphdream.journal.verify import VerifyReport
    from graphdream.library import Graph, open
    from graphdream.mutations.outcome import Outcome
    from graphdream.recall.feedback import Feedback
    from graphdream.recall.hit import Hit
    from graphdream.recall.injection import Injection
    from graphdream.views.entity_page import EntityPage
    from graphdream.views.self_model import SelfModel
    from graphdream.views.skills import Skill
    from graphdream.views.working import Note, WorkingMemory

__version__ = "0.1.0"

# Where each public name lives; it is loaded when it is first asked for.
_HOMES = {
    "library": ("Graph", "open"),
    "aio": ("AsyncGraph",),
    "errors": (
        "AmbiguousNameError", "BusyError", "ConflictError", "GraphdreamError", "ImportRefusedError", "NotFoundError",
        "UndoConflictError", "UsageError",
    ),
    "dream.asked_again": ("Comparison",),
    "dream.cycle": ("CycleReport", "PassReport"),
    "dream.cycle_state": ("LoggedCycle", "PassStanding"),
    "dream.edit": ("EditResult",),
    "dream.estimate": ("Estimate",),
    "dream.explained": ("PairExplanation",),
    "dream.introspect": ("Introspection",),
    "dream.plan": ("Decision", "PlannedItem", "PlanRecord"),
    "dream.flags": ("Flag",),
    "dream.project": ("ProjectReport",),
    "dream.remember": ("Remembered",),
    "dream.replay": ("ReplayReport",),
    "dream.report": ("DreamReport",),
    "dream.skills": ("Skills",),
    "dream.trigger": ("Status",),
    "events.adding": ("Recorded",),
    "events.observed": ("ObserveReport",),
    "events.told": ("Observation",),
    "fleet.run": ("FleetReport", "dream_fleet"),
    "fleet.work": ("AgentReport", "FleetOptions"),
    "interfaces.importers": ("ImportReport",),
    "journal.graph_diff": ("GraphDiff",),
    "journal.overview": ("Overview",),
    "journal.purge": ("PurgeReport",),
    "journal.records": ("MutationRecord", "PassRecord"),
    "journal.undo": ("UndoReport",),
    "journal.trust": ("TrustReport",),
    "journal.verify": ("VerifyReport",),
    "mutations.outcome": ("Outcome",),
    "recall.feedback": ("Feedback",),
    "recall.hit": ("Hit",),
    "recall.injection": ("Injection",),
    "views.entity_page": ("EntityPage",),
    "views.self_model": ("SelfModel",),
    "views.skills": ("Skill",),
    "views.working": ("Note", "WorkingMemory"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AgentReport", "AmbiguousNameError", "AsyncGraph", "BusyError", "Comparison", "ConflictError", "CycleReport",
    "Decision", "DreamReport", "EditResult", "EntityPage", "Estimate", "Feedback", "Flag", "FleetOptions",
    "FleetReport", "Graph", "GraphDiff", "GraphdreamError", "Hit", "ImportRefusedError", "ImportReport", "Injection",
    "Introspection", "LoggedCycle", "MutationRecord", "NotFoundError", "Note", "Observation", "ObserveReport",
    "Outcome", "Overview", "PairExplanation", "PassRecord", "PassReport", "PassStanding", "PlanRecord", "PlannedItem",
    "ProjectReport", "PurgeReport", "Recorded", "Remembered", "ReplayReport", "SelfModel", "Skill", "Skills", "Status",
    "TrustReport", "UndoConflictError", "UndoReport", "UsageError", "VerifyReport", "WorkingMemory", "dream_fleet",
    "open",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'graphdream' has no attribute {name!r}")
    return getattr(import_module(f"graphdream.{_HOME_OF[name]}"), name)
