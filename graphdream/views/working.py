"""Working memory: short-lived notes between turns and between agents, the one thing that is not in the graph.

A key is a path whose first two segments are its namespace (`session/abc`, `patrol/heartbeat`, `subagent/t1b2c3`). One
writes in one's own and may read everywhere. The limits are those of RockBot, an agent
framework.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from graphdream.checked import checks_arguments
from graphdream.clock import Clock, shifted, utc_now
from graphdream.errors import ConflictError, NotFoundError, UsageError
from graphdream.events.transcripts import storable
from graphdream.given import confirm_text
from graphdream.graph.callers import CallersStore
from graphdream.graph.sealed import BY_NAME
from graphdream.graph.sealfault import SealFault, refusal
from graphdream.graph.sealread import unsound_texts
from graphdream.graph.store import Store

DEFAULT_TTL_SECONDS = 300.0
MAX_ENTRIES = 50  # of one namespace
MAX_VALUE_CHARS = 1_000_000
PATROL = "patrol"


@dataclass(frozen=True, slots=True)
class Note:
    """One entry. Times are UTC."""

    key: str
    value: str
    category: str
    tags: tuple[str, ...]
    stored_at: str
    expires_at: str

    @property
    def namespace(self) -> str:
        """The first two segments of its key."""
        return namespace_of(self.key)

    def listed(self) -> str:
        """The entry without its value, as an inventory shows it; the same text until it expires."""
        marks = [f"category {self.category}"] if self.category else []
        marks += [f"tags {', '.join(self.tags)}"] if self.tags else []
        return ", ".join([f"{self.key}: until {self.expires_at[:19]}Z", *marks])


def namespace_of(key: str) -> str:
    """The namespace of a full key."""
    return "/".join(key.split("/")[:2])


def namespace_of_session(session: str) -> str:
    """The namespace of a session by the host's own id of it, which may have slashes. Raises UsageError where it is
    blank."""
    if not session.strip():
        raise UsageError("the session has no name", "give the host's own id of it")
    return f"session/{storable(session).replace('/', '%2F')}"


@checks_arguments
class WorkingMemory(CallersStore):
    """Working memory as one writer sees it. Of a `Graph`, for all of its threads: each call uses the caller's
    connection."""

    def __init__(
        self,
        store: Store | Callable[[], Store],
        namespace: str,
        *,
        clock: Clock = utc_now,
        writing: Callable[[Store], AbstractContextManager[None]] = Store.joining,
    ) -> None:
        """Raises UsageError where the namespace is not two segments, like `session/abc`.

        Args:
            store: as `CallersStore`.
            writing: opens a write transaction, or joins the one that is open.
        """
        namespace = storable(namespace)
        parts = namespace.split("/")
        if len(parts) != 2 or not all(part.strip() for part in parts):
            raise UsageError(f"{namespace!r} is no namespace", "write two segments, like session/abc")
        super().__init__(store)
        self._clock, self._writing = clock, writing
        self.namespace = namespace

    def put(
        self,
        key: str,
        value: str,
        *,
        ttl_seconds: float = DEFAULT_TTL_SECONDS,
        category: str = "",
        tags: Iterable[str] = (),
    ) -> Note:
        """Write a note into one's own namespace; one under the same key is replaced.

        Raises:
            UsageError: the key lies in another namespace or is blank, the value is too long, or the time to live is
                not positive.
            ConflictError: the namespace is full.
        """
        confirm_text("the key of a note", key)
        confirm_text("a note", value)
        full = self._own(key)
        if not 0 < ttl_seconds <= 366 * 86_400:
            raise UsageError(f"a note cannot live for {ttl_seconds} seconds", "give between 1 second and a year")
        if len(value) > MAX_VALUE_CHARS:
            raise UsageError(f"the note has {len(value):,} characters; {MAX_VALUE_CHARS:,} are the most")
        now = self._clock()
        note = Note(
            full, storable(value), storable(category), tuple(map(storable, tags)), now, shifted(now, ttl_seconds)
        )
        connection = self._store.connection
        with self._writing(self._store):
            sweep(connection, now)
            others = connection.execute(
                "SELECT count(*) FROM working_memory WHERE namespace = ? AND key <> ?", (self.namespace, full)
            ).fetchone()[0]
            if others >= MAX_ENTRIES:
                raise ConflictError(
                    f"{self.namespace} holds {others} notes, which are the most", "drop one, or let one expire"
                )
            connection.execute(
                "INSERT INTO working_memory VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " value = excluded.value, category = excluded.category, tags = excluded.tags,"
                " stored_at = excluded.stored_at, expires_at = excluded.expires_at",
                (
                    full,
                    self.namespace,
                    note.value,
                    note.category,
                    json.dumps(note.tags),
                    note.stored_at,
                    note.expires_at,
                ),
            )
        return note

    def get(self, key: str) -> Note:
        """Read a note: by its plain key in one's own namespace, by its full key in any.

        Raises:
            NotFoundError: there is none, or it has expired.
            IntegrityError: there is one, and it is not what was sealed.
            UsageError: the key is blank.
        """
        key = storable(key)
        if not key.strip():
            raise UsageError("the note has no key")
        for full in dict.fromkeys((f"{self.namespace}/{key}", key)):
            self._store.seal.left_out.discard(full)  # from an earlier call
            found = _notes(self._store, "key = ?", [full], self._clock())
            if found:
                return found[0]
            if full in self._store.seal.left_out:
                words = f"the note {full!r} was changed behind graphdream's back"
                raise refusal(self._store.path, [SealFault("row", words, ("working_memory",))])
        raise NotFoundError(f"there is no note {key!r}", "it may have expired: graphdream working list")

    def list(self, prefix: str = "") -> Sequence[Note]:
        """Notes of one's own namespace, or of everything below a prefix (`patrol`, `subagent/t1`), by key."""
        return _below(self._store, prefix or self.namespace, self._clock())

    def search(
        self, query: str = "", *, category: str = "", tags: Iterable[str] = (), prefix: str = ""
    ) -> Sequence[Note]:
        """Notes that have any word of a query, those with most of them first, then by key.

        Args:
            query: words; none finds every note.
            category: only notes of it.
            tags: only notes that bear all of them.
            prefix: where to look; one's own namespace without one, everywhere with "/".
        """
        wanted = set(query.casefold().split())
        labels = set(tags)
        scored = []
        for note in _below(self._store, prefix or self.namespace, self._clock()):
            if (category and note.category != category) or not labels <= set(note.tags):
                continue
            text = " ".join((note.key, note.value, note.category, *note.tags)).casefold()
            score = sum(word in text for word in wanted)
            if score or not wanted:
                scored.append((-score, note.key, note))
        return [note for _, _, note in sorted(scored, key=lambda found: found[:2])]

    def drop(self, key: str) -> None:
        """Remove a note of one's own namespace. Raises as `put` and `get`."""
        full = self._own(key)
        with self._writing(self._store):
            done = self._store.connection.execute("DELETE FROM working_memory WHERE key = ?", (full,)).rowcount
        if not done:
            raise NotFoundError(f"there is no note {key!r} in {self.namespace}")

    def inventory(self) -> Sequence[str]:
        """What a prompt is told: one's own notes and, in a user's session, what patrols have left. No values."""
        notes = [*self.list(), *(self.list(PATROL) if not self.namespace.startswith(f"{PATROL}/") else ())]
        return [note.listed() for note in notes]

    def _own(self, key: str) -> str:
        """The full key of one in one's own namespace."""
        name = storable(key).removeprefix(f"{self.namespace}/").strip()
        if not name:
            raise UsageError("the note has no key")
        if name.startswith(("session/", f"{PATROL}/", "subagent/")):
            raise UsageError(f"{key!r} lies outside {self.namespace}", "one writes in one's own namespace only")
        return f"{self.namespace}/{name}"


def sweep(connection: sqlite3.Connection, now: str) -> int:
    """Remove what has expired, in an open write transaction; every `put` does. Returns how many notes there were."""
    return connection.execute("DELETE FROM working_memory WHERE expires_at <= ?", (now,)).rowcount


def _below(store: Store, prefix: str, now: str) -> list[Note]:
    start = storable(prefix).strip("/")
    if not start:
        return _notes(store, "1", [], now)
    return _notes(store, "(key = ? OR (key >= ? AND key < ?))", [start, f"{start}/", f"{start}0"], now)


def _notes(store: Store, where: str, values: list[str], now: str) -> list[Note]:
    with store.reading():
        rows = store.connection.execute(
            f"SELECT key, value, category, tags, stored_at, expires_at FROM working_memory WHERE {where} ORDER BY key",
            values,
        ).fetchall()  # also those that a row says have expired: it may have been forged to say so
        wrong = unsound_texts(store.seal, BY_NAME["working_memory"], [row[0] for row in rows])
    store.seal.left_out.update(wrong)
    return [
        Note(row[0], row[1], row[2], tuple(json.loads(row[3])), row[4], row[5])
        for row in rows
        if row[0] not in wrong and row[5] > now
    ]
