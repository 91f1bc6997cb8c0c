"""`graphdream hook`, the process that a host waits for: read one payload, keep it, answer, end.

It loads next to nothing, waits for nobody who writes, and ends with 0 whatever happens: a memory must not make its host
fail. What went wrong stands in a log that `graphdream doctor` reads. The work is done by a process behind
(`graphdream.interfaces.hook.behind`), which this one starts where there is none.
"""

from __future__ import annotations

import json
import os
import sys
import time

from graphdream.interfaces.hook import folder as place
from graphdream.interfaces.hook.event import SESSION_START, USER_PROMPT, Event, answer_text, read_event

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

OFF_VARIABLE = "GRAPHDREAM_HOOKS"
"""`off` makes every hook do nothing. A dream that a hook started runs with it, so that a session of a model which the
dream itself holds cannot start the next one."""

MAX_PAYLOAD_BYTES = 8 * 1024 * 1024
_SILENCE_SECONDS = 1.0  # after which nothing more is expected on standard input; Claude Code gives a session's end 1.5
ANSWER_VARIABLE = "GRAPHDREAM_HOOKS_ANSWER_SECONDS"
_ANSWER_SECONDS = 1.0  # how long a prompt waits for its memory, if what answers must first be started
_MOST_ANSWER_SECONDS = 60.0  # for which Claude Code waits for a hook
# Of what a session is given at its start, in bytes: an integrator of Claude Code saw it cut near 2 KB. A prompt may be
# given what `context` gives by itself, 1,500 tokens; Claude Code takes 10,000 characters.
START_BYTES = 1_900
PROMPT_BYTES = 6_000
_MOST_READY = 64 * 1024  # bytes of the file of what was made ready, in which a character may be escaped
_START_SECONDS = 6 * 3600  # for which what was made ready for a session's start holds, if nothing was written


def run(words: Sequence[str]) -> int:
    """Do what `graphdream hook` with these words does; always 0."""
    if os.environ.get(OFF_VARIABLE, "").lower() == "off":
        return 0
    if os.isatty(0):
        sys.stderr.write("graphdream hook reads what a host writes; graphdream hook --help tells more\n")
        return 0
    options: dict[str, str] = {}
    folder = ""  # of a call that does not even say which memory it is for
    try:
        options = _options(words)
        database = _database(options)
        folder = place.folder_of(database)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        text, payload = _payload()
        event = read_event(payload, options.get("--event", ""), options.get("--host", ""))
        if event is not None:
            _keep(folder, text, options)
            said = answer_text(event, _memory(event, database, folder, options))
            if said:
                _say(said)
    except Exception as fault:
        where = options.get("--event") or "a hook"
        place.log_failure(folder, f"{where}: {type(fault).__name__}: {fault}")
    return 0


def _options(words: Sequence[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    rest = list(words)
    while rest:
        name, joined, value = rest.pop(0).partition("=")
        if name not in ("--db", "--agent", "--event", "--host") or not (joined or rest):
            raise ValueError(f"graphdream hook does not take {name!r}")
        options[name] = value if joined else rest.pop(0)
    return options


def _database(options: dict[str, str]) -> str:
    if options.get("--db"):
        return os.path.abspath(os.path.expanduser(options["--db"]))
    from graphdream.paths import database_path

    return str(database_path(None, options.get("--agent")))


# ---------------------------------------------------------------------- in


def _payload() -> tuple[str, Any]:
    """The object on standard input: its text and what it says. It is taken as soon as it is complete: hosts leave the
    stream open. Raises ValueError where none comes."""
    from select import select

    held, tried, heard_at = bytearray(), 0, time.monotonic()
    while True:
        silent = time.monotonic() - heard_at
        ready = _is_readable(select, max(_SILENCE_SECONDS - silent, 0))
        chunk = os.read(0, 1 << 20) if ready else b""
        ended = not chunk
        heard_at = heard_at if ended else time.monotonic()
        held += chunk
        if len(held) > MAX_PAYLOAD_BYTES:
            _drain(select)
            raise ValueError(f"the payload is longer than {MAX_PAYLOAD_BYTES // 1024**2} MiB; it was left out")
        if len(held) > tried and (ended or not _is_readable(select, 0)):
            tried = len(held)
            found = _parsed(held)
            if found is not None:
                return found
        if ended and not held.strip():
            raise ValueError("the payload is empty")
        if ended:
            raise ValueError(f"there is no JSON object in the {len(held):,} bytes of the payload")


def _is_readable(select: Any, seconds: float) -> bool:
    try:
        return bool(select([0], [], [], seconds)[0])
    except OSError:
        return os.name == "nt"  # where only sockets can be waited for; reading waits instead


def _parsed(held: bytearray) -> tuple[str, Any] | None:
    text = bytes(held).decode(json.detect_encoding(bytes(held[:4])) if held else "utf-8", "replace")
    text = text.lstrip("\ufeff \t\r\n")
    try:
        payload, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return text[:end], payload


def _drain(select: Any) -> None:
    """Read on for a while: a host may take a closed pipe for a fault of its own."""
    began = time.monotonic()
    while time.monotonic() - began < _SILENCE_SECONDS and _is_readable(select, 0.05) and os.read(0, 1 << 20):
        pass


def _keep(folder: str, text: str, options: dict[str, str]) -> None:
    told = {name.strip("-"): value for name, value in options.items() if name in ("--event", "--host")}
    place.put_event(folder, f'{{"told": {json.dumps(told)}, "at": {time.time():.3f}, "payload": {text}}}')


# ---------------------------------------------------------------------- out


def _memory(event: Event, database: str, folder: str, options: dict[str, str]) -> str:
    """What the host's model is to be told, and whoever works behind is told that there is work."""
    if event.kind == SESSION_START:
        ready = _made_ready(folder, database)
        if ready is not None:
            _ask(folder, database, options, None)
            return ready
    if event.kind not in (SESSION_START, USER_PROMPT):
        _ask(folder, database, options, None)
        return ""
    asked = {"kind": event.kind, "session": event.session, "prompt": event.prompt,
             "bytes": START_BYTES if event.kind == SESSION_START else PROMPT_BYTES}  # fmt: skip
    return _ask(folder, database, options, asked)


def _made_ready(folder: str, database: str) -> str | None:
    """What was made ready for the start of a session, if the memory is as it was then."""
    try:
        # A pipe that somebody has put there is not waited for, nor a device read to its end.
        descriptor = os.open(os.path.join(folder, place.START), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            ready = json.loads(os.read(descriptor, _MOST_READY))
        finally:
            os.close(descriptor)
        if ready["fingerprint"] == place.fingerprint(database) and time.time() - ready["at"] < _START_SECONDS:
            return str(ready["text"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _ask(folder: str, database: str, options: dict[str, str], asked: dict[str, object] | None) -> str:
    """Tell the process behind that something waits, and get its answer where something was asked; it is started where
    there is none. "" where it does not answer in time."""
    try:
        from _socket import AF_UNIX, SOCK_STREAM, socket  # the module around it takes as long to load as all else here
    except ImportError:
        _start(database, options)
        return ""
    os.chdir(folder)  # the path of a socket has about a hundred bytes, a folder's may have more
    patience = _ANSWER_SECONDS if asked is None else _answer_seconds()
    deadline = time.monotonic() + patience
    started = False
    while True:
        line = socket(AF_UNIX, SOCK_STREAM)
        try:
            line.settimeout(max(deadline - time.monotonic(), 0.01))
            line.connect(place.SOCKET)
            if asked is None:
                return ""  # to be connected to says enough
            line.sendall(json.dumps(asked).encode() + b"\n")
            return _heard(line)
        except (FileNotFoundError, ConnectionError):
            if not started:
                started = True
                if not _is_starting(folder):
                    _start(database, options)
            if asked is None:
                return ""
        except BlockingIOError:  # so many hooks are in the queue that it is full: whoever works behind knows
            if asked is None:
                return ""
        except TimeoutError:
            pass
        finally:
            line.close()
        if time.monotonic() > deadline:
            place.log_failure(folder, f"{asked['kind'] if asked else ''}: nothing answered in {patience:g} s, "
                              "so the session was given no memory")  # fmt: skip
            return ""
        time.sleep(0.01)


def _answer_seconds() -> float:
    """How long a prompt may wait. Raises ValueError where the variable says what is no such time."""
    told = os.environ.get(ANSWER_VARIABLE)
    if not told:
        return _ANSWER_SECONDS
    try:
        seconds = float(told)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _MOST_ANSWER_SECONDS:
        raise ValueError(f"${ANSWER_VARIABLE} is {told!r}, but has to be seconds from 0 to {_MOST_ANSWER_SECONDS:g}")
    return seconds


def _heard(line: Any) -> str:
    parts = []
    while part := line.recv(1 << 16):
        parts.append(part)
    return b"".join(parts).decode("utf-8", "replace")


def _is_starting(folder: str) -> bool:
    """Whether another hook has started what works behind, which is on its way."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        return False
    try:
        descriptor = os.open(os.path.join(folder, place.LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return False
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _start(database: str, options: dict[str, str]) -> None:
    """Start what works behind, so that nothing ties it to the host: not its session, its streams or its end."""
    words = [sys.executable, "-P", "-m", "graphdream.interfaces.hook.behind", "--db", database]
    words += ["--agent", options["--agent"]] if options.get("--agent") else []
    try:
        nothing = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)]
        os.posix_spawn(sys.executable, words, os.environ, file_actions=nothing, setsid=True)
    except (AttributeError, NotImplementedError):
        import subprocess  # what takes half as long to load as all else here

        flags = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        nowhere = subprocess.DEVNULL
        subprocess.Popen(words, stdin=nowhere, stdout=nowhere, stderr=nowhere, creationflags=flags,
                         start_new_session=os.name == "posix")  # fmt: skip


def _say(text: str) -> None:
    data = text.encode("utf-8", "replace") + b"\n"
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        pass  # the host has gone, or wants nothing said
