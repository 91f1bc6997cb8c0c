"""Notes in Markdown, a file or a folder of them, imported as one pass: headings, list items, table rows, sentences.

A file is one entity, named by its title, with an aspect for each chain of headings below it; a file with several titles
is an entity for each. Told again, a note adds what is new in it and marks nothing.
"""

from __future__ import annotations

import codecs
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from graphdream.clock import Clock, utc_now
from graphdream.errors import ImportRefusedError, NotFoundError
from graphdream.graph.names import canonical
from graphdream.graph.store import Store
from graphdream.graph.tables import INSTEAD_OF
from graphdream.interfaces.importers.drafts import Drafts, History, stands
from graphdream.interfaces.importers.faults import Faults
from graphdream.interfaces.importers.format import Format
from graphdream.interfaces.importers.graph import ImportReport, import_lines
from graphdream.interfaces.importers.known import Known
from graphdream.interfaces.importers.managed import without_block
from graphdream.interfaces.importers.note import LONGEST_NAME, Note
from graphdream.interfaces.importers.notes_text import cut, day_of, plain_heading
from graphdream.interfaces.importers.reading import HEAD, is_no_text, no_text, read_whole
from graphdream.interfaces.importers.standing import Standing, still_standing
from graphdream.interfaces.output import plural
from graphdream.paths import expanded
from graphdream.shown import printable

SUFFIXES = (".md", ".markdown")


# ---------------------------------------------------------------------- reading


class NoteReader:
    """Reads files; what cannot be read is kept as faults, each with its file and line."""

    def __init__(self) -> None:
        self.faults = Faults()

    def note(self, file: Path, root: Path) -> Note:
        """Read a file at or below a root. Raises ImportRefusedError for one that cannot be read, or is no text."""
        try:
            raw = read_whole(file)
        except OSError as fault:
            raise ImportRefusedError(f"{file} cannot be read: {fault.strerror}") from fault
        if is_no_text(raw[:HEAD]):
            raise no_text(str(file))
        name = str(file.relative_to(root)) if file != root else ""
        lines = [self._text(name, number, line) for number, line in enumerate(_split(raw), 1)]
        digest = blake2b(raw, digest_size=32).hexdigest()
        return Note(str(file.resolve()), file, len(lines), digest, cut(without_block("\n".join(lines))))

    def refuse(self, name: str, skip_bad: bool) -> None:
        """Raise ImportRefusedError where lines could not be read and are not to be passed over."""
        if self.faults.count and not skip_bad:
            raise ImportRefusedError(
                f"{printable(name)} was refused for {plural(self.faults.count, 'fault')}; the database is as it was",
                tuple(map(printable, self.faults.shown())),
                "mend these lines, or pass over them with --skip-bad",
            )

    def _text(self, name: str, number: int, line: bytes) -> str:
        """A line as text; "" for one that has none."""
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as fault:
            self.faults.add(number, f"is not UTF-8: byte {fault.start + 1} is 0x{line[fault.start]:02x}", name)
            return ""
        if "\0" in text:
            self.faults.add(number, "has a NUL character: is this a text?", name)
            return ""
        return text


def _split(raw: bytes) -> list[bytes]:
    """The lines of a file in UTF-8, with or without its mark, or in UTF-16 with its mark."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raw = raw.decode("utf-16", "replace").encode("utf-8", "replace")
    raw = raw.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return raw.removesuffix(b"\n").split(b"\n")


def text_of(raw: bytes) -> str:
    """The text of a note; "" for what is none, blank lines for those that cannot be read."""
    if is_no_text(raw[:HEAD]):
        return ""
    lines = (line.decode("utf-8", "replace") for line in _split(raw))
    return "\n".join("" if "\ufffd" in line or "\0" in line else line for line in lines)


def files_below(place: Path, *, empty: bool = False) -> list[Path]:
    """The notes at or below a path, without what begins with a full stop.

    Args:
        empty: a folder without a note is no error.

    Raises:
        NotFoundError: there is no such path, or no note in it.
    """
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise NotFoundError(f"there is no file {place}")
    found: list[Path] = []
    for folder, below, names in os.walk(place):
        below[:] = sorted(name for name in below if not name.startswith("."))
        found += [
            Path(folder, name) for name in sorted(names)
            if not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES
        ]  # fmt: skip
    if not found and not empty:
        raise NotFoundError(f"there is no note in {place}", f"notes end in {' or '.join(SUFFIXES)}")
    return found


# ---------------------------------------------------------------------- from statements to lines of a graph


def graph_lines(
    notes: list[Note], known: Known, now: str, history: History = lambda note, fact: {}, *, at: str = "",
    stood: dict[str, str] | None = None,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """The lines (docs/formats.md) that the notes add to the graph: entities and aspects only where facts need them.

    Args:
        history: what is known of how each fact fared.
        at: when what has no day of its own was told; "" is now.
        stood: takes, after the last line, which facts of earlier imports stand beside new ones
            (`standing.still_standing`).
    """
    names = _names(notes)
    made: set[str] = set()
    met, fresh, beside = list[Standing](), list[Standing](), dict[str, str]()
    for note in notes:
        found = Drafts(note, known, now, history, at=at)
        drafts = list(found.new(made))
        came = [draft.standing for draft in drafts if stands(draft.fared)]
        if day_of(note.file.stem):
            # What a page tells of its day may well be news of a line elsewhere, which nobody has edited for it.
            beside |= still_standing(found.met, came)
        else:
            met += found.met
            fresh += came
        former = found.former(drafts)
        for draft in drafts:
            owner, aspect = draft.owner, draft.aspect
            if owner.row is None and owner.uid not in made:
                yield _entity(owner.uid, note, names[note.path, note.title_of(draft.said)], draft.told, known)
            if aspect.new and aspect.uid not in made:
                yield {
                    "kind": "aspect", "id": aspect.uid, "entity_id": owner.uid, "name": aspect.name,
                    "created_at": draft.told,
                }  # fmt: skip
            made |= {owner.uid, aspect.uid}
            before = {INSTEAD_OF: former[draft.fact]} if draft.fact in former else {}
            yield {
                "kind": "attribute", "id": draft.fact, "entity_id": owner.uid, "aspect_id": aspect.uid,
                "content": draft.said.text, "created_at": draft.told, "source": note.source, "authority": "imported",
                "metadata": {"line": draft.said.line, **before}, **_when(note.day_about(draft.said)), **draft.fared,
            }  # fmt: skip
    if stood is not None:
        stood.update(beside | still_standing(met, fresh))


def _when(day: str) -> dict[str, str]:
    return {"occurred_at": day, "time_precision": "day"} if day else {}


def _entity(uid: str, note: Note, name: str, told: str, known: Known) -> dict[str, Any]:
    """The line of a new entity. A name that another file's entity has is told apart by the folder; whether it is the
    one that sessions told of is for a dream to judge."""
    folder = note.file.resolve().parent.name
    if known.bears(name) and folder:
        name = f"{folder} {name}"
    kind = "event" if day_of(note.file.stem) else "concept"
    return {
        "kind": "entity", "id": uid, "name": name, "type": kind, "created_at": told,
        "metadata": {"source": note.source},
    }  # fmt: skip


def _names(notes: list[Note]) -> dict[tuple[str, str], str]:
    """(path, title) -> name of the entity; the title is "" for a file that is one entity."""
    names: dict[tuple[str, str], str] = {}
    for note in notes:
        names.update(((note.path, title), _name(plain_heading(title), note)) for title in note.titles)
        whole = plain_heading(note.cut.titles[0]) if note.cut.titles and not note.titles else note.file.stem
        names[note.path, ""] = _name(whole, note)
    bearers = Counter(canonical(name) for name in names.values())
    folders = {note.path: note.file.resolve().parent.name for note in notes}
    return {
        (path, title): f"{folders[path]} {name}" if bearers[canonical(name)] > 1 and folders[path] else name
        for (path, title), name in names.items()
    }


def _name(text: str, note: Note) -> str:
    """A name with letters in it: a date or a number names nothing, and gets the name of the folder or the file."""
    name = text[:LONGEST_NAME].strip()
    if sum(1 + (east_asian_width(sign) == "W") for sign in name if sign.isalpha()) < 2:
        before = (
            note.file.resolve().parent.name if canonical(name) in ("", canonical(note.file.stem)) else note.file.stem
        )
        name = f"{before} {name or note.file.stem}".strip()
    return name


def import_notes(
    store: Store, path: str | os.PathLike[str], *, clock: Clock = utc_now, skip_bad: bool = False, at: str = ""
) -> ImportReport:
    """Import a Markdown file, or every one below a folder, as one pass of kind "import".

    What a file said at an earlier import is known by the file's whole path, the headings and the words, whatever became
    of it since: it is neither added again nor counted as seen again. A fact was told when the import ran, or at `at`;
    where its heading or the file's name gives a day, on that day. Neither counts where an earlier import of the file,
    after that day, did not have it yet. The time at which a file was changed says nothing.

    Args:
        store: the file to import into; it may hold a graph already.
        path: a file, or a folder; in a folder, what begins with a full stop is passed over.
        clock: gives the time of the telling.
        skip_bad: pass over lines that cannot be read, instead of refusing the import.
        at: when what has no day of its own was told, a stamp; "" is now.

    Raises:
        NotFoundError: there is no such file, or no note in the folder.
        ImportRefusedError: lines cannot be read (listed by file and line); the database is as it was.
    """
    return import_notes_with(store, path, clock=clock, skip_bad=skip_bad, at=at)


MoreLines = Callable[[list[Note], Known, set[str], str], Iterator[dict[str, Any]]]
"""Lines that a kind of notes adds to those of all notes: from the notes, what is known, the ids of the entities that
the import makes, and the time."""


def import_notes_with(
    store: Store, path: str | os.PathLike[str], *, clock: Clock = utc_now, skip_bad: bool = False, at: str = "",
    fields: History = lambda note, fact: {}, more: MoreLines = lambda notes, known, made, now: iter(()),
) -> ImportReport:  # fmt: skip
    """As `import_notes`, with further fields of facts and further lines of a kind of notes."""
    place = expanded(path)
    read = NoteReader()
    notes = [read.note(file, place) for file in files_below(place)]
    read.refuse(place.name, skip_bad)
    return import_read_notes(
        store, notes, read, source=place.name or str(place), now=clock(), history=fields, more=more, at=at
    )


def import_read_notes(
    store: Store, notes: list[Note], read: NoteReader, *, source: str, now: str,
    history: History = lambda note, fact: {}, more: MoreLines = lambda notes, known, made, now: iter(()), at: str = "",
) -> ImportReport:  # fmt: skip
    """Import notes that were read, as one pass.

    Args:
        source: how the pass calls them.
        history, more, at: as in `graph_lines` and `import_notes_with`.
    """
    with store.writing():
        known = Known(store.connection, [note.path for note in notes], at=at)
        stood: dict[str, str] = {}
        lines = list(graph_lines(notes, known, now, history, at=at, stood=stood))
        lines += more(notes, known, {line["id"] for line in lines if line["kind"] == "entity"}, now)
        files = {note.path: note.digest for note in notes}
        report = import_lines(
            store, lines, source=source, clock=lambda: now, onto_known=True, files=files, at=at, stood=stood
        )
    store.give_back_pages()
    return replace(
        report, lines=sum(note.lines for note in notes), known=known.met, left_out=known.left_out, files=len(notes),
        faults=read.faults.shown(), fault_count=read.faults.count, overtaken=known.overtaken,
        struck_out=known.struck_out,
    )  # fmt: skip


FORMAT = Format(
    "markdown", "notes in Markdown", import_notes, suffixes=SUFFIXES, folders=True, undated=import_notes
)  # fmt: skip
