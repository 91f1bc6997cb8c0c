"""Notes without days, of which the caller says when they were written."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import graphdream
from graphdream.errors import UsageError
from graphdream.interfaces.cli import main
from tests.interfaces.test_first_hour_words import Call
from tests.interfaces.test_first_hour_words import call as call

NOTES = """# Harbour

- The crane lifts nine tons

## 2025-03-04

- The slipway was painted
"""


def told(path: Path) -> dict[str, str]:
    """Text -> when it was told."""
    with sqlite3.connect(path) as connection:
        return {text: at[:10] for text, at in connection.execute("SELECT content, first_seen FROM attribute")}


@pytest.mark.parametrize("name", ["markdown", "obsidian"])
def test_what_has_no_day_of_its_own_was_told_on_the_day_that_is_given(call: Call, tmp_path: Path, name: str) -> None:
    (tmp_path / "harbour.md").write_text(NOTES, encoding="utf-8")
    call("import", str(tmp_path / "harbour.md"), "--at", "2025-01-09", "--format", name)
    assert told(tmp_path / "memory.db") == {
        "The crane lifts nine tons": "2025-01-09", "The slipway was painted": "2025-03-04"
    }  # fmt: skip
    assert "nothing new" in call("import", str(tmp_path / "harbour.md"), "--at", "2025-02-01")


def test_a_line_that_an_import_since_that_day_did_not_have_is_newer(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "harbour.md"
    file.write_text(NOTES, encoding="utf-8")
    call("import", str(file), "--at", "2025-01-09")
    file.write_text(NOTES.replace("nine tons\n", "nine tons\n- The ferry is blue\n"), encoding="utf-8")
    said = call("import", str(file), "--at", "2025-01-08")
    assert told(tmp_path / "memory.db")["The ferry is blue"] > "2025-01-10"
    assert "--at 2025-01-08 was not used for 1 fact: an earlier import" in said


def test_versions_of_a_file_are_each_of_the_day_that_is_given_with_them(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "harbour.md"
    for day, load in (("2025-01-10", "nine"), ("2025-03-15", "ten"), ("2025-03-15", "twelve"), ("2025-06-01", "six")):
        file.write_text(NOTES.replace("nine tons", f"{load} tons"), encoding="utf-8")
        assert "was not used" not in call("import", str(file), "--at", day)
        assert told(tmp_path / "memory.db")[f"The crane lifts {load} tons"] == day
    call("dream")
    assert "six tons" in call("recall", "crane lifts tons") and "nine tons" not in call("recall", "crane lifts tons")


def test_after_an_import_of_today_an_older_day_is_not_used_and_a_dry_run_says_so(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "harbour.md"
    file.write_text(NOTES, encoding="utf-8")
    call("import", str(file))
    file.write_text(NOTES.replace("nine tons\n", "nine tons\n- The ferry is blue\n- It is slow\n"), encoding="utf-8")
    for words in (["--dry-run"], []):
        said = call("import", str(file), "--at", "2025-01-10", *words)
        assert "--at 2025-01-10 was not used for 2 facts" in said and "so they are told now" in said
    assert told(tmp_path / "memory.db")["It is slow"] > "2025-03-04"


def test_a_day_of_a_heading_counts_after_an_import_that_stood_for_an_earlier_one(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "harbour.md"
    file.write_text("# Harbour\n\n- The crane lifts nine tons\n", encoding="utf-8")
    call("import", str(file), "--at", "2025-01-09")
    lines = "## 2025-03-04\n\n- The slipway was painted\n\n## 2024-12-01\n\n- The gate was oiled\n"
    file.write_text(f"# Harbour\n\n- The crane lifts nine tons\n\n{lines}", encoding="utf-8")
    call("import", str(file), "--at", "2025-04-01")
    assert told(tmp_path / "memory.db") == {
        "The crane lifts nine tons": "2025-01-09", "The slipway was painted": "2025-03-04",
        "The gate was oiled": "2025-04-01",
    }  # fmt: skip


def test_of_two_undated_files_the_later_one_is_known_by_the_days_that_were_given(call: Call, tmp_path: Path) -> None:
    for day, load in (("2024-05-01", "nine"), ("2025-05-01", "twelve")):
        (tmp_path / f"{load}.md").write_text(f"# Harbour\n\n- The crane lifts {load} tons\n", encoding="utf-8")
        call("import", str(tmp_path / f"{load}.md"), "--at", day)
    found = json.loads(call("recall", "crane", "--as-of", "2024-12-31", "--json"))
    assert [hit["text"] for hit in found] == ["The crane lifts nine tons"]


def test_what_is_no_day_or_is_still_to_come_or_is_told_by_the_file_is_an_error(call: Call, tmp_path: Path) -> None:
    (tmp_path / "harbour.md").write_text(NOTES, encoding="utf-8")
    assert "'spring' is not a time" in call("import", str(tmp_path / "harbour.md"), "--at", "spring", code=2)
    assert "is still to come" in call("import", str(tmp_path / "harbour.md"), "--at", "9998-01-01", code=2)
    (tmp_path / "graph.jsonl").write_text('{"kind": "entity", "id": "e1", "name": "Quay"}\n', encoding="utf-8")
    assert "tells its times itself" in call("import", str(tmp_path / "graph.jsonl"), "--at", "2025-01-01", code=2)


def test_the_library_takes_the_day_too(tmp_path: Path) -> None:
    (tmp_path / "harbour.md").write_text(NOTES, encoding="utf-8")
    with graphdream.open(tmp_path / "own.db") as graph:
        graph.import_file(tmp_path / "harbour.md", at="2025-01-09")
        with pytest.raises(UsageError):
            graph.import_file(tmp_path / "harbour.md", at="someday")
    assert told(tmp_path / "own.db")["The crane lifts nine tons"] == "2025-01-09"
    assert main(["verify", "--db", str(tmp_path / "own.db")]) == 0
