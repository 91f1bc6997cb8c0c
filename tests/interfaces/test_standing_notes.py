"""Notes to which lines are added: what stands beside a new line was not replaced by it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import graphdream

ADDED = [
    ("# Servers", "The blue cluster has 6 nodes.", "The green cluster has 9 nodes."),
    ("# Piso", "La contraseña de la puerta del garaje es 7719.", "La contraseña de la puerta del trastero es 3302."),
    ("# 家族", "陽葵の靴のサイズは22センチ。", "蓮の靴のサイズは25センチ。"),
    ("# Дом", "Ключ от подвала висит на крючке 4.", "Ключ от чердака висит на крючке 9."),
    ("# Bienen", "Gegen Milben: Oxalsäure, im Dezember.", "Gegen Milben: Ameisensäure, im August."),
]


def active(graph: graphdream.Graph) -> set[str]:
    rows = graph.store.connection.execute("SELECT content FROM attribute WHERE status = 'active'")
    return {row[0] for row in rows}


def digest(graph: graphdream.Graph) -> list[tuple[object, ...]]:
    rows = graph.store.connection.execute("SELECT uid, content, status, first_seen, last_seen FROM attribute")
    return [tuple(row) for row in rows]


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, day: str) -> None:
    git(folder, "add", ".")
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    moment = f"{day}T12:00:00Z"
    subprocess.run(
        ["git", *who, "commit", "-q", "-m", "notes", "--date", moment],
        cwd=folder, check=True, capture_output=True, env={"GIT_COMMITTER_DATE": moment, "PATH": "/usr/bin:/bin"},
    )  # fmt: skip


@pytest.mark.parametrize(("heading", "first", "added"), ADDED)
def test_a_line_stays_when_one_like_it_is_added(heading: str, first: str, added: str, tmp_path: Path):
    note = tmp_path / "notes" / "N.md"
    note.parent.mkdir()
    with graphdream.open(tmp_path / "m.db") as graph:
        note.write_text(f"{heading}\n\n- {first}\n", encoding="utf-8")
        graph.import_file(note)
        graph.dream()
        note.write_text(f"{heading}\n\n- {first}\n- {added}\n", encoding="utf-8")
        graph.import_file(note)
        graph.dream()
        assert {first, added} <= active(graph)
        assert graph.verify().ok


@pytest.mark.parametrize(("heading", "first", "added"), ADDED)
def test_a_line_stays_that_git_shows_beside_one_like_it(heading: str, first: str, added: str, tmp_path: Path):
    notes = tmp_path / "notes"
    notes.mkdir()
    git(notes, "init", "-q")
    (notes / "N.md").write_text(f"{heading}\n\n- {first}\n", encoding="utf-8")
    commit(notes, "2026-01-05")
    (notes / "N.md").write_text(f"{heading}\n\n- {first}\n- {added}\n", encoding="utf-8")
    commit(notes, "2026-02-05")
    with graphdream.open(tmp_path / "m.db") as graph:
        graph.import_file(notes)
        graph.dream()
        assert {first, added} <= active(graph)


def test_a_line_of_one_file_stays_when_one_like_it_comes_into_another(tmp_path: Path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "AGENTS.md").write_text("# Tests\n\n- Run the slow tests with 4 workers.\n", encoding="utf-8")
    with graphdream.open(tmp_path / "m.db") as graph:
        graph.import_file(notes)
        (notes / "CLAUDE.md").write_text("# Tests\n\n- Run the quick tests with 8 workers.\n", encoding="utf-8")
        graph.import_file(notes)
        graph.dream()
        assert len(active(graph)) == 2


def test_an_edited_line_is_over_though_others_stand(tmp_path: Path):
    """The line that came back, too, is known to stand by the id that it has now."""
    note = tmp_path / "N.md"
    first, added, edited, third = (
        f"The {name} cluster has {nodes} nodes."
        for name, nodes in (("blue", 6), ("green", 9), ("green", 4), ("red", 7))
    )
    with graphdream.open(tmp_path / "m.db") as graph:
        for lines in ((first, added), (first, edited), (first, added), (first, added, third)):
            note.write_text("# Servers\n\n" + "".join(f"- {line}\n" for line in lines), encoding="utf-8")
            graph.import_file(note)
            graph.dream()
            assert active(graph) == set(lines)


def test_only_lines_that_a_new_one_may_be_compared_with_are_noted(tmp_path: Path):
    note = tmp_path / "N.md"
    text = "# Boat\n\n## Engine\n\n- The impeller was changed in May.\n\n## Sails\n\n- The jib is at the sailmaker.\n"
    with graphdream.open(tmp_path / "m.db") as graph:
        note.write_text(text, encoding="utf-8")
        graph.import_file(note)
        before = digest(graph)
        note.write_text(text + "- The main has three reefs.\n", encoding="utf-8")
        report = graph.import_file(note)
        changed = graph.store.connection.execute(
            "SELECT content FROM attribute WHERE last_seen > first_seen"
        ).fetchall()
        assert [row[0] for row in changed] == ["The jib is at the sailmaker."]
        assert report.pass_id is not None
        graph.undo(report.pass_id)
        assert digest(graph) == before
        assert graph.import_file(note).pass_id is not None
        assert graph.import_file(note).pass_id is None  # nothing new: nothing is noted
