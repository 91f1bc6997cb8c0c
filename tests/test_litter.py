"""What killed writers leave is removed once nobody can be writing it any more."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graphdream.events.spool import spool_path
from graphdream.interfaces.checks.place import folders_of_seals
from graphdream.interfaces.cli import main
from graphdream.litter import QUIET_SECONDS, beside, sweep


def dead_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_only_old_files_of_dead_writers_go(tmp_path: Path) -> None:
    dead, old = dead_pid(), time.time() - QUIET_SECONDS - 60
    gone = [tmp_path / f".out.jsonl.{dead}.tmp", tmp_path / f"memory.db.anchor.{dead}"]
    stay = [
        tmp_path / f".fresh.{dead}.tmp", tmp_path / f".living.{os.getpid()}.tmp", tmp_path / "notes.tmp",
        tmp_path / f"out.{dead}.tmp", tmp_path / "memory.db.anchor", tmp_path / f".folder.{dead}.tmp",
    ]  # fmt: skip
    for path in gone + stay[:-1]:
        path.write_text("half", encoding="utf-8")
    stay[-1].mkdir()
    for path in gone + stay[1:]:
        os.utime(path, (old, old))
    assert sweep(tmp_path) == len(gone)
    assert sorted(tmp_path.iterdir()) == sorted(stay)
    assert beside(tmp_path / "x").name == f".x.{os.getpid()}.tmp"
    assert sweep(tmp_path / "none") == 0


def test_a_command_sweeps_the_spool_and_the_folder_of_the_memory(tmp_path: Path) -> None:
    path, dead, old = tmp_path / "memory.db", dead_pid(), time.time() - QUIET_SECONDS - 60
    assert main(["remember", "Grace writes compilers", "--wait", "--db", str(path)]) == 0
    spool_path(path).mkdir(exist_ok=True)
    left = [spool_path(path) / f".2026.json.{dead}.tmp", path.with_name(f"memory.db.anchor.{dead}")]
    for file in left:
        file.write_text("half", encoding="utf-8")
        os.utime(file, (old, old))
    assert main(["remember", "Grace likes ships", "--wait", "--db", str(path)]) == 0
    assert not any(file.exists() for file in left)


def test_a_pass_sweeps_the_folders_of_the_keys_and_anchors(tmp_path: Path) -> None:
    memory, dead, old = ["--db", str(tmp_path / "memory.db")], dead_pid(), time.time() - QUIET_SECONDS - 60
    assert main(["remember", "Grace writes compilers", "--wait", *memory]) == 0
    keys, anchors = folders_of_seals()
    left = [keys / f".keys.{dead}.0a1b2c3d.tmp", anchors / f".0f.{dead}.tmp"]
    fresh = keys / f".keys.{dead}.89abcdef.tmp"
    living = [keys / f".keys.{os.getpid()}.0a1b2c3d.tmp", anchors / f".0f.{os.getpid()}.tmp"]
    for file in (*left, *living, fresh):
        file.write_text("half", encoding="utf-8")
        if file is not fresh:
            os.utime(file, (old, old))
    assert main(["remember", "Grace likes ships", "--wait", *memory]) == 0
    assert not any(file.exists() for file in left)
    assert all(file.exists() for file in (*living, fresh, keys / "keys"))
    for file in (*living, fresh):
        file.unlink()


def test_what_killed_writers_of_keys_and_anchors_left_is_named_and_swept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory, dead, old = ["--db", str(tmp_path / "memory.db")], dead_pid(), time.time() - QUIET_SECONDS - 60
    assert main(["remember", "Grace writes compilers", "--wait", *memory]) == 0
    keys, anchors = folders_of_seals()
    left = [keys / f".keys.{dead}.0a1b2c3d.tmp", keys / f".keys.{dead}.12345678.tmp", anchors / f".0f.{dead}.tmp"]
    stay = [keys / f".keys.{os.getpid()}.0a1b2c3d.tmp", keys / "keys"]
    for file in (*left, stay[0]):
        file.write_text("half", encoding="utf-8")
        os.utime(file, (old, old))
    main(["doctor", *memory])
    told = capsys.readouterr().out
    assert "3 files of programs that were killed" in told and "graphdream trust removes them" in told
    assert main(["trust", *memory]) == 0
    assert not any(file.exists() for file in left) and all(file.exists() for file in stay)
