"""Other names of a file: hard links that it has now, and names that it had before it was moved.

A file is one memory under every name. While it has several it is only read (`graphdream.graph.place`), and whatever is
told by any of them waits beside the one by which it is sealed, so that no name can take a call with it when it is
removed. Once the file has another name, what waits beside the former one comes along.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from graphdream.events.spool import all_waiting, spool_path
from graphdream.litter import beside
from graphdream.sealing.anchor import is_known, known_places, place_known_by
from graphdream.sealing.places import path_of, place_digest, place_of

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from graphdream.graph.store import Store


def sealed_name(database: Path) -> Path:
    """The name by which a file of several names is sealed; the given one, where no other is known."""
    if is_known(place_of(database)):
        return database
    for place in known_places():
        other = path_of(place)
        with suppress(OSError, ValueError):
            if os.path.samefile(database, other):
                return other
    return database


def bring_along(store: Store) -> None:
    """Move what waits beside a former name of the file, where that is gone, to where it waits for this one.

    A call fits a place where the file has lain as it fits this one (`Seal.places`), and no other file.
    """
    here = spool_path(store.path)
    for digest in store.seal.places() - {place_digest(store.seal.place)}:
        place = place_known_by(digest)
        former = path_of(place)
        if place and not os.path.lexists(former):
            for name in all_waiting(former):
                with suppress(OSError):
                    _move(spool_path(former) / name, here)
            with suppress(OSError):
                spool_path(former).rmdir()  # only where it is empty


def _move(call: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True, mode=0o700)
    try:
        call.replace(folder / call.name)
    except OSError:  # to another disk
        import shutil  # which a hook does not load

        fresh = beside(folder / call.name)
        shutil.copyfile(call, fresh, follow_symlinks=False)
        fresh.replace(folder / call.name)
        call.unlink()
