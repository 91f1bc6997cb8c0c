"""`graphdream hook`: real payloads, real processes, and everything that a host may do to them."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graphdream.dream.edit import edit
from graphdream.dream.later import put_off
from graphdream.dream.remember import remember
from graphdream.events.record import record
from graphdream.events.spool import spool_path
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.interfaces.hook import folder as place
from graphdream.interfaces.hook import taking
from graphdream.interfaces.hook.behind import IDLE_VARIABLE, Behind
from graphdream.interfaces.hook.door import ANSWER_VARIABLE, MAX_PAYLOAD_BYTES, PROMPT_BYTES, START_BYTES
from graphdream.interfaces.hook.event import HOSTS, KINDS, USER_PROMPT, UnreadableEventError, answer_text, read_event
from tests.support.nodreams import NO_PASS_IS_DUE

from .conftest import PROJECT, Host

PAYLOADS = PROJECT / "fixtures" / "payloads"
EVENTS = [(host, kind) for host in HOSTS for kind in KINDS if (PAYLOADS / host / f"{kind}.json").exists()]
NEEDS_NO_EVENT = {"claude-code", "codex"}


def payload_of(host: str, kind: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((PAYLOADS / host / f"{kind}.json").read_text())
    return read


def words_for(host: str, kind: str) -> list[str]:
    return [] if host in NEEDS_NO_EVENT else ["--event", kind]


def transcript(path: Path, *said: tuple[str, str]) -> str:
    """A transcript as Claude Code writes it."""
    with path.open("a", encoding="utf-8") as file:
        for number, (role, text) in enumerate(said):
            line = {"type": role, "uuid": f"u{path.stat().st_size}-{number}", "timestamp": "2026-04-01T09:30:00.000Z",
                    "message": {"role": role, "content": text}}  # fmt: skip
            file.write(json.dumps(line) + "\n")
    return str(path)


@pytest.fixture
def memory(host: Host) -> Host:
    with Store.open(host.database) as store:
        remember(store, "The Lantern deadline is on Friday.", category="project/Lantern/plan")
        remember(store, "Avery Felts likes green tea.", category="person/Avery Felts/tastes")
    return host


# ---------------------------------------------------------------------- reading payloads


@pytest.mark.parametrize(("host", "kind"), EVENTS)
def test_every_payload_of_every_host_is_read(host: str, kind: str) -> None:
    event = read_event(payload_of(host, kind), "" if host in NEEDS_NO_EVENT else kind)
    assert event is not None and event.kind == kind and event.session
    if (host, kind) != ("codex", "session-start"):  # which says nothing that Claude Code would not say
        assert event.host == host
    if kind == "user-prompt":
        assert event.prompt == "When is the Lantern deadline?"
    if (host, kind) == ("claude-code", "post-compact"):
        assert event.summary.startswith("Avery Felts moved")


def test_what_a_sub_agent_does_is_passed_over() -> None:
    assert read_event(payload_of("claude-code", "sub-agent")) is None


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ([], "not an object"),
        ({}, "which event"),
        ({"hook_event_name": "PreToolUse", "session_id": "s"}, "'PreToolUse' is no event that is known"),
        ({"hook_event_name": "Stop"}, "names no session"),
    ],
)
def test_what_is_no_event_is_told_in_words(payload: Any, said: str) -> None:
    with pytest.raises(UnreadableEventError, match=said):
        read_event(payload)


def test_each_host_is_answered_in_its_form() -> None:
    for host, kind in EVENTS:
        event = read_event(payload_of(host, kind), kind, host)
        assert event is not None
        said = json.loads(answer_text(event, "tea"))
        if host == "copilot":
            assert said == {"additionalContext": "tea"}
        else:
            assert said == {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": "tea"}}
        assert answer_text(event, "") == ""


# ---------------------------------------------------------------------- what it does


@pytest.mark.parametrize(("name", "kind"), EVENTS)
def test_every_event_is_taken_in_and_only_questions_are_answered(memory: Host, name: str, kind: str) -> None:
    said = memory.fire(payload_of(name, kind), "--host", name, *words_for(name, kind))
    if kind in ("session-start", "user-prompt"):
        assert "The Lantern deadline is on Friday." in said
    else:
        assert said == ""
    memory.eventually(lambda: kind in memory.state().fired.get(name, {}))
    memory.eventually(lambda: not list(memory.folder.glob("*.hook")))


def test_what_is_given_is_what_context_gives(memory: Host, capsys: pytest.CaptureFixture[str]) -> None:
    given = memory.memory(payload_of("claude-code", "user-prompt"))
    main(
        ["context", "--db", str(memory.database), "--session", "another", "--message", "When is the Lantern deadline?"]
    )
    assert given == capsys.readouterr().out.strip()


def test_a_prompt_is_given_what_a_command_was_told_without_waiting(memory: Host) -> None:
    """What is behind took in its own events only, so that a session never heard of it."""
    told = [sys.executable, "-m", "graphdream", "remember", "Mirela Ionescu's dog is called Baako"]
    told += ["--category", "person/Mirela Ionescu/pets", "--db", str(memory.database)]
    subprocess.run(told, env=memory.env, cwd=PROJECT, check=True, capture_output=True)
    assert memory.rows("SELECT 1 FROM attribute WHERE content LIKE '%Baako%'") == []
    asked = payload_of("claude-code", "user-prompt") | {"prompt": "What is the dog of Mirela Ionescu called?"}
    memory.eventually(lambda: "Baako" in memory.memory(asked))


def test_the_very_next_prompt_is_given_it(memory: Host) -> None:
    """It was given what had been placed by then, seconds later on a busy machine."""
    asked = payload_of("claude-code", "user-prompt") | {"prompt": "What is the dog of Mirela Ionescu called?"}
    memory.answered(asked)
    put_off(memory.database, "Mirela Ionescu's dog is called Baako", category="person/Mirela Ionescu/pets")
    assert "Baako" in memory.memory(asked | {"session_id": "the next one"})


def test_a_session_is_not_given_the_same_fact_twice(memory: Host) -> None:
    prompt = payload_of("claude-code", "user-prompt")
    assert "Friday" in memory.memory(prompt)
    memory.eventually(lambda: bool(memory.rows("SELECT 1 FROM injected")))
    assert "Friday" not in memory.memory(prompt)


def test_a_start_and_a_prompt_keep_to_the_size_of_the_host(host: Host) -> None:
    with Store.open(host.database) as store:
        for number in range(60):
            remember(store, f"Regel {number} der Größe: {'ü' * 90} {number}", category="project/Lantern/rules")
        edit(store, [{"op": "mark_constraint", "attribute": f"a{number}"} for number in range(1, 61)])
    start = host.memory(payload_of("claude-code", "session-start"))
    prompt = host.answered({**payload_of("claude-code", "user-prompt"), "prompt": "Laterne Größe"})
    assert START_BYTES - 400 < len(start.encode()) <= START_BYTES
    assert START_BYTES < len(prompt.encode()) <= PROMPT_BYTES


def test_a_session_that_ends_is_on_record_with_its_turns(host: Host, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", ("user", "I moved to Oslo."), ("assistant", "Noted."))
    end = {**payload_of("claude-code", "session-end"), "transcript_path": path}
    assert host.fire(end) == ""
    host.eventually(lambda: host.turns(end["session_id"]) == ["I moved to Oslo.", "Noted."])
    host.eventually(lambda: not host.state().sessions)
    assert host.failures() == []


def test_a_summary_that_the_host_made_is_used_once(host: Host, tmp_path: Path) -> None:
    compacted = payload_of("claude-code", "post-compact")
    path = transcript(tmp_path / "t.jsonl", ("user", "I moved to Oslo."))
    with open(path, "a") as file:
        told = f"This session goes on from an earlier one:\n{compacted['compact_summary']}"
        file.write(json.dumps({"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": told}}))
    host.fire({**compacted, "transcript_path": path})
    host.fire({**payload_of("claude-code", "session-end"), "transcript_path": path})
    host.eventually(lambda: bool(host.turns(compacted["session_id"])))
    assert host.rows("SELECT content FROM summary") == [(compacted["compact_summary"],)]


def test_a_host_without_a_transcript_is_recorded_from_what_its_events_say(host: Host) -> None:
    told = {"session_id": "s1", "cwd": "/w", "transcript_path": None, "turn_id": "1"}
    host.fire({**told, "hook_event_name": "UserPromptSubmit", "prompt": "I moved to Oslo."})
    host.fire({**told, "hook_event_name": "Stop", "last_assistant_message": "Noted."})
    host.fire({**told, "hook_event_name": "UserPromptSubmit", "prompt": "I moved to Oslo."})
    host.fire({**told, "hook_event_name": "SessionEnd", "reason": "other"})
    host.eventually(lambda: host.turns("s1") == ["I moved to Oslo.", "Noted.", "I moved to Oslo."])


def test_a_dream_that_is_due_is_started_and_starts_no_hook(host: Host, tmp_path: Path) -> None:
    for name in NO_PASS_IS_DUE:
        del host.env[name]
    path = transcript(tmp_path / "t.jsonl", ("user", "I moved to Oslo in May. My dog is called Kuro."))
    host.fire({**payload_of("claude-code", "session-end"), "transcript_path": path})
    host.eventually(lambda: bool(host.rows("SELECT 1 FROM pass WHERE kind = 'dream'")))
    assert host.failures() == []
    host.env["GRAPHDREAM_HOOKS"] = "off"
    assert host.fire(payload_of("claude-code", "session-start")) == ""
    assert not list(host.folder.glob("*.hook"))


def test_the_dream_that_is_started_carries_the_mark(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[dict[str, str]] = []

    class Popen:
        pid = os.getpid()

        def __init__(self, words: list[str], *, env: dict[str, str], start_new_session: bool, **rest: Any) -> None:
            assert start_new_session and words[3:6] == ["graphdream", "dream", "--if-due"]
            started.append(env)

        def poll(self) -> int:
            return 0

    monkeypatch.setattr("subprocess.Popen", Popen)
    monkeypatch.setattr("os.setpriority", lambda *given: None)
    Store.open(host.database).close()
    host.folder.mkdir()
    end = payload_of("claude-code", "session-end")
    place.put_event(str(host.folder), json.dumps({"told": {}, "at": 1786366971.0, "payload": end}))
    assert taking.Taking(str(host.database), None).take_in() == 1
    assert started[0]["GRAPHDREAM_HOOKS"] == "off"


# ---------------------------------------------------------------------- what hosts do to it


def test_it_acts_when_the_object_is_complete_and_never_waits_for_the_end_of_the_stream(memory: Host) -> None:
    memory.memory(payload_of("claude-code", "session-start"))  # what works behind is there
    process = memory.start()
    assert process.stdin is not None and process.stdout is not None
    text = json.dumps({**payload_of("claude-code", "user-prompt"), "session_id": "another"}).encode()
    process.stdin.write(text[:40])
    process.stdin.flush()
    time.sleep(0.2)
    process.stdin.write(text[40:])
    process.stdin.flush()  # and stays open
    assert process.wait(timeout=5) == 0
    assert b"Friday" in process.stdout.read()
    process.stdin.close()


def test_a_stream_on_which_nothing_comes_is_given_up(host: Host) -> None:
    began = time.monotonic()
    process = host.start()
    assert process.wait(timeout=10) == 0
    assert time.monotonic() - began < 4
    assert "the payload is empty" in host.failures()[-1]


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        (b"", "the payload is empty"),
        (b"   \n", "the payload is empty"),
        (b"hello", "no JSON object in the 5 bytes"),
        (b'{"session_id": "s", "hook_event', "no JSON object"),
        (b"\xff\xfe\x00garbage", "no JSON object"),
        (b"[1, 2]", "not an object"),
        (b'{"hook_event_name": "PreToolUse", "session_id": "s"}', "no event that is known"),
        (b"[" * 100_000, "no JSON object"),
        (b'{"prompt": "' + b"x" * 50_000_000 + b'"}', f"longer than {MAX_PAYLOAD_BYTES // 1024**2} MiB"),
    ],
    ids=["empty", "blank", "text", "cut", "bytes", "list", "unknown", "deep", "50 MB"],
)
def test_a_bad_payload_is_silent_and_stands_in_the_log_that_doctor_reads(
    host: Host, payload: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    assert host.fire(payload) == ""
    assert time.monotonic() - began < 5
    assert said in host.failures()[-1]
    assert main(["doctor", "--db", str(host.database)]) == 1
    assert said in capsys.readouterr().out


def test_half_a_character_keeps_nothing_else_from_being_taken_in(host: Host, tmp_path: Path) -> None:
    """A session whose id, folder or prompt was cut within a character stopped all that came after it, for good."""
    for name in ("session_id", "cwd", "prompt"):
        host.fire({**payload_of("claude-code", "user-prompt"), "session_id": "cut", name: "caf\ud83d"})
    path = transcript(tmp_path / "t.jsonl", ("user", "I moved to Oslo."))
    end = {**payload_of("claude-code", "session-end"), "transcript_path": path}
    host.fire(end)
    host.eventually(lambda: host.turns(end["session_id"]) == ["I moved to Oslo."])
    assert host.failures() == []


@pytest.mark.parametrize("head", [b"\xef\xbb\xbf", b"\n  "], ids=["byte order mark", "blanks"])
def test_a_payload_is_found_behind_what_may_stand_before_it_and_after(memory: Host, head: bytes) -> None:
    text = json.dumps(payload_of("claude-code", "user-prompt")).encode()
    assert "Friday" in memory.fire(head + text + b'\n{"more": 1}')


def test_a_call_that_is_wrong_is_silent_too(host: Host) -> None:
    assert host.fire(payload_of("codex", "stop"), "--wat") == ""
    assert host.fire(payload_of("codex", "stop"), "--agent", "../other") == ""


def test_a_file_that_is_no_memory_is_told_to_doctor_and_what_was_kept_stays(host: Host, tmp_path: Path) -> None:
    host.database.write_text("this is a diary, not a database, and longer than the header of one" * 20)
    path = transcript(tmp_path / "t.jsonl", ("user", "I moved to Oslo."))
    host.fire({**payload_of("claude-code", "session-end"), "transcript_path": path})
    host.eventually(lambda: any("is not on record" in line for line in host.failures()))
    host.database.unlink()
    host.fire({**payload_of("claude-code", "session-start"), "session_id": "next"})
    host.eventually(lambda: host.turns(payload_of("claude-code", "session-end")["session_id"]) == ["I moved to Oslo."])


def test_a_host_that_is_killed_is_caught_up_with_at_the_next_start(host: Host, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", ("user", "I moved to Oslo."))
    prompt = {**payload_of("claude-code", "user-prompt"), "transcript_path": path}
    program = (
        "import json, subprocess, sys, time; "
        "subprocess.run(sys.argv[2:], input=sys.argv[1].encode()); print('said', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-m", "graphdream", "hook", "--db", str(host.database)]
    killed = subprocess.Popen(
        [sys.executable, "-c", program, json.dumps(prompt), *command],
        stdout=subprocess.PIPE, env=host.env, cwd=PROJECT, start_new_session=True,
    )  # fmt: skip
    assert killed.stdout is not None
    assert killed.stdout.readline() == b"said\n"
    host.eventually(lambda: prompt["session_id"] in host.state().sessions)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    behind = host.behind()
    assert behind is not None
    os.kill(behind, 0)  # lives on
    transcript(Path(path), ("assistant", "Noted."))
    host.fire({**payload_of("claude-code", "session-start"), "session_id": "next"})
    host.eventually(lambda: host.turns(prompt["session_id"]) == ["I moved to Oslo.", "Noted."])


def test_what_works_behind_may_be_killed_at_any_time(memory: Host, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", ("user", "I moved to Oslo."))
    memory.fire(payload_of("claude-code", "session-start"))
    behind = memory.behind()
    assert behind is not None
    os.kill(behind, signal.SIGKILL)
    end = {**payload_of("claude-code", "session-end"), "transcript_path": path}
    memory.fire(end)
    assert "Friday" in memory.memory({**payload_of("claude-code", "user-prompt"), "session_id": "s2"})
    memory.eventually(lambda: memory.turns(end["session_id"]) == ["I moved to Oslo."])
    assert memory.behind() != behind


def test_eight_at_once_while_somebody_writes_all_end_and_nothing_is_lost(memory: Host, tmp_path: Path) -> None:
    paths = [transcript(tmp_path / f"t{n}.jsonl", ("user", f"I moved to house {n}.")) for n in range(8)]
    ends = [{**payload_of("claude-code", "session-end"), "session_id": f"s{n}", "transcript_path": path}
            for n, path in enumerate(paths)]  # fmt: skip
    prompts = [{**payload_of("claude-code", "user-prompt"), "session_id": f"s{n}", "transcript_path": path}
               for n, path in enumerate(paths)]  # fmt: skip
    with closing(sqlite3.connect(memory.database, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        for payloads, said in ((prompts, b"Friday"), (ends, b"")):
            processes = [memory.start() for _ in payloads]
            for process, payload in zip(processes, payloads, strict=True):
                assert process.stdin is not None
                process.stdin.write(json.dumps(payload).encode())
                process.stdin.flush()
            for process in processes:
                out, complaint = process.communicate(timeout=10)
                assert (process.returncode, complaint) == (0, b"")
                assert said in out
        writer.execute("ROLLBACK")
    with Store.open(memory.database) as store:
        from graphdream.dream.later import take_in_waiting

        memory.eventually(lambda: not memory.state().sessions)
        take_in_waiting(store)
    for number in range(8):
        memory.eventually(lambda number=number: memory.turns(f"s{number}") == [f"I moved to house {number}."])
    assert [line for line in memory.failures() if "answered" not in line] == []


# ---------------------------------------------------------------------- how it is built


def test_hooks_meet_in_the_spool_of_the_database(tmp_path: Path) -> None:
    assert place.folder_of(str(tmp_path / "memory.db")) == str(spool_path(tmp_path / "memory.db"))


def test_the_process_that_a_host_waits_for_loads_nothing_heavy(memory: Host) -> None:
    heavy = ("sqlite3", "pathlib", "typing", "argparse", "subprocess", "socket", "datetime", "pydantic", "numpy")
    program = (
        "import sys; sys.argv = ['graphdream', 'hook', *sys.argv[1:]]; from graphdream.__main__ import start;"
        f"code = start(); print(code, [name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    memory.fire(payload_of("claude-code", "session-start"))
    done = subprocess.run(
        [sys.executable, "-c", program, "--db", str(memory.database)], capture_output=True, text=True, cwd=PROJECT,
        env=memory.env, input=json.dumps({**payload_of("claude-code", "user-prompt"), "session_id": "s2"}), check=True,
    )  # fmt: skip
    assert done.stderr.splitlines()[-1] == "0 []" and "Friday" in done.stdout


def test_what_works_behind_ends_by_itself_and_leaves_the_next_start_ready(memory: Host) -> None:
    memory.env["GRAPHDREAM_HOOKS_IDLE_SECONDS"] = "1"
    memory.fire(payload_of("claude-code", "session-start"))
    behind = memory.behind()
    assert behind is not None

    def has_ended() -> bool:
        try:
            os.kill(behind, 0)
        except ProcessLookupError:
            return True
        return False

    memory.eventually(has_ended)
    assert not (memory.folder / place.SOCKET).exists()
    ready = json.loads((memory.folder / place.START).read_text())
    assert ready["fingerprint"] == place.fingerprint(str(memory.database)) and "Friday" in ready["text"]
    with Store.open(memory.database) as store:
        remember(store, "The Lantern deadline is on Monday.", category="project/Lantern/plan")
    assert "Monday" in memory.memory(payload_of("claude-code", "session-start"))


@pytest.mark.skipif(
    sys.platform != "linux", reason="NOT TESTED: elsewhere a full queue refuses, as one without a listener"
)
def test_a_queue_that_is_full_of_other_hooks_is_waited_for_and_is_no_fault(
    memory: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    del memory.env[ANSWER_VARIABLE]
    memory.folder.mkdir(exist_ok=True)
    monkeypatch.chdir(memory.folder)  # the path of a socket may not be as long as a test's folder
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as other:
        listener.bind(place.SOCKET)
        listener.listen(0)
        other.connect(place.SOCKET)  # and nobody accepts
        memory.fire(payload_of("claude-code", "stop"))
        assert not (memory.folder / place.LOG).exists()
        assert memory.fire(payload_of("claude-code", "user-prompt")) == ""
    (said,) = (memory.folder / place.LOG).read_text().splitlines()
    assert "user-prompt: nothing answered in 1 s" in said


@pytest.mark.parametrize("told", ["soon", "-1", "61", "nan"])
def test_how_long_a_prompt_waits_is_told_in_seconds_and_what_is_none_loses_nothing(memory: Host, told: str) -> None:
    memory.env[ANSWER_VARIABLE] = told
    assert memory.fire(payload_of("claude-code", "user-prompt")) == ""
    (said,) = memory.failures()
    assert f"{ANSWER_VARIABLE} is {told!r}, but has to be seconds from 0 to 60" in said
    memory.fire({**payload_of("claude-code", "stop"), "session_id": "s3"})
    assert memory.failures() == [said], "who waits for no answer does not ask how long"
    memory.env[ANSWER_VARIABLE] = "9"
    assert "Friday" in memory.memory({**payload_of("claude-code", "user-prompt"), "session_id": "s2"})
    memory.eventually(lambda: len(memory.state().sessions) == 3)


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="NOT TESTED: this system has no sockets in a folder")
def test_who_gave_up_waiting_is_not_answered_and_nothing_counts_as_shown(
    memory: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks that have ended still stand in the queue; the ones behind them must not wait for answers to these."""
    memory.folder.mkdir(exist_ok=True)
    monkeypatch.chdir(memory.folder)
    monkeypatch.setenv(IDLE_VARIABLE, "2")
    gone = {"kind": USER_PROMPT, "session": "gone", "prompt": "When is the Lantern deadline?", "bytes": PROMPT_BYTES}
    worker = threading.Thread(target=Behind(str(memory.database), None).work)
    with socket.socket(socket.AF_UNIX) as listener:  # in whose place the process behind comes
        listener.bind(place.SOCKET)
    worker.start()
    with socket.socket(socket.AF_UNIX) as slow, socket.socket(socket.AF_UNIX) as here:
        connected(slow)  # which says nothing, so that the next ones stand in the queue
        with socket.socket(socket.AF_UNIX) as left:
            connected(left)
            left.sendall(json.dumps(gone).encode() + b"\n")
        here.settimeout(10.0)
        connected(here)
        here.sendall(json.dumps(gone | {"session": "here"}).encode() + b"\n")
        answer = here.recv(1 << 16).decode()
    worker.join()
    assert "Friday" in answer
    with Store.open(memory.database) as store:
        shown = {key for (key,) in store.connection.execute("SELECT session_key FROM injected")}
    assert shown == {"here"}


def connected(line: socket.socket) -> None:
    """Connect to the process behind as soon as it listens."""
    deadline = time.monotonic() + 10.0
    while True:
        try:
            return line.connect(place.SOCKET)
        except (FileNotFoundError, ConnectionError):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_person_who_types_it_is_told_what_it_is(host: Host) -> None:
    pty = pytest.importorskip("pty", reason="NOT TESTED: this system has no pseudo-terminals")
    person, terminal = pty.openpty()
    command = [sys.executable, "-m", "graphdream", "hook", "--db", str(host.database)]
    done = subprocess.run(command, stdin=terminal, capture_output=True, text=True, cwd=PROJECT, timeout=20)
    os.close(person)
    os.close(terminal)
    assert (done.returncode, done.stdout) == (0, "") and "--help" in done.stderr


def test_a_link_in_the_folder_for_temporary_files_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    victim = tmp_path / "victim"
    victim.write_text("mine")
    Path(place.second_log()).symlink_to(victim)
    place.log_failure(str(tmp_path / "nowhere"), "something")
    assert victim.read_text() == "mine"


def test_help_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hook", "--help"]) == 0
    assert "graphdream init" in capsys.readouterr().out


# ---------------------------------------------------------------------- what an event may do to those behind it


def wait_in_line(host: Host, *payloads: dict[str, Any]) -> None:
    Store.open(host.database).close()
    host.folder.mkdir(exist_ok=True)
    for payload in payloads:
        told = {"told": {}, "at": time.time(), "payload": {"session_id": "s1", "cwd": "/w", **payload}}
        place.put_event(str(host.folder), json.dumps(told))


def recording(fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whatever is put on record meet a fault, but for one summary."""

    def recorded(store: Store, key: str, *, summary: str, **told: Any) -> Any:
        if summary != "We stayed.":
            raise fault
        return record(store, key, summary=summary, **told)

    monkeypatch.setattr("graphdream.interfaces.hook.taking.record", recorded)


COMPACTED = [{"hook_event_name": "PostCompact", "compact_summary": text} for text in ("We moved.", "We stayed.")]


def test_an_event_that_meets_a_fault_nobody_foresaw_is_set_aside_and_stops_nobody(
    host: Host, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was tried again for ever, and all that came after it waited."""
    wait_in_line(host, *COMPACTED)
    with monkeypatch.context() as patch:
        recording(RuntimeError("nobody foresaw this"), patch)
        assert taking.Taking(str(host.database), None).take_in() == 1
    assert host.rows("SELECT content FROM summary") == [("We stayed.",)]
    (kept,) = host.folder.glob("*.hook*")
    assert "We moved." in kept.read_text()
    assert main(["doctor", "--db", str(host.database)]) == 1
    said = capsys.readouterr().out
    assert kept.name in said and "RuntimeError: nobody foresaw this" in said
    kept.rename(kept.with_suffix(""))
    assert taking.Taking(str(host.database), None).take_in() == 1


def test_an_event_that_meets_a_fault_of_the_database_stays_and_is_tried_again(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A summary that was told while the disk was full was lost."""
    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "I moved to Oslo."}
    wait_in_line(host, prompt, *COMPACTED, {"hook_event_name": "SessionEnd"})
    behind = taking.Taking(str(host.database), None)
    fault = sqlite3.OperationalError("database or disk is full")
    fault.sqlite_errorcode = sqlite3.SQLITE_FULL
    with monkeypatch.context() as patch:
        recording(fault, patch)
        for _ in range(2):
            with pytest.raises(sqlite3.OperationalError):
                behind.take_in()
        assert len(list(host.folder.glob("*.hook"))) == 3
    assert behind.take_in() == 3
    assert host.rows("SELECT content FROM summary") == [("We moved.",), ("We stayed.",)]
    assert host.turns("s1") == ["I moved to Oslo."] and not host.state().sessions


def test_a_session_whose_words_cannot_be_put_on_record_stays_open(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "I moved to Oslo."}
    wait_in_line(host, prompt, {"hook_event_name": "SessionEnd"})
    behind = taking.Taking(str(host.database), None)
    with monkeypatch.context() as patch:
        recording(RuntimeError("nobody foresaw this"), patch)
        assert behind.take_in() == 1
        behind.state.sessions["s1"].seen_at = 0.0
        behind.catch_up()
    assert any("session s1 is not on record: RuntimeError" in line for line in host.failures())
    behind.catch_up()
    assert host.turns("s1") == ["I moved to Oslo."] and not host.state().sessions


@pytest.mark.parametrize(
    "wrong",
    [
        {"transcript_path": "/w/\0.jsonl", "hook_event_name": "SessionEnd"},
        {"hook_event_name": "SessionEnd", "at": 1e18},
    ],
    ids=["path", "time"],
)
def test_no_value_in_an_event_stops_what_is_behind_it(host: Host, wrong: dict[str, Any]) -> None:
    wait_in_line(host)
    told = {"told": {}, "at": wrong.pop("at", 1e9), "payload": {"session_id": "wrong", **wrong}}
    place.put_event(str(host.folder), json.dumps(told))
    wait_in_line(host, COMPACTED[0])
    taking.Taking(str(host.database), None).take_in()
    assert host.rows("SELECT content FROM summary") == [("We moved.",)]
    assert len(host.failures()) == 1


def test_what_stays_in_the_way_is_noted_once(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[None] = []

    def take_in(self: taking.Taking) -> int:
        tries.append(None)
        if len(tries) == 3:
            behind._ending.set()
        behind._woken.set()
        raise OSError("no space left on device")

    monkeypatch.setattr(taking.Taking, "take_in", take_in)
    host.folder.mkdir()
    behind = Behind(str(host.database), None)
    behind._take_in()
    assert len(tries) == 4 and [line[21:] for line in host.failures()] == [
        "taking in: OSError: no space left on device"
    ]
