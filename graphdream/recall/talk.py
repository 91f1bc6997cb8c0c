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
from heapq import nlargest

from graphdream.recall.answers import tells
from graphdream.recall.inquiry import Inquiry
from graphdream.recall.postings import Matches, rarity
from graphdream.recall.question import USER_ROLES, Question
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
SUMMARY_WORDS = 2.0  # how many mentions in a session one in its summary stands for
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
_SPARE = 40  # turns whose text is read beyond those wanted

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
        score: higher is better; comparable with that of facts for the same question.
        parts: what the score is made of.
    """

    id: int
    uid: str
    session: str
    speaker: str
    content: str
    time: str
    score: float
    parts: Mapping[str, float]


_Place = tuple[int, int]  # session and position
_Score = tuple[float, float, float, float, float]
_Strengths = dict[_Place, dict[int, float]]  # how strongly each term is said at a place


@dataclass(frozen=True, slots=True)
class _Shape:
    place: _Place
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


def rank_talk(
    connection: sqlite3.Connection,
    inquiry: Inquiry,
    matches: Matches,
    summaries: Matches,
    *,
    lifts: Mapping[int, float] | None = None,
    meaning: Mapping[int, float] | None = None,
) -> list[Said]:
    """Rank the turns that a question finds; more than are wanted, because facts may take the place of some.

    Args:
        connection: any connection to the file.
        inquiry: the question. As of a moment, what was said later is left out.
        matches: what the turns' index holds of its terms, and
        summaries: what that of the summaries does.
        lifts: turn id -> what the facts that rest on it lend it.
        meaning: turns near to it in meaning, with a share of 0 to 1.

    Returns:
        The best turns, best first; among equals the newest, then the one recorded first.
    """
    question, weights, mass, limit = inquiry.question, inquiry.weights, inquiry.mass, inquiry.limit
    lifts = lifts or {}
    near = {turn: MEANING * mass * share for turn, share in (meaning or {}).items()}
    shapes = _shapes(connection, _strongest(matches, weights, lifts.keys() | near.keys()))
    if not shapes:
        return []
    scores = _places(connection, weights, matches, summaries, shapes, lifts, near)
    summed = [(sum(score), place) for place, score in scores.items()]
    best = [place for _, place in nlargest(max(_MAX_CANDIDATES, 3 * limit), summed)]
    chatty = {shape.place[0]: shape.chatty for shape in shapes.values()}
    candidates = _candidates(connection, best, scores)
    if inquiry.as_of:
        candidates = [turn for turn in candidates if turn.time <= inquiry.as_of]
    _add_circumstances(candidates, question, mass)
    candidates.sort(key=lambda turn: -turn.score)
    candidates = candidates[: 2 * limit + _SPARE]
    texts = _texts(connection, candidates)
    for turn in candidates:
        if share := chatty[turn.place[0]]:
            turn.parts["tells"] = mass * share * tells(question, texts[turn.id])
    candidates.sort(key=lambda turn: turn.id)
    candidates.sort(key=lambda turn: (turn.score, turn.time), reverse=True)
    return [
        Said(
            turn.id, turn.uid, turn.session, turn.speaker, texts[turn.id], turn.time, turn.score,
            {name: value for name, value in turn.parts.items() if value},
        )
        for turn in candidates
    ]  # fmt: skip


def _strongest(matches: Matches, weights: Sequence[float], others: Set[int]) -> list[int]:
    """The turns whose own words fit best, newest first among equals, and some others that are known to fit."""
    strength: dict[int, float] = {}
    for weight, occurrences in zip(weights, matches.found, strict=True):
        for turn in occurrences:
            strength[turn] = strength.get(turn, 0.0) + weight
    best = nlargest(_MAX_HITS, zip(strength.values(), strength.keys(), strict=True))
    return sorted({turn for _, turn in best} | others)


def _shapes(connection: sqlite3.Connection, turns: Sequence[int]) -> dict[int, _Shape]:
    rows = connection.execute(
        "SELECT turn_shape.id, turn_shape.session_id, position, turn_shape.chars, asks, spoken,"
        " session_shape.chars / session_shape.turns FROM json_each(?)"
        " JOIN turn_shape ON turn_shape.id = json_each.value"
        " JOIN session_shape ON session_shape.session_id = turn_shape.session_id",
        (json.dumps(turns),),
    )
    return {
        turn: _Shape((session, position), chars, asks, spoken, spoken * _chattiness(mean))
        for turn, session, position, chars, asks, spoken, mean in rows
    }


def _chattiness(mean_chars: float) -> float:
    return min(1.0, max(0.0, (LETTER_CHARS - mean_chars) / (LETTER_CHARS - CHAT_CHARS)))


def _places(
    connection: sqlite3.Connection,
    weights: Sequence[float],
    matches: Matches,
    summaries: Matches,
    shapes: Mapping[int, _Shape],
    lifts: Mapping[int, float],
    near: Mapping[int, float],
) -> dict[_Place, _Score]:
    """What speaks for each place of the talk, in the order of `_PARTS`.

    A place may turn out to have no turn: one before the first, say.
    """
    own, around = _spread(connection, weights, matches, shapes)
    fits = _session_fits(connection, matches, summaries, shapes)
    lifted = {shapes[turn].place: lift for turn, lift in lifts.items() if turn in shapes}
    meant = {shapes[turn].place: share for turn, share in near.items() if turn in shapes}
    nothing: dict[int, float] = {}
    scores = {}
    for place in own.keys() | around.keys() | lifted.keys() | meant.keys():
        here, there = own.get(place, nothing), around.get(place, nothing)
        talk = sum(there.values())
        if here:  # what the turn says itself, its neighbours add little to
            for term in here.keys() & there.keys():
                talk -= min(here[term], there[term]) * (1 - BOTH)
        session = FROM_SESSION * fits.get(place[0], 0.0)
        scores[place] = (sum(here.values()), talk, session, lifted.get(place, 0.0), meant.get(place, 0.0))
    return scores


def _spread(
    connection: sqlite3.Connection, weights: Sequence[float], matches: Matches, shapes: Mapping[int, _Shape]
) -> tuple[_Strengths, _Strengths]:
    """How strongly each turn says each term itself, and how strongly the talk around it does; weighted."""
    turns, chars = connection.execute("SELECT turns, chars FROM talk_shape").fetchone()
    mean = max(1.0, chars / max(1, turns))
    own: _Strengths = {}
    shape_of: dict[_Place, _Shape] = {}
    for term, (weight, occurrences) in enumerate(zip(weights, matches.found, strict=True)):
        for turn in occurrences.keys() & shapes.keys():
            times, shape = occurrences[turn], shapes[turn]
            strength = weight * times * (K1 + 1) / (times + K1 * (1 - B + B * shape.chars / mean))
            own.setdefault(shape.place, {})[term] = strength
            shape_of[shape.place] = shape
    around: _Strengths = {}
    for _, place in nlargest(_MAX_GIVERS, [(sum(said.values()), place) for place, said in own.items()]):
        shape = shape_of[place]
        gives = shape.chatty * (1 - shape.chars / GIVER_CHARS)
        if gives <= 0:
            continue
        session, position = place
        for step, share in _SHARES_OF_QUESTION if shape.asks else _SHARES:
            near = around.setdefault((session, position + step), {})
            for term, strength in own[place].items():
                given = strength * gives * share
                if near.get(term, 0.0) < given:
                    near[term] = given
    return own, around


def _session_fits(
    connection: sqlite3.Connection, matches: Matches, summaries: Matches, shapes: Mapping[int, _Shape]
) -> dict[int, float]:
    """How well each session as a whole fits the terms: BM25 over sessions, without a discount for length."""
    count = connection.execute("SELECT sessions FROM talk_shape").fetchone()[0]
    session_of = _sessions_of(connection, {row for occurrences in summaries.found for row in occurrences})
    fits: defaultdict[int, float] = defaultdict(float)
    for spoken, summed in zip(matches.found, summaries.found, strict=True):
        mentions: dict[int, float] = {}
        for turn, times in spoken.items():
            shape = shapes.get(turn)
            if shape is not None and shape.spoken:
                mentions[shape.place[0]] = mentions.get(shape.place[0], 0.0) + times
        for row in summed:
            mentions[session_of[row]] = mentions.get(session_of[row], 0.0) + SUMMARY_WORDS
        weight = rarity(count, len(mentions))
        for session, times in mentions.items():
            fits[session] += weight * times * (K1 + 1) / (times + K1)
    return fits


def _sessions_of(connection: sqlite3.Connection, summaries: set[int]) -> dict[int, int]:
    if not summaries:
        return {}
    rows = connection.execute(
        "SELECT summary.id, session_id FROM json_each(?) JOIN summary ON summary.id = json_each.value",
        (json.dumps(sorted(summaries)),),
    )
    return dict(rows.fetchall())


def _candidates(
    connection: sqlite3.Connection,
    places: Sequence[_Place],
    scores: Mapping[_Place, _Score],
) -> list[_Candidate]:
    """The turns at some places; not every place has one."""
    rows = connection.execute(
        "SELECT turn.session_id, turn.position, turn.id, coalesce(turn.uid, ''), session.key, turn.speaker,"
        " coalesce(turn.said_at, session.started_at, session.recorded_at)"
        " FROM json_each(?) JOIN turn ON turn.session_id = json_extract(value, '$[0]')"
        " AND turn.position = json_extract(value, '$[1]') JOIN session ON session.id = turn.session_id",
        (json.dumps(places),),
    )
    return [
        _Candidate((row[0], row[1]), row[2], row[3], row[4], row[5], row[6], _parts(scores[row[0], row[1]]))
        for row in rows
    ]


def _parts(score: Sequence[float]) -> dict[str, float]:
    return dict(zip(_PARTS, score, strict=True))


def _texts(connection: sqlite3.Connection, candidates: Sequence[_Candidate]) -> dict[int, str]:
    rows = connection.execute(
        "SELECT turn.id, content FROM json_each(?) JOIN turn ON turn.id = json_each.value",
        (json.dumps([turn.id for turn in candidates]),),
    )
    return dict(rows.fetchall())


def _add_circumstances(candidates: Sequence[_Candidate], question: Question, mass: float) -> None:
    """What speaks for a turn beside its words: who said it and when, as shares of the question's whole weight."""
    order = {time: place for place, time in enumerate(sorted({turn.time for turn in candidates}))}
    for turn in candidates:
        speaker = turn.speaker.lower()
        if question.names:
            turn.parts["speaker"] = mass * BY_SPEAKER * (speaker in question.names)
        elif question.first_person:
            turn.parts["speaker"] = mass * BY_USER * (speaker in USER_ROLES)
        if question.windows:
            turn.parts["time"] = mass * IN_WINDOW * within(question.windows, turn.time)
        if question.asks_now and len(order) > 1:
            turn.parts["newest"] = mass * NEWEST * order[turn.time] / (len(order) - 1)
