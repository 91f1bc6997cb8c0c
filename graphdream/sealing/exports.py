"""The seal of an export: a code under this installation's key over every line, which says that the file is our own.

Anybody can write a file that says that the user said something. One that bears the seal was written here and is as it
was written, so what it says of authority is taken at its word.
"""

from __future__ import annotations

from hashlib import blake2b
from hmac import compare_digest
from typing import Any

from graphdream.sealing.keys import KeyUnavailableError, current_key, find_key

KIND = "seal"  # of the line, which is the last one


class SealedLines:
    """A running digest over the lines of an export."""

    def __init__(self) -> None:
        self._digest = blake2b(digest_size=32, person=b"graphdream lines")

    def add(self, text: str) -> None:
        """Take in a line, without what ends it."""
        self._digest.update(text.encode("utf-8", "surrogatepass") + b"\n")

    def seal(self) -> dict[str, str] | None:
        """The line that seals all that was taken in; None where no key can be had."""
        try:
            key = current_key()
        except KeyUnavailableError:
            return None
        return {"kind": KIND, "key": key.id, "code": self._code(key.secret)}

    def is_sealed_by(self, line: dict[str, Any]) -> bool:
        """Whether a line is the seal of all that was taken in, under a key that is here."""
        named, code = line.get("key"), line.get("code")
        if not isinstance(named, str) or not isinstance(code, str) or not code.isascii():
            return False
        try:
            key = find_key(named)
        except KeyUnavailableError:
            return False
        return key is not None and compare_digest(self._code(key.secret), code)

    def _code(self, secret: bytes) -> str:
        return blake2b(self._digest.digest(), key=secret, digest_size=32, person=b"graphdream expor").hexdigest()
