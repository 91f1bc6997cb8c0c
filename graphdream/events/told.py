"""What a call tells of a session: checked, and as the text that is kept of it until it can be recorded."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graphdream.clock import stamp
from graphdream.errors import UsageError
from graphdream.events.transcripts import Transcript, Turn, read_transcript, storable, transcript_of
from graphdream.given import confirm_text

MAX_KEY_CHARACTERS = 512


class Observation(NamedTuple):
    """One thing that was observed in a session; `evidence` are the transcript's ids of the turns it rests on."""

    content: str
    speaker: str = ""
    evidence: tuple[str, ...] = ()


class Header(NamedTuple):
    """What is told of the session itself; times are UTC, ISO 8601."""

    key: str
    kind: str
    started_at: str | None
    ended_at: str | None
    metadata: dict[str, Any]


class Told(NamedTuple):
    """A call, checked: all that is written of it.

    Attributes:
        at: time of recording.
    """

    header: Header
    summaries: Sequence[str]
    turns: Sequence[Turn]
    observations: Sequence[Observation]
    at: str

    @classmethod
    def read(cls, text: str) -> Told:
        """A call that was put aside (`as_text`). Raises ValueError or TypeError where the text is none."""
        header, summaries, turns, observations, at = json.loads(text)
        seen = [Observation(content, speaker, tuple(evidence)) for content, speaker, evidence in observations]
        return cls(Header(*header), summaries, [Turn(*turn) for turn in turns], seen, at)

    def as_text(self) -> str:
        """The call as it is put aside."""
        return json.dumps(self)


def checked_key(given: str) -> str:
    """The host's id of a session. Raises UsageError where it is blank or too long."""
    confirm_text("the session's id", given)
    key = storable(given).strip()
    if not key:
        raise UsageError("the session has no id", "give the id that the host calls it by")
    if len(key) > MAX_KEY_CHARACTERS:
        raise UsageError(f"the session's id has {len(key):,} characters; at most {MAX_KEY_CHARACTERS} are allowed")
    return key


def checked_time(name: str, given: str | None) -> str | None:
    """A time as it is stored; None where none is given. Raises UsageError, naming `name`, where it is no time."""
    if not given:
        return None
    try:
        return stamp(given)
    except ValueError:
        raise UsageError(f"{name}: {given!r} is not a time", "write 2026-04-01T09:30:00Z or 2026-04-01") from None


def checked_transcript(
    given: Transcript | str | os.PathLike[str] | Iterable[Mapping[str, Any]] | None,
) -> Transcript | None:
    """A transcript from whatever it is given as. Raises NotFoundError or UsageError as `read_transcript`."""
    if given is None or isinstance(given, Transcript):
        return given
    return read_transcript(given) if isinstance(given, str | os.PathLike) else transcript_of(given)


def checked_observations(given: Iterable[Observation | Mapping[str, Any] | str]) -> list[Observation]:
    """Observations from whatever they are given as. Raises UsageError where one is none, or where it is a single one:
    the letters of a text are no observations."""
    if isinstance(given, str | bytes | Mapping | Observation):
        raise UsageError("observations is a single one; it should be a list", f"observations=[{given!r:.60}]")
    if not isinstance(given, Iterable):
        raise UsageError(f"observations is of type {type(given).__name__}; it should be a list")
    return [checked_observation(one) for one in given]


def checked_observation(given: Observation | Mapping[str, Any] | str) -> Observation:
    """An observation from whatever it is given as. Raises UsageError where it is none, or blank."""
    if isinstance(given, str):
        observation = Observation(given)
    elif isinstance(given, Observation):
        observation = given
    elif not isinstance(given, Mapping):
        raise UsageError(f"{given!r:.80} is not an observation", "it is text, or has `content`, speaker, [evidence]")
    else:
        text, speaker, evidence = given.get("content") or given.get("text"), given.get("speaker"), given.get("evidence")
        if not isinstance(text, str) or not isinstance(evidence or [], list | tuple):
            raise UsageError(f"{str(dict(given))[:80]} is not an observation", "it has `content`, speaker, [evidence]")
        observation = Observation(text, str(speaker or ""), tuple(map(str, evidence or ())))
    content = storable(observation.content).strip()
    if not content:
        raise UsageError("an observation is blank")
    return Observation(content, storable(observation.speaker), tuple(map(storable, observation.evidence)))


def checked_metadata(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Metadata as JSON would give it back. Raises UsageError where it is not JSON."""
    try:
        parsed = json.loads(json.dumps(dict(given or {}), allow_nan=False))
    except (TypeError, ValueError) as fault:
        raise UsageError(f"the metadata is not JSON: {fault}") from None
    return dict(parsed)
