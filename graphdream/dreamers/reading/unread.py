"""What of a session is still to be read: its summaries, what was observed, and where nobody summed it up, what was
said."""

from __future__ import annotations

from graphdream.dreamers.gathered import SeenSession


def texts_of(session: SeenSession) -> list[str]:
    """The unread texts of a session, in the order told."""
    told = [text for _, text in session.summaries] + [item.content for item in session.observations]
    return [*told, *(turn.content for turn in session.told)]
