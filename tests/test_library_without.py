"""What a program can ask without an open memory: `resolve`, `calibrate`, `doctor` and `mend_schema`, as the commands do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream.errors import ImportRefusedError, NotFoundError, UsageError
from graphdream.interfaces.cli import main
from tests.support.attacks import shell

ENTITIES = [
    {"id": "1", "name": "Dr. Ilse Aichner", "type": "person", "attributes": ["ilse@aichner.example"]},
    {"id": "2", "name": "Ilse Aichner", "type": "person", "attributes": ("ilse@aichner.example",)},
    {"id": 3, "name": "Tram depot", "type": "place", "pinned": True},
]


def test_entities_of_another_graph_are_resolved_as_the_command_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = graphdream.resolve(iter(ENTITIES))
    assert found.clusters["1"] == found.clusters["2"] and found.clusters["3"] == "3"
    lines = "\n".join(json.dumps(one) for one in ENTITIES)
    with (tmp_path / "in.jsonl").open("w+") as stream:
        stream.write(lines)
        stream.seek(0)
        monkeypatch.setattr("sys.stdin", stream)
        assert main(["resolve"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {one["id"]: one["cluster"] for one in told if "id" in one} == dict(found.clusters)


def test_nobody_is_nobody() -> None:
    assert dict(graphdream.resolve([]).clusters) == {}
    assert dict(graphdream.resolve([], best_f1=True).clusters) == {}


WRONG: dict[str, Callable[[], Any]] = {
    "no list": lambda: graphdream.resolve(5),  # type: ignore[arg-type]
    "a text": lambda: graphdream.resolve("abc"),  # type: ignore[arg-type]
    "one object": lambda: graphdream.resolve({"id": 1}),  # type: ignore[arg-type]
    "no object": lambda: graphdream.resolve([5]),  # type: ignore[list-item]
    "no id": lambda: graphdream.resolve([{"name": "Ilse"}]),
    "one id twice": lambda: graphdream.resolve([{"id": 1, "name": "a"}, {"id": "1", "name": "b"}]),
    "no share": lambda: graphdream.resolve([], max_false_merge_rate=2),
    "a share and none": lambda: graphdream.resolve([], max_false_merge_rate=0.1, best_f1=True),
    "no labels": lambda: graphdream.calibrate([]),
    "one path": lambda: graphdream.calibrate("labels.jsonl"),
    "no path": lambda: graphdream.calibrate([5]),  # type: ignore[list-item]
    "a share of nothing": lambda: graphdream.calibrate([], max_false_merge_rate=0),
    "no database": lambda: graphdream.doctor(5),  # type: ignore[arg-type]
    "no agent": lambda: graphdream.doctor(agent=5),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG.keys())
def test_what_is_given_wrongly_is_told_as_that(call: Callable[[], Any]) -> None:
    with pytest.raises(UsageError):
        call()


def test_a_threshold_is_solved_on_labels_and_says_what_it_rests_on(tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    rows = [{**one, "cluster": "ilse" if one["name"] != "Tram depot" else "depot"} for one in ENTITIES]
    labels.write_text("\n".join(json.dumps(row) for row in rows))
    solved = graphdream.calibrate([labels], max_false_merge_rate=0.01)
    assert (solved.merged, solved.wrong, solved.sets) == (1, 0, ("labels.jsonl",))
    with pytest.raises(NotFoundError, match=r"nowhere\.jsonl"):
        graphdream.calibrate([labels, tmp_path / "nowhere.jsonl"])
    labels.write_text('{"id": 1')
    with pytest.raises(ImportRefusedError, match="cannot be read"):
        graphdream.calibrate([labels])


def test_the_doctor_says_what_the_command_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "memory.db"
    assert "database" in {one.check for one in graphdream.doctor(path)} and not path.exists()
    graphdream.open(path).close()
    capsys.readouterr()
    main(["doctor", "--db", str(path), "--json"])
    told = json.loads(capsys.readouterr().out)
    found = graphdream.doctor(str(path))
    assert [one.check for one in found] == [one["check"] for one in told]
    assert {one.state for one in found} <= {"ok", "note", "fault"}


def test_a_schema_is_mended_and_the_file_as_it_was_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    graphdream.open(path).close()
    assert graphdream.mend_schema(path) == (None, ())
    with shell(path) as connection:
        connection.execute("CREATE TABLE planted (id INTEGER)")
    mended = graphdream.mend_schema(path)
    assert mended.backup is not None and mended.backup.is_file() and any("planted" in line for line in mended.done)
