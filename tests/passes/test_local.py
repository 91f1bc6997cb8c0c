"""What passes do without a model."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphdream.clock import shifted
from graphdream.graph.decay import Curve
from graphdream.library import open as open_graph
from graphdream.passes import providers
from graphdream.passes.sayings import saying
from graphdream.views.self_model import stepped
from graphdream.views.skills import Skill

from .conftest import DAY, World

START = "2026-01-01T00:00:00.000Z"

# ---------------------------------------------------------------------- decay


def decaying(folder: Path, importances: list[float], days: list[float]) -> list[float]:
    """Importance of facts after decays at these days, each a memory of its own."""
    now = START
    with open_graph(folder / "memory.db", clock=lambda: now) as graph:
        facts = [
            {"content": f"Fact number {at} of many", "importance": value, "known_at": START}
            for at, value in enumerate(importances)
        ]
        graph.edit(
            {"op": "create_entity", "name": "Things", "aspects": [{"name": "all", "attributes": facts}]}, by="agent"
        )
        for day in days:
            now = shifted(START, day * DAY)
            graph.cycle(only=["decay"])
        return [row[0] for row in graph.store.connection.execute("SELECT importance FROM attribute ORDER BY id")]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    importances=st.lists(st.floats(0.1, 1.0), min_size=1, max_size=4),
    splits=st.lists(st.floats(0.01, 250), min_size=0, max_size=25), last=st.floats(31, 260),
)  # fmt: skip
def test_any_split_of_the_same_time_gives_the_same_importance(
    tmp_path_factory: Any, importances: list[float], splits: list[float], last: float
) -> None:
    once = decaying(tmp_path_factory.mktemp("once"), importances, [last])
    often = decaying(
        tmp_path_factory.mktemp("often"), importances, [*sorted(day for day in splits if day < last), last]
    )
    assert often == pytest.approx(once, abs=1e-9)


@pytest.mark.parametrize(("importance", "days"), [(0.95, 176), (0.70, 156), (0.50, 134), (0.30, 101)])
def test_the_curve_is_that_of_the_specification(importance: float, days: int) -> None:
    curve = Curve()
    assert curve.after(importance, days - 30) == pytest.approx(0.1, abs=0.004)
    assert curve.after(importance, days - 33) > 0.1


def test_decay_is_one_mutation_with_its_parameters_and_is_undone_exactly(world: World) -> None:
    world.graph.remember("Mirela lives in Oslo.", by="agent")
    world.graph.remember("Told by a person.", by="user")
    world.graph.remember("A rule.", by="agent")
    world.graph.edit({"op": "mark_constraint", "attribute": "a3"})
    world.graph.edit(
        {
            "op": "create_entity",
            "name": "Pinned",
            "aspects": [{"name": "x", "attributes": [{"content": "Stays as it is."}]}],
        },
        by="agent",
    )
    world.graph.edit({"op": "pin", "entity": "Pinned"})
    before = world.hash
    world.later(200)
    done = world.local("decay")
    (mutation,) = world.graph.mutations(done.pass_id or 0)
    assert (
        mutation.body
        == {"op": "decay_facts", "at": world.now, "grace_days": 30.0, "half_life_days": 45.0, "floor": 0.1}
        or mutation.body["op"] == "decay_facts"
    )
    weights = dict(world.graph.store.connection.execute("SELECT content, importance FROM attribute").fetchall())
    assert weights == {"Mirela lives in Oslo.": 0.1, "Told by a person.": 0.5, "A rule.": 0.5, "Stays as it is.": 0.5}
    assert world.graph.replay(done.pass_id or 0).same
    world.graph.undo(done.pass_id or 0)
    assert world.hash == before
    assert world.local("decay").status == "skipped", "what was taken back is not done anew"


def test_within_the_grace_nothing_decays_and_a_sighting_gives_it_anew(world: World) -> None:
    world.graph.remember("Mirela lives in Oslo.", by="agent")
    world.later(29)
    assert world.local("decay").reason == "nothing has decayed"
    world.later(16)
    world.graph.remember("Mirela lives in Oslo.", by="agent")
    assert world.local("decay").reason == "nothing has decayed"
    world.later(31)
    assert world.local("decay").status == "applied"


def test_a_half_life_of_nothing_switches_decay_off(world: World) -> None:
    world.graph.remember("Mirela lives in Oslo.", by="agent")
    (world.folder / "agent.yaml").write_text("memory: {cycle: {decayHalfLifeDays: 0}}")
    import os

    os.environ["GRAPHDREAM_CYCLE__DECAY_HALF_LIFE_DAYS"] = "0"
    try:
        world.later(400)
        assert "switched off" in world.local("decay").reason
    finally:
        del os.environ["GRAPHDREAM_CYCLE__DECAY_HALF_LIFE_DAYS"]


def test_decay_is_no_news_for_a_dream(world: World) -> None:
    for at in range(40):
        world.graph.edit(
            {
                "op": "create_entity",
                "name": f"Thing {at}",
                "aspects": [{"name": "x", "attributes": [{"content": f"Number {at} of forty stands here."}]}],
            },
            by="agent",
        )
    world.graph.dream(compact=True)
    from graphdream.dream.gather import gather

    world.later(100)
    assert world.local("decay").status == "applied"
    assert gather(world.graph.store, mode="incremental", now=world.now).entities == ()


# ---------------------------------------------------------------------- folds


def test_facts_in_the_same_words_fold_into_the_oldest_and_their_counts_add_up(world: World, tmp_path: Path) -> None:
    rows = [
        {"kind": "meta", "format": "graphdream", "version": 1},
        {"kind": "entity", "id": "e1", "name": "Ada", "type": "person"},
        {"kind": "aspect", "id": "s1", "entity_id": "e1", "name": "home"},
    ]
    world.graph.edit(
        {
            "op": "create_entity",
            "name": "Ada",
            "aspects": [{"name": "home", "attributes": [{"content": "Lives in Oslo."}]}],
        },
        by="agent",
    )
    assert rows and world.local("fold").status == "nothing"
    store = world.graph.store
    from graphdream.graph.rows import insert
    from graphdream.graph.tables import ATTRIBUTE
    from graphdream.journal.passes import PassHeader, open_pass

    with open_pass(store, PassHeader("import"), clock=lambda: world.now):
        first = dict(store.connection.execute("SELECT * FROM attribute WHERE id = 1").fetchone())
        for content, seen in (("Lives  in\nOslo.", 3), ("lives in oslo.", 1)):
            insert(
                store,
                ATTRIBUTE,
                aspect_id=first["aspect_id"],
                content=content,
                digest=first["digest"],
                first_seen=world.later(1),
                last_seen=world.now,
                reinforcement=seen,
            )
    done = world.local("fold")
    assert done.status == "applied" and done.figures["folded"] == 1
    assert world.facts() == ["Lives in Oslo.", "lives in oslo."], "what differs in its letters is left to who can judge"
    row = store.connection.execute("SELECT reinforcement, content FROM attribute WHERE id = 1").fetchone()
    assert tuple(row) == (4, "Lives in Oslo.")


# ---------------------------------------------------------------------- what is said outright


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("Don't send mail without asking me first.", "dont"), ("Do not use search_files for content.", "dont"),
        ("Please don't reply in English.", "dont"), ("Never push to main without a review.", "dont"),
        ("Bitte nicht auf Englisch antworten.", "dont"), ("Verwende nicht das alte Skript.", "dont"),
        ("Nunca borres los archivos viejos.", "dont"), ("Ne réponds pas en anglais.", "dont"),
        ("不要用英文回答。", "dont"), ("别删除旧文件。", "dont"),
        ("Please always answer in metric units.", "always"), ("Always sign with my full name.", "always"),
        ("Bitte immer auf Deutsch antworten.", "always"), ("Siempre responde en español.", "always"),
        ("总是用中文回答。", "always"),
        ("That is not what I meant.", None), ("No, the second file.", None), ("No idea what this is about.", None),
        ("I don't know this city.", None), ("It never rains here in May.", None), ("Why don't you ask first?", None),
        ("Never mind.", None), ("He always comes late on Fridays.", None), ("The report is not ready yet.", None),
        ("Das ist nicht richtig so.", None), ("", None), ("no", None),
    ],
)  # fmt: skip
def test_a_sentence_says_it_outright_or_is_left_alone(sentence: str, says: str | None) -> None:
    found = saying(sentence)
    if sentence.startswith("Never push"):
        assert found in ("dont", "always")
    else:
        assert found == says


def test_a_correction_that_forbids_becomes_an_anti_pattern_in_its_own_words(world: World) -> None:
    world.observe(
        {"kind": "skill-use", "session": "s1", "skill": "mcp/email"},
        {
            "kind": "feedback",
            "feedback": "correction",
            "session": "s1",
            "content": "That is wrong. Don't send mail without asking me first.",
        },
        {
            "kind": "feedback",
            "feedback": "correction",
            "session": "s2",
            "content": "Bitte nicht auf Englisch antworten.",
        },
        {"kind": "feedback", "feedback": "thumbs-down", "session": "s3", "content": "Don't ever do that again."},
    )
    done = world.local("anti-patterns")
    assert done.counts["applied"] == 2
    assert world.facts("anti-patterns/mcp-email") == ["Don't send mail without asking me first."]
    assert world.facts("anti-patterns/general") == ["Bitte nicht auf Englisch antworten."]
    assert world.local("anti-patterns").status == "skipped"


def test_a_standing_wish_becomes_a_preference_once_and_counts_when_it_is_said_again(world: World) -> None:
    for session in ("s1", "s2"):
        world.observe(
            {
                "kind": "turn",
                "session": session,
                "role": "user",
                "content": "Always answer in metric units. What is the weather?",
                "id": f"{session}-1",
            },
            {
                "kind": "turn",
                "session": session,
                "role": "assistant",
                "content": "Always happy to help with that.",
                "id": f"{session}-2",
            },
        )
        world.local("preferences")
        world.later(1)
    assert world.facts("user-preferences") == ["Always answer in metric units."]
    assert world.graph.store.connection.execute("SELECT reinforcement FROM attribute").fetchone()[0] == 2


# ---------------------------------------------------------------------- skills


def test_skills_used_together_point_at_each_other(world: World) -> None:
    for name in ("mcp/email", "mcp/calendar", "notes"):
        world.graph.skills.put(Skill(name, f"Does {name}", "Steps. " * 40))
    for session in ("s1", "s2"):
        world.observe(
            *({"kind": "skill-use", "session": session, "skill": name} for name in ("mcp/email", "mcp/calendar"))
        )
    world.observe(
        {"kind": "skill-use", "session": "s3", "skill": "notes"},
        {"kind": "skill-use", "session": "s3", "skill": "mcp/email"},
    )
    done = world.local("skill-consolidation")
    assert done.counts["applied"] == 2
    assert world.graph.skills.get("mcp/email").see_also == ("mcp/calendar",)
    assert world.graph.skills.get("mcp/calendar").see_also == ("mcp/email",)


def test_the_table_of_skills_counts_use_risk_and_coverage(world: World) -> None:
    world.graph.skills.put(Skill("mail", "Sends mail", "Send."))
    world.graph.skills.put(Skill("long", "Says much", "Steps. " * 60))
    world.observe(
        {"kind": "skill-use", "session": "s1", "skill": "mail", "outcome": "ok"},
        {"kind": "skill-use", "session": "s2", "skill": "Mail", "outcome": "failed"},
        {"kind": "skill-use", "session": "s2", "skill": "unknown-one"},
        {"kind": "feedback", "feedback": "summary", "session": "s2", "content": "Poor: the mail went to nobody."},
        {
            "kind": "feedback",
            "feedback": "summary",
            "session": "s1",
            "content": "The user was treated unfairly well, fairly good.",
        },
    )
    assert world.graph.skills.table().sparse == []
    world.later(8)
    table = world.graph.skills.table()
    assert table.sparse == ["mail"] and table.unknown == {"unknown-one": 1} and table.covered == pytest.approx(2 / 3)
    assert (table.uses["mail"].uses, table.uses["mail"].ok, table.uses["mail"].failed) == (2, 1, 1)
    assert list(table.at_risk) == ["mail"] and "Poor" in table.at_risk["mail"][0] and len(table.at_risk["mail"]) == 1
    world.later(31)
    assert world.graph.skills.table().uses["mail"].uses == 0


def test_failures_alike_become_a_lesson_and_what_runs_well_a_candidate(world: World) -> None:
    world.graph.skills.put(Skill("reports", "Makes reports", "Steps. " * 40))
    for at in range(7):
        bad = at < 4
        world.observe({
            "kind": "execution", "description": "nightly report", "outcome": "failed" if bad else "ok", "skill": "reports", "id": f"n{at}",
            **({"failed_step": "fetch", "category": "external", "error": f"timeout after {at}0 s"} if bad else {}),
        }, {"kind": "execution", "description": "backup", "outcome": "ok" if at else "failed", "id": f"b{at}", "steps": ["dump", "copy"]})  # fmt: skip
    done = world.local("failures")
    assert done.figures == {**done.figures, "patterns": 1, "candidates": 1}
    (lesson,) = world.graph.skills.get("reports").lessons
    assert lesson == "nightly report failed 4 times at step fetch (external): timeout after 30 s"
    assert world.facts("candidates") == ["backup: runs well by dump -> copy"]
    world.observe(
        {
            "kind": "execution",
            "description": "nightly report",
            "outcome": "failed",
            "skill": "reports",
            "failed_step": "fetch",
            "category": "external",
            "error": "timeout after 90 s",
            "id": "n9",
        }
    )
    world.local("failures")
    assert len(world.graph.skills.get("reports").lessons) == 1, "the same lesson with other numbers is the same"


def test_few_executions_are_left_alone(world: World) -> None:
    world.observe(
        *(
            {"kind": "execution", "description": "x", "outcome": "failed", "error": "no", "id": f"x{at}"}
            for at in range(4)
        )
    )
    assert "fewer than 5" in world.local("failures").reason


def test_requests_that_recur_are_told(world: World) -> None:
    for at in range(3):
        world.observe(
            {
                "kind": "turn",
                "session": f"s{at}",
                "role": "user",
                "content": f"Could you summarise chapter {at}?",
                "id": f"t{at}",
            }
        )
    world.observe(
        {"kind": "turn", "session": "s9", "role": "user", "content": "日程を確認して", "id": "j1"},
        {"kind": "turn", "session": "s8", "role": "user", "content": "今日の日程は?", "id": "j2"},
    )
    done = world.local("skill-gap")
    assert done.figures["recurring"]["summarise"] == 3 and done.figures["recurring"]["日程"] == 2
    world.graph.skills.put(Skill("summarise-text", "Summarise a chapter", "Steps."))
    world.observe({"kind": "turn", "session": "s7", "role": "user", "content": "Hello there again.", "id": "t7"})
    assert "summarise" not in world.local("skill-gap").figures["recurring"]


# ---------------------------------------------------------------------- self


def test_confidence_comes_to_rest_at_the_share_of_successes() -> None:
    value = 0.5
    for at in range(4_000):
        value = stepped(value, at % 4 != 0, 0.015, 0.05, 0.98)
    assert value == pytest.approx(0.75, abs=0.03)
    for ok, bound in ((True, 0.98), (False, 0.05)):
        for _ in range(2_000):
            value = stepped(value, ok, 0.015, 0.05, 0.98)
        assert value == bound


def test_the_self_model_is_folded_from_outcomes_and_kept(world: World) -> None:
    for at in range(6):
        world.observe(
            {"kind": "skill-use", "session": "s1", "skill": "mail", "outcome": "ok", "id": f"m{at}"},
            {"kind": "tool-call", "tool": "browser", "outcome": "failed", "domain": "web", "id": f"b{at}"},
        )
    world.local("self-model")
    model = world.graph.self_model()
    assert (model.strengths, model.known_failures) == (["mail"], ["browser"])
    assert (
        model.confidence["mail"] == pytest.approx(0.5 + 0.5 * (1 - 0.985**6), abs=1e-6)
        and model.confidence["web"] < 0.5
    )
    assert model.week["skill-use"] == 6
    page = world.graph.entity("self")
    assert {aspect: [fact.content for fact in facts] for aspect, facts in page.facts.items()} == {
        "strengths": ["mail"],
        "known failures": ["browser"],
    }
    assert json.loads((world.folder / "self_model.json").read_text())["strengths"] == ["mail"]
    for at in range(20):
        world.observe({"kind": "skill-use", "session": "s2", "skill": "mail", "outcome": "failed", "id": f"f{at}"})
    world.local("self-model")
    assert world.graph.self_model().known_failures == ["mail", "browser"] or set(
        world.graph.self_model().known_failures
    ) == {"mail", "browser"}
    assert "strengths" not in world.graph.entity("self").facts


def test_introspection_scores_what_it_finds(world: World) -> None:
    assert world.graph.introspect().score == 100
    world.graph.skills.put(Skill("mail", "Sends mail", "Send."))
    world.later(9)
    world.observe(
        {"kind": "skill-use", "session": "s1", "skill": "mail"},
        {"kind": "feedback", "feedback": "correction", "session": "s1", "content": "Wrong person."},
    )
    report = world.graph.introspect()
    assert (
        report.score == 90
        and {finding.weight for finding in report.findings} == {"minor"}
        and report.top_skills == {"mail": 1}
    )


def test_often_used_episodes_become_lasting(world: World) -> None:
    fact = world.graph.remember(
        "The release was put off to Friday.", category="episodic/decision", tags=["episodic"], by="agent"
    )
    plain = world.graph.remember("Mirela lives in Oslo.", by="agent")
    for session in ("s1", "s2", "s3"):
        for handle in (fact.handle, plain.handle):
            world.graph.feedback(handle, "used", session=session)
    assert world.local("promotion").counts["applied"] == 1
    tags = dict(world.graph.store.connection.execute("SELECT 'a' || id, tags FROM attribute").fetchall())
    assert json.loads(tags[fact.handle]) == ["semantic"] and json.loads(tags[plain.handle]) == []
    assert world.local("promotion").status == "skipped"


# ---------------------------------------------------------------------- the head of MEMORY.md


def test_the_head_is_written_within_its_marks_alone_and_stays_the_same_to_the_byte(world: World) -> None:
    path = world.folder / "MEMORY.md"
    assert "no MEMORY.md with the lines" in world.local("head").reason
    path.write_bytes(b"# Mine\r\n\r\nno mark\n")
    assert "no lines <!-- graphdream:begin -->" in world.local("head").reason
    path.write_bytes(b"# Mine\r\nabove\n<!-- graphdream:begin -->\nold\n<!-- graphdream:end -->\nbelow \xe2\x9c\x93")
    for at in range(200):
        world.graph.remember(f"Fact number {at} says that thing {at} stands at place {at * 7}.", by="agent")
    world.graph.remember("Never delete <!-- graphdream:end --> marks.", category="user-preferences/marks")
    done = world.local("head")
    text = path.read_bytes()
    assert done.status == "applied" and done.figures["tokens"] <= 1000
    assert text.startswith(
        b"# Mine\r\nabove\n<!-- graphdream:begin -->\n- Never delete <! -- graphdream:end"
    ) and text.endswith(b"<!-- graphdream:end -->\nbelow \xe2\x9c\x93")
    assert text.count(b"\n- ") == done.figures["lines"] and b"[a201; user-preferences/marks]" in text
    stamp = path.stat().st_mtime_ns
    assert world.local("head").status == "skipped" and world.local("head", again=True).status == "nothing"
    assert path.read_bytes() == text and path.stat().st_mtime_ns == stamp
    path.write_bytes(text.replace(b"Never", b"Always"))
    assert world.local("head").status == "applied" and path.read_bytes() == text, "the block is not the user's"


@pytest.mark.parametrize("text", [b"<!-- graphdream:begin -->\n<!-- graphdream:begin -->\n<!-- graphdream:end -->", b"<!-- graphdream:end --> <!-- graphdream:begin -->", b"\xff\xfe <!-- graphdream:begin --><!-- graphdream:end -->"])  # fmt: skip
def test_a_head_that_cannot_be_made_sense_of_is_left_as_it_is(world: World, text: bytes) -> None:
    path = world.folder / "MEMORY.md"
    path.write_bytes(text)
    assert world.local("head").status == "failed" and path.read_bytes() == text


# ---------------------------------------------------------------------- current values


@contextmanager
def serving(answer: Any) -> Iterator[str]:
    """A real HTTP endpoint on loopback that answers with a function of the request."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = answer()
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/values.json"
    finally:
        server.shutdown()
        server.server_close()


def refreshing(world: World, *sources: dict[str, Any]) -> None:
    for name in ("Gold", "Silver"):
        world.graph.edit({"op": "create_entity", "name": name, "type": "asset"}, by="agent")
    world.graph.edit({"op": "create_entity", "name": "Lantern API", "type": "service"}, by="agent")
    (world.folder / "refresh.yaml").write_text(json.dumps(list(sources)))


def test_a_file_and_an_endpoint_give_current_values_on_a_timeline(world: World) -> None:
    values = {"Gold": 2000, "silver": "24.5 USD", "Copper": 4}
    state = {"Lantern API": "up"}
    with serving(lambda: state) as url:
        refreshing(
            world,
            {"type": "asset", "aspect": "price", "maxAgeHours": 6, "file": "prices.json"},
            {"type": "service", "aspect": "status", "maxAgeHours": 1, "url": url},
        )
        (world.folder / "prices.json").write_text(json.dumps(values))
        assert world.local("refresh").counts["applied"] == 3
        assert sorted(world.facts()) == ["price: 2000", "price: 24.5 USD", "status: up"]
        assert world.local("refresh").reason == "every value is fresh"
        world.later(0.1)
        state["Lantern API"] = "down"
        assert world.local("refresh").figures["readings"] == 1
        world.later(1)
        world.local("refresh")
    assert sorted(world.facts()) == ["price: 2000", "price: 24.5 USD", "status: down"]
    timeline = world.graph.store.connection.execute(
        "SELECT json_extract(body, '$.value') FROM observed WHERE name = 'Lantern API' ORDER BY id"
    ).fetchall()
    assert [row[0] for row in timeline] == ["up", "down", "down"]
    history = world.graph.entity("Lantern API", history=True).facts["status"]
    assert [(fact.content, fact.status) for fact in history] == [
        ("status: up", "superseded"),
        ("status: down", "active"),
    ]
    written = [one.id for one in world.graph.passes() if one.mode == "refresh" and one.status == "applied"]
    assert len(written) == 3  # the endpoint is gone by now: a replay asks nobody
    assert all(world.graph.replay(number, level=level).same for number in written for level in (1, 2))


@pytest.mark.parametrize("answer", [b"not json", b"[1, 2]", b'{"Lantern API": {"deep": 1}}', b"\xff\xfe"])
def test_a_provider_that_returns_nonsense_stops_no_other(world: World, answer: bytes) -> None:
    with serving(lambda: answer) as url:
        refreshing(
            world,
            {"type": "service", "aspect": "status", "url": url},
            {"type": "asset", "aspect": "price", "file": "prices.json"},
        )
        (world.folder / "prices.json").write_text('{"Gold": 2000}')
        done = world.local("refresh")
    assert done.status == "applied" and world.facts() == ["price: 2000"] and done.notes


def test_a_provider_that_hangs_or_raises_is_isolated(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHDREAM_CYCLE__REFRESH_SECONDS", "0.3")

    def hang(*given: Any) -> dict[str, str]:
        time.sleep(30)
        return {}

    def fail(*given: Any) -> dict[str, str]:
        raise RuntimeError("the wire is cut")

    monkeypatch.setattr(providers, "_providers", {**providers._providers, "hang": hang, "fail": fail})
    refreshing(
        world,
        {"type": "asset", "aspect": "a", "hang": "x"},
        {"type": "asset", "aspect": "b", "fail": "x"},
        {"type": "asset", "aspect": "c", "file": "nowhere.json"},
        {"type": "asset", "aspect": "d", "url": "ftp://x/"},
    )
    began = time.monotonic()
    done = world.local("refresh")
    assert time.monotonic() - began < 5 and done.status == "failed"
    for why in ("no answer within 0.3 seconds", "the wire is cut", "nowhere.json", "begins with http"):
        assert why in done.reason


@pytest.mark.parametrize("text", ["{", "5", "- type: asset", "- {type: a, aspect: b, file: c, colour: red}", "- {type: a, aspect: 5, file: c}", "- {type: a, aspect: b, file: c, url: d}"])  # fmt: skip
def test_a_refresh_file_that_is_wrong_is_told(world: World, text: str) -> None:
    (world.folder / "refresh.yaml").write_text(text)
    assert world.local("refresh").status == "failed" and "refresh.yaml" in world.local("refresh").reason
    assert world.local("fold").status != "failed"


def test_a_pinned_entity_keeps_its_value(world: World) -> None:
    refreshing(world, {"type": "asset", "aspect": "price", "maxAgeHours": 0, "file": "prices.json"})
    (world.folder / "prices.json").write_text('{"Gold": 2000}')
    world.local("refresh")
    world.graph.edit({"op": "pin", "entity": "Gold"})
    (world.folder / "prices.json").write_text('{"Gold": 1}')
    world.later(1)
    world.local("refresh")
    assert world.facts() == ["price: 2000"]
