"""The one primitive of all seals: BLAKE2b in its keyed mode, a message authentication code (RFC 7693, 2.9)."""

from __future__ import annotations

try:
    # Where `hashlib` has it from; to load that one would load OpenSSL, a tenth of the time in which a fact is put off.
    from _blake2 import blake2b
except ImportError:  # another interpreter than CPython
    from hashlib import blake2b

__all__ = ["blake2b"]
