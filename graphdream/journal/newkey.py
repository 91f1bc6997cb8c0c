"""Another key for a file: it is sealed anew, on record."""

from __future__ import annotations

import os

from graphdream.clock import Clock, utc_now
from graphdream.errors import UsageError
from graphdream.graph.store import Store
from graphdream.journal.trust import TrustReport, trust
from graphdream.sealing.keys import COMMAND_VARIABLE, current_key, rotate_key


def trust_with_new_key(store: Store, reason: str = "", *, clock: Clock = utc_now) -> TrustReport:
    """Seal a file with a new key. Where a command of the person's own gives the key, it is the one that it gives now.

    Args:
        reason: why, for the record; "" where only the key changes.

    Raises:
        UsageError: the file is not as it was sealed, which another key does not mend, and no reason was given.
        KeyUnavailableError: there is no key to seal it with.
    """
    faults = store.seal.faults(anew=True)  # a witness that takes time, too
    if faults and not reason.strip():
        raise UsageError(
            f"the file is not as it was sealed: {faults[0]}", "another key does not mend that; add --reason TEXT"
        )
    key = current_key() if os.environ.get(COMMAND_VARIABLE) else rotate_key()
    return trust(store, reason if reason.strip() else "the key was changed", key=key, clock=clock)
