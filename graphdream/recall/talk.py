"""Ranking what was said: turns of conversations, each read together with the talk around it.

In a chat the answer to a question seldom repeats its words ("Which books?" - "Mostly fantasy"), so a short turn is also
found by what its neighbours and its session say. Between messages as long as documents that would be noise; how far it
applies is read off the length of the session's turns.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from graphdream.graph.talkshape import session_figures, talk_figures
from graphdream.recall.answers import tells
from graphdream.recall.inquiry import Inquiry
from graphdream.recall.postings import Matches, rarity
from graphdream.recall.question import USER_ROLES, Question
from graphdream.recall.strength import add_strength, strongest
from graphdream.recall.when import within

# All weights were set together on the development halves of LoCoMo and BEAM, round figures on broad plateaus; the
# table in docs/recall.md gives what each is worth. Lengths are in characters, so that they mean the same in a script
# without blanks.
K1 = 1.0  # BM25: how fast a repeated word stops counting
B = 0.75  # BM25: how far a long document is discounted
FROM_PREVIOUS = 0.85  # what a word in the turn before is worth
FROM_QUESTION = 1.0  # ... where that turn asks something
FROM_NEXT = 0.4
FADE = 0.6  # of both, with each further turn
REACH = 3  # turns after the one that says it, and
REACH_BACK = 2  # turns before it
FROM_SESSION = 0.4
BOTH = 0.1  # extra where a word is in the turn and around it
BY_SPEAKER = 0.4  # the turn is by the one the question names
BY_USER = 0.5  # the user asks what the user said
IN_WINDOW = 0.4  # said in the time the question names
NEWEST = 0.15
MEANING = 0.2  # near in meaning, where there are vectors
CHAT_CHARS = 320  # a mean turn of a chat; from here the neighbours' say fades ...
LETTER_CHARS = 1_000  # ... to nothing
GIVER_CHARS = 1_000  # a longer turn says too much to vouch for its neighbours

_MAX_HITS = 200  # turns whose own words are looked at closely
_MAX_GIVERS = 100  # ... and of those, turns that speak for their neighbours
_MAX_CANDIDATES = 100  # turns whose speaker and time are looked at
_MADE_UP_FOR = 10  # places that are looked at together to make up for others
_SPARE = 20  # turns whose text is read beyond those wanted

_PARTS = ("words", "neighbours", "session", "facts", "meaning")
_SHARES = [
    *((step, FROM_PREVIOUS * FADE ** (step - 1)) for step in range(1, REACH + 1)),
    *((-step, FROM_NEXT * FADE ** (step - 1)) for step in range(1, REACH_BACK + 1)),
]
_SHARES_OF_QUESTION = [(1, FROM_QUESTION), *((step, share) for step, share in _SHARES if step != 1)]


@dataclass(frozen=True, slots=True)
class Said:
    """A turn that was found.

    Attributes:
        id: its row.
        uid: the transcript's own id of it, "" without one.
        session: key of its session.
        place: its session and position.
        score: higher is better; comparable with that of facts for the same question.
        own: the score that it would have without facts.
        parts: what the score is made of.
    """

    id: int
    uid: str
    session: str
    speaker: str
    content: str
    time: str
    place: int
    score: float
    own: float
    parts: Mapping[str, float]


# A place in the talk: a session and a position in it in one number, because hundreds are added to and compared.
_Place = int
_POSITIONS = 1 << 32
_Strengths = dict[_Place, dict[int, float]]  # how strongly each term is said at a place


class _Shape(NamedTuple):
    place: _Place
    session: int
    chars: int
    asks: int
    spoken: int
    chatty: float  # 0..1: how far the talk around a turn speaks for it


@dataclass(slots=True)
class _Candidate:
    place: _Place
    id: int
    uid: str
    session: str
    speaker: str
    time: str
    parts: dict[str, float]

    @property
    def score(self) -> float:
        return sum(self.parts.values())

    @property
    def own(self) -> float:
        return self.score - self.parts["facts"]


def rank_talk(
    connection: sqlite3.Connection,
    inquiry: Inquiry,
    matches: Matches,
    *,
    lifts: Mapping[int, float] | None = None,
    meaning: Mapping[int, float] | None = None,
) -> list[Said]:
    """Rank the turns that a question finds; more than are wanted, because facts may take the place of some.

    Args:
        connection: any connection to the file.
        inquiry: the question, weighed by the talk alone (`Inquiry.within`): what a dream adds to the graph changes no
            turn's own score. As of a moment, what was said later is left out.
        matches: what the turns' index holds of its terms.
        lifts: turn id -> what the facts that rest on it lend it.
        meaning: turns near to it in meaning, with a share of 0 to 1.

    Returns:
        The best turns, with what facts lend and without, best first; among equals the newest, then the one recorded
        first.
    """
    question, mass, limit = inquiry.question, inquiry.mass, inquiry.limit
    lifts = lifts or {}
    near = {turn: MEANING * mass * share for turn, share in (meaning or {}).items()}
    strongest_turns = _strongest(matches, inquiry.weights, near.keys())
    shapes = _shapes(connection, sorted(strongest_turns | lifts.keys()))
    if not shapes:
        return []
    # Turns that only facts speak for are no part of the talk that turns are compared with.
    found_shapes = {turn: shape for turn, shape in shapes.items() if turn in strongest_turns} if lifts else shapes
    lifted = {shapes[turn].place: lift for turn, lift in lifts.items() if turn in shapes}
    places = _Places(connection, inquiry, matches, found_shapes, lifted, near)
    chatty = {shape.session: shape.chatty for shape in shapes.values()}
    wanted = 2 * limit + _SPARE
    best = places.best(max(_MAX_CANDIDATES, 3 * limit))
    # Who said it and when may bring turns forward; where neither is asked about, the order stands, and only the places
    # without a turn have to be made up for.
    candidates: list[_Candidate] = []
    turn_at = {shape.place: turn for turn, shape in shapes.items()}
    looked_at = 0
    first_look = len(best) if lifted or inquiry.as_of or _has_circumstances(question) else wanted
    while looked_at < len(best) and len(candidates) < wanted:
        further = best[looked_at : looked_at + max(_MADE_UP_FOR, first_look - len(candidates))]
        found_there = _candidates(connection, places, further)
        candidates += found_there
        looked_at += len(further)
        met = {turn.id for turn in found_there}
        missing = {turn_at[place] for place in further if place in turn_at} - met
        inquiry.passed_over.update(f"t{turn}" for turn in missing)
    if inquiry.as_of:
        inquiry.passed_over.update(f"t{turn.id}" for turn in candidates if turn.time > inquiry.as_of)
        candidates = [turn for turn in candidates if turn.time <= inquiry.as_of]
    _add_circumstances(candidates, question, mass)
    candidates = _foremost(candidates, wanted, lent=bool(lifted))
    texts = _texts(connection, candidates)
    found = []
    for turn in sorted(candidates, key=lambda turn: turn.id):
        if share := chatty[turn.place // _POSITIONS]:
            turn.parts["tells"] = mass * share * tells(question, texts[turn.id])
        parts = {name: value for name, value in turn.parts.items() if value}
        found.append(
            Said(
                turn.id, turn.uid, turn.session, turn.speaker, texts[turn.id], turn.time, turn.place, turn.score,
                turn.own, parts,
            )
        )  # fmt: skip
    return sorted(found, key=lambda turn: (turn.score, turn.time), reverse=True)


def _strongest(matches: Matches, weights: Sequence[float], others: Set[int]) -> set[int]:
    """The turns whose own words fit best, and some others that are known to fit."""
    strength: dict[int, float] = {}
    add_strength(strength, weights, matches.found)
    return {*strongest(strength, _MAX_HITS), *others}


def _foremost(candidates: Sequence[_Candidate], wanted: int, *, lent: bool) -> list[_Candidate]:
    """The best turns with what facts lend, and the best without."""
    best = sorted(candidates, key=lambda turn: -turn.score)[:wanted]
    if not lent:
        return best
    taken = {turn.id for turn in best}
    by_themselves = sorted(candidates, key=lambda turn: -turn.own)[:wanted]
    return best + [turn for turn in by_themselves if turn.id not in taken]


def _shapes(connection: sqlite3.Connection, turns: Sequence[int]) -> dict[int, _Shape]:
    """What ranking needs to know of turns: of each from its own row, which is sealed, and how the session talks that it
    is of from its figures, which are not, as long as they can be right."""
    rows = connection.execute(
        f"SELECT turn.id, turn.session_id * {_POSITIONS} + position, turn.session_id, length(content),"
        " instr(content, '?') > 0, speaker <> '', session_shape.turns, session_shape.chars"
        " FROM json_each(?) JOIN turn ON turn.id = json_each.value"
        " LEFT JOIN session_shape ON session_shape.session_id = turn.session_id",
        (json.dumps(turns),),
    ).fetchall()
    least: dict[int, list[int]] = {}
    for row in rows:
        found = least.setdefault(row[2], [0, 0])
        found[0], found[1] = found[0] + 1, found[1] + row[3]
    figures = {row[2]: (row[6] or 0, row[7] or 0) for row in rows}
    for session, (count, chars) in least.items():
        if figures[session][0] < count or figures[session][1] < chars:
            figures[session] = session_figures(connection, session)
    return {row[0]: _Shape._make((*row[1:6], row[5] * _chatty(*figures[row[2]]))) for row in rows}


def _chatty(turns: int, chars: int) -> float:
    """How far the talk of a session speaks for a turn in it, 0..1."""
    return min(1.0, max(0.0, (LETTER_CHARS - chars // turns) / (LETTER_CHARS - CHAT_CHARS)))


class _Places:
    """What speaks for each place of the talk that the turns found are at, or are near to.

    A place may turn out to have no turn: one before the first, say.
    """

    def __init__(
        self, connection: sqlite3.Connection, inquiry: Inquiry, matches: Matches,
        shapes: Mapping[int, _Shape], lifted: Mapping[_Place, float], near: Mapping[int, float],
    ) -> None:  # fmt: skip
        said = [[(shapes[turn], found[turn]) for turn in found.keys() & shapes.keys()] for found in matches.found]
        own = _own(connection, inquiry.weights, said)
        self._own = {place: sum(terms.values()) for place, terms in own.items()}
        self._talk = _from_neighbours(own, self._own, {shape.place: shape for shape in shapes.values()})
        self._fits = _session_fits(connection, said, FROM_SESSION * inquiry.scale)
        self._lifted = lifted
        self._meant = {shapes[turn].place: share for turn, share in near.items() if turn in shapes}

    def score(self, place: _Place) -> tuple[float, float, float, float, float]:
        """What speaks for a place, in the order of `_PARTS`."""
        return (
            self._own.get(place, 0.0), self._talk.get(place, 0.0),
            self._fits.get(place // _POSITIONS, 0.0), self._lifted.get(place, 0.0),
            self._meant.get(place, 0.0),
        )  # fmt: skip

    def best(self, number: int) -> list[_Place]:
        """The places for which most speaks, with what facts lend and without."""
        fits, own, meant = self._fits, self._own, self._meant
        totals = {
            place: own.get(place, 0.0) + share + fits.get(place // _POSITIONS, 0.0)
            for place, share in self._talk.items()
        }
        for place, share in own.items():
            if place not in totals:
                totals[place] = share + fits.get(place // _POSITIONS, 0.0)
        for place, share in meant.items():
            totals[place] = totals.get(place, fits.get(place // _POSITIONS, 0.0)) + share
        by_themselves = strongest(totals, number)
        if not self._lifted:
            return by_themselves
        for place, lift in self._lifted.items():
            totals[place] = totals.get(place, fits.get(place // _POSITIONS, 0.0)) + lift
        return list(dict.fromkeys([*strongest(totals, number), *by_themselves]))


def _own(
    connection: sqlite3.Connection, weights: Sequence[float], said: Sequence[Sequence[tuple[_Shape, float]]]
) -> _Strengths:
    """How strongly each turn says each term itself, weighted.

    Args:
        said: for each term the turns that say it, with how often.
    """
    turns, chars, _ = talk_figures(connection)
    mean = max(1.0, chars / max(1, turns))
    own: _Strengths = {}
    for term, (weight, found) in enumerate(zip(weights, said, strict=True)):
        for shape, times in found:
            strength = weight * times * (K1 + 1) / (times + K1 * (1 - B + B * shape.chars / mean))
            own.setdefault(shape.place, {})[term] = strength
    return own


def _from_neighbours(
    own: _Strengths, totals: Mapping[_Place, float], shape_at: Mapping[_Place, _Shape]
) -> dict[_Place, float]:
    """How strongly the talk around each place says the question's terms, beyond what the turn there says itself."""
    around: dict[int, dict[_Place, float]] = {}
    for place in sorted(own, key=lambda place: (totals[place], place), reverse=True)[:_MAX_GIVERS]:
        shape = shape_at[place]
        gives = shape.chatty * (1 - shape.chars / GIVER_CHARS)
        if gives <= 0:
            continue
        shares = [(place + step, gives * share) for step, share in (_SHARES_OF_QUESTION if shape.asks else _SHARES)]
        for term, strength in own[place].items():
            near = around.setdefault(term, {})
            for at, share in shares:
                given = strength * share
                if near.get(at, 0.0) < given:
                    near[at] = given
    talk: dict[_Place, float] = {}
    nothing: dict[int, float] = {}
    for term in sorted(around):
        for at, given in around[term].items():
            if (itself := own.get(at, nothing).get(term)) is not None:
                given -= min(itself, given) * (1 - BOTH)  # what the turn says itself, its neighbours add little to
            talk[at] = talk.get(at, 0.0) + given
    return talk


def _session_fits(
    connection: sqlite3.Connection, said: Sequence[Sequence[tuple[_Shape, float]]], worth: float
) -> dict[int, float]:
    """How well each session as a whole fits the terms: BM25 over sessions, without a discount for length.

    Args:
        worth: factor of all that is returned.
    """
    _, _, count = talk_figures(connection)
    fits: defaultdict[int, float] = defaultdict(float)
    for spoken in said:
        mentions: dict[int, float] = {}
        for shape, times in spoken:
            if shape.spoken:
                session = shape.session
                mentions[session] = mentions.get(session, 0.0) + times
        weight = worth * rarity(count, len(mentions))
        for session, times in mentions.items():
            fits[session] += weight * times * (K1 + 1) / (times + K1)
    return fits


def _candidates(connection: sqlite3.Connection, scores: _Places, places: Sequence[_Place]) -> list[_Candidate]:
    """The turns at some places; not every place has one."""
    rows = connection.execute(
        "SELECT value, turn.id, coalesce(turn.uid, ''), session.key, turn.speaker,"
        " coalesce(turn.said_at, session.started_at, session.recorded_at) FROM json_each(?)"
        f" JOIN turn ON turn.session_id = value / {_POSITIONS} AND turn.position = value % {_POSITIONS}"
        " JOIN session ON session.id = turn.session_id",
        (json.dumps(places),),
    )
    return [
        _Candidate(place, turn, uid, session, speaker, time, dict(zip(_PARTS, scores.score(place), strict=True)))
        for place, turn, uid, session, speaker, time in rows
    ]


def _texts(connection: sqlite3.Connection, candidates: Sequence[_Candidate]) -> dict[int, str]:
    rows = connection.execute(
        "SELECT turn.id, content FROM json_each(?) JOIN turn ON turn.id = json_each.value",
        (json.dumps([turn.id for turn in candidates]),),
    )
    return dict(rows.fetchall())


def _has_circumstances(question: Question) -> bool:
    return bool(question.names or question.first_person or question.windows or question.asks_now)


def _add_circumstances(candidates: Sequence[_Candidate], question: Question, mass: float) -> None:
    """What speaks for a turn beside its words: who said it and when, as shares of the question's whole weight."""
    order = {time: place for place, time in enumerate(sorted({turn.time for turn in candidates}))}
    for turn in candidates:
        speaker = turn.speaker.lower()
        if question.names:
            turn.parts["speaker"] = mass * BY_SPEAKER * (speaker in question.names)
            if speaker not in question.names:
                turn.parts["facts"] = 0.0  # what a fact says of someone, others only talk about
        elif question.first_person:
            turn.parts["speaker"] = mass * BY_USER * (speaker in USER_ROLES)
        if question.windows:
            turn.parts["time"] = mass * IN_WINDOW * within(question.windows, turn.time)
        if question.asks_now and len(order) > 1:
            turn.parts["newest"] = mass * NEWEST * order[turn.time] / (len(order) - 1)
