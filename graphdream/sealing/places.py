"""Where the key and the anchors lie: not in the folder of an agent, because they tell of whoever writes there.

Hooks go through here, so only the standard library is loaded.
"""

from __future__ import annotations

import os
from pathlib import Path

from graphdream.paths import config_home, data_home, state_home
from graphdream.sealing.codes import blake2b


def anchors_home() -> Path:
    """The folder of the anchors, one file a place."""
    return state_home() / "anchors"


def folders_of_seals() -> list[Path]:
    """The folders of the keys and of the anchors."""
    return [config_home(), anchors_home()]


def place_of(database: Path) -> str:
    """What a file is known by outside of it: its path, within the data home without that home, so that a home can be
    moved as a whole."""
    real = os.path.realpath(database)
    home = os.path.realpath(data_home())
    return os.path.relpath(real, home).replace(os.sep, "/") if real.startswith(home + os.sep) else real


def path_of(place: str) -> Path:
    """Where a place is: the file that `place_of` has named so."""
    return Path(os.path.join(data_home(), place))


def place_digest(place: str) -> str:
    """A file name for a place: 32 hexadecimal digits."""
    return blake2b(place.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
