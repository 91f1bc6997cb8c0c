"""What is flagged of facts, and what a person has said of it.

A word of this is written once and never changed: a check flags or settles, a person says that a fact holds all the
same. The newest one whose pass stands is what counts, so an undo takes a check or a person's word back, and an undo of
that undo brings it again, without a line here.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.errors import NotFoundError, UsageError, quoted
from graphdream.graph.rows import handle, parse_handle
from graphdream.graph.sealed import BY_NAME
from graphdream.graph.sealread import unsound_texts
from graphdream.graph.served import sound
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE
from graphdream.journal.passes import PassHeader, open_pass

KIND = "check"  # of a pass that flags, settles, or puts a person's word on record
BEGINS = "project:"  # of the fingerprints of these findings; then what it is about, then the pass


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
class Said:
    """What was last said of a fact and something that it names.

    Attributes:
        root, names, why: as of a `Flag`.
        fact: its id.
        disposition: `deferred` where it is flagged, `done` where it agrees by now, `declined` where a person said that
            the fact holds all the same.
        digest: of what the fact said then.
        since: as of a `Flag`.
        by: the fingerprint under which this is written.
    """

    root: str
    fact: int
    names: str
    why: str
    disposition: str
    digest: str = ""
    since: str = ""
    by: str = ""


def fingerprint_of(root: str, fact: int, names: str) -> str:
    """What tells a flag from others."""
    return f"{BEGINS}{digest_of(json.dumps([root, fact, names]))}"


def digest_of(text: str) -> str:
    """Of 32 hexadecimal digits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def standing(store: Store) -> dict[str, Said]:
    """Fingerprint of a flag -> what counts of it, whatever that is; what only undone passes told is not there."""
    rows = store.connection.execute(
        "SELECT fingerprint, disposition, blocker, decided_at FROM finding JOIN pass ON pass.id = pass_id"
        " WHERE fingerprint GLOB ? AND undone_by IS NULL ORDER BY pass_id",
        (f"{BEGINS}*",),
    ).fetchall()
    found: dict[str, Said] = {}
    for fingerprint, disposition, blocker, at in rows:
        told = _told(blocker)
        if told is None:
            continue  # what is no word of ours was written behind the store's back, and the seal names it
        key = fingerprint[: len(BEGINS) + 32]
        before = found.get(key)
        since = before.since if before and before.disposition == disposition == "deferred" else at
        found[key] = Said(**told, disposition=disposition, since=since, by=fingerprint)
    return found


def _told(blocker: str) -> dict[str, Any] | None:
    try:
        told = json.loads(blocker)
        kinds = {"root": str, "fact": int, "names": str, "why": str}
        whole = all(isinstance(told[name], kind) for name, kind in kinds.items())
        return {**{name: told[name] for name in kinds}, "digest": str(told.get("digest", ""))} if whole else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def flagged_facts(store: Store) -> list[Flag]:
    """Active facts that did not agree with a project when it was last checked, in order of their handles. What is not
    as it was sealed is left out, and noted in `store.seal.left_out`."""
    with store.reading():
        said = [one for one in standing(store).values() if one.disposition == "deferred"]
        rows = store.connection.execute(
            "SELECT attribute.id, content, entity.name FROM attribute JOIN aspect ON aspect.id = aspect_id"
            " JOIN entity ON entity.id = entity_id WHERE attribute.status = 'active' AND entity.status = 'active'"
            " AND attribute.id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted({one.fact for one in said})),),
        ).fetchall()
        facts = {row[0]: row for row in sound(store, rows, lambda row: (handle(ATTRIBUTE, row[0]),))}
        wrong = unsound_texts(store.seal, BY_NAME["finding"], {one.by for one in said})
    found = []
    for one in sorted(said, key=lambda one: (one.fact, one.names, one.by)):
        if one.fact not in facts:
            continue
        fact = handle(ATTRIBUTE, one.fact)
        if one.by in wrong:
            store.seal.left_out.add(f"a flag of {fact}")
            continue
        _, text, entity = facts[one.fact]
        found.append(Flag(fact, text, entity, one.names, one.why, one.root, one.since))
    return found


def facts_hold(store: Store, facts: Collection[str], *, clock: Clock = utc_now) -> int | None:
    """Put on record that a person has looked at flagged facts and they hold all the same, as a pass: they are flagged
    again only where the project, or the fact, says something else than it did.

    Args:
        facts: handles of facts (a12).

    Returns:
        The pass; None where none was given.

    Raises:
        UsageError: one of them is no handle of a fact.
        NotFoundError: one of them is not flagged; nothing was put on record.
        IntegrityError: the file is not as it was sealed, so that nothing is written to it.
    """
    if not facts:
        return None
    wanted = dict.fromkeys(_fact_id(fact) for fact in facts)
    flags = flagged_facts(store)
    texts = {int(flag.fact[1:]): flag.text for flag in flags}
    for fact in wanted:
        if fact not in texts:
            raise NotFoundError(f"{handle(ATTRIBUTE, fact)} is not flagged", "graphdream review lists what is")
    said = {
        key: replace(one, digest=digest_of(texts[one.fact]))
        for key, one in standing(store).items()
        if one.fact in wanted and one.disposition == "deferred"
    }
    header = PassHeader(
        KIND,
        trigger="person",
        options={"holds": [handle(ATTRIBUTE, fact) for fact in wanted]},
        inputs={"now": clock()},
    )
    with open_pass(store, header, clock=clock) as current:
        note(store.connection, current.id, said, "declined", clock())
        current.summary = f"A person has looked: {', '.join(handle(ATTRIBUTE, fact) for fact in wanted)} hold"
        return current.id


def _fact_id(fact: str) -> int:
    parsed = parse_handle(fact) if isinstance(fact, str) else None
    if parsed is None or parsed[0] is not ATTRIBUTE:
        raise UsageError(f"{quoted(str(fact))} is no handle of a fact", "graphdream review shows them: a12")
    return parsed[1]


def note(connection: sqlite3.Connection, pass_id: int, said: Mapping[str, Said], disposition: str, now: str) -> None:
    """Write down what a pass says of flags. Part of its transaction."""
    connection.executemany(
        "INSERT INTO finding (fingerprint, kind, disposition, blocker, pass_id, decided_at) VALUES (?, '', ?, ?, ?, ?)",
        [
            (
                f"{key}:{pass_id}",
                disposition,
                json.dumps(
                    {"root": one.root, "fact": one.fact, "names": one.names, "why": one.why, "digest": one.digest},
                    ensure_ascii=False,
                ),
                pass_id,
                now,
            )
            for key, one in sorted(said.items())
        ],
    )
