"""What the process behind the hooks remembers between two events: which fired when, and which sessions are open."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from graphdream.bounded import whole_file
from graphdream.interfaces.hook.folder import STATE

_LONGEST = 1024 * 1024 * 1024  # bytes; it holds what was spoken in sessions without a transcript
_MOST_SPOKEN = 500  # turns that are kept of a session whose host writes no transcript


@dataclass(slots=True)
class OpenSession:
    """A session that was not seen to end.

    Attributes:
        host: whose it is.
        folder: where the host works.
        transcript: the file that the host writes it into; "" where it told of none.
        recorded_bytes: how long that file was when it was last put on record.
        seen_at: seconds since 1970 of its last event.
        spoken: `[speaker, text, seconds since 1970]` of what was told in events, for hosts without a transcript.
    """

    host: str = ""
    folder: str = ""
    transcript: str = ""
    recorded_bytes: int = -1
    seen_at: float = 0.0
    spoken: list[list[Any]] = field(default_factory=list)

    def heard(self, speaker: str, text: str, at: float) -> None:
        """Keep what was said, as long as nothing better tells of it."""
        if text and not self.transcript and len(self.spoken) < _MOST_SPOKEN:
            self.spoken.append([speaker, text, at])


@dataclass(slots=True)
class State:
    """All of it; `fired` has the stamp of the last event by host and kind, and how many there were."""

    fired: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    sessions: dict[str, OpenSession] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> State:
        """What was kept; nothing where there is none, or it cannot be read."""
        try:
            held = json.loads(whole_file(Path(folder) / STATE, _LONGEST))
            return cls(held["fired"], {key: OpenSession(**one) for key, one in held["sessions"].items()})
        except (OSError, ValueError, KeyError, TypeError):
            return cls()

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Keep it: the file is the old one or the new one, whatever happens."""
        path = Path(folder) / STATE
        fresh = path.with_suffix(".new")
        held = {"fired": self.fired, "sessions": {key: asdict(one) for key, one in self.sessions.items()}}
        fresh.write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")
        fresh.replace(path)

    def note_fired(self, host: str, kind: str, at: str) -> None:
        """Count an event."""
        kinds = self.fired.setdefault(host, {})
        kinds[kind] = [at, kinds.get(kind, ["", 0])[1] + 1]
