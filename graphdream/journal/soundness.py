"""Whether passes are as they were sealed: the row of each against its seal, and all that it wrote against its chain.

The seal of a pass is of its id, its status, its chain and who took it back; the chain is over the rest of it, its
mutations and its changes. So what reads the journal to write the graph, or to tell of it, looks at both.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator

from graphdream.graph.sealed import BY_NAME
from graphdream.graph.sealfault import SealFault
from graphdream.graph.sealread import unsound_rows
from graphdream.graph.sealtables import confirm_tables
from graphdream.graph.store import Store
from graphdream.journal.passes import chain_of

_MOST = 20  # passes that a refusal names


def wrong_passes(store: Store, after: int, upto: int) -> list[int]:
    """Which of the passes `after` < pass <= `upto` are not as they were sealed, oldest first.

    What a person has accepted counts as sound. Within the transaction that reads them; the cost follows what they
    changed, once for as long as no other program writes to the file. Where a file has no seal that could tell, every
    pass is sound.
    """
    return _wrong(store, "id > ? AND id <= ?", (after, upto))


def wrong_among(store: Store, passes: Iterable[int]) -> list[int]:
    """Which of some passes are not as they were sealed; as `wrong_passes`."""
    return _wrong(store, "id IN (SELECT value FROM json_each(?))", (json.dumps(sorted(passes)),))


def _wrong(store: Store, which: str, values: tuple[int | str, ...]) -> list[int]:
    seal = store.seal
    if seal.off or not seal.is_sealed():
        return []
    connection, table, version = store.connection, BY_NAME["pass"], seal.version()
    if seal.passes_seen[0] != version:
        seal.passes_seen = version, set()
    seen = seal.passes_seen[1]
    rows = [
        row
        for row in connection.execute(
            f"SELECT id, {table.text_sql()}, chain, status FROM pass WHERE {which} ORDER BY id", values
        )
        if row[0] not in seen
    ]
    forged = {row_id for _, row_id in unsound_rows(seal, ((table.kind, row[0], row[1]) for row in rows))}
    # One that is open is being written by the transaction that asks, and has no chain yet.
    closed = [(row[0], row[2]) for row in rows if row[3] != "open" and row[0] not in forged]
    unchained = [pass_id for pass_id, chain in closed if not _is_chained(connection, pass_id, chain)]
    accepted = accepted_faults(store) if unchained else {}
    wrong = forged | {one for one in unchained if ("chain", not_as_chained(one)) not in accepted}
    seen.update(pass_id for pass_id, _ in closed if pass_id not in wrong)
    return sorted(wrong)


def _is_chained(connection: sqlite3.Connection, pass_id: int, chain: str) -> bool:
    """Whether the chain of a pass holds. There is none over values of another type than its columns have."""
    try:
        return chain_of(connection, pass_id) == chain
    except (TypeError, ValueError, AttributeError, sqlite3.OperationalError):
        return False


def confirm_journal(store: Store) -> None:
    """See to it that the whole journal is as it was sealed, for what takes from it what it writes to the graph.

    What a row was before is found by all changes of it since, whichever pass made them, and who has taken back whom by
    all undos. So every pass is looked at: once, as long as no other program writes to the file.

    Raises:
        IntegrityError: it is not; the passes are named. Where that was accepted, what is written next says so.
    """
    seal = store.seal
    if seal.off:
        return
    with store.reading():
        version, seen = seal.journal_seen
        now = (seal.version(), store.connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()[0])
        if version != now[0]:
            seen = 0
        faults = list(pass_faults(store, now[1], after=seen))
        strays = "" if seen or not seal.is_sealed() else stray_changes(store.connection)[0]
        if strays and ("chain", strays) not in accepted_faults(store):
            faults.append(SealFault("row", strays))
        seal.meet(faults)
        if not faults:
            seal.journal_seen = now


def confirm_passes(store: Store, passes: Iterable[int]) -> None:
    """See to it that some passes, with all that they wrote, are as they were sealed; as `confirm_journal` otherwise."""
    with store.reading():
        store.seal.meet(map(_changed, wrong_among(store, passes)[:_MOST]))


def confirm_rows(store: Store) -> None:
    """See to it that no pass is missing, and that each says of its status and of who took it back what was sealed; what
    it wrote is not looked at. As `confirm_journal` otherwise."""
    with store.reading():
        confirm_tables(store.seal, "pass")


def pass_faults(store: Store, upto: int, *, after: int = 0) -> Iterator[SealFault]:
    """A fault for each pass, up to `upto`, that is not as it was sealed. Otherwise as `wrong_passes`."""
    yield from map(_changed, wrong_passes(store, after, upto)[:_MOST])


def _changed(pass_id: int) -> SealFault:
    name = f"pass {pass_id}"
    return SealFault("row", f"{name} was changed behind graphdream's back", (name,))


def stray_changes(connection: sqlite3.Connection) -> tuple[str, int]:
    """What is wrong with changes that lie where no pass says it made them, and a pass that one of them names; "" and 0
    where there are none."""
    number, first = connection.execute(
        "SELECT count(*), min(pass_id) FROM change WHERE NOT EXISTS (SELECT 1 FROM pass WHERE pass.id = change.pass_id"
        " AND change.id BETWEEN first_change AND last_change)"
    ).fetchone()
    if not number:
        return "", 0
    return f"{number} changes lie where no pass says it made them, the first of a pass {first}", first


# ---------------------------------------------------------------------- what persons have accepted


def not_as_chained(pass_id: int) -> str:
    """The fault of a pass whose chain does not hold, as `verify` tells it and a person accepts it."""
    return (
        f"pass {pass_id}, its mutations or its changes are not what was sealed when it was written"
        " (or the pass before it was replaced)"
    )


def accepted_faults(store: Store) -> dict[tuple[str, str], int]:
    """What persons have accepted: check and message of each fault -> the pass that says so.

    That pass must itself be as it was sealed: else a forged one could accept whatever was forged, itself among it. And
    a pass that was accepted may not have been changed once more: the one that accepts it says which chain it found.
    """
    connection, table = store.connection, BY_NAME["pass"]
    rows = connection.execute(
        f"SELECT id, {table.text_sql()}, chain, options FROM pass WHERE kind = 'trust' ORDER BY id"
    ).fetchall()
    forged = {row_id for _, row_id in unsound_rows(store.seal, ((table.kind, row[0], row[1]) for row in rows))}
    found: dict[tuple[str, str], int] = {}
    for pass_id, _, chain, options in rows:
        if pass_id in forged or not _is_chained(connection, pass_id, chain):
            continue
        told = json.loads(options)
        found.update(((check, message), pass_id) for check, message in told.get("faults", ()))
        for taken, as_found in told.get("chains", {}).items():
            if not _is_chained(connection, int(taken), as_found):
                found.pop(("chain", not_as_chained(int(taken))), None)
    return found


def chains_of(store: Store, passes: list[int]) -> dict[str, str]:
    """The chains of some passes as they would be made now, for the pass that accepts them as they are."""
    return {str(pass_id): chain_of(store.connection, pass_id) for pass_id in passes}
