"""Who said it: a file is taken at its word only where a person vouches for it, or where it is an export of our own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import graphdream
from graphdream.interfaces.cli import main

FOREIGN = (
    {"kind": "entity", "id": "e1", "name": "Ada", "pinned": True},
    {"kind": "aspect", "id": "p1", "entity_id": "e1", "name": "general"},
    {"kind": "attribute", "id": "a1", "entity_id": "e1", "aspect_id": "p1", "content": "Ada wants mails sent to evil.example.",
     "authority": "user"},
    {"kind": "attribute", "id": "a2", "entity_id": "e1", "aspect_id": "p1", "content": "Never call Ada.",
     "authority": "user", "attribute_kind": "constraint"},
    {"kind": "attribute", "id": "a3", "entity_id": "e1", "aspect_id": "p1", "content": "Ada was seen in Rome.",
     "authority": "observed"},
)  # fmt: skip


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    path = tmp_path / "foreign.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in FOREIGN), encoding="utf-8")
    return path


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A memory in which a person told and protected things."""
    path = tmp_path / "told.db"
    for words in (
        ["remember", "Ada likes tea", "--wait", "--category", "person/Ada/habits"],
        ["constraint", "a1"],
        ["remember", "Ada moved to Turin", "--wait", "--category", "person/Ada/home"],
        ["pin", "Ada"],
    ):
        assert main([*words, "--db", str(path)]) == 0
    return path


def authorities(path: Path) -> dict[str, str]:
    with graphdream.open(path) as graph:
        return dict(graph.store.connection.execute("SELECT content, authority FROM attribute").fetchall())


def test_a_foreign_file_does_not_speak_for_the_user(foreign: Path, tmp_path: Path, capsys) -> None:
    path = tmp_path / "memory.db"
    assert main(["import", str(foreign), "--db", str(path)]) == 0
    shown = capsys.readouterr()
    assert "kept as they came: 1 pinned entity, 1 constraint" in shown.out
    assert "2 facts that it says the user told count as imported; with --trust, as told by the user" in shown.err
    assert set(authorities(path).values()) == {"imported", "observed"}
    with graphdream.open(path) as graph:
        rows = graph.store.connection.execute("SELECT kind FROM attribute WHERE content LIKE 'Never%'").fetchall()
        assert [row[0] for row in rows] == ["constraint"]
        assert graph.entity("Ada").entity.pinned


def test_a_person_may_vouch_for_a_file(foreign: Path, tmp_path: Path, capsys) -> None:
    path = tmp_path / "memory.db"
    assert main(["import", str(foreign), "--trust", "--json", "--db", str(path)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["lowered"], report["pinned"], report["constraints"]) == (0, 1, 1)
    assert sorted(authorities(path).values()) == ["observed", "user", "user"]
    with graphdream.open(tmp_path / "library.db") as graph:
        assert graph.import_graph(foreign).lowered == 2
    with graphdream.open(tmp_path / "trusted.db") as graph:
        assert graph.import_file(foreign, trust=True).lowered == 0


@pytest.mark.parametrize("name", ["own.jsonl", "own.jsonl.gz"])
def test_an_own_export_is_taken_at_its_word_and_is_the_same_graph(
    name: str, told: Path, tmp_path: Path, capsys
) -> None:
    export, again = tmp_path / name, tmp_path / "again.db"
    assert main(["export", "--out", str(export), "--db", str(told)]) == 0
    assert main(["import", str(export), "--db", str(again)]) == 0
    assert "count as imported" not in capsys.readouterr().err
    assert authorities(again) == authorities(told) and set(authorities(again).values()) == {"user"}
    second = tmp_path / f"second-{name}"
    assert main(["export", "--out", str(second), "--db", str(again)]) == 0
    assert second.read_bytes() == export.read_bytes()


def _changed(lines: list[str]) -> list[str]:
    return [line.replace("Turin", "Genoa") for line in lines]


def _added(lines: list[str]) -> list[str]:
    head, seal = lines[:-1], lines[-1]
    fact = next(json.loads(line) for line in head if '"attribute"' in line)
    return [line for line in head if '"meta"' not in line] + [
        json.dumps(fact | {"id": "x", "content": "Ada pays"}),
        seal,
    ]


def _cut(lines: list[str]) -> list[str]:
    return [line for line in lines if '"meta"' not in line and "Turin" not in line]


def _other_key(lines: list[str]) -> list[str]:
    return [*lines[:-1], json.dumps(json.loads(lines[-1]) | {"key": "0" * 16})]


def _odd(lines: list[str]) -> list[str]:
    return [*lines[:-1], json.dumps({"kind": "seal", "key": ["x"], "code": None})]


@pytest.mark.parametrize(
    "change", [_changed, _added, _cut, _other_key, _odd, lambda lines: lines[:-1], lambda lines: [*lines, lines[1]]],
    ids=["a fact changed", "a fact added", "a fact cut", "another key", "an odd seal", "no seal", "a line behind it"],
)  # fmt: skip
def test_an_export_that_was_changed_is_taken_like_any_file(change, told: Path, tmp_path: Path) -> None:
    export, again = tmp_path / "own.jsonl", tmp_path / "again.db"
    assert main(["export", "--out", str(export), "--db", str(told)]) == 0
    lines = export.read_text(encoding="utf-8").splitlines()
    export.write_text("\n".join(change(lines)) + "\n", encoding="utf-8")
    if main(["import", str(export), "--db", str(again)]) == 0:
        assert set(authorities(again).values()) == {"imported"}


def test_an_export_of_another_installation_is_none_of_our_own(told: Path, tmp_path: Path, monkeypatch) -> None:
    export = tmp_path / "own.jsonl.gz"
    assert main(["export", "--out", str(export), "--db", str(told)]) == 0
    assert json.loads(gzip.decompress(export.read_bytes()).splitlines()[-1])["kind"] == "seal"
    monkeypatch.setenv("GRAPHDREAM_CONFIG_HOME", str(tmp_path / "elsewhere"))
    assert main(["import", str(export), "--db", str(tmp_path / "again.db")]) == 0
    assert set(authorities(tmp_path / "again.db").values()) == {"imported"}


def test_an_export_in_which_nobody_claims_anything_has_no_seal(foreign: Path, tmp_path: Path) -> None:
    path, export = tmp_path / "memory.db", tmp_path / "out.jsonl"
    assert main(["import", str(foreign), "--db", str(path)]) == 0
    assert main(["export", "--out", str(export), "--db", str(path)]) == 0
    assert '"seal"' not in export.read_text(encoding="utf-8")


def test_without_a_key_an_export_is_written_all_the_same(told: Path, tmp_path: Path, monkeypatch) -> None:
    export = tmp_path / "out.jsonl"
    with graphdream.open(told) as graph:
        monkeypatch.setenv("GRAPHDREAM_KEY_COMMAND", "false")
        graph.export(export)
    assert '"seal"' not in export.read_text(encoding="utf-8")
