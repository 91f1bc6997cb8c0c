"""What others see of a memory at work: the SDK's own memory exporter, and a real collector at the end of a real process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from graphdream import Graph
from graphdream import open as open_graph
from graphdream.dreamers.client.base import Message
from graphdream.dreamers.client.provider import LiteLLMClient
from graphdream.telemetry import CONTENT
from tests.dreamers.client.servers import openai_body, says, serving

trace = pytest.importorskip("opentelemetry.trace", reason="NOT TESTED: the extra otel is not installed")
from opentelemetry.sdk.metrics import MeterProvider  # noqa: E402
from opentelemetry.sdk.metrics.export import InMemoryMetricReader  # noqa: E402
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: E402

SECRET = "Zsófia keeps bees behind the mill"


@pytest.fixture(scope="session")  # a worker may come to this module twice
def sdk() -> tuple[InMemorySpanExporter, InMemoryMetricReader]:
    """A host that has set OpenTelemetry up; that can be done once in a process."""
    from opentelemetry import metrics

    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider([reader]))
    return exporter, reader


@pytest.fixture
def seen(sdk: tuple[InMemorySpanExporter, InMemoryMetricReader]) -> InMemorySpanExporter:
    sdk[0].clear()
    return sdk[0]


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    with open_graph(tmp_path / "memory.db") as graph:
        yield graph


def named(seen: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in seen.get_finished_spans()}


def test_a_pass_is_a_span_and_its_steps_are_spans_in_it(graph: Graph, seen: InMemorySpanExporter) -> None:
    graph.remember(SECRET)
    graph.remember(f"{SECRET}.")
    graph.dream(compact=True)
    spans = named(seen)
    whole = spans["pass dream compact"]
    assert whole.attributes["graphdream.dreamer"] == "local" and whole.attributes["graphdream.status"] == "nothing"
    for step in ("gather", "plan", "think"):
        assert spans[f"step {step}"].parent.span_id == whole.context.span_id


def test_memory_operations_bear_the_names_of_the_convention(graph: Graph, seen: InMemorySpanExporter) -> None:
    graph.remember(SECRET)
    graph.record_session("s1", summary="Zsófia moved the hives.")
    graph.recall("bees")
    graph.context("s2", "bees?")
    number = graph.passes()[-1].id
    graph.undo(number)
    operations = {span.attributes.get("gen_ai.operation.name") for span in seen.get_finished_spans()}
    assert operations >= {"upsert_memory", "create_memory", "search_memory", "update_memory"}
    assert max(span.attributes.get("graphdream.hits", 0) for span in seen.get_finished_spans()) >= 1


def test_no_content_is_told_unless_it_is_asked_for(
    graph: Graph, seen: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def all_told() -> str:
        return " ".join(f"{span.name} {span.to_json()}" for span in seen.get_finished_spans())

    graph.remember(SECRET)
    graph.record_session("s1", summary=SECRET)
    graph.recall("Who keeps bees?")
    graph.dream(compact=True)
    assert "bees" not in all_told() and "Zs" not in all_told()
    monkeypatch.setenv(CONTENT, "true")
    graph.recall("Who keeps bees?")
    assert "Who keeps bees?" in all_told()


def test_a_call_of_a_model_tells_its_tokens_and_not_its_words(
    seen: InMemorySpanExporter, sdk: tuple[InMemorySpanExporter, InMemoryMetricReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as provider:
        monkeypatch.setenv("OPENAI_API_BASE", f"{provider.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        provider.does(says(openai_body(SECRET)))
        client = LiteLLMClient("openai/gpt-4o-mini", timeout_seconds=20.0, context_tokens=9_000)
        client.complete([Message("user", "Who keeps bees?")])
    (span,) = seen.get_finished_spans()
    told = span.attributes
    assert span.name == "chat openai/gpt-4o-mini" and span.kind is trace.SpanKind.CLIENT
    assert told["gen_ai.provider.name"] == "openai" and told["gen_ai.request.model"] == "openai/gpt-4o-mini"
    assert told["gen_ai.usage.input_tokens"] > 0 and told["gen_ai.response.finish_reasons"] == ("stop",)
    assert "bees" not in span.to_json()
    measured = {
        metric.name
        for resource in sdk[1].get_metrics_data().resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert measured >= {"gen_ai.client.token.usage", "gen_ai.client.operation.duration"}


def test_what_fails_is_told_as_an_error_without_its_message(graph: Graph, seen: InMemorySpanExporter) -> None:
    with pytest.raises(Exception, match="99"):
        graph.undo(99)
    span = named(seen)["update_memory"]
    assert span.attributes["error.type"] == "NotFoundError" and span.status.status_code is trace.StatusCode.ERROR
    assert "99" not in str(span.events)


# ---------------------------------------------------------------------- processes


class Collector(BaseHTTPRequestHandler):
    """Takes what exporters send over OTLP/HTTP."""

    taken: list[tuple[str, bytes]]

    def do_POST(self) -> None:
        self.taken.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing."""


@pytest.fixture
def collector() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    taken: list[tuple[str, bytes]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Taking", (Collector,), {"taken": taken}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", taken
    server.shutdown()
    server.server_close()


def run(folder: Path, *words: str, before: str = "pass", **environment: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; {before}; from graphdream.interfaces.cli import main; code = main(sys.argv[1:]); "
    code += (
        "print('LOADED', 'opentelemetry' in sys.modules and sys.modules['opentelemetry'] is not None); sys.exit(code)"
    )
    variables = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")} | environment
    return subprocess.run(
        [sys.executable, "-c", code, *words, "--db", str(folder / "memory.db")], text=True, capture_output=True,
        env=variables, timeout=60,
    )  # fmt: skip


def test_a_command_sends_to_the_collector_that_the_environment_names(
    tmp_path: Path, collector: tuple[str, list[tuple[str, bytes]]]
) -> None:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    url, taken = collector
    assert run(tmp_path, "record", "--session", "s1", "--summary", SECRET).returncode == 0
    done = run(tmp_path, "dream", "--compact", OTEL_EXPORTER_OTLP_ENDPOINT=url)
    assert done.returncode == 0, done.stderr
    assert {path for path, _ in taken} == {"/v1/traces", "/v1/metrics"}
    request = ExportTraceServiceRequest()
    request.ParseFromString(next(body for path, body in taken if path == "/v1/traces"))
    (resource,) = request.resource_spans
    names = {span.name for scope in resource.scope_spans for span in scope.spans}
    assert names >= {"pass dream compact", "step gather", "step think"}
    assert all(b"bees" not in body for _, body in taken)


def test_nothing_is_loaded_where_nobody_looks(tmp_path: Path) -> None:
    for words in (["remember", SECRET, "--wait"], ["recall", "bees"]):
        done = run(tmp_path, *words)
        assert done.returncode == 0 and "LOADED False" in done.stdout, done.stdout + done.stderr


def test_a_collector_that_is_not_there_keeps_nobody_waiting_and_a_missing_extra_is_said(tmp_path: Path) -> None:
    away = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    assert run(tmp_path, "remember", SECRET, "--wait").returncode == 0
    assert run(tmp_path, "recall", "bees", **away).returncode == 0
    blocked = "sys.modules.update({'opentelemetry': None, 'opentelemetry.trace': None})"
    done = run(tmp_path, "recall", "bees", before=blocked, **away)
    assert done.returncode == 0 and "graphdream[otel]" in done.stderr and "bees" in done.stdout
    assert run(tmp_path, "recall", "bees", OTEL_SDK_DISABLED="true", **away).stderr == ""
