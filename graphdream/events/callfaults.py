"""A call that cannot be taken in: whether that is its own fault, or that of what it was to be written to."""

from __future__ import annotations

from graphdream.errors import BusyError, IntegrityError, SchemaError
from graphdream.graph.sqlitefaults import says_file_at_fault


def tried_again(fault: Exception) -> bool:
    """Whether a call that met this fault stays where it is: the file, the disk or another program was in the way, as it
    would be of every call. Any other fault, foreseen or not, sets the call aside, and what waits behind it goes on."""
    theirs = isinstance(fault, BusyError | SchemaError | IntegrityError | OSError | MemoryError)
    return theirs or says_file_at_fault(fault)
