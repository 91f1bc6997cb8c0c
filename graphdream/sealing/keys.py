"""The key of the seals: from a command, from the platform's keyring, or from a file that only its owner may read.

A key is 32 random bytes. What is sealed names its key by an id, so that a newer key can take over while files sealed
with an older one are still read. For each memory a key of its own is derived, so that nothing sealed in one holds in
another. All of it is BLAKE2b in its keyed mode, a message authentication code by itself (RFC 7693, 2.9).
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from graphdream.bounded import whole_text
from graphdream.errors import GraphdreamError
from graphdream.paths import config_home
from graphdream.sealing.codes import blake2b

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Sequence

COMMAND_VARIABLE = "GRAPHDREAM_KEY_COMMAND"
KEY_BYTES = 32
FEWEST_BYTES = 16  # of what a command prints: less can be guessed
COMMAND_SECONDS = 10.0
KEYRING_SECONDS = 3.0  # a keyring that is locked may ask a person, and nobody may be there
_SERVICE = "graphdream"
_IN_KEYRING = "keyring "  # how a line of the key file begins whose key lies in the keyring; its id follows


class KeyUnavailableError(GraphdreamError):
    """No key can be had: the command failed, the keyring is locked, or the key file cannot be read or made."""

    exit_code = 1


class Key:
    """A secret and the id that what it seals bears. It never shows itself."""

    __slots__ = ("id", "secret")

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self.id = blake2b(b"id", key=secret, digest_size=8, person=b"graphdream key").hexdigest()

    def __repr__(self) -> str:
        return f"Key({self.id})"

    def of_file(self, file_id: str) -> bytes:
        """The key of one memory, 32 bytes."""
        return blake2b(file_id.encode(), key=self.secret, digest_size=KEY_BYTES, person=b"graphdream file").digest()


def key_path() -> Path:
    """The file of the keys, one a line, the newest last."""
    return config_home() / "keys"


def current_key() -> Key:
    """The key that seals what is written from now on; made where there is none yet.

    Raises:
        KeyUnavailableError: it cannot be had, or made.
    """
    if command := os.environ.get(COMMAND_VARIABLE):
        return _from_command(command)
    lines = _lines()
    if not lines:
        _make()
        lines = _lines()
    if not lines:
        raise KeyUnavailableError(f"{key_path()} has no key in it", "put the key back: docs/trust.md")
    key = _read(lines[-1])
    if key is None:
        raise KeyUnavailableError(f"the key cannot be read from {_where(lines[-1])}", "see docs/trust.md")
    return key


def find_key(key_id: str) -> Key | None:
    """The key of that id; None where it is not here."""
    if command := os.environ.get(COMMAND_VARIABLE):
        with suppress(KeyUnavailableError):
            printed = _from_command(command)
            if printed.id == key_id:
                return printed
    for line in reversed(_lines()):
        if not line.startswith(_IN_KEYRING) or line.removeprefix(_IN_KEYRING) == key_id:
            key = _read(line)
            if key is not None and key.id == key_id:
                return key
    return None


def rotate_key() -> Key:
    """Make a new key, which is the current one from now on; the older ones stay, for what they have sealed.

    Raises:
        KeyUnavailableError: keys come from a command, which has to be changed instead, or none can be kept.
    """
    if os.environ.get(COMMAND_VARIABLE):
        raise KeyUnavailableError(
            f"the key comes from ${COMMAND_VARIABLE}: nothing here can make another",
            "let the command print another key, keep the old one in the key file, then: graphdream trust --rotate-key",
        )
    fresh = Key(os.urandom(KEY_BYTES))
    _write([*_lines(), _kept(fresh)], anew=True)
    return fresh


def keep_key(secret_text: str) -> Key:
    """Add a key that a person has, as it stands in the key file or as a command prints it; older than the current one.

    Raises:
        KeyUnavailableError: it is too short, or cannot be kept.
    """
    key = _read(secret_text.strip()) or _of_text(secret_text)
    lines = _lines()
    if all(getattr(_read(line), "id", "") != key.id for line in lines):
        _write([key.secret.hex(), *lines], anew=True)
    return key


# What commands printed, by the command: each is asked once a process.
_printed: dict[str, Key] = {}


def _from_command(command: str) -> Key:
    if command not in _printed:
        import shlex
        import subprocess

        try:
            words = shlex.split(command)
            if not words:
                raise ValueError("there is no command in it")
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_SECONDS, check=True
            )
        except (OSError, ValueError, subprocess.SubprocessError) as fault:
            why = type(fault).__name__ if isinstance(fault, subprocess.SubprocessError) else fault
            raise KeyUnavailableError(f"${COMMAND_VARIABLE} gave no key: {why}", "run it by hand") from None
        _printed[command] = _of_text(done.stdout.decode("utf-8", "surrogateescape"))
    return _printed[command]


def _of_text(text: str) -> Key:
    """A key of whatever text a person has for one: itself where it is one of ours, else its digest."""
    text = text.strip()
    key = _read(text)
    if key is not None:
        return key
    given = text.encode("utf-8", "surrogateescape")
    if len(given) < FEWEST_BYTES:
        raise KeyUnavailableError(f"a key of {len(given)} bytes can be guessed", f"at least {FEWEST_BYTES} are needed")
    return Key(blake2b(given, digest_size=KEY_BYTES, person=b"graphdream text").digest())


def _lines() -> list[str]:
    try:
        text = whole_text(key_path(), encoding="ascii")
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as fault:
        raise KeyUnavailableError(f"the key cannot be read: {fault}", "it lies in the configuration home") from None
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _read(line: str) -> Key | None:
    if line.startswith(_IN_KEYRING):
        return _from_keyring(line.removeprefix(_IN_KEYRING))
    try:
        secret = bytes.fromhex(line)
    except ValueError:
        return None
    return Key(secret) if len(secret) == KEY_BYTES else None


def _where(line: str) -> str:
    return "the platform's keyring" if line.startswith(_IN_KEYRING) else str(key_path())


def _make() -> None:
    _write([_kept(Key(os.urandom(KEY_BYTES)))], anew=False)


def _kept(key: Key) -> str:
    """The line of a new key: its id where the keyring has taken it, else itself."""
    return f"{_IN_KEYRING}{key.id}" if _into_keyring(key) else key.secret.hex()


def _write(lines: Sequence[str], *, anew: bool) -> None:
    """Write the key file whole; where it is not to be `anew`, one that somebody else has made meanwhile stays."""
    path = key_path()
    fresh = path.with_name(f".keys.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            text = "# The keys that seal the memories of graphdream, the newest last. Keep a copy: docs/trust.md\n"
            os.write(descriptor, (text + "\n".join(lines) + "\n").encode("ascii"))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if anew or not hasattr(os, "link"):
            fresh.replace(path)
        else:
            with suppress(FileExistsError):
                os.link(fresh, path)
    except OSError as fault:
        raise KeyUnavailableError(f"no key can be kept in {path.parent}: {fault.strerror}", "docs/trust.md") from None
    finally:
        with suppress(OSError):
            fresh.unlink()


# ---------------------------------------------------------------------- the platform's keyring, an extra


def _into_keyring(key: Key) -> bool:
    """Whether the platform's keyring has taken the key, and gives it back."""
    from importlib.util import find_spec

    if find_spec("keyring") is None:
        return False

    def put() -> str | None:
        import keyring
        from keyring.backends.fail import Keyring as NoKeyring

        if isinstance(keyring.get_keyring(), NoKeyring):
            return None
        keyring.set_password(_SERVICE, key.id, key.secret.hex())
        found: str | None = keyring.get_password(_SERVICE, key.id)
        return found

    return _in_time(put) == key.secret.hex()


def _from_keyring(key_id: str) -> Key | None:
    def get() -> str | None:
        import keyring

        found: str | None = keyring.get_password(_SERVICE, key_id)
        return found

    text = _in_time(get)
    return Key(bytes.fromhex(text)) if text else None


def _in_time(ask: object) -> str | None:
    """What a keyring answers; None where it fails, or would keep a program waiting."""
    from threading import Thread

    answers: list[str | None] = []

    def run() -> None:
        with suppress(Exception):  # whatever a backend raises, it has no key for us
            answers.append(ask())  # type: ignore[operator]

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(KEYRING_SECONDS)
    return answers[0] if answers else None
