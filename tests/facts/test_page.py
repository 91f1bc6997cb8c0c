"""The page on what is one fact goes as it tells: its commands run, and print what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.pages import tell

PAGE = Path(__file__).resolve().parents[2] / "docs" / "facts.md"


def test_the_example_goes_as_the_page_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One pair is replaced, one is asked about, and one stays as two facts."""
    home = tmp_path / "ada"
    home.mkdir()
    tell(PAGE, home, monkeypatch, lambda: capsys.readouterr().out)


def test_every_module_that_the_page_names_is_there() -> None:
    rules = PAGE.read_text(encoding="utf-8").partition("## Reference")[2]
    named = set(re.findall(r"`([a-z]+\.py)`", rules))
    facts = PAGE.parents[1] / "graphdream" / "facts"
    assert len(named) > 30 and [name for name in sorted(named) if not (facts / name).exists()] == []
