"""Where the key and the anchors lie: not in the folder of an agent, because they tell of whoever writes there.

Hooks go through here, so only the standard library is loaded.
"""

from __future__ import annotations

import os
from pathlib import Path

from graphdream.links import links_followed
from graphdream.paths import config_home, data_home, state_home
from graphdream.sealing.codes import blake2b

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_LINKS = 40  # beyond which a system opens nothing either


def anchors_home() -> Path:
    """The folder of the anchors, one file a place."""
    return state_home() / "anchors"


def folders_of_seals() -> list[Path]:
    """The folders of the keys and of the anchors."""
    return [config_home(), anchors_home()]


def place_of(database: Path) -> str:
    """What a file is known by outside of it: its path, within the data home without that home, so that a home can be
    moved as a whole."""
    return _place(os.path.realpath(database))


def places_of_links(database: Path) -> list[str]:
    """The places at which a link lies on the way to a file, in its own place or in that of a folder above it.

    Where a sealed file once lay at such a place itself, somebody put the link there instead of it.
    """
    ways = [database, *links_followed(database)]
    return list(dict.fromkeys(_place(link) for way in ways for link in _links_on(os.path.abspath(way))))


def _links_on(path: str) -> Iterator[str]:
    """The path as it is at each of the links that lead on from it: what is above the link is real."""
    real = os.path.realpath(path)
    for _ in range(_MOST_LINKS):
        if path == real:
            return
        drive, rest = os.path.splitdrive(path)
        parts = rest.strip(os.sep).split(os.sep)
        above = drive + os.sep
        for at, part in enumerate(parts):
            here = os.path.join(above, part)
            if os.path.islink(here):
                yield path
                path = os.path.normpath(os.path.join(above, os.readlink(here), *parts[at + 1 :]))
                break
            above = here
        else:
            return


def _place(real: str) -> str:
    home = os.path.realpath(data_home())
    return os.path.relpath(real, home).replace(os.sep, "/") if real.startswith(home + os.sep) else real


def path_of(place: str) -> Path:
    """Where a place is: the file that `place_of` has named so."""
    return Path(os.path.join(data_home(), place))


def place_digest(place: str) -> str:
    """A file name for a place: 32 hexadecimal digits."""
    return blake2b(place.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
