"""OpenClaw: a hook of its own in the folder where its gateway looks for them."""

from __future__ import annotations

import json
from pathlib import Path

from graphdream.interfaces.hook.event import OPENCLAW
from graphdream.interfaces.hosts.base import Settings, Setup, Tool, folder_from

_FOLDER = "OPENCLAW_STATE_DIR"
_DOCUMENT = """\
---
name: graphdream
description: "Puts a session on record in graphdream when it is reset or compacted"
metadata: {"openclaw": {"emoji": "🌙", "events": ["command:new", "command:reset", "session:compact:before"]}}
---

# graphdream

Written by `graphdream init`; `graphdream init --undo` takes it away.
"""
_HANDLER = """\
// Written by `graphdream init`. Hands the session's transcript to graphdream and waits for nothing.
import { spawn } from "node:child_process";

const PROGRAM = %s;
const WORDS = %s;

export default async function graphdream(event) {
  const context = event.context ?? {};
  const entry = context.previousSessionEntry ?? context.sessionEntry ?? {};
  const transcript = context.sessionFile ?? entry.sessionFile;
  if (!transcript) return;
  const payload = {
    hook_event_name: event.type === "command" ? "SessionEnd" : "PreCompact",
    session_id: entry.sessionId ?? context.sessionId ?? event.sessionKey,
    transcript_path: transcript,
    cwd: context.workspaceDir ?? "",
  };
  const child = spawn(PROGRAM, WORDS, { stdio: ["pipe", "ignore", "ignore"], detached: true });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(payload));
  child.unref();
}
"""


def _found(home: Path) -> bool:
    return folder_from(_FOLDER, home / ".openclaw").is_dir()


def _settings(setup: Setup) -> list[Settings]:
    folder = folder_from(_FOLDER, setup.home / ".openclaw") / "hooks" / "graphdream"
    words = [*setup.program[1:], "hook", "--host", OPENCLAW, "--db", setup.database]
    words += ["--agent", setup.agent] if setup.agent else []
    handler = _HANDLER % (json.dumps(setup.program[0]), json.dumps(words))
    return [_own_file(folder / "HOOK.md", _DOCUMENT), _own_file(folder / "handler.ts", handler)]


def _own_file(path: Path, text: str) -> Settings:
    return Settings(path, lambda _: text, lambda _: "", "hooks")


TOOL = Tool(
    OPENCLAW, "OpenClaw", _found, _settings,
    after="openclaw hooks enable graphdream; it records sessions, recall goes over the MCP server or the command line",
)  # fmt: skip
