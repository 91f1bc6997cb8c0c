"""Does the file still hold what was written? State against journal, journal against its chain, all rows against their
seals, the seal against the anchor and the witness.

What can be told: a row, change, mutation or pass that was edited, added, dropped or moved (chain, fold, hash), also
where every sum was made anew, by somebody who has not got the key (seal); a file put back to an older copy (anchor),
also along with its anchor (witness, where there is one); a trigger taken away (schema). What a person has taken as it
was (`graphdream trust`) is a note from then on.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, astuple, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from graphdream.errors import GraphdreamError
from graphdream.graph.fulltext import index_faults
from graphdream.graph.nameindex import name_index_faults
from graphdream.graph.objects import MENDED_BY, differences
from graphdream.graph.rows import row_number
from graphdream.graph.rowtext import row_sql
from graphdream.graph.schema import newest_version
from graphdream.graph.sealfault import SealFault, changed_figures
from graphdream.graph.sealwalk import walk
from graphdream.graph.sealwitness import FileWitness
from graphdream.graph.store import HASH_BITS, Store, hash_text, row_hash
from graphdream.graph.tables import BY_NAME, ENTITY, TABLES, Table
from graphdream.graph.talkshape import wrong_figures
from graphdream.graph.textindexes import damaged_indexes
from graphdream.journal.changes import row_name
from graphdream.journal.erasure import erased_rows, erasure_faults
from graphdream.journal.fold import fold_graph
from graphdream.journal.passes import NO_ROWS, chain_of
from graphdream.journal.soundness import accepted_faults, not_as_chained, stray_changes, wrong_passes
from graphdream.journal.standing import read_undoes, undoers
from graphdream.journal.undo import judged

MOST_OF_A_KIND = 100  # faults of one check that are spelled out; the rest are counted
_SHOWN = 60  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class Fault:
    """One disagreement.

    Attributes:
        check: which check found it: file, schema, references, chain, purge, standing, fold, hash, index, seal,
            anchor or witness.
        message: in words.
        pass_id: the pass it concerns, where there is one.
        row: the row it concerns, `entity e12`, or "".
    """

    check: str
    message: str
    pass_id: int | None = None
    row: str = ""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What `verify` found.

    Attributes:
        faults: every disagreement; none means that the file is what was written.
        notes: what could not be checked, or is worth knowing.
        passes: number of passes read.
        changes: number of row changes read.
        rows: number of rows of the graph.
        graph_hash: hash of the graph as it is, 64 hexadecimal digits.
    """

    faults: tuple[Fault, ...]
    notes: tuple[str, ...]
    passes: int
    changes: int
    rows: int
    graph_hash: str

    @property
    def ok(self) -> bool:
        """Whether there is no fault."""
        return not self.faults

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {"ok": self.ok, **asdict(self)}

    def as_text(self) -> str:
        """The report for a person."""
        lines = [f"{self.passes} passes, {self.changes} changes, {self.rows} rows: graph {self.graph_hash[:16]}"]
        lines += [f"FAULT  {fault.check}: {fault.message}" for fault in self.faults]
        lines += [f"note   {note}" for note in self.notes]
        lines.append("state, journal, chain and anchor agree" if self.ok else f"{len(self.faults)} faults")
        return "\n".join(lines)


def verify(store: Store) -> VerifyReport:
    """Check the whole file; reads only, in one view of it, in time linear in graph and journal.

    Never raises for what it finds in the file: damage is a fault like any other.
    """
    connection = store.connection
    sealed = store.seal.faults(anew=True)
    damaged, not_looked_at = _damaged_indexes(store.path)
    tally = _Tally()
    checks: tuple[tuple[str, Callable[[], Iterable[Fault]]], ...] = (
        ("file", lambda: _file(connection)),
        ("schema", lambda: _schema(connection)),
        ("references", lambda: _references(connection)),
        ("chain", lambda: _chain(connection)),
        ("purge", lambda: (Fault("purge", words, pass_id) for pass_id, words in erasure_faults(connection))),
        ("standing", lambda: _standing(connection)),
        ("fold", lambda: _fold(store, tally)),
        ("hash", lambda: _hash(connection, tally)),
        ("index", lambda: (Fault("index", words, row=words.split()[0]) for words in index_faults(connection))),
        ("index", lambda: (Fault("index", words, row=words.split()[0]) for words in name_index_faults(connection))),
        ("index", lambda: _figures(connection)),
    )
    faults: list[Fault] = []
    with store.reading():
        for name, check in checks:
            faults.extend(_bounded(name, check))
        accepted = accepted_faults(store)
        known = [fault for fault in faults if (fault.check, fault.message) in accepted]
        standing = [fault for fault in faults if (fault.check, fault.message) not in accepted]
        standing += damaged
        standing += _bounded("seal", lambda: _sealed(store, sealed, standing))
        passes, changes = _count(connection, "pass"), _count(connection, "change")
        notes = [*not_looked_at, *_notes(store), *_notes_of_the_witness(store.seal.witness)]
    notes += [f"accepted by pass {accepted[fault.check, fault.message]}: {fault.message}" for fault in known]
    return VerifyReport(tuple(standing), tuple(notes), passes, changes, tally.rows, hash_text(tally.hash))


def _damaged_indexes(path: Path) -> tuple[list[Fault], list[str]]:
    """The full-text indexes that SQLite finds not whole, never accepted once for all; and a note where nobody can tell,
    because another program writes just now, or the file may only be read. By a connection of its own, which waits for
    nobody."""
    try:
        where = f"{path.absolute().as_uri()}?mode=rw"  # a file that is gone is not made anew
        with closing(sqlite3.connect(where, uri=True, timeout=0, isolation_level=None)) as connection:
            names = damaged_indexes(connection)
    except sqlite3.Error as fault:
        return [], [f"whether the full-text indexes are whole was not looked at: {fault}"]
    return [Fault("index", f"the full-text index {name} is damaged: {MENDED_BY} makes it anew") for name in names], []


class _Tally:
    """What the comparison of the rows adds up on its way."""

    rows = 0
    hash = 0


def _bounded(name: str, check: Callable[[], Iterable[Fault]]) -> list[Fault]:
    """The faults of a check, no more than are worth reading; a check that breaks off is a fault too."""
    found: list[Fault] = []
    try:
        each = iter(check())
        found.extend(islice(each, MOST_OF_A_KIND))
        more = sum(1 for _ in each)
        if more:
            found.append(Fault(name, f"and {more} more"))
    except Exception as fault:  # whatever it met: somebody else may have written what no part of this program writes
        found.append(Fault(name, f"this cannot be checked: {fault}"))
    return found


def _count(connection: sqlite3.Connection, table: str) -> int:
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.Error:
        return 0


def _file(connection: sqlite3.Connection) -> Iterator[Fault]:
    for (words,) in connection.execute("PRAGMA integrity_check"):
        if words != "ok":
            yield Fault("file", words)


def _figures(connection: sqlite3.Connection) -> Iterator[Fault]:
    if wrong := wrong_figures(connection):
        yield Fault("index", f"{', '.join(wrong)}: {changed_figures()}")


def _schema(connection: sqlite3.Connection) -> Iterator[Fault]:
    """Every table, index, view and trigger against those that the migrations make."""
    for one in differences(connection, newest_version()):
        yield Fault("schema", str(one))


def _references(connection: sqlite3.Connection) -> Iterator[Fault]:
    for table, rowid, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        row = f"{table} {rowid}" if rowid is not None else f"a row of {table}"
        yield Fault("references", f"{row} refers to a {parent} that is not there", row=row)


def _chain(connection: sqlite3.Connection) -> Iterator[Fault]:
    """Every pass sealed over its own content and the pass before, none missing, each from where the last one ended."""
    expected, left, before = 1, NO_ROWS, "an empty graph"
    for pass_id, kind, status, hash_before, hash_after, chain in connection.execute(
        "SELECT id, kind, status, hash_before, hash_after, chain FROM pass ORDER BY id"
    ).fetchall():
        if pass_id != expected:
            missing = f"pass {expected}" if pass_id == expected + 1 else f"passes {expected} to {pass_id - 1}"
            yield Fault("chain", f"{missing} is missing from the journal", expected)
        if status == "open":
            yield Fault("chain", f"pass {pass_id} was never closed", pass_id)
        elif chain_of(connection, pass_id) != chain:
            yield Fault("chain", not_as_chained(pass_id), pass_id)
        if hash_before != left and kind != "trust":  # that one starts from the graph as it was found
            yield Fault("chain", f"pass {pass_id} does not start from the graph that {before} left", pass_id)
        expected, left, before = pass_id + 1, hash_after, f"pass {pass_id}"
    written = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'pass'").fetchone()
    if written and written[0] >= expected:
        yield Fault("chain", f"the journal ends with pass {expected - 1}, but {written[0]} were written", expected)
    strays, first = stray_changes(connection)
    if strays:
        yield Fault("chain", strays, first)


def _standing(connection: sqlite3.Connection) -> Iterator[Fault]:
    """`undone_by` and the verdicts are not sealed, since later passes change them: they follow from the undos."""
    undoes = read_undoes(connection)
    right = undoers(undoes)
    for pass_id, noted in connection.execute("SELECT id, undone_by FROM pass ORDER BY id").fetchall():
        if noted != right.get(pass_id):
            yield Fault(
                "standing", f"pass {pass_id} is {_by(noted)}, but by the undos it is {_by(right.get(pass_id))}", pass_id
            )
    purged = erased_rows(connection, ENTITY)
    wanted = set()
    for pass_id, options in connection.execute(
        "SELECT id, options FROM pass WHERE undoes <> '[]' ORDER BY id"
    ).fetchall():
        taken = [named for named in undoes.get(pass_id, ()) if named not in undoes]
        wanted |= {
            (pass_id, *astuple(one), right.get(pass_id))
            for one in judged(connection, taken, json.loads(options), purged=purged)
        }
    found = {
        tuple(row)
        for row in connection.execute(
            "SELECT pass_id, merged_by, first_id, second_id, direct, revoked_by FROM rejection"
            " WHERE pass_id IN (SELECT id FROM pass WHERE undoes <> '[]')"
        )
    }
    for pass_id, merged_by, first, second, direct, _ in sorted(wanted ^ found, key=str):
        if purged & {first, second} or (purged and not direct):
            continue  # a change that tells of their merge is gone
        words = f"on e{first} and e{second}, merged by pass {merged_by}, is not as it was given"
        yield Fault("standing", f"the verdict of pass {pass_id} {words}", pass_id)


def _by(pass_id: int | None) -> str:
    return "standing" if pass_id is None else f"undone by pass {pass_id}"


def _fold(store: Store, tally: _Tally) -> Iterator[Fault]:
    """Row by row: what the journal makes, against what the graph holds; the tally adds up the graph's hash."""
    connection = store.connection
    try:
        scratch = fold_graph(store)
    except (GraphdreamError, sqlite3.Error) as fault:
        yield Fault("fold", f"the journal cannot be followed: {fault}")
        scratch = None
    for table in TABLES:
        made = _texts(scratch, table) if scratch else None
        yield from _compared(connection, table, made, tally)
    if scratch:
        scratch.close()


def _hash(connection: sqlite3.Connection, tally: _Tally) -> Iterator[Fault]:
    """The hash of the rows as they are, against the one that the newest pass sealed. Runs after `_fold`."""
    newest = connection.execute("SELECT id, hash_after FROM pass ORDER BY id DESC LIMIT 1").fetchone()
    sealed = newest["hash_after"] if newest else NO_ROWS
    if hash_text(tally.hash) != sealed:
        last = f"pass {newest['id']}" if newest else "no pass"
        words = f"the graph's hash is {hash_text(tally.hash)[:16]}, but {last} left {sealed[:16]}"
        yield Fault("hash", words, newest["id"] if newest else None)


def _texts(connection: sqlite3.Connection, table: Table) -> Iterator[tuple[int, bytes, int]]:
    yield from connection.execute(f"SELECT id, {row_sql(table)}, version FROM {table.name} ORDER BY id")


def _compared(
    connection: sqlite3.Connection, table: Table, made: Iterator[tuple[int, bytes, int]] | None, tally: _Tally
) -> Iterator[Fault]:
    """Both come in order of id, so one walk over the two is enough."""
    modulus = 1 << HASH_BITS
    total = rows = 0
    wanted = next(made, None) if made else None
    for row_id, text, version in _texts(connection, table):
        rows += 1
        total += row_hash(table.kind, text)
        if made is None:
            continue
        while wanted is not None and wanted[0] < row_id:
            yield _row_fault(connection, table, wanted[0], "is gone from the graph")
            wanted = next(made, None)
        if wanted is None or wanted[0] != row_id:
            yield _row_fault(connection, table, row_id, "is in the graph, but no pass made it")
            continue
        if wanted[1] != text:
            yield _row_fault(connection, table, row_id, _difference(table, text, wanted[1]))
        elif wanted[2] != version:
            words = f"says that pass {version} changed it last, by the journal it was pass {wanted[2]}"
            yield _row_fault(connection, table, row_id, words)
        wanted = next(made, None)
    while made and wanted is not None:
        yield _row_fault(connection, table, wanted[0], "is gone from the graph")
        wanted = next(made, None)
    tally.rows += rows
    tally.hash = (tally.hash + total) % modulus


def _row_fault(connection: sqlite3.Connection, table: Table, row_id: int, words: str) -> Fault:
    last = connection.execute(
        "SELECT max(pass_id) FROM change WHERE kind = ? AND row_id = ?", (table.kind, row_id)
    ).fetchone()[0]
    row = row_name(table, row_id)
    return Fault("fold", f"{row} {words}" + (f" (last written by pass {last})" if last else ""), last, row)


def _difference(table: Table, state: bytes, journal: bytes) -> str:
    pairs = zip(table.columns, json.loads(state), json.loads(journal), strict=True)
    words = [f"{column} is {_short(is_)}, by the journal {_short(was)}" for column, is_, was in pairs if is_ != was]
    return "; ".join(words) or "is written in another form than by the journal"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _sealed(store: Store, at_once: list[SealFault], told: Iterable[Fault]) -> Iterator[Fault]:
    """What one look tells, then every row against its seal. Runs last: a row that another check has told of is not told
    of again. That is never accepted once for all: whoever takes a file as it is has it sealed anew."""
    rows = {fault.row for fault in told if fault.row}
    for fault in at_once:
        check = fault.code if fault.code in ("anchor", "witness") else "seal"
        yield Fault(check, fault.words, row=" ".join(fault.rows[:1]))
    for fault in walk(store.seal):
        row = fault.rows[0]
        table, _, number = row.partition(" ")
        row_id = row_number(number)
        named = row_name(BY_NAME[table], row_id) if table in BY_NAME and row_id is not None else row
        if named not in rows:
            yield Fault("seal", fault.words, row=named)


def _notes(store: Store) -> list[str]:
    """What is worth knowing of the seal itself."""
    head = store.seal.head()
    if head is None:
        unsealed = not (store.seal.is_empty() or store.seal.is_sealed())
        return ["the file is not sealed yet: the next write seals it as it is then"] if unsealed else []
    state = head.state
    notes = [str(one) for one in state.get("notes", ())]
    if state.get("since", 1) > 1 and not notes:
        notes.append(f"sealed from pass {state['since']} on; what was there before was sealed as it was found")
    return notes


def _notes_of_the_witness(witness: FileWitness | None) -> Iterator[str]:
    """Whether what a witness has noted was compared with the file, and how far that reaches."""
    if witness is None:
        return
    if witness.unreachable:
        yield f"the witness ({witness.where}) cannot be reached, and nothing was compared: {witness.unreachable}"
    elif witness.note is None or not witness.note.writes:
        yield f"the witness ({witness.where}) has no note of the file yet: the next pass makes one"
    else:
        noted = f"pass {witness.note.pass_id}, after {witness.note.writes:,} writes"
        yield f"the witness ({witness.where}) was asked; the last that it has noted is {noted}"


def unsound_passes(store: Store, before: int, after: int) -> set[str]:
    """Which passes between two points are not as they were sealed, as `pass 3`; they are noted in
    `store.seal.left_out`. What a person has accepted counts as sound. Within the transaction that reads them; cost
    follows what they changed."""
    named = {f"pass {pass_id}" for pass_id in wrong_passes(store, min(before, after), max(before, after))}
    store.seal.left_out.update(named)
    return named
