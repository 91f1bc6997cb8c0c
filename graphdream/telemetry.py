"""Spans and measures for OpenTelemetry, by its conventions for generative AI and for agents' memories (extra `otel`).

A host that has set up the SDK sees them in its own traces. The command line sets the SDK up by itself where
`OTEL_EXPORTER_OTLP_ENDPOINT` names a collector (`send`). No content of the memory is in them unless
`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is true.

Source: github.com/open-telemetry/semantic-conventions-genai, "GenAI spans", "GenAI metrics"; for memories, change 140.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from opentelemetry import metrics, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_SCOPE = "graphdream"
_OPERATION = {
    "chat": "chat", "recall": "search_memory", "context": "search_memory", "record": "create_memory",
    "remember": "upsert_memory", "undo": "update_memory", "purge": "delete_memory",
}  # fmt: skip
"""What is done -> `gen_ai.operation.name`; passes and their steps have none of their own there."""
_NAMED = {
    "provider": "gen_ai.provider.name", "model": "gen_ai.request.model", "answered_by": "gen_ai.response.model",
    "tokens_in": "gen_ai.usage.input_tokens", "tokens_out": "gen_ai.usage.output_tokens",
    "finish": "gen_ai.response.finish_reasons", "max_tokens": "gen_ai.request.max_tokens",
    "store": "gen_ai.memory.store.id",
}  # fmt: skip
"""Our names of facts -> theirs; all others are told as `graphdream.NAME`."""
_CONTENT = {
    "question": "gen_ai.memory.query.text",
    "prompt": "gen_ai.input.messages",
    "answer": "gen_ai.output.messages",
}


class Telemetry:
    """The watcher that turns what is done into spans and measures."""

    def __init__(self) -> None:
        self._tracer = trace.get_tracer(_SCOPE)
        meter = metrics.get_meter(_SCOPE)
        self._took = meter.create_histogram(
            "gen_ai.client.operation.duration", unit="s", description="how long an operation took"
        )
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage", unit="{token}", description="tokens that a model read and wrote"
        )
        self._pass_took = meter.create_histogram(
            "graphdream.pass.duration", unit="s", description="how long a pass took"
        )
        self._mutations = meter.create_counter(
            "graphdream.mutations", unit="{mutation}", description="mutations of passes by outcome"
        )
        self._current: ContextVar[dict[str, Any] | None] = ContextVar("graphdream_span", default=None)

    @contextmanager
    def seeing(self, what: str, facts: Mapping[str, Any]) -> Iterator[None]:
        """As `graphdream.observed.Watcher.seeing`."""
        kind = SpanKind.CLIENT if what == "chat" else SpanKind.INTERNAL
        known, began, error = dict(facts), time.monotonic(), ""
        token = self._current.set(known)
        with self._tracer.start_as_current_span(_title(what, known), kind=kind, record_exception=False) as span:
            try:
                yield
            except Exception as fault:
                error = type(fault).__name__
                span.set_attribute("error.type", error)
                span.set_status(Status(StatusCode.ERROR, error))
                raise
            finally:
                self._current.reset(token)
                span.update_name(_title(what, known))
                _describe(span, what, known)
                self._measure(what, known, time.monotonic() - began, error)

    def note(self, facts: Mapping[str, Any]) -> None:
        """As `graphdream.observed.Watcher.note`."""
        current = self._current.get()
        if current is not None:
            current.update(facts)

    def _measure(self, what: str, known: Mapping[str, Any], seconds: float, error: str) -> None:
        if what == "pass":
            kind = {f"graphdream.{name}": known[name] for name in ("kind", "mode", "status") if known.get(name)}
            self._pass_took.record(seconds, kind | ({"error.type": error} if error else {}))
            for outcome in ("applied", "skipped", "failed"):
                if number := known.get(outcome):
                    self._mutations.add(number, kind | {"graphdream.outcome": outcome})
            return
        if what not in _OPERATION:
            return
        of = {"gen_ai.operation.name": _OPERATION[what], **({"error.type": error} if error else {})}
        of |= {_NAMED[name]: known[name] for name in ("provider", "model", "answered_by") if known.get(name)}
        self._took.record(seconds, of)
        for told, name in (("input", "tokens_in"), ("output", "tokens_out")):
            if number := known.get(name):
                self._tokens.record(number, of | {"gen_ai.token.type": told})


def _title(what: str, known: Mapping[str, Any]) -> str:
    """`chat openai/gpt-5`, `search_memory`, `pass dream compact`, `step think`."""
    parts = (known.get(name) for name in ("kind", "mode", "name", "model"))
    return " ".join([_OPERATION.get(what, what), *(str(part) for part in parts if part)])


def _describe(span: Span, what: str, known: Mapping[str, Any]) -> None:
    if what in _OPERATION:
        span.set_attribute("gen_ai.operation.name", _OPERATION[what])
    for name, value in known.items():
        if value is None or name == "content":
            continue
        if name == "finish":
            span.set_attribute(_NAMED[name], [value])
        else:
            span.set_attribute(_NAMED.get(name, f"graphdream.{name}"), value)
    if tells_content():
        for name, value in known.get("content", {}).items():
            span.set_attribute(
                _CONTENT[name], value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            )


def tells_content() -> bool:
    """Whether questions, prompts and answers are to be in the spans."""
    return os.environ.get(CONTENT, "").lower() in ("1", "true", "yes", "span_only", "span_and_event")


_PATIENCE = "OTEL_EXPORTER_OTLP_TIMEOUT"
_PATIENCE_SECONDS = "2"  # for a collector that does not answer: a command is not to wait for it


def send() -> None:
    """Set up the SDK of this process, as the variables `OTEL_*` say, unless a host has; what is left goes at its end.

    Raises:
        ImportError: the SDK, or its exporter, is not installed.
    """
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    os.environ.setdefault(_PATIENCE, _PATIENCE_SECONDS)
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", _SCOPE)})
    spans = TracerProvider(resource=resource)
    spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(spans)
    metrics.set_meter_provider(MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())], resource=resource))
