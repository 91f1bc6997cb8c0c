"""What a command writes for somebody never takes the place of a memory, nor of any file unasked."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

import graphdream
from graphdream.errors import UsageError
from graphdream.graph.schema import APPLICATION_ID
from graphdream.interfaces.cli import main
from graphdream.outputs import is_memory, written
from graphdream.views.skills import Skill

LABELS = '{"id": "1", "name": "Ada Lovelace", "cluster": "a"}\n{"id": "2", "name": "ada lovelace", "cluster": "a"}\n'


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """A memory with a pass."""
    path = tmp_path / "m.db"
    assert main(["remember", "Grace writes compilers", "--wait", "--db", str(path)]) == 0
    return path


def writers(memory: Path, out: Path) -> dict[str, list[str]]:
    """Every command that writes a file where it is told to."""
    labels = memory.with_name("labels.jsonl")
    labels.write_text(LABELS, encoding="utf-8")
    db = ["--db", str(memory)]
    return {
        "export": ["export", "--out", str(out), *db],
        "diff": ["diff", "1", "--svg", str(out), *db],
        "calibrate": ["calibrate", str(labels), "--out", str(out)],
        "demo": ["demo", "--keep", str(out)],
    }


WRITERS = ("export", "diff", "calibrate", "demo")


@pytest.mark.parametrize("command", WRITERS)
@pytest.mark.parametrize("way", ["itself", "symlink", "other", "log"])
def test_nothing_is_written_over_a_memory_even_on_request(
    command: str, way: str, memory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = memory
    if way == "symlink":
        out = tmp_path / "link"
        out.symlink_to(memory)
    elif way == "other":
        out = tmp_path / "other.db"
        assert main(["remember", "Kernels have bugs", "--wait", "--db", str(out)]) == 0
    elif way == "log":
        out = memory.with_name("m.db-wal")
        out.write_bytes(b"\x37\x7f\x06\x82" + bytes(28))
    before = out.read_bytes()
    words = writers(memory, out)[command]
    for more in ([], ["--force"]) if command != "demo" else ([],):
        assert main([*words, *more]) == 2
    assert way == "log" or out.read_bytes() == before
    assert "nothing is written" in capsys.readouterr().err
    assert main(["verify", "--db", str(memory)]) == 0


@pytest.mark.parametrize("command", WRITERS)
def test_a_file_that_is_there_is_replaced_only_on_request(
    command: str, memory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "precious.txt"
    out.write_text("precious", encoding="utf-8")
    out.chmod(0o640)
    words = writers(memory, out)[command]
    assert main(words) == 2
    assert "is there already" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "precious"
    if command != "demo":
        assert main([*words, "--force"]) == 0
        assert "precious" not in out.read_text(encoding="utf-8")
        assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.glob(".*")) == []


def test_skills_that_were_changed_by_hand_are_kept(memory: Path, tmp_path: Path) -> None:
    with graphdream.open(memory) as graph:
        graph.skills.put(Skill("mail", summary="Mails", content="Write short mails."))
    words = ["skills", "export", str(tmp_path / "skills"), "--db", str(memory)]
    assert main(words) == 0
    (file,) = (tmp_path / "skills").rglob("SKILL.md")
    assert main(words) == 0  # it says the same
    file.write_text("my own words", encoding="utf-8")
    assert main(words) == 2
    assert file.read_text(encoding="utf-8") == "my own words"
    assert main([*words, "--force"]) == 0
    assert "Write short mails." in file.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED: no devices as files here")
def test_a_device_is_written_to_and_stays_one(memory: Path, tmp_path: Path) -> None:
    assert main(["export", "--out", os.devnull, "--db", str(memory)]) == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    try:
        os.mknod(tmp_path / "null", stat.S_IFCHR | 0o666, os.stat(os.devnull).st_rdev)
    except OSError:
        pytest.skip("NOT TESTED: only root may make a device")
    assert main(["export", "--out", str(tmp_path / "null"), "--db", str(memory)]) == 0
    assert stat.S_ISCHR((tmp_path / "null").stat().st_mode)


@pytest.mark.parametrize("name", ["", "a/b/c.jsonl", "n" * 300, "n" * 240])
def test_where_nothing_can_be_written_is_told(name: str, memory: Path, tmp_path: Path) -> None:
    code = main(["export", "--out", str(tmp_path / name) if name else str(tmp_path), "--db", str(memory)])
    assert code == (0 if len(name) == 240 else 2)


def test_a_writer_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("before", encoding="utf-8")
    with pytest.raises(ZeroDivisionError), written(out, force=True) as stream:
        stream.write(b"half")
        1 // 0  # noqa: B018
    assert out.read_text(encoding="utf-8") == "before" and list(tmp_path.iterdir()) == [out]


def test_the_library_does_not_write_over_a_memory_either(memory: Path, tmp_path: Path) -> None:
    with graphdream.open(memory) as graph:
        graph.export(tmp_path / "g.jsonl")
        graph.export(tmp_path / "g.jsonl")  # a program asks for what it says
        with pytest.raises(UsageError, match="is a memory"):
            graph.export(memory)


def test_the_mark_is_the_one_that_our_files_bear(memory: Path) -> None:
    assert APPLICATION_ID.to_bytes(4, "big") == b"gdre" and is_memory(memory)
