"""A pipe or a device where a file is looked for is named and not waited for, and never read until memory is out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from graphdream.errors import UsageError
from graphdream.events.spool import REFUSED as SET_ASIDE
from graphdream.events.transcripts import read_transcript
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.interfaces.hook import folder as place
from graphdream.interfaces.hook.taking import Taking
from graphdream.interfaces.http.token import token_of, token_path
from graphdream.passes.registry import DirectiveError, kinds, read_directive
from graphdream.sealing.anchor import anchor_path
from graphdream.sealing.keys import key_path
from graphdream.sealing.places import place_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no folder holds a pipe or a device here")
SECONDS = 20  # what takes longer waits for ever
REFUSED, USAGE = 3, 2


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.fixture(autouse=True)
def impatient() -> Iterator[None]:
    """Whoever waits is interrupted, which is exit code 130."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


PUT = pytest.mark.parametrize("put", [os.mkfifo, _endless], ids=["pipe", "device"])


@PUT
@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["import"], "MEMORY.md"),
        (["import", "--format", "obsidian"], "note.md"),
        (["import", "--format", "rockbot"], "entry.json"),
        (["import", "--format", "transcripts"], "session.jsonl"),
        (["skills", "import"], "SKILL.md"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_in_a_folder_it_is_named_and_nothing_is_taken(
    words: list[str], name: str, put: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    put(folder / name)
    assert main([*words, str(folder), "--db", str(tmp_path / "memory.db")]) == REFUSED
    told = capsys.readouterr().err
    assert name in told and "it is no regular file" in told


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["import", "/dev/zero", "--format", "mem0"], REFUSED),
        (["import", "/dev/zero", "--format", "mcp-memory"], REFUSED),
        (["trust", "--add-key", "/dev/zero"], USAGE),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_one_that_a_person_names_is_read_no_further_than_anybody_could_have_meant(
    words: list[str], code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--db", str(tmp_path / "memory.db")]) == code
    assert "zero" in capsys.readouterr().err


def test_a_key_may_come_from_a_pipe_that_a_person_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRAPHDREAM_CONFIG_HOME", str(tmp_path / "config"))
    reading, writing = os.pipe()
    os.write(writing, b"ab" * 32 + b"\n")
    os.close(writing)
    assert main(["trust", "--add-key", f"/dev/fd/{reading}"]) == 0
    assert "kept: key" in capsys.readouterr().out
    os.close(reading)


@PUT
def test_an_event_of_a_hook_that_is_none_is_set_aside(put: Callable[[Path], None], tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    Store.open(database).close()
    folder = Path(place.folder_of(str(database)))
    folder.mkdir()
    put(folder / f"1{place.EVENTS}")
    place.put_event(str(folder), json.dumps({"told": {}, "at": 1786366971.0, "payload": _ended(tmp_path / "none")}))
    assert Taking(str(database), None).take_in() == 1
    assert [path.name for path in folder.iterdir() if path.suffix == SET_ASIDE] == [f"1{place.EVENTS}{SET_ASIDE}"]
    why = "it is a link" if put is _endless else "it is no regular file"
    assert why in place.failures(str(database))[0][0]


def _ended(transcript: Path) -> dict[str, str]:
    return {"hook_event_name": "SessionEnd", "session_id": "s1", "transcript_path": str(transcript)}


@PUT
def test_a_transcript_that_a_host_names_is_no_pipe(put: Callable[[Path], None], tmp_path: Path) -> None:
    database, transcript = tmp_path / "memory.db", tmp_path / "session.jsonl"
    Store.open(database).close()
    put(transcript)
    folder = Path(place.folder_of(str(database)))
    folder.mkdir()
    place.put_event(str(folder), json.dumps({"told": {}, "at": 1786366971.0, "payload": _ended(transcript)}))
    assert Taking(str(database), None).take_in() == 1
    assert "it is no regular file" in place.failures(str(database))[0][0]
    with pytest.raises(UsageError, match="no regular file"):
        read_transcript(transcript)


def test_a_transcript_may_come_from_a_pipe_that_a_person_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "session.jsonl"
    os.mkfifo(pipe)
    row = '{"role": "user", "content": "Grace sails."}\n'
    writer = threading.Thread(target=pipe.write_text, args=(row,), daemon=True)
    writer.start()
    words = ["record", "--session", "s1", "--transcript", str(pipe)]
    assert main([*words, "--db", str(tmp_path / "memory.db")]) == 0
    assert "1 turn" in capsys.readouterr().out


@PUT
def test_a_directive_that_is_none_is_named(put: Callable[[Path], None], tmp_path: Path) -> None:
    kind = next(kind for kind in kinds() if kind.directive)
    put(tmp_path / kind.directive)
    with pytest.raises(DirectiveError, match="no regular file"):
        read_directive(kind, tmp_path)


def _key(database: Path) -> Path:
    return key_path()


def _anchor(database: Path) -> Path:
    return anchor_path(place_of(database))


def _in_spool(name: str) -> Callable[[Path], Path]:
    return lambda database: Path(place.folder_of(str(database))) / name


@PUT
@pytest.mark.parametrize(
    "odd",
    [_key, _anchor, *map(_in_spool, (place.STATE, place.LOG, place.START))],
    ids=["key", "anchor", "state", "log", "start"],
)
def test_what_is_kept_beside_a_memory_is_not_waited_for(
    odd: Callable[[Path], Path], put: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CONFIG", "STATE"):
        monkeypatch.setenv(f"GRAPHDREAM_{name}_HOME", str(tmp_path / name.lower()))
    database = tmp_path / "memory.db"
    assert main(["remember", "Grace sails", "--wait", "--db", str(database)]) == 0
    path = odd(database)
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    put(path)
    for words in (["recall", "Grace"], ["remember", "Grace rows", "--wait"], ["doctor"], ["verify"], ["trust"]):
        assert main([*words, "--db", str(database)]) in (0, 1), words
    hook = [sys.executable, "-m", "graphdream", "hook", "--db", str(database)]
    for payload in ({"hook_event_name": "SessionStart", "session_id": "s1"}, {"hook_event_name": "nothing"}):
        done = subprocess.run(
            hook,
            input=json.dumps(payload).encode(),
            timeout=SECONDS,
            env={**os.environ, "GRAPHDREAM_HOOKS_IDLE_SECONDS": "0"},
        )
        assert done.returncode == 0


def test_a_token_that_is_a_pipe_is_named(tmp_path: Path) -> None:
    os.mkfifo(token_path(tmp_path / "memory.db"), 0o600)
    with pytest.raises(UsageError, match="no regular file"):
        token_of(tmp_path / "memory.db")
