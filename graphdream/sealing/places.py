"""Where the key and the anchors lie: not in the folder of an agent, because they tell of whoever writes there.

Hooks go through here, so only the standard library is loaded, and `platformdirs` only where no variable says where.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

from graphdream.paths import HOME_VARIABLE, data_home, expanded

CONFIG_VARIABLE = "GRAPHDREAM_CONFIG_HOME"
STATE_VARIABLE = "GRAPHDREAM_STATE_HOME"


def config_home() -> Path:
    """The folder of the key: `$GRAPHDREAM_CONFIG_HOME`, else `config` in `$GRAPHDREAM_HOME`, else the platform's."""
    return _home(CONFIG_VARIABLE, "config")


def state_home() -> Path:
    """The folder of the anchors: `$GRAPHDREAM_STATE_HOME`, else `state` in `$GRAPHDREAM_HOME`, else the platform's."""
    return _home(STATE_VARIABLE, "state")


def _home(variable: str, what: str) -> Path:
    if configured := os.environ.get(variable):
        return expanded(configured).absolute()
    if os.environ.get(HOME_VARIABLE):
        return data_home() / what
    import platformdirs

    found: Path = getattr(platformdirs, f"user_{what}_path")("graphdream", appauthor=False)
    return found


def place_of(database: Path) -> str:
    """What a file is known by outside of it: its path, within the data home without that home, so that a home can be
    moved as a whole."""
    real = os.path.realpath(database)
    home = os.path.realpath(data_home())
    return os.path.relpath(real, home).replace(os.sep, "/") if real.startswith(home + os.sep) else real


def place_digest(place: str) -> str:
    """A file name for a place: 32 hexadecimal digits."""
    return blake2b(place.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
