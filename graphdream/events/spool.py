"""What could not be recorded because another program was writing: kept beside the database, one file a call.

A file appears whole or not at all, and is removed only when what it says is committed. Recording twice is recording
once, so whatever ends a program in between, nothing is lost and nothing is doubled. Its last line seals it with the
key: what somebody else has put there waits until a person says that it may be taken in.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from graphdream.bounded import whole_file
from graphdream.errors import UnwritableError
from graphdream.litter import beside

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from graphdream.graph.seal import Seal
    from graphdream.sealing.keys import Key

_READY, REFUSED = ".json", ".refused"
_SEAL = "# seal "  # how the last line of a call's file begins; the key's id and the code follow
CALLS = ".call"  # small calls that met a writer: feedback, notes, pins (graphdream/dream/later.py)
FACTS = ".fact"  # calls that told a fact and did not wait for it to be written (graphdream/dream/later.py)
LONGEST_CALL = 256 * 1024 * 1024  # bytes of a call's file; it has to be read as a whole
_put_here: dict[str, list[str]] = {}  # folder -> calls that this program has put aside and that may still wait


class UnsealedCallError(Exception):
    """A call bears no seal of ours: who put it there is not known."""


def spool_path(database: Path) -> Path:
    """The folder beside a database in which calls wait."""
    return database.with_name(database.name + ".spool")


def put_aside(database: Path, text: str, told_at: str, kind: str = _READY, key: str = "") -> Path:
    """Keep a call for later, on disk when this returns.

    Args:
        text: what was told; the same text told at the same time is one file, where no key is given.
        told_at: a stamp; calls are taken in by it, oldest first, and those of one moment by their keys.
        kind: of the call, the ending of its file: a session's by default, or `FACTS`.
        key: tells the call from others of the same time.

    Raises:
        UnwritableError: there is no room for it, no folder that may be written to, or it has more than `LONGEST_CALL`
            bytes.
    """
    folder = _folder_of(database)
    path = folder / f"{told_at.replace(':', '')}-{key or _digest(text)}{kind}"
    fresh = beside(path)
    try:
        folder.mkdir(exist_ok=True, mode=0o700)
        with fresh.open("w", encoding="utf-8") as stream:
            stream.write(f"{text}\n{_seal_line(path, text)}")
            stream.flush()
            if os.fstat(stream.fileno()).st_size > LONGEST_CALL:
                raise OSError(errno.EFBIG, f"it has more than {LONGEST_CALL:,} bytes")
            os.fsync(stream.fileno())
        fresh.replace(path)
        _sync(folder)
    except OSError as fault:
        with suppress(OSError):
            fresh.unlink()
        why = fault.strerror or str(fault)
        hint = f"see that {folder.name} is a folder, that you may write to it, and that there is room on the disk"
        if fault.errno == errno.EFBIG:
            hint = "tell it in parts, or when no other program writes"
        raise UnwritableError(f"nothing can be kept in {folder}: {why}; what was told is lost", hint) from fault
    _put_here.setdefault(str(folder), []).append(str(path))
    return path


def _folder_of(database: Path) -> Path:
    """Where what is told by a name of a file waits: beside the name by which it is sealed, should it have more."""
    with suppress(OSError):
        if os.stat(database).st_nlink > 1:
            from graphdream.events.othernames import sealed_name  # rare, and what a hook does without

            return spool_path(sealed_name(database))
    return spool_path(database)


def own_wait(database: Path) -> bool:
    """Whether a call waits that this program has put aside. It looks for that file and not through the folder, on which
    everybody waits who puts something there or takes it away."""
    own = _put_here.get(str(spool_path(database)))
    while own:
        if os.path.exists(own[-1]):
            return True
        with suppress(IndexError):  # another thread has seen it, too
            own.pop()
    return False


def waiting(database: Path, *kinds: str) -> list[Path]:
    """The calls of some kinds that wait, those of sessions by default, oldest first; [] where nothing ever had to."""
    ends = kinds or _READY
    try:
        return sorted(Path(entry.path) for entry in os.scandir(spool_path(database)) if entry.name.endswith(ends))
    except OSError:
        return []


def all_waiting(database: Path) -> dict[str, float]:
    """The names of the calls that wait, of every kind, and for how many seconds each has."""
    found, now = dict[str, float](), time.time()
    try:
        for entry in os.scandir(spool_path(database)):
            if entry.name.endswith((_READY, FACTS, CALLS)):
                with suppress(FileNotFoundError):
                    written = entry.stat(follow_symlinks=False).st_mtime
                    found[entry.name] = abs(now - written)  # a clock may have been set back
    except OSError:
        return {}
    return found


def discard(calls: Iterable[Path]) -> None:
    """Remove calls that are committed; another program may have done so. One that may not be removed is taken in again,
    which adds nothing."""
    for path in calls:
        with suppress(OSError):
            path.unlink()


def read_call(call: Path, seal: Seal) -> str:
    """The text of a call.

    Args:
        seal: of the memory that it waits for. One that was not sealed yet takes calls without a seal, too, as versions
            without keys have put them there.

    Raises:
        FileNotFoundError: another program has taken it in.
        UnsealedCallError: it has no seal that fits.
        ValueError: it is none: a folder, a pipe, a link, a file that may not be read, has more than `LONGEST_CALL`
            bytes or is no text.
    """
    text, line = _parts(call)
    if not seal.was_unsealed and not _is_sealed(call, text, line, seal):
        raise UnsealedCallError(call.name)
    return text


def seal_call(call: Path) -> None:
    """Seal a call that a person lets be taken in."""
    with suppress(OSError, ValueError):
        text = _parts(call)[0]
        fresh = beside(call)
        fresh.write_text(f"{text}\n{_seal_line(call, text)}", encoding="utf-8")
        fresh.replace(call)


def unsealed(database: Path, seal: Seal) -> list[Path]:
    """The calls that wait for a person to let them be taken in."""
    found = []
    for kind in (_READY, FACTS, CALLS):
        for call in waiting(database, kind):
            try:
                read_call(call, seal)
            except UnsealedCallError:
                found.append(call)
            except (OSError, ValueError):
                continue
    return found


def _parts(call: Path) -> tuple[str, str]:
    """The text of a call and the line of its seal, "" where it has none. Raises as `read_call`."""
    try:
        # No call is put aside as a link; one may lead to a file that is not for whoever put it there to read.
        whole = whole_file(call, LONGEST_CALL, links=False).decode("utf-8").replace("\r\n", "\n")
    except FileNotFoundError:
        raise
    except OSError as fault:
        raise ValueError(f"it cannot be read: {fault.strerror}") from fault
    text, _, line = whole.rpartition("\n")
    return (text, line) if line.startswith(_SEAL) else (whole, "")


def _seal_line(call: Path, text: str) -> str:
    """The last line of a call's file: id of the key, place, code; without them where no key can be had."""
    from graphdream.sealing.keys import KeyUnavailableError, current_key
    from graphdream.sealing.places import place_digest, place_of

    try:
        key = current_key()
    except KeyUnavailableError:
        return _SEAL
    place = place_digest(place_of(call.parent.with_suffix("")))
    return f"{_SEAL}{key.id} {place} {_code(place, call, text, key)}"


def _is_sealed(call: Path, text: str, line: str, seal: Seal) -> bool:
    from graphdream.sealing.keys import KeyUnavailableError, find_key

    try:
        key_id, place, code = line.removeprefix(_SEAL).split(" ")
        key = find_key(key_id)
    except (ValueError, KeyUnavailableError):
        return False
    return key is not None and place in seal.places() and _code(place, call, text, key) == code


def _code(place: str, call: Path, text: str, key: Key) -> str:
    """Over the place, the name and the text, so that a call fits nowhere else."""
    from graphdream.sealing.codes import blake2b

    told = f"{place}\n{call.name}\n{text}".encode("utf-8", "surrogatepass")
    return blake2b(told, key=key.of_file("spool"), digest_size=32, person=b"gd spool").hexdigest()


def refuse(call: Path) -> Path:
    """Keep a call that can never be taken in, without trying again; in a folder that may not be written to it stays.
    Returns where it is."""
    kept = call.with_name(call.name + REFUSED)
    try:
        return call.replace(kept)
    except OSError:
        return call


def refused(database: Path) -> list[Path]:
    """The calls that could not be taken in; a person looks at them."""
    return waiting(database, REFUSED)


def _digest(text: str) -> str:
    from graphdream.sealing.codes import blake2b

    return blake2b(text.encode(), digest_size=16).hexdigest()


def _sync(folder: Path) -> None:
    """Write the folder's own entry to disk, where the system has a way to."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
