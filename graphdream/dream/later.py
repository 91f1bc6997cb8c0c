"""Facts that were told without waiting for them to be written: kept beside the file, remembered by the next command.

Whether a fact is known already takes long to find out, longer than a hook that runs at every turn should take. What is
put off is on disk when the call returns, is remembered once whatever ends a program in between, and counts as told when
it was told.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphdream.clock import utc_now
from graphdream.errors import UsageError
from graphdream.events.spool import FACTS, discard, put_aside, refuse, waiting

if TYPE_CHECKING:
    from graphdream.graph.store import Store


def put_off(database: Path, text: str, *, at: str = "", **how: Any) -> Path:
    """Keep a fact for the next command.

    Args:
        at: when it was said, ISO 8601; now where it is not given.
        how: what else `graphdream.dream.remember.remember` takes: category, tags, session.

    Raises:
        UsageError: the text is blank. What else is wrong is found when it is remembered; it is then kept as refused,
            which `graphdream doctor` tells.
    """
    if not text.strip():
        raise UsageError("there is nothing to remember: the text is blank")
    now = utc_now()
    return put_aside(database, json.dumps({"text": text, "at": at or now, **how}), now, FACTS)


def remember_waiting(store: Store) -> int:
    """Remember what waits beside the file, oldest first, unless another program writes just now.

    Returns:
        Number of facts that were remembered or refused.
    """
    from graphdream.dream.remember import remember
    from graphdream.errors import GraphdreamError
    from graphdream.journal import anchor

    done = 0
    for path in [] if store.connection.in_transaction else waiting(store.path, FACTS):
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            with store.patience(0), store.writing():
                if not _is_on_record(store.connection, path.name):
                    remember(store, told.pop("text"), call=path.name, **told)
            anchor.write(store)
        except FileNotFoundError:
            continue  # another program has remembered it
        except sqlite3.OperationalError as fault:
            if "locked" not in str(fault) and "readonly" not in str(fault):
                raise
            break
        except (ValueError, TypeError, KeyError, GraphdreamError):
            refuse(path)
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
