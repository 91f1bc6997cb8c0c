"""The dashboard: pages drawn on the server, which do all they do without a script."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from hmac import compare_digest
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from graphdream.errors import UndoConflictError, UsageError
from graphdream.interfaces.damage import Damage
from graphdream.interfaces.http import content
from graphdream.interfaces.http.api import CycleBody, Trigger, start_cycle, words_of
from graphdream.interfaces.http.declared import Call, Fault, Nothing
from graphdream.interfaces.http.guard import COOKIE, cookie_of
from graphdream.interfaces.http.service import Service
from graphdream.shown import shown

_TEMPLATES = Path(__file__).with_name("templates")
_MONTH_SECONDS = 30 * 24 * 3600
Show = Callable[[Call], dict[str, Any]]
Do = Callable[[Call, Mapping[str, list[str]]], str]


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, finalize=_finalized,
    )  # fmt: skip
    made.filters |= {"number": content.number, "moment": content.moment}
    made.filters |= {"dollars": content.dollars, "segment": _segment}
    return made


def _finalized(value: Any) -> Any:
    """What a page shows of a value: text of the memory steers nothing; markup is the templates' own."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _segment(text: str) -> str:
    """A text as a part of an address."""
    return quote(text, safe="")


def draw(template: str, code: int = 200, **values: Any) -> HTMLResponse:
    """A page."""
    return HTMLResponse(_environment().get_template(template).render(**values), code)


def fault_page(status: int, fault: Fault) -> Response:
    """A page that says what was wrong and what to do."""
    return draw("fault.html", status, fault=fault, status=status, here="", passes=(), undo="")


def page_routes(service: Service, token: str | None) -> list[Route]:
    """Every page, and every form of one; what they need is read now, not while the first person waits."""
    for name in _environment().list_templates():
        _environment().get_template(name)
    shown = {
        "/": ("status.html", content.status), "/passes": ("passes.html", content.passes),
        "/passes/{pass_id:int}": ("pass.html", content.one_pass),
        "/passes/{pass_id:int}/changes/{kind:int}": ("changes.html", content.changes),
        "/passes/{pass_id:int}/merges/{survivor}": ("merge.html", content.merge),
        "/passes/{pass_id:int}/not-applied": ("not_applied.html", content.not_applied),
        "/entities": ("entities.html", content.entities), "/entities/{entity:path}": ("entity.html", content.entity),
        "/recall": ("recall.html", content.recall), "/review": ("review.html", content.review),
        "/review/{pass_id:int}": ("plan.html", content.plan),
        "/review/{pass_id:int}/clusters/{cluster:int}": ("cluster.html", content.cluster),
        "/cycle": ("cycle.html", content.cycle), "/costs": ("costs.html", content.costs),
    }  # fmt: skip
    done: dict[str, Do] = {
        "/dream": _dream, "/cycle/{kind}/run": _run_kind, "/passes/{pass_id:int}/undo": _undo,
        "/entities/{entity}/unmerge": _unmerge, "/review/{pass_id:int}/decide": _decide,
    }  # fmt: skip
    routes = [Route(path, partial(_page, service, *how), methods=["GET"]) for path, how in shown.items()]
    routes += [Route(path, partial(_form, service, do), methods=["POST"]) for path, do in done.items()]
    if token is not None:
        routes += [
            Route("/login", partial(_login_page), methods=["GET"]),
            Route("/login", partial(_login, token), methods=["POST"]),
        ]
    return routes


async def _page(service: Service, template: str, show: Show, request: Request) -> Response:
    def read() -> dict[str, Any]:
        damage = Damage(service.graph.store)
        values = show(_call(service, request))
        return values | {"damage": damage.words()}

    return draw(template, **await service.read(read))


def _call(service: Service, request: Request) -> Call:
    return Call(service.graph, service, dict(request.path_params), dict(request.query_params), Nothing())


async def _form(service: Service, do: Do, request: Request) -> Response:
    """Do what a form asks, then show where it leads; a form sent twice by reload is so asked once."""
    sent = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20_000)
    try:
        where = await service.write(lambda: do(_call(service, request), sent))
    except UndoConflictError as fault:
        told = Fault(error=str(fault), hint="they can be taken back together", code=fault.exit_code)
        return draw("fault.html", 409, fault=told, status=409, here="", passes=fault.passes, undo=str(request.url.path))
    return RedirectResponse(where, 303)


# ---------------------------------------------------------------------- forms


def _dream(call: Call, sent: Mapping[str, list[str]]) -> str:
    mode = sent.get("mode", [""])[0]
    if mode not in ("", "compact", "incremental"):
        raise UsageError(f"{mode!r} is no mode", "compact or incremental")
    wish = Trigger.model_validate({"mode": mode or None, "review": "review" in sent})
    call.service.start("dream", words_of(wish))
    return "/"


def _run_kind(call: Call, sent: Mapping[str, list[str]]) -> str:
    body = CycleBody(again="again" in sent)
    start_cycle(call, [call.path["kind"]], again=body.again)
    return "/cycle"


def _undo(call: Call, sent: Mapping[str, list[str]]) -> str:
    report = call.graph.undo(call.path["pass_id"], cascade="cascade" in sent, all_wrong="all_wrong" in sent)
    return f"/passes/{report.pass_id}?" + urlencode({"done": "undone"})


def _unmerge(call: Call, sent: Mapping[str, list[str]]) -> str:
    report = call.graph.unmerge(call.path["entity"], wrong="wrong" in sent)
    return f"/entities/{report.entity}?" + urlencode({"done": "unmerged"})


def _decide(call: Call, sent: Mapping[str, list[str]]) -> str:
    """Approve or reject what was ticked; each tick names positions, as they were when the page was drawn."""
    pass_id = call.path["pass_id"]
    positions = sorted({at for value in sent.get("items", ()) for at in _positions(value)})
    everything = "all" in sent
    if not positions and not everything:
        raise UsageError("nothing was ticked, so nothing was decided", "go back and tick what you mean")
    what = sent.get("what", [""])[0]
    if what == "approve":
        decision = call.graph.approve(pass_id, None if everything else positions)
        return f"/passes/{decision.pass_id}?" + urlencode({"done": "approved"})
    if what == "reject":
        call.graph.reject(pass_id, None if everything else positions)
        return f"/review/{pass_id}?" + urlencode({"done": "rejected"})
    raise UsageError(f"{what!r} is no decision", "approve or reject")


def _positions(value: str) -> list[int]:
    parts = value.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise UsageError(f"{value[:40]!r} names no items", "go back and reload the page")
    return [int(part) for part in parts]


# ---------------------------------------------------------------------- signing in


async def _login_page(request: Request) -> Response:
    return draw("login.html", wrong=False, here="")


async def _login(token: str, request: Request) -> Response:
    sent = parse_qs((await request.body()).decode("utf-8", "replace"), max_num_fields=10)
    given = sent.get("token", [""])[0].strip()
    if not compare_digest(given.encode(), token.encode()):
        return draw("login.html", 403, wrong=True, here="")
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        COOKIE, cookie_of(token), max_age=_MONTH_SECONDS, httponly=True, samesite="strict",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return answer
