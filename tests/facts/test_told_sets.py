"""Memories in which much holds beside: what is drawn from a word pack, and what a history of notes tells."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphdream.facts.labelled import OF_FEW, read_labelled
from graphdream.facts.labelledsets import LabelledFacts

ROOT = Path(__file__).parents[2]
PACKS = sorted(ROOT.joinpath("fixtures", "both_hold").glob("*.toml"))
Row = dict[str, Any]


def _run(tool: str, *args: object) -> None:
    subprocess.run([sys.executable, ROOT / "tools" / tool, *map(str, args)], check=True)


def _rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _write(path: Path, rows: Sequence[Row]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def _drawn(tmp_path: Path, pack: Path, *options: object) -> tuple[list[Row], Mapping[str, Row]]:
    out = tmp_path / "told.jsonl.gz"
    _run("both_hold.py", pack, out, *options)
    truth = _rows(tmp_path / "told.gold.jsonl.gz")
    return _rows(out), {row["id"]: row for row in truth if "id" in row}


@pytest.mark.parametrize("pack", PACKS, ids=lambda path: path.stem)
def test_a_pack_names_what_it_has(pack: Path):
    found = tomllib.loads(pack.read_text(encoding="utf-8"))
    for relation in found["relations"]:
        own = "about" not in relation
        assert own or relation["about"] in found["sorts"]
        assert relation["value"] in found["values"] and set(relation["circumstances"]) <= set(found["circumstances"])
        about, besides = ("e", "e") if own else ("s", "st")
        for key, letters in {"forms": about + "v", "changed": about + "uv", "part": about + "uvc"}.items():
            assert relation[key]
            for form in relation[key]:
                assert set(re.findall(r"\{(.*?)\}", form)) <= set(letters), form
        for form in relation.get("other", []):
            assert set(re.findall(r"\{(.*?)\}", form)) <= set(besides + "uv"), form


@pytest.mark.parametrize("pack", PACKS, ids=lambda path: path.stem)
def test_what_replaced_something_is_told_after_it(tmp_path: Path, pack: Path):
    rows, truth = _drawn(tmp_path, pack, "--entities", 60)
    told: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "attribute":
            told[truth[row["id"]]["fact"]].append(row["created_at"])
    over = [row for row in truth.values() if row["kind"] == "fact" and row["superseded_by"]]
    assert len(over) >= 20
    for fact in over:
        assert max(told[fact["id"]]) < min(told[fact["superseded_by"]])
        assert truth[fact["superseded_by"]]["relation"] == fact["relation"]


@pytest.mark.parametrize("pack", [path for path in PACKS if path.stem.startswith("own-")], ids=lambda path: path.stem)
def test_what_is_told_of_an_entity_itself_is_told_of_no_neighbour(tmp_path: Path, pack: Path):
    """What has one answer has one at a time, but for what is narrowed or said of something else."""
    _, truth = _drawn(tmp_path, pack, "--entities", 60)
    several = {
        at for at, one in enumerate(tomllib.loads(pack.read_text(encoding="utf-8"))["relations"]) if one.get("several")
    }
    current = [row for row in truth.values() if row["kind"] == "fact" and not row["superseded_by"]]
    plain = [row for row in current if re.fullmatch(r"\d+ ", row["relation"])]
    asked = [(row["cluster"], row["relation"]) for row in plain if int(row["relation"]) not in several]
    assert len(asked) == len(set(asked)) >= 60


def test_a_memory_is_drawn_anew_by_its_seed(tmp_path: Path):
    one, again, other = (_drawn(tmp_path, PACKS[0], "--entities", 9, "--seed", seed)[0] for seed in (1, 1, 2))
    assert one == again != other


def test_few_questions_make_small_memories_and_memories_of_few_tellings_smaller_ones(tmp_path: Path):
    def tellings(*options: object) -> int:
        return sum(row["kind"] == "attribute" for row in _drawn(tmp_path, PACKS[0], "--entities", 60, *options)[0])

    assert tellings() > 1.5 * tellings("--questions", 0.5)
    sets = {one.name: one for one in read_labelled(tmp_path / "told.jsonl.gz")}
    few = sets[f"told{OF_FEW}"]
    assert len(few.memories) > 100
    for memory in few.memories:
        told = [fact for statement in memory.evidence.said for fact in statement.facts]
        assert 2 <= len(told) <= 8 and len({fact.entity for fact in told}) == 1
    assert {0.0, 1.0} <= _labels(few, "replaces")


def _memory(*told: tuple[str, str, str | None]) -> tuple[list[Row], list[Row]]:
    """A memory of one entity and its truth: each (text, fact, what it may say besides), told a month apart."""
    meta = {"kind": "meta", "format": "graphdream-bloat/1", "vocab": "crates"}
    day = "2025-{:02d}-01T10:00:00Z"
    rows: list[Row] = [
        meta,
        {
            "kind": "entity",
            "id": "e",
            "name": "Quayside",
            "type": "place",
            "pinned": False,
            "created_at": day.format(1),
        },
        {"kind": "aspect", "id": "a", "entity_id": "e", "name": "notes", "created_at": day.format(1)},
    ]
    truth: list[Row] = [
        {"kind": "gold_meta"},
        {"kind": "cluster", "id": "c", "name": "Quayside"},
        {"kind": "entity", "id": "e", "label": "real", "cluster": "c"},
    ]
    for at, (text, fact, also) in enumerate(told):
        row = {"kind": "attribute", "id": f"r{at}", "entity_id": "e", "aspect_id": "a", "content": text}
        row.update(attribute_kind="attribute", status="active", confidence=0.8, created_at=day.format(at + 1))
        rows.append({**row, "session_id": f"s{at}", "source": "extraction"})
        truth.append(
            {"kind": "attribute", "id": f"r{at}", "gold": "told", "fact": fact, "also": also, "complete": True}
        )
        known = {"kind": "fact", "id": fact, "cluster": "c", "relation": fact, "status": "current"}
        truth.append({**known, "superseded_by": None, "episodic": False})
    return rows, truth


def _labels(whole: LabelledFacts, question: str) -> set[float | None]:
    return {None if np.isnan(one) else float(one) for one in whole.asked[question].truth}


@pytest.mark.parametrize(("also", "same"), [("one", {0.0, None}), (None, {0.0})])
def test_nobody_knows_whether_what_is_said_besides_is_said(tmp_path: Path, also: str | None, same: set[float | None]):
    told = ("crate 4 weighs 12 kilos", "one", None), ("crate 7 weighs 30 kilos, crate 4 12 kilos", "two", also)
    for name, rows in zip(("q.jsonl.gz", "q.gold.jsonl.gz"), _memory(*told), strict=True):
        _write(tmp_path / name, rows)
    whole = read_labelled(tmp_path / "q.jsonl.gz")[0]
    assert _labels(whole, "same") == same and _labels(whole, "replaces") == {0.0}


def test_a_history_tells_what_holds_what_was_edited_and_nothing_of_the_rest(tmp_path: Path):
    lines = {"stays": "crate 4 weighs 12 kilos", "old": "crate 7 weighs 30 kilos", "new": "crate 7 weighs 31 kilos"}
    lines |= {"went": "crate 9 weighs 8 kilos", "twice": "Crate 4 weighs 12 kilos"}
    when = {key: f"2025-0{at + 1}-01T10:00:00Z" for at, key in enumerate(lines)}
    rows: list[Row] = [
        {"kind": "entity", "id": "e", "name": "NOTES.md", "type": "project"},
        {"kind": "aspect", "id": "a", "entity_id": "e", "name": "Crates > Weights"},
    ]
    rows += [
        {"kind": "attribute", "id": key, "entity_id": "e", "aspect_id": "a", "content": text, "created_at": when[key]}
        for key, text in lines.items()
    ]
    history = {"repo": "x/y", "current": ["stays", "new"], "spans": {}}
    history["updates"] = [{"old": "old", "new": "new", "kind": "value_change", "chain": ["new"], "step": 2}]
    _write(tmp_path / "h.jsonl.gz", rows)
    tmp_path.joinpath("h.gold.json").write_text(json.dumps(history), encoding="utf-8")
    _run("told_history.py", tmp_path / "h.jsonl.gz", tmp_path / "told.jsonl.gz")
    truth = {row["id"]: row for row in _rows(tmp_path / "told.gold.jsonl.gz") if "id" in row}
    fact = {key: truth[key]["fact"] for key in lines}
    assert fact["stays"] == fact["twice"] and fact["went"] is None
    assert truth[fact["old"]]["superseded_by"] == fact["new"] and truth[fact["new"]]["superseded_by"] is None
    whole = read_labelled(tmp_path / "told.jsonl.gz")[0]
    assert _labels(whole, "same") == {None} and _labels(whole, "replaces") == {0.0, 1.0, None}
