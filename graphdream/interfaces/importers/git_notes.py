"""What the `git` command knows of the notes below a path: every version of each, with its time."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from graphdream.clock import stamp
from graphdream.errors import ImportRefusedError
from graphdream.interfaces.importers.formats.markdown import SUFFIXES, text_of

MOST_BYTES = 8 * 1024 * 1024  # of a version that is read; no note that anybody kept by hand is longer
_COMMIT = "\x01"  # begins what is told of a commit; no path has it and stays a note


def git(folder: Path, *words: str) -> str:
    """What git says.

    Raises:
        ImportRefusedError: it is not installed, or cannot.
    """
    command = ["git", "-C", str(folder), "-c", "core.quotePath=false", *words]
    try:
        done = subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise ImportRefusedError(
            "git is not installed, and the history of notes is read with it",
            hint="with --format markdown, notes are imported as they are now",
        ) from None
    except subprocess.CalledProcessError as fault:
        said = fault.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ImportRefusedError(
            f"git cannot read the history of {folder}: {said[0] if said else fault.returncode}",
            hint="with --format markdown, notes are imported as they are now",
        ) from None
    return done.stdout.decode("utf-8", "surrogateescape")


def note_versions(root: Path, here: Path) -> dict[Path, list[tuple[str, str]]]:
    """The versions of each note below a path, also of those that are gone, and from before a note was renamed.

    Args:
        root: of the work tree, resolved.
        here: a file or folder in it, resolved.

    Returns:
        File, by the name that it had last -> (time, id of the text, "" where it was taken out), oldest first.
    """
    if not git(root, "rev-list", "--all", "--max-count=1").strip():
        return {}
    told = git(
        root, "log", "--first-parent", "-m", "--raw", "-M", "-z", "--no-abbrev", f"--format={_COMMIT}%cI", "HEAD", "--",
        str(here),
    )  # fmt: skip
    now_called: dict[str, str] = {}
    found: dict[str, list[tuple[str, str]]] = {}
    for commit in told.split(_COMMIT)[1:]:
        at, _, rest = commit.partition("\0")
        fields = iter(rest.strip("\n").split("\0"))
        for change in fields:
            meta = change.strip("\n").split()
            if len(meta) < 5:
                continue
            blob, status = meta[3], meta[4]
            old = next(fields, "")
            name = next(fields, "") if status[0] in "RC" else old
            final = now_called.pop(name, name) if status[0] in "RCA" else now_called.get(name, name)
            if status[0] == "R":
                now_called[old] = final
            gone = status[0] == "D" or not meta[1].startswith("100")
            found.setdefault(final, []).append((stamp(at.strip()), "" if gone else blob))
    inside = here.relative_to(root)
    return {
        root / name: versions[::-1] for name, versions in sorted(found.items())
        if _is_note(Path(name), inside if here.is_dir() else inside.parent)
    }  # fmt: skip


def _is_note(name: Path, inside: Path) -> bool:
    """Whether a name is one of a note that an import of the folder would read."""
    below = name.relative_to(inside).parts
    return name.suffix.lower() in SUFFIXES and not any(part.startswith(".") for part in below)


class Blobs:
    """Texts by their ids, read by one process of git as long as it is needed."""

    def __init__(self, root: Path) -> None:
        self._run = subprocess.Popen(
            ["git", "-C", str(root), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run.communicate()

    def text(self, blob: str) -> str:
        """The text of an id; "" for "", for what git does not have, and beyond `MOST_BYTES`."""
        asked, answered = self._run.stdin, self._run.stdout
        if not blob or asked is None or answered is None:
            return ""
        asked.write(blob.encode("ascii") + b"\n")
        asked.flush()
        head = answered.readline().split()
        if len(head) < 3:
            return ""
        size = int(head[2])
        if size <= MOST_BYTES:
            return text_of(answered.read(size + 1)[:-1])
        left = size + 1
        while left > 0 and (part := answered.read(min(left, MOST_BYTES))):
            left -= len(part)
        return ""
