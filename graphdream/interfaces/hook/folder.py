"""The folder beside the database through which hooks and what works behind them meet.

It is the spool of the database (`graphdream.events.spool`); what a hook loads must load nothing, so its name is made
here once more, and a test holds the two to each other.
"""

from __future__ import annotations

import os
import time

EVENTS = ".hook"  # payloads that wait, one file each
SOCKET = "answer.sock"
LOCK = "behind.lock"
START = "start.ready"  # what the next session is given at its start
STATE = "hooks.state"
LOG = "hook.log"
_LOG_BYTES = 256 * 1024
_FOR = "\tfor "  # before what a line of the second log is about: a folder, or a home; no line has a tab of its own


def folder_of(database: str) -> str:
    """The folder beside a database."""
    return os.path.abspath(database) + ".spool"


def fingerprint(database: str) -> list[int]:
    """What changes with every commit to the file: sizes and times of it and of its log; [] where there is none."""
    try:
        file = os.stat(database)
    except OSError:
        return []
    try:
        log = os.stat(database + "-wal")
    except OSError:
        return [file.st_size, file.st_mtime_ns, 0, 0]
    # A log without content comes and goes with those who only read.
    return [file.st_size, file.st_mtime_ns, log.st_size, log.st_mtime_ns if log.st_size else 0]


def put_event(folder: str, text: str) -> str:
    """Keep a payload until it is taken in; the name of its file. The file appears whole or not at all."""
    name = f"{time.time_ns():020d}-{os.getpid()}{EVENTS}"
    fresh = os.path.join(folder, f"{name}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(descriptor, data) :]
    finally:
        os.close(descriptor)
    os.replace(fresh, os.path.join(folder, name))
    return name


def log_failure(folder: str, what: str) -> None:
    """Note a failure for `graphdream doctor`: a line with its time. Never raises; without a place for it, it is lost.

    Args:
        folder: where it is noted. What that folder has no place for is noted in the one for temporary files
            (`second_log`), with its name. "" of a call that does not say for which memory it is: it is told to those
            of the same home.
    """
    line = time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + " ".join(what.split())[:500]
    second = second_log(), line + _FOR + (folder or _home())
    for path, words in ((os.path.join(folder, LOG), line), second) if folder else (second,):
        try:
            if os.path.exists(path) and os.path.getsize(path) > _LOG_BYTES:
                os.replace(path, path + ".1")
            # A link that somebody else has put into the folder for temporary files is not followed.
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)  # nor is a pipe waited for
            try:
                os.write(descriptor, f"{words}\n".encode("utf-8", "replace"))
            finally:
                os.close(descriptor)
            return
        except OSError:
            continue


def _home() -> str:
    """The folder of all agents, as the environment of a hook names it; "" where it names none that can be one."""
    from graphdream.paths import data_home  # what a hook that does not fail does without

    try:
        return str(data_home())
    except Exception:
        return ""


def second_log() -> str:
    """Where failures are noted that the folder of a database has no place for, of every memory of this user."""
    place = os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"
    return os.path.join(place, f"graphdream-hook-{os.getuid() if hasattr(os, 'getuid') else 0}.log")


def failures(database: str) -> list[tuple[str, str]]:
    """The failures of hooks of this memory, and of such of its home as did not say for which one, oldest first: lines
    with their time, each with the log that it stands in."""
    from graphdream.bounded import whole_text  # what a hook does without

    folder, home = folder_of(database), _home()
    found: list[tuple[str, str]] = []
    for path in (second_log(), os.path.join(folder, LOG)):
        try:
            lines = whole_text(path, errors="replace").split("\n")
        except OSError:
            continue
        for line in filter(str.strip, lines):
            words, _, of = line.partition(_FOR)
            if of in ("", folder, home):
                found.append((words, path))
    return sorted(found)
