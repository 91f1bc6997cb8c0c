"""The API, the dashboard and the assets as one ASGI application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection
from dataclasses import asdict
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from graphdream.errors import GraphdreamError, NotFoundError, UsageError
from graphdream.interfaces.http.api import ENDPOINTS
from graphdream.interfaces.http.declared import Call, Endpoint, Fault, fault_of, openapi, read_into
from graphdream.interfaces.http.guard import Guard
from graphdream.interfaces.http.service import DisabledError, Service
from graphdream.interfaces.output import json_text

STATIC = Path(__file__).with_name("static")
LEFT_OUT = "graphdream-left-out"  # header: handles of what was not told, because it is not as it was sealed
_LOOK_SECONDS = 0.25  # between two looks at the jobs for who listens
_PULSE_SECONDS = 15.0  # after which a silent stream says that it lives


def make_app(service: Service, *, hosts: Collection[str] = (), token: str | None = None) -> ASGIApp:
    """The application for one memory.

    Args:
        hosts: names that the server may be called by, beside those of loopback.
        token: what a caller has to show; None: nothing.
    """
    from graphdream.interfaces.http.pages import page_routes

    routes = [
        *(
            Route(endpoint.path, partial(_answer, service, endpoint), methods=[endpoint.method])
            for endpoint in ENDPOINTS
        ),
        Route("/api/dream/events", partial(_events, service)),
        Route("/api/openapi.json", _openapi),
        *page_routes(service, token),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={HTTPException: _http_fault, GraphdreamError: _fault, Exception: _broken},
    )
    return Guard(app, hosts=hosts, token=token)


async def _answer(service: Service, endpoint: Endpoint, request: Request) -> Response:
    query = read_into(endpoint.query, dict(request.query_params))
    body = None if endpoint.body is None else read_into(endpoint.body, await _json_of(request))

    def run() -> tuple[bytes, str]:
        left_out = service.graph.store.seal.left_out
        left_out.clear()
        call = Call(service.graph, service, dict(request.path_params), query, body)
        return endpoint.answer.dump_json(endpoint.run(call)), ", ".join(sorted(left_out))

    if any(abs(value) >= 1 << 63 for value in request.path_params.values() if isinstance(value, int)):
        raise NotFoundError("there is no row of that id")
    told, left_out = await (service.read(run) if endpoint.method == "GET" else service.write(run))
    return Response(told, endpoint.status, {LEFT_OUT: left_out} if left_out else None, media_type="application/json")


async def _json_of(request: Request) -> Any:
    """The body; an empty one has no fields. Raises UsageError."""
    sent = await request.body()
    if not sent.strip():
        return {}
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise UsageError(f"the body is {kind}", "send application/json")
    try:
        return json.loads(sent)
    except (ValueError, RecursionError) as fault:
        raise UsageError(f"the body is no JSON: {fault}", "send one JSON object") from fault


async def _events(service: Service, request: Request) -> Response:
    """Server-sent events: `progress` with the newest job whenever it changes, `pass` when a new pass is on record."""
    return StreamingResponse(_stream(service), media_type="text/event-stream", headers={"x-accel-buffering": "no"})


async def _stream(service: Service) -> AsyncIterator[str]:
    seen, newest, quiet, looked = -1, -1, 0.0, 0.0
    while not service.ending:
        if service.jobs.version != seen:
            seen, quiet = service.jobs.version, 0.0
            job = service.jobs.latest()
            yield _event("progress", None if job is None else asdict(job))
        if looked <= 0:
            looked = 2.0
            found = await service.read(lambda: _newest(service))
            if found != newest:
                newest, quiet = found, 0.0
                yield _event("pass", {"newest_pass": found})
        if quiet >= _PULSE_SECONDS:
            quiet = 0.0
            yield ": still here\n\n"
        await asyncio.sleep(_LOOK_SECONDS)
        quiet, looked = quiet + _LOOK_SECONDS, looked - _LOOK_SECONDS


def _newest(service: Service) -> int:
    found: int = service.graph.store.connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()[0]
    return found


def _event(name: str, data: Any) -> str:
    return f"event: {name}\ndata: {json_text(data)}\n\n"


async def _openapi(request: Request) -> Response:
    try:
        release = version("graphdream")
    except PackageNotFoundError:
        release = "0"
    return JSONResponse(openapi(ENDPOINTS, release))


def _wants_page(request: Request) -> bool:
    return not request.url.path.startswith("/api/") and "text/html" in request.headers.get("accept", "")


def _told(request: Request, status: int, fault: Fault) -> Response:
    if _wants_page(request):
        from graphdream.interfaces.http.pages import fault_page

        return fault_page(status, fault)
    return JSONResponse(fault.model_dump(), status)


async def _fault(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, GraphdreamError)
    status, told = fault_of(fault)
    return _told(request, 503 if isinstance(fault, DisabledError) else status, told)


async def _http_fault(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, HTTPException)
    hint = "GET /api/openapi.json lists the routes" if fault.status_code in (404, 405) else ""
    code = 6 if fault.status_code == 404 else 2
    return _told(request, fault.status_code, Fault(error=str(fault.detail), hint=hint, code=code))


async def _broken(request: Request, fault: Exception) -> Response:
    if type(fault).__name__ == "OperationalError" and "locked" in str(fault):
        return _told(request, 503, Fault(error="another program is writing", hint="try again in a moment", code=5))
    said = f"internal error: {type(fault).__name__}"
    return _told(request, 500, Fault(error=said, hint="the server's log has more", code=70))
