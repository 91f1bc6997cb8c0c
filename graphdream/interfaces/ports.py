"""Ports of TCP, as a command is given them."""

from __future__ import annotations

from graphdream.errors import UsageError

_LARGEST = 65_535


def confirm_port(port: int, given: str, *, any_free: bool = False) -> None:
    """See to it that a number is a port: sockets take a larger one for another port, without a word.

    Args:
        given: the option and its value, as the message names them.
        any_free: 0 may be given too, for any that is free.

    Raises:
        UsageError: it is none.
    """
    first = 0 if any_free else 1
    if not first <= port <= _LARGEST:
        raise UsageError(f"{given} names no port", f"a port is a number from {first} to {_LARGEST}")
