"""What was told without waiting for it to be written: kept beside the file, and written by the next command.

Whether a fact is known already takes long to find out, longer than a hook that runs at every turn should take. What is
put off is on disk when the call returns, is remembered once whatever ends a program in between, and counts as told when
it was told. Smaller calls of hooks (feedback, notes, pins, what a session was shown) are put off where another program
writes for longer than a hook waits.

Facts and calls are made in the order in which they were told: whoever gets to write takes in first what waits.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from graphdream.clock import utc_now
from graphdream.dream.times import TOLD_TIMES, told_at, world_times
from graphdream.errors import BusyError, UsageError, quoted
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

_TOGETHER_SECONDS = 0.5  # for which what waits is written at a time; a hook that wants to write waits for longer
_NAMED_BY = {FACTS: "text", CALLS: "call"}  # kind of call -> what of it a person knows it by
_NOT_TAKEN_IN = {FACTS: "{} is not remembered", CALLS: "a call that waited ({}) cannot be made"}

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from typing import Any, TypeGuard

    from graphdream.errors import GraphdreamError
    from graphdream.graph.store import Store


class StillWaitsError(BusyError):
    """What was told before a call is not all taken in yet; the call waits behind it."""

    def __init__(self) -> None:
        super().__init__("what was told before is still being taken in", "try again: each command takes in more of it")


def put_off(database: Path, text: str, *, at: str = "", now: str = "", **how: Any) -> Path:
    """Keep a fact for the next command.

    Args:
        at: when it was said, ISO 8601; now where it is not given.
        now: when the call was made, which gives it its turn; now where it is not given.
        how: what else `graphdream.dream.remember.remember` takes: category, tags, session.

    Raises:
        UsageError: the text is blank, or a time is none. What else is wrong is found when it is remembered; it is then
            kept as refused, and the command that found it says so, as `graphdream doctor` does.
    """
    if not text.strip():
        raise UsageError("there is nothing to remember: the text is blank")
    now = now or utc_now()
    said_at = told_at(at) or now
    world_times(**{name: how[name] for name in TOLD_TIMES if name in how})
    return put_aside(database, json.dumps({"text": text, "at": said_at, **how}), now, FACTS, key=_fresh_key())


def put_off_call(database: Path, what: str, *, now: str = "", **told: Any) -> Path:
    """Keep a small call for the next command.

    Args:
        what: a name of `_CALLS`.
        now: when the call was made, which gives it its turn; now where it is not given.
        told: what it takes; JSON.
    """
    now = now or utc_now()
    return put_aside(database, json.dumps({"call": what, "now": now, **told}), now, CALLS, key=_fresh_key())


def _fresh_key() -> str:
    """What no other call has. Of those made within one millisecond, it sorts an earlier one first."""
    return f"{time.time_ns():016x}{os.urandom(8).hex()}"


class Made:
    """What became of a small call.

    Attributes:
        result: what it returned; None where it was put off.
        why: it was put off; "" where it was made.
    """

    def __init__(self, result: Any = None, why: str = "") -> None:
        self.result, self.why = result, why


def soon_or_later(store: Store, what: str, make: Callable[[], Any], **told: Any) -> Made:
    """Make a small call in its turn, and wait for other writers, and for what was told before it, no longer than a hook
    can; where that is not enough, the call is put off.

        made = soon_or_later(store, "feedback", lambda: give_feedback(store, "a3", "used", session="s1"),
                             handle="a3", signal="used", session="s1", note="")
        if made.why:
            ...

    Args:
        what: a name of `_CALLS`.
        make: makes the call, in the write transaction that is open.
        told: what the call takes, to be kept; JSON.

    Raises:
        UnwritableError: it can neither be made nor kept.
        Exception: as `make`.
    """
    import sqlite3

    from graphdream.errors import IntegrityError, UnwritableError
    from graphdream.events.patience import PATIENCE_SECONDS, a_hooks_patience

    now = utc_now()
    try:
        with a_hooks_patience(store), in_turn(store, PATIENCE_SECONDS):
            return Made(make())
    except (UnwritableError, IntegrityError, StillWaitsError) as fault:
        why = str(fault)
    except sqlite3.OperationalError as fault:
        if "locked" not in str(fault):
            raise
        why = "another program is writing"
    put_off_call(store.path, what, now=now, **told)
    return Made(why=why)


@contextmanager
def in_turn(store: Store, seconds: float = float("inf")) -> Iterator[None]:
    """A write transaction for what is told just now: facts and calls that were told before it, and wait, are taken in
    first, in the same transaction. Within a transaction of the caller, that one as it is.

    Args:
        seconds: how long it may take to get to write and to take in what waits.

    Raises:
        StillWaitsError: that was not enough. As much of what waits as there was time for is taken in, and the block is
            not begun.
        Exception: as `Store.writing`.
    """
    if store.connection.in_transaction:
        yield
        return
    until = time.monotonic() + seconds
    taken: list[Path] = []
    all_of_it = True
    with _tidied_up(store), store.writing():
        for path in waiting(store.path, FACTS, CALLS):
            if time.monotonic() >= until:
                all_of_it = False
                break
            if _taken_in(store, path, store.savepoint):
                taken.append(path)
        if all_of_it:
            yield
    discard(taken)
    if not all_of_it:
        raise StillWaitsError


@contextmanager
def _tidied_up(store: Store) -> Iterator[None]:
    """What a pass does after its transaction, where passes were made within one that was open already."""
    from graphdream.graph import store as files

    before = files.passes_committed
    yield
    if files.passes_committed > before:
        from graphdream.journal.passes import after_a_pass

        after_a_pass(store)


def take_in_waiting(
    store: Store, refusing: Callable[[str], None] = lambda why: None, *, wait_seconds: float = 0.0
) -> Store:
    """Take in what waits beside a file, sessions first, unless somebody writes just now; loads nothing where nothing
    waits.

    Args:
        refusing: is told of each fact that cannot be remembered, and why; it is kept aside.
        wait_seconds: how long to wait for another program that writes; after that, what is left waits on.

    Returns:
        The store.
    """
    if store.connection.in_transaction:
        return store
    from graphdream.events.othernames import bring_along  # what who only puts off a fact does without

    bring_along(store)
    if not spool_path(store.path).is_dir():
        return store
    if waiting(store.path):
        from graphdream.events.record import take_in

        take_in(store, wait_seconds=wait_seconds)
    take_in_told(store, refusing, wait_seconds=wait_seconds)
    sweep(spool_path(store.path))
    return store


def take_in_before(store: Store, refusing: Callable[[str], None] = lambda why: None) -> None:
    """Take in what waits beside a file, before what goes back on what was told: who tells a fact while a pass writes,
    and then takes back the last pass, means that fact. Waits for a program that writes as long as a write does.

    Args:
        refusing: as `take_in_waiting`.
    """
    from graphdream.graph.schema import BUSY_SECONDS

    take_in_waiting(store, refusing, wait_seconds=BUSY_SECONDS)


def take_in_told(store: Store, refusing: Callable[[str], None] = lambda why: None, *, wait_seconds: float = 0.0) -> int:
    """Remember the facts and make the small calls that wait beside the file, in the order in which they were told; stop
    where another program writes for longer than one waits.

    Args:
        refusing: is told of each that cannot be taken in, and why; it is kept aside.
        wait_seconds: how long to wait for another program.

    Returns:
        Number of those that were taken in or set aside.
    """
    calls, done = waiting(store.path, FACTS, CALLS), 0
    if store.connection.in_transaction or not calls:
        return 0
    from graphdream.graph.sqlitefaults import says_locked

    together = True
    with _tidied_up(store), store.patience(wait_seconds):
        while calls:
            try:
                looked_at, finished = _taken_in_together(store, calls if together else calls[:1], refusing)
            except Exception as fault:
                if not _is_for_later(fault):
                    raise
                if not together or len(calls) == 1 or says_locked(fault):
                    break
                together = False  # one that is in the way keeps those back that were told after it, and no other
                continue
            discard(finished)
            done += len(finished)
            calls = calls[looked_at:]
    return done


def _taken_in_together(store: Store, calls: list[Path], refusing: Callable[[str], None]) -> tuple[int, list[Path]]:
    """Take in, in one write transaction, as many of some calls as there is time for; at least the first.

    Where many programs write, whoever gets to write does not get to for long, and each transaction waits for the disk:
    one a call let a hundred of them wait for minutes.

    Returns:
        How many were looked at, and which of these are done with.
    """
    until = time.monotonic() + _TOGETHER_SECONDS
    looked_at, finished = 0, list[Path]()
    with store.writing():
        for path in calls:
            if looked_at and time.monotonic() >= until:
                break
            looked_at += 1
            if _taken_in(store, path, store.savepoint, refusing):
                finished.append(path)
    return looked_at, finished


def _taken_in(
    store: Store,
    path: Path,
    within: Callable[[], AbstractContextManager[None]],
    refusing: Callable[[str], None] = lambda why: None,
) -> bool:
    """Take in a fact or a call that waits, or set it aside where it cannot be, or was already.

    Args:
        within: the part of a transaction, or the whole one, that it is.
        refusing: as `take_in_told`.

    Returns:
        Whether the file is done with; False where it is gone, or waits for a person to say that it is ours.

    Raises:
        Exception: the file, the disk or another program is in the way, as it would be of every call.
    """
    from graphdream.events.callfaults import tried_again
    from graphdream.events.takenin import taken_in_at, was_put_back

    kind, name = path.suffix, path.name
    try:
        told = json.loads(read_call(path, store.seal))
        name = told[_NAMED_BY[kind]]
        with within():
            before = taken_in_at(store, path)
            if not before:
                _TAKE_IN[kind](store, told, path)
    except (FileNotFoundError, UnsealedCallError):
        return False
    except Exception as fault:
        if tried_again(fault):
            raise
        if _was_purged(fault):
            refusing(f"a fact that waited is not remembered, nor kept: {fault}; {fault.hint}")
            return True
        why = str(fault)
    else:
        if not was_put_back(path, before):
            return True
        why = f"it was taken in at {before}, and somebody has put it there again"
    refusing(f"{_NOT_TAKEN_IN[kind].format(quoted(str(name)))}: {why}; it is kept in {refuse(path)}")
    return True


def _was_purged(fault: Exception) -> TypeGuard[GraphdreamError]:
    """Whether what was told is what a person wanted gone: no file beside the memory may keep it."""
    from graphdream.dream.remember import PurgedFactError

    return isinstance(fault, PurgedFactError)


def _is_for_later(fault: Exception) -> bool:
    """Whether a fault leaves what waits for the next command, as that of another writer does; whoever asked must hear
    of any other that the file itself has."""
    from graphdream.errors import GraphdreamError

    return isinstance(fault, GraphdreamError) or "locked" in str(fault)


# ---------------------------------------------------------------------- what waits, by its kind


def _remember(store: Store, told: dict[str, Any], path: Path) -> None:
    from graphdream.dream.remember import remember

    text = told.pop("text")
    remember(store, text, call=path.name, **told)


def _make(store: Store, told: dict[str, Any], path: Path) -> None:
    from graphdream.events.takenin import note_taken_in

    what = told.pop("call")
    _CALLS[what](store, **told)
    note_taken_in(store, path)


_TAKE_IN: dict[str, Callable[[Store, dict[str, Any], Path], None]] = {FACTS: _remember, CALLS: _make}


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
