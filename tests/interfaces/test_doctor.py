"""The doctor finds what was planted: each problem on a real file, named, explained, and with what to do about it."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graphdream import open as open_graph
from graphdream.clock import utc_now
from graphdream.dream.state import failed
from graphdream.events.spool import put_aside, seal_call, spool_path
from graphdream.graph.store import Store
from graphdream.interfaces.checks import SUBJECTS
from graphdream.interfaces.cli import main
from graphdream.interfaces.hook.folder import log_failure, second_log
from graphdream.litter import QUIET_SECONDS
from graphdream.paths import data_home, settings_path
from graphdream.sealing.keys import key_path
from tests.support.graphs import apply, entity

PROJECT = Path(__file__).resolve().parents[2]
AHEAD = "2090-01-01T00:00:00Z"
READERS: list[sqlite3.Connection] = []  # that go on reading
Plant = Callable[[Path, pytest.MonkeyPatch], None]


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    path = tmp_path / "place" / "memory.db"
    path.parent.mkdir()
    with Store.open(path) as store:
        apply(store, [entity("Ada", general=["likes tea", "lives in London"])])
    path.chmod(0o600)
    return path


def told(memory: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, str]]]:
    capsys.readouterr()
    code = main(["doctor", "--json", "--db", str(memory)])
    return code, json.loads(capsys.readouterr().out)


def run_sql(memory: Path, *statements: str) -> None:
    with sqlite3.connect(memory) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


# ---------------------------------------------------------------------- what is planted


def broken_settings(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = data_home() / "agents" / "default" / "agent.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("memory: [unclosed\n")


def unknown_setting(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHDREAM_DREAMING__TOKEN_TRESHOLD", "5")


def model_without_a_key(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("GRAPHDREAM_DREAMING__MODEL", "anthropic/claude-sonnet-4-5")


def half_a_session(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seal_call(put_aside(memory, '[["k", "session", nu', "2020-01-01T00:00:00.000000Z"))
    assert main(["record", "--session", "s1", "--summary", "Ada called.", "--db", str(memory)]) == 0


def session_of_a_stranger(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool_path(memory).mkdir()
    (spool_path(memory) / "2020-half.json").write_text('[["k", "session", null, null, {}], [], [], [], "2020-01-01"]')


def edited_behind_its_back(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_sql(memory, "UPDATE seal SET state = json_set(state, '$.count', 99)")


def key_lost(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key_path().unlink()


def spool_that_is_a_file(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool_path(memory).write_text("no folder")


def failed_passes(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(memory) as store, store.writing():
        failed(store, "the key was refused", now=utc_now())


def lease_of_the_dead(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import os, signal, sys; from graphdream.dream import lease; from graphdream.graph.store import Store\n"
        "with Store.open(sys.argv[1]) as store, lease.hold(store): os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(memory)], check=False)


def clock_ahead(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_graph(memory, clock=lambda: AHEAD) as graph:
        graph.edit({"op": "create_entity", "name": "Bo"})


def read_only(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        monkeypatch.setattr("graphdream.interfaces.checks.place.os.access", lambda path, mode: False)
    memory.chmod(0o400)


def full_disk(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shutil import disk_usage

    usage = disk_usage(memory.parent)
    monkeypatch.setattr("graphdream.room.shutil.disk_usage", lambda _: usage._replace(free=1_000_000))


def hard_link(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.link(memory, memory.with_name("second.db"))


def readable_by_all(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.chmod(0o644)


def large_log(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphdream.interfaces.checks.place._LARGE_LOG_BYTES", 1)
    reader = sqlite3.connect(memory)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entity").fetchone()
    with Store.open(memory) as store:
        apply(store, [entity("Cy")])
    READERS.append(reader)


def litter(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = memory.with_name(f".memory.db.anchor.{gone.pid}.tmp")
    left.write_text("half")
    long_ago = left.stat().st_mtime - 2 * QUIET_SECONDS
    os.utime(left, (long_ago, long_ago))


def newer_schema(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_sql(memory, "PRAGMA user_version = 9999")


def damaged_pages(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with memory.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xff" * 4096 * 4)


def no_database(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.write_text("These are my notes. " * 50)


def trigger(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_sql(memory, "CREATE TRIGGER planted AFTER INSERT ON entity BEGIN DELETE FROM alias; END")


def stale_names(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_sql(memory, "DELETE FROM name_index")


def failing_hook(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(
        [sys.executable, "-m", "graphdream", "hook", "--db", str(memory)], input="{broken", text=True, check=True
    )


def program_that_is_gone(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (memory.parent / "user" / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(memory.parent / "user"))
    assert main(["init", "--yes", "--tool", "claude-code", "--db", str(memory)]) == 0
    settings = memory.parent / "user" / ".claude" / "settings.json"
    settings.write_text(re.sub(r'"[^" ]*graphdream hook', '"/no/such/place/graphdream hook', settings.read_text()))


def telemetry_without_its_extra(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphdream.telemetry.send", lambda: None)  # it is installed here, for all later tests as well
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("graphdream.interfaces.checks.installation._is_there", lambda module: False)


def library_that_is_missing(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphdream.interfaces.checks.installation._LIBRARIES", ("no-such-library",))


PLANTED: dict[Plant, tuple[str, str, str, str]] = {
    broken_settings: ("settings", "fault", "agent.yaml", "configuration"),
    unknown_setting: ("settings", "fault", "TRESHOLD", "configuration"),
    model_without_a_key: ("model", "fault", "its key is not there", "export ANTHROPIC_API_KEY="),
    half_a_session: ("waiting", "fault", "could not be taken in", "remove it"),
    session_of_a_stranger: ("seal", "fault", "has not put there", "graphdream trust"),
    edited_behind_its_back: ("seal", "fault", "", "graphdream trust"),
    key_lost: ("seal", "fault", "not here", "graphdream trust"),
    spool_that_is_a_file: ("waiting", "fault", "no folder", "remove it"),
    failed_passes: ("dreaming", "fault", "the key was refused", "graphdream status"),
    lease_of_the_dead: ("lease", "note", "not been heard of", "takes over"),
    clock_ahead: ("clock", "fault", "2090-01-01", "clock right"),
    read_only: ("place", "fault", "may not be written to", "chmod u+w"),
    full_disk: ("disk", "fault", "1 MB left", "make room"),
    hard_link: ("links", "fault", "hard link", ""),
    readable_by_all: ("permissions", "note", "every user", "chmod 600"),
    large_log: ("log", "note", "has grown to", "end that program"),
    litter: ("litter", "note", "1 files of writers that were killed", "nothing"),
    newer_schema: ("database", "fault", "schema 9999", ""),
    damaged_pages: ("database|pages|schema", "fault", "", ""),
    no_database: ("database|schema", "fault", "", ""),
    trigger: ("schema", "fault", "planted", "--mend-schema"),
    stale_names: ("names", "fault", "", "verify"),
    failing_hook: ("hooks", "fault", "JSON", "hook.log"),
    program_that_is_gone: ("hooks", "fault", "/no/such/place/graphdream", "graphdream init"),
    telemetry_without_its_extra: ("telemetry", "fault", "collector", "graphdream[otel]"),
    library_that_is_missing: ("no-such-library", "fault", "not installed", "pip install"),
}
"""What is planted -> the check that names it, its state, a part of its words, and of what to do."""


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_what_is_planted_is_found_and_explained(
    plant: Plant, memory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check, state, words, fix = PLANTED[plant]
    code, before = told(memory, capsys)
    assert code == 0 and not [one for one in before if one["state"] == "fault"], before
    plant(memory, monkeypatch)
    log = memory.with_name("memory.db-wal").exists()  # what a killed process left is taken in by whoever opens the file
    kept = memory.read_bytes()
    code, findings = told(memory, capsys)
    new = [one for one in findings if one not in before and re.fullmatch(check, one["check"])]
    assert any(one["state"] == state and words in one["words"] and fix in one["fix"] for one in new), findings
    assert code == (1 if state == "fault" else 0)
    assert main(["doctor", "--db", str(memory)]) == code
    assert log or memory.read_bytes() == kept


def test_a_failure_of_another_memory_is_none_of_this_one(
    memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hooks of all memories share the log in the folder for temporary files, and each was told the failures of all."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("GRAPHDREAM_HOME", str(tmp_path / "another home"))
        log_failure("", "of nobody in another home")
    for said, folder in (("of another", "/no/such/other.db.spool"), ("of nobody", "")):
        log_failure(folder, said)
    memory.with_name("memory.db.spool").write_text("no folder")
    log_failure(f"{memory}.spool", "of this one")
    _, findings = told(memory, capsys)
    found = [one for one in findings if one["check"] == "hooks"]
    assert [one["words"][21:] for one in found] == ["of nobody", "of this one"]
    assert all(second_log() in one["fix"] for one in found)


def test_an_old_failure_of_a_hook_is_counted_and_no_fault(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(second_log()).write_text("2020-01-01T00:00:00Z session-end: OSError: long mended\nno time at all\n")
    code, findings = told(memory, capsys)
    (found,) = [one for one in findings if one["check"] == "hooks"]
    assert code == 0 and found["state"] == "note"
    assert "2 other failures" in found["words"] and "remove the file" in found["fix"]


def test_a_link_to_a_memory_that_is_not_there_is_no_memory_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "memory.db"
    link.symlink_to(tmp_path / "gone.db")
    _, findings = told(link, capsys)
    assert any("gone.db does not exist yet" in one["words"] for one in findings)
    assert not (tmp_path / "gone.db").exists()


def test_every_check_stands_in_the_documentation() -> None:
    page = (PROJECT / "docs" / "doctor.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE))))
    source = "".join(
        (PROJECT / "graphdream" / "interfaces" / "checks" / f"{subject}.py").read_text() for subject in SUBJECTS
    )
    named = set(re.findall(r'Finding\(\s*"(\w+)"', source))
    assert named <= documented, named - documented
    assert settings_path(None) is None
