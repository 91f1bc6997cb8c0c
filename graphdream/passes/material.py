"""What passes read and how they show it: what is new, sessions as they were spoken, words and specifics of texts."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from graphdream.events.observed import Observed
from graphdream.facts.words import FUNCTION_WORDS
from graphdream.language.lexicon import (
    capitalises_nouns,
    has_dictionary,
    is_compound,
    is_inflected,
    language_of,
    written,
)
from graphdream.mutations.specifics import tokens

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.!?\n]+")
_CUT = " […]"
_FRAME = 40  # characters around a turn: its speaker, its session's head


def newest_change(connection: sqlite3.Connection, own: str, *, settled: str = "") -> int:
    """The newest pass that changed the graph, but for this pass's own, for what only weighed, and for what a person
    took back, which is no news. 0 before the first.

    Args:
        settled: passes of a cycle count only where they began before this stamp.
    """
    row = connection.execute(
        "SELECT id FROM pass WHERE status = 'applied' AND last_change >= first_change AND kind NOT IN ('undo',"
        " 'unmerge') AND NOT (kind = 'cycle' AND (mode = ?1 OR coalesce(json_extract(options, '$.news'), 1) = 0"
        " OR (?2 <> '' AND started_at >= ?2))) ORDER BY id DESC LIMIT 1",
        (own, settled),
    ).fetchone()
    return int(row[0]) if row else 0


class Turn(NamedTuple):
    """A turn as a pass reads it."""

    id: int
    session: str
    speaker: str
    content: str
    at: str


def turns_after(connection: sqlite3.Connection, after: int, *, chars: int, most: int = 4_000) -> list[Turn]:
    """Turns that were recorded behind an id, in the order recorded, as far as there is room; the rest is left for the
    next time, from the first turn of a session on where one ends within the room. Sessions that a dream recorded of
    itself are none."""
    rows = connection.execute(
        "SELECT turn.id, session.key, speaker, content, coalesce(said_at, ended_at, started_at, recorded_at)"
        " FROM turn JOIN session ON session.id = session_id WHERE turn.id > ? AND session.kind = 'session'"
        " ORDER BY turn.id LIMIT ?",
        (after, most),
    ).fetchall()
    turns = [Turn(*row) for row in rows]
    used, ends = 0, 0
    for place, turn in enumerate(turns):
        if place and turn.session != turns[place - 1].session:
            ends = place
        used += len(turn.content) + len(turn.speaker) + _FRAME
        if used > chars and place:
            return turns[: ends or place]
    return turns


def newest_turn(connection: sqlite3.Connection) -> int:
    """Id of the newest turn; 0 where there is none."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM turn").fetchone()[0])


def by_session(turns: Iterable[Turn]) -> dict[str, list[Turn]]:
    """Turns of each session, in order."""
    grouped: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:
        grouped[turn.session].append(turn)
    return dict(grouped)


def shown_sessions(turns: Iterable[Turn], *, chars: int) -> str:
    """Sessions as text; a turn that is longer than all the room is shown in part."""
    return "\n\n".join(
        "\n".join(
            [
                f"session {key}, {said[0].at[:10]}",
                *(f"[{one.speaker or '?'}] {cut(one.content, chars)}" for one in said),
            ]
        )
        for key, said in by_session(turns).items()
    )


def feedback_lines(events: Sequence[Observed]) -> str:
    """Feedback as text, one line each."""
    return "\n".join(
        " ".join(filter(None, (
            f"{event.name}, session {event.session or '?'}, {event.at[:10]}:", event.text("content"),
            event.text("detail"), f"(skill {event.text('skill')})" if event.text("skill") else "",
        )))
        for event in events
    )  # fmt: skip


def cut(text: str, most: int) -> str:
    """A text in so many characters; where it is longer, a mark says so."""
    return text if len(text) <= most else text[:most] + _CUT


def words(text: str) -> frozenset[str]:
    """The words of a text, folded."""
    return frozenset(_WORD.findall(text.casefold()))


def likeness(one: str, other: str) -> float:
    """Share of the words of two texts that both have, 0..1 (Jaccard)."""
    first, second = words(one), words(other)
    return len(first & second) / len(first | second) if first | second else 0.0


def ungrounded(text: str, material: str) -> list[str]:
    """The specifics of a text that the material does not say: names within a sentence, numbers, dates, addresses."""
    known = {token.text for piece in _pieces(material) for token in tokens(piece)}
    missing = {
        token.text
        for piece in _pieces(text)
        for token in tokens(piece)
        if (token.kind in ("number", "date", "time", "url", "id") or (token.kind == "word" and token.proper))
        and token.text not in known
    }
    return sorted(missing | _new_heads(text, material))


def _new_heads(text: str, material: str) -> set[str]:
    """Names at the heads of sentences, where a capital says nothing: words that the material has not, and that no
    dictionary of the language knows as a plain word. Where the language is not known, none."""
    said = words(material)
    heads = {
        found[0]
        for sentence in _SENTENCE.findall(text)
        if (found := _WORD.findall(sentence)) and found[0][:1].isupper() and found[0].casefold() not in said
    }
    heads = {head for head in heads if len(head) > 1 and head.isalpha() and head.casefold() not in FUNCTION_WORDS}
    if not heads:
        return set()
    language = language_of(text) or language_of(material[:2_000])
    if language is None or not has_dictionary(language):
        return set()
    return {head for head in heads if not _is_plain(head, language)}


def _is_plain(word: str, language: str) -> bool:
    how = written(word, language)
    if how in ("lower", "both") or (how == "proper" and capitalises_nouns(language)):
        return True
    return how == "absent" and (is_inflected(word, language) or is_compound(word, language))


def _pieces(text: str) -> Iterable[str]:
    for line in text.split("\n"):
        for start in range(0, len(line) or 1, 3_500):
            yield line[start : start + 3_500]


def recurring_terms(first_words: Sequence[str], *, sessions: int, most: int, chars: int) -> list[tuple[str, int]]:
    """Terms in the first words of several sessions, with how many, most first.

    Source: the gap detection of RockBot: split at blanks and punctuation, terms of four letters and more, distinct in
    each session. Scripts without blanks are cut into pairs of signs, which are their terms.
    """
    counted: Counter[str] = Counter()
    for text in first_words:
        counted.update({term for word in _WORD.findall(text.casefold()) for term in _terms(word, chars)})
    found = [(term, number) for term, number in counted.items() if number >= sessions]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:most]


def _terms(word: str, chars: int) -> Iterable[str]:
    if any(sign >= "\u0e00" and not sign.isascii() for sign in word):
        return (word[place : place + 2] for place in range(len(word) - 1))
    return (word,) if len(word) >= chars else ()
