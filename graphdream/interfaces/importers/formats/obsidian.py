"""An Obsidian vault: its notes, the further names in their properties, their tags, and the links between them.

A note is read as notes are. `[[Note]]`, `[[folder/Note#Heading|shown]]` and `[shown](Note.md)` become links between the
entities of the notes; `aliases` in the properties become names; `tags` there and `#tag` in the text are those of the
note's facts. Links to notes that the vault does not have are left.

Source: Obsidian's help on internal links and properties, as of 2026.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from graphdream.clock import Clock, utc_now
from graphdream.graph.names import canonical
from graphdream.graph.store import Store
from graphdream.interfaces.importers.drafts import History
from graphdream.interfaces.importers.format import Format
from graphdream.interfaces.importers.formats.markdown import SUFFIXES, import_notes_with, text_of
from graphdream.interfaces.importers.graph import ImportReport
from graphdream.interfaces.importers.known import Known, uid_of
from graphdream.interfaces.importers.note import Note
from graphdream.interfaces.importers.reading import read_whole

_LINK = re.compile(r"(?<!!)\[\[([^\]\[|#^]+)[^\]\[]*\]\]|(?<!!)\[[^\]\[]*\]\(<?([^)>#:]+\.md)>?(?:#[^)]*)?\)")
_PROPERTIES = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d][\w/-]*)")
_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_TYPE = "links_to"


def import_vault(
    store: Store, path: str | os.PathLike[str], *, clock: Clock = utc_now, skip_bad: bool = False, at: str = ""
) -> ImportReport:
    """Import a vault, or a folder of one, as one pass of kind "import". Raises as `import_notes`."""
    return import_notes_with(store, path, clock=clock, skip_bad=skip_bad, at=at, fields=_tagged(), more=_lines)


def _lines(notes: list[Note], known: Known, made: set[str], now: str) -> Iterator[dict[str, Any]]:
    texts = {note.path: text_of(read_whole(note.file)) for note in notes}
    by_name = _by_name(notes)
    linked = {note.path: list(_targets(texts[note.path], note, by_name)) for note in notes}
    ends = [end for note in notes if linked[note.path] for end in (note, *linked[note.path])]
    for note in {end.path: end for end in ends}.values():  # a note that says nothing but links is somebody, too
        uid = _entity(note)
        if uid not in made and known.entity(uid).row is None:
            made.add(uid)
            yield {"kind": "entity", "id": uid, "name": note.file.stem, "type": "concept", "created_at": now,
                   "metadata": {"source": note.source}}  # fmt: skip
    for note in notes:
        if _entity(note) in made:
            for alias in _aliases(texts[note.path], note.file.stem):
                yield {"kind": "alias", "entity_id": _entity(note), "name": alias, "source": note.source}
        for target in linked[note.path]:
            yield from _edge(note, target, known, now)


def _edge(note: Note, target: Note, known: Known, now: str) -> Iterator[dict[str, Any]]:
    source, end = (known.entity(_entity(one)) for one in (note, target))
    uid = uid_of("dep", note.path, _TYPE, target.path)
    if source.uid != end.uid and not source.archived and not end.archived and not known.link(uid):
        yield {"kind": "edge", "id": uid, "source_id": source.uid, "target_id": end.uid, "type": _TYPE,
               "created_at": now}  # fmt: skip


def _entity(note: Note) -> str:
    return uid_of("ent", note.path)


def _by_name(notes: Iterable[Note]) -> dict[str, Note]:
    """Every way in which a link may name a note: by its name, and by its path to any depth; the shortest path first."""
    found: dict[str, Note] = {}
    for note in sorted(notes, key=lambda note: (len(Path(note.path).parts), note.path)):
        parts = Path(note.path).with_suffix("").parts
        for depth in range(1, len(parts)):
            found.setdefault("/".join(parts[-depth:]).casefold(), note)
    return found


def _targets(text: str, note: Note, by_name: dict[str, Note]) -> Iterator[Note]:
    """The notes that a note links to, once each, in order, without itself."""
    seen = {note.path}
    for found in _LINK.finditer(text):
        name = (found[1] or unquote(found[2])).strip()
        plain = PurePosixPath(name)
        name = str(plain.with_suffix("")) if plain.suffix.lower() in SUFFIXES else name
        while name.startswith(("./", "../", "/")):
            name = name.partition("/")[2]
        target = by_name.get(name.casefold())
        if target is not None and target.path not in seen:
            seen.add(target.path)
            yield target


def _tagged() -> History:
    """Gives each fact the tags of its note; every note is read for them once."""
    tags: dict[str, list[str]] = {}

    def fields(note: Note, fact: str) -> dict[str, list[str]]:
        if note.path not in tags:
            tags[note.path] = _tags(text_of(read_whole(note.file)))
        return {"tags": tags[note.path]} if tags[note.path] else {}

    return fields


def _tags(text: str) -> list[str]:
    found = [one.removeprefix("#") for told in _property(text, "tags", "tag") for one in re.split(r"[,\s]+", told)]
    found += _TAG.findall(_CODE.sub("", _PROPERTIES.sub("", text)))
    return list({one.casefold(): one for one in reversed(found) if one}.values())[::-1]


def _property(text: str, *names: str) -> list[str]:
    """The texts of a note's property, by the first of its names that is there; none where they cannot be read."""
    found = _PROPERTIES.match(text)
    if found is None:
        return []
    import yaml

    try:
        held = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError, RecursionError):
        return []
    told = next((held[name] for name in names if held.get(name)), None) if isinstance(held, dict) else None
    return [one for one in (told if isinstance(told, list) else [told]) if isinstance(one, str)]


def _aliases(text: str, name: str) -> list[str]:
    """The further names in a note's properties."""
    several = _property(text, "aliases", "alias")
    names = {canonical(one): one.strip() for one in several if one.strip()}
    return [one for key, one in names.items() if key != canonical(name)]


FORMAT = Format(
    "obsidian", "an Obsidian vault: notes, their aliases, tags and the links between them", import_vault,
    undated=import_vault,
)  # fmt: skip
