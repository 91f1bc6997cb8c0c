"""JSON settings with graphdream's part put in or taken out: everything else stays, in its order and its layout."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from graphdream.errors import GraphdreamError
from graphdream.interfaces.hosts.base import SERVER, Setup, is_ours

_COMMENT = re.compile(r"^\s*(//|/\*|#)", re.MULTILINE)
_INDENT = re.compile(r"^[{\[]\r?\n([ \t]+)\S", re.MULTILINE)


class UnusableSettingsError(GraphdreamError):
    """A settings file is not what it should be, so it is left as it is."""

    exit_code = 3


def edited(text: str, change: Callable[[dict[str, Any]], None]) -> str:
    """A JSON text with its object changed.

    Args:
        text: of the file; "" where there is none.
        change: changes the object in place.

    Returns:
        The new text: with the indentation, line ends, byte order mark and last line end of the old one; the very same
        where the change changed nothing, "" where it left nothing.

    Raises:
        UnusableSettingsError: the text is no JSON object, or one that would lose something: comments, a key told twice.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    held = _read(text[len(mark) :])
    before = json.dumps(held)
    change(held)
    if json.dumps(held) == before and text:
        return text
    if not held:
        return ""
    indent = found[1] if (found := _INDENT.search(text[len(mark) :])) else "  "
    new = json.dumps(held, ensure_ascii=False, indent=indent)
    new += "\n" if not text or text.endswith("\n") else ""
    return mark + (new.replace("\n", "\r\n") if "\r\n" in text else new)


def _read(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            twice = next(name for at, (name, _) in enumerate(pairs) if name in {one for one, _ in pairs[:at]})
            raise UnusableSettingsError(f"the key {twice!r} stands twice in one object")
        return made

    try:
        held = json.loads(text, object_pairs_hook=once)
    except RecursionError:
        raise UnusableSettingsError("it is nested too deeply") from None
    except ValueError as fault:
        if _COMMENT.search(text):
            raise UnusableSettingsError("it has comments, which would be lost") from None
        raise UnusableSettingsError(f"it is no JSON: {fault}") from None
    if not isinstance(held, dict):
        raise UnusableSettingsError("it is no JSON object")
    return held


def put_hooks(events: dict[str, tuple[str, int]]) -> Callable[[dict[str, Any]], None]:
    """Put a command and its timeout in seconds under each event, in the shape of Claude Code and Codex."""

    def change(held: dict[str, Any]) -> None:
        hooks = _object(held, "hooks")
        for event, (command, timeout) in events.items():
            groups = _list(hooks, event)
            ours = {"type": "command", "command": command, "timeout": timeout}
            places = [(group, at) for group in groups for at, one in enumerate(_hooks_of(group)) if _is_our_hook(one)]
            if not places:
                groups.append({"hooks": [ours]})
            for number, (group, at) in enumerate(places):
                group["hooks"][at] = ours if number == 0 else None
            _drop_gaps(hooks, event)

    return change


def drop_hooks(held: dict[str, Any]) -> None:
    """Take every hook of graphdream's out, and what is empty without them."""
    hooks = held.get("hooks")
    if not isinstance(hooks, dict):
        return
    for event, groups in list(hooks.items()):
        if not isinstance(groups, list):
            continue
        touched = False
        for group in groups:
            for at, one in enumerate(_hooks_of(group)):
                if _is_our_hook(one):
                    group["hooks"][at] = None
                    touched = True
        if touched:
            _drop_gaps(hooks, event)
            if not hooks[event]:
                del hooks[event]
    if not hooks:
        del held["hooks"]


def put_server(setup: Setup, **more: Any) -> Callable[[dict[str, Any]], None]:
    """Register the MCP server under `mcpServers`; what a person has added to its entry stays."""

    def change(held: dict[str, Any]) -> None:
        command, arguments = setup.server()
        entry = _object(_object(held, "mcpServers"), SERVER)
        entry.update({**{name: value for name, value in more.items() if name not in entry},
                      "command": command, "args": arguments})  # fmt: skip

    return change


def drop_server(held: dict[str, Any]) -> None:
    """Take the MCP server out."""
    servers = held.get("mcpServers")
    if isinstance(servers, dict) and SERVER in servers:
        del servers[SERVER]
        if not servers:
            del held["mcpServers"]


def _hooks_of(group: object) -> list[Any]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else []


def _is_our_hook(hook: object) -> bool:
    return isinstance(hook, dict) and is_ours(hook.get("command"))


def _drop_gaps(hooks: dict[str, Any], event: str) -> None:
    for group in hooks[event]:
        if None in _hooks_of(group):
            group["hooks"] = [one for one in group["hooks"] if one is not None]
    hooks[event] = [group for group in hooks[event] if not (isinstance(group, dict) and group.get("hooks") == [])]


def _object(held: dict[str, Any], name: str) -> dict[str, Any]:
    inner = held.setdefault(name, {})
    if not isinstance(inner, dict):
        raise UnusableSettingsError(f"`{name}` in it is no object")
    return inner


def _list(held: dict[str, Any], name: str) -> list[Any]:
    inner = held.setdefault(name, [])
    if not isinstance(inner, list):
        raise UnusableSettingsError(f"`{name}` in it is no list")
    return inner
