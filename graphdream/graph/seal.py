"""The seal of a file: each row that counts under a message authentication code, and the file's head over all of them.

Whoever can write to the file, and has not got the key, can make no row that fits, nor put an older one back: the trees
(`graphdream.sealing.tree`) hold a seal for each row, the head their topmost nodes, the newest pass, and how many sealed
writes there were; the anchor outside (`graphdream.sealing.anchor`) holds the newest head. Rows are sealed by triggers
as they are written, in the same transaction. What is looked at when:

- on every write and on opening, in constant time: the head against its code, the file's id, the newest pass, the last
  rows and the anchor; the number of rows of small tables;
- a row, when it is read for somebody (`unsound`) or written anew (`touch`): its own seal.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from graphdream.errors import IntegrityError
from graphdream.graph.sealed import BESIDE, GRAPH, PARTS, SEALED, place_in_tree
from graphdream.sealing import anchor
from graphdream.sealing.anchor import Note
from graphdream.sealing.keys import KeyUnavailableError, current_key, find_key
from graphdream.sealing.places import place_digest, place_of
from graphdream.sealing.tree import NOTHING, WIDTH, BrokenTreeError, Tree, added

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any, TypeAlias

    from graphdream.graph.sealed import SealedTable
    from graphdream.sealing.keys import Key

COUNTED = 2_000  # rows of a table up to which they are counted on every look: some hundredths of a millisecond
WAY_OUT = "graphdream verify says more; graphdream trust --reason WHY accepts the file as it is (docs/trust.md)"
_PASS = 30
_KINDS_SHIFT = 48
_SINGLE = tuple(table for table in SEALED.values() if table.single)
_AS_TEXT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_MOST_HELD = 1_000  # written rows whose texts are held until they are sealed together
_SINGLE_KINDS = frozenset(table.kind for table in _SINGLE)
_AHEAD = Note("", 0, "", 0, "")  # stands for an anchor that is not to be compared
_EMPTY_TABLES = ("pass", "session", "entity", "observed", "working_memory")


# Kind, place, text before and after, session (-1: sealed with none).
_Written: TypeAlias = "tuple[int, int | str, bytes | None, bytes | None, int]"


class SealFault:
    """One way in which a file is not what was sealed.

    Attributes:
        code: head, key, file, passes, rows, anchor, unsealed or row.
        words: for a person.
        rows: the rows it concerns, as far as they are known: `attribute 12`.
    """

    __slots__ = ("code", "rows", "words")

    def __init__(self, code: str, words: str, rows: tuple[str, ...] = ()) -> None:
        self.code, self.words, self.rows = code, words, rows

    def __str__(self) -> str:
        return self.words


class Head:
    """What the head of a file says, whether or not it is true."""

    __slots__ = ("key", "mac", "state", "text")

    def __init__(self, key: str, text: str, mac: str) -> None:
        self.key, self.text, self.mac = key, text, mac
        self.state: dict[str, Any] = json.loads(text)


class _Look:
    """What a file was when it was found sound: what this connection has looked at, or written, is as it was for as long
    as no other connection writes, which `PRAGMA data_version` tells in a hundredth of the time of a look.

    Attributes:
        version: the data version.
        counted: the rows of small tables were counted as well.
    """

    __slots__ = ("counted", "key", "mac", "note", "text", "version")

    def __init__(self, version: int, head: tuple[str, str, str], note: Note, *, counted: bool) -> None:
        self.version, self.note, self.counted = version, note, counted
        self.key, self.text, self.mac = head


class _Hashers(dict[int, blake2b]):
    """One hasher a kind, made when it is first asked for; a copy of it is a third quicker than one made anew."""

    def __init__(self, file_key: bytes) -> None:
        super().__init__()
        self.file_key = file_key

    def __missing__(self, kind: int) -> blake2b:
        made = self[kind] = blake2b(key=self.file_key, digest_size=WIDTH, person=b"gd row" + bytes([kind]))
        return made


class _Opened:
    """What a head has been found to say: as true as before for as long as the file bears the same one.

    Attributes:
        head: id of the key, text, code.
        state: what the text says.
        tree: with the nodes that were read while the data version was `version`.
    """

    __slots__ = ("head", "key", "state", "tree", "version")

    def __init__(self, head: tuple[str, str, str], key: Key, state: dict[str, Any], tree: Tree, version: int) -> None:
        self.head, self.key, self.state, self.tree, self.version = head, key, state, tree, version


class Seal:
    """The seal of one connection's file.

    Args:
        off: seal nothing and look at nothing: a scratch copy that nobody keeps.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, *, off: bool = False) -> None:
        self.connection, self.path, self.off = connection, path, off
        self._place = self._anchor = ""
        self.accepting = False  # what is wrong with the file is known, and accepted for what is written next
        self._accepted: tuple[str, ...] = ()  # what of it was met in the transaction
        self.left_out: set[str] = set()  # handles of what was not told, because it is not what was sealed
        self._was_unsealed: bool | None = None
        self._keys: dict[str, Key | None] = {}
        self._writing = False
        self._look: _Look | None = None
        self._opened: _Opened | None = None
        self._hashers = _Hashers(b"")
        self._begun = 0  # the data version when the transaction began
        self._clear()
        connection.create_function("gd_seal", 4, self._touched)
        connection.create_function("gd_seal", 5, self._touched)

    def _clear(self) -> None:
        self._tree: Tree | None = None
        self._state: dict[str, Any] = {}
        self._key: Key | None = None
        self._pending: dict[int, bytes] = {}
        self._counts: dict[int, int] = {}
        self._held: list[_Written] = []  # what was written, and is yet to be sealed
        self._log: list[tuple[int, bytes | None, int, int]] = []
        self._parts = 0  # savepoints that are open
        self._fault: SealFault | None = None
        self._note: Note | None = None
        self._written: tuple[str, str, str] | None = None  # the head that the transaction has written
        self._fresh = False  # the file has no anchor here yet
        self._decided = False  # a person has taken the file as it is: its anchor says so when that is committed

    @property
    def place(self) -> str:
        """What the file is known by outside of it."""
        self._place = self._place or place_of(self.path)
        return self._place

    @property
    def anchor_file(self) -> str:
        """Where its anchor lies."""
        self._anchor = self._anchor or str(anchor.anchor_path(self.place))
        return self._anchor

    # ------------------------------------------------------------------ looking

    def faults(self, *, anew: bool = False) -> list[SealFault]:
        """What is wrong with the file, as far as one look in constant time can tell; [] where nothing is.

        A file that no write has sealed yet has no fault, unless one at its place had been sealed.

        Args:
            anew: look at everything, the anchor too, though nobody has written to the file since the last look.
        """
        if self.off:
            return []
        inside = self.connection.in_transaction
        look = self._look
        if not anew and look is not None and look.counted and look.version == self._version():
            return []
        # Before the head is read: a writer may add to the file in between, never take. Where a view of the file is
        # fixed already, the anchor may well be ahead of it.
        note = self._noted() if self._writing or not inside else _AHEAD
        if not inside:
            self.connection.execute("BEGIN")
        try:
            version = self._version()
            faults, head = self._examined(note), self.head()
            self._look = None
            if not faults and head is not None and note is not None and note is not _AHEAD and not self._writing:
                self._look = _Look(version, (head.key, head.text, head.mac), note, counted=True)
            return faults
        finally:
            if not inside:
                self.connection.execute("ROLLBACK")

    def _version(self) -> int:
        found: int = self.connection.execute("PRAGMA data_version").fetchone()[0]
        return found

    def require_sound(self) -> None:
        """Before what looks at no row that is not there: one look, in which the rows of small tables are counted too.

        Raises:
            IntegrityError: the file is not what was sealed, and that was not accepted.
        """
        if not self.accepting and (faults := self.faults()):
            raise refusal(self.path, faults)

    def head(self) -> Head | None:
        """The head of the file; None where it has none, or none that can be read."""
        try:
            row = self.connection.execute("SELECT key, state, mac FROM seal").fetchone()
            return Head(*row) if row else None
        except (sqlite3.Error, ValueError, TypeError):
            return None

    def _examined(self, note: Note | None) -> list[SealFault]:
        head = self.head()
        if head is None:
            return self._unsealed(note)
        try:
            key = self._found(head.key)
            if key is None:
                words = f"the file is sealed with the key {head.key}, which is not here"
                return [SealFault("key", words)]
            if _head_mac(head.text, key.of_file(str(head.state["file"]))) != head.mac:
                return [SealFault("head", "the head of the file is not what was sealed")]
            anchored = () if note is _AHEAD else self._anchored(head, note)
            return [*self._contradictions(head.state), *anchored]
        except KeyUnavailableError as fault:
            return [SealFault("key", str(fault))]
        except (KeyError, TypeError, ValueError, AttributeError, sqlite3.Error) as fault:
            return [SealFault("head", f"the head of the file cannot be read: {fault}")]

    def _unsealed(self, note: Note | None) -> list[SealFault]:
        if self._count("seal_node") or self._has_seal_row():
            return [SealFault("unsealed", "the head of the file was taken away")]
        if note is not None and note.writes and not self.is_empty():
            return [SealFault("unsealed", f"a sealed file lay here ({note.writes:,} writes), and this one has no seal")]
        if note is None and anchor.is_known(self.place) and not self.is_empty():
            return [SealFault("unsealed", "a sealed file lay here, and this one has no seal")]
        older = self._older_note()
        return [SealFault("anchor", older)] if older else []

    def _older_note(self) -> str:
        """How the file contradicts the note that a version without keys has left beside it, in words; "" where it does
        not, or there is none. With the first seal the note is gone."""
        try:
            note = json.loads(self._older_anchor().read_text())
            noted = (note["pass"], note["chain"])
        except (OSError, ValueError, TypeError, KeyError):
            return ""
        if not self.connection.execute("SELECT 1 FROM pass WHERE id = ? AND chain = ?", noted).fetchone():
            return f"the file was put back to an older copy: pass {noted[0]}, which was written here, is not in it"
        return ""

    def _older_anchor(self) -> Path:
        return self.path.with_name(self.path.name + ".anchor")

    def _has_seal_row(self) -> bool:
        return bool(self._count("seal"))

    def _count(self, table: str) -> int:
        try:
            return int(self.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
        except sqlite3.Error:
            return 0

    def places(self) -> set[str]:
        """Digests of the places where the file lies and has lain, as far as it was moved or copied with its seal."""
        here = place_digest(self.place)
        head = self.head()
        return {here} if head is None else {here, *map(str, head.state.get("places", ()))}

    @property
    def was_unsealed(self) -> bool:
        """Whether nothing of the file was sealed when this was first asked: what a version without keys has left beside
        it is then as good as what is in it."""
        if self._was_unsealed is None:
            self._was_unsealed = self.off or self._fresh or not self.is_sealed()
        return self._was_unsealed

    def is_sealed(self) -> bool:
        """Whether the file has a head at all."""
        return bool(self.connection.execute("SELECT EXISTS (SELECT 1 FROM seal)").fetchone()[0])

    def is_empty(self) -> bool:
        """Whether nothing was ever told to the file."""
        some = " OR ".join(f"EXISTS (SELECT 1 FROM {table})" for table in _EMPTY_TABLES)
        return not self.connection.execute(f"SELECT {some}").fetchone()[0]

    def _contradictions(self, state: Mapping[str, Any]) -> Iterator[SealFault]:
        execute = self.connection.execute
        known = execute("SELECT value FROM meta WHERE key = 'file_id'").fetchone()
        if known is None or known[0] != state["file"]:
            yield SealFault("file", "the file bears another file's id than the one it was sealed with")
        found = _newest(self.connection)
        if found != state["pass"]:
            yield SealFault("passes", _passes_words(found, state["pass"]))
        last = execute("SELECT coalesce(max(id), 0) FROM change").fetchone()[0]
        if last != state["change"]:
            words = f"the journal ends with change {last}, but change {state['change']} was the last that was sealed"
            yield SealFault("passes", words)
        sealed = {int(kind): tuple(held[2:]) for kind, held in state["trees"].items()}
        lasts = execute(_lasts_sql([table.name for table in _SINGLE])).fetchone()
        for table, found_last in zip(_SINGLE, lasts, strict=True):
            rows, newest = sealed.get(table.kind, (0, 0))
            if found_last != newest:
                words = f"the last row of {table.name} is {found_last}, but {newest} was the last that was sealed"
                yield SealFault("rows", words, (f"{table.name} {max(found_last, newest)}",))
        # A row more or less in between is not in the way of a write, which looks at the rows that it changes.
        small = (
            [] if self._writing else [table for table in SEALED.values() if sealed.get(table.kind, (0,))[0] <= COUNTED]
        )
        if small:
            counts = ", ".join(
                f"(SELECT count(*) FROM (SELECT 1 FROM {table.name} LIMIT {COUNTED + 1}))" for table in small
            )
            for table, counted in zip(small, execute(f"SELECT {counts}").fetchone(), strict=True):
                rows = sealed.get(table.kind, (0,))[0]
                if counted != rows:
                    yield SealFault("rows", f"{table.name} has {_number(counted)} rows, but {rows:,} were sealed")

    def _anchored(self, head: Head, note: Note | None) -> Iterator[SealFault]:
        state = head.state
        if note is None and self._came_here(state):
            return
        if note is None:
            there = anchor.anchor_path(self.place).exists()
            why = "cannot be read, or was made with another key" if there else "is missing"
            yield SealFault(
                "anchor", f"the anchor of the file {why} ({anchor.anchor_path(self.place)}): it may be an older copy"
            )
        elif note.file != state["file"]:
            yield SealFault("anchor", "another file lay here: this one was put in its place")
        elif note.writes > state["count"]:
            behind = note.writes - state["count"]
            words = f"the file was put back to an older copy: it lacks the last {behind:,} writes"
            if note.pass_id > state["pass"][0]:
                words += f", and ends with pass {state['pass'][0]} instead of pass {note.pass_id}"
            yield SealFault("anchor", words)
        elif note.writes == state["count"] and note.head != head.mac:
            yield SealFault("anchor", "the file was put back to an older copy, and went on from there")

    def _came_here(self, state: Mapping[str, Any]) -> bool:
        """Whether the file was moved or copied to a place of which nobody remembers a sealed file: its seals hold here
        as they did there. Whether it is the newest copy of it, nobody can know."""
        return state.get("place") != place_digest(self.place) and not (
            anchor.anchor_path(self.place).exists() or anchor.is_known(self.place)
        )

    def _noted(self) -> Note | None:
        try:
            return anchor.read(self.place, self._found)
        except KeyUnavailableError:
            return None  # the head says so, too

    def _found(self, key_id: str) -> Key | None:
        if self._keys.get(key_id) is None:
            self._keys[key_id] = find_key(key_id)
        return self._keys[key_id]

    def unsound(self, rows: Iterable[tuple[int, int, bytes | None]]) -> set[tuple[int, int]]:
        """Which rows are not as they were sealed. Within the transaction in which they were read.

        Args:
            rows: kind, id and text (`SealedTable.text_sql`) of each; None for one that is not there.

        Returns:
            Kind and id of those that do not fit; empty also where the file has no seal that could tell.
        """
        if self.off:
            return set()
        tree = self._tree or self.tree()
        if tree is None:
            return set()
        self._seal_held()
        wrong = set()
        for kind, row_id, text in rows:
            try:
                known = self._pending.get(kind << _KINDS_SHIFT | row_id)
                known = tree.get(kind, row_id) if known is None else known
                if known != (NOTHING if text is None else self.sealed(kind, text)):
                    wrong.add((kind, row_id))
            except BrokenTreeError:
                wrong.add((kind, row_id))
        return wrong

    def unsound_together(self, kind: int, place: int, texts: Iterable[tuple[int, bytes]]) -> bool:
        """Whether rows that are sealed together are not all there, unchanged. Within the transaction that read them.

        Args:
            kind: of the tree.
            texts: kind and text of every row of the place.
        """
        tree = None if self.off else self._tree or self.tree()
        if tree is None:
            return False
        self._seal_held()
        total = NOTHING
        for of, text in texts:
            total = added(total, self.sealed(of, text), NOTHING)
        try:
            return self._pending.get(kind << _KINDS_SHIFT | place, tree.get(kind, place)) != total
        except BrokenTreeError:
            return True

    def unsound_texts(self, table: SealedTable, texts: Collection[str]) -> set[str]:
        """Which rows of a small table, known by a text each, are not as they were sealed, or share their place with one
        that is not. Within the transaction in which they were read."""
        if self.off or not texts:
            return set()
        places: dict[int, list[tuple[int, bytes]]] = {place_in_tree(text): [] for text in texts}
        for at, text in self.connection.execute(f"SELECT {table.place_sql()}, {table.text_sql()} FROM {table.name}"):
            if place_in_tree(at) in places:
                places[place_in_tree(at)].append((table.kind, text))
        wrong = {place for place, held in places.items() if self.unsound_together(table.kind, place, held)}
        return {text for text in texts if place_in_tree(text) in wrong}

    def tree(self, *, anew: bool = False) -> Tree | None:
        """The trees as the open transaction sees them; None where no head can be trusted.

        Args:
            anew: read every node from the file, also one that was read before.
        """
        opened = self._open(anew=anew)
        if opened is None:
            return None
        self._use(opened.key.of_file(opened.state["file"]))
        return opened.tree

    def _open(self, *, anew: bool = False) -> _Opened | None:
        """What the head of the file says; None where it cannot be trusted. Nodes that were read before are kept for as
        long as nobody else has written to the file."""
        try:
            row = self.connection.execute("SELECT key, state, mac FROM seal").fetchone()
        except sqlite3.Error:
            return None
        if row is None:
            return None
        told, version, opened = (row[0], row[1], row[2]), self._version(), self._opened
        if not anew and opened is not None and opened.head == told:
            if opened.version != version:
                opened.tree.forget()
                opened.version = version
            return opened
        try:
            head = Head(*told)
            key = self._found(head.key)
            file_key = key.of_file(str(head.state["file"])) if key else b""
            if key is None or _head_mac(head.text, file_key) != head.mac:
                return None
            opened = _Opened(told, key, head.state, Tree(self.connection, file_key, _roots(head.state)), version)
        except (KeyUnavailableError, KeyError, TypeError, ValueError, AttributeError):
            return None
        if not anew:
            self._opened = opened
        return opened

    # ------------------------------------------------------------------ writing

    def begin(self) -> None:
        """A write transaction has begun: look at the file, and seal it where nobody has yet.

        Raises:
            IntegrityError: the file is not what was sealed, and that was not accepted.
        """
        self._clear()
        self._writing, self._accepted = True, ()
        if self.off:
            return
        self._begun = self._version()
        look = self._look
        if look is not None and look.version == self._begun:
            note: Note | None = look.note
        else:
            self._look = None
            note = self._noted()
            faults = self._examined(note)
            if faults:
                if not self.accepting:
                    raise refusal(self.path, faults)
                self._accepted = tuple(map(str, faults))
                return  # what is written stays unsealed, so that the file is not taken for sound
        opened = self._open()
        if opened is None:  # it has no head, or there would be a fault
            self._seal_all(note)
            return
        # They change with the transaction, and are what the file says again where that is committed.
        self._opened = None
        self._state, self._key, self._tree = opened.state, opened.key, opened.tree
        self._use(self._key.of_file(self._state["file"]))
        if note is None:  # it was moved or copied here
            self._fresh = True
            self._state["places"] = [*self._state.get("places", ()), self._state.get("place", "")]
            at = self._state["pass"][0]
            self._state["notes"].append(f"the file was moved or copied here, when its newest pass was {at}")

    def _seal_all(self, note: Note | None) -> None:
        """Seal every row as it is: with the first write of a file, or with the first after a migration."""
        try:
            self._key = current_key()
        except KeyUnavailableError:
            return  # there is nothing to keep the file's word with; `doctor` says so
        if self.connection.execute("SELECT 1 FROM meta WHERE key = 'file_id'").fetchone() is None:
            self.connection.execute("INSERT INTO meta VALUES ('file_id', ?)", (os.urandom(16).hex(),))
        file_id = self.connection.execute("SELECT value FROM meta WHERE key = 'file_id'").fetchone()[0]
        notes = []
        if note is not None and note.writes and note.file != file_id:
            notes.append(f"a file of {note.pass_id} passes that lay here is gone; this one began empty")
        self.reseal(self._key, file_id, notes=notes, count=0)

    def last_count(self) -> int:
        """How many sealed writes the file, or the one that lay here before it, is known to have had."""
        note, head = self._noted(), self.head()
        told = head.state.get("count") if head is not None else None
        return max(note.writes if note else 0, told if isinstance(told, int) else 0)

    def reseal(self, key: Key, file_id: str, *, notes: Iterable[str] | None, count: int, decided: bool = False) -> None:
        """Seal every row anew, with whatever key; within a write transaction, whose end writes the head and the anchor.

        Args:
            notes: what `verify` says of it from now on; None: what it said before, the file being sound.
            count: sealed writes so far.
            decided: a person has decided it, whatever the anchor says.
        """
        self._decided = decided
        self._key = key
        file_key = key.of_file(file_id)
        self._use(file_key)
        self.connection.execute("DELETE FROM seal_node")
        self._tree = Tree(self.connection, file_key, {})
        if notes is None:
            since, notes = self._state.get("since", 1), self._state.get("notes", ())
        else:
            since = 1 if self.is_empty() else _newest(self.connection)[0] + 1
        self._state = {"file": file_id, "count": count, "since": since, "notes": list(notes), "trees": {}}
        self._held.clear()
        self._pending.clear()
        self._counts.clear()
        together: dict[int, bytes] = {}
        for table in (*GRAPH, *BESIDE):
            seals: dict[int, bytes] = {}
            rows = 0
            parts = ", session_id" if table.parts else ""
            for at, text, *session in self.connection.execute(
                f"SELECT {table.place_sql()}, {table.text_sql()}{parts} FROM {table.name}"
            ):
                rows += 1
                place = place_in_tree(at)
                seal = self.sealed(table.kind, text)
                seals[place] = seal if table.single else added(seals.get(place, NOTHING), seal, NOTHING)
                if session:
                    together[session[0]] = added(together.get(session[0], NOTHING), seal, NOTHING)
            self._counts[table.kind] = rows
            for place, seal in seals.items():
                self._pending[table.kind << _KINDS_SHIFT | place] = seal
        for session_id, seal in together.items():
            self._pending[PARTS << _KINDS_SHIFT | session_id] = seal
        self._fresh = True

    def _use(self, file_key: bytes) -> None:
        self._file_key = file_key
        if self._hashers.file_key != file_key:
            self._hashers = _Hashers(file_key)

    def sealed(self, kind: int, text: bytes) -> bytes:
        """The seal of a row with that text; where a tree was opened."""
        hasher = self._hashers[kind].copy()
        hasher.update(text)
        return hasher.digest()

    def _touched(self, kind: int, at: int | str, old: bytes | None, new: bytes | None, session: int = -1) -> None:
        """Called by the triggers: a row was written."""
        if self.off or old == new:
            return
        if not self._writing:
            raise IntegrityError("sealed rows are written within `Store.writing` only")
        self._hold(kind, at, old, new, session)

    def touch(self, kind: int, place: int, old: bytes | None, new: bytes | None) -> None:
        """A row with a place for itself is made (`old` is None), changed or deleted (`new` is None). It must be what
        was sealed before; where it is not, the transaction cannot be committed."""
        self._hold(kind, place, old, new, -1)

    def _hold(self, kind: int, at: int | str, old: bytes | None, new: bytes | None, session: int) -> None:
        """Keep what was written of a row until it is sealed: many are sealed together in half the time of one by one,
        before anything is looked up or taken back."""
        if self._tree is not None:
            self._held.append((kind, at, old, new, session))
            if len(self._held) >= _MOST_HELD:
                self._seal_held()

    def _seal_held(self) -> None:
        """Seal the rows that were written since the last time."""
        if not self._held:
            return
        held, self._held = self._held, []
        pending, counts, hashers, shift = self._pending, self._counts, self._hashers, _KINDS_SHIFT
        for kind, at, old, new, session in held:
            tree = self._tree
            if tree is None:  # a broken row was met, and accepted
                return
            place = place_in_tree(at)
            name, alone = kind << shift | place, kind in _SINGLE_KINDS
            # What this transaction has written itself needs no second look.
            known = alone and name in pending
            plus = minus = NOTHING
            if new is not None:  # as `sealed` does, without a call for each row
                hasher = hashers[kind].copy()
                hasher.update(new)
                plus = hasher.digest()
            if old is not None and not (known and session < 0):
                minus = self.sealed(kind, old)
            try:
                if not alone:
                    plus_here = added(pending.get(name) or tree.get(kind, place), plus, minus)
                elif known or tree.get(kind, place) == minus:
                    plus_here = plus
                else:
                    raise BrokenTreeError(kind, 0, place)
                more = (new is not None) - (old is not None)
                if self._parts:
                    self._log.append((name, pending.get(name), kind, more))
                pending[name] = plus_here
                counts[kind] = counts.get(kind, 0) + more
                if session >= 0:
                    kind, place = PARTS, session
                    name = kind << shift | place
                    seal = added(pending.get(name) or tree.get(kind, place), plus, minus)
                    if self._parts:
                        self._log.append((name, pending.get(name), kind, 0))
                    pending[name] = seal
                    counts.setdefault(kind, 0)
            except BrokenTreeError:
                self._met(SealFault("row", *_row_words(kind, place)))

    def _met(self, fault: SealFault) -> None:
        """A row that is written is not what was sealed."""
        if not self.accepting:
            self._fault = fault
            raise refusal(self.path, [fault])
        self._accepted = (*self._accepted, str(fault))
        self._tree = None

    @property
    def accepted(self) -> tuple[str, ...]:
        """What is wrong with the file, as far as the transaction has met it and went on; () where nothing is."""
        self._seal_held()
        return self._accepted

    @property
    def met(self) -> IntegrityError | None:
        """What the transaction came upon in a row that it wrote; None where that row was sound."""
        return None if self._fault is None else refusal(self.path, [self._fault])

    def mark(self) -> int:
        """A savepoint begins."""
        self._seal_held()
        self._parts += 1
        return len(self._log)

    def release(self, mark: int, *, back: bool) -> None:
        """A savepoint ends; `back` where what was written in it is taken back."""
        if back:
            self._held.clear()
        self._seal_held()
        self._parts -= 1
        if back:
            while len(self._log) > mark:
                name, seal, kind, more = self._log.pop()
                if seal is None:
                    self._pending.pop(name, None)
                else:
                    self._pending[name] = seal
                self._counts[kind] -= more
        if not self._parts:
            self._log.clear()

    def flush(self) -> None:
        """Write the seals of what the transaction has written; before its commit.

        Raises:
            IntegrityError: a row that it wrote was not what had been sealed.
        """
        self._seal_held()
        if self.met is not None:
            raise self.met
        if self._tree is None or not (self._pending or self._fresh):
            return
        try:
            self._write_nodes()
        except BrokenTreeError as fault:
            if not self.accepting:
                table = SEALED.get(fault.kind)
                met = SealFault("row", str(fault), (f"{table.name} {fault.first} to {fault.last}",) if table else ())
                raise refusal(self.path, [met]) from None
            self._accepted = (*self._accepted, str(fault))
            return
        state, key = self._state, self._key
        assert key is not None
        state["count"] += 1
        state["place"] = place_digest(self.place)
        state["pass"] = _newest(self.connection)
        text = _AS_TEXT.encode(state)
        mac = _head_mac(text, self._file_key)
        self.connection.execute("INSERT OR REPLACE INTO seal VALUES (1, ?, ?, ?)", (key.id, text, mac))
        self._written = (key.id, text, mac)
        self._note = Note(state["file"], state["count"], mac, state["pass"][0], key.id)
        if self._fresh and not self._decided:
            # A file that says it has an anchor is never without one, whatever ends this program.
            anchor.make_known(self.place)
            anchor.write(
                self.place, self.anchor_file, self._note._replace(writes=0, head=""), self._file_key, create=True
            )

    def _write_nodes(self) -> None:
        assert self._tree is not None
        by_kind: dict[int, dict[int, bytes]] = {kind: {} for kind in self._counts}
        mask = (1 << _KINDS_SHIFT) - 1
        for name, seal in self._pending.items():
            by_kind.setdefault(name >> _KINDS_SHIFT, {})[name & mask] = seal
        trees = self._state["trees"]
        single = [kind for kind in by_kind if kind in _SINGLE_KINDS]
        # All in one question: each costs more than what it asks.
        lasts = _lasts_sql(["change", *(SEALED[kind].name for kind in single)])
        self._state["change"], *found = self.connection.execute(lasts).fetchone()
        last_of = dict(zip(single, found, strict=True))
        for kind, seals in by_kind.items():
            if seals:
                self._tree.put(kind, seals)
            level, root = self._tree.roots.get(kind, (0, NOTHING))
            _, _, rows, last = trees.get(str(kind), (0, "", 0, 0))
            last = last_of.get(kind, last)
            trees[str(kind)] = [level, root.hex(), rows + self._counts.get(kind, 0), last]
        self._tree.write()

    def end(self, *, committed: bool) -> None:
        """The write transaction has ended; note outside how far the file has come."""
        note = self._note
        if committed and note is not None:
            if self._decided:
                anchor.make_known(self.place)
            noted = anchor.write(self.place, self.anchor_file, note, self._file_key, create=self._decided)
            counted = self._look is not None and self._look.counted
            self._look = None
            if noted and self._written is not None and not (self._fresh or self._decided or self._accepted):
                self._look = _Look(self._begun, self._written, note, counted=counted)
                if self._tree is not None and self._key is not None:
                    self._tree.shrink()
                    self._opened = _Opened(self._written, self._key, self._state, self._tree, self._begun)
            if self._fresh:
                with suppress(OSError):
                    self._older_anchor().unlink()
        self._clear()
        self._writing = False


def refusal(path: Path, faults: Iterable[SealFault]) -> IntegrityError:
    """The error of what is not done to a file that is not what was sealed."""
    told = list(faults)
    words = "; ".join(map(str, told))
    return IntegrityError(f"{path} is not as it was sealed: {words}", [str(fault) for fault in told], WAY_OUT)


def _number(counted: int) -> str:
    return f"{counted:,}" if counted <= COUNTED else f"over {COUNTED:,}"


def _row_words(kind: int, place: int) -> tuple[str, tuple[str, ...]]:
    table = SEALED.get(kind)
    if table is None:
        return f"what is on record of the session with id {place} was changed behind graphdream's back", ()
    row = f"{table.name} {place}" if table.single else table.name
    return f"{row} was changed behind graphdream's back", (row,)


def _lasts_sql(tables: Iterable[str]) -> str:
    """SQL of the last id of each table, in one row."""
    return "SELECT " + ", ".join(f"(SELECT coalesce(max(id), 0) FROM {table})" for table in tables)


def _newest(connection: sqlite3.Connection) -> list[Any]:
    row = connection.execute("SELECT id, chain FROM pass ORDER BY id DESC LIMIT 1").fetchone()
    return list(row) if row else [0, ""]


def _passes_words(found: list[Any], sealed: list[Any]) -> str:
    if found[0] > sealed[0]:
        return f"pass {found[0]} was written by something else: the last that was sealed is pass {sealed[0]}"
    if found[0] < sealed[0]:
        return f"the journal ends with pass {found[0]}, but pass {sealed[0]} was sealed: its end was cut off"
    return f"pass {found[0]} is not the one that was sealed"


def _roots(state: Mapping[str, Any]) -> dict[int, tuple[int, bytes]]:
    return {int(kind): (level, bytes.fromhex(root)) for kind, (level, root, *_) in state["trees"].items()}


def _head_mac(text: str, file_key: bytes) -> str:
    return blake2b(text.encode(), key=file_key, digest_size=32, person=b"gd head").hexdigest()
