"""`graphdream` without a word says where the memory is, how it is, and what to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphdream.interfaces.cli import main


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(list(words)) == 0
    return capsys.readouterr().out


def test_before_there_is_a_memory_it_says_how_to_begin_and_makes_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(capsys)
    assert "none yet" in told and "graphdream import MEMORY.md" in told and "graphdream init" in told
    assert not list(tmp_path.rglob("memory.db"))


def test_of_a_memory_it_says_what_is_in_it_whether_a_dream_is_due_and_what_the_last_pass_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Garten\n- Die Pumpe läuft um 6:00\n- Mirela gießt die Beete\n", encoding="utf-8")
    said(capsys, "import", str(notes))
    told = said(capsys)
    assert "2 facts about 1 thing" in told and "1, import" in told
    assert "a pass is due: compact" in told and "graphdream dream --dry-run" in told
    said(capsys, "dream")
    told = said(capsys)
    assert "no pass is due" in told and "graphdream dream" not in told and "graphdream undo" in told
    assert max(map(len, told.splitlines())) <= 120
