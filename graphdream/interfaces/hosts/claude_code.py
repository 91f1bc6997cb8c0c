"""Claude Code: hooks and server in the user's own settings, or in those of a project that are not shared."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphdream.interfaces.hook.event import CLAUDE_CODE
from graphdream.interfaces.hosts.base import TIMEOUTS, Settings, Setup, Tool, folder_from
from graphdream.interfaces.hosts.merging import drop_hooks, drop_server, edited, put_hooks, put_server

_FOLDER = "CLAUDE_CONFIG_DIR"


def _found(home: Path) -> bool:
    return folder_from(_FOLDER, home / ".claude").is_dir() or shutil.which("claude") is not None


def _settings(setup: Setup) -> list[Settings]:
    command = setup.hook("--host", CLAUDE_CODE)
    put = put_hooks({event: (command, seconds) for event, seconds in TIMEOUTS.items()})
    if setup.project:
        hooks, server = setup.project / ".claude" / "settings.local.json", setup.project / ".mcp.json"
    else:
        folder = folder_from(_FOLDER, setup.home / ".claude")
        hooks = folder / "settings.json"
        server = folder / ".claude.json" if folder != setup.home / ".claude" else setup.home / ".claude.json"
    found = [json_settings(hooks, put, drop_hooks, "hooks")]
    if setup.mcp:
        found.append(json_settings(server, put_server(setup, type="stdio"), drop_server, "server"))
    return found


def json_settings(
    path: Path, put: Callable[[dict[str, Any]], None], drop: Callable[[dict[str, Any]], None], what: str
) -> Settings:
    """A file of JSON that is changed by changing its object."""
    return Settings(path, lambda text: edited(text, put), lambda text: edited(text, drop), what)


TOOL = Tool(CLAUDE_CODE, "Claude Code", _found, _settings)
