"""Settings files as they are and are to be: all of them are looked at before one is written, and written whole."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from graphdream.interfaces.hosts.base import Settings, Tool
from graphdream.interfaces.hosts.merging import UnusableSettingsError


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after; None where there is none."""

    tool: Tool
    settings: Settings
    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def is_needed(self) -> bool:
        """False where the file is as it should be."""
        return self.before != self.after

    def diff(self) -> str:
        """Both texts as a unified diff; "" where nothing changes."""
        old, new = (
            (text or b"").decode("utf-8", "replace").splitlines(keepends=True) for text in (self.before, self.after)
        )
        name = str(self.path)
        lines = unified_diff(old, new, name if self.before is not None else os.devnull, name)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def planned(tool: Tool, settings: Settings) -> Change:
    """What putting graphdream in would make of a file.

    Raises:
        UnusableSettingsError: the file cannot be used, and says why, with its path.
    """
    path, before = held(settings.path)
    try:
        text = (before or b"").decode("utf-8")
        return Change(tool, settings, path, before, settings.put_in(text).encode("utf-8"))
    except UnicodeDecodeError as fault:
        raise UnusableSettingsError(f"{path}: it is not UTF-8 (byte {fault.start}), so it is left as it is") from None
    except UnusableSettingsError as fault:
        raise UnusableSettingsError(
            f"{path}: {fault}, so it is left as it is",
            f"mend it, or put in by hand what `graphdream init --tool {tool.name} --print` shows",
        ) from None


def held(path: Path) -> tuple[Path, bytes | None]:
    """The file behind a path, links followed, and what is in it; None where there is none.

    Raises:
        UnusableSettingsError: it is no file, a link to nothing, cannot be read, or is not to be written.
    """
    real = Path(os.path.realpath(path))
    if path.is_symlink() and not real.exists():
        raise UnusableSettingsError(f"{path} is a link to {real}, where nothing is", "mend the link, or remove it")
    if not real.exists():
        blocked = next((one for one in real.parents if one.exists()), real.parent)
        if not blocked.is_dir() or not os.access(blocked, os.W_OK):
            raise UnusableSettingsError(f"{path} cannot be made: {blocked} is not a folder that you may write to")
        return real, None
    if not real.is_file():
        raise UnusableSettingsError(f"{path} is no file")
    if not os.access(real, os.W_OK) or not stat.S_IMODE(real.stat().st_mode) & stat.S_IWUSR:
        raise UnusableSettingsError(f"{path} is read-only, so it is left as it is", f"chmod u+w {real}")
    try:
        return real, real.read_bytes()
    except OSError as fault:
        raise UnusableSettingsError(f"{path} cannot be read: {fault.strerror}") from fault
