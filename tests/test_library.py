"""The library: its surface is pinned, edits are objects or typed, and threads and event loops may share a memory."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest

import awaited
import graphdream
from graphdream.interfaces.cli import COMMANDS
from graphdream.mutations import model

SURFACE = Path(__file__).parent / "public_surface.txt"


def surface() -> str:
    """Every public name; of the two that hold a memory, each method with its parameters."""
    lines = []
    for name in (*graphdream.__all__, "open"):
        held = getattr(graphdream, name)
        lines.append(name)
        if held in (graphdream.Graph, graphdream.AsyncGraph):
            methods = dict(inspect.getmembers(held, lambda value: callable(value)))
            methods = {key: value for key, value in methods.items() if not key.startswith("_")}
            lines += [f"  {key}({', '.join(inspect.signature(methods[key]).parameters)})" for key in sorted(methods)]
        elif dataclasses.is_dataclass(held):
            lines += [f"  .{one.name}" for one in dataclasses.fields(held)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    with graphdream.open(tmp_path / "memory.db") as graph:
        yield graph


def test_the_public_surface_is_what_it_was() -> None:
    """A name or parameter that goes breaks programs, and needs a line in CHANGELOG.md; then write the file anew with
    python -c "import sys; sys.path[:0] = ['tests', 'tools', '.']; import test_library as t; t.SURFACE.write_text(t.surface())"."""
    assert surface() == SURFACE.read_text(encoding="utf-8")


def named_types(hint: Any) -> Iterator[type[Any]]:
    """The program's own classes that a type is made of."""
    for part in get_args(hint):
        yield from named_types(part)
    held = get_origin(hint) or hint
    if isinstance(held, type) and held.__module__.startswith("graphdream"):
        yield held


def reached(held: type[Any]) -> Iterator[type[Any]]:
    """The types of the fields of a result, and of what its own methods give back."""
    own = {} if issubclass(held, graphdream.Store | graphdream.Settings) else vars(held)  # doors of other rooms
    if dataclasses.is_dataclass(held) or hasattr(held, "_fields"):
        for hint in get_type_hints(held).values():
            yield from named_types(hint)
    if getattr(held, "_is_protocol", False):
        return  # what a program brings along, and gives back itself
    for name, value in own.items():
        method = value.fget if isinstance(value, property) else value
        if not name.startswith("_") and inspect.isfunction(method):
            yield from named_types(get_type_hints(method).get("return"))


@pytest.mark.parametrize("owner", [graphdream.Graph, graphdream.AsyncGraph])
def test_every_type_of_every_method_can_be_imported_from_the_package(owner: type[Any]) -> None:
    """A result could be had, and not named: `UnmergeReport`, and much that others are made of."""
    found: dict[type[Any], str] = {}
    for name in dir(owner):
        held = inspect.getattr_static(owner, name)
        method = held.fget if isinstance(held, property) else held
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        for hint in get_type_hints(method).values():  # each can be told while a program runs
            found |= {one: name for one in named_types(hint) if one not in found}
    left = list(found)
    while left:
        for one in reached(left.pop()):
            if one not in found:
                found[one] = "a result"
                left.append(one)
    assert len(found) > 60
    lacking = {
        one.__qualname__: why for one, why in found.items() if getattr(graphdream, one.__name__, None) is not one
    }
    assert not lacking


def test_every_error_that_a_docstring_names_can_be_imported_from_the_package() -> None:
    told = [graphdream.open, *(value for name, value in vars_of(graphdream.Graph) if not name.startswith("_"))]
    named = {name for one in told for name in re.findall(r"\b[A-Z]\w+Error\b", one.__doc__ or "")}
    assert {"NotFoundError", "ClientError"} <= named <= set(graphdream.__all__)


def vars_of(owner: type[Any]) -> Iterator[tuple[str, Any]]:
    for one in owner.__mro__:
        yield from vars(one).items()


def test_importing_the_package_loads_nothing_of_it() -> None:
    assert {*graphdream.__all__, "open"} == set(graphdream._HOME_OF)
    assert "open" not in graphdream.__all__, "it would take the place of Python's own where all names are imported"
    with pytest.raises(AttributeError, match="no attribute 'Grahp'"):
        graphdream.Grahp  # noqa: B018


# Commands that edit are ops; those without a memory, or about the installation, have no method.
_METHOD_OF = {
    "import": "import_file", "record": "record_session", "show": "overview", "entity": "entity", "plan": "plans",
    "working": "working", "status": "status", "log": "dream_log", "self": "self_model",
    "review": "check_project",
}  # fmt: skip
_OPS = {
    "constraint", "date", "pin", "unpin", "merge", "same", "distinct", "split", "rename", "alias", "retype", "link", "unlink", "forget",
    "replace", "restore", "unmerge",
}  # fmt: skip
_NONE = {
    "completion",
    "demo",
    "serve",
    "hook",
    "init",
    "mcp",
}  # what a host or a person starts
_FUNCTIONS = {
    "fleet": "dream_fleet",
    "resolve": "resolve",
    "calibrate": "calibrate",
    "doctor": "doctor",
}  # need no memory
_VIEWS = {"skills"}  # an object of its own: `graph.skills.all()`


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - _OPS - _NONE - _VIEWS))
def test_what_a_command_can_do_has_a_method(command: str) -> None:
    """Or, where it needs no memory, a function of the package: `resolve`, `calibrate` and `doctor` had neither."""
    owner = graphdream if command in _FUNCTIONS else graphdream.Graph
    assert callable(getattr(owner, _FUNCTIONS.get(command) or _METHOD_OF.get(command, command)))


# ---------------------------------------------------------------------- edits and results


@pytest.mark.parametrize(
    "call",
    [
        lambda graph: graph.record_session("s1", summary=5),
        lambda graph: graph.record_session("s1", summary="x", observations=[5]),
        lambda graph: graph.remember("likes tea", tags="drinks"),
        lambda graph: graph.edit(5),
        lambda graph: graph.undo("1"),
        lambda graph: graph.undo(None),
        lambda graph: graph.replay("1"),
        lambda graph: graph.pass_record(1.5),
        lambda graph: graph.cycle(only="fold"),
    ],
    ids=["summary", "observation", "tags", "edit", "undo", "undo of none", "replay", "record", "only"],
)
def test_a_value_of_another_type_is_an_error_of_ours(graph: graphdream.Graph, call: Callable[[Any], object]) -> None:
    graph.remember("likes tea", category="person/Ada/tastes")
    with pytest.raises(graphdream.UsageError):
        call(graph)


def test_what_is_no_turn_of_a_transcript_is_told(graph: graphdream.Graph) -> None:
    told: list[Any] = [{"role": "user", "content": "hello"}, 5, "hi"]
    recorded = graph.record_session("s1", transcript=told)
    assert (recorded.turns, recorded.bad_lines) == (1, 2)
    assert recorded.faults == ("line 2: not an object; left out", "line 3: not an object; left out")


def test_the_graph_is_exported_into_a_folder_of_notes(graph: graphdream.Graph, tmp_path: Path) -> None:
    graph.remember("likes tea", category="person/Ada/tastes")
    graph.remember("likes coffee", category="person/Ada/tastes")
    graph.export(tmp_path / "now", format="memory")
    graph.export(tmp_path / "then", format="memory", at=1)
    now, then = ((tmp_path / name / "MEMORY.md").read_text() for name in ("now", "then"))
    assert "likes coffee" in now and "likes tea" in then and "likes coffee" not in then


def test_a_format_that_is_none_is_told_with_all_that_there_are(graph: graphdream.Graph, tmp_path: Path) -> None:
    with pytest.raises(graphdream.UsageError, match="'foo' is not a format") as refused:
        graph.export(tmp_path / "out", format="foo")
    assert all(name in refused.value.hint for name in ("jsonl", "graphml", "cytoscape", "markdown", "memory"))


def test_what_an_import_would_do_is_told_and_nothing_is_done(graph: graphdream.Graph, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("- Ada sings in a choir\n- Ada likes tea\n")
    foreseen = graph.import_file(notes, dry_run=True)
    assert foreseen.rows["attribute"] == 2 and not graph.passes() and not graph.categories()
    assert foreseen.pass_id is None, "it was the pass that was made in a copy"
    done = graph.import_file(notes)
    assert done.rows == foreseen.rows and done.pass_id == 1


def test_recall_keeps_to_a_number_of_words_and_says_what_a_score_is_made_of(graph: graphdream.Graph) -> None:
    for place in ("Oslo", "Bergen", "Stavanger"):
        graph.remember(f"The choir sang in {place}.", category=f"place/{place}/concerts")
    assert len(graph.recall("choir sang")) == 3
    (hit,) = graph.recall("choir sang", budget_words=6, explain=True)
    assert dict(hit.details)


def test_a_file_is_sealed_with_a_new_key(graph: graphdream.Graph) -> None:
    graph.remember("likes tea", category="person/Ada/tastes")
    head = graph.store.seal.head()
    report = graph.trust(rotate_key=True)
    assert head is not None and report.key != head.key and graph.verify().ok
    assert graph.pass_record(report.pass_id).kind == "trust"
    with pytest.raises(graphdream.UsageError, match="without a reason"):
        graph.trust()


def test_the_log_of_cycles_and_the_newest_passes_are_objects(graph: graphdream.Graph) -> None:
    graph.remember("likes tea", category="person/Ada/tastes")
    graph.observe([{"kind": "skill-use", "skill": "mail", "session": "s1", "outcome": "failed"}])
    graph.cycle()
    (logged,) = graph.dream_log()
    assert logged.passes and all(isinstance(one, graphdream.PassReport) for one in logged.passes)
    assert logged.as_json()["passes"][0]["name"] == logged.passes[0].name and "reason" not in logged.as_json()
    recent = graph.introspect().recent
    assert recent[-1] == graphdream.RecentPass(1, "remember", "", "applied", graph.pass_record(1).finished_at)
    assert list(recent[0].as_json()) == ["pass", "kind", "mode", "status", "finished"]


def test_edits_are_objects_or_typed_and_all_or_none(graph: graphdream.Graph) -> None:
    done = graph.edit({"op": "create_entity", "name": "Ada"}, model.AddAlias(entity="Ada", name="Countess"))
    assert done.pass_id == 1 and [one.status for one in done.outcomes] == ["applied", "applied"]
    for wrong, said in (
        ({"op": "creat_entity", "name": "Bo"}, "edit 2 cannot be read"),
        ({"op": "pin"}, "edit 2 cannot be read: pin.entity"),
        ({"op": "pin", "entity": "Ada", "colour": "red"}, "colour"),
    ):
        with pytest.raises(graphdream.UsageError, match=said):
            graph.edit({"op": "create_entity", "name": "Cy"}, wrong)
    assert [one.id for one in graph.passes()] == [1]
    assert graph.edit({"op": "add_alias", "entity": "Ada", "name": "Countess"}).pass_id is None


def test_results_hold_no_json_to_be_parsed(graph: graphdream.Graph) -> None:
    graph.edit({"op": "create_entity", "name": "Ada"})
    (record,) = graph.passes()
    assert record == graph.pass_record(1) and record.counts["applied"] == 1 and record.undoes == ()
    (mutation,) = graph.mutations(1)
    assert mutation.body["name"] == "Ada"
    for held in (record, mutation):
        for one in dataclasses.fields(held):
            value = getattr(held, one.name)
            assert not (isinstance(value, str) and value[:1] in ("{", "[")), one.name
    with pytest.raises(graphdream.NotFoundError):
        graph.mutations(7)


def test_feedback_and_categories_are_there(graph: graphdream.Graph) -> None:
    handle = graph.remember("prefers tabs", category="user-preferences/editor").handle
    assert graph.feedback(handle, "used", session="s1") and not graph.feedback(handle, "used", session="s1")
    assert [(one.signal, one.session) for one in graph.feedback_given(handle)] == [("used", "s1")]
    graph.observe(
        [{"kind": "feedback", "feedback": "correction", "session": "s2", "content": "No tabs.", "skill": "x"}]
    )
    said = [(one.fact, one.signal, one.session, one.note, one.skill) for one in graph.feedback_given()]
    assert said == [(None, "correction", "s2", "No tabs.", "x"), (1, "used", "s1", "", "")]
    assert [one.signal for one in graph.feedback_given(handle)] == ["used"]
    assert graph.categories() == {"user-preferences/editor": 1}
    assert graph.status().due is None or graph.status().due.mode


# ---------------------------------------------------------------------- threads and event loops


def test_threads_share_one_memory_and_none_waits_to_read(graph: graphdream.Graph) -> None:
    graph.remember("Ada sings in a choir.", category="person/Ada/music")
    held, done = threading.Event(), threading.Event()

    def write() -> None:
        with graph.store.writing():
            held.set()
            done.wait(10)

    writer = threading.Thread(target=write)
    writer.start()
    assert held.wait(10)
    with ThreadPoolExecutor(4) as pool:
        began = time.monotonic()
        found = list(pool.map(lambda _: graph.recall("who sings?")[0].text, range(12)))
        waited = time.monotonic() - began
    done.set()
    writer.join()
    assert set(found) == {"Ada sings in a choir."} and waited < 5


def test_threads_that_write_lose_nothing(graph: graphdream.Graph) -> None:
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: graph.record_session(f"s{n}", summary=f"Session {n}."), range(24)))
        list(pool.map(lambda n: graph.remember(f"Thing {n} weighs {n} kg", category=f"things/{n}"), range(12)))
    assert len(graph.categories()) == 12 and graph.verify().ok
    assert graph.store.connection.execute("SELECT count(*) FROM summary").fetchone()[0] == 24


def test_what_threads_opened_is_closed(tmp_path: Path) -> None:
    graph = graphdream.open(tmp_path / "memory.db")
    with ThreadPoolExecutor(3) as pool:
        stores = set(pool.map(lambda _: graph.store, range(9)))
    graph.close()
    for store in stores:
        with pytest.raises(Exception, match="closed"):
            store.connection.execute("SELECT 1")
    assert not (tmp_path / "memory.db-wal").exists()


def test_the_skills_and_notes_of_one_memory_may_be_used_from_several_threads(graph: graphdream.Graph) -> None:
    """They kept the connection of the thread that asked for them: the file was left with an open pass, or all stood."""
    known, notes = graph.skills, graph.working("session/s1")
    with ThreadPoolExecutor(3) as pool:
        skills = pool.map(lambda n: known.put(graphdream.Skill(f"mail{n}", "Sends mail", "Write it.")), range(8))
        written = pool.map(lambda n: notes.put(f"k{n}", "v"), range(16))
        assert all(done.pass_id is not None for done in skills)
        assert len({note.key for note in written}) == 16
    assert len(known.all()) == 8 and len(notes.list()) == 16 and graph.verify().ok


def test_the_notes_and_skills_of_an_async_memory_work_on_its_thread(tmp_path: Path) -> None:
    """Its notes were written on the loop, by the connection of the memory's thread: the program stood still."""

    async def story() -> None:
        async with graphdream.AsyncGraph(tmp_path / "memory.db") as graph:
            notes = await graph.working("session/s1")
            assert notes.namespace == "session/s1"
            told = [asyncio.create_task(graph.remember(f"Room {n} is blue", category=f"room/R{n}")) for n in range(4)]
            for n in range(6):
                await notes.put(f"k{n}", "v")
                await graph.skills.put(graphdream.Skill(f"mail{n}", "Sends mail", "Write it."))
            await asyncio.gather(*told)
            assert len(await notes.list()) == 6 and len(await graph.skills.all()) == 6
            assert (await graph.verify()).ok
            with pytest.raises(graphdream.UsageError, match="no namespace"):
                await graph.working("s1")

    asyncio.run(story())


@pytest.mark.parametrize(
    ("plain", "to_await"),
    [
        (graphdream.WorkingMemory, graphdream.AwaitedWorkingMemory),
        (graphdream.Skills, graphdream.AwaitedSkills),
    ],
)
def test_what_an_async_memory_gives_out_has_every_method_to_be_awaited(plain: type[Any], to_await: type[Any]) -> None:
    methods = [name for name, value in vars(plain).items() if not name.startswith("_") and inspect.isfunction(value)]
    assert len(methods) > 5
    for name in methods:
        assert inspect.signature(getattr(to_await, name)) == inspect.signature(getattr(plain, name))
        assert inspect.iscoroutinefunction(getattr(to_await, name))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="there is no list of open files")
def test_what_a_thread_opened_is_closed_when_it_has_ended(tmp_path: Path) -> None:
    """A connection for each request of a server that starts threads was kept until it could open no more files."""
    path = tmp_path / "memory.db"
    with ThreadPoolExecutor(1) as pool:
        graph = pool.submit(graphdream.open, path).result()  # whoever opens a memory may end before those who use it
    for _ in range(12):
        thread = threading.Thread(target=graph.passes)
        thread.start()
        thread.join()
    assert len([file for file in Path("/proc/self/fd").iterdir() if file.exists() and file.samefile(path)]) <= 1
    assert graph.remember("likes tea", category="person/Ada/tastes").handle and graph.verify().ok
    graph.close()


def test_that_too_many_files_are_open_is_said(tmp_path: Path) -> None:
    """It was asked whether this is the right file."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = [os.open(os.devnull, os.O_RDONLY)]
    with graphdream.open(tmp_path / "memory.db") as graph, ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: None).result() is None and graph.passes() == []  # what they need is loaded
        resource.setrlimit(resource.RLIMIT_NOFILE, (taken[0] + 40, hard))
        try:
            with suppress(OSError):
                while True:
                    taken.append(os.open(os.devnull, os.O_RDONLY))
            with pytest.raises(graphdream.SchemaError, match="too many files open") as refused:
                pool.submit(graph.passes).result()
            assert "ulimit" in refused.value.hint
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            for file in taken:
                os.close(file)


def test_the_methods_to_be_awaited_are_written_from_those_of_a_graph() -> None:
    """Where this fails: python tools/awaited.py."""
    assert {path: path.read_text(encoding="utf-8") for path in awaited.WRITTEN.glob("*.py")} == awaited.written()
    shared = [
        name for name in dir(graphdream.Graph) if not name.startswith("_") and name not in ("store", "close", "skills")
    ]
    assert "recall" in shared and "edit" in shared and "undo" in shared
    for name in shared:
        method, to_await = (
            inspect.signature(getattr(held, name)) for held in (graphdream.Graph, graphdream.AsyncGraph)
        )
        if name == "working":  # what it gives out has methods to be awaited, too
            method = method.replace(return_annotation="graphdream.AwaitedWorkingMemory")
        assert to_await == method, "as an editor shows it: every parameter, its default, its type, and what comes back"
        assert method.return_annotation is not inspect.Signature.empty
        assert inspect.iscoroutinefunction(getattr(graphdream.AsyncGraph, name))


def test_an_async_memory_serves_several_loops_in_several_threads(tmp_path: Path) -> None:
    names = ["Þórdís", "張偉", "Оксана", "Adaeze"]

    def live(name: str) -> list[str]:
        async def story() -> list[str]:
            async with graphdream.AsyncGraph(tmp_path / "memory.db") as graph:
                for number in range(3):
                    await graph.remember(f"room {number}", category=f"person/{name}/{number}")
                    await asyncio.gather(*(graph.recall(name) for _ in range(3)))
                return [fact.content for facts in (await graph.entity(name)).facts.values() for fact in facts]

        return asyncio.run(story())

    with ThreadPoolExecutor(len(names)) as threads:
        told = list(threads.map(live, names))
    assert [len(facts) for facts in told] == [3] * len(names)
    with graphdream.open(tmp_path / "memory.db") as graph:
        assert graph.verify().ok and len(graph.passes()) == 3 * len(names)


def test_one_async_memory_takes_calls_from_several_threads_to_its_loop(tmp_path: Path) -> None:
    async def story() -> int:
        async with graphdream.AsyncGraph(tmp_path / "memory.db") as graph:
            loop = asyncio.get_running_loop()

            def tell(number: int) -> str:
                told = graph.remember(f"room {number} is free", category=f"room/Raum {number}/state")
                return asyncio.run_coroutine_threadsafe(told, loop).result(30).handle

            with ThreadPoolExecutor(4) as threads:
                handles = await asyncio.gather(*(loop.run_in_executor(threads, tell, number) for number in range(8)))
            return len(set(handles))

    assert asyncio.run(story()) == 8


def test_a_loop_goes_on_while_a_memory_works(tmp_path: Path) -> None:
    async def story() -> tuple[list[str], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.005)

        async with graphdream.AsyncGraph(tmp_path / "memory.db") as graph:
            clock = asyncio.create_task(tick())
            await graph.remember("Ada sings in a choir.", category="person/Ada/music")
            await graph.call(lambda inner: time.sleep(0.3))
            hits = await graph.recall("who sings?")
            clock.cancel()
            return [hit.text for hit in hits], ticks

    texts, ticks = asyncio.run(story())
    assert texts == ["Ada sings in a choir."] and ticks > 20


def test_an_async_memory_has_every_method_and_its_errors(tmp_path: Path) -> None:
    async def story() -> None:
        closed = graphdream.AsyncGraph(tmp_path / "memory.db")
        with pytest.raises(RuntimeError, match="async with"):
            await closed.recall("anything")
        async with closed as graph:
            methods = {
                name for name in dir(graphdream.Graph) if not name.startswith("_") and name not in ("store", "skills")
            }
            assert methods <= set(dir(graph))
            with pytest.raises(graphdream.NotFoundError):
                await graph.undo(7)
            assert not hasattr(graph, "store"), "it is a thread's own"
            await graph.export(tmp_path / "out.jsonl")
        assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["kind"] == "meta"
        with pytest.raises(graphdream.GraphdreamError):
            async with graphdream.AsyncGraph(tmp_path):
                pass

    asyncio.run(story())


def test_a_connection_outlives_the_graph_that_it_was_taken_from(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "m.db") as graph:
        graph.remember("Ada likes ships")
    store = graphdream.open(tmp_path / "m.db").store
    assert store.connection.execute("SELECT count(*) FROM attribute").fetchone()[0] == 1
    store.close()
