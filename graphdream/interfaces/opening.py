"""The file a command works on, opened with what waits beside it."""

from __future__ import annotations

from argparse import Namespace

from graphdream.events.spool import waiting
from graphdream.graph.store import Store
from graphdream.paths import database_path


def opened(args: Namespace, *, create: bool = False) -> Store:
    """Open the database that `--db` or `--agent` names; sessions that a pass kept from being recorded are taken in,
    unless somebody writes just now. Raises as `Store.open`."""
    store = Store.open(database_path(args.db, args.agent), create=create)
    if waiting(store.path):
        from graphdream.events.record import take_in

        take_in(store)
    return store
