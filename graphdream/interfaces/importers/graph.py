"""Import a graph: read the file whole, check it whole, then write it in one pass, or not at all."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from graphdream.clock import Clock, utc_now
from graphdream.errors import ImportRefusedError, NotFoundError
from graphdream.graph.rowwords import rows_called
from graphdream.graph.store import Store
from graphdream.interfaces.importers.checks import check_events, check_graph
from graphdream.interfaces.importers.faults import Faults
from graphdream.interfaces.importers.grammar import KINDS
from graphdream.interfaces.importers.lines import RowReader, parse
from graphdream.interfaces.importers.purged import pass_over_purged
from graphdream.interfaces.importers.staging import Staging, staging
from graphdream.interfaces.importers.standing import note_standing
from graphdream.interfaces.importers.writing import mark_read, write_events, write_graph
from graphdream.interfaces.output import plural
from graphdream.journal.passes import OpenPass, PassHeader, open_pass
from graphdream.paths import expanded
from graphdream.sealing.exports import KIND as SEAL
from graphdream.sealing.exports import SealedLines
from graphdream.shown import printable


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        pass_id: the pass that it became; None where the input added nothing.
        source: name of the file, without its folder.
        lines: lines of the input.
        rows: rows added, by table.
        folded: rows of them that repeat another one and were absorbed into it, by table.
        dangling: links whose target is in no line.
        summaries_read: session summaries that the imported rows rest on already.
        purged: rows passed over because a person has purged them, or what they rest on.
        ignored: fields that are no part of the format, as "kind.field", with the number of lines that have them.
        faults: the first faults, as "line 12: ..."; only where bad lines were to be passed over.
        fault_count: number of all faults.
        known: facts that an earlier import of the same source brought; turns, of transcripts.
        left_out: new facts of notes about what a person has archived since.
        files: files read.
        lowered: facts that the user said, as the input has it, and that count as imported: nobody vouches for it.
        pinned: entities that came pinned.
        constraints: facts that came as constraints.
        overtaken: facts of notes that were not told at the time that was given with the import, but now: an earlier
            import of their file, which stood for a later time, did not have them.
        struck_out: lines of notes passed over because they are struck out and end none that was told before.
    """

    pass_id: int | None
    source: str
    lines: int
    rows: dict[str, int]
    folded: dict[str, int]
    dangling: int
    summaries_read: int
    purged: int
    ignored: dict[str, int]
    faults: tuple[str, ...]
    fault_count: int
    known: int = 0
    left_out: int = 0
    files: int = 1
    lowered: int = 0
    pinned: int = 0
    constraints: int = 0
    overtaken: int = 0
    struck_out: int = 0


def import_rows(
    store: Store,
    read: Callable[[Path, Faults], Iterable[tuple[int, Mapping[str, Any]]]],
    path: str | os.PathLike[str],
    *,
    clock: Clock = utc_now,
    skip_bad: bool = False,
    trust: bool = False,
) -> ImportReport:
    """Import a file by a function that yields its rows, each with the line of the file that it comes from.

    Args:
        read: also notes faults, by line; one that reads a folder names the file in each.

    Raises:
        NotFoundError: there is no such file.
        ImportRefusedError: it cannot be read, or has faults (listed by its own lines); the database is as it was.
    """
    place = expanded(path)
    with importing(store, skip_bad, trust=trust) as job:
        last = 0
        try:
            for number, row in read(place, job.faults):
                job.take_line(number, dict(row))
                last = max(last, number)
            digest = blake2b(place.read_bytes(), digest_size=32).hexdigest() if place.is_file() else ""
        except FileNotFoundError:
            raise NotFoundError(f"there is no file {place}") from None
        except OSError as fault:
            raise ImportRefusedError(f"{place} cannot be read: {fault.strerror}") from fault
        job.finish_reading(place.name, last, digest)
        return job.write(clock)


def import_lines(
    store: Store,
    lines: Iterable[Mapping[str, Any]],
    *,
    source: str,
    clock: Clock = utc_now,
    skip_bad: bool = False,
    onto_known: bool = False,
    files: Mapping[str, str] | None = None,
    trust: bool = False,
    at: str = "",
    stood: Mapping[str, str] | None = None,
) -> ImportReport:
    """Import lines that are at hand as objects, as `views.networkx_view.from_networkx` makes them.

    As `import_rows`; `source` is the name that the pass and the report show.

    Args:
        onto_known: a line may also refer to a row that is in the graph already.
        files: path -> digest of each file that the lines come from, for the record.
        trust: where a line says that the user said it, take its word.
        at: the time that the files stand for, a stamp, for the record; "" is now.
        stood: fact in the graph already -> when it was told again, where it stands beside what is new.
    """
    with importing(store, skip_bad, onto_known, files, trust=trust, at=at, stood=stood) as job:
        number = 0
        for number, line in enumerate(lines, start=1):
            job.take_line(number, dict(line))
        job.finish_reading(source, number, "")
        return job.write(clock)


@contextmanager
def importing(
    store: Store,
    skip_bad: bool,
    onto_known: bool = False,
    files: Mapping[str, str] | None = None,
    *,
    trust: bool = False,
    at: str = "",
    stood: Mapping[str, str] | None = None,
) -> Iterator[Import]:
    """An import under way, with staging tables for as long as it takes."""
    with Import(store, skip_bad, onto_known, files, trust=trust, at=at, stood=stood).reading() as job:
        yield job


class Import:
    """One import under way. Attributes: `faults`, to which a reader adds what it cannot read."""

    def __init__(
        self,
        store: Store,
        skip_bad: bool,
        onto_known: bool = False,
        files: Mapping[str, str] | None = None,
        *,
        trust: bool = False,
        at: str = "",
        stood: Mapping[str, str] | None = None,
    ) -> None:
        self.faults, self._stood = Faults(), stood or {}
        self._trust, self._told, self._seal, self._at = trust, SealedLines(), dict[str, Any](), at
        self._store, self._skip_bad, self._onto_known, self._files = store, skip_bad, onto_known, files
        self._rows = RowReader()
        self._staging: Staging | None = None
        self._name, self._count, self._digest = "", 0, ""

    @contextmanager
    def reading(self) -> Iterator[Import]:
        """Staging tables for as long as the import takes."""
        with staging(self._store.connection) as self._staging:
            yield self

    @property
    def _waiting(self) -> Staging:
        assert self._staging is not None
        return self._staging

    def take(self, number: int, text: str) -> None:
        """Stage the row of a line of text, or note why it cannot be."""
        try:
            line = parse(text)
        except ValueError as fault:
            self.faults.add(number, str(fault))
        else:
            if line.get("kind") == SEAL:
                self._seal = line
                return
            self._told.add(text)
            self.take_line(number, line)

    def take_line(self, number: int, line: dict[str, Any]) -> None:
        """Stage the row of a line, or note why it cannot be."""
        try:
            read = self._rows.read(number, line)
        except ValueError as fault:
            self.faults.add(number, str(fault))
        else:
            if read is not None:
                self._waiting.add(read[0], number, read[1])

    def finish_reading(self, name: str, count: int, digest: str) -> None:
        """The input is at its end: what it was called, its lines, their hash."""
        self._name, self._count, self._digest = name, count, digest
        self._waiting.flush()
        if self._rows.meta is not None and not self.faults.count:
            for miscount in self._rows.miscounts():
                self.faults.add(self._rows.meta[0], miscount)
        if not count and not self.faults.count and not self._onto_known:
            self.faults.add(1, "the file is empty")

    def write(self, clock: Clock) -> ImportReport:
        """Check what is staged against itself and the database, and write it."""
        if not self._anything():
            if self.faults.count:
                raise self._refusal()
            return self._report(None, _Written({}, {}, 0, 0, 0))
        header = PassHeader(
            kind="import",
            trigger="person",
            options={"skip_bad": self._skip_bad} | ({"trust": True} if self._trust else {}),
            inputs={"file": self._name, "lines": self._count, "digest": self._digest}
            | ({"files": dict(self._files)} if self._files else {})
            | ({"at": self._at} if self._at else {}),
        )
        try:
            with open_pass(self._store, header, clock=clock) as current:
                report = self._write_pass(current)
        except _NothingNewError as nothing:
            return self._report(None, _Written({}, {}, 0, 0, nothing.purged))
        return report

    def _write_pass(self, current: OpenPass) -> ImportReport:
        connection = self._store.connection
        purged = pass_over_purged(self._store)
        lowered = 0 if self._is_vouched_for() else _lower(connection)
        check_events(connection, self.faults)
        folded = check_graph(connection, self.faults, onto_known=self._onto_known)
        if self.faults.count and not (self._skip_bad and self._anything()):
            raise self._refusal()
        rows = write_graph(self._store, self._waiting) | write_events(connection, current.started_at)
        if not rows:
            raise _NothingNewError(purged)
        note_standing(self._store, self._stood)
        dangling = connection.execute("SELECT count(*) FROM incoming_link WHERE target_id IS NULL").fetchone()[0]
        pinned, constraints = connection.execute(
            "SELECT (SELECT count(*) FROM incoming_entity WHERE pinned),"
            " (SELECT count(*) FROM incoming_attribute WHERE kind = 'constraint')"
        ).fetchone()
        read = mark_read(connection, current.id)
        written = _Written(rows, folded, dangling, read, purged, lowered, pinned, constraints)
        current.counts["imported"] = rows
        if lowered:
            current.counts["lowered"] = lowered
        if self.faults.count:
            current.counts["faults"] = self.faults.count
        current.summary = f"imported {self._name}: {summary_of(rows)}"
        return self._report(current.id, written)

    def _is_vouched_for(self) -> bool:
        """Whether what the input says of authority is taken at its word: a person trusts it, or we have written it."""
        return self._trust or bool(self._seal and self._told.is_sealed_by(self._seal))

    def _anything(self) -> bool:
        return any(self._waiting.count(kind.table) for kind in KINDS)

    def _refusal(self) -> ImportRefusedError:
        skipped = "; without these, nothing is left" if self._skip_bad else ""
        return ImportRefusedError(
            f"{printable(self._name)} was refused for {plural(self.faults.count, 'fault')}{skipped};"
            " the database is as it was",
            tuple(printable(fault) for fault in self.faults.shown()),
            self._hint(),
        )

    def _hint(self) -> str:
        if not self._rows.lines_by_plural and self._rows.meta is None:
            from graphdream.interfaces.importers.formats import in_words

            return f"it was read as its name says; --format NAME reads it as {in_words()} (graphdream import --help)"
        return "" if self._skip_bad else "mend these lines, or pass over them with --skip-bad"

    def _report(self, pass_id: int | None, written: _Written) -> ImportReport:
        return ImportReport(
            pass_id,
            self._name,
            self._count,
            written.rows,
            written.folded,
            written.dangling,
            written.summaries_read,
            written.purged,
            dict(sorted(self._rows.ignored.items())),
            self.faults.shown(),
            self.faults.count,
            lowered=written.lowered,
            pinned=written.pinned,
            constraints=written.constraints,
        )


class _Written(NamedTuple):
    rows: dict[str, int]
    folded: dict[str, int]
    dangling: int
    summaries_read: int
    purged: int
    lowered: int = 0
    pinned: int = 0
    constraints: int = 0


def _lower(connection: sqlite3.Connection) -> int:
    """What a file says that the user said counts as imported; how many facts it said so of."""
    return connection.execute("UPDATE incoming_attribute SET authority = 'imported' WHERE authority = 'user'").rowcount


class _NothingNewError(Exception):
    """Everything in the input is on record already, or was purged, so there is no pass to write."""

    def __init__(self, purged: int) -> None:
        super().__init__()
        self.purged = purged


def summary_of(rows: Mapping[str, int]) -> str:
    """`1,000 entities, 2,566 attributes`: what was added, in the order of the tables."""
    return ", ".join(rows_called(table, count) for table, count in rows.items())
