"""The protocol of a pass: one file adds one, each is isolated, gated, recorded, undone and replayed."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path

import pytest

from graphdream.dream import cycle
from graphdream.dreamers.client.base import Message
from graphdream.dreamers.client.errors import ProviderError
from graphdream.errors import NotFoundError
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.passes import kinds as package
from graphdream.passes.protocol import PassKind
from graphdream.passes.providers import Source, register
from graphdream.passes.registry import kind_named, kinds, read_directive, schema_of
from graphdream.views.skills import Skill
from support.models import ScriptedClient

from .conftest import World

OWN = '''
"""A pass of a stranger's: greets everybody once."""
from pydantic import Field
from graphdream.mutations import model
from graphdream.passes.answers import Answer
from graphdream.passes.protocol import PassKind, Plan, Question, Sight, Skip
from graphdream.views.memory import saved

class Greeting(Answer):
    greeting: str = Field(description="words")

def look(scene):
    number = scene.connection.execute("SELECT count(*) FROM session WHERE kind = 'session'").fetchone()[0]
    return Sight({"sessions": number}, number, number) if number else Skip("nobody came")

def local(scene, number):
    plan = Plan()
    plan.propose(saved(scene.connection, f"{number} came", "guests/count"))
    return plan

def ask(scene, number):
    return Question((("Guests:", str(number)),))

def compile(scene, number, answer):
    plan = Plan()
    plan.propose(saved(scene.connection, answer.greeting, "guests/greeting"))
    return plan

PASS = PassKind("greeting", 35, "memory", "greets", look, local, ask, Greeting, compile, "greeting.md")
'''


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one file of a stranger's, and its directive beside it."""
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "greeting.py").write_text(OWN)
    (folder / "greeting.md").write_text("Greet the guests.")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    return folder


def test_a_stranger_adds_a_pass_by_adding_one_file(world: World, stranger: Path) -> None:
    names = [kind.name for kind in kinds()]
    assert names.index("consolidation") < names.index("greeting") < names.index("skill-gap")
    assert "greeting" in [one.name for one in world.graph.cycle_passes()]
    assert "greeting" in schema_of(kind_named("greeting"))["properties"]
    world.observe({"kind": "turn", "session": "s1", "role": "user", "content": "Hello there, this is me."})
    client = ScriptedClient([{"greeting": "Welcome, guests."}])
    done = world.run("greeting", client=client)
    assert done["greeting", "local"].status == done["greeting", "model"].status == "applied"
    assert world.facts("guests") == ["1 came", "Welcome, guests."]
    assert "Greet the guests." in client.prompt() and "<data-" in client.prompt()
    again = world.run("greeting", client=client)
    assert {one.status for one in again.values()} == {"skipped"} and len(client.sent) == 1
    for one in done.values():
        assert one.pass_id is not None and world.graph.replay(one.pass_id).same
    record = world.graph.pass_record(done["greeting", "model"].pass_id or 0)
    assert (record.kind, record.mode, record.dreamer, record.tokens_in > 0) == ("cycle", "greeting", "model", True)
    world.graph.undo(done["greeting", "model"].pass_id or 0)
    world.graph.undo(done["greeting", "local"].pass_id or 0)
    assert world.facts() == []
    assert not any(one.ran for one in world.run("greeting", client=client).values()), (
        "what was taken back is not done anew"
    )


def test_every_pass_says_what_it_is() -> None:
    found = kinds()
    assert len({kind.name for kind in found}) == len(found) and [kind.place for kind in found] == sorted(
        kind.place for kind in found
    )
    for kind in found:
        assert kind.does and kind.parts
        if kind.ask is not None:
            directive = read_directive(kind, None)
            assert directive.origin == "shipped" and len(directive.text) > 200
            json.dumps(schema_of(kind))


def test_a_pass_without_any_part_is_refused() -> None:
    with pytest.raises(ValueError, match="neither"):
        PassKind("empty", 1, "memory", "nothing", lambda scene: None)  # type: ignore[arg-type, return-value]


def test_an_unknown_pass_is_named_before_anything_is_done(world: World) -> None:
    with pytest.raises(NotFoundError, match="no pass called 'dreamy'"):
        world.cycle(only=["decay", "dreamy"])
    assert world.graph.passes() == []


@pytest.mark.parametrize(("written", "why"), [(b"", "empty"), (b"\x00\x01", "no text"), (b"\xff\xfe\xff", "UTF-8"), (b"x" * 300_000, "longer")])  # fmt: skip
def test_a_directive_of_the_agent_that_is_no_text_stays_with_its_pass(world: World, written: bytes, why: str) -> None:
    world.observe({"kind": "turn", "session": "s1", "role": "user", "content": "Hello there, this is me."})
    (world.folder / "pref-dream.md").write_bytes(written)
    client = ScriptedClient(lambda messages: {})
    done = world.run("preferences", "episodes", client=client)
    assert done["preferences", "model"].status == "failed" and why in done["preferences", "model"].reason
    assert done["episodes", "model"].status == "applied"


@pytest.mark.parametrize("how", ["folder", "dangling link", "may not be read"])
def test_a_directive_that_cannot_be_read_stays_with_its_pass(world: World, how: str) -> None:
    world.observe({"kind": "turn", "session": "s1", "role": "user", "content": "Hello there, this is me."})
    own = world.folder / "pref-dream.md"
    if how == "folder":
        own.mkdir()
    elif how == "dangling link":
        own.symlink_to(world.folder / "nowhere")
    else:
        own.write_text("Mine.")
        own.chmod(0)
        if os.access(own, os.R_OK):
            pytest.skip("NOT TESTED: this user may read everything")
    client = ScriptedClient(lambda messages: {})
    done = world.run("preferences", "episodes", client=client)
    report = done["preferences", "model"]
    assert report.status == "failed" and "cannot be read" in report.reason and "pref-dream.md" in report.reason
    assert done["episodes", "model"].status == "applied" and len(client.sent) == 1


def test_a_directive_of_the_agent_replaces_the_shipped_one_whole_and_is_read_anew(world: World) -> None:
    world.observe({"kind": "turn", "session": "s1", "role": "user", "content": "Hello there, this is me."})
    (world.folder / "pref-dream.md").write_text("Only what is sung.")
    one = world.model("preferences", {})
    assert "Only what is sung." in world.client.prompt() and "Look for durable preferences" not in world.client.prompt()
    row = world.graph.store.connection.execute(
        "SELECT inputs, directive_hash FROM pass WHERE id = ?", (one.pass_id,)
    ).fetchone()
    assert json.loads(row[0])["directive"] == "agent" and row[1]


def test_one_pass_that_fails_stops_no_other_and_is_tried_again_later(world: World) -> None:
    world.observe({"kind": "turn", "session": "s1", "role": "user", "content": "Hello there, this is me."})
    client = ScriptedClient(
        lambda messages: "no idea" if "Learn what the person prefers" in messages[0].content else {}
    )
    first = {(one.name, one.part): one for one in world.cycle(client=client).passes}
    assert first["preferences", "model"].status == "failed" and "no JSON object" in first["preferences", "model"].reason
    assert first["episodes", "model"].status == "applied" and first["preferences", "local"].status == "nothing"
    second = {(one.name, one.part): one for one in world.cycle(client=client).passes}
    assert "tried again" in second["preferences", "model"].reason
    world.later(seconds=400)
    asked = len(client.sent)
    third = {(one.name, one.part): one for one in world.cycle(client=client).passes}
    assert third["preferences", "model"].status == "failed" and len(client.sent) == asked + 2


def test_a_provider_that_is_down_is_not_asked_by_every_pass(world: World) -> None:
    world.observe({"kind": "turn", "session": "s1", "role": "user", "content": "Hello there, this is me."})

    client = ScriptedClient(lambda messages: ProviderError("no connection"))
    report = world.cycle(client=client)
    assert len(client.sent) == 2 and sum(one.status == "failed" for one in report.passes) == 2
    assert any("gave no answer to the passes before it" in one.reason for one in report.passes)


def test_a_budget_is_kept_and_what_did_not_fit_is_told(world: World) -> None:
    world.observe({"kind": "turn", "session": "s1", "role": "user", "content": "Hello there, this is me."})
    client = ScriptedClient(lambda messages: {})
    report = world.cycle(client=client, budget=500)
    assert client.sent == [] and [one.name for one in report.passes if one.status == "failed"]


def test_a_dry_run_changes_nothing_and_says_what_it_would(world: World) -> None:
    world.observe(
        {"kind": "feedback", "feedback": "correction", "session": "s1", "content": "Don't send mail without asking."}
    )
    done = world.local("anti-patterns", dry_run=True)
    assert done.status == "dry-run" and done.proposals[0]["status"] == "applied"
    assert world.facts() == [] and world.graph.passes() == []
    assert world.local("anti-patterns").status == "applied"


def test_others_write_while_a_model_thinks_and_while_a_provider_is_asked(world: World) -> None:
    """Nobody thinks inside the write transaction, in no part of a pass."""
    written: list[str] = []

    def meanwhile(name: str) -> None:
        with Store.open(world.graph.store.path) as other, other.patience(0.2):
            record(other, f"{name}-{len(written)}", summary="Meanwhile.")
        written.append(name)

    def answer(messages: Sequence[Message]) -> str:
        meanwhile(messages[0].content.splitlines()[0])
        return "{}"

    def fetch(source: Source, names: Collection[str], seconds: float) -> dict[str, str]:
        meanwhile("refresh")
        return dict.fromkeys(names, "up")

    register("beside", fetch)
    (world.folder / "refresh.yaml").write_text("- {type: service, aspect: status, maxAgeHours: 1, beside: here}\n")
    world.graph.skills.put(Skill("mail", "Sends", "Send."))
    world.graph.skills.put(Skill("post", "Posts", "Post."))
    world.graph.edit(
        {"op": "create_entity", "name": "Gate", "type": "service", "aspects": [
            {"name": "x", "attributes": [{"content": "The dock is closed."}, {"content": "The crane is blue."}]}]}
    )  # fmt: skip
    use = {"kind": "skill-use", "session": "s1", "skill": "mail", "outcome": "ok"}
    world.observe(
        {"kind": "turn", "session": "s1", "role": "user", "content": "Always answer in metric units."},
        {"kind": "feedback", "feedback": "correction", "session": "s1", "content": "That was wrong.", "skill": "mail"},
        *({**use, "id": f"u{at}"} for at in range(3)), {**use, "skill": "post", "id": "u4"},
        *({"kind": "execution", "session": "s1", "description": "backup", "outcome": "failed", "error": "full",
           "skill": "mail", "id": f"x{at}"} for at in range(6)),
    )  # fmt: skip
    world.later(1)
    report = world.cycle(client=ScriptedClient(answer))
    assert [one for one in report.passes if one.status in ("failed", "refused")] == []
    asked = sum(one.part == "model" and one.tokens_in > 0 for one in report.passes)
    assert len(written) == asked + 1 and "refresh" in written and asked >= 8
    (logged, *_) = world.graph.dream_log()
    models = [one.as_logged() for one in logged.passes if one.part == "model" and one.tokens_in]
    assert len(models) == asked and all({"tokens_in", "tokens_out"} <= one.keys() for one in models)
    assert world.graph.verify().ok


def test_one_runner_takes_the_steps_of_every_pass() -> None:
    """Lease, harm gate and applier are called in one place; what a person does by hand has no dreamer to be held."""
    sources = {path.name: path.read_text(encoding="utf-8") for path in Path(cycle.__file__ or "").parent.glob("*.py")}
    by_hand = {"edit.py", "plan.py", "purge.py", "rejected.py", "remember.py"}
    for what, where in {
        "lease.hold(": "runner.py", " Proof(": "steps.py", "held.confirm(": "steps.py", "record_outcomes(": "steps.py",
    }.items():  # fmt: skip
        assert {name for name, text in sources.items() if what in text} - by_hand == {where}, what


def test_nothing_new_costs_nothing_and_writes_nothing(world: World) -> None:
    world.observe(
        {"kind": "turn", "session": "s1", "role": "user", "content": "Always answer in metric units."},
        {"kind": "feedback", "feedback": "correction", "session": "s1", "content": "Don't send mail without asking."},
    )
    client = ScriptedClient(lambda messages: {})
    world.cycle(client=client)
    asked = len(client.sent)
    world.later(0.3)
    world.cycle(client=client)
    assert len(client.sent) == asked, "what a cycle wrote is no news on the same day"
    world.later(1)
    world.cycle(client=client)  # what the later passes of the first one found is news for the earlier ones
    asked, passes = len(client.sent), len(world.graph.passes())
    for _ in range(30):
        world.later(1)
        world.cycle(client=client)
    assert len(client.sent) == asked, "an idle agent is billed for nothing"
    fresh = [record.mode for record in world.graph.passes()[passes:]]
    assert set(fresh) <= {"decay"}
