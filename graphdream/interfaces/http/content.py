"""What each page of the dashboard shows, as plain values for its template."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar, cast
from urllib.parse import urlencode

from graphdream.dream.plan import PlannedItem
from graphdream.dream.plan_clusters import Cluster, clusters_of
from graphdream.errors import NotFoundError, UsageError
from graphdream.graph.rows import handle, parse_handle
from graphdream.graph.served import confirm_served, unsound
from graphdream.graph.tables import ENTITY
from graphdream.interfaces.http.api import dream_status
from graphdream.interfaces.http.declared import Call
from graphdream.interfaces.http.drawing import MOST_GROUPS, Group, draw_groups, flows
from graphdream.journal.changes import rows_as_of
from graphdream.journal.merged import merge_of, merges_in
from graphdream.journal.overview import Overview
from graphdream.journal.records import PassRecord, newest_records
from graphdream.journal.sizes import sizes
from graphdream.journal.spending import spending
from graphdream.journal.unusual import unusual_in
from graphdream.views.entity_list import listed_entities

T = TypeVar("T")
_PER_PAGE = 50
_CLUSTERS = 25  # of a kind on one page of a plan
_MERGES = 14  # groups of merges that are drawn
_LOOKS = {
    "contradiction": "odd", "archived": "archived", "replaced": "replaced", "folded": "merged-facts", "added": "new",
    "back": "new",
}  # fmt: skip


def number(value: float) -> str:
    """`12,345`, `0.5`."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def moment(stamp: str | None) -> str:
    """`2026-03-02 12:00`; "" for none. UTC, as every time on every page."""
    return (stamp or "")[:16].replace("T", " ")


def dollars(cost: float | None) -> str:
    """`$0.0123`, or that nobody knows."""
    return "not known" if cost is None else f"${cost:,.4f}" if cost else "$0"


# ---------------------------------------------------------------------- pages


def status(call: Call) -> dict[str, Any]:
    """How dreaming stands, what runs, what waits for a person, the last passes."""
    graph = call.graph
    connection = graph.store.connection
    total, newest = newest_records(graph.store, limit=6)
    told = dream_status(call)
    size = {
        name: connection.execute(f"SELECT count(*) FROM {table} WHERE status = 'active'").fetchone()[0]
        for name, table in (("entities", "entity"), ("facts", "attribute"), ("links", "link"))
    }
    waiting = [plan for plan in graph.plans() if plan.open]
    strange = [(one.id, found) for one in newest if one.kind for found in unusual_in(connection, one.id)]
    return {
        "here": "status", "standing": told.standing, "job": told.job, "size": size, "newest": newest,
        "total": total, "waiting": waiting, "unusual": strange, "enabled": graph.settings().dreaming.enabled,
    }  # fmt: skip


def passes(call: Call) -> dict[str, Any]:
    """The list of passes, newest first."""
    at = _page_of(call)
    connection = call.graph.store.connection
    total, found = newest_records(call.graph.store, offset=at * _PER_PAGE, limit=_PER_PAGE)
    strange = {one.id for one in found if one.kind and unusual_in(connection, one.id)}
    return {"here": "passes", "passes": found, "unusual": strange, **_paging(at, total, _PER_PAGE)}


def one_pass(call: Call) -> dict[str, Any]:
    """One pass: counts, the drawing, then examples of each kind."""
    graph, pass_id = call.graph, call.path["pass_id"]
    record = graph.pass_record(pass_id)
    seen = _seen(call, pass_id)
    groups = _groups(call, record, seen)
    not_applied = sum(record.counts.get("not_applied", {}).values())
    return {
        "here": "passes", "record": record, "overview": seen, "done": call.query.get("done", ""),
        "unusual": unusual_in(graph.store.connection, pass_id), "drawing": draw_groups(groups),
        "flows": flows(seen, _remembered(call, ("sizes", pass_id), lambda: sizes(graph.store.connection, pass_id))),
        "undoable": record.status == "applied" and record.undone_by is None and pass_id > 0,
        "not_applied": not_applied, "plan": record.status == "planned",
    }  # fmt: skip


def changes(call: Call) -> dict[str, Any]:
    """All changes of one kind of one pass, page by page."""
    pass_id, place, at = call.path["pass_id"], call.path["kind"], _page_of(call)
    record = call.graph.pass_record(pass_id)
    seen = _remembered(call, ("all", pass_id), lambda: call.graph.overview(pass_id, most=None))
    if place >= len(seen.kinds):
        raise NotFoundError(f"pass {pass_id} has no {place}. kind of change", f"/passes/{pass_id} lists them")
    kind = seen.kinds[place]
    reason = call.query.get("reason")
    told = [one for one in kind.examples if reason is None or one.why == reason]
    survivors = list(_merges(call, pass_id)) if kind.merges else []
    shown = told[at * _PER_PAGE : (at + 1) * _PER_PAGE]
    handles = [f"e{one}" for one in survivors[at * _PER_PAGE : (at + 1) * _PER_PAGE]]
    merges = [_merge_line(call, pass_id, int(one[1:])) for one in handles]
    return {
        "here": "passes", "record": record, "kind": kind, "shown": shown, "merges": merges, "reason": reason,
        **_paging(at, len(survivors) if kind.merges else len(told), _PER_PAGE, reason=reason),
    }  # fmt: skip


def merge(call: Call) -> dict[str, Any]:
    """One merge, field by field, with the evidence."""
    pass_id, survivor = call.path["pass_id"], call.path["survivor"]
    record = call.graph.pass_record(pass_id)
    parsed = parse_handle(survivor)
    gone = [] if parsed is None or parsed[0] is not ENTITY else _merges(call, pass_id).get(parsed[1], [])
    if parsed is None or not gone:
        raise NotFoundError(f"pass {pass_id} merged nothing into {survivor}", f"/passes/{pass_id} lists its merges")
    confirm_served(call.graph.store, [handle(ENTITY, one) for one in (parsed[1], *gone)])
    found = merge_of(call.graph.store.connection, pass_id, parsed[1])
    return {"here": "passes", "record": record, "merge": found, "explained": _explained(call)}


def not_applied(call: Call) -> dict[str, Any]:
    """What was proposed in a pass and not applied, with the reasons."""
    pass_id, at = call.path["pass_id"], _page_of(call)
    record = call.graph.pass_record(pass_id)
    found = [one for one in call.graph.mutations(pass_id) if one.status != "applied"]
    shown = found[at * _PER_PAGE : (at + 1) * _PER_PAGE]
    return {"here": "passes", "record": record, "shown": shown, **_paging(at, len(found), _PER_PAGE)}


def entities(call: Call) -> dict[str, Any]:
    """The list of entities."""
    at, part = _page_of(call), call.query.get("q", "")[:200]
    total, found = listed_entities(call.graph.store, part, offset=at * _PER_PAGE, limit=_PER_PAGE)
    return {"here": "entities", "q": part, "entities": found, **_paging(at, total, _PER_PAGE, q=part or None)}


def entity(call: Call) -> dict[str, Any]:
    """One entity, with what held once where that is asked for."""
    history = "history" in call.query
    page = call.graph.entity(call.path["entity"], history=history)
    absorbed = [tuple(one.split(" ", 1)) for one in page.absorbed]
    distinct = [tuple(one.split(" ", 1)) for one in page.distinct]
    return {
        "here": "entities", "page": page, "history": history, "absorbed": absorbed, "distinct": distinct,
        "done": call.query.get("done", ""), "past": _past(call, page.entity.id),
    }  # fmt: skip


def recall(call: Call) -> dict[str, Any]:
    """What is known about a question, with what each score is made of."""
    question = call.query.get("q", "").strip()[:10_000]
    found = call.graph.recall(question, k=10, include_superseded="past" in call.query) if question else []
    most = max((part for hit in found for part in hit.parts.values()), default=1.0)
    return {"here": "recall", "q": question, "past": "past" in call.query, "hits": found, "most": most}


def review(call: Call) -> dict[str, Any]:
    """Plans that wait, and those that were decided."""
    return {"here": "review", "plans": call.graph.plans()[::-1]}


def plan(call: Call) -> dict[str, Any]:
    """One plan: its clusters by kind."""
    pass_id = call.path["pass_id"]
    items, clusters = _plan(call, pass_id)
    kinds: OrderedDict[str, list[Cluster]] = OrderedDict()
    for one in clusters:
        kinds.setdefault(one.kind, []).append(one)
    whole = call.query.get("kind")
    if whole is not None and whole not in kinds:
        raise NotFoundError(f"the plan has nothing of the kind {whole!r}", f"/review/{pass_id}")
    at = _page_of(call)
    shown = [
        {
            "name": name, "clusters": found[at * _CLUSTERS : (at + 1) * _CLUSTERS] if whole else found[:_CLUSTERS],
            "total": len(found), "items": sum(len(one.positions) for one in found),
            "open": sum(one.open for one in found),
        }
        for name, found in kinds.items() if whole in (None, name)
    ]  # fmt: skip
    total = len(kinds[whole]) if whole else 0
    return {
        "here": "review", "pass_id": pass_id, "record": call.graph.pass_record(pass_id), "kinds": shown,
        "open": sum(one.verdict == "open" for one in items), "items": len(items), "whole": whole,
        "done": call.query.get("done", ""), "per": _CLUSTERS, **_paging(at, total, _CLUSTERS, kind=whole),
    }  # fmt: skip


def cluster(call: Call) -> dict[str, Any]:
    """One cluster of a plan, item by item; of a merge, field by field."""
    pass_id = call.path["pass_id"]
    _, clusters = _plan(call, pass_id)
    found = next((one for one in clusters if one.id == call.path["cluster"]), None)
    if found is None:
        raise NotFoundError(f"plan {pass_id} has no cluster {call.path['cluster']}", f"/review/{pass_id}")
    handles = dict.fromkeys(one for line in found.lines for one in line.handles if one[0] == "e")
    members = []
    for member in list(handles)[:24] if found.op == "merge_entities" else ():
        page = call.graph.entity(member)
        facts = [fact.content for facts in page.facts.values() for fact in facts]
        more = max(0, len(facts) - 12)
        members.append({"head": page.entity, "aliases": page.aliases, "facts": facts[:12], "more": more})
    target = found.lines[0].handles[-1] if found.lines and found.lines[0].handles else ""
    return {
        "here": "review", "pass_id": pass_id, "cluster": found, "members": members, "target": target,
        "left_out": max(0, len(handles) - 24), "explained": _explained(call),
    }  # fmt: skip


def cycle(call: Call) -> dict[str, Any]:
    """The kinds of pass, and what past cycles did."""
    return {
        "here": "cycle", "kinds": call.graph.cycle_passes(), "log": call.graph.dream_log(most=10),
        "job": call.service.jobs.latest(),
    }  # fmt: skip


def costs(call: Call) -> dict[str, Any]:
    """What models took."""
    return {"here": "costs", "spending": spending(call.graph.store)}


# ---------------------------------------------------------------------- parts


def _page_of(call: Call) -> int:
    word = call.query.get("page", "1")
    if not (word.isascii() and word.isdigit() and int(word[:8]) > 0 and len(word) <= 8):
        raise UsageError(f"{word[:20]!r} is no page", "pages count from 1")
    return int(word) - 1


def _paging(at: int, total: int, per: int, **kept: str | None) -> dict[str, Any]:
    def link(page: int) -> str:
        return "?" + urlencode({name: value for name, value in kept.items() if value is not None} | {"page": page})

    return {
        "total": total, "first": min(at * per + 1, total), "last": min((at + 1) * per, total),
        "before": link(at) if at > 0 else "", "after": link(at + 2) if (at + 1) * per < total else "",
    }  # fmt: skip


_memory: OrderedDict[tuple[Any, ...], tuple[Any, set[str]]] = OrderedDict()
_memory_lock = threading.Lock()
_MOST_REMEMBERED = 32


def _remembered(call: Call, key: tuple[Any, ...], make: Callable[[], T]) -> T:
    """What a pass did does not change, unless a purge erases some of it, which is a pass itself: so it is read once."""
    connection, left_out = call.graph.store.connection, call.graph.store.seal.left_out
    newest = connection.execute("SELECT max(id), sum(status = 'open') FROM pass").fetchone()
    whole = (str(call.graph.store.path), *key, newest[0], newest[1])
    with _memory_lock:
        if whole in _memory:
            _memory.move_to_end(whole)
            held, missing = _memory[whole]
            left_out |= missing
            return cast(T, held)
    before = left_out.copy()
    left_out.clear()
    made = make()
    missing = left_out.copy()
    left_out |= before
    with _memory_lock:
        _memory[whole] = (made, missing)
        while len(_memory) > _MOST_REMEMBERED:
            _memory.popitem(last=False)
    return made


def _seen(call: Call, pass_id: int) -> Overview:
    return _remembered(call, ("overview", pass_id), lambda: call.graph.overview(pass_id, most=5))


def _merges(call: Call, pass_id: int) -> dict[int, list[int]]:
    return _remembered(call, ("merges", pass_id), lambda: merges_in(call.graph.store.connection, pass_id))


def _merge_line(call: Call, pass_id: int, survivor: int) -> dict[str, Any]:
    """A merge in a line: names as the pass left them, whatever they are by now."""
    gone = _merges(call, pass_id)[survivor]
    store, members = call.graph.store, (survivor, *gone)
    with store.reading():
        wrong = unsound(store, [handle(ENTITY, one) for one in members])
        rows = rows_as_of(store.connection, ENTITY, members, pass_id)
    told = {one: "" if handle(ENTITY, one) in wrong or one not in rows else rows[one]["name"] for one in members}
    return {"survivor": f"e{survivor}", "name": told[survivor], "gone": [told[one] for one in gone]}


def _groups(call: Call, record: PassRecord, seen: Overview) -> list[Group]:
    """What the drawing shows: the kinds as clouds, then the largest merges."""
    pass_id = record.id
    clouds = []
    for place, kind in enumerate(seen.kinds):
        if kind.merges:
            continue
        look = next((look for word, look in _LOOKS.items() if word in kind.name), "kept")
        clouds.append(Group(kind.name, look, kind.count, number(kind.count), f"/passes/{pass_id}/changes/{place}"))
    merges = []
    # A pass that is not as it was sealed has no kinds to tell of, and so no merges either.
    for survivor, gone in list(_merges(call, pass_id).items())[:_MERGES] if seen.kinds else ():
        name = _merge_line(call, pass_id, survivor)["name"]
        words = f"{number(len(gone) + 1)} became one"
        merges.append(Group(name, "merged", len(gone), words, f"/passes/{pass_id}/merges/e{survivor}"))
    return [*sorted(clouds, key=lambda one: -one.count), *merges][:MOST_GROUPS]


def _explained(call: Call) -> dict[str, Any] | None:
    """Why two entities were, or would be, taken for one, where a page was asked with `why=e5,e9`."""
    pair = call.query.get("why", "").split(",")
    if len(pair) != 2:
        return None
    found = call.graph.explain(pair[0], pair[1])
    return {"pair": pair, "lines": found.lines(), "table": "\n".join(found.table())}


def _past(call: Call, entity_id: int) -> list[dict[str, Any]]:
    """The passes that changed an entity, newest first."""
    rows = call.graph.store.connection.execute(
        "SELECT pass.id, pass.kind, pass.mode, pass.finished_at, count(*) AS changes FROM change"
        " JOIN pass ON pass.id = change.pass_id WHERE change.kind = ? AND row_id = ?"
        " GROUP BY pass.id ORDER BY pass.id DESC LIMIT 50",
        (ENTITY.kind, entity_id),
    )
    return [dict(row) for row in rows]


def _plan(call: Call, pass_id: int) -> tuple[list[PlannedItem], list[Cluster]]:
    items = call.graph.plan(pass_id)
    return items, clusters_of(call.graph.store, pass_id, items)
