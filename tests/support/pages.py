"""Pages as a reader follows them: their files written, their commands run, and what is printed held against the page.

- A block of ```` ```markdown notes.md ```` (or another language and a name) is written to that file before what follows.
- ```` ```sh ```` blocks are commands. Those of `graphdream` are run, `mkdir`, `cd` and `export` are done; `pip` and `uv` would reach for the
  network and are passed over, `make` must have the target; others are an error. A comment `# ends with 1` tells an exit
  code other than 0. `> FILE` is passed over: what a command prints is printed.
- In a page that tells one story, a ```` ```text ```` block is all that the commands of the block before it printed. A line that
  is nothing but `…` stands for any lines. Times, seconds and the folders of a machine may differ; digests, too, but equal
  ones are equal.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from graphdream.interfaces.cli import main
from graphdream.interfaces.hook.folder import folder_of
from graphdream.interfaces.hook.state import State
from graphdream.paths import database_path
from support.nodreams import NO_PASS_IS_DUE
from support.signet import signet

PROJECT = Path(__file__).resolve().parents[2]
HOME = "/home/ada"  # what pages call the folder in which their reader's files are
_IMPORTS = PROJECT / "fixtures" / "imports"
_TAKEN_IN_SECONDS = 30.0  # within which a hook's event is taken in, on a machine that others use
_BLOCK = re.compile(r"^```(?P<language>\w+)(?: (?P<file>\S+))?\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
_ENDS_WITH = re.compile(r"#.*\bends with (\d)")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?")
_SECONDS = re.compile(r"\b\d+\.\d+ s\b")
_DIGEST = re.compile(r"\b[0-9a-f]{16}\b")


@dataclass(frozen=True)
class Block:
    """One block of a page: `file` is the name behind its language, `line` where it begins."""

    language: str
    file: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """Every block of a page, in order."""
    return blocks_of(page.read_text(encoding="utf-8"))


def blocks_of(text: str) -> list[Block]:
    """Every block of a text in Markdown, in order."""
    return [
        Block(found["language"], found["file"] or "", found["text"], text[: found.start()].count("\n") + 1)
        for found in _BLOCK.finditer(text)
    ]


def furnish(home: Path) -> None:
    """The home of somebody who has every tool, and memories of all of them and of other systems."""
    if shutil.which("git") is None:
        pytest.skip("NOT TESTED: git is not installed")
    for tool in (".claude", ".codex", ".copilot", ".openclaw"):
        (home / tool).mkdir(parents=True)
    project = home / ".claude" / "projects" / "-home-ada-lantern"
    sessions = home / ".codex" / "sessions" / "2026" / "08" / "10"
    for source, target in (
        ("claude-memory", project / "memory"), ("openclaw", home / ".openclaw" / "workspace"),
        ("cursor", home / "lantern"), ("obsidian", home / "vault"), ("rockbot", home / "rockbot"),
    ):  # fmt: skip
        shutil.copytree(_IMPORTS / source, target)
    sessions.mkdir(parents=True)
    for transcript in (_IMPORTS / "transcripts").iterdir():
        shutil.copy(transcript, sessions if transcript.name.startswith("rollout") else project)
    shutil.copy(_IMPORTS / "mem0.json", home)
    shutil.copy(_IMPORTS / "mcp-memory.jsonl", home / "memory.jsonl")
    signet(home)
    notes = home / "notes"
    notes.mkdir()
    for day, place in (("2026-03-02", "Oslo"), ("2026-05-11", "Bergen")):
        (notes / "people.md").write_text(f"# People\n\n- Mirela lives in {place}.\n", encoding="utf-8")
        _git(notes, "init", "--quiet")
        _git(notes, "add", "people.md")
        _git(notes, "commit", "--quiet", "--message", place, at=f"{day}T09:00:00Z")


def _git(folder: Path, *words: str, at: str = "") -> None:
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", at)) if value}  # fmt: skip
    env = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull, **who)
    subprocess.run(["git", *words], cwd=folder, env=env, check=True)


def tell(page: Path, folder: Path, patch: pytest.MonkeyPatch, printed: Callable[[], str]) -> None:
    """Play a page in a folder, which is the home of its reader.

    Args:
        printed: gives what was printed since it was asked last.
    """
    settle(folder, patch)
    told_digests: dict[str, int] = {}
    said_digests: dict[str, int] = {}
    said = None  # what the last block of commands printed, until a block of the page has told it
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if block.file:
            write(block, folder)
        elif block.language == "sh":
            printed()
            run(block, patch, where)
            said = printed().replace(str(folder), HOME)
        elif block.language == "text":
            assert said is not None, f"{where}: no commands before this output"
            told, real = _steady(block.text, told_digests), _steady(said, said_digests)
            assert _fits(told, real), f"{where} was not printed, but:\n{said}"
            said = None


def settle(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Make a folder the home of whoever runs commands, and go there."""
    patch.setenv("HOME", str(folder))
    patch.setenv("GRAPHDREAM_HOME", str(folder / ".local" / "share" / "graphdream"))
    patch.setenv("GRAPHDREAM_HOOKS_IDLE_SECONDS", "1")  # what works behind a hook ends soon
    program = folder / ".venv" / "bin" / "graphdream"
    program.parent.mkdir(parents=True)
    program.touch()
    patch.setattr("graphdream.interfaces.cli.init.program", lambda: (str(program),))
    for variable in (
        "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "OPENCLAW_STATE_DIR",
        "GRAPHDREAM_CONFIG_HOME", "GRAPHDREAM_STATE_HOME",  # else the anchors of other stories would count
    ):  # fmt: skip
        patch.delenv(variable, raising=False)
    patch.chdir(folder)


def write(block: Block, folder: Path) -> None:
    """Write a block to the file that it names."""
    Path(block.file).parent.mkdir(parents=True, exist_ok=True)
    Path(block.file).write_text(block.text.replace(HOME, str(folder)), encoding="utf-8")


def run(block: Block, patch: pytest.MonkeyPatch, where: str) -> None:
    """Run the commands of a block."""
    for line in block.text.splitlines():
        _run(line, patch, where)


def _run(line: str, patch: pytest.MonkeyPatch, where: str) -> None:
    expected = int(found[1]) if (found := _ENDS_WITH.search(line)) else 0
    words = [os.path.expanduser(os.path.expandvars(word)) for word in shlex.split(line, comments=True)]
    match words:
        case [] | ["pip" | "uv", *_]:
            pass
        case ["mkdir", name]:
            Path(name).mkdir()
        case ["cd", name]:
            patch.chdir(name)
            patch.setenv("PWD", os.getcwd())
        case ["export", setting]:
            patch.setenv(*setting.split("=", 1))
        case ["make", target]:
            assert f"\n{target}:" in (PROJECT / "Makefile").read_text(encoding="utf-8"), f"{where}: {line}"
        case ["graphdream", "hook", *rest, "<", file]:
            _fire(rest, Path(file))
        case ["graphdream", *rest, "<", file] | ["graphdream", *rest, "<", file, ">", _]:
            with open(file, encoding="utf-8") as stream, patch.context() as only_here:
                only_here.setattr(sys, "stdin", stream)
                assert main(rest) == expected, f"{where}: {line}"
        case ["graphdream", *rest, ">", _] | ["graphdream", *rest]:
            assert main(rest) == expected, f"{where}: {line}"
        case _:
            raise AssertionError(f"{where}: the test does not know how to run {line!r}")


def _fire(words: list[str], payload: Path) -> None:
    """Call a hook, whose process reads the stream itself, and wait until what works behind it has taken the event in; it
    starts no dream, which would come into the middle of the story."""
    spool = folder_of(str(database_path(None, None)))
    command = [sys.executable, "-m", "graphdream", "hook", *words]
    with payload.open("rb") as stream:
        env = dict(os.environ, PYTHONPATH=str(PROJECT), **NO_PASS_IS_DUE)
        subprocess.run(command, stdin=stream, env=env, check=True)
    deadline = time.monotonic() + _TAKEN_IN_SECONDS
    while not State.read(spool).fired:
        assert time.monotonic() < deadline, "nothing took the event in"
        time.sleep(0.05)


def _steady(text: str, digests: dict[str, int]) -> list[str]:
    """Lines without what differs from run to run; a digest is told by which one of the page it is."""
    text = _SECONDS.sub("SECONDS", _TIME.sub("TIME", text))
    text = _DIGEST.sub(lambda found: f"DIGEST {digests.setdefault(found[0], len(digests))}", text)
    return [line.rstrip() for line in text.rstrip().splitlines()]


def _fits(told: list[str], said: list[str]) -> bool:
    """Whether lines are as a page tells them, whose lines of `…` stand for any number of others."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else re.escape(f"{line}\n") for line in told)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in said)) is not None
