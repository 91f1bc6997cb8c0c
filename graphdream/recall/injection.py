"""What a prompt is given: the constraints, what is relevant and new to the session, and what lies in working memory.

The text depends on nothing but what it shows: no scores, no ages, no clock. The same memory gives the same bytes, so a
provider's prompt cache holds.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.errors import IntegrityError, UnwritableError, UsageError
from graphdream.events.patience import a_hooks_patience
from graphdream.events.spool import FACTS
from graphdream.events.transcripts import storable
from graphdream.graph.categories import Place, category_of
from graphdream.graph.names import canonical_text
from graphdream.graph.sealed import BY_NAME
from graphdream.graph.sealread import unsound_texts
from graphdream.graph.served import left_out_words, sound, unsound
from graphdream.graph.store import Store
from graphdream.observed import note, observing
from graphdream.recall.facts import TOLD
from graphdream.recall.hit import Hit
from graphdream.recall.justtold import JustTold, just_told, placed
from graphdream.recall.question import has_subject
from graphdream.recall.search import MAX_RESULTS, recall
from graphdream.shown import printable

# Source: the memory subsystem of RockBot, an agent framework: eight at a turn, five where nothing matches.
TOP = 8
FALLBACK = 5
REPLAYED = 20  # turns of a conversation that goes on after its host was started anew; the same source
# Of the best hit's score; what has less is another matter. So a message that comes again is not answered ever worse.
FLOOR = 0.5
# Of what a message's words weigh together: where the best hit has less, memory hardly speaks of it, as in small talk:
# `FEW` lines. On the demo's graph, greetings and thanks reached 0.3 to 0.42, questions 0.9 to 1.5.
MET = 0.5
FEW = 2
DEFAULT_BUDGET_TOKENS = 1_500
CHARS_PER_TOKEN = 4  # as the estimate of graphdream/events/tokens.py; the exact count would load a tokenizer each turn
_MOST_SHOWN = 5_000  # lines that sessions were shown, of which all have to be read to know of one session
_MAX_LINE_CHARS = 1_200  # a turn as long as a document is shown by its beginning

_DAMAGED = "Warning, for the user to know (the memory was changed behind graphdream's back; graphdream verify):"
_CONSTRAINTS = "Constraints (these always hold):"
_JUST_TOLD = "Told a moment ago:"
_RECALLED = "Recalled from long-term memory (relevant to this message):"
_FALLBACK = "From long-term memory (nothing matched this message; what matters most):"
_SAID = "Earlier in this conversation (its last turns, oldest first):"
_WORKING = "Working memory (scratch space; read an entry by its key):"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the injected text: what it shows and why it is there.

    Attributes:
        handle: of the fact or turn; "" for a note, a warning, or a fact that has none yet.
        tokens: of the line, estimated.
        score: of what was recalled, higher is better; 0 for the rest.
        reason: "warning", "constraint", "told just now", "recalled", "fallback", "working memory" or "conversation".
        beside: handles of further turns on the line; of a fact that has no handle yet, the name by which it waits.
    """

    handle: str
    line: str
    tokens: int
    reason: str
    score: float = 0.0
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Injection:
    """What a prompt is given.

    Attributes:
        text: exactly what to inject; "" where there is nothing.
        tokens: of the text, estimated.
        left_out: handles that the budget had no room for, best first.
        turn: the how-manieth prompt of the session this is, from 1.
        unmarked: handles that should have been marked as seen, and could not, because another program kept writing; for
            the caller to put off (`graphdream.dream.later`). None where nothing is left to do.
    """

    text: str
    tokens: int
    turn: int
    entries: tuple[Entry, ...]
    left_out: tuple[str, ...] = field(default=())
    unmarked: tuple[str, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """The injection as plain data."""
        return {
            "text": self.text,
            "tokens": self.tokens,
            "turn": self.turn,
            "entries": [
                {"handle": entry.handle, "reason": entry.reason, "tokens": entry.tokens, "score": round(entry.score, 4)}
                for entry in self.entries
            ],
            "left_out": list(self.left_out),
        }


def estimated_tokens(text: str) -> int:
    """Tokens of a text, estimated and rounded up."""
    return -(-len(text) // CHARS_PER_TOKEN)


@observing("context")
def context(
    store: Store,
    session: str,
    message: str,
    *,
    budget_tokens: int = DEFAULT_BUDGET_TOKENS,
    working: Sequence[str] = (),
    turns: int = 0,
    mark: bool = True,
    count: Callable[[str], int] = estimated_tokens,
    clock: Clock = utc_now,
) -> Injection:
    """What to inject into the next prompt of a session.

    Args:
        store: the agent's file.
        session: the host's own id of the session.
        message: what the user says in it.
        budget_tokens: of the whole text. What has no room is named in `left_out`; it is offered again next time.
        working: the inventory of working memory, a line each (graphdream.views.working).
        turns: how many of the session's own last turns come along, as far as they are on record; for a host whose
            prompt does not hold the conversation any more. They come last, and the latest have room first.
        mark: remember that the session has seen it, unless another program writes for longer than a hook waits. A
            preview does not.
        count: tokens of a text.
        clock: gives the time.

    Returns:
        Constraints always, those of the matter first; then what was told a moment ago and is not in its place yet, the
        newest eight; then the best eight that the session has not seen and that are at
        least half as good as the very best, two where these hardly meet the message; or, on its first turn and where
        nothing matches or the message is about nothing (`hi`), the five facts that matter most; then the inventory.

    Raises:
        UsageError: the session is blank, the budget is below 1, or the number of turns below 0.
    """
    if not session.strip():
        raise UsageError("the session has no name", "give the host's own id of it")
    session = storable(session)
    if budget_tokens < 1:
        raise UsageError(f"the budget is {budget_tokens} tokens; it should be at least 1")
    if turns < 0:
        raise UsageError(f"there are no {turns} turns", "give a number of turns from 0 on")
    asked = _Asked(session, message, budget_tokens, working, turns, count)
    injection = _injection(store, asked)
    if mark:
        injection = _marked(store, asked, injection, clock())
    note(tokens=injection.tokens, entries=len(injection.entries), content={"question": message})
    return injection


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a prompt is to be given something for; see `context`."""

    session: str
    message: str
    budget_tokens: int
    working: Sequence[str]
    turns: int
    count: Callable[[str], int]


def _injection(store: Store, asked: _Asked) -> Injection:
    """What the session is given as far as it has been shown things by now."""
    session, message, count = asked.session, asked.message, asked.count
    damage = [f"- {fault}" for fault in store.seal.faults()]
    with store.reading():
        said = sound(store, _last_turns(store.connection, session, asked.turns), lambda line: line[:1])
        turn, seen = _seen(store, session)
        depth = min(MAX_RESULTS, 2 * TOP + len(seen))
        found = recall(store, message, k=depth, explain=True)
        standing = _constraints(store.connection, [hit.handle for hit in found])
        always = sound(store, standing, lambda line: line[:1])
        unsound(store, _constraints_of_nobody(store.connection))
        about = found if has_subject(message) else []
        hits = [hit for hit in about if hit.kind == "fact" or hit.session != session]
        chosen, heading = _chosen(store, hits, seen | {entry[0] for entry in always}, first=turn == 1)
    if words := left_out_words(store):
        damage.append(f"- {words}")
    room = _Room(asked.budget_tokens, count)
    room.section(_DAMAGED, [Entry("", line, count(line), "warning") for line in damage])
    room.section(_CONSTRAINTS, [Entry(handle, line, count(line), "constraint") for handle, line in always])
    told = just_told(store, seen=seen, most=TOP)
    shown = {canonical_text(hit.text) for hit in chosen}
    room.section(_JUST_TOLD, [_told_entry(one, count) for one in told if canonical_text(one.text) not in shown])
    reason = "recalled" if heading == _RECALLED else "fallback"
    room.section(heading, [_entry(hit, count, reason) for hit in chosen])
    room.section(
        _WORKING,
        [Entry("", line, count(line), "working memory") for line in (f"- {printable(one)}" for one in asked.working)],
    )
    room.latest(_SAID, [Entry(handle, line, count(line), "conversation") for handle, line in said])
    return room.injection(turn)


class _Room:
    """A text that grows section by section as long as its budget lasts; nothing is cut in the middle."""

    def __init__(self, budget: int, count: Callable[[str], int]) -> None:
        self._budget, self._count = budget, count
        self._lines: list[str] = []
        self._entries: list[Entry] = []
        self._left_out: list[str] = []

    def section(self, heading: str, entries: Sequence[Entry]) -> None:
        """Add what fits of a section; later entries may still fit where an earlier one did not."""
        opened = False
        for entry in entries:
            added = [entry.line] if opened else [heading, entry.line]
            if self._count("\n".join([*self._lines, *added])) <= self._budget:
                self._lines += added
                self._entries.append(entry)
                opened = True
            elif entry.handle:
                self._left_out.append(entry.handle)

    def latest(self, heading: str, entries: Sequence[Entry]) -> None:
        """Add the last of the entries, as many as fit one after another."""
        first = len(entries)
        while first and self._count("\n".join([*self._lines, heading, *_lines(entries[first - 1 :])])) <= self._budget:
            first -= 1
        self._lines += [heading, *_lines(entries[first:])] if first < len(entries) else []
        self._entries += entries[first:]
        self._left_out += [entry.handle for entry in reversed(entries[:first])]

    def injection(self, turn: int) -> Injection:
        """What has been added."""
        text = "\n".join(self._lines)
        return Injection(text, self._count(text), turn, tuple(self._entries), tuple(self._left_out))


def _lines(entries: Sequence[Entry]) -> list[str]:
    return [entry.line for entry in entries]


def _last_turns(connection: sqlite3.Connection, session: str, most: int) -> list[tuple[str, str]]:
    """Handle and line of the last turns of a session, oldest first."""
    rows = connection.execute(
        "SELECT turn.id, speaker, content FROM turn JOIN session ON session.id = session_id WHERE key = ?"
        " ORDER BY position DESC LIMIT ?",
        (session, most),
    ).fetchall()
    return [
        (f"t{row[0]}", f"- [t{row[0]}] {printable(row[1] or 'somebody')}: {_short(row[2])}") for row in reversed(rows)
    ]


def _seen(store: Store, session: str) -> tuple[int, set[str]]:
    """Number of the session's next prompt, and what it was shown before, of what waited then also what it became;
    nothing, where somebody else wrote that."""
    rows = store.connection.execute("SELECT handle, turn FROM injected WHERE session_key = ?", (session,)).fetchall()
    table = BY_NAME["injected"]
    if rows and store.seal.rows_of(table.kind) <= _MOST_SHOWN and unsound_texts(store.seal, table, [session]):
        store.seal.left_out.add("injected")
        return 1, set()
    seen = {row[0] for row in rows if row[0]}
    became = placed(store, {name for name in seen if name.endswith(FACTS)})
    return 1 + max((row[1] for row in rows), default=0), seen | became


def _constraints(connection: sqlite3.Connection, found: Sequence[str]) -> list[tuple[str, str]]:
    """Every constraint: those that were found for the message as they were found, then the others by importance."""
    rank = {handle: at for at, handle in enumerate(found)}
    rows = connection.execute(
        "SELECT attribute.id, entity.type, entity.name, aspect.name, attribute.content, attribute.authority"
        " FROM attribute JOIN aspect ON aspect.id = attribute.aspect_id JOIN entity ON entity.id = aspect.entity_id"
        " WHERE attribute.kind = 'constraint' AND attribute.status = 'active' AND entity.status = 'active'"
        " ORDER BY attribute.importance DESC, attribute.id"
    )
    lines = [(f"a{row[0]}", _fact_line(f"a{row[0]}", category_of(Place(*row[1:4])), row[4], row[5])) for row in rows]
    return sorted(lines, key=lambda line: rank.get(line[0], len(rank)))


def _constraints_of_nobody(connection: sqlite3.Connection) -> list[str]:
    """Constraints of an entity that was put aside, or is not there: of a few a row says so that was forged."""
    rows = connection.execute(
        "SELECT attribute.id FROM attribute LEFT JOIN aspect ON aspect.id = attribute.aspect_id"
        " LEFT JOIN entity ON entity.id = aspect.entity_id WHERE attribute.kind = 'constraint'"
        " AND attribute.status = 'active' AND entity.status IS NOT 'active'"
    )
    return [f"a{row[0]}" for row in rows]


def _chosen(store: Store, hits: Sequence[Hit], seen: set[str], *, first: bool) -> tuple[list[Hit], str]:
    """The best that the session has not seen, as long as it is about the matter."""
    if not hits:
        matters = sound(store, _what_matters(store.connection, seen), lambda hit: (hit.handle,)) if first else []
        return (matters, _FALLBACK) if first else ([], _RECALLED)
    best = max(hit.score for hit in hits)
    most = TOP if best >= MET * sum(hits[0].details["terms"].values()) else FEW
    near = [hit for hit in hits if hit.score >= FLOOR * best]
    # Seen or not, few stay few: small talk at every turn must not empty the memory into the prompt by and by.
    near = near if most == TOP else near[:most]
    return [hit for hit in near if not seen.issuperset((hit.handle, *hit.beside))][:most], _RECALLED


def _what_matters(connection: sqlite3.Connection, seen: set[str]) -> list[Hit]:
    rows = connection.execute(
        "SELECT attribute.id, entity.type, entity.name, aspect.name, attribute.content, attribute.importance,"
        " coalesce(attribute.first_seen, ''), attribute.authority"
        " FROM attribute JOIN aspect ON aspect.id = attribute.aspect_id JOIN entity ON entity.id = aspect.entity_id"
        " WHERE attribute.status = 'active' AND entity.status = 'active'"
        " ORDER BY attribute.authority <> 'user', attribute.importance DESC, attribute.reinforcement DESC,"
        " attribute.last_seen DESC, attribute.id LIMIT ?",
        (FALLBACK + len(seen),),
    ).fetchall()
    hits = [
        Hit(
            "fact",
            f"a{row[0]}",
            row[4],
            category_of(Place(*row[1:4])),
            row[5],
            {"importance": row[5]},
            row[6],
            "",
            authority=row[7],
        )
        for row in rows
    ]
    return [hit for hit in hits if hit.handle not in seen][:FALLBACK]


def _entry(hit: Hit, count: Callable[[str], int], reason: str) -> Entry:
    line = _line(hit)
    return Entry(hit.handle, line, count(line), reason, hit.score, hit.beside)


def _told_entry(told: JustTold, count: Callable[[str], int]) -> Entry:
    where = "; ".join(part for part in (told.category, "" if told.by == TOLD else "observed") if part)
    line = f"- ({printable(where)}): {_short(told.text)}" if where else f"- {_short(told.text)}"
    return Entry("", line, count(line), "told just now", beside=(told.call,))


def _line(hit: Hit) -> str:
    if hit.kind == "fact":
        line = _fact_line(hit.handle, hit.category, hit.text, hit.authority)
        return line + "".join(f" (contradicted by [{other.handle}]: {_short(other.text)})" for other in hit.contradicts)
    who = hit.speaker or hit.session
    return f"- [{hit.handle}] ({printable(who)}, {hit.time[:10]}): {_short(hit.text)}"


def _fact_line(handle: str, category: str, text: str, authority: str) -> str:
    """A fact; what the user did not say in person is marked as what it is."""
    mark = "" if authority == TOLD else f"; {authority}"
    return f"- [{handle}] ({printable(category)}{mark}): {_short(text)}"


def _short(text: str) -> str:
    """One line of a text: what is remembered must not look like a line of the prompt's own."""
    line = " ".join(text.split())
    return printable(line if len(line) <= _MAX_LINE_CHARS else line[:_MAX_LINE_CHARS].rstrip() + " ...")


def mark_shown(store: Store, session: str, injection: Injection, now: str) -> None:
    """Note what a session has seen now; a prompt that was shown nothing counts as a turn as well.

    For a host that must not wait for whoever writes: the text first, with `mark=False`, then this.
    """
    mark_seen(store, storable(session), injection.turn, _shown(injection), now)


def _marked(store: Store, asked: _Asked, injection: Injection, now: str) -> Injection:
    """Note what the session has seen now, unless another program writes for longer than a hook waits. Where another
    prompt of the session was given something meanwhile, it is chosen once more, while nobody else can be."""
    try:
        with a_hooks_patience(store), store.joining():
            if _seen(store, asked.session)[0] != injection.turn:
                injection = _injection(store, asked)
            mark_shown(store, asked.session, injection, now)
    except (UnwritableError, IntegrityError):
        return replace(injection, unmarked=_shown(injection))
    except sqlite3.OperationalError as fault:
        if "locked" not in str(fault):
            raise
        return replace(injection, unmarked=_shown(injection))
    return injection


def _shown(injection: Injection) -> tuple[str, ...]:
    """Handles of what is new to a session in a text."""
    ever = ("constraint", "conversation")  # given again at every turn
    shown = [entry for entry in injection.entries if entry.reason not in ever]
    return tuple(dict.fromkeys(handle for entry in shown for handle in (entry.handle, *entry.beside) if handle))


def mark_seen(store: Store, session: str, turn: int, handles: Sequence[str], now: str) -> None:
    """Note the handles that a session was shown at a turn."""
    with store.joining():
        store.connection.executemany(
            "INSERT INTO injected VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET turn = max(turn, excluded.turn)",
            [(session, handle, turn, now) for handle in ["", *handles]],
        )
