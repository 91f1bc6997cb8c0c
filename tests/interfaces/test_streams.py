"""Closed, full and endless streams, and limits of the process: told in words, with a documented exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphdream.interfaces.cli import main

PROJECT = Path(__file__).resolve().parents[2]

if sys.platform == "win32":
    pytest.skip("NOT TESTED: there is no shell with such redirections here", allow_module_level=True)


def shell(words: str, path: Path, *, limit: str = "", stdin: bytes = b"") -> tuple[int, str]:
    """Exit code and standard error of a command, with redirections as a shell does them."""
    done = subprocess.run(
        ["bash", "-c", f"{limit} {sys.executable} -m graphdream {words}"], cwd=PROJECT, capture_output=True,
        input=stdin, env={**os.environ, "GRAPHDREAM_HOME": str(path.parent), "DB": str(path)}, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stderr.decode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory with one fact."""
    path = tmp_path / "memory.db"
    assert main(["remember", "Grace writes compilers", "--wait", "--db", str(path)]) == 0
    return path


@pytest.mark.parametrize("command", ["--help", "passes", "recall compilers", "recall --help", "show 1 --json"])
def test_a_closed_stream_is_no_fault(command: str, path: Path) -> None:
    words = command if "help" in command else f'{command} --db "$DB"'
    for closed in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
        assert shell(f"{words} {closed}", path) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="NOT TESTED: there is no /dev/full here")
@pytest.mark.parametrize("command", ["--help", "passes", "export", "show 1 --json"])
def test_a_full_output_is_told_with_an_exit_code_of_its_own(command: str, path: Path) -> None:
    words = command if "help" in command else f'{command} --db "$DB"'
    code, said = shell(f"{words} > /dev/full", path)
    assert code == 74
    assert said == "graphdream: the output cannot be written: No space left on device; what the command did is done\n"
    assert shell(f"{words} > /dev/full 2>&1", path) == (74, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "99999999999999999999999"], "no number"),
        (["log", "-n", "-99999999999999999999999"], "no number"),
        (["pin", "\ud800"], "half of a character"),
        (["pin", ""], "is empty"),
        (["distinct", "", "x"], "is empty"),
        (["passes", "--db", "~nosuchuser/m.db"], "no such user"),
        (["import", "~nosuchuser/notes.md"], "no such user"),
        (["remember", "x", "--db", "n" * 300], "too long"),
        (["skills", "import", "n" * 300], "too long"),
        (["forget", "a1", "--reason=--"], ""),
    ],
    ids=lambda value: "" if isinstance(value, str) else value[0],
)
def test_odd_words_are_told(
    words: list[str], said: str, path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    assert main([*words, *([] if "--db" in words else ["--db", str(path)])]) in (0 if not said else 2, 3, 6)
    assert said in capsys.readouterr().err


def test_words_are_text_also_where_python_is_told_to_take_them_for_ascii(tmp_path: Path) -> None:
    """What was told was kept with two signs that are none for each letter beyond ASCII."""
    path, told = tmp_path / "Gedächtnis.db", "Zoë wohnt in Köln, 東京"
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    for words in (["remember", told, "--wait"], ["recall", "Köln"]):
        command = [os.fsencode(word) for word in [sys.executable, "-m", "graphdream", *words, "--db", str(path)]]
        done = subprocess.run(command, env=env, cwd=PROJECT, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    assert told in done.stdout.decode() and path.exists()
