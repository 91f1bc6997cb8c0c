"""What somebody tells in the first hour, sentence by sentence, without categories, in three languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphdream.interfaces.cli import main

TWO_PLACES = [
    ("Tarik lives in Oslo.", "Tarik lives in Bergen."),
    ("Wiebke wohnt in Husum.", "Wiebke wohnt in Leer."),
    ("Inés vive en Burgos.", "Inés vive en Soria."),
]


@pytest.mark.parametrize(("before", "after"), TWO_PLACES)
def test_two_answers_told_at_two_times_are_asked_about_and_both_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str
) -> None:
    db = ["--db", str(tmp_path / "memory.db")]
    for text, day in ((before, "2026-01-05"), (after, "2026-06-05")):
        assert main(["remember", text, "--at", day, "--wait", *db]) == 0
    capsys.readouterr()
    assert main(["dream", "--compact", *db]) == 0
    told = capsys.readouterr().out
    assert "the second may have replaced the first" in told and "graphdream replace a1 a2" in told
    assert main(["recall", before.split()[0], *db]) == 0
    found = capsys.readouterr().out
    assert before in found and after in found
    assert main(["replace", "a1", "a2", *db]) == 0
    capsys.readouterr()
    assert main(["recall", before.split()[0], *db]) == 0
    found = capsys.readouterr().out
    assert after in found and before not in found
