"""Notes in Markdown with their history under git: each line is known since the commit that brought it, and what was
edited away since is history.

Every version of every note below a path is read, oldest first, along the first parents of the commits; what stands on
disk is the last one, committed or not. A line that a version does not have any more is no longer active from then on:
where the same version has one line in its place under the same headings, and the two are alike, that one has replaced
it; else it was edited away. Facts get the ids that notes get without their history, so either import knows what the
other brought, and what is active is the same.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from graphdream.clock import Clock, stamp, utc_now
from graphdream.errors import NotFoundError
from graphdream.graph.store import Store
from graphdream.interfaces.importers.format import Format
from graphdream.interfaces.importers.formats.markdown import (
    SUFFIXES,
    NoteReader,
    files_below,
    import_read_notes,
)
from graphdream.interfaces.importers.git_notes import Blobs, git, note_versions
from graphdream.interfaces.importers.graph import ImportReport
from graphdream.interfaces.importers.heirs import Line, heirs_of
from graphdream.interfaces.importers.managed import without_block
from graphdream.interfaces.importers.note import Note
from graphdream.interfaces.importers.notes_text import CutText, Statement, cut
from graphdream.paths import expanded

_EDITED_AWAY = "edited away"


@dataclass(slots=True)
class _Line:
    """One statement of a note over time.

    Attributes:
        since: when it came; "" for one that no commit has yet.
        first: the first version of the note that git knows had it.
        beside: when a new line came last while it stood; "" where none has.
        gone_at: None as long as it stands.
        replaced_by: id of the fact in its place; "" where none is.
    """

    statement: Statement
    since: str
    first: bool
    beside: str = ""
    gone_at: str | None = None
    replaced_by: str = ""


def import_history(
    store: Store, path: str | os.PathLike[str], *, clock: Clock = utc_now, skip_bad: bool = False
) -> ImportReport:
    """Import notes with what git knows of them, as one pass of kind "import".

    Raises:
        NotFoundError: there is no such path, or no note below it, now or ever.
        ImportRefusedError: it is in no work tree of git, git is not installed, or cannot read its history; lines on
            disk cannot be read (listed by file and line).
    """
    place = expanded(path)
    if not place.exists():
        raise NotFoundError(f"there is no file {place}")
    folder = place if place.is_dir() else place.parent
    root = Path(git(folder, "rev-parse", "--show-toplevel").removesuffix("\n")).resolve()
    read = NoteReader()
    now = clock()
    here = place.resolve()
    versions = note_versions(root, here)
    notes = {file.resolve(): read.note(file, place) for file in files_below(place, empty=True)}
    if not notes and not versions:
        raise NotFoundError(f"there is no note in {place}", f"notes end in {' or '.join(SUFFIXES)}")
    read.refuse(place.name, skip_bad)
    with Blobs(root) as blobs:
        for file in sorted(versions.keys() - notes.keys()):
            last = next((blob for _, blob in reversed(versions[file]) if blob), "")
            titles = cut(without_block(blobs.text(last)))
            titles.statements.clear()
            notes[file] = Note(str(file), file, 0, "", titles)
        lives = {
            note.path: _life(note, ((at, blobs.text(blob)) for at, blob in versions.get(file, ())), now)
            for file, note in notes.items()
        }
    return import_read_notes(
        store, [notes[file] for file in sorted(notes)], read, source=place.name or str(place), now=now,
        history=lambda note, fact: _told(lives[note.path][fact], note),
    )  # fmt: skip


def _told(line: _Line, note: Note) -> dict[str, str]:
    """What its history adds to the line of a fact."""
    told = {"created_at": line.since} if line.since else {}
    day = note.day_of(line.statement)
    if line.first and day:  # a note may be older than its repository: then its own days tell more
        told["created_at"] = min(line.since, stamp(day))
    if line.gone_at is None and line.since and line.beside:
        told["updated_at"] = line.beside
    if line.gone_at is not None:
        told["updated_at"] = line.gone_at
        told |= (
            {"status": "superseded", "superseded_by": line.replaced_by}
            if line.replaced_by
            else {"removed": _EDITED_AWAY}
        )
    return told


def _life(note: Note, versions: Iterable[tuple[str, str]], now: str) -> dict[str, _Line]:
    """How each statement fared that a note ever had, by the id of its fact; the note gets all of them."""
    whole = note.cut
    life: dict[str, _Line] = {}
    standing: dict[str, Statement] = {}
    number = 0
    for number, (at, text) in enumerate(versions, 1):
        read = cut(without_block(text))
        found = {note.fact_of(one): one for one in (_retitled(one, read, whole) for one in read.statements)}
        _step(life, standing, found, at, at, note, first=number == 1)
        standing = found
    on_disk = {note.fact_of(one): one for one in whole.statements}
    _step(life, standing, on_disk, "", now, note, first=False)
    for fact, one in on_disk.items():
        life[fact].statement = one
    whole.statements[:] = [line.statement for line in life.values()]
    return _without_loops(life)


def _step(
    life: dict[str, _Line], before: Mapping[str, Statement], found: Mapping[str, Statement], since: str, at: str,
    note: Note, *, first: bool,
) -> None:  # fmt: skip
    """Go on from one version of a note to the next one."""
    gone = [fact for fact in before if fact not in found]
    fresh = [fact for fact in found if fact not in before]
    for fact in fresh:
        if fact in life:
            life[fact].gone_at, life[fact].replaced_by = None, ""  # it has come back
        else:
            life[fact] = _Line(found[fact], since, first)
    if fresh and not first:
        for fact in found.keys() - fresh:
            life[fact].beside = at
    heirs = heirs_of(
        [_line(fact, before[fact], note) for fact in gone], [_line(one, found[one], note) for one in fresh]
    )
    for fact in gone:
        life[fact].gone_at, life[fact].replaced_by = at, heirs.get(fact, "")


def _line(fact: str, said: Statement, note: Note) -> Line:
    return Line(fact, tuple(note.place_of(said)), said.text)


def _retitled(one: Statement, read: CutText, whole: CutText) -> Statement:
    """A statement of an older version as it would stand in the last one: a note's own title may have been changed."""
    if not read.titles or one.headings[:1] != ((1, read.titles[0]),):
        return one
    title = ((1, whole.titles[0]),) if whole.titles else ()
    return replace(one, headings=(*title, *one.headings[1:]))


def _without_loops(life: dict[str, _Line]) -> dict[str, _Line]:
    """Each chain of replacements ends at a line that stands or was edited away: what came back ends its own."""
    for start in life:
        seen, at = {start}, life[start].replaced_by
        while at:
            if at in seen:
                life[start].replaced_by = ""
                break
            seen.add(at)
            at = life[at].replaced_by if life[at].gone_at is not None else ""
    return life


def _kept_in_git(place: Path) -> bool:
    """Whether notes are in a work tree of git, and git is there to be asked."""
    if not (place.is_dir() or (place.is_file() and place.suffix.lower() in SUFFIXES)):
        return False
    return any((folder / ".git").exists() for folder in (place.resolve(), *place.resolve().parents)) and bool(
        shutil.which("git")
    )


FORMAT = Format(
    "history", "notes in Markdown with their history under git", import_history, knows=_kept_in_git,
    told_by="notes in a work tree of git",
)  # fmt: skip
