"""Learn what not to do from corrections that say so outright: `Don't send mail without asking.`"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from graphdream.events.observed import newest_observed, observed
from graphdream.passes.protocol import PassKind, Plan, Scene, Sight, Skip, since
from graphdream.passes.sayings import saying, sentences
from graphdream.views.memory import saved

NAME = "anti-patterns"


def look(scene: Scene) -> Sight | Skip:
    """Corrections that were not read yet."""
    newest = newest_observed(scene.connection, "feedback")
    if not newest:
        return Skip("no feedback is on record")
    said = [
        event
        for event in observed(
            scene.connection, "feedback", after=scene.read.get("feedback", 0),
            since=since(scene, scene.settings.feedback_days),
        )
        if event.name == "correction"
    ]  # fmt: skip
    return Sight({"feedback": newest}, said, len(said))


def local(scene: Scene, said: Any) -> Plan:
    """One entry for each sentence that forbids something, in the person's own words."""
    plan, used = Plan(), _skills_of(scene)
    for event in said:
        domain = (event.text("skill") or used.get(event.session) or "general").replace("/", "-")
        for sentence in sentences(event.text("content")):
            if saying(sentence) == "dont":
                known = _session(scene, event.session)
                plan.propose(
                    saved(
                        scene.connection, sentence, f"anti-patterns/{domain}", tags=("anti-pattern",), importance=0.7,
                        session=known, known_at=event.at,
                    )
                )  # fmt: skip
    waiting = len(said) - len(
        {event.id for event in said if any(saying(s) == "dont" for s in sentences(event.text("content")))}
    )
    plan.figures.update(corrections=len(said))
    if waiting:
        plan.notes.append(f"{waiting} corrections say it in other ways and wait for a model")
    return plan


def _skills_of(scene: Scene) -> dict[str, str]:
    """The one skill of each session that used one alone."""
    used: dict[str, set[str]] = defaultdict(set)
    for session, name in scene.connection.execute(
        "SELECT session_key, name FROM observed WHERE kind = 'skill-use' AND session_key <> ''"
    ):
        used[session].add(name)
    return {session: next(iter(names)) for session, names in used.items() if len(names) == 1}


def _session(scene: Scene, key: str) -> str:
    """The key where such a session is on record, which is what evidence may name."""
    row = scene.connection.execute("SELECT 1 FROM session WHERE key = ?", (key,)).fetchone()
    return key if row else ""


PASS = PassKind(
    NAME, 25, "memory", "keeps what a person forbade in so many words under anti-patterns/{domain}", look, local,
    events=("feedback",),
)  # fmt: skip
