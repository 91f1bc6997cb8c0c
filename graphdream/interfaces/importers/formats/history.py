"""Notes in Markdown with their history under git: each line is known since the commit that brought it, and what was
edited away since is history.

Every version of every note below a path is read, oldest first. A line that a commit takes out is no longer active from
then on: where the same commit puts one line in its place under the same headings, and the two share most of their
words, that one has replaced it; else it was edited away. Facts get the ids that notes get without their history, so a
later import of the same notes knows them.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from hashlib import blake2b
from pathlib import Path

from graphdream.clock import Clock, stamp, utc_now
from graphdream.errors import ImportRefusedError, NotFoundError
from graphdream.graph.names import canonical_text
from graphdream.graph.store import Store
from graphdream.interfaces.importers.format import Format
from graphdream.interfaces.importers.formats.markdown import SUFFIXES, Note, graph_lines, place_in
from graphdream.interfaces.importers.graph import ImportReport, import_lines
from graphdream.interfaces.importers.known import Known, uid_of
from graphdream.interfaces.importers.managed import without_block
from graphdream.interfaces.importers.notes_text import CutText, Statement, cut
from graphdream.journal import anchor
from graphdream.paths import expanded

_LIKE = 0.5  # share of signs that two lines have in common, from which one is the other, edited
_EDITED_AWAY = "edited away"
_RECORD, _FIELD = "\x1e", "\x1f"


@dataclass(slots=True)
class _Line:
    """One statement of a note over time. `gone_at` is None as long as it stands."""

    statement: Statement
    since: str
    gone_at: str | None = None
    replaced_by: str = ""


def import_history(
    store: Store, path: str | os.PathLike[str], *, clock: Clock = utc_now, skip_bad: bool = False
) -> ImportReport:
    """Import notes with what git knows of them, as one pass of kind "import".

    Raises:
        NotFoundError: there is no such path, or no note below it that git knows.
        ImportRefusedError: it is in no work tree of git, git is not installed, or cannot read its history.
    """
    place = expanded(path)
    if not place.exists():
        raise NotFoundError(f"there is no file {place}")
    folder = place if place.is_dir() else place.parent
    root = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    notes, lives = [], {}
    for name in _names(folder, place):
        note, lives[name] = _life(root, name)
        notes.append(note)
    if not notes:
        raise NotFoundError(f"git knows no note in {place}", f"notes end in {' or '.join(SUFFIXES)}")
    now = clock()
    with store.writing():
        known = Known(store.connection, [note.path for note in notes])
        lines = list(graph_lines(notes, known, now, lambda note, fact: _told(lives[_name(note, root)], fact)))
        files = {note.path: note.digest for note in notes}
        report = import_lines(
            store, lines, source=place.name or str(place), clock=lambda: now, onto_known=True, files=files
        )
    anchor.write(store)
    store.give_back_pages()
    return replace(report, known=known.met, left_out=known.left_out, files=len(notes))


def _told(life: dict[str, _Line], fact: str) -> dict[str, str]:
    """What its history adds to the line of a fact."""
    line = life[fact]
    told = {"created_at": line.since}
    if line.gone_at is not None:
        told["updated_at"] = line.gone_at
        told |= (
            {"status": "superseded", "superseded_by": line.replaced_by}
            if line.replaced_by
            else {"removed": _EDITED_AWAY}
        )
    return told


def _life(root: Path, name: str) -> tuple[Note, dict[str, _Line]]:
    """A note with every statement that it ever had, and how each fared, by the id of its fact."""
    text = _text(root, "HEAD", name)
    whole = cut(without_block(text))
    note = Note(str((root / name).resolve()), root / name, text.count("\n") + 1, _digest(text), whole)
    life: dict[str, _Line] = {}
    standing: dict[str, Statement] = {}
    for at, version in _versions(root, name):
        read = cut(without_block(version))
        found = {_fact(one, note): one for one in (_retitled(one, read, whole) for one in read.statements)}
        gone = [fact for fact in standing if fact not in found]
        fresh = [fact for fact in found if fact not in standing]
        for fact in fresh:
            if fact in life:
                life[fact].gone_at, life[fact].replaced_by = None, ""  # it has come back
            else:
                life[fact] = _Line(found[fact], at)
        for fact in gone:
            life[fact].gone_at = at
            life[fact].replaced_by = _heir(standing[fact], [(one, found[one]) for one in fresh], note)
        standing = found
    note.cut.statements[:] = [line.statement for line in life.values()]
    return note, _without_loops(life)


def _retitled(one: Statement, read: CutText, whole: CutText) -> Statement:
    """A statement of an older version as it would stand in the last one: a note's own title may have been changed."""
    if not read.titles or one.headings[:1] != ((1, read.titles[0]),):
        return one
    title = ((1, whole.titles[0]),) if whole.titles else ()
    return replace(one, headings=(*title, *one.headings[1:]))


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=32).hexdigest()


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


def _heir(gone: Statement, fresh: Sequence[tuple[str, Statement]], note: Note) -> str:
    """The id of the line that an edit has put in the place of another; "" where none is like it."""
    headings = place_in(gone, note)
    alike = [
        (SequenceMatcher(None, gone.text, one.text, autojunk=False).ratio(), fact)
        for fact, one in fresh if place_in(one, note) == headings
    ]  # fmt: skip
    best = max(alike, default=(0.0, ""))
    return best[1] if best[0] >= _LIKE else ""


def _fact(one: Statement, note: Note) -> str:
    return uid_of("att", note.path, *place_in(one, note), canonical_text(one.text))


def _name(note: Note, root: Path) -> str:
    return note.file.relative_to(root).as_posix()


# ---------------------------------------------------------------------- git


def _names(folder: Path, place: Path) -> list[str]:
    """The notes that git knows below a path, removed ones among them, by their names from the root of the work tree."""
    here = str(place.resolve())
    there = _git(folder, "ls-files", "-z", "--full-name", "--", here).split("\0")
    gone = _git(folder, "log", "--diff-filter=D", "--name-only", "-z", "--format=", "--", here).split("\0")
    names = {name.strip("\n") for name in (*there, *gone)}
    return sorted(
        name for name in names
        if Path(name).suffix.lower() in SUFFIXES and not any(part.startswith(".") for part in Path(name).parts)
    )  # fmt: skip


def _versions(root: Path, name: str) -> Iterator[tuple[str, str]]:
    """Time and text of each version of a file, oldest first, also from before it was renamed."""
    form = f"--format={_RECORD}%H{_FIELD}%cI"
    told = _git(root, "log", "--follow", "--name-only", "-z", form, "--", name)
    for record in reversed(told.split(_RECORD)[1:]):
        head, _, rest = record.partition("\0")
        commit, _, at = head.partition(_FIELD)
        then = rest.strip("\0\n").split("\0")[0] or name
        yield stamp(at.strip()), _text(root, commit, then)


def _text(root: Path, commit: str, name: str) -> str:
    """What a note said at a commit; "" where it was not there."""
    try:
        return _git(root, "show", f"{commit}:{name}")
    except ImportRefusedError:
        return ""


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), "-c", "core.quotePath=false", *words]
    try:
        done = subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise ImportRefusedError("git is not installed, and the history of notes is read with it") from None
    except subprocess.CalledProcessError as fault:
        said = fault.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ImportRefusedError(
            f"git cannot read the history of {folder}: {said[0] if said else fault.returncode}",
            hint="without --format, notes are imported as they are now",
        ) from None
    return done.stdout.decode("utf-8", "replace")


FORMAT = Format("history", "notes in Markdown with their history under git, a file or a folder", import_history)
