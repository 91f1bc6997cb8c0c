"""What the documentation says is run: its Python examples, its commands, and its lists."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from graphdream.fleet import run as fleet
from graphdream.interfaces.cli import COMMANDS, main
from support.pages import Block, blocks, blocks_of, furnish, run, settle, tell, write
from tests.laws.cuts import cut, entities_of

PROJECT = Path(__file__).resolve().parent.parent
DOCS = PROJECT / "docs"
GRAPH = PROJECT / "fixtures" / "small.jsonl.gz"
PAGES = sorted([PROJECT / "README.md", *DOCS.rglob("*.md")])
STORIES = [DOCS / "tutorial.md", *sorted((DOCS / "tools").glob("*.md"))]  # whose blocks follow each other, outputs too
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


def examples(language: str) -> list[object]:
    """The blocks of a language that stand for themselves, with the page and where each is."""
    return [
        pytest.param(page, block, id=f"{page.name}:{block.line}")
        for page in PAGES
        for block in blocks(page)
        if block.language == language and not (page in STORIES and language == "sh")
    ]


@pytest.mark.parametrize(("page", "block"), examples("python"))
def test_python_examples_run(page: Path, block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block.text, page.name, "exec"), {})


READERS = {
    "json": json.loads,
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
    "yaml": yaml.safe_load,
}


@pytest.mark.parametrize(("page", "block"), [one for language in READERS for one in examples(language)])
def test_data_can_be_read(page: Path, block: Block) -> None:
    assert READERS[block.language](block.text), page.name


def test_every_block_is_run_read_or_printed() -> None:
    kinds = {"sh", "python", "text", "markdown", *READERS}
    strange = [f"{page.name}:{block.line}" for page in PAGES for block in blocks(page) if block.language not in kinds]
    assert strange == []


@pytest.mark.parametrize(("page", "block"), examples("sh"))
def test_shell_examples_run_in_their_order(
    page: Path, block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each block is told in the home of somebody who has every tool and memories of all of them, beside a graph called
    `graph.jsonl.gz`, notes, memories of other systems in `elsewhere`, and the files that its page names. What a fleet does
    in processes is done in this one."""
    monkeypatch.setattr(fleet, "LocalPool", lambda jobs: ThreadPoolExecutor(1))
    home = tmp_path / "ada"
    furnish(home)
    (home / "MEMORY.md").write_text(NOTES, encoding="utf-8")
    graph = cut(GRAPH, entities_of(GRAPH)[:200])
    (home / "graph.jsonl.gz").write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in graph).encode()))
    shutil.copytree(PROJECT / "fixtures" / "imports", home / "elsewhere")
    (home / "transcript.jsonl").write_text('{"role": "user", "content": "Move the deadline to Friday."}\n')
    settle(home, monkeypatch)
    for file in blocks(page):
        if file.file:
            write(file, home)
    run(block, monkeypatch, f"{page.name}:{block.line}")


@pytest.mark.parametrize("page", STORIES, ids=lambda page: page.stem)
def test_a_story_goes_as_its_page_tells_it(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the first block to the last; what the page says is printed, is."""
    home = tmp_path / "ada"
    furnish(home)
    tell(page, home, monkeypatch, lambda: capsys.readouterr().out)


def _commands(script: str) -> list[list[str]]:
    return [shlex.split(line, comments=True)[1:] for line in script.splitlines() if line.startswith("graphdream ")]


@pytest.mark.wheel
def test_the_first_five_minutes_go_as_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In an empty folder with somebody's own notes: imported, foreseen, dreamt, asked, and taken back to the last bit."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "MEMORY.md").write_text(NOTES, encoding="utf-8")
    page = (PROJECT / "README.md").read_text(encoding="utf-8")
    section = page.partition("## Five minutes")[2].partition("\n## ")[0]
    story, sample = (block.text for block in blocks_of(section))
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


TIDY = """\
# Allotment

- The shed key hangs behind the water butt.
- Rhubarb is never cut in its first year.
- The compost bay is turned on the first Saturday of a month.

## People

- Odalys keeps the bees.
- Bertrand lends out the rotavator.
- Mrs Quill collects the rents in January.
"""


def test_the_first_five_minutes_go_with_tidy_notes_too_as_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is nothing to clean up there is no pass 2: who follows the page to its end is told what to do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "MEMORY.md").write_text(TIDY, encoding="utf-8")
    page = (PROJECT / "README.md").read_text(encoding="utf-8")
    section = page.partition("## Five minutes")[2].partition("\n## ")[0]
    *story, last = _commands(next(iter(blocks_of(section))).text)
    told = {}
    for words in story:
        assert main(words) == 0, f"graphdream {shlex.join(words)}"
        told[" ".join(words)] = capsys.readouterr().out
    assert told["dream --dry-run"].startswith("nothing to do") and told["dream"].startswith("nothing to do")
    assert main(last) == 6
    said = capsys.readouterr().err
    assert said.startswith("graphdream: there is no pass 2; the newest is 1") and "finds nothing to do" in said
    (answer,) = re.findall(r"graphdream (undo \d+) takes back the import", said)
    assert f"`graphdream {answer}`" in section and "`nothing to do`" in section
    assert main(answer.split()) == 0
    assert "pass 2 takes back 1" in capsys.readouterr().out


def test_the_first_hour_is_measured_on_notes_with_something_to_undo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The measurement of bench/newcomer.py had ended in an error: nothing in its notes was folded any more."""
    monkeypatch.chdir(tmp_path)
    bench = (PROJECT / "bench" / "newcomer.py").read_text(encoding="utf-8")
    notes = re.search(r'^NOTES = """(.*?)^"""', bench, re.DOTALL | re.MULTILINE)
    assert notes is not None
    (tmp_path / "MEMORY.md").write_text(notes[1], encoding="utf-8")
    for words in (["import", "MEMORY.md"], ["dream"], ["undo", "2"]):
        assert main(words) == 0, capsys.readouterr().err


def _untimed(text: str) -> str:
    return re.sub(r"\d+\.\d s\)", "0.0 s)", text)


def test_the_readme_has_one_table_of_ten_figures() -> None:
    page = (PROJECT / "README.md").read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE)
    assert len(tables) == 1
    assert len(tables[0].splitlines()) - 2 <= 10


def test_what_was_measured_stands_in_the_table_of_the_readme_alone() -> None:
    """Figures in prose had grown old there while those of the table were measured anew."""
    page = (PROJECT / "README.md").read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$|^\|.*$", "", page, flags=re.MULTILINE | re.DOTALL)
    before, measured, rest = prose.partition("## Measured")
    introduction, _, after = rest.partition("\n\n")[2].partition("\n## ")
    assert measured and "12,974" in introduction, "what the table was measured on stands above it"
    figures = r"\d[\d,.]*\s?(?:%|×|GB|MB|ms|s\b)|\d{1,3}(?:,\d{3})+|\b\d+(?:\.\d+)? (?:of|to) \d"
    assert re.findall(figures, before + after) == []


def test_every_page_is_listed_once() -> None:
    index = DOCS / "README.md"
    listed = re.findall(r"^- \[(\S+)\]\((\S+)\): \S", index.read_text(encoding="utf-8"), re.MULTILINE)
    assert all(name == target for name, target in listed)
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md") if page != index]
    assert sorted(target for _, target in listed) == sorted(pages)


def test_every_command_that_a_page_names_is_there_with_its_options() -> None:
    """Also those that no test runs: within a sentence, or with a model that there is not."""
    sections = re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", (DOCS / "commands.md").read_text(), re.MULTILINE | re.DOTALL)
    help_of = {name: set(re.findall(r"--[a-z][a-z0-9-]*", text)) for name, text in sections}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines = re.findall(r"`(graphdream [^`\n]+)`", text) + re.findall(r"^ {4}(graphdream .+)", text, re.MULTILINE)
        lines += [line for block in blocks(page) for line in block.text.splitlines() if line.startswith("graphdream ")]
        for line in lines:
            command, *options = re.split(r"\s*[#|<>]", line, maxsplit=1)[0].split()[1:]
            if not command.startswith("-"):
                assert command in help_of or command in ("COMMAND", "help"), f"{page.name}: {line}"
                known = {"--help", *help_of.get(command, ())}
                assert all(one.partition("=")[0] in known for one in options if one.startswith("--")), (
                    f"{page.name}: {line}"
                )


def test_every_command_is_in_the_list_of_commands() -> None:
    listed = (DOCS / "commands.md").read_text()
    assert [name for name in COMMANDS if f"## {name}\n" not in listed] == []


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
