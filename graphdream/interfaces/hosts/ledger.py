"""What `graphdream init` has written, so that it can be taken back to the last byte."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path

from graphdream.bounded import whole_text
from graphdream.interfaces.hosts.files import Change
from graphdream.interfaces.whole_files import put

_NAME = "init.json"
_LONGEST = 256 * 1024 * 1024  # bytes; it holds settings files as they were
BACKUP = ".before-graphdream"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that was written: as it was (base64; None where there was none), and the digest of what it became."""

    tool: str
    path: str
    before: str | None
    became: str
    made_folders: tuple[str, ...] = ()

    def bytes_before(self) -> bytes | None:
        """The file as it was."""
        return None if self.before is None else base64.b64decode(self.before)


class Ledger:
    """The entries, in a file of graphdream's own home."""

    def __init__(self, home: Path) -> None:
        self._path = home / _NAME
        try:
            rows = json.loads(whole_text(self._path, _LONGEST))
            self.entries = {row["path"]: Entry(**{**row, "made_folders": tuple(row["made_folders"])}) for row in rows}
        except (OSError, ValueError, KeyError, TypeError):
            self.entries = {}

    def write_all(self, changes: Sequence[Change]) -> None:
        """Write every change with a backup beside its file; on a failure everything is as before. Raises OSError."""
        done: list[Change] = []
        kept = dict(self.entries)
        try:
            for change in changes:
                folders = _missing_folders(change.path)
                done.append(change)
                if change.before is not None and not self._is_ours(change):
                    put(change.path.with_name(change.path.name + BACKUP), change.before)
                put(change.path, change.after)
                self._note(change, folders)
            self._save()
        except BaseException:
            for change in reversed(done):
                put(change.path, change.before)
            self.entries = kept
            raise

    def forget(self, paths: Iterable[str]) -> None:
        """Drop entries that were taken back."""
        for path in paths:
            self.entries.pop(path, None)
        self._save()

    def _is_ours(self, change: Change) -> bool:
        """Whether the file is as it was left here last, so that what was before that stays the one to go back to."""
        known = self.entries.get(str(change.path))
        return known is not None and change.before is not None and digest(change.before) == known.became

    def _note(self, change: Change, folders: tuple[str, ...]) -> None:
        path, became = str(change.path), digest(change.after or b"")
        if self._is_ours(change):
            known = self.entries[path]
            self.entries[path] = Entry(known.tool, path, known.before, became, known.made_folders)
            return
        before = None if change.before is None else base64.b64encode(change.before).decode()
        self.entries[path] = Entry(change.tool.name, path, before, became, folders)

    def _save(self) -> None:
        rows = [asdict(entry) for entry in self.entries.values()]
        put(self._path, json.dumps(rows, ensure_ascii=False, indent=1).encode() if rows else None)


def taken_back(entry: Entry, now: bytes | None, without: str) -> tuple[bytes | None, bool]:
    """What a file becomes when graphdream is taken out.

    Args:
        now: the file as it is.
        without: its text without graphdream's part.

    Returns:
        The bytes of before where nobody has changed the file since, else what it is without graphdream's part; and
        whether these are the bytes of before.
    """
    if now is None or digest(now) == entry.became:
        return entry.bytes_before(), True
    return (without.encode("utf-8") or None), False


def remove_folders(entry: Entry) -> None:
    """Remove the folders that were made for a file, if nothing else is in them."""
    for folder in entry.made_folders:
        try:
            os.rmdir(folder)
        except OSError:
            return


def digest(content: bytes) -> str:
    """Name of a content."""
    return blake2b(content, digest_size=16).hexdigest()


def _missing_folders(path: Path) -> tuple[str, ...]:
    return tuple(str(folder) for folder in path.parents if not folder.exists())
