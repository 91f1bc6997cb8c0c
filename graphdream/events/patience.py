"""How long what a hook calls waits for another program to write, before it is kept beside the file."""

from __future__ import annotations

from contextlib import AbstractContextManager

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from graphdream.graph.store import Store

PATIENCE_SECONDS = 2.0  # most writes are done in a tenth of that
# A pass writes for longer than any hook can wait: whoever waits for it only comes late, and is put off nevertheless.
PATIENCE_BESIDE_A_PASS_SECONDS = 0.01


def a_hooks_patience(store: Store) -> AbstractContextManager[None]:
    """Meanwhile other writers are waited for as long as a hook can; then SQLite says that the file is locked."""
    pass_at_work = store.connection.execute("SELECT EXISTS (SELECT 1 FROM lease)").fetchone()[0]
    return store.patience(PATIENCE_BESIDE_A_PASS_SECONDS if pass_at_work else PATIENCE_SECONDS)
