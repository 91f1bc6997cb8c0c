"""What a host tells of a session: one shape for the payloads of Claude Code, Codex and Copilot.

Read tolerantly: unknown keys are passed over, every optional one may be missing, and names count whichever way they are
written (`SessionStart`, `sessionStart`, `session-started`).

Sources: the hooks references of Claude Code, Codex and Copilot CLI, all as of 2026.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SESSION_START = "session-start"
USER_PROMPT = "user-prompt"
PRE_COMPACT = "pre-compact"
POST_COMPACT = "post-compact"
STOP = "stop"
SESSION_END = "session-end"
KINDS = (SESSION_START, USER_PROMPT, PRE_COMPACT, POST_COMPACT, STOP, SESSION_END)

CLAUDE_CODE, CODEX, COPILOT, OPENCLAW = "claude-code", "codex", "copilot", "openclaw"
HOSTS = (CLAUDE_CODE, CODEX, COPILOT, OPENCLAW)

# How the hosts call the events, without case, hyphens and underscores.
_KIND_OF = {
    "sessionstart": SESSION_START, "sessionstarted": SESSION_START,
    "userpromptsubmit": USER_PROMPT, "userpromptsubmitted": USER_PROMPT, "userprompt": USER_PROMPT,
    "precompact": PRE_COMPACT, "postcompact": POST_COMPACT,
    "stop": STOP, "agentstop": STOP, "agentturncomplete": STOP,
    "sessionend": SESSION_END, "sessionended": SESSION_END,
}  # fmt: skip


class Event:
    """One event of a session.

    Attributes:
        kind: one of `KINDS`.
        name: as the host calls it, which its answer repeats.
        host: one of `HOSTS`.
        session: the host's own id of the session.
        transcript: path of the file that the host writes the session into; "" where it tells of none.
        prompt: what the user said; of a prompt only.
        summary: of the session so far, as the host made it when it compacted its context.
        reply: what the agent said last; of a stop only.
        folder: where the host works.
    """

    __slots__ = ("folder", "host", "kind", "name", "prompt", "reply", "session", "summary", "transcript")

    def __init__(self, kind: str, name: str, host: str, session: str) -> None:
        self.kind, self.name, self.host, self.session = kind, name, host, session
        self.transcript = self.prompt = self.summary = self.reply = self.folder = ""


class UnreadableEventError(ValueError):
    """A payload is of no event that is known; the message says why."""


def read_event(payload: Mapping[str, Any], name: str = "", host: str = "") -> Event | None:
    """Read the payload of a hook.

    Args:
        payload: the object that the host wrote.
        name: the event as the command says, for hosts whose payload does not.
        host: likewise the host; without it, it is told by how the payload is written.

    Returns:
        The event; None for what a sub-agent of the session does.

    Raises:
        UnreadableEventError: the payload is no object, the event is unknown, or it names neither session nor folder.
    """
    if not isinstance(payload, dict):
        raise UnreadableEventError(f"the payload is of type {type(payload).__name__}, not an object")
    if _text(payload, "agent_id", "agentId"):
        return None
    name = _text(payload, "hook_event_name", "hookEventName", "event", "type") or name
    if not name:
        raise UnreadableEventError("the payload does not say of which event it is")
    kind = _KIND_OF.get(name.replace("-", "").replace("_", "").lower())
    if kind is None:
        raise UnreadableEventError(f"{name[:80]!r} is no event that is known")
    host = host or _host(payload)
    folder = _text(payload, "cwd")
    # Copilot's early versions name no session: one working folder is then one conversation.
    session = _text(payload, "session_id", "sessionId", "session-id") or (f"{host}:{folder}" if folder else "")
    if not session:
        raise UnreadableEventError(f"the payload of {name} names no session")
    event = Event(kind, name, host, session)
    event.folder = folder
    event.transcript = _text(payload, "transcript_path", "transcriptPath")
    event.prompt = _text(payload, "prompt", "initialPrompt", "initial_prompt")
    event.summary = _text(payload, "compact_summary", "compactSummary", "summary")
    event.reply = _text(payload, "last_assistant_message", "lastAssistantMessage", "last-assistant-message")
    return event


def answer_text(event: Event, memory: str) -> str:
    """What to print for the host so that the text comes before its model; "" where there is nothing to say."""
    if not memory:
        return ""
    import json

    if event.host == COPILOT:
        return json.dumps({"additionalContext": memory})
    return json.dumps({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": memory}})


def _host(payload: Mapping[str, Any]) -> str:
    if "sessionId" in payload or isinstance(payload.get("timestamp"), int | float):
        return COPILOT
    rollout = "/.codex/" in _text(payload, "transcript_path").replace("\\", "/")
    return CODEX if rollout or "turn_id" in payload else CLAUDE_CODE


def _text(payload: Mapping[str, Any], *names: str) -> str:
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""
