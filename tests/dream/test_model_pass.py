"""A pass with a model, through a scripted one: what it is shown, what it may do, what is kept, what the next pass reads."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream.config import Settings
from graphdream.dream.estimate import estimate
from graphdream.dream.exchanges import cost_sheet, exchanges_of
from graphdream.dream.opening import Uncalled, Wish, open_hybrid
from graphdream.dream.runner import PassOptions, dream
from graphdream.dream.state import read_state
from graphdream.dream.trigger import gates
from graphdream.dreamers.client.base import Message
from graphdream.dreamers.client.errors import BudgetError, ProviderError
from graphdream.dreamers.client.ledger import Ledger
from graphdream.dreamers.client.ledgered import LedgeredClient
from graphdream.dreamers.client.retrying import RetryPolicy
from graphdream.dreamers.model import RefusedError
from graphdream.events.counter import backlog
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.journal.passes import get_pass, list_passes, mutations_of
from graphdream.journal.undo import undo
from graphdream.journal.verify import verify
from tests.support.graphs import apply, clock, entity, facts_of
from tests.support.models import ScriptedClient, said

COMPACT = PassOptions(mode="compact", loss_cap=1.0)
NEW = PassOptions(mode="incremental", loss_cap=1.0)
NEW_WITH_CAP = PassOptions(mode="incremental", loss_cap=0.0)
TEA = {
    "op": "create_attribute", "entity": "Ada Lovelace", "aspect": "preferences", "content": "Ada likes green tea",
    "session": "s1", "quote": "She likes green tea",
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Ada Lovelace (e1), and two projects that only facts can tell apart."""
    with Store.open(tmp_path / "memory.db") as store:
        apply(
            store,
            [
                entity("Ada Lovelace", general=["Ada Lovelace lives in London since 2021"]),
                entity("Orion pipeline", "project", general=["Orion pipeline renders film frames for the studio"]),
                entity("Orion", "project", general=["Orion renders film frames at night"]),
            ],
        )
        yield store


def run(store: Store, client: Any, options: PassOptions = NEW, **wish: Any) -> Any:
    dreamer = open_hybrid(store, client, Wish("scripted/model", 0.005, **wish), Settings(), None, clock=clock)
    return dream(store, dreamer, options, clock=clock)


def tell(store: Store, key: str = "s1", text: str = "Ada Lovelace came by. She likes green tea.") -> None:
    record(store, key, summary=text, started_at="2026-05-01T10:00:00Z", clock=clock)


def test_a_session_is_read_by_the_model_and_the_pass_says_what_it_took(store: Store) -> None:
    tell(store)
    client = ScriptedClient([said(TEA, summary="I noted the tea.")])
    report = run(store, client)
    assert (report.status, report.counts["applied"]) == ("applied", 1)
    assert "Ada likes green tea" in facts_of(store, "Ada Lovelace")
    assert "e1 Ada Lovelace" in client.prompt() and "She likes green tea." in client.prompt()
    assert backlog(store).summaries == 0
    row = get_pass(store.connection, report.pass_id)
    assert (row["dreamer"], row["model"], row["tokens_in"] > 1000, row["cost"]) == (
        "hybrid",
        "scripted/model",
        True,
        0.001,
    )
    assert len(row["directive_hash"]) == 32 and row["inputs"]["directive"] == "shipped"
    (exchange,) = exchanges_of(store.connection, report.pass_id)
    assert exchange.items == ((TEA, ""),) and exchange.usage.tokens_in == row["tokens_in"]
    assert verify(store).ok


def test_the_dream_is_a_session_that_the_next_one_reads(store: Store) -> None:
    tell(store)
    first = run(store, ScriptedClient([said(TEA, summary="Next time look at Orion first.")]))
    told = store.connection.execute("SELECT content FROM summary JOIN session ON session.id = session_id WHERE"
                                    " key = ?", (f"dream-{first.pass_id}",)).fetchone()[0]  # fmt: skip
    assert told.endswith("Next time look at Orion first.")
    tell(store, "s2", "Nothing much happened today, Ada Lovelace said.")
    second = ScriptedClient([said()])
    run(store, second)
    assert "your note: Next time look at Orion first." in second.prompt()
    assert "dream-" not in second.prompt().split("Your sessions since")[1]


def test_what_the_model_gets_wrong_is_told_to_it_before_anything_is_written(store: Store) -> None:
    tell(store)
    apply(store, [{"op": "create_attribute", "entity": "e1", "content": "Ada Lovelace has lived in London since 2020"}])
    lost = {"op": "merge_attributes", "source": ["a4"], "target": "a1", "content": "Ada Lovelace lives in London"}
    client = ScriptedClient([said(TEA, lost, {**TEA, "entity": "e99"}), said()])
    report = run(store, client)
    asked = client.sent[1][-1].content
    assert "mutations[1]" in asked and "mutations[2]" in asked and "mutations[0]" not in asked
    assert report.counts["applied"] == 1 and len(mutations_of(store.connection, report.pass_id)) == 3


def test_a_model_calls_nothing_by_what_nobody_said(store: Store) -> None:
    """Names, types and aspects that it made up were written, though facts were asked where they come from."""
    tell(store, text="Ada Lovelace hired Runa Fjeld. Runa Fjeld rents a studio on Havnegata.")
    invented = [
        {"op": "create_entity", "name": "Vantrex Holdings 3300", "type": "company"},
        {"op": "create_entity", "name": "Runa Fjeld", "type": "submarine 12"},
        {"op": "add_alias", "entity": "e1", "name": "Baron Blackwood"},
        {"op": "rename_entity", "entity": "e1", "name": "Ada Blackwood"},
        {"op": "retype_entity", "entity": "e1", "type": "pirate since 1790"},
        {"op": "link", "source": "e1", "target": "e2", "type": "bought 70 ships for"},
        {"op": "split_entity", "entity": "e1", "name": "Blackwood", "attributes": ["a1"]},
        {**TEA, "aspect": "palace with 300 rooms", "content": "Ada hired Runa Fjeld", "quote": "hired Runa Fjeld"},
    ]
    told = [
        {"op": "create_entity", "name": "Runa Fjeld", "type": "person", "aspects": [{"name": "housing", "attributes": [
            {"content": "rents a studio on Havnegata", "session": "s1", "quote": "rents a studio on Havnegata"}]}]},
        {"op": "create_entity", "name": "Havnegata", "type": "Street"},
        {"op": "add_alias", "entity": "Runa Fjeld", "name": "Runa"},
        {"op": "link", "source": "e1", "target": "Runa Fjeld", "type": "EMPLOYER_OF"},
        {"op": "rename_entity", "entity": "e1", "name": "A. Lovelace"},
    ]  # fmt: skip
    client = ScriptedClient([said(*invented, *told), said()])
    report = run(store, client)
    codes = [outcome.code for outcome in report.outcomes]
    assert (codes.count("grounding"), codes.count("ok")) == (len(invented), len(told)), report.outcomes
    asked = client.sent[1][-1].content
    assert "nothing that it rests on says 3300, holdings, vantrex" in asked, "the model may mend it"
    assert verify(store).ok


def test_a_session_beyond_the_budget_is_left_unread_and_said(store: Store) -> None:
    tell(store)
    tell(store, "s2", "It rained the whole day long. " * 3000)
    client = ScriptedClient([said(TEA)])
    report = run(store, client, budget_tokens=8_000)
    assert report.counts["applied"] == 1 and report.left
    assert [row[0] for row in store.connection.execute("SELECT key FROM session JOIN summary ON session_id = session.id"
                                                       " WHERE read_by IS NULL AND kind = 'session'")] == ["s2"]  # fmt: skip


def test_a_budget_that_is_too_small_for_a_first_call_is_an_error_before_it(store: Store) -> None:
    tell(store)
    client = ScriptedClient()
    with pytest.raises(BudgetError):
        run(store, client, budget_tokens=500)
    assert not client.sent and backlog(store).summaries == 1


def test_what_a_model_takes_away_on_reading_a_session_is_proved_and_capped_like_all_else(store: Store) -> None:
    tell(store)
    delete = {"op": "delete_attribute", "content": "a2"}
    report = run(store, ScriptedClient([said(delete, TEA), said()]), NEW_WITH_CAP)
    assert [proposal.body["op"] for proposal in report.proposals] == ["create_attribute", "delete_attribute"]
    assert [outcome.code for outcome in report.outcomes] == ["ok", "over_cap"]
    assert report.figures["probes"] >= 2


def test_a_refusal_fails_the_pass_and_what_was_spent_is_on_record(store: Store) -> None:
    tell(store)
    with pytest.raises(RefusedError):
        run(store, ScriptedClient(["I cannot help."], finish="refusal"))
    assert read_state(store.connection).consecutive_failures == 1
    failed = list_passes(store.connection)[-1]
    (exchange,) = exchanges_of(store.connection, failed["id"])
    assert (failed["status"], exchange.ended) == ("failed", "refused") and backlog(store).summaries == 1


def test_a_model_out_of_reach_changes_nothing(store: Store) -> None:
    tell(store)
    with pytest.raises(ProviderError):
        run(store, ScriptedClient([ProviderError("connection refused", retryable=True)]))
    assert backlog(store).summaries == 1 and verify(store).ok
    (exchange,) = exchanges_of(store.connection, list_passes(store.connection)[-1]["id"])
    assert (exchange.ended, exchange.summary) == ("failed", "connection refused")


@pytest.mark.parametrize(
    ("all_wrong", "told"),
    [(True, "and are not the same"), (False, "which was taken back: leave them as they are")],
)
def test_the_three_pass_story(store: Store, all_wrong: bool, told: str) -> None:
    """A merge is undone; the next dream reads that, is not asked about the pair again, and leaves it alone."""
    tell(store)
    merge = {"op": "merge_entities", "source": ["e3"], "target": "e2", "reason": "both are called Orion"}
    first = run(store, ScriptedClient([said(merge, summary="I made one of the two Orions.")]))
    assert first.counts["applied"] == 1
    undone = undo(store, first.pass_id, all_wrong=all_wrong, clock=clock)

    def reads_its_history(messages: Sequence[Message]) -> dict[str, Any]:
        history = "\n".join(message.content for message in messages)
        assert f"UNDONE by pass {undone.pass_id}" in history
        assert f"e2 Orion pipeline and e3 Orion were merged, {told}" in history
        assert "I made one of the two Orions." in history
        return said(TEA, summary="The two Orions stay apart.")

    tell(store, "s2", "Orion pipeline and Orion both rendered. Ada Lovelace likes green tea.")
    third = run(store, ScriptedClient(reads_its_history))
    assert "merge entities" not in third.summary
    names = {row[0] for row in store.connection.execute("SELECT name FROM entity WHERE status = 'active'")}
    assert {"Orion pipeline", "Orion"} <= names and verify(store).ok


def test_a_question_is_not_paid_for_twice(store: Store) -> None:
    apply(store, [{"op": "flag_contradiction", "first": "a2", "second": "a3"}])
    client = ScriptedClient(lambda _: said())
    run(store, client, COMPACT)
    assert "a2 or a3" in client.prompt() and len(client.sent) == 1
    run(store, client, COMPACT)
    assert len(client.sent) == 1
    dispositions = store.connection.execute("SELECT disposition FROM finding").fetchall()
    assert dispositions and all(row[0] == "declined" for row in dispositions)


def test_questions_beyond_the_bound_are_said_kept_on_record_and_asked_in_the_next_compaction(store: Store) -> None:
    apply(store, [entity(f"Person number {n}", general=[f"Person {n} has lived in {town}, by the sea, for years"
                         for town in ("Rome", "Bari")]) for n in range(40)])  # fmt: skip
    pairs = [(f"a{n}", f"a{n + 1}") for n in range(4, 84, 2)]
    apply(store, [{"op": "flag_contradiction", "first": first, "second": second} for first, second in pairs])
    asked = ""
    for budget in (7_500, None):
        client = ScriptedClient(lambda _: said())
        report = run(store, client, COMPACT, budget_tokens=budget)
        asked += "".join(client.prompt(number) for number in range(len(client.sent)))
        assert any("questions, the least promising" in line for line in report.left) == (budget is not None)
        kept = get_pass(store.connection, report.pass_id)["counts"]["figures"]
        assert (kept.get("questions_left", 0) > 0) == (budget is not None)
    assert [asked.count(f"{first} or {second}") for first, second in pairs] == [1] * len(pairs)


def test_a_question_that_comes_up_within_a_pass_is_asked_in_the_next(store: Store) -> None:
    run(store, ScriptedClient(lambda _: said()), COMPACT)
    tell(store, text="Orion pipelines were mentioned. Ada Lovelace said so.")
    new = {"op": "create_entity", "name": "Orion pipelines", "type": "project", "aspects": [
        {"name": "general", "attributes": [{"content": "Orion pipelines need a new disk", "session": "s1"}]}]}  # fmt: skip
    run(store, ScriptedClient([said(new)]))
    made = store.connection.execute("SELECT id FROM entity WHERE name = 'Orion pipelines'").fetchone()[0]
    deferred = [row[0] for row in store.connection.execute("SELECT kind FROM finding WHERE disposition = 'deferred'")]
    assert any(f"e{made}" in kind.split() for kind in deferred)
    tell(store, "s2", "Nothing happened, says Ada Lovelace.")
    client = ScriptedClient([said()])
    run(store, client)
    assert f"? e{made}" in client.prompt()
    left = [row[0] for row in store.connection.execute("SELECT kind FROM finding WHERE disposition = 'deferred'")]
    assert len(left) < len(deferred)


def test_an_estimate_asks_nobody_and_is_right_within_a_tenth(store: Store) -> None:
    tell(store, text="Ada Lovelace came by and told of her travels. " * 60)
    dreamer = open_hybrid(store, Uncalled("scripted/model", 144_000), Wish("m", 0.005), Settings(), None, clock=clock)
    foreseen = estimate(store, dreamer, mode="incremental", model="scripted/model", clock=clock)
    report = run(store, ScriptedClient([said(TEA)]))
    row = get_pass(store.connection, report.pass_id)
    spent = row["tokens_in"] + row["tokens_out"]
    assert foreseen.calls == 1 and abs(foreseen.tokens - spent) <= 0.1 * spent
    assert foreseen.figures["sessions"] == 1


@pytest.mark.parametrize("thorough", [False, True])
def test_an_estimate_of_a_compaction_is_right_within_a_tenth(store: Store, thorough: bool) -> None:
    apply(store, [entity(f"Person number {n}", general=[f"Person {n} has lived in {town}, by the sea, for years"
                         for town in ("Rome", "Bari")]) for n in range(40)])  # fmt: skip
    pairs = [(f"a{n}", f"a{n + 1}") for n in range(4, 84, 2)]
    apply(store, [{"op": "flag_contradiction", "first": first, "second": second} for first, second in pairs])
    wish = Wish("m", 0.005, None, thorough)
    dreamer = open_hybrid(store, Uncalled("scripted/model", 144_000), wish, Settings(), None, clock=clock)
    foreseen = estimate(store, dreamer, mode="compact", model="scripted/model", clock=clock)
    asked = re.compile(r"^(\d+): a\d+ or", re.MULTILINE)

    def every_other(messages: Sequence[Message]) -> dict[str, Any]:
        numbers = [int(number) for number in asked.findall(messages[-1].content)]
        return {"both": numbers[::2], **said(summary="I looked at every pair.")}

    client = ScriptedClient(every_other)
    report = run(store, client, COMPACT, thorough=thorough)
    row = get_pass(store.connection, report.pass_id)
    spent = row["tokens_in"] + row["tokens_out"]
    assert foreseen.calls == len(client.sent) == 1 and abs(foreseen.tokens - spent) <= 0.1 * spent


def test_a_thorough_walk_shows_every_entity_once_for_little_more_than_the_text(store: Store) -> None:
    apply(store, [entity(f"Person number {n}", general=[f"Person {n} has lived at {n} Hill Road"]) for n in range(60)])
    client = ScriptedClient(lambda _: said())
    run(store, client, COMPACT, thorough=True)
    shown = "".join(message.content for messages in client.sent for message in messages[2:])
    assert all(shown.count(f"e{n} Person number") == 1 for n in range(4, 64))


def test_a_cost_sheet_adds_up(store: Store) -> None:
    tell(store)
    report = run(store, ScriptedClient([said(TEA, {"op": "nonsense"}), said()]))
    sheet = cost_sheet(store.connection, report.pass_id, 1)
    assert (sheet["cost"], sheet["cost_per_applied"]) == (0.002, 0.002)
    assert sheet["calls"][0]["attempts"] == 2 and sheet["calls"][0]["faults"] == 1
    free = store.connection.execute("SELECT count(*) FROM exchange WHERE pass_id IS NULL").fetchone()[0]
    assert free == 0, "each conversation belongs to a pass"


def test_every_request_is_on_record_also_one_that_was_repeated(store: Store) -> None:
    """`attempts` of a conversation counts answers; what was sent for them is on the pass's own record."""
    tell(store, text="Ada likes tea. Her password is hunter2.")
    busy = ProviderError("busy", retryable=True)
    patient = RetryPolicy(sleep=lambda seconds: None)
    client = LedgeredClient(ScriptedClient([busy, said(TEA)]), Ledger(), retry=patient)
    report = run(store, client)
    first, second = cost_sheet(store.connection, report.pass_id, 1)["requests"]
    assert (first["what"], first["attempt"], first["error"], first["cost"]) == ("1 session", 1, "busy", 0.0)
    assert (second["attempt"], second["error"], second["model"]) == (2, "", "scripted/model")
    assert second["tokens_in"] > 1_000 and second["redacted"] == {"password": 1}


def test_a_pass_that_fails_keeps_what_was_sent_for_it(store: Store) -> None:
    tell(store)
    lost = ProviderError("timed out", retryable=True, maybe_billed=True)
    patient = RetryPolicy(attempts=2, sleep=lambda seconds: None)
    with pytest.raises(ProviderError):
        run(store, LedgeredClient(ScriptedClient([lost, lost]), Ledger(), retry=patient))
    sheet = cost_sheet(store.connection, list_passes(store.connection)[-1]["id"], 0)
    assert [(one["attempt"], one["error"]) for one in sheet["requests"]] == [(1, "timed out"), (2, "timed out")]
    assert sheet["tokens_in"] == sum(one["tokens_in"] for one in sheet["requests"]) > 2_000 and sheet["cost"] is None


def test_what_was_sent_before_the_budget_ended_is_on_record(store: Store) -> None:
    """The first request may be billed; the budget does not reach for it to be repeated."""
    tell(store)
    lost = ProviderError("timed out", retryable=True, maybe_billed=True)
    patient = RetryPolicy(sleep=lambda seconds: None)
    with pytest.raises(BudgetError):
        run(store, LedgeredClient(ScriptedClient([lost]), Ledger(6_000), retry=patient), budget_tokens=6_000)
    (request,) = cost_sheet(store.connection, list_passes(store.connection)[-1]["id"], 0)["requests"]
    assert request["error"] == "timed out" and backlog(store).summaries == 1


# ---------------------------------------------------------------------- interrupted

_INTERRUPTED = """
import os, signal, sqlite3, sys, time
from graphdream.config import Settings
from graphdream.dream.opening import Wish, open_hybrid
from graphdream.dream.runner import PassOptions, dream
from graphdream.graph.store import Store
from tests.support.graphs import clock
from tests.support.models import ScriptedClient, said

calls = []
def script(messages):
    calls.append(1)
    if len(calls) == 3:
        with sqlite3.connect(sys.argv[1]) as file:
            while file.execute("SELECT count(*) FROM exchange").fetchone()[0] < 2:
                time.sleep(0.01)
        os.kill(os.getpid(), int(sys.argv[2]))
        time.sleep(0.2)
    return said()

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell or `make` may have it ignored
with Store.open(sys.argv[1]) as store:
    settings = Settings.model_validate({"memory": {"dreaming": {"parallel_calls": 1, "max_input_tokens": 4500}}})
    dreamer = open_hybrid(store, ScriptedClient(script), Wish("m", 0.005, None, True), settings, None, clock=clock)
    dream(store, dreamer, PassOptions(mode="compact", loss_cap=1.0), clock=clock)
"""


@pytest.mark.parametrize(("how", "kept"), [(signal.SIGKILL, 2), (signal.SIGINT, 3)], ids=["killed", "ctrl-c"])
def test_an_interrupted_compaction_goes_on_where_it_was(store: Store, how: signal.Signals, kept: int) -> None:
    """In the third call: the two that had ended are not held again. After Ctrl-C the third is waited for, and kept."""
    apply(store, [entity(f"Person number {n}", general=[f"Person {n} lived at {n} Hill Road " * 6]) for n in range(60)])
    project = Path(__file__).resolve().parents[2]
    ended = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED, str(store.path), str(int(how))],
        env={**os.environ, "PYTHONPATH": f"{project}"}, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert ended.returncode == -how, ended.stderr.decode()
    assert store.connection.execute("SELECT count(*) FROM exchange").fetchone()[0] == kept
    settings = Settings.model_validate({"memory": {"dreaming": {"parallel_calls": 1, "max_input_tokens": 4500}}})
    client = ScriptedClient(lambda _: said())
    dreamer = open_hybrid(store, client, Wish("m", 0.005, None, True), settings, None, clock=clock)
    planned = len(estimate_calls(store, settings))
    foreseen = estimate(store, dreamer, mode="compact", model="scripted/model", clock=clock)
    assert (foreseen.calls, foreseen.figures.get("calls_resumed", 0)) == (planned - kept, kept)
    dream(store, dreamer, COMPACT, clock=clock)
    assert len(client.sent) == planned - kept


def estimate_calls(store: Store, settings: Settings) -> Sequence[Any]:
    from graphdream.dream.gather import gather

    dreamer = open_hybrid(
        store, Uncalled("scripted/model", 200_000), Wish("m", 0.005, None, True), settings, None, clock=clock
    )
    return dreamer.plan(gather(store, mode="compact", now=clock())).calls


def slowly(seconds: float) -> Any:
    """A model that takes its time to say that nothing is to be done."""

    def answer(messages: Sequence[Message]) -> dict[str, Any]:
        time.sleep(seconds)
        return said()

    return ScriptedClient(answer)


@pytest.mark.parametrize("options", [NEW, COMPACT], ids=["incremental", "compact"])
def test_the_duration_of_a_pass_includes_thinking(store: Store, options: PassOptions) -> None:
    tell(store)
    report = run(store, slowly(0.4), options)
    if report.pass_id is None:
        assert report.seconds >= 0.4
    else:
        took = get_pass(store.connection, report.pass_id)["duration_ms"]
        assert 400 <= took <= round(report.seconds * 1000) + 1
    assert options is COMPACT or report.pass_id is not None


def test_the_first_pass_that_is_due_compacts_the_graph_and_reads_the_sessions(tmp_path: Path) -> None:
    """It left them unread, and the second pass, for which nothing was due, had to read them."""
    with graphdream.open(tmp_path / "memory.db", clock=clock) as graph:
        apply(
            graph.store,
            [entity("Ada Lovelace", general=["Ada Lovelace lives in London", "Ada Lovelace lives in London."])],
            actor="host",
        )
        tell(graph.store)
        status = gates(graph.store, graph.settings().dreaming, clock())
        assert status.due is not None and status.due.mode == "compact"
        client = ScriptedClient([said(TEA)])
        report = graph.dream(client=client, trigger="first-run")
        assert (report.status, report.mode) == ("applied", "compact")
        assert "She likes green tea" in client.prompt()
        assert "Ada likes green tea" in facts_of(graph.store, "Ada Lovelace")
        assert backlog(graph.store).summaries == 0
        assert graph.replay(report.pass_id, level=2).same
        assert graph.ask_again(report.pass_id).same


def test_who_asks_for_the_whole_graph_gets_that_and_no_session(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db", clock=clock) as graph:
        apply(graph.store, [entity("Ada Lovelace", general=["Ada Lovelace lives in London"])])
        tell(graph.store)
        graph.dream(compact=True, client=ScriptedClient([said(TEA)]))
        assert backlog(graph.store).summaries == 1
