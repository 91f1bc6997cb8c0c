"""What is said of a file that can be read but should not be written: to whoever asks a command about it."""

from __future__ import annotations

import sys

from graphdream.graph.objects import refusal
from graphdream.graph.store import Store
from graphdream.shown import printable


def warned(store: Store) -> Store:
    """The store; where somebody changed the schema of its file, that and what follows from it is said."""
    if store.schema.found:
        fault = refusal(store.path, store.schema.found, "nothing is written to it")
        print(f"graphdream: {printable(str(fault))}\n  {printable(fault.hint)}", file=sys.stderr)
    return store
