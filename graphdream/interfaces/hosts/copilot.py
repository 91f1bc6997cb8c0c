"""Copilot CLI: a file of its own for the hooks, the server in `mcp-config.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphdream.interfaces.hook.event import COPILOT
from graphdream.interfaces.hosts.base import Settings, Setup, Tool, folder_from
from graphdream.interfaces.hosts.claude_code import json_settings
from graphdream.interfaces.hosts.merging import drop_server, put_server

_FOLDER = "COPILOT_HOME"
_EVENTS = {"sessionStart": 10, "userPromptSubmitted": 5, "preCompact": 5, "agentStop": 5, "sessionEnd": 3}


def _found(home: Path) -> bool:
    return folder_from(_FOLDER, home / ".copilot").is_dir()


def _settings(setup: Setup) -> list[Settings]:
    folder = folder_from(_FOLDER, setup.home / ".copilot")
    hooks = setup.project / ".github" / "hooks" if setup.project else folder / "hooks"

    def put(held: dict[str, Any]) -> None:
        held.clear()  # the file is graphdream's alone
        lines = {event: setup.hook("--host", COPILOT, "--event", event) for event in _EVENTS}
        held.update(version=1, hooks={
            event: [{"type": "command", "bash": line, "powershell": line, "timeoutSec": _EVENTS[event]}]
            for event, line in lines.items()
        })  # fmt: skip

    found = [json_settings(hooks / "graphdream.json", put, dict.clear, "hooks")]
    if setup.mcp and setup.project is None:
        put_entry = put_server(setup, type="local", tools=["*"])
        found.append(json_settings(folder / "mcp-config.json", put_entry, drop_server, "server"))
    return found


TOOL = Tool(COPILOT, "Copilot CLI", _found, _settings)
