"""What commands tell of passes, plans, cycles, events and notes is looked at first: what was forged is left out, and named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import graphdream
from graphdream.dream.scheduler import Scheduler
from graphdream.errors import IntegrityError
from graphdream.interfaces.cli import main
from tests.support.alltables import MERGED, PLAN
from tests.support.attacks import shell

FORGED = "mallory"


def forge(path: Path, sql: str) -> None:
    with shell(path) as c:
        assert c.execute(sql.replace("FORGED", FORGED)).rowcount


PASS = f"UPDATE pass SET kind = 'FORGED', summary = 'FORGED', trigger = 'FORGED', cost = 99887 WHERE id = {MERGED}"
BODY = f"UPDATE mutation SET body = replace(body, 'Ines', 'FORGED') WHERE pass_id = {MERGED}"
ITEM = "UPDATE planned SET body = replace(body, '{', '{\"reason\": \"FORGED\", '), foreseen = 'FORGED'"
LOG = "UPDATE cycle_log SET summary = 'FORGED', trigger = 'FORGED'"
PART = "UPDATE cycle_pass SET last_error = 'FORGED', failures = 3, last_failure_at = '2026-01-01T00:00:00Z'"
STATE = (
    "UPDATE dream_state SET last_error = 'FORGED', consecutive_failures = 9, last_failure_at = '2026-01-01T00:00:00Z'"
)
TALK = "UPDATE exchange SET messages = replace(messages, 'Nothing', 'FORGED'), what = 'FORGED', model = 'FORGED', cost = 99887"
EVENT = 'UPDATE observed SET name = \'FORGED\', body = \'{"domain": "FORGED", "content": "FORGED"}\''
SAID = "UPDATE recall_feedback SET note = 'FORGED', session_key = 'FORGED'"
NOTE = "UPDATE working_memory SET value = 'FORGED'"
PAIR = "UPDATE contradiction SET first_id = 1"
NAME = "UPDATE alias SET name = 'FORGED is the boss'"
HELD_APART = "UPDATE distinct_pair SET second_id = 2"


@pytest.mark.parametrize(
    ("sql", "words", "named"),
    [
        (PASS, "passes", f"pass {MERGED}"),
        (PASS, f"show {MERGED}", f"pass {MERGED}"),
        (PASS, f"show {MERGED} --all", f"pass {MERGED}"),
        (PASS, f"show {MERGED} --cost", f"pass {MERGED}"),
        (PASS, "status", f"pass {MERGED}"),
        (BODY, f"show {MERGED} --all", f"pass {MERGED}"),
        (BODY, f"show {MERGED} --not-applied", f"pass {MERGED}"),
        (PASS.replace(f"id = {MERGED}", "id > 9"), "introspect", "pass 13"),
        (ITEM, "plan list", f"plan {PLAN}"),
        (PASS.replace(f"id = {MERGED}", f"id = {PLAN}"), "plan list", f"pass {PLAN}"),
        (LOG, "log", "cycle_log 1"),
        (PART, "cycle --list", "the standing of "),
        (PART, "introspect", "the standing of "),
        (STATE, "status", "dream_state 1"),
        (STATE, "introspect", "dream_state 1"),
        (TALK, "show 13 --transcript", "exchange 1"),
        (TALK, "show 13 --cost", "exchange 1"),
        (TALK, "status", "exchange 2"),
        (EVENT, "skills list", "observed 2"),
        (EVENT, "self", "observed 2"),
        (EVENT, "introspect", "observed 2"),
        (EVENT, "feedback", "observed 1"),
        (SAID, "feedback", "recall_feedback 1"),
        (NOTE, "working list --namespace session/s1", "session/s1/plan"),
        (PAIR, "introspect", "contradiction 1"),
    ],
)
def test_what_was_forged_is_not_told_but_named(
    sql: str, words: str, named: str, memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for form in ([], ["--json"]):
        command = [*words.split(), *form, "--db", str(memory)]
        assert main(command) == 0
        before = capsys.readouterr()
        assert "left out" not in before.err
    forge(memory, sql)
    for form in ([], ["--json"]):
        assert main([*words.split(), *form, "--db", str(memory)]) == 0
        told = capsys.readouterr()
        assert FORGED not in told.out.casefold() and "99887" not in told.out
        assert "left out, not being as it was sealed: " in told.err and named in told.err
    assert "a1 and" not in told.out


@pytest.mark.parametrize("words", ["show 10", "show 10 --all"])
@pytest.mark.parametrize(
    ("sql", "named"), [(PAIR, "contradiction 1"), (NAME, "alias 2"), (HELD_APART, "distinct_pair 1")]
)
def test_a_name_or_a_pair_that_was_forged_is_no_example_of_a_pass(
    sql: str, named: str, words: str, memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forge(memory, sql)
    assert main([*words.split(), "--db", str(memory)]) == 0
    told = capsys.readouterr()
    assert FORGED not in told.out
    assert f"left out, not being as it was sealed: {named}" in told.err


@pytest.mark.parametrize("sql", ["UPDATE pass SET status = 'planned'", "UPDATE pass SET last_change = 0"])
def test_a_pass_that_was_forged_makes_no_part_of_the_cycle_due_unnoticed(
    sql: str, memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(memory)]
    assert main(["cycle", "--list", *db]) == 0
    assert capsys.readouterr().err == ""
    forge(memory, f"{sql} WHERE id = 13")
    assert main(["cycle", "--list", *db]) == 0
    assert "left out, not being as it was sealed: pass 13" in capsys.readouterr().err
    for words in (["cycle", "--dry-run"], ["cycle"]):
        assert main([*words, *db]) == 1
        assert "pass 13" in capsys.readouterr().err
    assert main(["cycle", "--accept-damage", *db]) == 0


@pytest.mark.parametrize("words", [f"plan show {PLAN}", f"plan show {PLAN} --clusters", f"plan approve {PLAN} 0"])
@pytest.mark.parametrize("sql", [ITEM, PASS.replace(f"id = {MERGED}", f"id = {PLAN}")], ids=["items", "pass"])
def test_a_plan_that_was_forged_is_not_shown(
    words: str, sql: str, memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forge(memory, sql)
    assert main([*words.split(), "--db", str(memory)]) == 1
    told = capsys.readouterr()
    assert FORGED not in told.out and f"plan {PLAN} is not the one that was made" in told.err


def test_a_pass_that_was_forged_keeps_its_place_in_the_library(memory: Path) -> None:
    with graphdream.open(memory) as graph:
        before = graph.passes()
        forge(memory, PASS)
        after = graph.passes()
        assert [one.id for one in after] == [one.id for one in before]
        assert [one for one in after if one.id != MERGED] == [one for one in before if one.id != MERGED]
        (marked,) = [one for one in after if one.id == MERGED]
        assert (marked.kind, marked.summary, marked.cost) == ("", "", None)
        assert marked.error == "not as it was sealed: nothing of it is told"
        assert graph.pass_record(MERGED) == marked and graph.mutations(MERGED) == []
        assert f"pass {MERGED}" in graph.store.seal.left_out


def test_figures_of_cost_count_nothing_that_was_forged(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--json", "--db", str(memory)]) == 0
    assert json.loads(capsys.readouterr().out)["cost"] == {"usd": 0.02, "tokens": 50, "passes_without_a_price": 0}
    forge(memory, "UPDATE exchange SET cost = 7, tokens_in = 1000 WHERE id = 1")
    forge(memory, PASS)
    assert main(["status", "--json", "--db", str(memory)]) == 0
    assert json.loads(capsys.readouterr().out)["cost"] == {"usd": 0.01, "tokens": 25, "passes_without_a_price": 0}


@pytest.mark.parametrize("at", [[], ["--at", "11"]], ids=["now", "then"])
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE session SET started_at = '2020-01-01T00:00:00Z' WHERE key = 's1'",
        "UPDATE summary SET content = 'FORGED' WHERE id = 1",
        "UPDATE turn SET content = 'FORGED'",
        "UPDATE observation SET speaker = 'FORGED'",
        "DELETE FROM turn",
        "UPDATE turn SET session_id = 2",
    ],
)
def test_no_event_that_was_forged_is_exported(
    sql: str, at: list[str], memory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "graph.jsonl"
    words = ["export", "--out", str(out), *at, "--db", str(memory)]
    assert main([*words, "--force"]) == 0
    out.unlink()
    forge(memory, sql)
    assert main(words) == 1
    assert "not as it was sealed" in capsys.readouterr().err and not out.exists()
    assert main([*words, "--accept-damage"]) == 0
    assert '"kind":"seal"' not in out.read_text()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE schedule SET retry_at = '2099-01-01T00:00:00.000Z', failures = 1",
        "UPDATE schedule SET last_cycle_at = '2026-01-01T00:00:00.000Z'",
    ],
)
def test_a_schedule_that_was_forged_ends_the_service_that_would_wait_by_it(memory: Path, sql: str) -> None:
    with graphdream.open(memory) as graph:
        scheduler = Scheduler(graph, tell=lambda line: None)
        assert scheduler.tick() != 0.0
        forge(memory, sql)
        with pytest.raises(IntegrityError, match="schedule 1 was changed behind graphdream's back"):
            scheduler.tick()


def test_the_service_looks_at_the_file_whenever_it_looks_whether_a_cycle_is_due(memory: Path) -> None:
    with graphdream.open(memory) as graph:
        scheduler = Scheduler(graph, tell=lambda line: None)
        scheduler.tick()
        forge(memory, "DELETE FROM turn WHERE id = (SELECT max(id) FROM turn)")
        with pytest.raises(IntegrityError, match="the last row of turn"):
            scheduler.tick()


def test_a_service_on_a_schedule_that_was_forged_ends_with_1(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forge(memory, "UPDATE schedule SET retry_at = '2099-01-01T00:00:00.000Z', failures = 1")
    assert main(["serve", "--no-http", "--cycles", "1", "--db", str(memory)]) == 1
    assert "schedule 1 was changed behind graphdream's back" in capsys.readouterr().err
