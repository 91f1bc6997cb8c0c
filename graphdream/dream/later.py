"""What was told without waiting for it to be written: kept beside the file, and written by the next command.

Whether a fact is known already takes long to find out, longer than a hook that runs at every turn should take. What is
put off is on disk when the call returns, is remembered once whatever ends a program in between, and counts as told when
it was told. Smaller calls of hooks (feedback, notes, pins, what a session was shown) are put off where another program
writes for longer than a hook waits.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from graphdream.clock import utc_now
from graphdream.dream.times import WORLD_TIMES, told_at, world_times
from graphdream.errors import UsageError, quoted
from graphdream.events.spool import (
    CALLS,
    FACTS,
    UnsealedCallError,
    discard,
    put_aside,
    read_call,
    refuse,
    spool_path,
    waiting,
)
from graphdream.litter import sweep

_NAMED_BY = {FACTS: "text", CALLS: "call"}  # kind of call -> what of it a person knows it by

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


def put_off_call(database: Path, what: str, **told: Any) -> Path:
    """Keep a small call for the next command.

    Args:
        what: a name of `_CALLS`.
        told: what it takes; JSON.
    """
    now = utc_now()
    return put_aside(database, json.dumps({"call": what, "now": now, **told}), now, CALLS, key=os.urandom(8).hex())


class PutOff:
    """Whether a call was put off, and why."""

    def __init__(self) -> None:
        self.why = ""


@contextmanager
def soon_or_later(store: Store, what: str, **told: Any) -> Iterator[PutOff]:
    """Do a small call within a `with` block that waits for other writers no longer than a hook can; where that is not
    enough, the call is put off, and the block is left without an error.

        with soon_or_later(store, "feedback", handle="a3", signal="used", session="s1", note="") as put_off:
            give_feedback(store, "a3", "used", session="s1")
        if put_off.why:
            ...
    """
    import sqlite3

    from graphdream.errors import IntegrityError, UnwritableError
    from graphdream.events.patience import a_hooks_patience

    put_off = PutOff()
    try:
        with a_hooks_patience(store):
            yield put_off
    except (UnwritableError, IntegrityError) as fault:
        put_off.why = str(fault)
    except sqlite3.OperationalError as fault:
        if "locked" not in str(fault):
            raise
        put_off.why = "another program is writing"
    if put_off.why:
        put_off_call(store.path, what, **told)


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
    if waiting(store.path, CALLS):
        _make_waiting(store, refusing)
    sweep(spool_path(store.path))
    return store


def _make_waiting(store: Store, refusing: Callable[[str], None]) -> None:
    """Make the small calls that wait, oldest first, unless another program writes just now.

    One may be made twice, where a program ends before it has discarded it: what it says is so already then.
    """

    def make(told: dict[str, Any], _: Path) -> None:
        what = told.pop("call")
        with store.patience(0):
            _CALLS[what](store, **told)

    _each_waiting(store, CALLS, make, lambda what: f"a call that waited ({what}) cannot be made", refusing)


def _feedback(store: Store, *, now: str, handle: str, signal: str, session: str, note: str) -> None:
    from graphdream.recall.feedback import give_feedback

    give_feedback(store, handle, signal, session=session, note=note, clock=lambda: now)


def _note(store: Store, *, now: str, namespace: str, key: str, value: str, ttl: float, **how: Any) -> None:
    from graphdream.clock import seconds_between
    from graphdream.views.working import WorkingMemory

    if seconds_between(now, utc_now()) < ttl:
        WorkingMemory(store, namespace, clock=lambda: now).put(key, value, ttl_seconds=ttl, **how)


def _seen(store: Store, *, now: str, session: str, turn: int, handles: list[str]) -> None:
    from graphdream.recall.injection import mark_seen

    mark_seen(store, session, turn, handles, now)


def _edit(store: Store, *, now: str, mutations: list[Any], by: Any) -> None:
    from graphdream.dream.edit import edit

    edit(store, mutations, by=by)


def _observe(store: Store, *, now: str, rows: list[Any]) -> None:
    from graphdream.events.observed import observe

    report = observe(store, rows, clock=lambda: now)
    if report.faults:
        raise UsageError(report.faults[0])


_CALLS: dict[str, Callable[..., None]] = {
    "feedback": _feedback, "note": _note, "seen": _seen, "edit": _edit, "observe": _observe,
}  # fmt: skip


def remember_waiting(store: Store, refusing: Callable[[str], None] = lambda why: None) -> int:
    """Remember what waits beside the file, oldest first, unless another program writes just now.

    Args:
        refusing: is told of each fact that cannot be remembered, and why; it is kept aside.

    Returns:
        Number of facts that were remembered or refused.
    """
    from graphdream.dream.remember import remember

    def remembered(told: dict[str, Any], path: Path) -> None:
        text = told.pop("text")
        with store.patience(0), store.writing():
            if not _is_on_record(store.connection, path.name):
                remember(store, text, call=path.name, **told)

    if store.connection.in_transaction:
        return 0
    return _each_waiting(store, FACTS, remembered, lambda text: f"{text} is not remembered", refusing)


def _each_waiting(
    store: Store,
    kind: str,
    take_in: Callable[[dict[str, Any], Path], None],
    told_as: Callable[[str], str],
    refusing: Callable[[str], None],
) -> int:
    """Take in each call of a kind that waits, oldest first, and stop where the file is not free.

    Args:
        kind: of the spool's files.
        take_in: is given what a call tells, and its file.
        told_as: what is said of one that cannot be taken in, by its name: the fact, the kind of call, or its file.
        refusing: is told why, and where it is kept.

    Returns:
        Number of those that were taken in or refused.
    """
    done = 0
    for path in waiting(store.path, kind):
        name = path.name
        try:
            told = json.loads(read_call(path, store.seal))
            name = told[_NAMED_BY[kind]]
            take_in(told, path)
        except (FileNotFoundError, UnsealedCallError):
            continue  # another program has taken it in, or a person has yet to say that it is ours
        except Exception as fault:
            if _is_for_later(fault):
                break
            refusing(f"{told_as(quoted(str(name)))}: {fault}; it is kept in {refuse(path)}")
        else:
            discard([path])
        done += 1
    return done


def _is_for_later(fault: Exception) -> bool:
    """Whether a fault leaves what waits for the next command, as that of another writer does; False where the call is
    to be set aside. Raises the fault where the file itself has it: whoever asked must hear of that."""
    from graphdream.errors import GraphdreamError
    from graphdream.events.callfaults import tried_again

    if not tried_again(fault):
        return False
    if isinstance(fault, GraphdreamError) or "locked" in str(fault):
        return True
    raise fault


def _is_on_record(connection: sqlite3.Connection, call: str) -> bool:
    """Whether a program ended between remembering a call and discarding it."""
    found = connection.execute(
        "SELECT 1 FROM pass WHERE kind = 'remember' AND json_extract(inputs, '$.call') = ?", (call,)
    ).fetchone()
    return found is not None
