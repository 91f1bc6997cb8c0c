"""Keep what happened: episodes of the sessions, and those that a later session comes back to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from graphdream.mutations import model
from graphdream.passes.answers import Answer, AnswerPart
from graphdream.passes.material import Turn, newest_turn, shown_sessions, turns_after, ungrounded
from graphdream.passes.protocol import NOTHING_TO_ASK, PassKind, Plan, Question, Scene, Sight, Skip
from graphdream.views.memory import MemoryEntry, entries, saved

NAME = "episodes"
FOLDER = "episodic"


class NewEpisode(AnswerPart):
    """Something that happened."""

    content: str
    event_type: Literal["conversation", "task", "decision", "discovery", "problem"] = "conversation"
    importance: float = 0.5
    tags: list[str] = Field(default_factory=list)
    session: str = Field(description="key of the session in which it happened")


class Revisited(AnswerPart):
    """An episode that a session came back to."""

    id: str
    session: str = Field(description="key of the session that did")


class EpisodeAnswer(Answer):
    """What happened, and what was come back to."""

    to_save: list[NewEpisode] = Field(default_factory=list)
    revisited: list[Revisited] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Shown:
    """Turns that were not read yet, and the episodes there are."""

    turns: list[Turn]
    known: dict[str, MemoryEntry]
    text: str


def look(scene: Scene) -> Sight | Skip:
    """Turns that were not read yet."""
    newest = newest_turn(scene.connection)
    if newest == scene.read.get("turn", 0):
        return Skip("nothing was said since") if not newest else Sight({"turn": newest}, None)
    turns = turns_after(scene.connection, scene.read.get("turn", 0), chars=scene.settings.prompt_tokens * 2)
    text = shown_sessions(turns, chars=scene.settings.prompt_tokens * 2)
    known = {one.handle: one for one in entries(scene.connection, category=FOLDER, limit=scene.settings.episodes_known)}
    return Sight({"turn": turns[-1].id if turns else newest}, Shown(turns, known, text), len(turns))


def ask(scene: Scene, shown: Shown | None) -> Question:
    """The sessions and the episodes there are."""
    if shown is None or not shown.text:
        return NOTHING_TO_ASK
    known = "\n".join(
        f"[{one.handle}] {one.place.aspect}, {one.created_at[:10]}, seen {one.reinforcement}: {one.content}"
        for one in shown.known.values()
    )
    return Question((("Episodes there are:", known or "(none)"), ("Sessions:", shown.text)))


def compile(scene: Scene, shown: Shown, answer: EpisodeAnswer) -> Plan:
    """New episodes with their session, and sightings of those that are there."""
    plan = Plan()
    sessions: dict[str, list[Turn]] = {}
    for turn in shown.turns:
        sessions.setdefault(turn.session, []).append(turn)
    for place, item in enumerate(answer.to_save):
        said = sessions.get(item.session.strip())
        if said is None:
            plan.refuse(f"toSave[{place}]", f"session {item.session[:60]!r} was not shown", "no_session")
            continue
        material = "\n".join([item.session, *(f"{turn.speaker}: {turn.content}\n{turn.at[:10]}" for turn in said)])
        if not item.content.strip():
            plan.refuse(f"toSave[{place}]", "its content is blank")
        elif missing := ungrounded(item.content, material):
            plan.refuse(f"toSave[{place}]", f"the session does not say {', '.join(missing[:6])}", "grounding")
        else:
            tags = tuple(sorted({FOLDER, *(tag.strip() for tag in item.tags if tag.strip())}))
            plan.propose(
                saved(
                    scene.connection, item.content.strip(), f"{FOLDER}/{item.event_type}", tags=tags,
                    importance=_weight(scene, item.importance), session=item.session.strip(),
                    known_at=said[-1].at, occurred_at=said[0].at,
                )
            )  # fmt: skip
    for place, back in enumerate(answer.revisited):
        known = shown.known.get(back.id.strip().casefold())
        said = sessions.get(back.session.strip())
        if known is None or said is None:
            plan.refuse(f"revisited[{place}]", f"{back.id[:20]!r} or its session was not shown", "not_found")
        else:
            plan.propose(
                model.ReinforceAttribute(attribute=known.handle, session=back.session.strip(), known_at=said[-1].at)
            )
    return plan


def _weight(scene: Scene, importance: float) -> float:
    return max(scene.settings.episode_low, min(scene.settings.episode_high, importance))


PASS = PassKind(
    NAME, 70, "episodes", "keeps what happened in the sessions, and counts what they come back to", look, ask=ask,
    answer=EpisodeAnswer, compile=compile, directive="episode-dream.md", events=("turn",),
)  # fmt: skip
