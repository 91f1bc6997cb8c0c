"""What went wrong in the systems that these passes come from, each row of that list with the guard against it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from graphdream.config import Cycle
from graphdream.views.memory import entries
from graphdream.views.self_model import stepped
from graphdream.views.skills import Skill
from support.models import ScriptedClient

from .conftest import World
from .full_day import full_day


def remembered(world: World, *texts: str, category: str = "general") -> list[str]:
    return [world.graph.remember(text, category=category, by="agent").handle for text in texts]


def statuses(world: World) -> list[tuple[str, str]]:
    return [
        tuple(row) for row in world.graph.store.connection.execute("SELECT content, status FROM attribute ORDER BY id")
    ]


def test_the_whole_corpus_offered_for_deletion_each_cycle(world: World) -> None:
    """148 entries became 109 in 3.5 days, one of importance .99 among them: here deletes archive, are capped, spare what is
    weighty, need ids that were shown, and what was shown once is not shown again."""
    handles = remembered(world, *(f"Entry number {at} says something of its own." for at in range(30)))
    for _ in range(6):
        remembered(world, "Entry number 3 says something of its own.")
    before = world.hash
    done = world.model("consolidation", {"toDelete": [*handles, "a4711"]})
    active = [text for text, status in statuses(world) if status == "active"]
    assert len(active) >= 19 and "Entry number 3 says something of its own." in active
    assert {status for _, status in statuses(world)} <= {"active", "archived"}
    world.graph.undo(done.pass_id or 0)
    assert world.hash == before
    assert world.model("consolidation", {"toDelete": handles}).status == "skipped"


def test_sources_of_a_refused_merge_deleted_all_the_same(world: World) -> None:
    first, second = remembered(world, "Bruno pays 300 euros in May.", "Bruno pays 300 euros.")
    world.model(
        "consolidation",
        {"toSave": [{"content": "Bruno pays.", "sourceIds": [first, second]}], "toDelete": [first, second]},
    )
    assert {status for _, status in statuses(world)} == {"active"}


@pytest.mark.parametrize("content", ["", "   ", "\n"])
def test_delete_then_save_that_lost_data_on_blank_content(world: World, content: str) -> None:
    first, second = remembered(world, "Bruno pays in May.", "Bruno pays in the spring.")
    world.model(
        "consolidation", {"toSave": [{"content": content, "sourceIds": [first, second]}], "toDelete": [first, second]}
    )
    assert {status for _, status in statuses(world)} == {"active"}


@pytest.mark.parametrize("lossy", ["Ines moved to Bergen.", "Ines moved in 2024.", "Somebody moved to Bergen in 2024."])
def test_a_merge_that_drops_names_dates_or_numbers_and_reads_fine(world: World, lossy: str) -> None:
    first, second = remembered(world, "Ines moved to Bergen in 2024.", "In 2024 Ines left for Bergen.")
    client = ScriptedClient(
        [
            {"toSave": [{"content": lossy, "sourceIds": [first, second]}]},
            {"toSave": [{"content": "Ines moved to Bergen in 2024, leaving for good.", "sourceIds": [first, second]}]},
        ]
    )
    world.model("consolidation", client)
    assert len(client.sent) == 2, "one repair call that names what is missing"
    assert "it loses" in client.prompt(1) and world.facts() == ["Ines moved to Bergen in 2024, leaving for good."]


def test_a_treadmill_of_rewordings(world: World) -> None:
    """290 entries became 828 in 24 days: here the memory of a month of rewordings does not grow, and no merge is repeated."""
    remembered(world, "The dock is closed on Sundays.", "On Sundays the dock is closed.", "The crane is blue.")

    def reword(messages: Any) -> Any:
        handles = [line.split("[")[1].split("]")[0] for line in messages[1].content.splitlines() if ". [a" in line]
        return {
            "toSave": [{"content": f"Reworded once more: see {handle}.", "sourceIds": [handle]} for handle in handles]
        }

    client = ScriptedClient(reword)
    for _ in range(24):
        world.later(1)
        world.cycle(client=client)
    assert len(world.facts()) == 3 and len(client.sent) < 24
    depth = world.graph.store.connection.execute(
        "SELECT count(*) FROM attribute WHERE status = 'superseded'"
    ).fetchone()[0]
    assert depth == 0


def test_identical_copies_stay_live_after_one_decline(world: World) -> None:
    """Copies in the same words are folded without asking anybody, so no "no" of a model keeps them."""
    graph = world.graph
    graph.edit(
        {
            "op": "create_entity",
            "name": "A",
            "aspects": [{"name": "x", "attributes": [{"content": "The dock is closed."}]}],
        },
        by="agent",
    )
    graph.edit(
        {
            "op": "create_entity",
            "name": "B",
            "aspects": [{"name": "x", "attributes": [{"content": "The dock is closed."}]}],
        },
        by="agent",
    )
    world.model("consolidation", {})
    graph.edit({"op": "merge_entities", "source": ["B"], "target": "A"}, by="agent")
    world.local("fold")
    assert world.facts() == ["The dock is closed."]


def test_a_no_is_not_forever_where_something_new_comes(world: World) -> None:
    remembered(world, "The dock is closed on Sundays.", "On Sundays the dock is closed.")
    world.model("consolidation", {})
    remembered(world, "The dock is closed on Sundays and holidays.")
    world.model("consolidation", {})
    assert world.client.prompt().count("dock is closed") == 3


def test_one_pass_that_ends_early_does_not_end_the_cycle_and_an_empty_store_gets_its_first_memory(world: World) -> None:
    world.observe(
        {"kind": "turn", "session": "s1", "role": "user", "content": "Always answer in metric units.", "id": "t1"}
    )
    report = world.cycle(client=ScriptedClient(lambda messages: {}))
    by_name = {(one.name, one.part): one.status for one in report.passes}
    assert by_name["consolidation", "model"] == "skipped" and by_name["preferences", "local"] == "applied"
    assert world.facts() == ["Always answer in metric units."]


def test_restarts_that_caused_fifteen_passes_in_three_days(world: World) -> None:
    remembered(world, "The dock is closed on Sundays.", "The crane is blue.")
    client = ScriptedClient(lambda messages: {})
    for at in range(15):
        remembered(world, f"New thing {at} is here.")
        world.later(0.01)
        world.cycle(client=client)
    assert sum("Consolidate the memory" in sent[0].content for sent in client.sent) == 1, "its hours are in the file"


@pytest.mark.parametrize(
    "text",
    [
        '{"toSave": [{"content": "He said "hello" to us"}]}',
        '{"toSave": [{"name": "x", "content": "# A\n\n```sh\nls\n```\n"}',
        "null",
        "{]",
    ],
)
def test_malformed_json_killed_the_cycle(world: World, text: str) -> None:
    world.graph.skills.put(Skill("mail", "Sends", "Send."))
    world.graph.skills.put(Skill("post", "Posts", "Post."))
    world.observe(
        {"kind": "turn", "session": "s1", "role": "user", "content": "Always answer in metric units.", "id": "t1"}
    )
    client = ScriptedClient(lambda messages: text)
    report = world.cycle(client=client)
    assert any(one.status == "failed" for one in report.passes) and any(
        one.status == "applied" for one in report.passes
    )
    assert len(world.graph.skills.all()) == 2


def test_long_markdown_of_skills_is_shown_cut(world: World) -> None:
    world.graph.skills.put(Skill("mail", "Sends", "Step one. " * 500))
    world.graph.skills.put(Skill("post", "Posts", "Post."))
    world.model("skill-consolidation", {})
    assert "[…]" in world.client.prompt() and len(world.client.prompt()) < 12_000


@pytest.mark.parametrize("saves", [[], [{"name": "x", "content": " "}]])
def test_a_model_that_deletes_all_skills_and_saves_none(world: World, saves: list[dict[str, str]]) -> None:
    for name in ("mail", "post"):
        world.graph.skills.put(Skill(name, "Does", "Steps."))
    world.model("skill-consolidation", {"toDelete": ["mail", "post"], "toSave": saves})
    assert len(world.graph.skills.all()) == 2


def test_skills_that_bind_to_live_services_are_kept_apart_by_a_pin(world: World) -> None:
    for name in ("mcp/email-work", "mcp/email-home"):
        world.graph.skills.put(Skill(name, "Mail", f"Bound to {name}."))
    world.graph.edit({"op": "pin", "entity": "mcp/email-home"})
    world.model(
        "skill-consolidation",
        {
            "toSave": [{"name": "mcp/email", "content": "Both.", "sourceNames": ["mcp/email-work", "mcp/email-home"]}],
            "toDelete": ["mcp/email-home"],
        },
    )
    assert {one.name for one in world.graph.skills.all()} == {"mcp/email-work", "mcp/email-home"}


def test_merging_and_improving_orphaned_lessons_and_reset_dates(world: World) -> None:
    world.graph.skills.put(Skill("mail", "Sends", "1. Send.", lessons=("Ask first.",)))
    world.later(20)
    world.graph.skills.put(Skill("post", "Posts", "1. Post.", lessons=("Weigh it.",)))
    world.model(
        "skill-consolidation",
        {
            "toSave": [
                {
                    "name": "post",
                    "summary": "Sends and posts",
                    "content": "1. Send.\n2. Post.",
                    "sourceNames": ["mail", "post"],
                }
            ]
        },
    )
    (skill,) = world.graph.skills.all()
    assert set(skill.lessons) == {"Ask first.", "Weigh it."} and skill.created_at[:10] == "2026-03-01"
    world.model(
        "skill-optimization", {"toSave": [{"name": "post", "content": "1. Ask.\n2. Send.\n3. Post."}]}, again=True
    )
    assert world.graph.skills.get("post").created_at[:10] == "2026-03-01"


def test_near_duplicate_skills_made_each_cycle_and_merged_again(world: World) -> None:
    world.graph.skills.put(Skill("summarise-inbox", "Sum up", "Steps."))
    world.observe({"kind": "turn", "session": "s1", "role": "user", "content": "Summarise my inbox.", "id": "t1"})
    answer = {"toSave": [{"name": "Summarise-Inbox", "content": "Again."}]}
    world.model("skill-gap", answer)
    assert world.model("skill-gap", answer).status == "skipped"
    assert [(one.name, one.content) for one in world.graph.skills.all()] == [("summarise-inbox", "Steps.")]


def test_past_trips_and_plans_are_told_to_be_no_noise_and_the_weighty_ones_are_safe(world: World) -> None:
    trip = world.graph.remember("Ines was in Bergen in 2024.", category="episodic/conversation", by="agent").handle
    for session in ("s1", "s2", "s3", "s4"):
        world.graph.remember(
            "Ines was in Bergen in 2024.", category="episodic/conversation", session=session, by="agent"
        )
    remembered(world, "Something else is here.")
    world.model("consolidation", {"toDelete": [trip]})
    assert "Past trips, future\nplans, named people and places are never noise." in world.client.prompt()
    assert "Ines was in Bergen in 2024." in world.facts()


def test_tool_x_does_not_work_is_no_memory(world: World) -> None:
    """No pass makes a standing claim of a failure: what failed is counted as events, and is told with its number of runs."""
    for at in range(5):
        world.observe(
            {
                "kind": "tool-call",
                "session": "s1",
                "tool": "browser",
                "outcome": "failed",
                "error": "down",
                "id": f"c{at}",
            }
        )
    world.local("self-model")
    assert world.facts() == [] or "browser" in world.graph.self_model().known_failures
    for at in range(30):
        world.observe({"kind": "tool-call", "session": "s2", "tool": "browser", "outcome": "ok", "id": f"o{at}"})
    world.local("self-model")
    assert (
        "browser" not in world.graph.self_model().known_failures
        and "known failures" not in world.graph.entity("self").facts
    )
    assert "never that a tool does not work" in " ".join(directive("episodes").split())


def directive(name: str) -> str:
    from graphdream.passes.registry import kind_named, read_directive

    return read_directive(kind_named(name), None).text


def test_housekeeping_reset_decay(world: World) -> None:
    world.graph.remember("Prefers tea.", category="general", by="agent")
    world.graph.remember("Prefers the window.", category="general", by="agent")
    world.later(60)
    world.model(
        "consolidation",
        {"toSave": [{"content": "Prefers tea.", "category": "user-preferences/drinks", "sourceIds": ["a1"]}]},
    )
    world.local("decay")
    weights = [row[0] for row in world.graph.store.connection.execute("SELECT importance FROM attribute ORDER BY id")]
    assert weights[0] == weights[1] == pytest.approx(0.5 * 0.5 ** (30 / 45), abs=1e-9), "a new category is no sighting"


def test_silent_skips(world: World) -> None:
    report = world.cycle()
    assert all(one.reason for one in report.passes if one.status != "applied")
    assert all(part.why_not for one in world.graph.cycle_passes() for part in one.parts if not part.due)


def test_extraction_overwrote_entities_and_doubled_triples(world: World) -> None:
    remembered(world, "Bruno has the key.", category="person/Bruno/keys")
    made = world.graph.entity("Bruno").entity
    for _ in range(2):
        world.later(1)
        world.graph.edit(
            {"op": "create_entity", "name": "Bruno", "type": "person"},
            {"op": "create_entity", "name": "Dock", "type": "place"},
            {"op": "link", "source": "Bruno", "target": "Dock", "type": "guards"},
            by="agent",
        )
    page = world.graph.entity("Bruno")
    assert (page.entity.handle, page.entity.first_seen) == (made.handle, made.first_seen) and len(page.links) == 1


def test_a_dream_that_reads_its_own_output_as_new_evidence(world: World) -> None:
    first, second = remembered(world, "The build fails on Mondays.", "The cache is cleared on Sundays.")
    answer = {"insights": [{"content": "The build fails after the cache is cleared.", "sourceIds": [first, second]}]}
    world.model("reflection", answer)
    row = world.graph.store.connection.execute(
        "SELECT derived, authority FROM attribute ORDER BY id DESC LIMIT 1"
    ).fetchone()
    assert tuple(row) == (1, "inferred")
    for _ in range(5):
        world.later(1.01)
        world.model("reflection", answer)
    shown = (
        [line for sent in [world.client.sent[-1]] for line in sent[1].content.splitlines()] if world.client.sent else []
    )
    assert not any("fails after the cache" in line for line in shown)
    (kept,) = entries(world.graph.store.connection, category="reflections")
    assert kept.reinforcement == 1, "no rewriting of its own is a sighting"


def test_one_recovered_error_blocked_the_cursor_forever(world: World) -> None:
    world.observe(
        {"kind": "turn", "session": "s1", "role": "user", "content": "We decided to close the dock.", "id": "t1"}
    )
    assert world.model("episodes", "not now").status == "failed"
    world.observe({"kind": "turn", "session": "s2", "role": "user", "content": "We met Ines.", "id": "t2"})
    done = world.model("episodes", {"toSave": [{"content": "It was decided to close the dock.", "session": "s1"}]})
    assert (
        done.status == "applied" and "close the dock" in world.client.prompt() and "met Ines" in world.client.prompt()
    )
    assert world.model("episodes", {}).status == "skipped"


def test_loops_without_end_are_bounded_by_calls(world: World) -> None:
    world.observe(
        {"kind": "turn", "session": "s1", "role": "user", "content": "We decided to close the dock.", "id": "t1"}
    )
    client = ScriptedClient(lambda messages: {"toSave": [{"content": "Atlantis rose.", "session": "s1"}]})
    world.model("episodes", client)
    assert len(client.sent) == 2, "one question, one repair"


def test_asymmetric_steps_drifted() -> None:
    value = 0.5
    for at in range(2_000):
        value = stepped(value, at % 2 == 0, 0.015, 0.05, 0.98)
    assert value == pytest.approx(0.5, abs=0.01)
    for at in range(2_000):
        value += 0.02 if at % 2 == 0 else -0.04
    assert value < 0, "what the earlier steps did"


def test_garbage_extraction_and_an_unbounded_queue(world: World) -> None:
    """Quoted fragments, errors and half sentences become no rule; feedback is read by a window and a cursor."""
    for at in range(120):
        world.observe(
            {
                "kind": "feedback",
                "feedback": "correction",
                "session": f"s{at}",
                "content": "Traceback (most recent call last): KeyError: 'x' not in",
                "id": f"f{at}",
            }
        )
    assert world.local("anti-patterns").figures["corrections"] == 120 and world.facts() == []
    world.model("consolidation", {})
    assert world.client.prompt().count("KeyError") <= 50


def test_a_dream_and_the_agent_that_undo_each_other(world: World) -> None:
    """What was taken back once is left alone by every later cycle, however often the model wants it."""
    for name in ("mcp/email", "mcp/mail"):
        world.graph.skills.put(Skill(name, "Mail", f"1. Open it with {name}."))
    answer = {"toSave": [{"name": "mcp/email", "summary": "Mail", "content": "1. Open it with mcp/email or mcp/mail.",
                          "sourceNames": ["mcp/mail"]}]}  # fmt: skip
    done = world.model("skill-consolidation", answer)
    assert [one.name for one in world.graph.skills.all()] == ["mcp/email"]
    world.graph.undo(done.pass_id or 0)
    for at in range(3):
        world.graph.skills.put(Skill(f"other-{at}", "Other", "Something else."))
        world.later(1)
        world.model("skill-consolidation", answer)
        assert {"mcp/email", "mcp/mail"} <= {one.name for one in world.graph.skills.all()}


def test_settings_that_a_service_turned_by_itself(world: World) -> None:
    """No pass writes a setting, or any file but the two that are its own; a number out of bounds is refused."""
    full_day(world)
    (world.folder / "agent.yaml").write_text("memory:\n  cycle:\n    usageDays: 30\n")
    (world.folder / "MEMORY.md").write_text("Mine.\n<!-- graphdream:begin -->\n<!-- graphdream:end -->\n")
    before = {path.name: path.read_bytes() for path in world.folder.iterdir() if not path.name.startswith("memory.db")}
    for _ in range(3):
        world.later(1)
        world.cycle(client=ScriptedClient(lambda messages: "{}"))
    after = {path.name: path.read_bytes() for path in world.folder.iterdir() if not path.name.startswith("memory.db")}
    assert {name for name in after if after[name] != before.get(name)} == {"MEMORY.md", "self_model.json"}
    assert after["MEMORY.md"].startswith(b"Mine.\n") and before.keys() <= after.keys()
    for wrong in ({"decay_floor": 2}, {"gap_sessions": 0}, {"confidence_step": -1}):
        with pytest.raises(ValueError):
            Cycle(**wrong)


def test_blocks_that_stood_twice_in_a_prompt(world: World) -> None:
    """No entry, skill or turn is shown twice in one prompt."""
    full_day(world)
    client = ScriptedClient(lambda messages: "{}")
    world.cycle(client=client)
    assert len(client.sent) >= 9
    for sent in client.sent:
        handles = re.findall(r"\[(a\d+)\]", sent[1].content)
        assert len(handles) == len(set(handles))
        heads = re.findall(r"(?m)^(?:## |session )\S+", sent[1].content)
        assert len(heads) == len(set(heads)), sent[1].content


def test_moments_of_a_merge_that_were_lost(world: World) -> None:
    """What an entry is about in time is shown, widened by a merge, and never read from the answer."""
    first, second = remembered(world, "Ines leads the survey of the quay.", "The survey of the quay is led by Ines.")
    world.graph.edit(
        {"op": "date_attribute", "attribute": first, "valid_from": "2021-03"},
        {"op": "date_attribute", "attribute": second, "valid_from": "2019", "valid_to": "2031"},
    )
    world.model("consolidation", {"toSave": [
        {"content": "Ines leads the survey of the quay.", "sourceIds": [first, second], "validFrom": "1999"}]})  # fmt: skip
    assert "subject=2021-03..?" in world.client.prompt() and "subject=2019..2031" in world.client.prompt()
    (kept,) = entries(world.graph.store.connection)
    assert kept.subject == "2019..2031" and kept.reinforcement == 2


# Each row of the list, and the tests that hold its guard; a path where they stand elsewhere.
ROWS = {
    "the whole corpus offered for deletion": ["test_the_whole_corpus_offered_for_deletion_each_cycle"],
    "sources of a refused merge": ["test_sources_of_a_refused_merge_deleted_all_the_same"],
    "delete, then save": ["test_delete_then_save_that_lost_data_on_blank_content"],
    "a merge that reads fine": ["test_a_merge_that_drops_names_dates_or_numbers_and_reads_fine",
                                "test_moments_of_a_merge_that_were_lost"],
    "treadmill": ["test_a_treadmill_of_rewordings"],
    "identical copies, one no forever": ["test_identical_copies_stay_live_after_one_decline",
                                         "test_a_no_is_not_forever_where_something_new_comes"],
    "one pass ends the cycle": ["test_one_pass_that_ends_early_does_not_end_the_cycle_and_an_empty_store_gets_its_first_memory"],
    "idle agent billed": ["test_protocol.py::test_nothing_new_costs_nothing_and_writes_nothing",
                          "test_month.py::test_an_idle_month_costs_no_token_and_undoing_all_passes_gives_the_state_before"],
    "restarts": ["test_restarts_that_caused_fifteen_passes_in_three_days",
                 "../dream/test_scheduler.py::test_a_service_that_is_killed_at_random_loses_nothing_and_does_nothing_twice"],
    "malformed JSON": ["test_malformed_json_killed_the_cycle", "test_long_markdown_of_skills_is_shown_cut"],
    "all skills deleted": ["test_a_model_that_deletes_all_skills_and_saves_none",
                           "test_styles.py::test_an_answer_that_deletes_everything_destroys_nothing"],
    "skills of live services; dream and agent undo each other": [
        "test_skills_that_bind_to_live_services_are_kept_apart_by_a_pin", "test_a_dream_and_the_agent_that_undo_each_other"],
    "orphaned assets, reset dates": ["test_merging_and_improving_orphaned_lessons_and_reset_dates"],
    "near-duplicate skills each cycle": ["test_near_duplicate_skills_made_each_cycle_and_merged_again"],
    "past trips and plans": ["test_past_trips_and_plans_are_told_to_be_no_noise_and_the_weighty_ones_are_safe"],
    "tool X does not work": ["test_tool_x_does_not_work_is_no_memory"],
    "housekeeping reset decay": ["test_housekeeping_reset_decay", "test_local.py::test_any_split_of_the_same_time_gives_the_same_importance"],
    "silent skips": ["test_silent_skips"],
    "overwritten entities, doubled triples": ["test_extraction_overwrote_entities_and_doubled_triples"],
    "config ratchet": ["test_settings_that_a_service_turned_by_itself"],
    "own output as evidence": ["test_a_dream_that_reads_its_own_output_as_new_evidence"],
    "blocked cursor, endless loops": ["test_one_recovered_error_blocked_the_cursor_forever",
                                      "test_loops_without_end_are_bounded_by_calls"],
    "asymmetric steps, garbage, doubled blocks, endless queue": [
        "test_asymmetric_steps_drifted", "test_garbage_extraction_and_an_unbounded_queue",
        "test_blocks_that_stood_twice_in_a_prompt"],
}  # fmt: skip


def test_every_row_of_the_list_has_its_test() -> None:
    assert len(ROWS) == 23
    for row, names in ROWS.items():
        for name in names:
            file, _, test = name.rpartition("::")
            source = (Path(__file__).parent / file).read_text(encoding="utf-8") if file else ""
            assert test in globals() or f"def {test}(" in source, (row, name)
