"""A private folder of this machine in which a memory from elsewhere is dreamed, and what belongs to that memory.

The folder of a memory is always the same, so that what is sealed knows its place, and one process has it at a time.
What this machine remembers of the memory (its anchor) is what was uploaded last: what an attempt writes there counts
only once its file has been taken.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from graphdream.errors import BusyError, GraphdreamError
from graphdream.paths import CONFIG_VARIABLE, STATE_VARIABLE, state_home
from graphdream.sealing import anchor
from graphdream.sealing.keys import KeyUnavailableError, current_key, key_path
from graphdream.sealing.places import place_digest, place_of

# What lies beside a memory and belongs to it, by what its name adds to the memory's: what hooks recorded and nobody has
# taken in yet, and the anchor of a file that was written before files were sealed.
BESIDE = (".spool/", ".anchor")


class Workplace(NamedTuple):
    """Where one attempt is made.

    Attributes:
        folder: of this memory alone.
        database: where its file is put.
    """

    folder: Path
    database: Path

    def put_beside(self, addition: str) -> Path:
        """Where a file goes that lies beside the memory, by what its name adds to the memory's."""
        path = Path(f"{self.database}{addition}")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def beside(self) -> dict[str, Path]:
        """What lies beside the memory and belongs to it, by what its name adds to the memory's."""
        found = {}
        for end in BESIDE:
            path = Path(f"{self.database}{end}")
            for file in sorted(path.iterdir()) if path.is_dir() else [path]:
                if file.is_file():
                    found[str(file).removeprefix(str(self.database))] = file
        return found

    def digest(self) -> str:
        """Digest of the memory's file.

        Raises:
            GraphdreamError: part of it is still in its log.
        """
        log = Path(f"{self.database}-wal")
        if log.exists() and log.stat().st_size:
            raise GraphdreamError(f"{self.database} was not closed: part of it is in its log")
        return _digest(self.database)

    def is_to_be_uploaded(self) -> None:
        """Keep what this machine will remember of the memory, should the upload be its end."""
        private = _private_anchor(self)
        if private.exists():
            _kept(self, self.digest()).write_bytes(private.read_bytes())

    def was_uploaded(self) -> None:
        """From now on this machine remembers the memory as it was uploaded."""
        _remember(self, self.digest())

    @contextmanager
    def private(self) -> Iterator[None]:
        """Meanwhile this process has a state of its own, in which nothing stays but what `was_uploaded` keeps."""
        _remember(self, _digest(self.database))
        kept, private = _kept(self), _private_anchor(self)
        if kept.exists():
            private.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(kept, private)
        before = {name: os.environ.get(name) for name in (STATE_VARIABLE, CONFIG_VARIABLE)}
        config = self.folder / "try" / "config"
        config.mkdir(parents=True, exist_ok=True)
        try:
            current_key()  # made where there is none yet, before there is a configuration of our own
            if key_path().exists():
                (config / key_path().name).symlink_to(key_path())
        except KeyUnavailableError:
            pass  # whoever needs it says so
        os.environ |= {STATE_VARIABLE: str(self.folder / "try" / "state"), CONFIG_VARIABLE: str(config)}
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


@contextmanager
def workplace(url: str) -> Iterator[Workplace]:
    """The workplace of a memory, empty but for what is remembered of it; emptied again afterwards.

    Raises:
        BusyError: another process of this machine is at it.
    """
    from filelock import FileLock, Timeout

    folder = state_home() / "fleet" / "work" / place_digest(url)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise BusyError(f"another process of this machine dreams {url}", "wait for it to end") from None
    try:
        yield Workplace(folder, folder / "try" / "memory.db")
    finally:
        shutil.rmtree(folder / "try", ignore_errors=True)
        lock.release()


def emptied(place: Workplace) -> Workplace:
    """The workplace without what an earlier attempt has left."""
    shutil.rmtree(place.folder / "try", ignore_errors=True)
    (place.folder / "try").mkdir(mode=0o700)
    return place


def _private_anchor(place: Workplace) -> Path:
    """The anchor of the memory within the state that an attempt has to itself."""
    return place.folder / "try" / "state" / "anchors" / anchor.anchor_path(place_of(place.database)).name


def _kept(place: Workplace, digest: str = "") -> Path:
    """What is remembered of the memory; with a digest, what is to be remembered should the file with that be there."""
    return place.folder / (f"anchor-{digest}" if digest else "anchor")


def _remember(place: Workplace, digest: str) -> None:
    """Remember the memory as it is, where it is what was uploaded from here last. Whoever uploaded it may have been
    killed before it could."""
    uploaded = _kept(place, digest)
    if uploaded.exists():
        uploaded.replace(_kept(place))
    for other in place.folder.glob("anchor-*"):
        other.unlink()


def _digest(path: Path) -> str:
    total = sha256()
    with path.open("rb") as file:
        while part := file.read(1024 * 1024):
            total.update(part)
    return total.hexdigest()
