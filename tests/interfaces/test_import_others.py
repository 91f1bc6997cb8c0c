"""Memories from elsewhere: each format on a real sample, told twice, looked at first, and cut off in the middle."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from support.signet import signet

PROJECT = Path(__file__).resolve().parents[2]
SAMPLES = PROJECT / "fixtures" / "imports"


@pytest.fixture
def samples(tmp_path: Path) -> dict[str, Path]:
    """Format -> a sample of it."""
    copied = tmp_path / "samples"
    shutil.copytree(SAMPLES, copied)
    return {
        "mcp-memory": copied / "mcp-memory.jsonl", "mem0": copied / "mem0.json", "rockbot": copied / "rockbot",
        "transcripts": copied / "transcripts", "signet": signet(tmp_path), "markdown": copied / "openclaw",
        "obsidian": copied / "obsidian",
    }  # fmt: skip


def facts(database: Path, status: str = "active") -> dict[str, tuple[str, str, str, str]]:
    """Text -> entity, type, aspect, when it was told."""
    sql = (
        "SELECT content, entity.name, entity.type, aspect.name, attribute.first_seen FROM attribute"
        " JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id = aspect.entity_id WHERE attribute.status = ?"
    )
    with Store.open(database) as store:
        return {row[0]: tuple(row)[1:] for row in store.connection.execute(sql, (status,))}


def state(database: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of graph, events and journal."""
    tables = ("entity", "alias", "aspect", "attribute", "link", "session", "turn", "pass")
    with Store.open(database) as store:
        return {name: [tuple(row) for row in store.connection.execute(f"SELECT * FROM {name}")] for name in tables}


def test_the_file_of_the_mcp_memory_server(tmp_path: Path, samples: dict[str, Path]) -> None:
    db = tmp_path / "m.db"
    assert main(["import", str(samples["mcp-memory"]), "--format", "mcp-memory", "--db", str(db)]) == 0
    told = facts(db)
    assert told["Speaks norsk and 日本語"][:2] == ("Ada_Nilsen", "person") and told["Ships in May"][1] == "project"
    with Store.open(db) as store:
        link = "SELECT s.name, link.type, t.name FROM link JOIN entity s ON s.id = source_id JOIN entity t ON t.id = target_id"
        assert [tuple(row) for row in store.connection.execute(link)] == [("Ada_Nilsen", "works_on", "Lantern")]


def test_an_export_of_mem0(tmp_path: Path, samples: dict[str, Path]) -> None:
    db = tmp_path / "m.db"
    assert main(["import", str(samples["mem0"]), "--format", "mem0", "--db", str(db)]) == 0
    told = facts(db)
    assert told["Dev works at Brightwater as a senior engineer"] == (
        "dev", "person", "professional_details", "2026-02-14T16:00:00Z"
    )  # fmt: skip
    assert told["Reviews pull requests in two passes"][:2] == ("reviewer", "agent")


def test_the_memory_folder_of_rockbot(tmp_path: Path, samples: dict[str, Path]) -> None:
    db = tmp_path / "m.db"
    assert main(["import", str(samples["rockbot"]), "--format", "rockbot", "--db", str(db)]) == 0
    told = facts(db)
    assert told["User is in Chicago (America/Chicago, UTC-6)"] == (
        "user-preferences", "category", "timezone", "2026-01-10T12:00:00Z"
    )  # fmt: skip
    assert any(place[:3] == ("anti-patterns", "category", "email") for place in told.values())


def test_the_database_of_signet_with_what_was_replaced(tmp_path: Path, samples: dict[str, Path]) -> None:
    db, before = tmp_path / "m.db", samples["signet"].read_bytes()
    assert main(["import", str(samples["signet"]), "--format", "signet", "--db", str(db)]) == 0
    assert samples["signet"].read_bytes() == before  # it is only read
    assert set(facts(db)) == {"Lives in Oslo", "Never deploy on Fridays", "The office closes at six"}
    assert set(facts(db, "superseded")) == {"Lives in Bergen"} and set(facts(db, "archived")) == {"Uses Postgres"}
    with Store.open(db) as store:
        row = store.connection.execute(
            "SELECT new.content FROM attribute old JOIN attribute new ON new.id = old.superseded_by WHERE old.content = 'Lives in Bergen'"
        ).fetchone()
        kinds = dict(store.connection.execute("SELECT content, kind FROM attribute").fetchall())
        assert store.connection.execute("SELECT name FROM alias").fetchone()[0] == "Ada"
    assert row[0] == "Lives in Oslo" and kinds["Never deploy on Fridays"] == "constraint"


def test_transcripts_are_sessions_with_their_turns(
    tmp_path: Path, samples: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    db = tmp_path / "m.db"
    assert main(["import", str(samples["transcripts"]), "--format", "transcripts", "--db", str(db)]) == 0
    assert "put 2 sessions, 4 turns on record" in capsys.readouterr().out
    assert main(["import", str(samples["transcripts"]), "--format", "transcripts", "--db", str(db)]) == 0
    assert "nothing new: all 4 turns of it are on record already" in capsys.readouterr().out
    with Store.open(db) as store:
        held = store.connection.execute(
            "SELECT key, speaker, content, said_at FROM turn JOIN session ON session.id = session_id ORDER BY key, position"
        ).fetchall()
    assert [tuple(row)[1:3] for row in held] == [
        ("user", "Rename foo to bar."), ("assistant", "Renamed in three files."),
        ("user", "I moved to Oslo in May."), ("assistant", "Noted: you live in Oslo now."),
    ]  # fmt: skip
    assert [row[0] for row in held][::2] == [
        "019f3a10-55c2-7d11-8a02-6b1f9e0c4d22",
        "3f0c7a52-9d0e-4c5b-8a52-6d1f2c9b7e10",
    ]


@pytest.mark.parametrize("folder", ["openclaw", "claude-memory", "cursor/memory-bank"])
def test_memory_folders_of_agents_are_notes(tmp_path: Path, folder: str) -> None:
    db = tmp_path / "m.db"
    assert main(["import", str(SAMPLES / folder), "--db", str(db)]) == 0
    told = facts(db)
    if folder == "openclaw":  # a file for each day: when its lines were told
        assert told["The Lantern API listens on port 8080."][3] == "2026-03-02T00:00:00Z"
        assert told["The Lantern API listens on port 8443."][3] == "2026-05-11T00:00:00Z"
    assert len(told) >= 3


@pytest.mark.parametrize("name", ["mcp-memory", "mem0", "rockbot", "transcripts", "signet", "markdown", "obsidian"])
def test_told_twice_is_told_once_and_what_was_forgotten_stays_forgotten(
    tmp_path: Path, samples: dict[str, Path], name: str
) -> None:
    db = tmp_path / "m.db"
    words = ["import", str(samples[name]), "--format", name, "--db", str(db)]
    assert main(words) == 0
    if name != "transcripts":
        assert main(["forget", "a1", "--db", str(db)]) == 0
    once = state(db)
    assert main(words) == 0
    assert state(db) == once
    assert main(["verify", "--db", str(db)]) == 0


@pytest.mark.parametrize("name", ["mcp-memory", "mem0", "rockbot", "transcripts", "signet", "markdown", "obsidian"])
def test_a_dry_run_says_what_would_come_and_changes_nothing(
    tmp_path: Path, samples: dict[str, Path], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    db = tmp_path / "m.db"
    words = ["import", str(samples[name]), "--format", name, "--db", str(db)]
    assert main([*words, "--dry-run"]) == 0
    assert not db.exists() and "would" in capsys.readouterr().out
    main(["remember", "Kai lives in Oslo.", "--wait", "--db", str(db)])
    before = state(db)
    assert main([*words, "--dry-run"]) == 0
    assert state(db) == before
    capsys.readouterr()
    assert main([*words, "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pass_id"] is None


def test_an_undone_import_is_gone_whole(tmp_path: Path, samples: dict[str, Path]) -> None:
    db = tmp_path / "m.db"
    main(["import", str(samples["mem0"]), "--format", "mem0", "--db", str(db)])
    assert main(["undo", "1", "--db", str(db)]) == 0
    assert facts(db) == {}


@pytest.mark.parametrize(
    ("name", "file"),
    [("mcp-memory", ""), ("mem0", ""), ("signet", ""),
     ("rockbot", "memory/user-preferences/timezone/abc123def456.json"),
     ("transcripts", "3f0c7a52-9d0e-4c5b-8a52-6d1f2c9b7e10.jsonl")],
)  # fmt: skip
def test_a_file_that_is_cut_off_is_refused_in_words_and_nothing_is_half_written(
    tmp_path: Path, samples: dict[str, Path], name: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    db = tmp_path / "m.db"
    main(["remember", "Kai lives in Oslo.", "--wait", "--db", str(db)])
    before = state(db)
    path = samples[name] / file if file else samples[name]
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 3 // 5])
    capsys.readouterr()
    assert main(["import", str(samples[name]), "--format", name, "--db", str(db)]) == 3
    told = capsys.readouterr().err
    assert "Traceback" not in told and ("refused" in told or "cut off" in told or "damaged" in told)
    assert state(db) == before


@pytest.mark.parametrize("name", ["mcp-memory", "mem0", "rockbot", "transcripts", "signet", "history"])
def test_what_is_something_else_is_refused(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    db = tmp_path / "m.db"
    wrong = tmp_path / "diary.txt"
    wrong.write_text("Dear diary, {nothing} of this is a memory.\n" * 100)
    assert main(["import", str(wrong), "--format", name, "--db", str(db)]) == 3
    assert "Traceback" not in capsys.readouterr().err
    assert main(["import", str(tmp_path / "nowhere"), "--format", name, "--db", str(db)]) == 6


def test_an_obsidian_vault_with_its_links_and_aliases(tmp_path: Path, samples: dict[str, Path]) -> None:
    db = tmp_path / "m.db"
    assert main(["import", str(samples["obsidian"]), "--format", "obsidian", "--db", str(db)]) == 0
    assert facts(db)["Lives in Oslo."][0] == "Ada Nilsen"
    sql = "SELECT s.name, t.name FROM link JOIN entity s ON s.id = source_id JOIN entity t ON t.id = target_id ORDER BY 1, 2"
    with Store.open(db) as store:
        links = [tuple(row) for row in store.connection.execute(sql)]
        aliases = {row[0] for row in store.connection.execute("SELECT name FROM alias")}
    assert links == [
        ("Ada Nilsen", "Kai Brandt"), ("Ada Nilsen", "Lantern"), ("Kai Brandt", "Lantern"), ("Lantern", "Ada Nilsen"),
    ]  # fmt: skip
    assert aliases == {"Ada", "アダ"}


def test_tags_of_a_vault_are_those_of_its_facts_in_utf_16_too(tmp_path: Path) -> None:
    vault, db = tmp_path / "vault", tmp_path / "m.db"
    vault.mkdir()
    note = "---\r\naliases: [Alpha]\r\ntags: [work, Ort/Köln]\r\n---\r\n# A\r\n\r\n- Knows [[B]]. #people #12\r\n`#code`\r\n"
    (vault / "A.md").write_bytes(note.encode("utf-16"))
    (vault / "B.md").write_text("# B\n\n- Lives in Oslo.\n")
    assert main(["import", str(vault), "--format", "obsidian", "--db", str(db)]) == 0
    with Store.open(db) as store:
        tags = dict(store.connection.execute("SELECT content, tags FROM attribute").fetchall())
        assert json.loads(next(held for text, held in tags.items() if "Knows" in text)) == [
            "work",
            "Ort/Köln",
            "people",
        ]
        assert json.loads(tags["Lives in Oslo."]) == []
        assert store.connection.execute("SELECT count(*) FROM link").fetchone()[0] == 1


@pytest.mark.parametrize("coding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize("name", ["mcp-memory", "mem0"])
def test_other_encodings_and_line_ends_say_the_same(
    tmp_path: Path, samples: dict[str, Path], name: str, coding: str
) -> None:
    plain, other = tmp_path / "plain.db", tmp_path / "other.db"
    text = samples[name].read_text(encoding="utf-8")
    assert main(["import", str(samples[name]), "--format", name, "--db", str(plain)]) == 0
    samples[name].write_bytes(text.replace("\n", "\r\n").encode(coding))
    assert main(["import", str(samples[name]), "--format", name, "--db", str(other)]) == 0
    assert facts(other).keys() == facts(plain).keys() and facts(plain)


@pytest.mark.parametrize("name", ["mcp-memory", "mem0"])
def test_utf_16_that_is_cut_off_is_refused_in_words(
    tmp_path: Path, samples: dict[str, Path], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = samples[name].read_text(encoding="utf-8").encode("utf-16")
    samples[name].write_bytes(raw[: len(raw) // 2 | 1])
    assert main(["import", str(samples[name]), "--format", name, "--db", str(tmp_path / "m.db")]) == 3
    assert "UTF-16" in capsys.readouterr().err and not facts(tmp_path / "m.db")


@pytest.mark.parametrize("name", ["mem0", "markdown", "rockbot"])
def test_a_file_beyond_what_can_be_read_as_a_whole_is_refused(
    tmp_path: Path, samples: dict[str, Path], name: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("graphdream.interfaces.importers.reading.WHOLE_LIMIT", 20)
    assert main(["import", str(samples[name]), "--format", name, "--db", str(tmp_path / "m.db")]) == 3
    assert "MiB" in capsys.readouterr().err and not facts(tmp_path / "m.db")


# ---------------------------------------------------------------------- history


def commit(folder: Path, day: str, **files: str | None) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink() if text is None else path.write_text(text, encoding="utf-8")
    env = {**os.environ, "GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
    for words in (["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", day]):
        subprocess.run(["git", *words], cwd=folder, env=env, check=True)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A memory folder that was kept for four months."""
    if shutil.which("git") is None:
        pytest.skip("NOT TESTED: git is not installed")
    folder = tmp_path / "notes"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    commit(folder, "2026-01-05", MEMORY_md="# Memory\n\n## People\n- Mirela lives in Bergen.\n- Kai reviews deploys.\n")
    commit(
        folder,
        "2026-02-05",
        MEMORY_md="# Memory\n\n## People\n- Mirela lives in Oslo.\n- Kai reviews deploys.\n- 鍵は青い箱にある。\n",
    )
    commit(folder, "2026-03-05", MEMORY_md="# The memory\n\n## People\n- Mirela lives in Oslo.\n- 鍵は青い箱にある。\n",
           memory__build_md="# Build\n\n- Build with make.\n")  # fmt: skip
    commit(folder, "2026-04-05", memory__build_md=None)
    return folder


def test_each_line_is_known_since_its_commit_and_what_was_edited_away_is_history(tmp_path: Path, notes: Path) -> None:
    db = tmp_path / "m.db"
    assert main(["import", str(notes), "--format", "history", "--db", str(db)]) == 0
    assert {text: place[3][:10] for text, place in facts(db).items()} == {
        "Mirela lives in Oslo.": "2026-02-05", "鍵は青い箱にある。": "2026-02-05"
    }  # fmt: skip
    assert {text: place[3][:10] for text, place in facts(db, "superseded").items()} == {
        "Mirela lives in Bergen.": "2026-01-05"
    }
    assert {text: place[3][:10] for text, place in facts(db, "archived").items()} == {
        "Kai reviews deploys.": "2026-01-05",
        "Build with make.": "2026-03-05",
    }
    main(["recall", "Where does Mirela live?", "--as-of", "2026-01-20", "--db", str(db)])
    assert main(["verify", "--db", str(db)]) == 0


def test_history_told_twice_is_once_and_plain_notes_know_it(tmp_path: Path, notes: Path) -> None:
    db = tmp_path / "m.db"
    main(["import", str(notes), "--format", "history", "--db", str(db)])
    once = state(db)
    assert main(["import", str(notes), "--format", "history", "--db", str(db)]) == 0
    assert state(db) == once
    assert main(["import", str(notes), "--db", str(db)]) == 0
    assert state(db) == once


def test_notes_in_a_work_tree_bring_their_history_by_themselves_and_what_no_commit_has_yet(
    tmp_path: Path, notes: Path
) -> None:
    db, plain = tmp_path / "m.db", tmp_path / "plain.db"
    (notes / "MEMORY.md").write_text(
        "# The memory\n\n## People\n- Mirela lives in Ghent.\n- 鍵は青い箱にある。\n", "utf-8"
    )
    (notes / "fresh.md").write_text("- The cache is Valkey.\n")
    assert main(["import", str(notes), "--db", str(db)]) == 0
    assert set(facts(db, "superseded")) == {"Mirela lives in Bergen.", "Mirela lives in Oslo."}
    assert main(["import", str(notes), "--format", "markdown", "--db", str(plain)]) == 0
    assert (
        set(facts(db)) == set(facts(plain)) == {"Mirela lives in Ghent.", "鍵は青い箱にある。", "The cache is Valkey."}
    )
    assert facts(db)["鍵は青い箱にある。"][3][:10] == "2026-02-05"
    once = state(db)
    assert main(["import", str(notes), "--format", "markdown", "--db", str(db)]) == 0
    assert state(db) == once


def test_without_git_a_work_tree_is_a_folder_and_history_that_is_asked_for_is_refused(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    words = ["import", str(notes), "--db", str(tmp_path / "m.db")]
    assert main([*words, "--format", "history"]) == 3
    assert "git is not installed" in capsys.readouterr().err
    assert main(words) == 0 and "2 facts" in capsys.readouterr().out


def test_a_memory_below_a_hidden_folder_and_a_note_that_was_renamed_keep_their_history(
    tmp_path: Path, notes: Path
) -> None:
    hidden = notes / ".claude" / "memory"
    hidden.mkdir(parents=True)
    (hidden / "old.md").write_bytes(
        "# Habits\r\n\r\n- Ada wants short answers.\r\n- Ada uses vim.\r\n".encode("utf-16")
    )
    commit(notes, "2026-05-05")
    (hidden / "old.md").rename(hidden / "habits.md")
    commit(notes, "2026-06-05")
    (hidden / "habits.md").write_text("# Habits\n\n- Ada wants short answers.\n")
    commit(notes, "2026-07-05")
    db = tmp_path / "m.db"
    assert main(["import", str(hidden), "--db", str(db)]) == 0
    assert {text: (place[0], place[3][:10]) for text, place in facts(db).items()} == {
        "Ada wants short answers.": ("Habits", "2026-05-05")
    }  # fmt: skip
    assert set(facts(db, "archived")) == {"Ada uses vim."}


def test_a_repository_without_a_commit_is_a_folder_of_notes(tmp_path: Path, notes: Path) -> None:
    folder = tmp_path / "begun"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / "2026-05-11.md").write_text("- Mirela lives in Oslo.\n")
    assert main(["import", str(folder), "--db", str(tmp_path / "m.db")]) == 0
    assert facts(tmp_path / "m.db")["Mirela lives in Oslo."][3] == "2026-05-11T00:00:00Z"


def test_what_was_held_true_then_is_recalled(tmp_path: Path, notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = tmp_path / "m.db"
    main(["import", str(notes), "--format", "history", "--db", str(db)])
    capsys.readouterr()
    main(["recall", "Where does Mirela live?", "--json", "--db", str(db)])
    assert json.loads(capsys.readouterr().out)[0]["text"] == "Mirela lives in Oslo."


def test_a_folder_without_history_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("git") is None:
        pytest.skip("NOT TESTED: git is not installed")
    (tmp_path / "MEMORY.md").write_text("- Mirela lives in Oslo.\n")
    assert main(["import", str(tmp_path), "--format", "history", "--db", str(tmp_path / "m.db")]) == 3
    assert "with --format markdown, notes are imported as they are now" in capsys.readouterr().err
