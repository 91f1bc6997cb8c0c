"""`dream`, `demo` and `doctor` at the command line."""

from __future__ import annotations

import io
import itertools
import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from graphdream.dream.lease import hold
from graphdream.dream.report import DreamReport
from graphdream.graph.store import Store
from graphdream.interfaces.cli import demo, main
from graphdream.interfaces.cli.dream import printable_report
from graphdream.interfaces.importers import import_lines
from graphdream.interfaces.output import width_of
from graphdream.interfaces.overview_text import WIDTH
from graphdream.journal.overview import GROUPS
from graphdream.journal.told import told_pass
from tests.laws.cuts import cut, entities_of
from tests.support.graphs import apply, dump, entity

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def imported(fixtures: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighty entities of the demo's graph, as pass 1, to be copied."""
    path, source = tmp_path_factory.mktemp("imported") / "memory.db", fixtures / "small.jsonl.gz"
    with Store.open(path) as store:
        import_lines(store, cut(source, entities_of(source)[:80]), source=source.name)
    return path


@pytest.fixture
def path(imported: Path, tmp_path: Path) -> Path:
    """A copy of one's own."""
    return Path(shutil.copy(imported, tmp_path / "memory.db"))


@pytest.fixture
def call(path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command; its text, or what its JSON says."""

    def called(*words: str, code: int = 0, json_out: bool = False, db: Path = path) -> Any:
        capsys.readouterr()
        found = main([*words, "--db", str(db), *(["--json"] if json_out else [])])
        out, err = capsys.readouterr()
        assert found == code, err
        return json.loads(out) if json_out else out + err

    return called


def state(path: Path) -> object:
    with Store.open(path) as store:
        return dump(store)


def test_a_compaction_says_what_it_did_and_the_next_that_nothing_is_left(path: Path, call: Call) -> None:
    before = state(path)
    foreseen = call("dream", "--compact", "--dry-run", json_out=True)
    assert foreseen["status"] == "dry-run" and foreseen["pass"] is None and foreseen["changes"]
    assert state(path) == before
    done = call("dream", "--compact", json_out=True)
    assert (done["status"], done["pass"], done["mode"]) == ("applied", 2, "compact")
    assert done["counts"]["applied"] == foreseen["counts"]["applied"] > 0
    assert done["figures"]["recall_after"] >= done["figures"]["recall_before"]
    assert call("dream", "--compact", "--loss-cap", "1") and "nothing to do" in call(
        "dream", "--compact", "--loss-cap", "1"
    )
    assert call("verify", json_out=True)["ok"]
    call("undo", "2", "--cascade")
    assert state(path) == before


def test_a_first_pass_goes_through_the_whole_graph_and_is_told_in_words(call: Call) -> None:
    told = call("dream")
    assert told.startswith("pass 2 (compact, ") and "graphdream undo 2" in told


def test_dreaming_an_empty_memory_is_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["dream"], ["dream", "--compact"]):
        assert main(words) == 0 and "nothing to do" in capsys.readouterr().out
    assert main(["passes", "--json"]) == 0 and json.loads(capsys.readouterr().out) == []


def test_if_due_runs_only_what_is_due(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dream", "--if-due", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"status": "not due"}


def test_while_another_dreams_the_answer_is_busy(path: Path, call: Call) -> None:
    with Store.open(path) as other, hold(other):
        told = call("dream", "--compact", code=5)
    assert "another pass holds the dream lease" in told


def test_a_wrong_setting_is_named_and_nothing_is_dreamt(
    path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHDREAM_DREAMING__LOSS_CAP", "a third")
    before = state(path)
    assert "LOSS_CAP" in call("dream", "--compact", code=2).upper()
    assert state(path) == before


def test_the_doctor_says_what_is_there(call: Call, tmp_path: Path) -> None:
    checks = {item["check"]: item for item in call("doctor", json_out=True)}
    assert checks["graph"]["words"].startswith("80 entities") and checks["pages"]["state"] == "ok"
    assert "does not exist yet" in call("doctor", db=tmp_path / "missing.db")
    assert not (tmp_path / "missing.db").exists()


@pytest.fixture(scope="module")
def kept_demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What the demo tells, and the file that it kept."""
    kept, told = tmp_path_factory.mktemp("demo") / "demo.db", io.StringIO()
    with redirect_stdout(told):
        assert main(["demo", "--keep", str(kept)]) == 0
    return told.getvalue(), kept


def test_the_demo_ends_well(kept_demo: tuple[str, Path], call: Call) -> None:
    told, kept = kept_demo
    assert "exactly what was imported" in told and "nothing to do" in told and "anchor agree" in told
    assert [record["kind"] for record in call("passes", json_out=True, db=kept)][:3] == ["import", "dream", "undo"]


def test_a_demo_that_is_not_kept_leaves_nothing(
    call: Call, tmp_path: Path, fixtures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, part = fixtures / "small.jsonl.gz", tmp_path / "part.jsonl"
    part.write_text(
        "".join(json.dumps(line) + "\n" for line in cut(source, entities_of(source)[:40])), encoding="utf-8"
    )
    monkeypatch.setattr(demo, "demo_graph", lambda: part)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    told = call("demo")
    assert "1. Import a bloated graph (part.jsonl)" in told and "exactly what was imported" in told
    assert list(scratch.iterdir()) == []


def test_a_pass_is_told_at_a_glance_by_every_command_that_shows_one(call: Call) -> None:
    """Counts by kind first, ten of each at most, within a page's width, then how to see all."""
    foreseen = call("dream", "--compact", "--dry-run")
    assert foreseen.startswith("dry run, nothing was changed (compact, ")
    call("dream", "--compact")
    for told in (foreseen, call("show", "2"), call("diff", "2")):
        assert "entities merged, " in told.splitlines()[0] + told.splitlines()[1] and "Entities merged: " in told
        assert all(width_of(line) <= 100 for line in told.splitlines()), told
        blocks = told.split("\n")
        longest = max(
            sum(1 for _ in group) for deep, group in itertools.groupby(line[:4] == "    " for line in blocks) if deep
        )
        assert longest <= 16
    assert "graphdream show 2 --all" in call("show", "2") and "merge_entities" in call("show", "2", "--all")
    assert "graphdream diff 2 --all" in call("diff", "2") and len(call("diff", "2", "--all")) > len(call("diff", "2"))


def test_a_pass_that_has_something_of_every_kind_and_figures_is_told_within_a_page(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line of options for each kind, and that of what was measured, ran on beyond it."""
    db = tmp_path / "own.db"
    with Store.open(db) as store:
        people = [entity(name, general=[f"{name} runs", f"{name} swims"]) for name in ("Ada", "Bo", "Cy", "Di", "Em")]
        apply(store, people)
        apply(
            store,
            [
                {"op": "merge_entities", "source": ["e2"], "target": "e1"},
                {"op": "supersede_attribute", "old": "a5", "new": "a6"},
                {"op": "flag_contradiction", "first": "a7", "second": "a8"},
                {"op": "merge_attributes", "source": ["a2"], "target": "a1"},
                {"op": "delete_entity", "name": "e5", "reason": "nobody"}, entity("Flo"),
                {"op": "rename_entity", "entity": "e3", "name": "Cyd"},
            ],
            actor="host",
        )  # fmt: skip
    figures = {f"tokens_of_the_plan_{number}": 10**number for number in range(12)} | {"open_pairs": [{"a": 1}] * 3}

    def with_figures(*found: Any) -> dict[str, Any]:
        record = told_pass(*found)
        return {**record, "counts": {**record["counts"], "figures": figures}}

    monkeypatch.setattr("graphdream.interfaces.cli.journal.told_pass", with_figures)
    told, whole = call("show", "2", db=db).splitlines(), call("show", "2", "--all", db=db)
    start = next(at for at, line in enumerate(told) if line.startswith("every one of a kind: "))
    assert all(f"--{group}" in " ".join(told[start:]) for group in GROUPS if group != "taken-out")
    assert all(width_of(line) <= 100 for line in told), told
    block = whole[whole.index("\nfigures") + 1 :].split("\ngraph ")[0].splitlines()
    assert (
        len(block) > 2
        and all(width_of(line) <= 100 for line in block)
        and "open pairs 3" in " ".join(" ".join(block).split())
    )


def test_what_is_left_held_or_asked_about_is_told_within_a_page() -> None:
    name = "the Honourable Society of Keepers of the Lighthouses of the Seven Northern Isles"
    pair = {"first": "e1", "second": "e12345", "first_name": name, "second_name": f"{name} (dissolved)",
            "probability": 0.62}  # fmt: skip
    for status in ("nothing", "refused"):
        report = DreamReport(
            status=status, mode="compact", pass_id=2, summary="probe recall fell " * 12, seconds=1.0,
            figures={"open_pairs": [pair]}, left=("parts of the graph that were not shown: " + "e1, " * 40,),
            held="12,345 changes and 1,234 sessions taken back by a person, left alone; graphdream dream --again does",
        )  # fmt: skip
        lines = printable_report(report, None).splitlines()
        assert all(width_of(line) <= WIDTH for line in lines), lines
        assert any("e12345" in line and "62%" in line for line in lines)


def test_the_last_pass_keeps_its_mode_where_a_later_look_found_nothing(call: Call) -> None:
    """`status` called an incremental pass compact, because a compaction after it had found nothing to do."""
    call("dream", "--compact")
    call("dream", "--incremental")
    while not call("dream", "--compact").startswith("nothing to do"):
        call("dream", "--incremental")
    last = call("status", json_out=True)["last_pass"]
    modes = {record["id"]: record["mode"] for record in call("passes", json_out=True)}
    assert last["mode"] == modes[last["id"]]
    assert f"{last['id']} ({last['mode']})" in call("status")


def test_the_demo_fits_on_one_screen(kept_demo: tuple[str, Path]) -> None:
    told = kept_demo[0].splitlines()
    assert len(told) <= 40
    assert all(width_of(line) <= 100 for line in told)


def test_a_first_dream_that_found_nothing_to_do_is_told_as_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*words: str) -> str:
        assert main([*words, "--db", str(tmp_path / "memory.db")]) == 0
        return " ".join(capsys.readouterr().out.split())

    told("remember", "The boat is blue", "--wait")
    assert "last pass never" in told("status") and "open first-run" in told("status")
    assert "nothing to do" in told("dream")
    status = told("status")
    assert "first-run the first look found nothing to do" in status and "the first pass was made" not in status
    assert "last pass none yet: nothing was to do" in status and "last checked 20" in status
    assert "the last dream found nothing to do at" in told("doctor")


def test_a_dream_that_read_sessions_and_kept_nothing_of_them_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*words: str) -> str:
        assert main([*words, "--db", str(tmp_path / "memory.db")]) == 0
        return capsys.readouterr().out

    said = [("user", "hi there, how are you?"), ("assistant", "I am fine, thanks!")]
    for session in ("s1", "s2"):
        turns = [{"kind": "turn", "session": session, "role": role, "content": text} for role, text in said]
        (tmp_path / "turns.jsonl").write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
        told("observe", str(tmp_path / "turns.jsonl"))
    would = told("dream", "--dry-run")
    assert "2 sessions read, nothing in them to keep" in would
    dreamt = told("dream")
    assert "2 sessions read, nothing in them to keep" in dreamt and "no change" not in dreamt
    for words in (["show", "1"], ["passes"]):
        assert "2 sessions read, nothing in them to keep" in told(*words), words
    assert "nothing to do" in told("dream"), "they count as read"
    assert json.loads(told("status", "--json"))["unread"]["sessions"] == 0
