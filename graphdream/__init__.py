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
    from graphdream.config import ConfigError, Settings
    from graphdream.dream.asked_again import Comparison, Suggestion
    from graphdream.dream.cycle import CycleReport, PassReport
    from graphdream.dream.cycle_state import LoggedCycle, PartStanding, PassStanding
    from graphdream.dream.edit import EditResult
    from graphdream.dream.estimate import Estimate
    from graphdream.dream.exchanges import Conversation
    from graphdream.dream.explained import PairExplanation
    from graphdream.dream.explained_facts import FactPairExplanation
    from graphdream.dream.flags import Flag
    from graphdream.dream.introspect import HealthFinding, Introspection, RecentPass
    from graphdream.dream.lease import Holder
    from graphdream.dream.plan import Decision, PlannedItem, PlanRecord
    from graphdream.dream.plan_clusters import Cluster, Line
    from graphdream.dream.project import ProjectReport
    from graphdream.dream.remember import Remembered
    from graphdream.dream.replay import Difference, ReplayReport
    from graphdream.dream.report import DreamReport
    from graphdream.dream.skills import Skills
    from graphdream.dream.state import DreamState
    from graphdream.dream.teller import Teller
    from graphdream.dream.trigger import Due, Gate, Status
    from graphdream.dream.vectors import Vectors
    from graphdream.dreamers.base import Dreamer
    from graphdream.dreamers.client.base import Client, Message, Reply, Tool, ToolCall, Usage
    from graphdream.dreamers.client.errors import ClientError
    from graphdream.entities.calibrate import ClassRate, Solved
    from graphdream.entities.explain import Explanation, Signal
    from graphdream.entities.resolver import Resolution
    from graphdream.errors import (
        AmbiguousNameError,
        BusyError,
        ConflictError,
        ForeignSchemaError,
        GraphdreamError,
        ImportRefusedError,
        IntegrityError,
        NotFoundError,
        ReadOnlyError,
        SchemaError,
        UndoConflictError,
        UnwritableError,
        UsageError,
    )
    from graphdream.events.adding import Recorded
    from graphdream.events.counter import Backlog
    from graphdream.events.observed import ObserveReport
    from graphdream.events.told import Observation
    from graphdream.events.transcripts import Transcript, Turn
    from graphdream.facts.explain import Answered, FactExplanation
    from graphdream.fleet.run import FleetReport, dream_fleet
    from graphdream.fleet.work import AgentReport, FleetOptions
    from graphdream.graph.mending import Mended
    from graphdream.graph.store import Store
    from graphdream.interfaces.checks.base import Finding
    from graphdream.interfaces.importers import ImportReport
    from graphdream.journal.graph_diff import EntityDiff, FactDiff, GraphDiff, LinkDiff
    from graphdream.journal.mergerecord import MergeRecord
    from graphdream.journal.overview import Example, Kind, Overview
    from graphdream.journal.purge import PurgeReport
    from graphdream.journal.records import MutationRecord, PassRecord
    from graphdream.journal.trust import TrustReport
    from graphdream.journal.undo import UndoReport
    from graphdream.journal.unmerge import UnmergeReport
    from graphdream.journal.verdicts import Verdict
    from graphdream.journal.verify import Fault, VerifyReport
    from graphdream.library import Graph
    from graphdream.library import open as open
    from graphdream.library.awaited.skills import AwaitedSkills
    from graphdream.library.awaited.working import AwaitedWorkingMemory
    from graphdream.library.without import calibrate, doctor, mend_schema, resolve
    from graphdream.mutations.applier import Proposal
    from graphdream.mutations.model import Mutation
    from graphdream.mutations.outcome import Outcome
    from graphdream.recall.feedback import Feedback
    from graphdream.recall.hit import Hit, Other
    from graphdream.recall.injection import Entry, Injection
    from graphdream.sealing.keys import KeyUnavailableError
    from graphdream.views.entity_page import EntityHead, EntityPage, PageFact, PageLink
    from graphdream.views.networkx_view import NetworkxGraph
    from graphdream.views.self_model import SelfModel
    from graphdream.views.skill_use import SkillTable, Uses
    from graphdream.views.skills import Skill
    from graphdream.views.working import Note, WorkingMemory

__version__ = "0.1.0"

# Where each public name lives; it is loaded when it is first asked for.
_HOMES = {
    "library": ("Graph", "open"),
    "library.without": ("calibrate", "doctor", "mend_schema", "resolve"),
    "library.awaited.skills": ("AwaitedSkills",),
    "library.awaited.working": ("AwaitedWorkingMemory",),
    "aio": ("AsyncGraph",),
    "errors": (
        "AmbiguousNameError", "BusyError", "ConflictError", "ForeignSchemaError", "GraphdreamError",
        "ImportRefusedError", "IntegrityError", "NotFoundError", "ReadOnlyError", "SchemaError",
        "UndoConflictError", "UnwritableError", "UsageError",
    ),
    "config": ("ConfigError", "Settings"),
    "dream.asked_again": ("Comparison", "Suggestion"),
    "dream.cycle": ("CycleReport", "PassReport"),
    "dream.cycle_state": ("LoggedCycle", "PartStanding", "PassStanding"),
    "dream.edit": ("EditResult",),
    "dream.estimate": ("Estimate",),
    "dream.explained": ("PairExplanation",),
    "dream.explained_facts": ("FactPairExplanation",),
    "dream.exchanges": ("Conversation",),
    "dream.flags": ("Flag",),
    "dream.introspect": ("HealthFinding", "Introspection", "RecentPass"),
    "dream.lease": ("Holder",),
    "dream.plan": ("Decision", "PlannedItem", "PlanRecord"),
    "dream.plan_clusters": ("Cluster", "Line"),
    "dream.project": ("ProjectReport",),
    "dream.remember": ("Remembered",),
    "dream.replay": ("Difference", "ReplayReport"),
    "dream.report": ("DreamReport",),
    "dream.skills": ("Skills",),
    "dream.state": ("DreamState",),
    "dream.teller": ("Teller",),
    "dream.trigger": ("Due", "Gate", "Status"),
    "dream.vectors": ("Vectors",),
    "dreamers.base": ("Dreamer",),
    "dreamers.client.base": ("Client", "Message", "Reply", "Tool", "ToolCall", "Usage"),
    "dreamers.client.errors": ("ClientError",),
    "entities.calibrate": ("ClassRate", "Solved"),
    "entities.resolver": ("Resolution",),
    "entities.explain": ("Explanation", "Signal"),
    "events.adding": ("Recorded",),
    "events.counter": ("Backlog",),
    "events.observed": ("ObserveReport",),
    "events.told": ("Observation",),
    "events.transcripts": ("Transcript", "Turn"),
    "facts.explain": ("Answered", "FactExplanation"),
    "fleet.run": ("FleetReport", "dream_fleet"),
    "fleet.work": ("AgentReport", "FleetOptions"),
    "graph.mending": ("Mended",),
    "interfaces.checks.base": ("Finding",),
    "graph.store": ("Store",),
    "interfaces.importers": ("ImportReport",),
    "journal.graph_diff": ("EntityDiff", "FactDiff", "GraphDiff", "LinkDiff"),
    "journal.mergerecord": ("MergeRecord",),
    "journal.overview": ("Example", "Kind", "Overview"),
    "journal.purge": ("PurgeReport",),
    "journal.records": ("MutationRecord", "PassRecord"),
    "journal.trust": ("TrustReport",),
    "journal.undo": ("UndoReport",),
    "journal.unmerge": ("UnmergeReport",),
    "journal.verdicts": ("Verdict",),
    "journal.verify": ("Fault", "VerifyReport"),
    "mutations.applier": ("Proposal",),
    "mutations.model": ("Mutation",),
    "mutations.outcome": ("Outcome",),
    "recall.feedback": ("Feedback",),
    "recall.hit": ("Hit", "Other"),
    "recall.injection": ("Entry", "Injection"),
    "sealing.keys": ("KeyUnavailableError",),
    "views.entity_page": ("EntityHead", "EntityPage", "PageFact", "PageLink"),
    "views.networkx_view": ("NetworkxGraph",),
    "views.self_model": ("SelfModel",),
    "views.skill_use": ("SkillTable", "Uses"),
    "views.skills": ("Skill",),
    "views.working": ("Note", "WorkingMemory"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

# `open` is not among them: `from graphdream import *` would take the place of Python's own.
__all__ = [
    "AgentReport", "AmbiguousNameError", "Answered", "AsyncGraph", "AwaitedSkills", "AwaitedWorkingMemory", "Backlog",
    "BusyError", "ClassRate", "Client", "ClientError", "Cluster", "Comparison", "ConfigError", "ConflictError",
    "Conversation", "CycleReport", "Decision", "Difference", "DreamReport", "DreamState", "Dreamer", "Due",
    "EditResult", "EntityDiff", "EntityHead", "EntityPage", "Entry", "Estimate", "Example", "Explanation", "FactDiff",
    "FactExplanation", "FactPairExplanation", "Fault", "Feedback", "Finding", "Flag", "FleetOptions", "FleetReport",
    "ForeignSchemaError", "Gate", "Graph", "GraphDiff", "GraphdreamError", "HealthFinding", "Hit", "Holder",
    "ImportRefusedError", "ImportReport", "Injection", "IntegrityError", "Introspection", "KeyUnavailableError", "Kind",
    "Line", "LinkDiff", "LoggedCycle", "Mended", "MergeRecord", "Message", "Mutation", "MutationRecord",
    "NetworkxGraph", "NotFoundError", "Note", "Observation", "ObserveReport", "Other", "Outcome", "Overview",
    "PageFact", "PageLink", "PairExplanation", "PartStanding", "PassRecord", "PassReport", "PassStanding", "PlanRecord",
    "PlannedItem", "ProjectReport", "Proposal", "PurgeReport", "ReadOnlyError", "RecentPass", "Recorded", "Remembered",
    "ReplayReport", "Reply", "Resolution", "SchemaError", "SelfModel", "Settings", "Signal", "Skill", "SkillTable",
    "Skills", "Solved", "Status", "Store", "Suggestion", "Teller", "Tool", "ToolCall", "Transcript", "TrustReport",
    "Turn", "UndoConflictError", "UndoReport", "UnmergeReport", "UnwritableError", "Usage", "UsageError", "Uses",
    "Vectors", "Verdict", "VerifyReport", "WorkingMemory", "calibrate", "doctor", "dream_fleet", "mend_schema",
    "resolve",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'graphdream' has no attribute {name!r}")
    return getattr(import_module(f"graphdream.{_HOME_OF[name]}"), name)
