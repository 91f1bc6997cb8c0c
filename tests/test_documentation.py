"""What the documentation says is run: its Python examples, its commands, and its lists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from graphdream.interfaces.cli import COMMANDS, main

PROJECT = Path(__file__).resolve().parent.parent
PAGES = sorted([PROJECT / "README.md", *(PROJECT / "docs").glob("*.md")])
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[tuple[str, str]]:
    return [
        (f"{page.name}:{page.read_text()[: found.start()].count(chr(10)) + 1}", found[2])
        for page in PAGES
        for found in _BLOCK.finditer(page.read_text())
        if found[1] == language
    ]


@pytest.mark.parametrize("code", [code for _, code in blocks("python")], ids=[name for name, _ in blocks("python")])
def test_python_examples_run(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "example", "exec"), {})


def _commands(script: str) -> list[list[str]]:
    lines = [line.partition("#")[0].strip() for line in script.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("graphdream ")]


@pytest.mark.parametrize("script", [code for _, code in blocks("sh")], ids=[name for name, _ in blocks("sh")])
def test_shell_examples_run_in_their_order(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block is one story, told in an empty folder beside a graph called `graph.jsonl.gz`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graph.jsonl.gz").write_bytes((PROJECT / "fixtures" / "small.jsonl.gz").read_bytes())
    (tmp_path / "transcript.jsonl").write_text('{"role": "user", "content": "Move the deadline to Friday."}\n')
    for words in _commands(script):
        assert main(words) == 0, f"graphdream {shlex.join(words)}"


def test_every_command_is_in_the_list_of_commands() -> None:
    listed = (PROJECT / "docs" / "commands.md").read_text()
    assert [name for name in COMMANDS if f"## {name}\n" not in listed] == []


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
