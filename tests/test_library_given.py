"""What a program gives a method wrongly is refused with an error of the library's own, and nothing is written for it."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream import Graph
from graphdream.errors import UsageError
from graphdream.fleet.work import FleetOptions
from graphdream.interfaces.cli import main
from tests.support.models import ScriptedClient

# Each was a TypeError, a ValueError or an AttributeError, or was taken, though the command refuses it.
WRONG: dict[str, Callable[[Any], object]] = {
    "dream: a rate above one": lambda graph: graph.dream(max_false_merge_rate=5),
    "dream: a rate above what the setting allows": lambda graph: graph.dream(max_false_merge_rate=0.9),
    "dream: no rate": lambda graph: graph.dream(max_false_merge_rate=0),
    "dream: a rate that is no number": lambda graph: graph.dream(max_false_merge_rate=float("nan")),
    "dream: a cap below nothing": lambda graph: graph.dream(loss_cap=-3),
    "dream: a cap that is a text": lambda graph: graph.dream(loss_cap="x"),
    "dream: no budget": lambda graph: graph.dream(budget=0),
    "dream: a budget below nothing": lambda graph: graph.dream(budget=-5, client=ScriptedClient([])),
    "estimate: a rate above one": lambda graph: graph.estimate(model="openai/gpt-4o-mini", max_false_merge_rate=5),
    "estimate: no budget": lambda graph: graph.estimate(model="openai/gpt-4o-mini", budget=0),
    "explain: a rate above one": lambda graph: graph.explain("Ada", "Ada", max_false_merge_rate=5),
    "cycle: a budget below nothing": lambda graph: graph.cycle(budget=-1),
    "dream_log: fewer than none": lambda graph: graph.dream_log(most=-1),
    "overview: fewer than none": lambda graph: graph.overview(1, most=-1),
    "record_session: no id": lambda graph: graph.record_session(None),
    "record_session: letters": lambda graph: graph.record_session("s1", observations="abc"),
    "record_session: one object": lambda graph: graph.record_session("s1", observations={"content": "abc"}),
    "record_session: no observations": lambda graph: graph.record_session("s1", observations=5),
    "working: a number": lambda graph: graph.working("session/s1").put("k", 5),
    "working: a key that is none": lambda graph: graph.working("session/s1").put(5, "v"),
    "entity: a number": lambda graph: graph.entity(5),
    "observe: nothing": lambda graph: graph.observe(None),
    "observe: letters": lambda graph: graph.observe("abc"),
    "observe: one object": lambda graph: graph.observe({"kind": "turn"}),
    "export: nowhere": lambda graph: graph.export(None),
    "import: from nowhere": lambda graph: graph.import_file(None),
}  # fmt: skip


# Of every method: what a parameter of text, of a number, of a path or of a list may be given by mistake.
STRANGE = (None, 5, -1, 2.5, float("nan"), "", " ", "x" * 5_000, "\ud800", "\x00", "日本 🦦", b"bytes", [], {}, object(),
           True, 10**30, "e1", "a1", "e9" * 20)  # fmt: skip
GIVEN = {
    "session_id": "s9", "text": "t", "query": "q", "namespace": "session/s", "session": "s", "message": "m", "pass_id": 1,
    "entity": "e1", "before": 0, "after": 1, "reference": "e1", "handle": "a1", "signal": "used", "first": "e1",
    "second": "e2", "target": "e9", "root": ".", "path": "nowhere.md", "key": "k", "rows": [], "value": "v", "name": "n/x",
    "folder": "nowhere", "skill": graphdream.Skill(name="mcp/tin", summary="solders"),
}  # fmt: skip
_SLOW = ("close", "dream", "cycle", "estimate", "verify", "replay", "ask_again", "vectors", "make_vectors", "trust")
METHODS = [
    ("graph", name)
    for name, held in inspect.getmembers(graphdream.Graph, inspect.isfunction)
    if not name.startswith("_") and name not in _SLOW
] + [
    (owner, name)
    for owner, kind in (("notes", graphdream.WorkingMemory), ("skills", graphdream.Skills))
    for name, held in inspect.getmembers(kind, inspect.isfunction)
    if not name.startswith("_")
]


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    """One fact about Ada; pass 1 wrote it."""
    with graphdream.open(tmp_path / "memory.db") as graph:
        graph.remember("likes tea", category="person/Ada/tastes")
        yield graph


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG.keys())
def test_what_is_given_wrongly_is_refused_and_writes_nothing(graph: Graph, call: Callable[[Any], object]) -> None:
    with pytest.raises(UsageError) as refused:
        call(graph)
    assert str(refused.value)
    assert len(graph.passes()) == 1
    assert graph.store.connection.execute("SELECT count(*) FROM session").fetchone()[0] == 0


@pytest.mark.parametrize(("owner", "method"), METHODS)
def test_whatever_a_method_is_given_it_ends_well_or_with_an_error_of_ours(
    graph: Graph, owner: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred and eighty calls ended in an error of Python's or of sqlite's: `there is no strip`, `datatype mismatch`."""
    monkeypatch.chdir(tmp_path)
    held = {"graph": graph, "notes": graph.working("session/s1"), "skills": graph.skills}[owner]
    call = getattr(held, method)
    parameters = inspect.signature(call).parameters.values()
    needed = {one.name: GIVEN[one.name] for one in parameters if one.default is one.empty and one.kind not in (2, 4)}
    for name in [one.name for one in parameters if one.kind not in (2, 4)]:
        for strange in STRANGE:
            with suppress(graphdream.GraphdreamError):
                call(**{**needed, name: strange})
    assert graph.verify().ok


def test_what_is_wrong_is_told_by_its_name_and_what_it_should_be(graph: Graph) -> None:
    with pytest.raises(UsageError, match="category is of type int; it should be text"):
        graph.remember("likes tea", category=5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="skill is of type str; it should be Skill"):
        graph.skills.put("mcp/tin")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="an item of tags is of type int; it should be text"):
        graph.remember("likes tea", tags=[5])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="wrong is one text") as refused:
        graph.undo(1, wrong="e1")
    assert refused.value.hint == "wrong=['e1']"
    with pytest.raises(TypeError, match="unexpected keyword argument 'tag'"):
        graph.remember("likes tea", tag="x")  # type: ignore[call-arg]


def test_letters_are_no_observations_and_the_hint_says_what_is_meant(graph: Graph) -> None:
    """Three observations were kept: a, b and c."""
    with pytest.raises(UsageError, match="it should be a list") as refused:
        graph.record_session("s1", observations="abc")
    assert refused.value.hint == "observations=['abc']"
    assert graph.record_session("s1", observations=["abc"]).observations == 1


@pytest.mark.parametrize(
    "words", [["--max-false-merge-rate", "0.9"], ["--max-false-merge-rate", "0"], ["--budget", "0"]]
)
def test_the_command_refuses_what_the_setting_and_the_library_refuse(
    graph: Graph, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dream", "--compact", "--db", str(graph.store.path), *words]) == 2
    assert words[0] in capsys.readouterr().err and len(graph.passes()) == 1


@pytest.mark.parametrize("wrong", [{"max_false_merge_rate": 0.9}, {"loss_cap": 2}, {"budget": 0}], ids=str)
def test_a_fleet_refuses_what_a_dream_refuses(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        FleetOptions(**wrong)


def test_the_bounds_themselves_are_taken(graph: Graph) -> None:
    graph.dream(compact=True, max_false_merge_rate=0.5, loss_cap=0, budget=1)
    assert graph.overview(1, most=0) and graph.dream_log(most=0) == []


def test_a_memory_that_is_closed_says_so(tmp_path: Path) -> None:
    """It was an error of sqlite's, and another thread got a connection that nobody closed."""
    graph = graphdream.open(tmp_path / "memory.db")
    graph.remember("likes tea", category="person/Ada/tastes")
    graph.close()
    graph.close()
    met: list[BaseException] = []

    def ask() -> None:
        for call in (lambda: graph.recall("tea"), graph.passes, lambda: graph.remember("likes coffee"), graph.dream):
            with pytest.raises(UsageError, match="closed") as refused:
                call()
            met.append(refused.value)

    ask()
    other = threading.Thread(target=ask)
    other.start()
    other.join()
    assert len(met) == 8


def test_what_was_kept_of_a_memory_that_is_closed_says_so(tmp_path: Path) -> None:
    """A connection, and what looks after it, met an error of sqlite's."""
    graph = graphdream.open(tmp_path / "memory.db")
    graph.remember("likes tea", category="person/Ada/tastes")
    store, connection = graph.store, graph.store.connection
    notes, skills = graph.working("session/s1"), graph.skills
    graph.close()
    store.close()
    for call in (
        lambda: store.connection.execute("SELECT 1"), connection.cursor, lambda: connection.executescript("SELECT 1"),
        lambda: store.writing().__enter__(), lambda: store.reading().__enter__(), store.seal.faults,
        store.schema.confirm, lambda: notes.get("k"), lambda: notes.put("k", "v"), skills.all,
    ):  # fmt: skip
        with pytest.raises(UsageError, match="the memory is closed") as refused:
            call()
        assert refused.value.hint == "open it again: graphdream.open"


def test_an_awaited_memory_is_opened_once(tmp_path: Path) -> None:
    """A second time was an error of the thread pool's."""

    async def ask() -> None:
        graph = graphdream.AsyncGraph(tmp_path / "memory.db")
        async with graph:
            with pytest.raises(UsageError, match="open already"):
                await graph.__aenter__()
        with pytest.raises(UsageError, match="closed"):
            await graph.__aenter__()
        nowhere = graphdream.AsyncGraph(tmp_path)
        for _ in range(2):
            with pytest.raises(graphdream.GraphdreamError):
                await nowhere.__aenter__()

    asyncio.run(ask())


def test_an_awaited_memory_that_is_closed_says_so(tmp_path: Path) -> None:
    async def ask() -> None:
        async with graphdream.AsyncGraph(tmp_path / "memory.db") as graph:
            await graph.passes()
        with pytest.raises(graphdream.GraphdreamError, match="not open"):
            await graph.passes()

    asyncio.run(ask())
