"""`graphdream export --format memory`: a folder of notes for agents, in which everything a person wrote stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphdream.interfaces.cli import main
from graphdream.interfaces.importers.managed import BEGIN, END

HAND = "\ufeff# My own notes \r\n\r\n- feed the cat   \r\n\r\n\r\nand `this`, too"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    for text in ("Mirela lives in Oslo.", "鍵は青い箱にある。", "Never restart *the* gateway on Fridays."):
        assert main(["remember", text, "--wait", "--category", "notes/all", "--db", str(path)]) == 0
    assert main(["constraint", "a3", "--db", str(path)]) == 0
    return path


def export(database: Path, folder: Path, *words: str) -> int:
    return main(["export", "--format", "memory", "--out", str(folder), "--db", str(database), *words])


def test_what_matters_is_written_constraints_first_and_what_a_person_wrote_stays_to_the_byte(
    database: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "MEMORY.md").write_bytes(HAND.encode())
    (folder / "other.md").write_bytes(b"mine")
    assert export(database, folder) == 0
    text = (folder / "MEMORY.md").read_bytes().decode()
    assert text.startswith(HAND) and text.count(BEGIN) == text.count(END) == 1
    block = text[text.index(BEGIN) :]
    assert block.index("Never restart") < block.index("Mirela lives in Oslo.") and "鍵は青い箱にある。" in block
    assert "\n" not in block.replace("\r\n", "")
    assert "Mirela lives in Oslo." in (folder / "graphdream.md").read_text(encoding="utf-8")
    assert (folder / "other.md").read_bytes() == b"mine"


def test_again_it_writes_the_same_and_only_the_block_follows_the_graph(database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    export(database, folder)
    path = folder / "MEMORY.md"
    path.write_bytes(b"# Above\n\n" + path.read_bytes() + b"\n# Below, without an end of line")
    once = path.read_bytes()
    assert export(database, folder) == 0 and path.read_bytes() == once
    main(["forget", "a1", "--db", str(database)])
    assert export(database, folder) == 0
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Above\n\n<!-- ") and text.endswith("\n# Below, without an end of line")
    assert "Mirela" not in text


def test_a_long_memory_keeps_to_what_agents_load(tmp_path: Path) -> None:
    database, folder = tmp_path / "memory.db", tmp_path / "notes"
    main(["import", str(Path(__file__).parents[2] / "fixtures" / "small.jsonl.gz"), "--db", str(database)])
    assert export(database, folder) == 0
    text = (folder / "MEMORY.md").read_bytes()
    assert text.count(b"\n") <= 200 and len(text) <= 25_000 + 500


def test_nothing_is_learned_from_what_was_exported(database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("# Notes\n\n- Kai reviews deploys.\n", encoding="utf-8")
    export(database, folder)
    other = tmp_path / "other.db"
    assert main(["import", str(folder), "--db", str(other)]) == 0
    out = tmp_path / "out.md"
    main(["export", "--format", "markdown", "--out", str(out), "--db", str(other)])
    assert "Kai reviews deploys." in out.read_text() and "Mirela" not in out.read_text()


def test_half_a_block_is_refused_and_nothing_is_written(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "MEMORY.md").write_text(f"mine\n{BEGIN}\nmine too\n")
    assert export(database, folder) == 3
    assert "one of graphdream's marks" in capsys.readouterr().err and not (folder / "graphdream.md").exists()
    assert export(database, Path("-")) == 2


def test_a_past_state_is_exported_too(database: Path, tmp_path: Path) -> None:
    assert export(database, tmp_path / "past", "--at", "1", "--json") == 0
    assert "鍵" not in (tmp_path / "past" / "MEMORY.md").read_text(encoding="utf-8")
