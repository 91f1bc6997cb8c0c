"""The routes of the API. What each takes and gives is said by its types; docs/dashboard.md lists them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from graphdream.dream.cycle_state import PassStanding
from graphdream.dream.plan import Decision, PlannedItem, PlanRecord
from graphdream.dream.plan_clusters import Cluster, clusters_of, positions_in
from graphdream.errors import UsageError
from graphdream.graph.rows import handle
from graphdream.graph.served import sound
from graphdream.graph.tables import ENTITY
from graphdream.interfaces.cli.status import as_json, merge_record, spent_on
from graphdream.interfaces.http.declared import Call, Endpoint, Input
from graphdream.interfaces.http.jobs import Job
from graphdream.journal.graph_diff import GraphDiff
from graphdream.journal.merged import Merge, merge_of, merges_in
from graphdream.journal.overview import Overview
from graphdream.journal.records import MutationRecord, PassRecord, newest_records
from graphdream.journal.spending import Spending, spending
from graphdream.journal.undo import UndoReport
from graphdream.journal.unmerge import UnmergeReport
from graphdream.journal.unusual import Unusual, unusual_in
from graphdream.recall.hit import Hit
from graphdream.views.entity_list import ListedEntity, listed_entities
from graphdream.views.entity_page import EntityPage

MOST = 200  # of a list that one answer holds


class Page(Input):
    """A part of a list."""

    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=50, ge=1, le=MOST)


class Trigger(Input):
    """How a dream is to run."""

    mode: Literal["compact", "incremental"] | None = Field(default=None, description="None: what is due")
    review: bool = Field(default=False, description="change nothing, and keep what would change as a plan")
    again: bool = Field(default=False, description="also do anew what was taken back from earlier passes")
    budget_tokens: int | None = Field(default=None, ge=1, description="most tokens that a model may take")


class Started(BaseModel):
    """A pass was started."""

    status: Literal["accepted"] = "accepted"
    job: Job


class DreamStatus(BaseModel):
    """How dreaming stands: what `graphdream status --json` prints, the newest job, and the newest pass."""

    standing: dict[str, Any]
    job: Job | None
    newest_pass: int


class Passes(BaseModel):
    """A part of the list of passes, newest first."""

    total: int
    passes: list[PassRecord]


class Mutations(BaseModel):
    """A part of what was proposed in a pass."""

    total: int
    mutations: list[MutationRecord]


class MutationQuery(Page):
    """Which mutations."""

    status: Literal["applied", "skipped", "failed"] | None = None


class DiffQuery(Input):
    """Two points of the journal, each a pass or a time."""

    before: str
    after: str


class RecallQuery(Input):
    """A question."""

    q: str = Field(min_length=1, max_length=10_000)
    k: int = Field(default=5, ge=1, le=100)
    as_of: str | None = None
    include_superseded: bool = False


class EntityQuery(Page):
    """Which entities: those whose name begins with, or holds a word that begins with `q`."""

    q: str = Field(default="", max_length=200)


class Entities(BaseModel):
    """A part of the list of entities, those with most facts first."""

    total: int
    entities: list[ListedEntity]


class HistoryQuery(Input):
    """Whether facts that hold no more are told too."""

    history: bool = False


class OverviewQuery(Input):
    """How many examples of each kind."""

    examples: int = Field(default=10, ge=0, le=MOST)


class PassView(BaseModel):
    """One pass: its record, what it changed at a glance, and what is unusual about it."""

    record: PassRecord
    overview: Overview
    unusual: list[Unusual]


class UndoBody(Input):
    """How a pass is to be taken back."""

    cascade: bool = Field(default=False, description="undo the later passes that stand in the way, too")
    wrong: list[str] = Field(default=[], description="handles of entities that it merged wrongly")
    all_wrong: bool = Field(default=False, description="every merge of it was wrong")


class UnmergeBody(Input):
    """How a merge is to be taken back."""

    wrong: bool = Field(default=False, description="it is not the same; remember that")


class PlanView(BaseModel):
    """A plan in clusters: what belongs together is decided together."""

    clusters: list[Cluster]
    items: list[PlannedItem]


class Choice(Input):
    """What of a plan: clusters by id, items by position; neither means all that are open."""

    clusters: list[int] | None = None
    items: list[int] | None = None


class CycleBody(Input):
    """Which passes of a cycle; None: all that are due."""

    kinds: list[str] | None = None
    again: bool = False
    dry_run: bool = False


# ---------------------------------------------------------------------- dreaming


def trigger_dream(call: Call) -> Started:
    """Start a dream and return at once; GET /api/dream/status tells how far it is."""
    return Started(job=call.service.start("dream", words_of(call.body)))


def words_of(body: Trigger) -> list[str]:
    """The options of `graphdream dream` for a request."""
    words = [{"compact": "--compact", "incremental": "--incremental", None: "--trigger"}[body.mode]]
    if body.review:
        words.append("--review")
    if body.again:
        words.append("--again")
    if body.budget_tokens is not None:
        words += ["--budget", str(body.budget_tokens)]
    return words


def dream_status(call: Call) -> DreamStatus:
    """Is a pass due, and if not, which gate is closed; what runs; the newest pass."""
    graph = call.graph
    connection, settings = graph.store.connection, graph.settings().dreaming
    newest = connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()[0]
    standing = as_json(graph.store.path, settings, graph.status(), spent_on(graph.store), merge_record(connection))
    return DreamStatus(standing=standing, job=call.service.jobs.latest(), newest_pass=newest)


def cycle_kinds(call: Call) -> list[PassStanding]:
    """Every kind of pass of the cycle, with how it stands."""
    return call.graph.cycle_passes()


def run_cycle(call: Call) -> Started:
    """Start a cycle, or some kinds of pass of it, and return at once."""
    body: CycleBody = call.body
    return Started(job=start_cycle(call, body.kinds, again=body.again, dry_run=body.dry_run))


def start_cycle(call: Call, kinds: list[str] | None, *, again: bool = False, dry_run: bool = False) -> Job:
    """Start a cycle. Raises NotFoundError where there is no such kind."""
    from graphdream.passes.registry import kind_named

    words = []
    if kinds is not None:
        for kind in kinds:
            kind_named(kind)
        if not kinds:
            raise UsageError("kinds names no kind of pass", "GET /api/cycle/kinds lists them")
        words += ["--only", ",".join(kinds)]
    words += ["--again"] if again else []
    words += ["--dry-run"] if dry_run else []
    return call.service.start("cycle", words)


def run_kind(call: Call) -> Started:
    """Start one kind of pass and return at once, whatever its hours say."""
    return Started(job=start_cycle(call, [call.path["kind"]], again=call.body.again, dry_run=call.body.dry_run))


# ---------------------------------------------------------------------- the journal


def list_passes(call: Call) -> Passes:
    """Passes, newest first."""
    page: Page = call.query
    total, passes = newest_records(call.graph.store, offset=page.offset, limit=page.limit)
    return Passes(total=total, passes=passes)


def show_pass(call: Call) -> PassView:
    """One pass: who made it, what it changed by kind with examples, what is unusual about it."""
    graph, pass_id = call.graph, call.path["pass_id"]
    record = graph.pass_record(pass_id)
    return PassView(
        record=record,
        overview=graph.overview(pass_id, most=call.query.examples),
        unusual=unusual_in(graph.store.connection, pass_id) if record.kind else [],
    )


def pass_mutations(call: Call) -> Mutations:
    """What was proposed in a pass, in order, and what became of each."""
    query: MutationQuery = call.query
    found = [one for one in call.graph.mutations(call.path["pass_id"]) if query.status in (None, one.status)]
    return Mutations(total=len(found), mutations=found[query.offset : query.offset + query.limit])


def pass_diff(call: Call) -> GraphDiff:
    """What changed in a pass, entity by entity: all of it."""
    pass_id = call.path["pass_id"]
    call.graph.pass_record(pass_id)
    return call.graph.diff(pass_id - 1, pass_id)


class Merges(BaseModel):
    """A part of the merges of a pass, those that took in most first."""

    total: int
    merges: list[Merge]


def pass_merges(call: Call) -> Merges:
    """The merges of a pass, field by field."""
    pass_id, page = call.path["pass_id"], call.query
    call.graph.pass_record(pass_id)
    connection = call.graph.store.connection
    survivors = merges_in(connection, pass_id)
    shown = list(survivors)[page.offset : page.offset + page.limit]
    store = call.graph.store
    shown = sound(store, shown, lambda one: (handle(ENTITY, each) for each in (one, *survivors[one])))
    return Merges(total=len(survivors), merges=[merge_of(connection, pass_id, survivor) for survivor in shown])


def diff_between(call: Call) -> GraphDiff:
    """What changed between two points of the journal."""
    return call.graph.diff(call.query.before, call.query.after)


def undo_pass(call: Call) -> UndoReport:
    """Take a pass back; the undo is a pass itself, and can be undone."""
    body: UndoBody = call.body
    return call.graph.undo(call.path["pass_id"], cascade=body.cascade, wrong=body.wrong, all_wrong=body.all_wrong)


def costs(call: Call) -> Spending:
    """What was spent, by month, by model, and by pass."""
    return spending(call.graph.store)


# ---------------------------------------------------------------------- the graph


def recall(call: Call) -> list[Hit]:
    """What is known about a question, best first, with what each score is made of."""
    query: RecallQuery = call.query
    return call.graph.recall(query.q, k=query.k, as_of=query.as_of, include_superseded=query.include_superseded)


def list_entities(call: Call) -> Entities:
    """Entities by name, those with most facts first."""
    query: EntityQuery = call.query
    total, found = listed_entities(call.graph.store, query.q, offset=query.offset, limit=query.limit)
    return Entities(total=total, entities=found)


def show_entity(call: Call) -> EntityPage:
    """An entity by handle, name or alias, with its facts and links."""
    return call.graph.entity(call.path["entity"], history=call.query.history)


def unmerge_entity(call: Call) -> UnmergeReport:
    """Take one merge back: the entity of this handle is there again."""
    return call.graph.unmerge(call.path["entity"], wrong=call.body.wrong)


# ---------------------------------------------------------------------- plans


def list_plans(call: Call) -> list[PlanRecord]:
    """Plans that wait for a person, or were decided."""
    return call.graph.plans()


def show_plan(call: Call) -> PlanView:
    """A plan: its clusters, and its items."""
    pass_id = call.path["pass_id"]
    items = call.graph.plan(pass_id)
    return PlanView(clusters=clusters_of(call.graph.store, pass_id, items), items=items)


def approve_plan(call: Call) -> Decision:
    """Apply clusters or items of a plan as a pass."""
    return call.graph.approve(call.path["pass_id"], chosen(call, call.body))


def reject_plan(call: Call) -> Decision:
    """Decide that clusters or items of a plan are not to be done."""
    return call.graph.reject(call.path["pass_id"], chosen(call, call.body))


def chosen(call: Call, body: Choice) -> list[int] | None:
    """The positions that a choice names; of a cluster those that are open. Raises NotFoundError."""
    if body.clusters is None:
        return body.items
    items = call.graph.plan(call.path["pass_id"])
    clusters = clusters_of(call.graph.store, call.path["pass_id"], items)
    return sorted({*(body.items or ()), *positions_in(items, clusters, body.clusters)})


def newest_pass(call: Call) -> int:
    """Id of the newest pass; 0 where there is none."""
    found: int = call.graph.store.connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()[0]
    return found


_NO_PASS = {404: "there is no such pass"}
_NO_ENTITY = {404: "there is no such entity", 409: "the name fits several"}
_BUSY = {409: "another pass is running"}
_OFF = {503: "dreaming is switched off"}

ENDPOINTS = (
    Endpoint("POST", "/api/dream/trigger", trigger_dream, body=Trigger, status=202, refusals=_BUSY | _OFF),
    Endpoint("GET", "/api/dream/status", dream_status),
    Endpoint("GET", "/api/cycle/kinds", cycle_kinds),
    Endpoint("POST", "/api/cycle/run", run_cycle, body=CycleBody, status=202,
             refusals=_BUSY | {404: "there is no such kind of pass"}),
    Endpoint("POST", "/api/cycle/kinds/{kind}/run", run_kind, body=CycleBody, status=202,
             refusals=_BUSY | {404: "there is no such kind of pass"}),
    Endpoint("GET", "/api/passes", list_passes, query=Page),
    Endpoint("GET", "/api/passes/{pass_id:int}", show_pass, query=OverviewQuery, refusals=_NO_PASS),
    Endpoint("GET", "/api/passes/{pass_id:int}/mutations", pass_mutations, query=MutationQuery, refusals=_NO_PASS),
    Endpoint("GET", "/api/passes/{pass_id:int}/diff", pass_diff, refusals=_NO_PASS),
    Endpoint("GET", "/api/passes/{pass_id:int}/merges", pass_merges, query=Page, refusals=_NO_PASS),
    Endpoint("POST", "/api/passes/{pass_id:int}/undo", undo_pass, body=UndoBody,
             refusals=_NO_PASS | {409: "later passes stand in the way, or a pass is running"}),
    Endpoint("GET", "/api/diff", diff_between, query=DiffQuery, refusals=_NO_PASS),
    Endpoint("GET", "/api/costs", costs),
    Endpoint("GET", "/api/recall", recall, query=RecallQuery),
    Endpoint("GET", "/api/entities", list_entities, query=EntityQuery),
    Endpoint("GET", "/api/entities/{entity:path}", show_entity, query=HistoryQuery, refusals=_NO_ENTITY),
    Endpoint("POST", "/api/entities/{entity}/unmerge", unmerge_entity, body=UnmergeBody,
             refusals={404: "there is no such entity", 409: "it was merged into none"}),
    Endpoint("GET", "/api/plans", list_plans),
    Endpoint("GET", "/api/plans/{pass_id:int}", show_plan, refusals={404: "there is no such pass"}),
    Endpoint("POST", "/api/plans/{pass_id:int}/approve", approve_plan, body=Choice,
             refusals={404: "there is no such plan, cluster or item", 409: "a pass is running"}),
    Endpoint("POST", "/api/plans/{pass_id:int}/reject", reject_plan, body=Choice,
             refusals={404: "there is no such plan, cluster or item", 409: "a pass is running"}),
)  # fmt: skip
