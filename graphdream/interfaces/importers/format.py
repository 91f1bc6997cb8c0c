"""What an importer is: how its format is called, which files are of it, and what reads them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from graphdream.clock import Clock, utc_now
from graphdream.graph.store import Store
from graphdream.interfaces.importers.faults import Faults
from graphdream.interfaces.importers.graph import ImportReport, import_rows

RowsOf = Callable[[Path, Faults], Iterable[tuple[int, Mapping[str, Any]]]]
"""Reads a file: yields each row of the graph (docs/formats.md, "JSON lines") with the line of the file, from 1, that it
comes from; what cannot be read it adds to the faults, by line, and goes on."""


class Importer(Protocol):
    """Imports a path as one pass, or nothing of it; raises NotFoundError and ImportRefusedError."""

    def __call__(
        self, store: Store, path: str | os.PathLike[str], *, clock: Clock = utc_now, skip_bad: bool = False
    ) -> ImportReport:
        """Import a path."""
        ...


class NotesImporter(Protocol):
    """As `Importer`, of texts that need not say when they were written."""

    def __call__(
        self,
        store: Store,
        path: str | os.PathLike[str],
        *,
        clock: Clock = utc_now,
        skip_bad: bool = False,
        at: str = "",
    ) -> ImportReport:
        """Import a path; what has no day of its own was told at `at`, a stamp."""
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """One format, declared as `FORMAT` in a module of `importers/formats`: nothing else needs to be told of it.

    Attributes:
        name: how it is named with `--format`.
        what: what it holds, in a few words: help and messages say so.
        importer: reads it; `of_rows` makes one of a function that yields rows.
        suffixes: endings of its files, with the full stop, in lower case.
        folders: a folder is read as this format.
        any_name: files whose ending is of no format are read as this one.
        knows: whether a path is of this format, looked at before its name is; None where only names tell.
        told_by: what `knows` goes by, in words.
        unit: what it brings, in the singular.
        trusted: reads it and takes its word for what the user said; None where it says no such thing.
        undated: reads it, and takes from the caller when that was told which has no day of its own; None where the
            format tells its times itself.
    """

    name: str
    what: str
    importer: Importer
    suffixes: tuple[str, ...] = ()
    folders: bool = False
    any_name: bool = False
    knows: Callable[[Path], bool] | None = None
    told_by: str = ""
    unit: str = "fact"
    trusted: Importer | None = None
    undated: NotesImporter | None = None

    @property
    def files(self) -> str:
        """Which files are taken for this format, in words: `.md, .markdown, a folder`."""
        rest = ["a folder" if self.folders else "", "any other name" if self.any_name else ""]
        told = [one for one in (self.told_by, *self.suffixes, *rest) if one]
        return ", ".join(told) or f"--format {self.name}"


def of_rows(read: RowsOf) -> Importer:
    """An importer of what a function reads; faults are told with the lines that the function gave."""

    def importer(
        store: Store, path: str | os.PathLike[str], *, clock: Clock = utc_now, skip_bad: bool = False
    ) -> ImportReport:
        return import_rows(store, read, path, clock=clock, skip_bad=skip_bad)

    return importer
