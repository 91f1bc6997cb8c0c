"""What a tool is: how it is found, which of its files are changed, and how."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SERVER = "graphdream"  # as which the MCP server is registered
# Seconds that hosts wait for a hook, which is done in a tenth of one; these are for a machine that is very busy. Claude
# Code gives all hooks of a session's end 1.5 s together, unless a settings file asks for more; Codex warns above 3.
TIMEOUTS = {
    "SessionStart": 10, "UserPromptSubmit": 5, "PreCompact": 5, "PostCompact": 5, "Stop": 5, "SessionEnd": 3
}  # fmt: skip
_OURS = re.compile(r"graphdream(\.exe)?['\"]?\s+hook\b|graphdream\s+hook\b")


@dataclass(frozen=True, slots=True)
class Setup:
    """What is to be written, and for whom.

    Attributes:
        program: the words that start graphdream, with whole paths.
        database: the memory that hooks and server are for.
        agent: whose it is; "" for the default.
        home: the user's home folder.
        project: the folder of a project, for the tools' settings of it alone; None for the user's own.
        mcp: whether the MCP server can run here, and so is registered.
    """

    program: tuple[str, ...]
    database: str
    agent: str
    home: Path
    project: Path | None
    mcp: bool

    def hook(self, *words: str) -> str:
        """The command line of a hook."""
        return command_line([*self.program, "hook", *words, "--db", self.database, *self._agent()])

    def server(self) -> tuple[str, list[str]]:
        """The program of the MCP server and its arguments."""
        return self.program[0], [*self.program[1:], "mcp", "--db", self.database, *self._agent()]

    def _agent(self) -> list[str]:
        return ["--agent", self.agent] if self.agent else []


@dataclass(frozen=True, slots=True)
class Settings:
    """One file of a tool's settings.

    Attributes:
        path: where it is, or will be.
        put_in: its new text from its old one ("" where there is none); raises UnusableSettingsError.
        take_out: its text without what is graphdream's; "" where nothing else is in it.
        what: what it holds of graphdream's: "hooks", "server", or both.
    """

    path: Path
    put_in: Callable[[str], str]
    take_out: Callable[[str], str]
    what: str


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, declared as `TOOL` in a module of this folder: nothing else needs to be told of it.

    Attributes:
        name: as `--tool` and hooks name it.
        title: as people call it.
        found: whether it is on this machine.
        settings: its files for a setup.
        after: what a person has to do once it is set up; "" for nothing.
    """

    name: str
    title: str
    found: Callable[[Path], bool]
    settings: Callable[[Setup], list[Settings]]
    after: str = ""


def program() -> tuple[str, ...]:
    """How this installation is started from anywhere: by its script, else by its interpreter."""
    script = Path(sysconfig.get_path("scripts")) / ("graphdream.exe" if os.name == "nt" else "graphdream")
    return (str(script),) if script.is_file() else (sys.executable, "-P", "-m", "graphdream")


def command_line(words: list[str]) -> str:
    """Words as a shell of this system reads them."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def is_ours(command: object) -> bool:
    """Whether a command line of a hook is graphdream's, of this version or another."""
    return isinstance(command, str) and _OURS.search(command) is not None


def folder_from(variable: str, default: Path) -> Path:
    """The folder that a variable of the environment names, else the default."""
    given = os.environ.get(variable)
    return Path(given).expanduser() if given else default
