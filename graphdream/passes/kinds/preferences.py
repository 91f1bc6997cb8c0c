"""Learn what the person prefers: by its form what was asked for outright, by a model what shows in how they react."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from graphdream.events.observed import Observed, newest_observed, observed
from graphdream.events.transcripts import MACHINES
from graphdream.graph.categories import place_of
from graphdream.mutations import model
from graphdream.passes.answers import Answer, AnswerPart
from graphdream.passes.material import (
    Turn,
    feedback_lines,
    likeness,
    newest_turn,
    shown_sessions,
    turns_after,
    ungrounded,
)
from graphdream.passes.protocol import NOTHING_TO_ASK, PassKind, Plan, Question, Scene, Sight, Skip, since
from graphdream.passes.sayings import saying, sentences
from graphdream.views.memory import MemoryEntry, entries, saved

NAME = "preferences"
FOLDER = "user-preferences"
INFERRED, STATED = f"{FOLDER}/inferred", f"{FOLDER}/stated"
_ALIKE = 0.6  # share of common words from which a preference is known already
_MOST_KNOWN = 100
ASKS_FIRST = "requires-user-permission"  # the tag of what touches security, credentials or money


class Preference(AnswerPart):
    """A durable preference of the person."""

    content: str
    category: str = Field(default=INFERRED)
    tags: list[str] = Field(default_factory=list)
    sentiment: Literal["strong", "mild", "casual"] = Field(
        default="casual",
        description="strong: irritated, repeated correction; mild: gentle pushback; casual: in passing",
    )
    sessions: list[str] = Field(default_factory=list, description="keys of the sessions that show it, one each")
    occurrences: int = Field(default=0, description="how often it showed; several times in one session count")
    requires_user_permission: bool = Field(default=False, description="touches security, credentials or money")


class PreferenceAnswer(Answer):
    """What the person prefers."""

    to_save: list[Preference] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Shown:
    """Turns and feedback that were not read yet, and the preferences there are."""

    turns: list[Turn]
    feedback: list[Observed]
    known: list[MemoryEntry]


def look(scene: Scene) -> Sight | Skip:
    """Turns and feedback that were not read yet; they count as read whatever comes of them."""
    newest, said = newest_turn(scene.connection), newest_observed(scene.connection, "feedback")
    if not newest and not said:
        return Skip("nothing was said yet")
    mark = {"turn": newest, "feedback": said}
    if mark == scene.read:
        return Sight(mark, None)
    turns = turns_after(scene.connection, scene.read.get("turn", 0), chars=scene.settings.prompt_tokens * 2)
    feedback = observed(
        scene.connection, "feedback", since=since(scene, scene.settings.feedback_days),
        after=scene.read.get("feedback", 0), limit=scene.settings.feedback_most, newest=True,
    )  # fmt: skip
    known = list(entries(scene.connection, category=FOLDER, limit=_MOST_KNOWN))
    return Sight(
        {"turn": turns[-1].id if turns else newest, "feedback": said}, Shown(turns, feedback, known),
        len(turns) + len(feedback),
    )  # fmt: skip


def local(scene: Scene, shown: Any) -> Plan:
    """Sentences of people that ask for something always, in their own words."""
    plan = Plan()
    if shown is None:
        return plan
    told = [(turn.session, turn.at, turn.content) for turn in shown.turns if turn.speaker.lower() not in MACHINES]
    told += [(event.session, event.at, event.text("content")) for event in shown.feedback if event.name == "correction"]
    texts = [one.content for one in shown.known]
    for session, at, text in told:
        for sentence in sentences(text):
            if saying(sentence) != "always":
                continue
            twin = next((one for one in shown.known if likeness(one.content, sentence) >= _ALIKE), None)
            if twin is not None:
                if session:
                    plan.propose(
                        model.ReinforceAttribute(attribute=twin.handle, session=_known(scene, session), known_at=at)
                    )
            elif all(likeness(text, sentence) < _ALIKE for text in texts):
                texts.append(sentence)
                plan.propose(
                    saved(
                        scene.connection, sentence, STATED, tags=("stated",), importance=0.7,
                        session=_known(scene, session), known_at=at,
                    )
                )  # fmt: skip
    return plan


def _known(scene: Scene, key: str) -> str:
    row = scene.connection.execute("SELECT 1 FROM session WHERE key = ?", (key,)).fetchone()
    return key if row else ""


def ask(scene: Scene, shown: Shown | None) -> Question:
    """The sessions, the feedback and the preferences there are."""
    if shown is None or not (shown.turns or shown.feedback):
        return NOTHING_TO_ASK
    text = shown_sessions(shown.turns, chars=scene.settings.prompt_tokens * 2)
    known = "\n".join(f"[{one.handle}] {one.category}: {one.content}" for one in shown.known)
    parts = [("Preferences there are:", known or "(none)")]
    parts += [("Sessions:", text)] if text else []
    parts += [("Feedback of the last days:", feedback_lines(shown.feedback))] if shown.feedback else []
    return Question(tuple(parts))


def compile(scene: Scene, shown: Shown, answer: PreferenceAnswer) -> Plan:
    """Those that showed often enough for how strongly they were said."""
    plan = Plan()
    keys = {turn.session for turn in shown.turns} | {event.session for event in shown.feedback}
    material = "\n".join([feedback_lines(shown.feedback), *(f"{turn.speaker}: {turn.content}" for turn in shown.turns)])
    for place, item in enumerate(answer.to_save):
        what = f"toSave[{place}]"
        sessions = sorted({key.strip() for key in item.sessions} & keys)
        times = max(len(sessions), min(item.occurrences, len(shown.turns) + len(shown.feedback)))
        needed: int = getattr(scene.settings, f"preference_{item.sentiment}")
        twin = next((one for one in shown.known if likeness(one.content, item.content) >= _ALIKE), None)
        if not item.content.strip():
            plan.refuse(what, "its content is blank")
        elif not sessions:
            plan.refuse(what, "no session that was shown shows it", "no_session")
        elif times < needed:
            plan.refuse(what, f"a {item.sentiment} one has to show {needed} times, and did {times}", "nothing_to_do")
        elif missing := ungrounded(item.content, material):
            plan.refuse(what, f"nothing that was shown says {', '.join(missing[:6])}", "grounding")
        elif twin is not None:
            plan.propose(model.ReinforceAttribute(attribute=twin.handle, session=_known(scene, sessions[0])))
        else:
            category = item.category.strip() if place_of(item.category).entity == FOLDER else INFERRED
            tags = {"inferred", *(tag.strip() for tag in item.tags if tag.strip())}
            if item.requires_user_permission:
                tags.add(ASKS_FIRST)
            plan.propose(
                saved(
                    scene.connection, item.content.strip(), category, tags=tuple(sorted(tags)), importance=0.6,
                    session=_known(scene, sessions[0]),
                )
            )  # fmt: skip
    return plan


PASS = PassKind(
    NAME, 90, "memory", "learns what the person prefers, said outright or shown often enough", look, local, ask,
    PreferenceAnswer, compile, "pref-dream.md", events=("turn", "feedback"),
)  # fmt: skip
