"""Facts held against the project that they are about: paths that are not there, versions that a manifest denies.

What does not agree is flagged for a person, with the reason, and nothing is changed: a fact may tell of what was, of
another branch, of what is to come. A flag goes when a later check finds that it agrees. URLs are not looked up, for
that would need the network.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.dream.projectfiles import Project, paths_in
from graphdream.errors import NotFoundError
from graphdream.graph.rows import handle
from graphdream.graph.sealed import BY_NAME
from graphdream.graph.sealread import unsound_texts
from graphdream.graph.served import sound
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.paths import expanded

KIND = "check"  # of the pass that says so
_BEGINS = "project:"  # of the fingerprints of these findings


@dataclass(frozen=True, slots=True)
class Flag:
    """A fact that does not agree with a project.

    Attributes:
        fact: its handle.
        text: what it says.
        entity: name of whom it is about.
        names: the path, or the package with its version, as the fact names it.
        why: in words.
        root: the folder of the project.
        since: when it was first found, UTC.
    """

    fact: str
    text: str
    entity: str
    names: str
    why: str
    root: str
    since: str

    def as_json(self) -> dict[str, Any]:
        """The flag as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ProjectReport:
    """What a check found.

    Attributes:
        root: the folder of the project.
        facts: how many facts were looked at.
        pass_id: the pass that flagged or took flags away; None where all was so already.
        flagged: how many flags are new.
        settled: how many are gone, because it agrees now, or the fact does not hold any more.
        flags: all that stand for this project.
        truncated: the project has more files than are looked at, so no path is flagged.
    """

    root: str
    facts: int
    pass_id: int | None
    flagged: int
    settled: int
    flags: tuple[Flag, ...]
    truncated: bool = False

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return asdict(self)


def check_project(store: Store, root: str | Path, *, clock: Clock = utc_now) -> ProjectReport:
    """Hold every active fact against a project, and flag those that do not agree; nothing else is changed.

    Looked at are paths below `root`, which are never opened, and the versions in its pyproject.toml, package.json and
    requirements.txt. What leads out of `root` is passed over.

    Raises:
        NotFoundError: there is no such folder.
        UsageError: there is no such user.
        IntegrityError: the file is not as it was sealed, so that nothing is written to it.
    """
    folder = expanded(root)
    if not folder.is_dir():
        raise NotFoundError(f"there is no folder {root}", "give that of the project: --root DIR")
    project = Project(folder.resolve())
    place = str(project.root)
    with store.reading():
        facts = _facts(store)
        before = _standing(store.connection, place)
    now = {
        _fingerprint(place, fact, names): {"root": place, "fact": fact, "names": names, "why": why}
        for fact, text in facts
        for names, why in _disagreements(project, text)
    }
    new = {fingerprint for fingerprint in now if before.get(fingerprint) != now[fingerprint]["why"]}
    flagged, gone = now.keys() - before.keys(), before.keys() - now.keys()
    pass_id = None
    if new or gone:
        header = PassHeader(KIND, trigger="person", options={"root": place}, inputs={"now": clock()})
        with open_pass(store, header, clock=clock) as current:
            _note(store.connection, current.id, {one: now[one] for one in new}, gone, clock())
            current.summary = f"{len(flagged):,} flagged, {len(gone):,} settled of {len(now):,} against {place}"
            pass_id = current.id
    flags = tuple(flag for flag in flagged_facts(store) if flag.root == place)
    return ProjectReport(place, len(facts), pass_id, len(flagged), len(gone), flags, project.truncated)


def flagged_facts(store: Store) -> list[Flag]:
    """Active facts that did not agree with a project when it was last checked, in order of their handles. What is not
    as it was sealed is left out, and noted in `store.seal.left_out`."""
    with store.reading():
        rows = store.connection.execute(
            "SELECT attribute.id, content, entity.name, blocker, decided_at, fingerprint FROM finding"
            " JOIN attribute ON attribute.id = json_extract(blocker, '$.fact')"
            " JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id = entity_id"
            " WHERE fingerprint GLOB ? AND disposition = 'deferred' AND attribute.status = 'active'"
            " AND entity.status = 'active' ORDER BY attribute.id, json_extract(blocker, '$.names'), fingerprint",
            (f"{_BEGINS}*",),
        ).fetchall()
        rows = sound(store, rows, lambda row: (handle(ATTRIBUTE, row[0]),))
        wrong = unsound_texts(store.seal, BY_NAME["finding"], {row[5] for row in rows})
    store.seal.left_out.update(f"a flag of {handle(ATTRIBUTE, row[0])}" for row in rows if row[5] in wrong)
    found = []
    for fact, text, entity, blocker, since, fingerprint in rows:
        if fingerprint in wrong:
            continue
        told = json.loads(blocker)
        found.append(Flag(handle(ATTRIBUTE, fact), text, entity, told["names"], told["why"], told["root"], since))
    return found


def _facts(store: Store) -> list[tuple[int, str]]:
    rows = store.connection.execute(
        "SELECT attribute.id, content FROM attribute JOIN aspect ON aspect.id = aspect_id"
        " JOIN entity ON entity.id = entity_id WHERE attribute.status = 'active' AND entity.status = 'active'"
        " ORDER BY attribute.id"
    ).fetchall()
    return [(row[0], row[1]) for row in sound(store, rows, lambda row: (handle(ATTRIBUTE, row[0]),))]


def _disagreements(project: Project, text: str) -> Iterator[tuple[str, str]]:
    """What a text names that is not so in the project, and why, each once."""
    for path in paths_in(text):
        if project.lacks(path):
            yield path.text, f"{path.text} is not there"
    yield from project.other_versions(text)


def _standing(connection: sqlite3.Connection, root: str) -> dict[str, str]:
    """Fingerprint -> reason of the flags that stand for a project."""
    rows = connection.execute(
        "SELECT fingerprint, json_extract(blocker, '$.why') FROM finding WHERE fingerprint GLOB ?"
        " AND disposition = 'deferred' AND json_extract(blocker, '$.root') = ?",
        (f"{_BEGINS}*", root),
    )
    return {row[0]: row[1] for row in rows}


def _fingerprint(root: str, fact: int, names: str) -> str:
    told = json.dumps([root, fact, names]).encode()
    return f"{_BEGINS}{blake2b(told, digest_size=16).hexdigest()}"


def _note(
    connection: sqlite3.Connection, pass_id: int, new: dict[str, dict[str, Any]], gone: set[str], now: str
) -> None:
    """Part of the transaction that writes the pass. A flag that comes back is new again."""
    connection.executemany(
        "INSERT INTO finding (fingerprint, kind, disposition, blocker, pass_id, decided_at)"
        " VALUES (?, '', 'deferred', ?, ?, ?) ON CONFLICT (fingerprint) DO UPDATE SET"
        " decided_at = CASE WHEN disposition = 'deferred' THEN decided_at ELSE excluded.decided_at END,"
        " disposition = 'deferred', blocker = excluded.blocker, pass_id = excluded.pass_id, times = times + 1",
        [
            (fingerprint, json.dumps(told, ensure_ascii=False), pass_id, now)
            for fingerprint, told in sorted(new.items())
        ],
    )
    connection.executemany(
        "UPDATE finding SET disposition = 'done', pass_id = ?, decided_at = ? WHERE fingerprint = ?",
        [(pass_id, now, fingerprint) for fingerprint in sorted(gone)],
    )
