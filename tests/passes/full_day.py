"""A day on which every pass that asks a model has something to ask, and for each of them an answer that is right."""

from __future__ import annotations

from typing import Any

from graphdream.views.skills import Skill

from .conftest import World

STEPS = "1. Open the inbox.\n2. Read what is new.\n3. Draft an answer.\n4. Ask before it goes out.\n5. Send it. " + (
    "Say who it is for and by when an answer is needed. " * 4
)
TURNS = (
    ("s1", "user", "Summarise the inbox of the harbour office, please."),
    ("s1", "assistant", "Bruno Faria asks for the survey of the north quay."),
    ("s1", "user", "We decided with Bruno to lease the second crane from April on."),
    ("s2", "user", "Summarise the mails of Herr Brandt. Kürzer bitte, das ist zu lang."),
    ("s2", "assistant", "Er fragt nach dem Kran."),
    ("s2", "user", "Zu lang! Antworte in Stichpunkten."),
    ("s2", "user", "About the noise permit again: it was put off once more."),
)


def full_day(world: World) -> None:
    """Fill an empty memory; afterwards it is 21 March 2026, nine o'clock."""
    graph = world.graph
    graph.edit(
        {"op": "create_entity", "name": "general", "type": "category", "aspects": [{"name": "general", "attributes": [
            {"content": "Bruno Faria runs the harbour office."}, {"content": "The harbour office is run by Bruno Faria."},
            {"content": "The harbour project has two cranes."}, {"content": "ok, will do"},
            {"content": "Never reveal the tender before it is opened.", "kind": "constraint", "importance": 0.9}]}]},
        by="agent",
    )  # fmt: skip
    for skill in (
        Skill("mcp/email", "Read and send mail", STEPS), Skill("mcp/mail", "Send mail", "1. Draft it.\n2. Send it."),
        Skill("reports", "Write the weekly report", STEPS.replace("inbox", "report")),
        Skill("translate", "Translate between English and German", STEPS.replace("inbox", "text")),
    ):  # fmt: skip
        graph.skills.put(skill)
    world.later(20)
    graph.edit(
        {"op": "create_entity", "name": "episodic", "type": "category", "aspects": [{"name": "decision", "attributes": [
            {"content": "The noise permit was put off until the summer.", "tags": ["episodic"]},
            {"content": "The harbour office asked for a survey.", "tags": ["episodic"]}]}]},
        by="agent",
    )  # fmt: skip
    events: list[dict[str, Any]] = [
        {"kind": "turn", "session": session, "role": role, "content": content, "id": f"t{at}"}
        for at, (session, role, content) in enumerate(TURNS)
    ]
    events += [
        {"kind": "skill-use", "session": "s3", "skill": skill, "outcome": "ok", "id": f"u{at}"}
        for at, skill in enumerate(("mcp/email", "reports", "translate"))
    ]
    events += [
        {"kind": "feedback", "feedback": "correction", "session": "s3", "skill": "reports", "id": "f1",
         "content": "These are last week's figures."},
        *({"kind": "execution", "session": "s3", "description": "report figures", "outcome": "failed", "id": f"x{at}",
           "failed_step": "open", "category": "data", "error": "sheet Figures is missing", "skill": "reports"}
          for at in range(6)),
    ]  # fmt: skip
    world.observe(*events)
    world.later(seconds=3600)


def right(world: World, name: str) -> dict[str, Any]:
    """What a model answers that does well; handles are those of this memory."""
    of = {
        row[0]: f"a{row[1]}"
        for row in world.graph.store.connection.execute("SELECT content, id FROM attribute ORDER BY id DESC")
    }
    office, same = of["Bruno Faria runs the harbour office."], of["The harbour office is run by Bruno Faria."]
    permit, cranes = of["The noise permit was put off until the summer."], of["The harbour project has two cranes."]
    answers: dict[str, dict[str, Any]] = {
        "consolidation": {
            "toSave": [{"content": "Bruno Faria runs the harbour office.", "sourceIds": [office, same]}],
            "toDelete": [of["ok, will do"]],
        },
        "skill-gap": {"toSave": [
            {"name": "summarise-inbox", "summary": "Sum up the inbox", "content": "1. Open it.\n2. Say what is urgent.",
             "seeAlso": ["mcp/email"]}]},
        "procedures": {"toSave": [
            {"name": "report-by-mail", "triggers": ["weekly report"], "session": "s3",
             "steps": ["mcp/email: fetch", "reports: write", "translate: to German"]}]},
        "failures": {"skillUpdates": [
            {"name": "reports", "annotation": "See first that the sheet Figures is there.", "frequency": 6}]},
        "skill-consolidation": {
            "toSave": [{"name": "mcp/email", "summary": "Read, draft and send mail", "content": STEPS + "\n6. File it.",
                        "sourceNames": ["mcp/email", "mcp/mail"]}],
            "toDelete": ["mcp/mail"],
        },
        "skill-optimization": {"toSave": [
            {"name": "reports", "content": STEPS.replace("inbox", "report") + "\n6. Check the week of the figures."}]},
        "episodes": {
            "toSave": [{"content": "It was decided with Bruno to lease the second crane from April on.",
                        "eventType": "decision", "importance": 0.8, "session": "s1"}],
            "revisited": [{"id": permit, "session": "s2"}],
        },
        "preferences": {"toSave": [
            {"content": "Antworte in Stichpunkten.", "sentiment": "strong", "sessions": ["s2"], "occurrences": 1}]},
        "reflection": {"reflection": "The crane comes up again.", "insights": [
            {"content": "The harbour office plans with two cranes.", "sourceIds": [office, cranes]}]},
        "insights": {"insights": [
            {"content": "The harbour office plans with two cranes.", "sourceIds": [office, cranes]}]},
    }  # fmt: skip
    return answers[name]
