"""What other memories hold, brought into one shape: single facts of somebody or something, and links between these.

Rows get ids made of the source's own ids, so told again, a source adds what is new in it and nothing else, whatever
became of its facts since: what a person forgot stays forgotten, facts of an entity that was merged go where it went.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from graphdream.clock import Clock, stamp, utc_now
from graphdream.errors import ImportRefusedError, NotFoundError
from graphdream.graph.categories import GENERAL
from graphdream.graph.names import canonical
from graphdream.graph.store import Store
from graphdream.interfaces.importers.faults import Faults
from graphdream.interfaces.importers.format import Importer
from graphdream.interfaces.importers.graph import ImportReport, import_lines
from graphdream.interfaces.importers.known import Known, uid_of
from graphdream.interfaces.output import plural
from graphdream.paths import expanded
from graphdream.shown import printable


@dataclass(frozen=True, slots=True)
class Item:
    """One fact of a source.

    Attributes:
        line: of the file that it comes from, from 1; of a source without lines its number.
        key: the source's own id of it, or what else tells it from its others.
        text: what it says.
        entity: name of whom or what it is about.
        type: of the entity; "" where the source does not tell.
        told_at: ISO 8601; "" where nobody knows.
        gone: why it does not hold any more; "" while it does.
        replaced_by: key of the fact that took its place; "" where none did.
        more: further fields of its line (docs/formats.md): tags, session_id, confidence, ...
    """

    line: int
    key: str
    text: str
    entity: str
    type: str = ""
    aspect: str = GENERAL
    told_at: str = ""
    gone: str = ""
    replaced_by: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Relation:
    """One link of a source, between two entities by name and type."""

    line: int
    source: tuple[str, str]
    target: tuple[str, str]
    type: str
    told_at: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """An entity of a source of which nothing else may be told, with its further names."""

    line: int
    entity: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    told_at: str = ""


ToldItem = Item | Relation | Named
ReadItems = Callable[[Path, Faults], Iterable[ToldItem]]
"""Reads a source; what cannot be read it adds to the faults, by line, and goes on."""


def of_items(name: str, read: ReadItems) -> Importer:
    """An importer of what a function reads.

    Args:
        name: of the format; it is part of the ids.
    """

    def importer(
        store: Store, path: str | os.PathLike[str], *, clock: Clock = utc_now, skip_bad: bool = False
    ) -> ImportReport:
        return import_items(store, read, path, name=name, clock=clock, skip_bad=skip_bad)

    return importer


def import_items(
    store: Store, read: ReadItems, path: str | os.PathLike[str], *, name: str, clock: Clock = utc_now,
    skip_bad: bool = False,
) -> ImportReport:  # fmt: skip
    """Import a source as one pass of kind "import".

    Raises:
        NotFoundError: there is no such file or folder.
        ImportRefusedError: parts of it cannot be read (listed by line); the database is as it was.
    """
    place = expanded(path)
    faults = Faults()
    try:
        told = list(read(place, faults))
        digest = blake2b(place.read_bytes(), digest_size=32).hexdigest() if place.is_file() else ""
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {place}") from None
    except OSError as fault:
        raise ImportRefusedError(f"{place} cannot be read: {fault.strerror}") from fault
    if faults.count and not skip_bad:
        raise refused(place.name, faults)
    now = clock()
    with store.writing():
        known = Known(store.connection, [])
        lines = list(_Lines(name, f"{name}:{place.resolve()}", known, now, faults).lines(told))
        if faults.count and not skip_bad:
            raise refused(place.name, faults)
        report = import_lines(
            store, lines, source=place.name or str(place), clock=lambda: now, onto_known=True,
            files={str(place.resolve()): digest},
        )  # fmt: skip
    return replace(
        report, lines=max((one.line for one in told), default=0), known=known.met, left_out=known.left_out,
        faults=faults.shown(), fault_count=faults.count,
    )  # fmt: skip


def refused(name: str, faults: Faults) -> ImportRefusedError:
    """The error of a source with faults."""
    return ImportRefusedError(
        f"{printable(name)} was refused for {plural(faults.count, 'fault')}; the database is as it was",
        tuple(map(printable, faults.shown())), "mend these, or pass over them with --skip-bad",
    )  # fmt: skip


class _Lines:
    """Makes lines of a graph of what a source told, without what the graph has."""

    def __init__(self, name: str, source: str, known: Known, now: str, faults: Faults) -> None:
        self._name, self._source, self._known, self._now, self._faults = name, source, known, now, faults
        self._made: set[str] = set()

    def lines(self, told: Iterable[ToldItem]) -> Iterator[dict[str, Any]]:
        for one in told:
            try:
                at = self._time(one.told_at)
            except ValueError:
                self._faults.add(one.line, f"{one.told_at!r} is no time")
                continue
            if isinstance(one, Item):
                yield from self._item(one, at)
            elif isinstance(one, Relation):
                yield from self._relation(one, at)
            else:
                yield from self._named(one, at)

    def _time(self, told_at: str) -> str:
        told = stamp(told_at) if told_at else self._now
        return min(told, self._now)

    def _item(self, one: Item, at: str) -> Iterator[dict[str, Any]]:
        fact = self._fact(one.key)
        if fact in self._made:
            return
        self._made.add(fact)
        if self._known.fact(fact):
            return
        owner = self._known.entity(self._entity(one.entity, one.type))
        if owner.archived:
            self._known.left_out += 1
            return
        if owner.row is None:
            yield from self._entity_line(owner.uid, one.entity, one.type, at)
        aspect = self._known.aspect(owner, one.aspect, self._now)
        if aspect.new and aspect.uid not in self._made:
            self._made.add(aspect.uid)
            yield {"kind": "aspect", "id": aspect.uid, "entity_id": owner.uid, "name": aspect.name, "created_at": at}
        line = {
            "kind": "attribute", "id": fact, "entity_id": owner.uid, "aspect_id": aspect.uid, "content": one.text,
            "created_at": at, "source": self._source, "authority": "imported", "metadata": {"line": one.line},
            **one.more,
        }  # fmt: skip
        if one.replaced_by:
            line |= {"status": "superseded", "superseded_by": self._fact(one.replaced_by)}
        elif one.gone:
            line |= {"removed": one.gone}
        yield line

    def _relation(self, one: Relation, at: str) -> Iterator[dict[str, Any]]:
        ends = [self._known.entity(self._entity(*end)) for end in (one.source, one.target)]
        uid = uid_of("dep", self._name, ends[0].uid, one.type, ends[1].uid)
        if uid in self._made or any(end.archived for end in ends) or self._known.link(uid):
            return
        self._made.add(uid)
        for end, named in zip(ends, (one.source, one.target), strict=True):
            if end.row is None:
                yield from self._entity_line(end.uid, *named, at)
        yield {"kind": "edge", "id": uid, "source_id": ends[0].uid, "target_id": ends[1].uid, "type": one.type,
               "created_at": at}  # fmt: skip

    def _named(self, one: Named, at: str) -> Iterator[dict[str, Any]]:
        owner = self._known.entity(self._entity(one.entity, one.type))
        if owner.row is not None or owner.archived:
            return
        yield from self._entity_line(owner.uid, one.entity, one.type, at)
        for alias in one.aliases:
            if canonical(alias) != canonical(one.entity):
                yield {"kind": "alias", "entity_id": owner.uid, "name": alias, "source": self._source}

    def _entity_line(self, uid: str, name: str, kind: str, at: str) -> Iterator[dict[str, Any]]:
        if uid not in self._made:
            self._made.add(uid)
            yield {"kind": "entity", "id": uid, "name": name, "created_at": at, "metadata": {"source": self._source},
                   **({"type": kind} if kind else {})}  # fmt: skip

    def _entity(self, name: str, kind: str) -> str:
        return uid_of("ent", self._name, canonical(kind), canonical(name))

    def _fact(self, key: str) -> str:
        return uid_of("att", self._name, key)
