"""Routes of the API as declarations: what each takes and gives, from which the OpenAPI document is derived."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from graphdream.errors import GraphdreamError, UsageError

if TYPE_CHECKING:
    from graphdream.interfaces.http.service import Service
    from graphdream.library import Graph

_STATUS_OF_EXIT = {1: 409, 2: 400, 3: 400, 4: 409, 5: 409, 6: 404, 7: 502}
_REFUSALS = {400: "what was sent is wrong", 409: "the memory is not as it was sealed"}  # of every route
_PLACE = re.compile(r"\{(\w+)(?::(\w+))?\}")


class Input(BaseModel):
    """What a caller sends: a name that is not known is refused, so a slip of the pen is not taken for a default."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Nothing(Input):
    """No fields."""


class Fault(BaseModel):
    """Why a request was not carried out.

    `code` is the exit code that the command line gives for the same fault (docs/exit-codes.md).
    """

    error: str
    hint: str = ""
    code: int


@dataclass(frozen=True, slots=True)
class Call:
    """One request, read: the memory, the service, and what was sent."""

    graph: Graph
    service: Service
    path: dict[str, Any]
    query: Any
    body: Any


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One route.

    Attributes:
        path: as Starlette spells it, with `{id:int}`.
        run: gives the answer; the type it declares is the shape of the answer.
        query, body: what may be sent.
        status: of an answer.
        refusals: status -> when.
    """

    method: str
    path: str
    run: Callable[[Call], Any]
    query: type[Input] = Nothing
    body: type[Input] | None = None
    status: int = 200
    refusals: dict[int, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the operation."""
        return self.run.__name__

    @property
    def answer(self) -> TypeAdapter[Any]:
        """The shape of the answer."""
        return _adapter(self.run)


_adapters: dict[Callable[[Call], Any], TypeAdapter[Any]] = {}


def _adapter(run: Callable[[Call], Any]) -> TypeAdapter[Any]:
    if run not in _adapters:
        import graphdream.library

        names = {"Graph": graphdream.library.Graph}
        _adapters[run] = TypeAdapter(get_type_hints(run, localns=names)["return"])
    return _adapters[run]


def read_into(model: type[Input], sent: Any) -> Input:
    """What was sent, checked. Raises UsageError, naming every field that is wrong."""
    try:
        return model.model_validate(sent)
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in fault['loc']) or 'the body'}: {fault['msg']}"
            for fault in error.errors(include_url=False)
        ]
        known = ", ".join(model.model_fields) or "no fields"
        raise UsageError("; ".join(faults), f"this route takes {known}; see /api/openapi.json") from error


def fault_of(fault: GraphdreamError) -> tuple[int, Fault]:
    """The status and the body for an error."""
    status = _STATUS_OF_EXIT.get(fault.exit_code, 500)
    return status, Fault(error=str(fault), hint=fault.hint, code=fault.exit_code)


def _refusals(endpoint: Endpoint) -> dict[int, str]:
    """Status -> when: what every route may answer, and what this one."""
    both = {status: f"{when}; {_REFUSALS[status]}" for status, when in endpoint.refusals.items() if status in _REFUSALS}
    return {**_REFUSALS, **endpoint.refusals, **both}


def openapi(endpoints: Sequence[Endpoint], version: str) -> dict[str, Any]:
    """The OpenAPI 3.1 document of the routes."""
    schemas: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for endpoint in endpoints:
        operation: dict[str, Any] = {
            "operationId": endpoint.name,
            "summary": (endpoint.run.__doc__ or "").strip().splitlines()[0],
            "parameters": [*_places(endpoint.path), *_queries(endpoint.query)],
            "responses": {
                str(endpoint.status): _said(
                    HTTPStatus(endpoint.status).phrase, _schema(endpoint.answer.json_schema, schemas, "serialization")
                ),
                **{
                    str(status): _said(when, _schema(Fault.model_json_schema, schemas, "serialization"))
                    for status, when in _refusals(endpoint).items()
                },
            },
        }
        if endpoint.body is not None:
            shape = _schema(endpoint.body.model_json_schema, schemas, "validation")
            operation["requestBody"] = {"required": False, "content": {"application/json": {"schema": shape}}}
        paths.setdefault(_PLACE.sub(r"{\1}", endpoint.path), {})[endpoint.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "graphdream",
            "version": version,
            "description": "An agent's long-term memory, consolidated while it sleeps.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _said(words: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": words, "content": {"application/json": {"schema": schema}}}


def _schema(make: Callable[..., dict[str, Any]], schemas: dict[str, Any], mode: str) -> dict[str, Any]:
    """A schema, with what it defines moved to where every operation finds it."""
    made = make(mode=mode, ref_template="#/components/schemas/{model}")
    schemas.update(made.pop("$defs", {}))
    return made


def _places(path: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer" if kind == "int" else "string"},
        }
        for name, kind in _PLACE.findall(path)
    ]


def _queries(model: type[Input]) -> list[dict[str, Any]]:
    shape = model.model_json_schema()
    return [
        {"name": name, "in": "query", "required": name in shape.get("required", ()), "schema": schema}
        for name, schema in shape["properties"].items()
    ]
