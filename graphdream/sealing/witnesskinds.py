"""Where a witness may keep its notes: in a folder, in a git repository, or wherever a command puts them."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from graphdream.sealing.witness import MOST_BYTES, WitnessUnreachableError

SECONDS = 5.0  # that a program may take
_TRIES = 20  # to add a commit while others add theirs; each that fails is one of theirs that did not
_KEPT_LINES = 20  # in the newest commit, so that whoever overtakes another hides nothing of it
_BRANCHES = "refs/heads/graphdream-witness"
_FILE = "notes"


class FolderWitness:
    """A folder, on another disk for one: a file of each memory, to which lines are only ever added.

    The folder itself is never made: where it is missing, the disk may not be mounted.
    """

    quick = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.where = f"folder {folder}"

    def read(self, name: str) -> str:
        """The last notes of a memory. Raises WitnessUnreachableError."""
        self._confirm()
        try:
            with self._path(name).open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - MOST_BYTES))
                return file.read(MOST_BYTES).decode("utf-8", "replace")
        except FileNotFoundError:
            return ""
        except OSError as fault:
            raise self._unreachable(fault) from None

    def write(self, name: str, line: str, covered: Callable[[str], bool]) -> None:
        """Add a note, on the disk when this returns. Raises WitnessUnreachableError."""
        told = self.read(name)
        if covered(told):
            return
        path = self._path(name)
        made = not path.exists()
        begin = "" if told.endswith("\n") or not told else "\n"  # a writer was ended amid a line
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            try:
                os.write(descriptor, f"{begin}{line}\n".encode())
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if made and os.name == "posix":
                self._keep_names()
        except OSError as fault:
            raise self._unreachable(fault) from None

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.notes"

    def _confirm(self) -> None:
        if not self._folder.is_dir():
            raise WitnessUnreachableError(f"{self._folder} is no folder: is its disk mounted?")

    def _keep_names(self) -> None:
        """Have the name of a new file on the disk: the memory remembers from now on that it is there."""
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _unreachable(self, fault: OSError) -> WitnessUnreachableError:
        return WitnessUnreachableError(f"{self._folder}: {fault.strerror or fault}")


class GitWitness:
    """A git repository, bare or with a work tree: a branch of each memory, and a commit of its notes for each of them.

    Neither work tree, nor index, nor the branch that is checked out is touched, and nothing goes over a network.
    """

    quick = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.where = f"git {folder}"

    def read(self, name: str) -> str:
        """The last notes of a memory. Raises WitnessUnreachableError."""
        return self._tip(name)[1]

    def write(self, name: str, line: str, covered: Callable[[str], bool]) -> None:
        """Commit a note, unless somebody else has committed one that goes as far. Raises WitnessUnreachableError."""
        tip, told = self._tip(name)
        for _ in range(_TRIES):
            if covered(told):
                return
            try:
                self._git("fast-import", "--quiet", given=_commit(name, tip, [*told.splitlines()[-_KEPT_LINES:], line]))
                return
            except WitnessUnreachableError:
                before = tip
                tip, told = self._tip(name)
                if tip == before:
                    raise
        raise WitnessUnreachableError(f"{self._folder}: others have committed {_TRIES} times meanwhile")

    def _tip(self, name: str) -> tuple[str, str]:
        """The newest commit of a memory's branch and the notes in it; "" and "" where there is none."""
        branch = f"{_BRANCHES}/{name}"
        commit, rest = _object(self._git("cat-file", "--batch", given=f"{branch}\n{branch}:{_FILE}\n".encode()))
        notes = _object(rest)[0][1] if commit[0] else b""
        return commit[0], notes[-MOST_BYTES:].decode("utf-8", "replace")

    def _git(self, *words: str, given: bytes) -> bytes:
        if not self._folder.is_dir():
            raise WitnessUnreachableError(f"{self._folder} is no folder: is its disk mounted?")
        # Whoever runs this from a hook of git's has variables set that name that other repository. A folder within
        # some other repository is none itself.
        environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        above = os.pathsep.join({str(self._folder.parent), os.path.realpath(self._folder.parent)})
        environ |= {"LC_ALL": "C", "GIT_CEILING_DIRECTORIES": above, "GIT_NO_LAZY_FETCH": "1"}
        return _output(["git", "-C", str(self._folder), *words], given, environ)


class CommandWitness:
    """A command of the person's own: `COMMAND note NAME` takes a note on stdin, `COMMAND read NAME` prints the newest
    one of that name, or all that it has in any order; nothing where it has none."""

    quick = False

    def __init__(self, command: str) -> None:
        self._command = command
        self.where = f"command {command}"

    def read(self, name: str) -> str:
        """The notes of a memory. Raises WitnessUnreachableError."""
        return self._run("read", name, b"")[-MOST_BYTES:].decode("utf-8", "replace")

    def write(self, name: str, line: str, covered: Callable[[str], bool]) -> None:
        """Hand over a note, which the command may leave out where it has a newer one. Raises
        WitnessUnreachableError."""
        self._run("note", name, f"{line}\n".encode())

    def _run(self, what: str, name: str, given: bytes) -> bytes:
        return _output([*shlex.split(self._command), what, name], given, os.environ)


def _output(words: Sequence[str], given: bytes, environ: Mapping[str, str]) -> bytes:
    """What a program prints. Raises WitnessUnreachableError where it fails, or takes too long."""
    named = words[0]
    try:
        done = subprocess.run(words, input=given, capture_output=True, timeout=SECONDS, check=True, env=dict(environ))
    except subprocess.TimeoutExpired:
        raise WitnessUnreachableError(f"{named} gave no answer within {SECONDS:g} seconds") from None
    except subprocess.CalledProcessError as fault:
        said = fault.stderr.decode("utf-8", "replace").strip().splitlines()
        why = f": {said[-1].strip()}" if said else ""
        raise WitnessUnreachableError(f"{named} ended with {fault.returncode}{why}") from None
    except (OSError, ValueError) as fault:
        raise WitnessUnreachableError(f"{named} cannot be run: {getattr(fault, 'strerror', None) or fault}") from None
    return done.stdout


def _object(printed: bytes) -> tuple[tuple[str, bytes], bytes]:
    """Id and content of the first object that `git cat-file --batch` printed, and what follows it; "" and nothing where
    the object is missing."""
    first, _, rest = printed.partition(b"\n")
    words = first.split()
    if len(words) != 3 or not words[2].isdigit():
        return ("", b""), rest
    size = int(words[2])
    return (words[0].decode(), rest[:size]), rest[size + 1 :]


def _commit(name: str, tip: str, lines: Sequence[str]) -> bytes:
    """What `git fast-import` is given: a commit on that tip, refused where the branch has gone on from there."""
    notes = "".join(f"{line}\n" for line in lines)
    return (
        f"commit {_BRANCHES}/{name}\ncommitter graphdream <graphdream@localhost> {int(time.time())} +0000\n"
        f"{_data('graphdream: a pass has ended')}"
        f"{f'from {tip}{chr(10)}' if tip else ''}M 100644 inline {_FILE}\n{_data(notes)}"
    ).encode()


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"
