"""What steers a terminal, turns writing around or hides reaches no person and no model, and ordinary text is as it was."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphdream
from graphdream.clock import utc_now
from graphdream.config import Settings
from graphdream.dream.opening import Wish, open_hybrid
from graphdream.dream.runner import PassOptions, dream
from graphdream.dreamers.client.ledger import Ledger
from graphdream.dreamers.client.ledgered import LedgeredClient
from graphdream.interfaces.cli import COMMANDS, main
from graphdream.interfaces.guarded import guarded_output
from graphdream.shown import json_shown, printable, shown, without_hidden
from tests.support.hostile_text import RAW, evil, live, untouched_columns
from tests.support.models import ScriptedClient, said

ORDINARY = {
    "emoji": "👩‍👩‍👧 🏳️‍🌈 ❤️‍🔥 👁️‍🗨️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🙂‍↔️ 👩🏽‍🚀 ⛹🏻‍♀️ 🇮🇹",
    "Persian": "می‌خواهم نامه‌ای بنویسم و PDF‌ها را بفرستم",
    "Arabic": "مرحبا، العنوان (رقم ١٢) هـ\u200d (ok)\u200f،",
    "Hebrew": "שלום (עולם)\u200f! גרסה 2\u200f",
    "Devanagari": "क्‍ष र्‍य श्रीमान्‌को",
    "Sinhala": "ශ්‍රී ලංකාව",
    "Thai": "สวัสดี\u200bครับ",
    "Japanese": "葛󠄀城市と辻︀さん",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ ᠤᠨ᠎ᠠ",
    "German": "Donau\xaddampf\xadschiff für Köln",
    "French": "l’été\u00a0: «\u202fdéjà\u202f» ½ ×",
    "Korean": "한국어 ᄒᆞᆫ글",
    "code": "if a < b:\n\treturn x[1] # ok\n",
}
HIDDEN = {
    "escape sequence": "\x1b[2J", "C1": "\x9b2J", "bell": "\x07", "override": "a\u202eb", "isolate": "a\u2066b\u2069",
    "mark in Latin": "a\u200fb", "zero width": "pass\u200bword", "joiner in Latin": "pass\u200dword",
    "run of joiners": "مي\u200c\u200c\u200cخ", "selector on a letter": "a\ufe0f\U000e0101", "tags": "\U000e0041\U000e0042",
    "run of selectors": "😀\ufe00\ufe01\U000e0100", "surrogate": "a\ud800b", "line separator": "a\u2028b",
    "annotation": "\ufff9x\ufffb", "filler": "a\u3164b", "override beside Hebrew": "שלום\u202eabc", "carriage": "a\rb",
    "flag that is none": "🏴\U000e0069\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065\U000e0020\U000e007f",
}  # fmt: skip


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert shown(text) == text
    assert json.loads(json_shown(json.dumps(text, ensure_ascii=False))) == text
    assert all(printable(line) == line for line in text.replace("\t", "").splitlines())


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN.keys())
def test_what_steers_or_hides_is_spelled_out(text: str) -> None:
    for told in (shown(text), printable(text)):
        assert told != text
        assert not any(unicodedata.category(sign) in ("Cc", "Cf", "Cs") for sign in told if sign not in "\u200c")
    assert json.loads(json_shown(json.dumps(text, ensure_ascii=False))) == text


@given(st.text())
def test_json_keeps_every_text_and_what_is_shown_is_shown_again_as_it_is(text: str) -> None:
    assert json.loads(json_shown(json.dumps(text, ensure_ascii=False))) == text
    assert shown(shown(text)) == shown(text)
    assert "\n" not in printable(text)
    assert not RAW.search(shown(text).replace("\u200b", "").replace("\u200e", ""))
    assert shown(without_hidden(text)) == without_hidden(text) or len(without_hidden(text)) < len(text)


# ---------------------------------------------------------------------- every command


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return live(tmp_path_factory.mktemp("lived"))


@pytest.fixture
def memory(lived: Path, tmp_path: Path) -> Path:
    for file in lived.parent.glob("memory.db*"):
        if file.is_file():
            shutil.copy(file, tmp_path / file.name)
    return tmp_path / "memory.db"


def test_the_signs_are_in_everything_that_somebody_says(lived: Path) -> None:
    said_by_somebody = {
        "entity.name", "entity.type", "entity.metadata", "alias.name", "aspect.name", "attribute.content",
        "attribute.source", "attribute.tags", "attribute.slot", "attribute.metadata", "attribute.session_key",
        "link.type", "link.reason", "session.key", "session.metadata", "turn.content", "turn.speaker", "turn.uid",
        "summary.content", "observation.content", "observed.body", "observed.name", "observed.session_key",
        "evidence.quote", "evidence.session_key", "mutation.body", "pass.inputs", "pass.answer", "change.diff",
        "planned.body", "exchange.messages", "working_memory.path", "working_memory.value", "recall_feedback.note",
        "injected.session_key", "distinct_pair.reason",
    }  # fmt: skip
    assert not said_by_somebody & untouched_columns(lived)


CASES = (
    ["status"], ["dream", "--status"], ["doctor"], ["verify"], ["passes"], ["categories"], ["log"], ["cycle", "--list"],
    *(["show", str(number)] for number in range(1, 12)), ["show", "1", "--all"], ["show", "8", "--prompt"],
    ["diff", "0..11"], ["diff", "1", "--all"], ["recall", "boat tea ship Lisbon"], ["recall", evil("boat"), "--explain"],
    ["recall", "tea", "--superseded"], ["context", "--session", evil("s9"), "--message", "boat tea ship"],
    ["context", "--session", evil("s1"), "--message", "boat", "--turns", "5"], ["entity", "e1"], ["entity", "e2"],
    ["entity", "e1", "--history"], ["entity", evil("Nobody")], ["explain", "e1", "e3"], ["explain", "a1", "a3"],
    ["plan"], ["plan", "show", "7"], ["plan", "show", "8"], ["skills"], ["skills", "show", evil("mail")], ["self"],
    ["introspect"], ["review"], ["review", "--root", "."],
    ["working", "list"], ["working", "get", evil("plan")], ["working", "search", "boat"],
    ["export"], ["export", "--format", "markdown"], ["export", "--format", "graphml"],
    ["export", "--format", "cytoscape"], ["replay", "1"], ["replay", "3"], ["undo", "1"], ["undo", "99"],
    ["purge", "a1"], ["purge", evil("s1"), "--yes"], ["purge", "a4", "--yes"], ["pin", "e1"], ["unpin", evil("Who")],
    ["merge", "e1", "e3", "--reason", evil("one")], ["rename", "e1", evil("Lady Ada")], ["retype", "e1", evil("poet")],
    ["alias", "e1", evil("A.")], ["link", "e1", "e2", "--type", evil("owns")], ["forget", "a1", "--reason", evil("x")],
    ["edit", '{"op": "retype_entity", "entity": "e1", "type": "poet"}'], ["restore", "a3"], ["constraint", "a1"], ["split", "e1", "a1", "--name", evil("Other")], ["same", "e1", "e3"],
    ["distinct", "a1", "a3"], ["date", "a1", "--until", evil("2026")], ["replace", "a1", evil("Ada likes coffee")],
    ["remember", evil("Ada sings")], ["remember", evil("Ada sings"), "--wait"], ["feedback", "a1", "wrong", "--note", evil("n")],
    ["record", "--session", evil("s7"), "--summary", evil("Ada left.")], ["record", "--session", "x", "--metadata", evil("{")],
    ["import", evil("/nowhere")], [evil("explode")], ["recall", "--" + evil("option"), "x"], ["dream", "--dry-run"],
    ["dream"], ["cycle"], ["unmerge", "e1"], ["completion", "bash"], ["show", "1", "--archived"], ["show", "8", "--new"], ["--help"], ["--version"], ["recall", "--help"], ["calibrate", evil("x")],
    ["resolve", evil("/x")], ["observe", evil("/x")], ["unlink", "l1"], ["passes", "--agent", evil("who")], ["trust"], ["trust", "--reason", evil("mine")],
    ["trust", "--add-key", evil("/x")], ["fleet", "dream", evil("/x")], [],
)  # fmt: skip


def test_every_command_is_among_them() -> None:
    left = {"serve", "mcp", "hook", "demo", "init"}  # pages, answers and hooks have tests of their own below
    assert COMMANDS.keys() - {case[0] for case in CASES if case} == left


@pytest.mark.parametrize("words", CASES, ids=lambda words: printable(" ".join(words))[:50] or "nothing")
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_no_command_prints_them_raw(words, as_json, memory, capsys, monkeypatch) -> None:
    monkeypatch.setenv("GRAPHDREAM_HOME", str(memory.parent / "home"))
    named = [] if not words or words[0].startswith("--") or "--agent" in words else ["--db", str(memory)]
    capsys.readouterr()
    code = main([*words, *named, *(["--json"] if as_json and named else [])])
    printed = capsys.readouterr()
    assert code != 70, printed.err
    for stream in (printed.out, printed.err):
        found = RAW.search(stream)
        assert not found, (words, stream[max(found.start() - 60, 0) : found.end() + 20])


def test_json_keeps_what_is_stored(memory, capsys) -> None:
    capsys.readouterr()
    assert main(["recall", "green tea", "--json", "--db", str(memory)]) == 0
    assert evil("Ada likes green tea.") in [hit["text"] for hit in json.loads(capsys.readouterr().out)]
    for form in ("jsonl", "cytoscape"):
        assert main(["export", "--format", form, "--db", str(memory)]) == 0
        text = capsys.readouterr().out
        assert not RAW.search(text)
        held = [json.loads(line) for line in text.splitlines()] if form == "jsonl" else json.loads(text)
        assert evil("Ada likes green tea.") in json.dumps(held, ensure_ascii=False) or json.dumps(
            evil("Ada likes green tea.")
        )[1:-1] in json.dumps(held)


def test_an_export_read_again_is_the_same_graph(memory, tmp_path) -> None:
    export, again = tmp_path / "graph.jsonl", tmp_path / "again.db"
    assert main(["export", "--out", str(export), "--db", str(memory)]) == 0
    assert main(["import", str(export), "--db", str(again)]) == 0
    assert main(["export", "--out", str(tmp_path / "second.jsonl"), "--db", str(again)]) == 0
    assert export.read_bytes() == (tmp_path / "second.jsonl").read_bytes()
    assert not RAW.search(export.read_text(encoding="utf-8"))


# ---------------------------------------------------------------------- models and pages


def test_no_prompt_holds_them(memory) -> None:
    client = ScriptedClient(lambda _: said(summary="nothing to do"))
    with graphdream.open(memory) as graph:
        asked = LedgeredClient(client, Ledger())
        for mode in ("compact", "incremental"):
            dreamer = open_hybrid(graph.store, asked, Wish("m", 0.005), Settings(), None, clock=utc_now)
            dream(graph.store, dreamer, PassOptions(mode=mode, dry_run=True, again=True), clock=utc_now)
        graph.cycle(client=asked, again=True, dry_run=True)
    prompts = "\n".join(message.content for messages in client.sent for message in messages)
    assert "boat" in prompts and not RAW.search(prompts)


def test_no_credential_is_hidden_from_redaction_by_signs_in_it() -> None:
    client = ScriptedClient(lambda _: said())
    key = "sk-ant-" + "a1B2" * 8
    from graphdream.dreamers.client.base import Message

    LedgeredClient(client, Ledger()).complete([Message("user", f"the key {key[:12]}\u200b{key[12:]} leaks")])
    assert key[14:] not in client.prompt() and "[redacted: anthropic-key]" in client.prompt()


def test_what_is_injected_holds_none(memory) -> None:
    with graphdream.open(memory) as graph:
        given = graph.context("s99", "boat tea ship Lisbon", turns=5)
        notes = graph.context(evil("s1"), "boat", turns=5)
    assert "\\u202e" in given.text and "\\u202e" in notes.text
    assert not RAW.search(given.text + notes.text)


def test_mcp_answers_hold_none(memory) -> None:
    mcp = pytest.importorskip("graphdream.interfaces.mcp.server")
    from mcp import Client

    async def ask() -> str:
        with graphdream.open(memory) as graph:
            texts = []
            async with Client(mcp.make_server(graph)) as client:
                for name, told in (
                    ("recall", {"question": "boat tea ship", "superseded": True}), ("explain", {"what": "e1"}),
                    ("context", {"session": evil("s4"), "message": "boat"}), ("explain", {"what": "a1"}),
                    ("explain", {"what": "pass 1"}), ("explain", {"what": "e1", "other": "e3"}), ("status", {}),
                    ("explain", {"what": evil("Nobody")}), ("dream", {"dry_run": True}), ("undo", {"pass_id": 1}),
                    ("forget", {"handle": "a1", "reason": evil("why")}), ("remember", {"fact": evil("Ada rows")}),
                ):  # fmt: skip
                    answer = await client.call_tool(name, told)
                    texts += [getattr(part, "text", "") for part in answer.content]
                    texts.append(json.dumps(answer.structured_content, ensure_ascii=False))
                for address in ("passes", "categories", "passes/1", "entities/e1"):
                    answer = await client.read_resource(f"graphdream://{address}")
                    texts += [part.text for part in answer.contents]
            return "\n".join(texts)

    told = asyncio.run(ask())
    assert "boat" in told and "\\u202e" in told
    assert not RAW.search(told)


def test_pages_show_none(memory) -> None:
    pytest.importorskip("starlette")
    from starlette.testclient import TestClient

    from graphdream.interfaces.http.app import make_app
    from graphdream.interfaces.http.jobs import Jobs
    from graphdream.interfaces.http.service import Service

    with graphdream.open(memory) as graph:
        client = TestClient(make_app(Service(graph, Jobs([])), hosts=("testserver",), token=None))
        for page in (
            "/", "/passes", "/passes/1", "/passes/3", "/passes/1/changes/0", "/passes/7", "/passes/8", "/passes/8/not-applied",
            "/entities", "/entities/e1?history=1", "/recall?q=boat+tea", "/review", "/review/7", "/cycle", "/costs",
            "/entities/nobody%E2%80%AE",
        ):  # fmt: skip
            answer = client.get(page, headers={"accept": "text/html"})
            assert answer.status_code in (200, 404), (page, answer.text[:300])
            found = RAW.search(answer.text)
            assert not found, (page, answer.text[max(found.start() - 80, 0) : found.end()])


def test_files_for_people_and_models_hold_none(memory, tmp_path) -> None:
    (tmp_path / "out").mkdir()
    for words in (
        ["export", "--format", "memory", "--out", str(tmp_path / "out")],
        ["export", "--format", "markdown", "--out", str(tmp_path / "out" / "a.md")],
        ["diff", "1", "--svg", str(tmp_path / "out" / "a.svg")],
    ):
        assert main([*words, "--db", str(memory)]) == 0, words
    texts = [file.read_text(encoding="utf-8") for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert len(texts) >= 4
    assert not any(RAW.search(text) for text in texts)


def test_a_person_at_a_terminal_gets_emphasis_and_nothing_else_that_steers() -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen, before = Screen(), sys.stdout
    sys.stdout = screen
    try:
        with guarded_output():
            print("\x1b[1mheading\x1b[0m \x1b[31mred\x1b[2J\u202e")
    finally:
        sys.stdout = before
    assert screen.getvalue() == "\x1b[1mheading\x1b[0m \\x1b[31mred\\x1b[2J\\u202e\n"
