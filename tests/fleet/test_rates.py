"""A provider's limits, kept by all workers of a fleet together: a real HTTP server counts what reaches it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from graphdream.dreamers.client import limits
from graphdream.dreamers.client.limits import Gate, Rates, Turnstile
from graphdream.events.record import record
from graphdream.fleet.pool import LocalPool
from graphdream.fleet.run import dream_fleet
from graphdream.fleet.sharing import QueueServer
from graphdream.fleet.work import FleetOptions
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from tests.support.graphs import apply, entity
from tests.support.streams import events_of

AGENTS = 5
WINDOW_SECONDS = 4.0


class Provider(ThreadingHTTPServer):
    """Answers every chat completion with nothing to do; remembers when, and whose agent, it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[float, str]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        now = time.monotonic()
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        words = json.dumps(asked["messages"])
        self.server.asked.append((now, next(name for name in map(agent_name, range(AGENTS)) if name in words)))
        body = {
            "id": "c1", "object": "chat.completion", "created": 1, "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": '{"mutations": [], "summary": "Nothing to do."}'}}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920},
        }  # fmt: skip
        said = ("".join(events_of(body)) if asked.get("stream") else json.dumps(body)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if asked.get("stream") else "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: Any) -> None:
        pass


def agent_name(number: int) -> str:
    return f"Ada{number} Lovelace"


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    server = Provider()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("OPENAI_API_KEY", "k-for-the-test")
    monkeypatch.setenv("OPENAI_API_BASE", f"http://127.0.0.1:{server.server_port}/v1")
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Agents with an unread session each."""
    folder = tmp_path / "fleet"
    for number in range(AGENTS):
        (folder / f"agent-{number}").mkdir(parents=True)
        name = agent_name(number)
        with Store.open(folder / f"agent-{number}" / "memory.db") as store:
            apply(store, [entity(name, general=[f"{name} lives in London since 2021"])])
            record(store, "s1", summary=f"{name} came by. She likes green tea.", started_at="2026-05-01T10:00:00Z")
    return folder


@pytest.fixture
def let_through(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, str]]:
    """When the turnstiles of this process let a call through, by their clock, and in the name of whose memory."""
    passed: list[tuple[float, str]] = []
    ask = Turnstile.ask

    def noted(turnstile: Turnstile, ticket: str, agent: str, tokens: int) -> float:
        wait = ask(turnstile, ticket, agent, tokens)
        if not wait:
            passed.extend((when, agent) for when, passing in tuple(turnstile._passed) if passing == ticket)
        return wait

    monkeypatch.setattr(Turnstile, "ask", noted)
    return passed


def test_all_workers_together_keep_the_limit(
    fleet: Path, provider: Provider, let_through: list[tuple[float, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two a window, though each of the two workers alone would have asked at once. What a request takes from the
    turnstile to the server is for the machine to say, and no part of the limit: each was let through before it came."""
    monkeypatch.setattr(limits, "WINDOW_SECONDS", WINDOW_SECONDS)  # the coordinator keeps the window
    report = dream_fleet(
        fleet, FleetOptions(compact=False, model="openai/gpt-4o-mini"), jobs=2, rates=Rates(requests=2)
    )
    assert not report.failed and {name for _, name in provider.asked} == {agent_name(n) for n in range(AGENTS)}
    for number in range(AGENTS):
        came = sorted(when for when, name in provider.asked if name == agent_name(number))
        passed = sorted(when for when, memory in let_through if memory == f"agent-{number}/memory.db")
        assert len(came) == len(passed) and all(one <= other for one, other in zip(passed, came, strict=True))
    times = sorted(when for when, _ in let_through)
    assert len(times) >= AGENTS
    for first in times:
        assert sum(first <= when < first + WINDOW_SECONDS for when in times) <= 2
    assert times[-1] - times[0] >= ((len(times) - 1) // 2) * WINDOW_SECONDS
    assert sum(one.tokens for one in report.agents) >= 920 * AGENTS


def test_the_limit_of_the_settings_counts_for_one_agent_alone(
    fleet: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "WINDOW_SECONDS", 2.0)
    monkeypatch.setenv("GRAPHDREAM_DREAMING__REQUESTS_PER_MINUTE", "1")
    began = time.monotonic()
    for number in range(2):
        db = str(fleet / f"agent-{number}" / "memory.db")
        assert main(["dream", "--incremental", "--model", "openai/gpt-4o-mini", "--db", db]) == 0
    assert len(provider.asked) >= 2 and time.monotonic() - began >= 2.0


def pass_gate(gate: Gate) -> float:
    with gate.passing(10) as settle:
        settle(5)
    return time.monotonic()


def test_processes_share_one_turnstile_and_one_that_was_killed_holds_up_nobody() -> None:
    turnstile = Turnstile(Rates(tokens=100))
    with QueueServer(turnstile) as server, LocalPool(2) as pool:
        times = list(pool.map(pass_gate, [Gate(server.queue, f"a{number}") for number in range(12)]))
    assert len(times) == 12 and sum(turnstile._tokens.values()) == 60


def test_limits_that_are_none_are_told(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "dream", str(fleet), "--requests-per-minute", "0"]) == 2
    assert "lets nothing through" in capsys.readouterr().err
