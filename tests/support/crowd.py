"""Many programs on one memory at once, as on a machine where many agents work; and a look at what became of it.

Sessions are hosts that call `graphdream hook` at the events of a session, one after the other; recorders call
`graphdream record`; MCP servers are asked by the protocol library's own client, `graphdream serve` over HTTP; one
compacts again and again, one makes backups; readers are processes that ask one `Graph` from several threads. Each is a
real process on the file, except that the hosts and clients, which only start and ask, are threads here.

How long a reader was blocked is its time by the clock less the time for which its thread had the processor or waited
for one (the second figure of `/proc/thread-self/schedstat`): what remains is waiting for locks and for the disk. The two
are read again until no more than a millisecond lies between them, for whoever stands in the queue for a processor
between the one and the other would seem to have been blocked. Where several threads share a `Graph`, waiting for each
other under the interpreter's lock is in it as well. On systems without that file waiting for the processor is in it,
too. What is loaded with the first question and the first look at the state is loaded before.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import httpx

from graphdream.dream.later import take_in_waiting
from graphdream.events.counter import unread_tokens
from graphdream.events.spool import CALLS, FACTS, refused, waiting
from graphdream.events.tokens import default_tokenizer
from graphdream.graph.store import Store
from graphdream.interfaces.hook.folder import EVENTS, LOCK, failures, folder_of

PROJECT = Path(__file__).resolve().parents[2]
PAYLOADS = PROJECT / "fixtures" / "payloads"
HOSTS = ("claude-code", "codex", "copilot")
NO_MEMORY_IN_TIME = "nothing answered in"  # as the hook's log has it: the prompt went on without a memory
_BUSY = 5  # the exit code of a pass that another one keeps out
_COMPACTION_SECONDS = 60
_SETTLED_SECONDS = 120

READER = """
import json, os, sys, threading, time
import graphdream
path, over, threads, questions = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
calls = []
def at_work():
    "Nanoseconds for which this thread has had a processor or waited for one."
    try:
        with open("/proc/thread-self/schedstat") as file:
            return time.thread_time_ns() + int(file.read().split()[1])
    except OSError:
        return time.thread_time_ns()
def both():
    "The clock and `at_work`, read together."
    while True:
        clock = time.perf_counter_ns()
        worked = at_work()
        if time.perf_counter_ns() - clock < 1_000_000:
            return clock, worked
def read(which):
    number = which
    graph.recall(questions[0])
    graph.status()
    while not os.path.exists(over):
        number += 1
        fault = ""
        began, worked = both()
        try:
            if number % 10:
                graph.recall(questions[number % len(questions)])
            else:
                graph.status()
        except Exception as why:
            fault = f"{type(why).__name__}: {why}"
        seconds = (time.perf_counter_ns() - began) / 1e9
        ended, ended_work = both()
        blocked = (ended - began - (ended_work - worked)) / 1e9
        calls.append((seconds, fault, max(blocked, 0.0)))
        time.sleep(0.02)
with graphdream.open(path) as graph:
    others = [threading.Thread(target=read, args=(which * 7,)) for which in range(1, threads)]
    for one in others:
        one.start()
    read(0)
    for one in others:
        one.join()
print(json.dumps(calls))
"""

BACKUP = """
import sqlite3, sys
from contextlib import closing
with closing(sqlite3.connect(sys.argv[1], timeout=60)) as memory, closing(sqlite3.connect(sys.argv[2])) as copy:
    memory.backup(copy)
    found = copy.execute("PRAGMA integrity_check").fetchone()[0]
sys.exit(found if found != "ok" else 0)
"""


class Sizes(NamedTuple):
    """How many processes of each kind; `clients` ask the one server."""

    sessions: int
    recorders: int
    servers: int
    readers: int
    clients: int

    @classmethod
    def of(cls, processes: int) -> Sizes:
        """So many processes: one each of `serve`, of compactions and of backups among them, and two readers."""
        rest = processes - 5
        servers, recorders = max(rest * 4 // 45, 1), max(rest * 9 // 45, 1)
        return cls(rest - servers - recorders, recorders, servers, 2, 3)


class Call(NamedTuple):
    """One call; `fault` is what a user saw of an error, and `blocked` seconds are known of the library's readers."""

    kind: str
    seconds: float
    fault: str = ""
    blocked: float | None = None


@dataclass
class Seen:
    """What happened, and what the memory holds after the last one has ended.

    Attributes:
        seconds: for which they were at it.
        told: key of a session -> how many summaries and turns were told of it, in calls that ended well.
        facts: text -> handle, as the servers that were told it answered; "" where it was kept for later.
        busy: passes that another one kept out, with an exit code that says so.
        lost, twice, differing: keys of sessions that are not on record, or twice, or with another number of summaries
            or turns.
        lost_facts: texts that stand nowhere, or not under the handle that was answered.
        counter, recounted: unread tokens as the counter has them, and as a tokenizer counts the summaries anew.
        miscounted: summaries whose stored figure is not what the tokenizer counts.
        left: what waits beside the file still, or was refused.
        log: what the hooks have logged, without prompts that went on without a memory; `unanswered` is their number.
        passes: on record.
        verified: what `graphdream verify` said of the memory, and of the last backup, where it said no.
    """

    calls: list[Call] = field(default_factory=list)
    seconds: float = 0.0
    told: dict[str, tuple[int, int]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    busy: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    lost_facts: list[str] = field(default_factory=list)
    counter: int = 0
    recounted: int = 0
    miscounted: int = 0
    left: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    unanswered: int = 0
    passes: int = 0
    verified: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> dict[str, object]:
        """What may not be, by name; {} where all is well."""
        found = {
            "errors": [f"{call.kind}: {call.fault}" for call in self.calls if call.fault], "lost sessions": self.lost,
            "sessions twice": self.twice, "sessions that differ": self.differing, "lost facts": self.lost_facts,
            "tokens": self.counter - self.recounted, "summaries miscounted": self.miscounted, "left": self.left,
            "log": self.log, "verify": self.verified,
        }  # fmt: skip
        return {name: what for name, what in found.items() if what}


class Crowd:
    """A memory in a folder, and those who use it until they are told to stop."""

    def __init__(self, folder: Path, program: Sequence[str], pause: float) -> None:
        self.folder, self.program, self.pause = folder, program, pause
        self.path = folder / "memory.db"
        self.over = folder / "over"
        self.seen = Seen()
        self._ending = threading.Event()
        self._compacted = threading.Event()
        self.environ = os.environ | {
            **{f"GRAPHDREAM_{name}": str(folder / name.lower()) for name in ("HOME", "STATE_HOME", "CONFIG_HOME")},
            "TMPDIR": str(folder), "GRAPHDREAM_HOOKS_IDLE_SECONDS": "4",
        }  # fmt: skip

    # ------------------------------------------------------------------ those who call

    def run(self, sizes: Sizes, seconds: float) -> Seen:
        """Let them all work for so long, and until one compaction has ended, at most `_COMPACTION_SECONDS` longer; wait
        until nothing is at work behind, and look at what is there."""
        with ExitStack() as stack:
            url = stack.enter_context(self._serving()) if sizes.clients else ""
            works: list[tuple[Callable[..., None], int]] = [
                (self._sessions, sizes.sessions), (self._records, sizes.recorders), (self._compacts, 1),
                (self._backs_up, 1), (self._asks_server, sizes.servers), (self._reads, sizes.readers),
                (lambda which: self._asks_over_http(which, url), sizes.clients),
            ]  # fmt: skip
            threads = [threading.Thread(target=self._kept, args=(work, n)) for work, many in works for n in range(many)]
            for thread in threads:
                thread.start()
            began = time.monotonic()
            self._ending.wait(seconds)
            self._compacted.wait(_COMPACTION_SECONDS)
            self.seen.seconds = time.monotonic() - began
            self._ending.set()
            self.over.touch()
            for thread in threads:
                thread.join()
        self._settle()
        self._look()
        return self.seen

    def _kept(self, work: Callable[[int], None], which: int) -> None:
        try:
            work(which)
        except Exception as fault:  # one that ends early is an error that a user saw
            self._note(f"{work.__name__.strip('_')}, ended early", 0.0, f"{type(fault).__name__}: {fault}")

    def _note(self, kind: str, seconds: float, fault: str = "", blocked: float | None = None) -> None:
        self.seen.calls.append(Call(kind, seconds, fault, blocked))

    def _command(self, kind: str, words: Sequence[str], told: str = "") -> int:
        """Run a command to its end and note it; its exit code."""
        began = time.perf_counter()
        ended = subprocess.run(words, input=told, capture_output=True, text=True, cwd=PROJECT, env=self.environ)
        taken = time.perf_counter() - began
        self._note(kind, taken, f"{ended.returncode}: {ended.stderr.strip()}" if ended.returncode else "")
        self._ending.wait(self.pause)
        return ended.returncode

    def _graphdream(self, kind: str, *words: str, told: str = "") -> int:
        return self._command(kind, [*self.program, *words, "--db", str(self.path)], told)

    def _sessions(self, which: int) -> None:
        """Sessions of one host: a prompt, a compaction of the context where the host tells of its summary, the end."""
        host, number = HOSTS[which % len(HOSTS)], 0
        while not self._ending.is_set():
            key = f"{host}-{which}-{number}"
            transcript = self.folder / f"{key}.jsonl"
            said = [{"role": "user", "content": f"{key} asks."}, {"role": "assistant", "content": f"{key} is told."}]
            if host != "copilot":  # which writes no transcript: what was said is told by the events
                transcript.write_text("".join(json.dumps(one) + "\n" for one in said), encoding="utf-8")
            events = (
                ["user-prompt", "post-compact", "session-end"]
                if host == "claude-code"
                else ["user-prompt", "session-end"]
            )
            codes = [self._hook(host, event, key, transcript) for event in events]
            if not any(codes):
                self.seen.told[key] = (1, 2) if host == "claude-code" else (0, 2) if host == "codex" else (0, 1)
            number += 1

    def _hook(self, host: str, event: str, key: str, transcript: Path) -> int:
        payload = json.loads((PAYLOADS / host / f"{event}.json").read_text(encoding="utf-8"))
        told = {"session_id": key, "sessionId": key, "transcript_path": str(transcript), "cwd": str(self.folder),
                "prompt": f"{key} asks.", "compact_summary": f"The context of {key} was compacted."}  # fmt: skip
        payload |= {name: value for name, value in told.items() if name in payload}
        given = ("--event", event, "--host", host)
        return self._graphdream(f"hook {event}", "hook", *given, told=json.dumps(payload))

    def _records(self, which: int) -> None:
        number = 0
        while not self._ending.is_set():
            key = f"recorder-{which}-{number}"
            if self._graphdream("record", "record", "--session", key, "--summary", f"{key} was told.") == 0:
                self.seen.told[key] = (1, 0)
            number += 1

    def _compacts(self, which: int) -> None:
        """One after the other; the last one is told to end in its midst."""
        words = [*self.program, "dream", "--compact", "--db", str(self.path)]
        while not self._ending.is_set():
            began = time.perf_counter()
            with (self.folder / "dream.err").open("w+") as errors:
                dream = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=errors, cwd=PROJECT, env=self.environ)
                while dream.poll() is None:
                    if self._ending.wait(0.1):
                        dream.terminate()
                        dream.wait()
                        return
                errors.seek(0)
                fault = "" if dream.returncode in (0, _BUSY) else f"{dream.returncode}: {errors.read().strip()}"
            self._note("dream --compact", time.perf_counter() - began, fault)
            self.seen.busy += dream.returncode == _BUSY
            if dream.returncode == 0:
                self._compacted.set()

    def _backs_up(self, which: int) -> None:
        copy = self.folder / "copy.db"
        while not self._ending.is_set():
            copy.unlink(missing_ok=True)
            self._command("backup of the file", [sys.executable, "-c", BACKUP, str(self.path), str(copy)])
            self._graphdream("export", "export", "--force", "--out", str(self.folder / "copy.jsonl.gz"))

    def _asks_server(self, which: int) -> None:
        asyncio.run(self._asks_over_mcp(which))

    async def _asks_over_mcp(self, which: int) -> None:
        from mcp import Client
        from mcp.client.stdio import StdioServerParameters, stdio_client

        words = ["-m", "graphdream", "mcp", "--db", str(self.path)]
        server = StdioServerParameters(command=sys.executable, args=words, env=self.environ, cwd=str(PROJECT))
        async with Client(stdio_client(server)) as client:
            number = 0
            while not self._ending.is_set():
                fact = f"Drawer {which}-{number} holds the key to room {which}{number:05}."
                for tool, given in (
                    ("recall", {"question": f"Who holds the key {number}?"}),
                    ("remember", {"fact": fact}),
                ):
                    began = time.perf_counter()
                    answer = await client.call_tool(tool, given)
                    taken = time.perf_counter() - began
                    self._note(f"MCP {tool}", taken, str(answer.content) if answer.is_error else "")
                    held = answer.structured_content
                    if tool == "remember" and not answer.is_error and held is not None and not held["known"]:
                        self.seen.facts[fact] = held["handle"]  # "" where it was kept for later
                    await asyncio.sleep(self.pause)
                number += 1

    @contextmanager
    def _serving(self) -> Iterator[str]:
        """`graphdream serve`; its address."""
        words = [*self.program, "serve", "--no-schedule", "--db", str(self.path), "--port", "0", "--json"]
        with (self.folder / "serve.err").open("w") as errors:
            server = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=PROJECT, env=self.environ
            )
            try:
                assert server.stdout is not None
                yield json.loads(server.stdout.readline())["said"].rpartition(" at ")[2]
            finally:
                server.terminate()
                server.communicate(timeout=60)

    def _asks_over_http(self, which: int, url: str) -> None:
        with httpx.Client(base_url=url, timeout=60) as client:
            while not self._ending.is_set():
                for kind, path in (
                    ("HTTP recall", f"/api/recall?q=room+{which}"),
                    ("HTTP status", "/api/dream/status"),
                ):
                    began = time.perf_counter()
                    answer = client.get(path)
                    taken = time.perf_counter() - began
                    self._note(kind, taken, "" if answer.status_code == 200 else f"{answer.status_code}: {answer.text}")
                    self._ending.wait(self.pause)

    def _reads(self, which: int) -> None:
        """The first reader has one thread, whose blocked time is its own; others have four on one `Graph`."""
        threads = 4 if which else 1
        with Store.open(self.path) as store:
            names = [row[0] for row in store.connection.execute("SELECT name FROM entity ORDER BY id LIMIT 300")]
        questions = json.dumps([f"What is known about {name}?" for name in names])
        words = [sys.executable, "-c", READER, str(self.path), str(self.over), str(threads), questions]
        ended = subprocess.run(words, capture_output=True, text=True, cwd=PROJECT, env=self.environ)
        kind = "library, one thread" if threads == 1 else f"library, {threads} threads on one `Graph`"
        if ended.returncode:
            self._note(kind, 0.0, f"{ended.returncode}: {ended.stderr.strip()}")
            return
        for seconds, fault, blocked in json.loads(ended.stdout):
            self._note(kind, seconds, fault, blocked)

    # ------------------------------------------------------------------ afterwards

    def _settle(self) -> None:
        """Until what works behind the hooks has taken in everything and ended, as long as it gets on."""
        folder = Path(folder_of(str(self.path)))
        before, until = -1, 0.0
        while (left := sum(path.suffix == EVENTS for path in folder.iterdir())) or _is_held(folder / LOCK):
            if left != before:
                before, until = left, time.monotonic() + _SETTLED_SECONDS
            if time.monotonic() > until:
                self.seen.left.append(f"what works behind the hooks has not got on for {_SETTLED_SECONDS} s")
                return
            time.sleep(0.2)

    def _look(self) -> None:
        seen = self.seen
        lines = failures(str(self.path)) if (Path(folder_of(str(self.path))) / "hook.log").exists() else []
        seen.unanswered = sum(NO_MEMORY_IN_TIME in line for line in lines)
        seen.log = [line for line in lines if NO_MEMORY_IN_TIME not in line]
        for database, word in ((self.path, "verify"), (self.folder / "copy.db", "verify, of the last backup")):
            said = subprocess.run([*self.program, "verify", "--db", str(database)], capture_output=True, text=True,
                                  cwd=PROJECT, env=self.environ)  # fmt: skip
            if said.returncode:
                seen.verified.append(f"{word}: {said.returncode}: {said.stdout}{said.stderr}")
        with _environ(self.environ), Store.open(self.path) as store:
            take_in_waiting(store, seen.left.append)
            for kind in (".json", FACTS, CALLS, EVENTS):
                seen.left += [path.name for path in waiting(self.path, kind)]
            seen.left += [path.name for path in refused(self.path)]
            self._compare_sessions(store)
            self._compare_facts(store)
            self._recount(store)
            seen.passes = store.connection.execute("SELECT count(*) FROM pass").fetchone()[0]

    def _compare_sessions(self, store: Store) -> None:
        rows = store.connection.execute(
            "SELECT key, (SELECT count(*) FROM summary WHERE session_id = session.id),"
            " (SELECT count(*) FROM turn WHERE session_id = session.id) FROM session"
        ).fetchall()
        held = {row[0]: (row[1], row[2]) for row in rows}
        times = Counter(row[0] for row in rows)
        told = self.seen.told
        self.seen.lost = sorted(told.keys() - held.keys())
        self.seen.twice = sorted(key for key, many in times.items() if many > 1)
        self.seen.differing = sorted(f"{key}: {held[key]}" for key in told if key in held and held[key] != told[key])

    def _compare_facts(self, store: Store) -> None:
        held = {f"a{row[0]}": row[1] for row in store.connection.execute("SELECT id, content FROM attribute")}
        texts = set(held.values())
        self.seen.lost_facts = sorted(
            text
            for text, handle in self.seen.facts.items()
            if (held.get(handle) != text if handle else text not in texts)
        )

    def _recount(self, store: Store) -> None:
        seen, tokenizer = self.seen, default_tokenizer()
        seen.counter = unread_tokens(store)
        rows = store.connection.execute(
            "SELECT content, tokens, read_by IS NULL AND kind = 'session' FROM summary"
            " JOIN session ON session.id = session_id"
        ).fetchall()
        counts = tokenizer.count_many([row[0] for row in rows])
        seen.recounted = sum(count for count, row in zip(counts, rows, strict=True) if row[2])
        seen.miscounted = sum(row[1] not in (None, count) for count, row in zip(counts, rows, strict=True))


def gather(graph: Path, program: Sequence[str], sizes: Sizes, seconds: float, pause: float) -> Seen:
    """Make a memory of a file, let a crowd loose on it for so long, and tell what came of it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        crowd = Crowd(Path(folder), program, pause)
        words = [*program, "import", str(graph), "--db", str(crowd.path)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=PROJECT, env=crowd.environ)
        return crowd.run(sizes, seconds)


@contextmanager
def _environ(environ: dict[str, str]) -> Iterator[None]:
    """With the folders of the crowd, so that this process, too, has the key to its memory."""
    before = dict(os.environ)
    os.environ.update(environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _is_held(lock: Path) -> bool:
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        with lock.open("r+") as file:
            flock(file, LOCK_EX | LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
