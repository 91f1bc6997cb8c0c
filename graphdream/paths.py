"""Where an agent's files are: one folder per agent under one home.

A session-end hook goes through here, so only the standard library is loaded, and `platformdirs` (some 10 ms) only when
`$GRAPHDREAM_HOME` is unset.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from graphdream.errors import UsageError
from graphdream.links import followed

HOME_VARIABLE = "GRAPHDREAM_HOME"
CONFIG_VARIABLE = "GRAPHDREAM_CONFIG_HOME"
STATE_VARIABLE = "GRAPHDREAM_STATE_HOME"
SETTINGS = "agent.yaml"
DEFAULT_AGENT = "default"

# A name becomes a folder, so it has no separator, no leading dot, no trailing dot (which Windows drops), and is short
# enough for every file system (255 bytes at 4 bytes a character).
_AGENT_NAME = r"\w(?:[\w.-]{0,61}[\w-])?"
# Device names on Windows, with or without an ending. Source: Microsoft, "Naming Files, Paths, and Namespaces".
_DEVICE_NAME = r"(?i:con|prn|aux|nul|(?:com|lpt)[0-9])(?:\..*)?"


def data_home() -> Path:
    """Return the folder that holds every agent: `$GRAPHDREAM_HOME`, else the platform's data directory.

    The folder need not exist; nothing is created here.
    """
    configured = os.environ.get(HOME_VARIABLE)
    if configured:
        return expanded(configured).absolute()
    from platformdirs import user_data_path

    return user_data_path("graphdream", appauthor=False)


def config_home() -> Path:
    """The folder of the key: `$GRAPHDREAM_CONFIG_HOME`, else `config` in `$GRAPHDREAM_HOME`, else the platform's."""
    return _beside_the_data(CONFIG_VARIABLE, "config")


def state_home() -> Path:
    """The folder of the anchors: `$GRAPHDREAM_STATE_HOME`, else `state` in `$GRAPHDREAM_HOME`, else the platform's."""
    return _beside_the_data(STATE_VARIABLE, "state")


def _beside_the_data(variable: str, what: str) -> Path:
    if configured := os.environ.get(variable):
        return expanded(configured).absolute()
    if os.environ.get(HOME_VARIABLE):
        return data_home() / what
    import platformdirs

    found: Path = getattr(platformdirs, f"user_{what}_path")("graphdream", appauthor=False)
    return found


def home(agent: str | None = None) -> Path:
    """Return the folder of one agent, `agents/NAME` under the data home.

    Args:
        agent: the agent's name; None or "" is the agent called "default".

    Raises:
        UsageError: the name cannot be a folder name everywhere (a path, a leading dot, a device name, over 63
            characters).
    """
    if not agent or agent == DEFAULT_AGENT:
        return data_home() / "agents" / DEFAULT_AGENT
    from unicodedata import normalize  # what a hook does not load

    name = normalize("NFC", agent)
    if not re.fullmatch(_AGENT_NAME, name) or re.fullmatch(_DEVICE_NAME, name):
        raise UsageError(
            f"{agent!r} cannot be an agent's name",
            "use up to 63 letters, digits, `.`, `_` and `-`, beginning with a letter or digit; "
            "to name a file, use --db",
        )
    return data_home() / "agents" / name


def database_path(db: str | os.PathLike[str] | None = None, agent: str | None = None) -> Path:
    """Return the database to use: `db` where it is given, else `memory.db` in the agent's folder.

    Raises:
        UsageError: `agent` cannot be a name, or `db` cannot be the path of a file.
    """
    given = expanded(db) if db is not None and os.fspath(db) else home(agent) / "memory.db"
    # What lies beside the database, such as calls that wait, lies beside the file itself, under whatever name it is
    # used. A path that is no link stays as it was written, since messages name it.
    found = followed(given)
    if not found.name:  # `/` and `.`: nothing can lie beside them
        raise UsageError(f"{found} is a folder: a memory is a file", "name the file, for example --db memory.db")
    return found


def expanded(path: str | os.PathLike[str]) -> Path:
    """A path with the home folder that `~` or `~name` stands for. Raises UsageError where nobody has that name."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UsageError(f"{os.fspath(path)}: there is no such user", "write the folder's whole path") from None


def agent_folder(database: Path, agent: str | None = None) -> Path:
    """Return the folder that holds an agent's identity files and its own DREAMING.md: the database's, where an
    `agent.yaml` stands in it, else the agent's own.

    A database lying by itself in a folder of somebody's project is no reason to send that project's files to a model.

    Raises:
        UsageError: `agent` cannot be a name.
    """
    return database.parent if (database.parent / SETTINGS).is_file() else home(agent)


def settings_path(agent: str | None = None) -> Path | None:
    """Return the agent's `agent.yaml`, else the one every agent shares in the data home, else None.

    Raises:
        UsageError: `agent` cannot be a name.
    """
    for folder in (home(agent), data_home()):
        candidate = folder / SETTINGS
        if candidate.is_file():
            return candidate
    return None
