"""Whether passes are as they were sealed: the row of each against its seal, and all that it wrote against its chain.

The seal of a pass is of its id, its status, its chain and who took it back; the chain is over the rest of it, its
mutations and its changes. So what reads the journal to write the graph, or to tell of it, looks at both.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

from graphdream.graph.sealed import BY_NAME
from graphdream.graph.sealfault import SealFault
from graphdream.graph.sealread import unsound_rows
from graphdream.graph.store import Store
from graphdream.journal.passes import chain_of

_MOST = 20  # passes that a refusal names


def wrong_passes(store: Store, after: int, upto: int) -> list[int]:
    """Which of the passes `after` < pass <= `upto` are not as they were sealed, oldest first.

    What a person has accepted counts as sound. Within the transaction that reads them; the cost follows what they
    changed. Where a file has no seal that could tell, every pass is sound.
    """
    if store.seal.off or not store.seal.is_sealed():
        return []
    connection, table = store.connection, BY_NAME["pass"]
    rows = connection.execute(
        f"SELECT id, {table.text_sql()}, chain, status FROM pass WHERE id > ? AND id <= ? ORDER BY id", (after, upto)
    ).fetchall()
    forged = {row_id for _, row_id in unsound_rows(store.seal, ((table.kind, row[0], row[1]) for row in rows))}
    # One that is open is being written by the transaction that asks, and has no chain yet.
    closed = [(row[0], row[2]) for row in rows if row[3] != "open" and row[0] not in forged]
    unchained = [pass_id for pass_id, chain in closed if chain_of(connection, pass_id) != chain]
    accepted = accepted_faults(store) if unchained else {}
    return sorted(forged | {one for one in unchained if ("chain", not_as_chained(one)) not in accepted})


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


def pass_faults(store: Store, upto: int, *, after: int = 0) -> Iterator[SealFault]:
    """A fault for each pass, up to `upto`, that is not as it was sealed. Otherwise as `wrong_passes`."""
    for pass_id in wrong_passes(store, after, upto)[:_MOST]:
        name = f"pass {pass_id}"
        yield SealFault("row", f"{name} was changed behind graphdream's back", (name,))


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
        if pass_id in forged or chain_of(connection, pass_id) != chain:
            continue
        told = json.loads(options)
        found.update(((check, message), pass_id) for check, message in told.get("faults", ()))
        for taken, as_found in told.get("chains", {}).items():
            if chain_of(connection, int(taken)) != as_found:
                found.pop(("chain", not_as_chained(int(taken))), None)
    return found


def chains_of(store: Store, passes: list[int]) -> dict[str, str]:
    """The chains of some passes as they would be made now, for the pass that accepts them as they are."""
    return {str(pass_id): chain_of(store.connection, pass_id) for pass_id in passes}
