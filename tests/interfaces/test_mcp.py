"""`graphdream mcp`, through the protocol library's own client and real processes."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from graphdream.dream.later import take_in_waiting
from graphdream.dream.remember import remember
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from support.attacks import shell

if find_spec("mcp") is None:
    pytest.skip("NOT TESTED: the extra mcp is not installed; pip install 'graphdream[mcp]'", allow_module_level=True)

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

PROJECT = Path(__file__).resolve().parents[2]
TOOLS = {"recall", "remember", "forget", "context", "dream", "status", "explain", "undo"}
Talk = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        remember(store, "The Lantern deadline is on Friday.", category="project/Lantern/plan")  # a1
        remember(store, "Avery Felts likes green tea.", category="person/Avery Felts/tastes", by="agent")  # a2
    return path


def client(database: Path, *words: str) -> Client:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "graphdream", "mcp", "--db", str(database), *words],
        env=dict(os.environ), cwd=str(PROJECT),
    )  # fmt: skip
    return Client(stdio_client(parameters))


def talk(database: Path, said: Talk, *words: str) -> Any:
    async def session() -> Any:
        async with client(database, *words) as connected:
            return await said(connected)

    return asyncio.run(asyncio.wait_for(session(), 60))


async def call(connected: Client, tool: str, **given: Any) -> dict[str, Any]:
    """The structured content of a tool's answer, which is right."""
    answer = await connected.call_tool(tool, given)
    assert not answer.is_error, answer.content
    assert json.loads(answer.content[0].text) == answer.structured_content  # for clients that read text alone
    held: dict[str, Any] = answer.structured_content
    return held


async def fault(connected: Client, tool: str, **given: Any) -> str:
    answer = await connected.call_tool(tool, given)
    assert answer.is_error
    return str(answer.content[0].text)


def test_every_tool_says_what_it_does_and_what_it_returns(database: Path) -> None:
    async def said(connected: Client) -> None:
        listed = (await connected.list_tools()).tools
        assert {tool.name for tool in listed} == TOOLS
        for tool in listed:
            assert tool.description and tool.title and tool.output_schema and tool.annotations
            assert all("description" in one for one in tool.input_schema.get("properties", {}).values()), tool.name
        reading = {tool.name for tool in listed if tool.annotations and tool.annotations.read_only_hint}
        assert reading == {"recall", "status", "explain"}
        assert all(tool.annotations and tool.annotations.open_world_hint is False for tool in listed)

    talk(database, said)


def test_the_small_profile_has_three_tools_and_nothing_else(database: Path) -> None:
    async def said(connected: Client) -> None:
        assert {tool.name for tool in (await connected.list_tools()).tools} == {"recall", "remember", "forget"}
        assert (await connected.list_resources()).resources == []
        assert (await connected.list_prompts()).prompts == []

    talk(database, said, "--simple")


def test_what_is_told_is_an_observation_unless_the_user_told_it(database: Path) -> None:
    async def said(connected: Client) -> None:
        seen = await call(connected, "remember", fact="Kai Brandt works on Lantern.")
        told = await call(connected, "remember", fact="Kai Brandt lives in Oslo.", told_by_user=True)
        again = await call(connected, "remember", fact="Kai Brandt lives in Oslo.")
        assert again["known"] and again["handle"] == told["handle"] and not seen["known"]
        found = await call(connected, "recall", question="Where does Kai Brandt live?")
        assert (
            found["results"][0]["text"] == "Kai Brandt lives in Oslo."
            and found["results"][0]["handle"] == told["handle"]
        )

    talk(database, said)
    with Store.open(database) as store:
        held = dict(store.connection.execute("SELECT content, authority FROM attribute").fetchall())
    assert held["Kai Brandt works on Lantern."] == "observed"
    assert held["Kai Brandt lives in Oslo."] == held["The Lantern deadline is on Friday."] != "observed"


def test_an_argument_that_a_tool_does_not_have_is_refused_with_the_one_that_is_meant(database: Path) -> None:
    """`by` was passed over, so that what the user had said was kept as an observation."""

    async def said(connected: Client) -> None:
        for tool in (await connected.list_tools()).tools:
            assert tool.input_schema["additionalProperties"] is False, tool.name
        told = await fault(connected, "remember", fact="Kai Brandt lives in Oslo.", by="user")
        assert "`by`" in told and "`told_by_user`" in told and "session" in told
        assert "`question`" in await fault(connected, "recall", question="Kai?", query="Kai?")
        assert "`told_by_user`" in await fault(connected, "remember", fact="Kai sings.", told_by_use=True)
        assert "takes none" in await fault(connected, "status", colour="red")
        assert (await call(connected, "recall", question="Kai Brandt"))["results"] == []

    talk(database, said)


def test_an_agent_forgets_what_was_observed_and_undoes_it_but_not_what_a_person_did(database: Path) -> None:
    async def said(connected: Client) -> None:
        gone = await call(connected, "forget", handle="a2", reason="tried")
        assert (await call(connected, "recall", question="green tea"))["results"] == []
        await call(connected, "undo", pass_id=gone["pass_id"])
        assert (await call(connected, "recall", question="green tea"))["results"]
        refused = await fault(connected, "forget", handle="a1")
        assert "To mend it" in refused or "person" in refused
        assert "ask the user to run: graphdream undo 1" in await fault(connected, "undo", pass_id=1)

    talk(database, said)


def test_context_dream_status_and_explain(database: Path) -> None:
    async def said(connected: Client) -> None:
        first = await call(connected, "context", session="s1", message="When is the Lantern deadline?")
        again = await call(connected, "context", session="s1", message="When is the Lantern deadline?")
        assert "Friday" in first["text"] and "Friday" not in again["text"]
        standing = await call(connected, "status")
        assert (standing["facts"], standing["entities"], standing["running"]) == (2, 2, False) and standing["why"]
        await call(connected, "remember", fact="The Lantern deadline is on Friday", category="project/Lantern/plan")
        assert (await call(connected, "dream", dry_run=True))["pass_id"] is None
        dreamt = await call(connected, "dream", compact=True)
        assert dreamt["status"] in ("applied", "nothing")
        assert "Friday" in (await call(connected, "explain", what="Lantern"))["text"]
        assert '"handle": "a1"' in (await call(connected, "explain", what="[a1]"))["text"]
        assert "remember" in (await call(connected, "explain", what="pass 1"))["text"]
        assert (await call(connected, "explain", what="e1", other="e2"))["text"]
        assert (await call(connected, "explain", what="a1", other="a2"))["text"]

    talk(database, said)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("recall", {"question": "x", "k": 0}, "greater than or equal to 1"),
    ("recall", {"question": "x", "as_of": "soon"}, "write it as 2026-04-01"),
    ("recall", {}, "question"),
    ("remember", {"fact": "  "}, "the text is blank"),
    ("forget", {"handle": "Lantern"}, "call recall, which gives"),
    ("forget", {"handle": "a999"}, "a999"),
    ("undo", {"pass_id": 99}, "99"),
    ("explain", {"what": "nobody at all"}, "nobody at all"),
    ("explain", {"what": "a999"}, "there is no fact a999"),
    ("explain", {"what": "pass 99"}, "99"),
    ("forget", {"handle": "a²"}, "call recall, which gives"),
    ("explain", {"what": "a²"}, "there is no entity called 'a²'"),
    ("explain", {"what": "pass ²"}, "there is no entity called 'pass ²'"),
    ("explain", {"what": "9" * 5_000}, "there is no entity called"),
    ("explain", {"what": f"a{'9' * 30}"}, "there is no entity called"),
    ("context", {"session": " ", "message": "x"}, "give the host's own id"),
]


BAD_ARGUMENTS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("recall", {"question": "Kai?", "k": 0}, ["`k` should be greater than or equal to 1, and is 0", "at most so many"]),
    ("recall", {"question": "Kai?", "k": "abc"}, ["`k` should be a valid integer", "'abc'", "at most so many"]),
    ("recall", {}, ["`question` is missing: what to look for"]),
    ("context", {"session": "s1", "message": "hi", "budget_tokens": 0}, ["`budget_tokens` should be", "of the text"]),
    ("remember", {"fact": 5}, ["`fact` should be a valid string, and is 5", "one sentence"]),
    ("remember", {"fact": ["x" * 500] * 9}, ["`fact` should be a valid string"]),
]


def test_an_argument_that_is_wrong_is_told_in_words(database: Path) -> None:
    """It was told in a library's words for its programmers, with the address of its web page."""

    async def said(connected: Client) -> None:
        for tool, given, says in BAD_ARGUMENTS:
            told = await fault(connected, tool, **given)
            assert told.startswith(f"{tool}: ") and len(told) < 500, told
            assert all(words in told for words in says), told
            assert "pydantic" not in told and "validation error" not in told and "\n" not in told

    talk(database, said)


def test_what_a_tool_returns_is_on_its_page(database: Path) -> None:
    """`authority` and `warnings` were not."""
    page = (PROJECT / "docs" / "mcp.md").read_text(encoding="utf-8")

    async def said(connected: Client) -> None:
        for tool in (await connected.list_tools()).tools:
            (row,) = (line for line in page.splitlines() if line.startswith(f"| `{tool.name}("))
            fields = {*tool.output_schema["properties"]}
            for part in tool.output_schema.get("$defs", {}).values():
                fields |= {*part["properties"]}
            assert fields <= {*re.findall(r"\w+", row)}, tool.name

    talk(database, said)


def test_errors_say_what_to_do(database: Path) -> None:
    async def said(connected: Client) -> None:
        for tool, given, says in WRONG:
            told = await fault(connected, tool, **given)
            assert says in told and "Traceback" not in told
        assert await call(connected, "status")  # and the server goes on

    talk(database, said)


def test_resources_and_prompts(database: Path) -> None:
    async def said(connected: Client) -> None:
        listed = {str(one.uri) for one in (await connected.list_resources()).resources}
        assert listed == {"graphdream://passes", "graphdream://categories"}
        passes = json.loads((await connected.read_resource("graphdream://passes")).contents[0].text)
        assert [one["pass"] for one in passes] == [2, 1]
        one = (await connected.read_resource("graphdream://passes/1")).contents[0].text
        assert one.startswith("pass 1 (remember, applied)")
        assert "Friday" in (await connected.read_resource("graphdream://entities/Lantern")).contents[0].text
        with pytest.raises(MCPError, match="99"):
            await connected.read_resource("graphdream://passes/99")
        for number in ("%C2%B2", "%D9%A3", "9" * 5_000, "9" * 30):
            with pytest.raises(MCPError, match="is no number of a pass"):
                await connected.read_resource(f"graphdream://passes/{number}")
        prompts = {one.name for one in (await connected.list_prompts()).prompts}
        assert prompts == {"what_is_known", "review_last_dream", "remember_session"}
        asked = await connected.get_prompt("what_is_known", {"topic": "Lantern"})
        assert "Lantern" in asked.messages[0].content.text

    talk(database, said)


def test_several_servers_on_one_file_beside_a_running_pass(database: Path) -> None:
    assert main(["import", str(PROJECT / "fixtures" / "small.jsonl.gz"), "--db", str(database)]) == 0
    words = [sys.executable, "-m", "graphdream", "dream", "--compact", "--db", str(database)]

    async def one(number: int) -> list[float]:
        times = []
        async with client(database) as connected:
            for turn in range(5):
                began = time.monotonic()
                await call(connected, "remember", fact=f"Server {number} told thing {turn} of Lantern.")
                times.append(time.monotonic() - began)
                assert (await call(connected, "recall", question=f"server {number} thing {turn}"))["results"]
        return times

    async def all_of_them() -> list[list[float]]:
        return await asyncio.wait_for(asyncio.gather(*(one(number) for number in range(4))), 120)

    with subprocess.Popen(words, cwd=PROJECT, stdout=subprocess.DEVNULL) as dreaming:
        asyncio.run(all_of_them())
        assert dreaming.wait(timeout=120) == 0
    with Store.open(database) as store:
        take_in_waiting(store)  # what was told while the pass wrote waits beside the file for the next command
        (kept,) = store.connection.execute(
            "SELECT count(*) FROM attribute WHERE content LIKE 'Server % told thing%'"
        ).fetchone()
    assert kept == 20
    assert main(["verify", "--db", str(database)]) == 0


def test_a_file_that_is_written_to_for_long_is_told_in_words_and_what_is_told_is_kept(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from graphdream.interfaces.mcp import tools
    from graphdream.interfaces.mcp.server import make_server
    from graphdream.library import Graph

    async def said() -> None:
        with Graph(Store.open(database)) as graph, closing(sqlite3.connect(database, isolation_level=None)) as writer:
            server = make_server(graph)

            def impatient(held: Graph) -> None:
                held.store.connection.execute("PRAGMA busy_timeout = 50")

            monkeypatch.setattr(
                Graph, "undo", lambda held, *a, **k: (impatient(held), held.store.writing().__enter__())
            )
            monkeypatch.setattr(tools, "PATIENCE_SECONDS", 0.05)
            writer.execute("BEGIN IMMEDIATE")
            async with Client(server) as connected:
                assert "try again in some seconds" in await fault(connected, "undo", pass_id=2)
                kept = await call(connected, "remember", fact="Kai Brandt lives in Oslo.", told_by_user=True)
                assert (kept["handle"], kept["pass_id"]) == ("", None) and "kept" in kept["message"]
                writer.execute("ROLLBACK")
                (found,) = (await call(connected, "recall", question="Where does Kai Brandt live?"))["results"]
                assert "Oslo" in found["text"]

    asyncio.run(said())


def test_streamable_http(database: Path) -> None:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "graphdream", "mcp", "--db", str(database), "--http", f"127.0.0.1:{port}"]

    async def said() -> None:
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 0.1).close()
                break
            except OSError:
                await asyncio.sleep(0.05)
        async with Client(f"http://127.0.0.1:{port}/mcp") as connected:
            assert (await call(connected, "recall", question="Lantern deadline"))["results"][0]["handle"] == "a1"

    with subprocess.Popen(words, cwd=PROJECT, stderr=subprocess.DEVNULL) as server:
        try:
            asyncio.run(asyncio.wait_for(said(), 60))
        finally:
            server.terminate()


@pytest.mark.parametrize("address", ["0.0.0.0:8765", "192.168.1.5:80", "127.0.0.1", "127.0.0.1:99999", ":80"])
def test_an_address_that_others_can_reach_is_refused(
    database: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", "--db", str(database), "--http", address]) == 2
    assert "--http" in capsys.readouterr().err


def test_without_the_extra_it_says_what_to_install(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("graphdream.interfaces.mcp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    assert main(["mcp", "--db", str(database)]) == 2
    assert "pip install 'graphdream[mcp]'" in capsys.readouterr().err


def test_it_ends_when_the_client_closes_and_prints_nothing_else(database: Path) -> None:
    words = [sys.executable, "-m", "graphdream", "mcp", "--db", str(database)]
    done = subprocess.run(words, input=b"", capture_output=True, cwd=PROJECT, timeout=30)
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_new_memory_is_made_by_the_first_tool_that_writes(tmp_path: Path) -> None:
    path = tmp_path / "new.db"

    async def said(connected: Client) -> None:
        nothing = await call(connected, "recall", question="anything")
        assert (
            nothing["results"] == []
            and "no database at" in nothing["warnings"][0]
            and str(path) in nothing["warnings"][0]
        )
        assert (await call(connected, "context", session="s1", message="anything"))["text"] == ""
        for tool, given in (
            ("status", {}),
            ("dream", {}),
            ("explain", {"what": "a1"}),
            ("forget", {"handle": "a1"}),
            ("undo", {"pass_id": 1}),
        ):
            told = await fault(connected, tool, **given)
            assert str(path) in told and "`remember`" in told, tool
        assert "blank" in await fault(connected, "remember", fact=" ")
        with pytest.raises(MCPError, match="no database at"):
            await connected.read_resource("graphdream://passes")
        assert list(tmp_path.iterdir()) == []
        assert (await call(connected, "remember", fact="Kai lives in Oslo."))["handle"]
        assert path.exists()
        found = await call(connected, "recall", question="Where does Kai live?")
        assert found["results"][0]["text"] == "Kai lives in Oslo." and found["warnings"] == []
        assert (await call(connected, "status"))["facts"] == 1

    talk(path, said)


def test_a_memory_that_another_program_begins_meanwhile_is_found(tmp_path: Path) -> None:
    path = tmp_path / "new.db"

    async def said(connected: Client) -> None:
        assert (await call(connected, "recall", question="Where does Kai live?"))["results"] == []
        with Store.open(path) as store:
            remember(store, "Kai lives in Oslo.")
        (found,) = (await call(connected, "recall", question="Where does Kai live?"))["results"]
        assert found["text"] == "Kai lives in Oslo."

    talk(path, said)


def test_answers_come_quickly(database: Path) -> None:
    async def said(connected: Client) -> list[float]:
        times = []
        for _ in range(20):
            began = time.perf_counter()
            await call(connected, "recall", question="When is the Lantern deadline?")
            times.append(time.perf_counter() - began)
        return times

    assert (
        statistics.median(talk(database, said)) < 0.25
    )  # a bound that a busy machine keeps; measured.md has the figure


def test_what_is_not_as_it_was_sealed_is_told_to_no_model(database: Path) -> None:
    with shell(database) as c:
        c.execute("UPDATE attribute SET content = 'Avery Felts likes gin.' WHERE id = 2")

    async def said(client: Client) -> tuple[Any, str]:
        explained = await client.call_tool("explain", {"what": "Avery Felts"})
        read = await client.read_resource("graphdream://entities/Avery Felts")
        return explained.structured_content, read.contents[0].text

    explained, page = talk(database, said)
    words = "left out, not being as it was sealed: a2"
    assert "gin" not in explained["text"] and explained["warnings"] == [words]
    assert "gin" not in page and f"warning: {words}" in page
