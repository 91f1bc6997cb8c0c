"""Codex: hooks in `hooks.json`, the server in `config.toml`, of the user or of a project."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from graphdream.interfaces.hook.event import CODEX
from graphdream.interfaces.hosts.base import SERVER, TIMEOUTS, Settings, Setup, Tool, folder_from
from graphdream.interfaces.hosts.claude_code import json_settings
from graphdream.interfaces.hosts.merging import UnusableSettingsError, drop_hooks, put_hooks

_FOLDER = "CODEX_HOME"
_BEGIN, _END = "# graphdream: begin; written by `graphdream init`", "# graphdream: end"
_BLOCK = re.compile(rf"(?:\A|\r?\n){re.escape(_BEGIN)}.*?{re.escape(_END)}\r?\n", re.DOTALL)


def _found(home: Path) -> bool:
    return folder_from(_FOLDER, home / ".codex").is_dir()


def _settings(setup: Setup) -> list[Settings]:
    folder = setup.project / ".codex" if setup.project else folder_from(_FOLDER, setup.home / ".codex")
    command = setup.hook("--host", CODEX)
    put = put_hooks({event: (command, seconds) for event, seconds in TIMEOUTS.items()})
    found = [json_settings(folder / "hooks.json", put, drop_hooks, "hooks")]
    if setup.mcp:
        found.append(
            Settings(folder / "config.toml", lambda text: _with_server(text, setup), _without_server, "server")
        )
    return found


def _with_server(text: str, setup: Setup) -> str:
    """The text with a block of its own at the end: comments and layout of the rest stay."""
    rest = _without_server(text)
    held = _read(rest)
    if SERVER in held.get("mcp_servers", {}):
        return text  # a person's own entry
    command, arguments = setup.server()
    # A string of JSON is one of TOML, as long as no sign above U+FFFF is written as a pair.
    words = [json.dumps(word, ensure_ascii=False) for word in (command, *arguments)]
    block = f"{_BEGIN}\n[mcp_servers.{SERVER}]\ncommand = {words[0]}\nargs = [{', '.join(words[1:])}]\n{_END}\n"
    new = f"{rest}{'' if not rest or rest.endswith(chr(10)) else chr(10)}{chr(10) if rest else ''}{block}"
    _read(new)
    return new.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in text else new


def _without_server(text: str) -> str:
    return _BLOCK.sub("", text)


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise UnusableSettingsError(f"it is no TOML: {fault}") from None


TOOL = Tool(
    CODEX, "Codex", _found, _settings,
    after="start Codex once and trust the new hooks: it runs none that was not reviewed",
)  # fmt: skip
