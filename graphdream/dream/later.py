"""Facts that were told without waiting for them to be written: kept beside the file, remembered by the next command.

Whether a fact is known already takes long to find out, longer than a hook that runs at every turn should take. What is
put off is on disk when the call returns, is remembered once whatever ends a program in between, and counts as told when
it was told.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from graphdream.clock import utc_now
from graphdream.dream.times import WORLD_TIMES, told_at, world_times
from graphdream.errors import UsageError, quoted
from graphdream.events.spool import FACTS, REFUSED, discard, put_aside, refuse, spool_path, waiting

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    import sqlite3
    from typing import Any

    from graphdream.graph.store import Store


def put_off(database: Path, text: str, *, at: str = "", **how: Any) -> Path:
    """Keep a fact for the next command.

    Args:
        at: when it was said, ISO 8601; now where it is not given.
        how: what else `graphdream.dream.remember.remember` takes: category, tags, session.

    Raises:
        UsageError: the text is blank, or a time is none. What else is wrong is found when it is remembered; it is then
            kept as refused, and the command that found it says so, as `graphdream doctor` does.
    """
    if not text.strip():
        raise UsageError("there is nothing to remember: the text is blank")
    now = utc_now()
    said_at = told_at(at) or now
    world_times(**{name: how[name] for name in WORLD_TIMES if name in how})
    return put_aside(database, json.dumps({"text": text, "at": said_at, **how}), now, FACTS, key=os.urandom(8).hex())


def take_in_waiting(store: Store, refusing: Callable[[str], None] = lambda why: None) -> Store:
    """Take in what waits beside a file, sessions first, unless somebody writes just now; loads nothing where nothing
    waits.

    Args:
        refusing: is told of each fact that cannot be remembered, and why; it is kept aside.

    Returns:
        The store.
    """
    if not spool_path(store.path).is_dir() or store.connection.in_transaction:
        return store
    if waiting(store.path):
        from graphdream.events.record import take_in

        take_in(store)
    if waiting(store.path, FACTS):
        remember_waiting(store, refusing)
    return store


def remember_waiting(store: Store, refusing: Callable[[str], None] = lambda why: None) -> int:
    """Remember what waits beside the file, oldest first, unless another program writes just now.

    Args:
        refusing: is told of each fact that cannot be remembered, and why; it is kept aside.

    Returns:
        Number of facts that were remembered or refused.
    """
    import sqlite3

    from graphdream.dream.remember import remember
    from graphdream.errors import GraphdreamError, UnwritableError
    from graphdream.journal import anchor

    done = 0
    for path in [] if store.connection.in_transaction else waiting(store.path, FACTS):
        text = path.name
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            text = told.pop("text")
            with store.patience(0), store.writing():
                if not _is_on_record(store.connection, path.name):
                    remember(store, text, call=path.name, **told)
            anchor.write(store)
        except FileNotFoundError:
            continue  # another program has remembered it
        except UnwritableError:
            break
        except sqlite3.OperationalError as fault:
            if "locked" not in str(fault):
                raise
            break
        except (ValueError, TypeError, KeyError, GraphdreamError) as fault:
            refuse(path)
            refusing(f"{quoted(text)} is not remembered: {fault}; it is kept in {path.with_suffix(REFUSED)}")
        else:
            discard([path])
        done += 1
    return done


def _is_on_record(connection: sqlite3.Connection, call: str) -> bool:
    """Whether a program ended between remembering a call and discarding it."""
    found = connection.execute(
        "SELECT 1 FROM pass WHERE kind = 'remember' AND json_extract(inputs, '$.call') = ?", (call,)
    ).fetchone()
    return found is not None
