"""`dream --model` and all that belongs to it at the command line, against a real HTTP server that speaks as OpenAI does."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from tests.support.graphs import apply, entity, facts_of
from tests.support.streams import events_of

Call = Callable[..., Any]
TEA = {
    "op": "create_attribute", "entity": "Ada Lovelace", "aspect": "preferences", "content": "Ada likes green tea",
    "session": "s1", "quote": "likes green tea",
}  # fmt: skip
MODEL = "openai/gpt-4o-mini"


class Provider(ThreadingHTTPServer):
    """Answers every chat completion with what it was told to; remembers what was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mutations: list[dict[str, Any]] = [TEA]
        self.answer: dict[str, Any] | str = ""
        self.asked: list[dict[str, Any]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        words = "".join(str(message["content"]) for message in asked["messages"])
        answer = self.server.answer or {"mutations": self.server.mutations, "summary": "I noted what Ada likes."}
        text = answer if isinstance(answer, str) else json.dumps(answer)
        body = {
            "id": "c1", "object": "chat.completion", "created": 1, "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": len(words) // 4, "completion_tokens": 60, "total_tokens": len(words) // 4 + 60},
        }  # fmt: skip
        streams = bool(asked.get("stream"))
        said = ("".join(events_of(body)) if streams else json.dumps(body)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streams else "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    server = Provider()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("OPENAI_API_KEY", "k-for-the-test")
    monkeypatch.setenv("OPENAI_API_BASE", server.address)
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Ada Lovelace, and an unread session."""
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        apply(store, [entity("Ada Lovelace", general=["Ada Lovelace lives in London since 2021"])])
        record(store, "s1", summary="Ada Lovelace came by. She likes green tea.", started_at="2026-05-01T10:00:00Z")
    return path


@pytest.fixture
def call(path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def called(*words: str, code: int = 0, json_out: bool = False) -> Any:
        capsys.readouterr()
        found = main([*words, "--db", str(path), *(["--json"] if json_out else [])])
        out, err = capsys.readouterr()
        assert found == code, err
        return json.loads(out) if json_out else out + err

    return called


def dream(call: Call, *words: str, **how: Any) -> Any:
    return call("dream", "--trigger", "--model", MODEL, *words, **how)


@pytest.fixture(autouse=True)
def _looked(path: Path) -> None:
    """The first pass of a file is a compaction; these tests are about the passes after it."""
    with Store.open(path) as store, store.writing():
        store.connection.execute("UPDATE dream_state SET last_checked_at = '2026-01-01T00:00:00Z' WHERE id = 1")


def test_a_pass_with_a_model_from_end_to_end(path: Path, call: Call, provider: Provider) -> None:
    done = dream(call, "--budget", "60000", json_out=True)
    assert (done["status"], done["mode"], done["counts"]["applied"]) == ("applied", "incremental", 1)
    with Store.open(path) as store:
        assert "Ada likes green tea" in facts_of(store, "Ada Lovelace")
    assert len(provider.asked) == 1 and "She likes green tea." in json.dumps(provider.asked[0])
    number = str(done["pass"])
    assert "She likes green tea." in call("show", number, "--prompt")
    assert "I noted what Ada likes." in call("show", number, "--transcript")
    sheet = call("show", number, "--cost", json_out=True)
    assert sheet["applied"] == 1 and sheet["tokens_in"] > 1000 and sheet["calls"][0]["attempts"] == 1
    assert "1 mutation of the model applied" in call("show", number, "--cost")
    assert call("status", json_out=True)["cost"]["tokens"] == sheet["tokens_in"] + sheet["tokens_out"]
    assert call("verify", json_out=True)["ok"] and call("replay", number, "--level", "2", json_out=True)["same"]


def test_no_credential_leaves_the_machine(path: Path, call: Call, provider: Provider) -> None:
    key = "sk-ant-" + "a1B2c3D4" * 5
    with Store.open(path) as store:
        record(store, "s2", summary=f"Ada Lovelace pasted her key {key} into the chat.", started_at="2026-05-02")
    done = dream(call, json_out=True)
    assert key not in json.dumps(provider.asked) and "redacted" in json.dumps(provider.asked)
    assert any(name.startswith("redacted") for name in done["figures"])


def test_an_estimate_needs_no_key_and_asks_nobody(
    call: Call, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    foreseen = dream(call, "--estimate", json_out=True)
    assert foreseen["calls"] == 1 and foreseen["tokens"] > 2000 and 0 < foreseen["cost"] < 0.01
    assert dream(call, "--dry-run", json_out=True)["tokens"] == foreseen["tokens"]
    assert "nobody was asked" in dream(call, "--estimate") and not provider.asked


@pytest.mark.parametrize("model", ["nonsense/foo", "foo"])
def test_a_name_of_no_provider_is_refused_in_an_estimate_too(call: Call, model: str) -> None:
    assert f"'{model}' names no provider" in call("dream", "--trigger", "--model", model, "--estimate", code=2)


def test_questions_are_answered_by_their_numbers_and_it_can_be_read_what_led_to_what(
    path: Path, call: Call, provider: Provider
) -> None:
    with Store.open(path) as store:
        led = ["Orion is led by Bo and renders film frames", "Orion is led by Cy"]
        apply(store, [entity("Orion Renderer", "project", general=led),
                      entity("Orion Render", "project", general=["Orion Render renders film frames for the studio"]),
                      {"op": "flag_contradiction", "first": "a2", "second": "a3"}])  # fmt: skip
    provider.answer = {"same": [1], "second": [2, 7], "summary": "One Orion, led by Cy."}
    done = call("dream", "--compact", "--model", MODEL, json_out=True)
    assert done["counts"]["applied"] == 2
    number = str(done["pass"])
    shown = call("show", number, "--all")
    assert "e3 merged into e2" in shown and "answer to question 1 (questions 1 of 1): one and the same" in shown
    assert "answer to question 2 (questions 1 of 1): the second holds" in shown
    prompt, said = call("show", number, "--prompt"), call("show", number, "--transcript")
    assert "1: e2 ? e3" in prompt and "2: a2 or a3" in prompt
    assert "one and the same: merge_entities e3 e2" in said
    assert "refused: there is no question 7; they are numbered 1 to 2" in said
    call("undo", number)
    with Store.open(path) as store:
        assert len(facts_of(store, "Orion Renderer")) == 2


def test_why_there_was_no_answer_is_in_the_transcript(call: Call, provider: Provider) -> None:
    provider.answer = "I would rather not."
    assert "no JSON object" in dream(call, code=7)
    newest = str(call("passes", json_out=True)[-1]["id"])
    said = call("show", newest, "--transcript")
    assert "I would rather not." in said and "[unreadable]" in said


def test_a_budget_that_is_too_small_says_how_much_would_do(path: Path, call: Call, provider: Provider) -> None:
    told = dream(call, "--budget", "500", code=4)
    assert "the budget is 500" in told and not provider.asked
    needed = re.search(r"a budget of (\d+) or more", told)
    assert needed is not None and call("status", json_out=True)["unread"]["sessions"] == 1
    assert dream(call, "--budget", needed[1], json_out=True)["counts"]["applied"] == 1


def test_questions_that_no_budget_reaches_are_said_though_nothing_was_done(
    path: Path, call: Call, provider: Provider
) -> None:
    with Store.open(path) as store:
        apply(store, [entity("Orion", "project", general=["Orion is led by Bo", "Orion is led by Cy"])])
        apply(store, [{"op": "flag_contradiction", "first": "a2", "second": "a3"}])
    told = call("dream", "--compact", "--model", MODEL, "--budget", "1000")
    assert "nothing to do" in told and "left for the next pass: 1 of 1 questions" in told and not provider.asked


def test_a_missing_key_is_named_before_any_work(
    path: Path, call: Call, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    told = dream(call, code=2)
    assert "OPENAI_API_KEY" in told and not provider.asked
    assert call("status", json_out=True)["failures"]["in_a_row"] == 0


def test_the_settings_can_name_the_model_and_switch_it_off(call: Call, provider: Provider) -> None:
    from graphdream.paths import home

    home().mkdir(parents=True)
    (home() / "AGENTS.md").write_text("You keep house for Ada.")
    settings = home() / "agent.yaml"
    settings.write_text(f"memory: {{dreaming: {{model: {MODEL}, enabled: false}}}}")
    assert call("dream", "--trigger", "--dry-run", json_out=True)["status"] == "dry-run" and not provider.asked
    settings.write_text(f"memory: {{dreaming: {{model: {MODEL}}}}}")
    assert call("dream", "--trigger", json_out=True)["counts"]["applied"] == 1
    assert "You keep house for Ada." in json.dumps(provider.asked[0]["messages"][0])


def test_a_plan_is_shown_approved_and_rejected(path: Path, call: Call, provider: Provider) -> None:
    provider.mutations = [TEA, {**TEA, "content": "Ada likes London"}]
    plan = dream(call, "--review", json_out=True)
    assert plan["status"] == "planned"
    number = str(plan["pass"])
    assert [item["verdict"] for item in call("plan", "show", number, json_out=True)] == ["open", "open"]
    assert "green tea" in call("plan", "show", number, "0")
    assert call("plan", "reject", number, "1") and call("plan", "list", json_out=True)[0]["open"] == 1
    approved = call("plan", "approve", number, json_out=True)
    assert [outcome["status"] for outcome in approved["outcomes"]] == ["applied"]
    with Store.open(path) as store:
        assert "Ada likes green tea" in facts_of(store, "Ada Lovelace")
        assert "Ada likes London" not in facts_of(store, "Ada Lovelace")
    assert "nothing in plan" in call("plan", "approve", number, code=2)
    assert call("plan", "show", number, "x", code=2) and call("plan", "approve", code=2)
    for what in ("show", "approve", "reject"):
        assert f"plan {number} has no item 9; it has 2" in call("plan", what, number, "0", "9", code=6)


def test_a_pass_is_thought_anew_by_another_model(call: Call, provider: Provider) -> None:
    number = str(dream(call, json_out=True)["pass"])
    assert call("replay", number, "--level", "3", json_out=True)["same"]
    provider.mutations = [{**TEA, "content": "Ada prefers green tea"}]
    found = call("replay", number, "--level", "3", "--model", "openai/gpt-4o", json_out=True)
    assert found["same_input"] and len(found["only_then"]) == len(found["only_now"]) == 1
    assert "1 only then, 1 only now" in call("replay", number, "--level", "3", "--model", "openai/gpt-4o")
    assert "asks no model" in call("replay", number, "--model", "openai/gpt-4o", code=2)
