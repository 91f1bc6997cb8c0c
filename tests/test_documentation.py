"""What the documentation says is run: its Python examples, its commands, and its lists."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from graphdream.interfaces.cli import COMMANDS, main

PROJECT = Path(__file__).resolve().parent.parent
PAGES = sorted([PROJECT / "README.md", *(PROJECT / "docs").glob("*.md")])
NOTES = """\
# Memory

## 2026-03-02
- Mirela lives in Oslo.
- The Lantern API listens on port 8080.
- Deploys go through Ines Duarte on Thursdays.

## 2026-05-11
- Mirela lives in Bergen.
- The Lantern API listens on port 8443.
- Deploys go through Ines Duarte on Thursdays
- 鍵は青い箱にある。
- Tomaten täglich gießen
"""
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
    """Each block is one story, told in an empty folder beside a graph called `graph.jsonl.gz`, notes, and memories
    of other systems in `elsewhere`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))  # whose tools are set up
    (tmp_path / "user" / ".claude").mkdir(parents=True)
    (tmp_path / "MEMORY.md").write_text(NOTES, encoding="utf-8")
    (tmp_path / "graph.jsonl.gz").write_bytes((PROJECT / "fixtures" / "small.jsonl.gz").read_bytes())
    shutil.copytree(PROJECT / "fixtures" / "imports", tmp_path / "elsewhere")
    (tmp_path / "transcript.jsonl").write_text('{"role": "user", "content": "Move the deadline to Friday."}\n')
    for words in _commands(script):
        assert main(words) == 0, f"graphdream {shlex.join(words)}"


@pytest.mark.wheel
def test_the_first_five_minutes_go_as_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In an empty folder with somebody's own notes: imported, foreseen, dreamt, asked, and taken back to the last bit."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "MEMORY.md").write_text(NOTES, encoding="utf-8")
    page = (PROJECT / "README.md").read_text(encoding="utf-8")
    section = page.partition("## Five minutes")[2].partition("\n## ")[0]
    story, sample = (found[2] for found in _BLOCK.finditer(section))
    told = {}
    for words in _commands(story):
        assert main(words) == 0, f"graphdream {shlex.join(words)}"
        told[" ".join(words)] = capsys.readouterr().out
    assert list(told) == [
        "import MEMORY.md", "dream --dry-run", "dream", "recall where does Mirela live?", "undo 2"
    ]  # fmt: skip
    assert told["import MEMORY.md"].startswith("pass 1: imported MEMORY.md: 1 entity, 2 aspects, 8 facts")
    assert _untimed(told["dream --dry-run"]) == _untimed(sample)
    assert "pass 2 (compact, " in told["dream"] and "1 duplicate fact folded" in told["dream"]
    assert "Mirela lives in Bergen." in told["recall where does Mirela live?"].splitlines()[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["MEMORY.md", "home"], "the notes are only read"
    assert main(["export", "--at", "1", "--out", "then.jsonl"]) == main(["export", "--out", "now.jsonl"]) == 0
    assert (tmp_path / "then.jsonl").read_bytes() == (tmp_path / "now.jsonl").read_bytes()


def _untimed(text: str) -> str:
    return re.sub(r"\d+\.\d s\)", "0.0 s)", text)


def test_the_readme_has_one_table_of_ten_figures() -> None:
    page = (PROJECT / "README.md").read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE)
    assert len(tables) == 2, "the pages, and the figures"
    assert len(tables[1].splitlines()) - 2 <= 10


def test_every_command_is_in_the_list_of_commands() -> None:
    listed = (PROJECT / "docs" / "commands.md").read_text()
    assert [name for name in COMMANDS if f"## {name}\n" not in listed] == []


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
