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


def test_what_a_person_told_is_asked_about_and_no_question_is_called_certain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(tmp_path / "memory.db")]
    for hour, port in ((9, 8080), (10, 8443)):
        told = ["remember", f"The deploy port is {port}", "--at", f"2026-01-05T{hour:02}:00:00Z"]
        assert main([*told, "--wait", *db]) == 0
    capsys.readouterr()
    assert main(["dream", "--compact", *db]) == 0
    said = capsys.readouterr().out
    assert "nothing to do" in said and "(99%)" in said and "100%)" not in said


def test_nobody_is_asked_whether_the_folder_of_what_is_filed_nowhere_is_somebody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was remembered of Ada before she was known stands there, and `general | Ada` was asked about."""
    db = ["--db", str(tmp_path / "memory.db")]
    for told in ("Ada lives in Bern", "Ada likes tea"):
        assert main(["remember", told, "--wait", *db]) == 0
    assert main(["record", "--session", "s", "--summary", "Ada moved to Zurich. Bo lives in Oslo.", *db]) == 0
    capsys.readouterr()
    assert main(["dream", *db]) == 0
    told = capsys.readouterr().out
    assert "2 entities added" in told and "may be one" not in told
    assert main(["explain", "general", "Ada", *db]) == 2
    assert "compared with nobody" in capsys.readouterr().err


def test_what_is_typed_in_one_sitting_is_a_list_of_which_nothing_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(tmp_path / "memory.db")]
    for room, colour in ((3, "青い"), (4, "赤い"), (5, "白い")):
        assert main(["remember", f"{room}号室の鍵は{colour}", "--wait", *db]) == 0
    capsys.readouterr()
    assert main(["dream", "--compact", *db]) == 0
    assert "may have replaced" not in capsys.readouterr().out


def test_the_first_dream_reads_the_sessions_as_well_as_the_notes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A first dream is a compaction, which left every session unread unless a model was named."""
    db = ["--db", str(tmp_path / "memory.db")]
    notes = tmp_path / "notes.md"
    notes.write_text(
        "# Notes\n- the ferry leaves Husum at 6:40\n- Seilerei Hollmann mends the sails\n", encoding="utf-8"
    )
    assert main(["import", str(notes), *db]) == 0
    told = "Thandeka Moyo sews sails in Leer. Thandeka Moyo pays Seilerei Hollmann in May."
    assert main(["record", "--session", "s1", "--summary", told, *db]) == 0
    assert main(["dream", *db]) == 0
    capsys.readouterr()
    assert main(["entity", "Thandeka Moyo", *db]) == 0
    assert "sews sails in Leer" in capsys.readouterr().out
    assert main(["recall", "when does the ferry leave?", *db]) == 0
    assert "6:40" in capsys.readouterr().out
    assert main(["dream", *db]) == 0
    assert "nothing to do" in capsys.readouterr().out
