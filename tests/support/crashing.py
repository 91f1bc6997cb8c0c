"""Programs that are ended, or refused a write, at each place where they write: what they leave, and what comes after.

`strace` of Debian injects the fault: the process is killed as it enters the n-th call of a kind, or that call fails.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from graphdream.errors import GraphdreamError, NotFoundError
from graphdream.events.spool import CALLS, FACTS, refused, waiting
from graphdream.graph.store import Store
from graphdream.journal.passes import list_passes
from graphdream.journal.verify import verify
from tests.laws.cuts import cut, entities_of
from tests.laws.promises import lost, unsound

PROJECT = Path(__file__).resolve().parents[2]
CALLED = ("pwrite64", "write", "fdatasync", "fsync", "ftruncate", "rename", "link", "unlink")
ENTITIES = 24  # of the demo's graph
SECRET = "the blue gate opens with 7741-Quenby"
HOMES = ("GRAPHDREAM_HOME", "GRAPHDREAM_STATE_HOME", "GRAPHDREAM_CONFIG_HOME")
UNEXPECTED = 70  # the exit code of a fault of the program itself
SECONDS = 120.0
_SHOWN = 700  # signs of what a program said


State = dict[str, list[Any]]  # what a memory says, by kind of row


class Fault(NamedTuple):
    """At the n-th call of a kind, from 1: "KILL", or the error that it and, with a "+", all later ones end with."""

    call: str
    number: int
    how: str

    def injected(self) -> str:
        """The fault as `strace` takes it."""
        if self.how == "KILL":
            return f"{self.call}:signal=KILL:when={self.number}"
        error, more = self.how.rstrip("+"), "+" if self.how.endswith("+") else ""
        return f"{self.call}:error={error}:when={self.number}{more}"


class Scene(NamedTuple):
    """A command that writes.

    Attributes:
        prepare: makes what is there before, in a home.
        words: the command.
        stepwise: it writes in several transactions, so that a part of it may be done.
        first_again: what is called first of all after the fault.
    """

    prepare: Callable[[Path], None]
    words: tuple[str, ...]
    stepwise: bool = False
    first_again: tuple[str, ...] = ()


@contextmanager
def at(home: Path) -> Iterator[None]:
    """This process lives in that home meanwhile: its keys and anchors are what files are looked at with."""
    before = {name: os.environ.pop(name, None) for name in HOMES}
    os.environ["GRAPHDREAM_HOME"] = str(home)
    try:
        yield
    finally:
        del os.environ["GRAPHDREAM_HOME"]
        os.environ.update({name: value for name, value in before.items() if value is not None})


def run(home: Path, *words: str, fault: Fault | None = None, log: Path | None = None) -> tuple[int, str]:
    """A command as a process of its own in a home: its exit code (minus the signal), and what it said."""
    command = [sys.executable, "-m", "graphdream", *words]
    if fault or log:
        where = ["-o", str(log or os.devnull), "-e", f"trace={','.join(CALLED)}"]
        inject = ["-e", f"inject={fault.injected()}"] if fault else []
        command = ["strace", "-f", "-qq", *where, *inject, *command]
    environment = {name: value for name, value in os.environ.items() if name not in HOMES}
    environment |= {"GRAPHDREAM_HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(
        command, cwd=home, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", timeout=SECONDS,
    )  # fmt: skip
    return done.returncode, done.stdout


def done(home: Path, *words: str) -> None:
    """A command that has to succeed."""
    code, said = run(home, *words)
    assert code == 0, f"{words}: exit {code}\n{said}"


def memory(home: Path) -> Path:
    """The file of a home's agent."""
    return home / "agents" / "default" / "memory.db"


# ---------------------------------------------------------------------- what is there before


def nothing(home: Path) -> None:
    """An empty home, and a graph to import."""
    lines = cut(
        PROJECT / "fixtures" / "small.jsonl.gz", entities_of(PROJECT / "fixtures" / "small.jsonl.gz")[:ENTITIES]
    )
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (home / "graph.jsonl").write_text(text, encoding="utf-8")


def imported(home: Path) -> None:
    """A graph, and a session."""
    nothing(home)
    done(home, "import", "graph.jsonl")
    done(home, "record", "--session", "s1", "--summary", "Grace keeps the log in the harbour office.")


def compacted(home: Path) -> None:
    """A graph after a pass."""
    imported(home)
    done(home, "dream", "--compact")


def secretive(home: Path) -> None:
    """A graph with a fact and a session of which nothing is to be left."""
    imported(home)
    done(home, "remember", SECRET, "--session", "secret", "--wait")
    turns = home / "turns.jsonl"
    turns.write_text(json.dumps({"role": "user", "content": f"Mind that {SECRET}."}) + "\n", encoding="utf-8")
    done(home, "record", "--session", "secret", "--summary", f"It was said that {SECRET}.", "--transcript", str(turns))


def older(home: Path) -> None:
    """A file of an older schema."""
    memory(home).parent.mkdir(parents=True)
    memory(home).write_bytes(gzip.decompress((PROJECT / "fixtures" / "schemas" / "0020.db.gz").read_bytes()))


def put_aside(home: Path) -> None:
    """A graph, and calls that wait beside it."""
    imported(home)
    with at(home), Store.open(memory(home)) as writing, writing.writing():
        for number in range(3):
            done(home, "record", "--session", f"w{number}", "--summary", f"The waiting session {number}.")
        done(home, "working", "put", "plan", "to go on", "--ttl", "1440")  # longer than all faults take
    for number in range(2):
        done(home, "remember", f"The waiting lamp {number} is green.")


SCENES: Mapping[str, Scene] = {
    "import": Scene(nothing, ("import", "graph.jsonl")),
    "dream": Scene(imported, ("dream", "--compact")),
    "undo": Scene(compacted, ("undo", "2")),
    "record": Scene(imported, ("record", "--session", "new", "--summary", "Grace sold the boat.")),
    "remember": Scene(imported, ("remember", "Grace keeps bees.", "--wait")),
    "purge": Scene(
        secretive, ("purge", "secret", "--session", "--yes"), stepwise=True, first_again=("purge", "--finish")
    ),
    "migration": Scene(older, ("passes",)),
    "spool drain": Scene(put_aside, ("passes",), stepwise=True),
    "new key": Scene(imported, ("trust", "--rotate-key")),
}


# ---------------------------------------------------------------------- what is there after


def state_of(home: Path) -> State | None:
    """What the memory says, without times; None where there is none, or nothing in it."""
    try:
        with at(home), Store.open(memory(home), create=False) as store:
            told = {
                "entities": "SELECT name, status, pinned FROM entity",
                "facts": "SELECT content, status FROM attribute",
                "links": "SELECT source_id, target_id, type, status FROM link",
                "sessions": "SELECT key FROM session WHERE kind = 'session'",
                "summaries": "SELECT content FROM summary JOIN session ON session.id = session_id WHERE kind = 'session'",
                "turns": "SELECT content FROM turn",
                "notes": "SELECT key, value FROM working_memory",
            }
            state: State = {
                name: sorted((tuple(row) for row in store.connection.execute(sql)), key=repr)
                for name, sql in told.items()
            }
            state["passes"] = [one["kind"] for one in list_passes(store.connection) if one["status"] != "failed"]
            return state if any(state.values()) else None
    except NotFoundError:
        return None


def faults_of(home: Path) -> Iterator[str]:
    """What must not be, whatever happened."""
    if not memory(home).exists():
        return
    with at(home):
        try:
            store = Store.open(memory(home), create=False)
        except GraphdreamError as fault:
            yield f"the file does not open: {fault}"
            return
        with store:
            yield from _faults(store)


def _faults(store: Store) -> Iterator[str]:
    report = verify(store)
    if not report.ok:
        yield report.as_text()
    yield from unsound(store)
    yield from (one for one in lost(store) if not one.endswith("a purge"))
    half = store.connection.execute(
        "SELECT key FROM session WHERE kind = 'session' AND NOT EXISTS"
        " (SELECT 1 FROM summary WHERE session_id = session.id)"
    ).fetchall()
    yield from (f"a session without its summary: {key}" for (key,) in half)
    yield from (f"refused: {path}" for path in refused(store.path))


class Course(NamedTuple):
    """How often a command makes each call when nothing happens, and what the memory says before and after it."""

    calls: Counter[str]
    before: State | None
    whole: State | None


def undisturbed(scene: Scene, before: Path, scratch: Path) -> Course:
    """The course of a command to which nothing happens."""
    home = scratch / "whole"
    shutil.copytree(before, home)
    was = state_of(home)  # which brings a file of an older schema up to date
    shutil.rmtree(home)
    shutil.copytree(before, home)
    log = scratch / "calls"
    code, said = run(home, *scene.words, log=log)
    assert code == 0, said
    first = log.read_text(encoding="utf-8", errors="replace").split(" ", 1)[0]
    counted: Counter[str] = Counter()
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        process, _, rest = line.partition(" ")
        if process == first:  # the faults are counted by process
            counted[rest.strip().partition("(")[0]] += 1
    counted = Counter({call: counted[call] for call in CALLED if counted[call]})
    return Course(counted, was, state_of(home))


def trial(name: str, fault: Fault, before: Path, course: Course, scratch: Path) -> list[str]:
    """What was wrong after a fault: with what the command left, and after it was called again; [] where nothing."""
    scene = SCENES[name]
    home = scratch / "home"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(before, home)
    was, whole = course.before, course.whole
    code, said = run(home, *scene.words, fault=fault)
    found = [f"after the fault: {one}" for one in faults_of(home)]
    if fault.how == "KILL" and code != -signal.SIGKILL:
        found.append(f"it was to be killed, and ended with {code}: {said[-_SHOWN:]}")
    if code == UNEXPECTED or "Traceback" in said:
        found.append(f"exit {code}: {said[-_SHOWN:]}")
    now = state_of(home)
    waits = _waits(home)
    if not scene.stepwise and now not in (was, whole):
        found.append(f"neither as it was nor whole: {_difference(now, whole)}")
    if code == 0 and now != whole and not waits:
        found.append(f"it said that it was done, and it is not: {_difference(now, whole)}")
    for words in (scene.first_again, scene.words):
        if words and (state_of(home) != whole or _waits(home) or words == scene.first_again):
            code, said = run(home, *words)
            if code != 0:
                found.append(f"called again: exit {code}: {said[-_SHOWN:]}")
    if waits:
        run(home, "passes")  # takes it in
    found += [f"called again: {one}" for one in faults_of(home)]
    if (after := state_of(home)) != whole:
        found.append(f"called again, it is not whole: {_difference(after, whole)}")
    if name == "purge":
        found += [f"the purged text is left in {path.name}" for path in _holding(home, SECRET)]
    return found


def _waits(home: Path) -> bool:
    return bool(waiting(memory(home)) or waiting(memory(home), FACTS) or waiting(memory(home), CALLS))


def _difference(now: State | None, whole: State | None) -> str:
    if now is None or whole is None:
        return f"{'nothing' if now is None else 'something'} instead of {'nothing' if whole is None else 'something'}"
    return "; ".join(
        f"{name}: lacks {[one for one in whole[name] if one not in now[name]][:3]},"
        f" has {[one for one in now[name] if one not in whole[name]][:3]}, {len(now[name])} of {len(whole[name])}"
        for name in whole
        if now[name] != whole[name]
    )


def _holding(home: Path, text: str) -> Iterator[Path]:
    for path in home.rglob("*"):
        if path.is_file() and path.name != "turns.jsonl" and text.encode() in path.read_bytes():
            yield path


def spread(counted: Mapping[str, int], most: int) -> list[tuple[str, int]]:
    """So many places of all those where a command writes, evenly over them, rare calls first."""
    rarest_first = sorted(counted, key=lambda one: counted[one])
    everywhere = [(call, number) for call in rarest_first for number in range(1, counted[call] + 1)]
    if len(everywhere) <= most:
        return everywhere
    return [everywhere[at * len(everywhere) // most] for at in range(most)]
