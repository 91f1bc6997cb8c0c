"""A month of an agent, day by day with a simulated clock: the key is met, nothing protected moves, and all of it is undone."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from graphdream.clock import shifted
from graphdream.dreamers.client.base import Message
from graphdream.passes.registry import kinds
from graphdream.views.memory import entries
from support.models import ScriptedClient

from .conftest import DAY, World

MONTH = Path(__file__).resolve().parents[2] / "fixtures" / "month"
KEY = json.loads((MONTH / "key.json").read_text(encoding="utf-8"))
EVENTS = [json.loads(line) for line in (MONTH / "events.jsonl").read_text(encoding="utf-8").splitlines()]
START = "2026-03-01T00:00:00.000Z"
LOCAL, MODEL = KEY["local"], KEY["model"]


class Recorded(ScriptedClient):
    """Says what is recorded for a prompt, each thing once, in its style; else that there is nothing to do."""

    def __init__(self) -> None:
        self.left = json.loads((MONTH / "answers.json").read_text(encoding="utf-8"))
        self.tokens: Counter[str] = Counter()
        super().__init__(self._say)

    def _say(self, messages: Sequence[Message]) -> str:
        title = messages[0].content.splitlines()[0]
        asked = TITLES[title]
        for message in messages:
            self.tokens[asked] += self.count(message.content)
        for one in list(self.left):
            if one["pass"] == asked and one["when"] in messages[1].content and self._knows(one, messages[1].content):
                self.left.remove(one)
                return _styled(self._meant(one["answer"], messages[1].content), one["style"])
        return "{}"

    def _knows(self, one: dict[str, Any], prompt: str) -> bool:
        return all(
            words in prompt
            for words in re.findall(r'"@([^"]+)"', json.dumps(one["answer"], ensure_ascii=False))
            if not words.startswith("Never reveal")
        )

    def _meant(self, value: Any, prompt: str) -> Any:
        """The answer with the ids of the entries that it means by their words."""
        if isinstance(value, str) and value.startswith("@"):
            found = re.search(rf"\[(a\d+)\][^\n]*: {re.escape(value[1:])}", prompt)
            return found.group(1) if found else "a0"
        if isinstance(value, dict):
            return {name: self._meant(part, prompt) for name, part in value.items()}
        return [self._meant(part, prompt) for part in value] if isinstance(value, list) else value


TITLES = {
    "# Consolidate the memory": "consolidation", "# Find what the agent should have a skill for": "skill-gap",
    "# Consolidate the skills": "skill-consolidation", "# Improve skills": "skill-optimization", "# Keep what happened": "episodes",
    "# Learn what the person prefers": "preferences", "# Learn from executions": "failures", "# Make procedures": "procedures",
    "# Reflect on the last day": "reflection", "# Insights of the last hours": "insights",
}  # fmt: skip


def _styled(answer: Any, style: str) -> str:
    text = json.dumps(answer, ensure_ascii=False)
    return {
        "plain": text, "fence": f"```json\n{text}\n```", "think": f"<think>Two sessions, {{a}} and {{b}}.</think>\n{text}",
        "open-think": f"Let me see {{}}.</think>{text}", "prose": f"I looked at all of it.\n\n{text}\n\nThat is all.",
        "commas": text.replace("]}", ",]}"), "snake": re.sub(r'"(\w+)":', lambda found: '"' + re.sub("([A-Z])", r"_\1", found[1]).lower() + '":', text),
    }[style]  # fmt: skip


class Lived:
    """The month as it was lived: every report, and what was recalled before and after."""

    def __init__(self, folder: Path, client: Recorded | None) -> None:
        folder.mkdir()
        self.world = World(folder / "memory.db")
        self.world.now = START
        graph = self.world.graph
        graph.import_graph(MONTH / "memory.jsonl")
        self.before, self.exported = self.world.hash, exported(self.world)
        assert len(self.exported.splitlines()) > 40
        self.protected = protected(self.world)
        control = World(folder / "control.db")  # the same month without a pass: talk alone changes what is found
        control.now = shifted(START, 30 * DAY)
        control.graph.import_graph(MONTH / "memory.jsonl")
        control.graph.observe(EVENTS)
        self.recalled_before = recalled(control)
        control.graph.close()
        self.second: list[Any] = []
        self.reports: list[Any] = []
        self.recurring: set[str] = set()
        by_day = defaultdict(list)
        for event in EVENTS:
            by_day[event["at"][:10]].append(event)
        for day in range(KEY["days"]):
            self.world.now = shifted(START, day * DAY + 23.5 * 3600)
            graph.observe(by_day[self.world.now[:10]])
            self._use(day)
            self.reports.append(graph.cycle(client=client))
            self.second.append(graph.cycle(client=client))
            for one in self.reports[-1].passes:
                self.recurring |= set(one.figures.get("recurring", {}))

    def _use(self, day: int) -> None:
        for used in KEY["used"]:
            (entry,) = [one for one in entries(self.world.graph.store.connection) if one.content == used["fact"]]
            for session in used["sessions"]:
                if session[1:3] == f"{day + 1:02}":
                    self.world.graph.feedback(entry.handle, "used", session=session)


def exported(world: World) -> str:
    """The graph as `graphdream export` writes it; the events beside it are what happened, and no pass takes them back."""
    path = world.folder / "export.jsonl"
    world.graph.export(path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if json.loads(line)["kind"] in ("entity", "aspect", "attribute", "edge"))


def protected(world: World) -> dict[str, list[tuple[Any, ...]]]:
    """Every row that is pinned, hangs on what is pinned, or is a rule: whole, with the pass that last changed it."""
    under = "entity_id IN (SELECT id FROM entity WHERE pinned)"
    where = {
        "entity": "pinned", "alias": under, "aspect": under,
        "attribute": f"kind = 'constraint' OR aspect_id IN (SELECT id FROM aspect WHERE {under})",
    }  # fmt: skip
    connection = world.graph.store.connection
    return {
        table: [tuple(row) for row in connection.execute(f"SELECT * FROM {table} WHERE {condition} ORDER BY id")]
        for table, condition in where.items()
    }


def recalled(world: World) -> list[bool]:
    """Whether each question of the key is answered."""
    return [any(words in hit.text for hit in world.graph.recall(question, k=5)) for question, words in KEY["probes"]]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The month without a model."""
    lived = Lived(tmp_path_factory.mktemp("month") / "local", None)
    yield lived
    lived.world.graph.close()


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The month with recorded answers."""
    client = Recorded()
    lived = Lived(tmp_path_factory.mktemp("month") / "model", client)
    lived.client = client  # type: ignore[attr-defined]
    yield lived
    lived.world.graph.close()


@pytest.fixture(params=["alone", "asked"])
def lived(request: pytest.FixtureRequest) -> Lived:
    found: Lived = request.getfixturevalue(request.param)
    return found


def test_the_month_is_what_it_says() -> None:
    assert len({event["session"] for event in EVENTS if event["kind"] == "turn"}) == KEY["sessions"]
    assert sum(event["kind"] == "execution" for event in EVENTS) == KEY["executions"]


def test_no_pass_failed_or_was_refused(lived: Lived) -> None:
    assert [
        (one.name, one.reason)
        for report in (*lived.reports, *lived.second)
        for one in report.passes
        if one.status in ("failed", "refused")
    ] == []


def test_the_local_key_is_met(lived: Lived) -> None:
    world, graph = lived.world, lived.world.graph
    weights = dict(
        graph.store.connection.execute("SELECT content, importance FROM attribute WHERE status = 'active'").fetchall()
    )
    for text in LOCAL["folded"]:
        assert world.facts().count(text) == 1
    for text, weight in {**LOCAL["decayed"], **LOCAL["kept"]}.items():
        assert weights[text] == pytest.approx(weight, abs=0.15 if text in LOCAL["decayed"] else 0), text
    assert weights["The first draft was printed on blue paper."] < 0.25
    for category, texts in LOCAL["anti-patterns"].items():
        assert world.facts(category) == texts
    assert world.facts("user-preferences/stated") == LOCAL["stated"]
    for one, other in LOCAL["see_also"]:
        assert graph.skills.get(other).name in graph.skills.get(one).see_also, (one, other)
    for name, words in LOCAL["lessons"].items():
        assert any(words in lesson for lesson in graph.skills.get(name).lessons), name
    assert [text.partition(":")[0] for text in world.facts("candidates")] == LOCAL["candidates"]
    assert set(LOCAL["recurring"]) <= lived.recurring
    assert set(LOCAL["strengths"]) <= set(graph.self_model().strengths)
    promoted = [one.content for one in entries(graph.store.connection, tag="semantic")]
    assert promoted == LOCAL["promoted"]


def test_the_key_of_what_needs_understanding_is_met(asked: Lived) -> None:
    world, graph = asked.world, asked.world.graph
    assert asked.client.left == [], "every recorded answer was asked for"  # type: ignore[attr-defined]
    names = {skill.name for skill in graph.skills.all()}
    assert set(MODEL["skills"]) | set(MODEL["procedures"]) <= names and not names & set(MODEL["gone_skills"])
    assert (
        graph.skills.get("mcp/mail").name == "mcp/email" and "Overwritten" not in graph.skills.get("mcp/email").content
    )
    assert MODEL["merged"] in world.facts("people/bruno") and not [
        text for text in world.facts() if text.startswith("The harbour office is run")
    ]
    found = {one.content: one for one in entries(graph.store.connection)}
    assert set(MODEL["episodes"]) | set(MODEL["inferred"]) | set(MODEL["insights"]) <= set(found)
    assert found[MODEL["revisited"]].reinforcement == 2
    for text in MODEL["permission"]:
        assert "requires-user-permission" in found[text].tags
    for name, words in MODEL["improved"].items():
        assert words in graph.skills.get(name).content
    assert not [text for text in found if "Atlantis" in text or "Comic Sans" in text]


def test_what_is_protected_did_not_move(lived: Lived) -> None:
    assert protected(lived.world) == lived.protected, "to the last column, version included"
    texts = {text for row in lived.protected["attribute"] for text in row if isinstance(text, str)}
    assert {*KEY["pinned"], *KEY["constraints"]} <= texts


def test_recall_is_not_worse_after_the_month(lived: Lived) -> None:
    after = recalled(lived.world)
    assert sum(lived.recalled_before) >= len(KEY["probes"]) - 1
    assert all(now or not then for then, now in zip(lived.recalled_before, after, strict=True))


def test_a_second_cycle_on_the_same_day_does_nothing_and_asks_nobody(lived: Lived) -> None:
    for day, report in enumerate(lived.second, 1):
        assert report.tokens == 0, day
        assert {one.status for one in report.passes} <= {"skipped", "nothing"}, (
            day,
            [(one.name, one.status) for one in report.passes if one.status == "applied"],
        )


def test_the_tokens_of_each_pass_are_a_share_of_its_view(asked: Lived, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside sending the whole view with every cycle, which is what the systems that these passes come from do."""
    client = asked.client  # type: ignore[attr-defined]
    spent = client.tokens
    assert set(spent) == set(TITLES.values())
    whole = KEY["days"] * client.count(
        "\n".join(event.get("content", "") for event in EVENTS if event["kind"] == "turn")
    )
    for name in ("episodes", "skill-gap", "preferences"):
        assert spent[name] < whole


def test_every_pass_of_the_month_is_replayed(lived: Lived) -> None:
    """At level 2, where a model answered, its own words are read and compiled anew, with the events as they were."""
    graph = lived.world.graph
    done = [one for one in graph.passes() if one.kind == "cycle" and one.status == "applied"]
    by_kind: dict[str, list[int]] = defaultdict(list)
    for one in done:
        by_kind[f"{one.mode}/{one.dreamer}"].append(one.id)
    wanted = {f"{kind.name}/{part}" for kind in kinds() for part in kind.parts} - WITHOUT_A_PASS
    assert set(by_kind) == {key for key in wanted if hasattr(lived, "client") or key.endswith("/local")}
    for key, numbers in by_kind.items():
        for number in {numbers[0], numbers[len(numbers) // 2], numbers[-1]}:
            for level in (1, 2):
                replayed = graph.replay(number, level=level)
                assert replayed.same, (key, level, replayed.differences)


# What writes no row of the graph, or needs a file of the agent's own (tests/passes/test_local.py).
WITHOUT_A_PASS = {"refresh/local", "head/local", "skill-gap/local", "reflection/local"}


def test_an_idle_month_costs_no_token_and_undoing_all_passes_gives_the_state_before(lived: Lived) -> None:
    world, graph = lived.world, lived.world.graph
    client = ScriptedClient(lambda messages: "{}") if hasattr(lived, "client") else None
    for _ in range(2):  # what the last day's passes found is news once
        world.later(1)
        graph.cycle(client=client)
    asked_so_far = len(client.sent) if client else 0
    for _ in range(30):
        world.later(1)
        assert graph.cycle(client=client).tokens == 0
    assert (len(client.sent) if client else 0) == asked_so_far
    for one in reversed([one for one in graph.passes() if one.kind == "cycle" and one.status == "applied"]):
        graph.undo(one.id)
    assert world.hash == lived.before and exported(world) == lived.exported
    assert protected(world) == lived.protected and not graph.verify().faults
