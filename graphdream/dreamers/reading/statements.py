"""What a session says, sentence by sentence: facts, and entities for them where they are new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graphdream.dreamers.gathered import Clue, Gathered, Home, SeenSession, SeenTurn
from graphdream.dreamers.reading.asked import asked_to_keep
from graphdream.dreamers.reading.evidence_turns import Turns
from graphdream.dreamers.reading.homes import clues_in, home_of
from graphdream.dreamers.reading.known import Known
from graphdream.dreamers.reading.names import Naming, Subject
from graphdream.dreamers.reading.pointed import Pointed
from graphdream.dreamers.reading.sentences import LONGEST_SENTENCE, sentences
from graphdream.dreamers.reading.states import tells_what_holds
from graphdream.dreamers.reading.supposed import is_conditional, is_supposed
from graphdream.dreamers.reading.times import time_told
from graphdream.dreamers.reading.toldbefore import ToldBefore
from graphdream.dreamers.reading.user import is_of_user
from graphdream.graph.categories import GENERAL
from graphdream.graph.names import canonical, canonical_text
from graphdream.mutations import model

CONFIDENCE = 0.7  # a sentence of a summary, taken as it stands
CONFIDENCE_HANDED_OVER = 0.8  # a fact that arrived ready-made
CONFIDENCE_SPOKEN = 0.6  # a sentence of somebody's turn

_QUESTION = ("?", "？", "؟")


@dataclass(frozen=True, slots=True)
class _Homes:
    """Where what a session tells may go on: the places of the memory, what earlier sessions of the pass told, and the
    canonical names of those who are new by them."""

    known: Mapping[Clue, Home]
    before: ToldBefore
    made: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence, whom it is about and under which aspect, the turns it rests on, and how sure it is, 0..1."""

    text: str
    subject: Subject
    turns: tuple[str, ...]
    confidence: float
    aspect: str = GENERAL


def read_sessions(gathered: Gathered) -> tuple[list[model.Mutation], dict[str, int]]:
    """Facts, and entities for them, from every unread session in `gathered`, in the order told.

    Returns:
        The mutations; and for each session with sentences that nobody here understood, how many.
    """
    naming, known = Naming(gathered), Known(gathered)
    proposals: list[model.Mutation] = []
    left: dict[str, int] = {}
    made: set[str] = set()
    before = ToldBefore()
    for session in gathered.lived:
        naming.enter(session)
        found, open_sentences = _statements(session, naming, _Homes(gathered.homes, before, frozenset(made)))
        if open_sentences:
            left[session.key] = open_sentences
        for statement in found:
            subject = statement.subject
            if subject.reference is None and canonical(subject.name) not in made:
                made.add(canonical(subject.name))
                proposals.append(
                    model.CreateEntity(name=subject.name, type=subject.type, reason=f"named in session {session.key}")
                )
            before.add(statement.text, subject, statement.aspect)
            proposals.append(_seen_again(statement, session, known) or _fact(statement, session, naming))
    return proposals, left


def subject_of(gathered: Gathered, sentence: str) -> int | None:
    """Id of the known entity that a sentence is about; None where it names nobody, or several bear the name."""
    subject = Naming(gathered).subject(sentence)
    return int(subject.reference[1:]) if subject is not None and subject.reference is not None else None


def open_clues(gathered: Gathered) -> frozenset[Clue]:
    """What the unread sentences that name nobody may be about: what to look up."""
    naming, found = Naming(gathered), set[Clue]()
    for session in gathered.lived:
        naming.enter(session)
        told = [(item.content, False) for item in session.observations]
        for text, turn, _ in _texts(session):
            for sentence in filter(_is_statement, sentences(text)):
                kept = asked_to_keep(sentence)
                told.append((kept or sentence, turn is not None and not kept))
        for sentence, spoken in told:
            about = naming.subject(sentence)
            if _is_unknown(about):
                language = naming.languages.of(sentence)
                found.update(clues_in(sentence, language, _name_of(about), spoken=spoken))
    return frozenset(found)


def _seen_again(statement: _Statement, session: SeenSession, known: Known) -> model.ReinforceAttribute | None:
    """The statement as another sighting of a fact that says the same in other words; exact copies are found later."""
    reference = statement.subject.reference
    fact = known.saying(statement.text, int(reference[1:])) if reference is not None else None
    if fact is None:
        return None
    return model.ReinforceAttribute(
        attribute=f"a{fact}", session=session.key, turns=statement.turns, quote=statement.text, known_at=session.at,
        reason="said again in a session",
    )  # fmt: skip


def _fact(statement: _Statement, session: SeenSession, naming: Naming) -> model.CreateAttribute:
    """The statement as a fact, its text unchanged; the time it speaks of and whom else it names are told beside it."""
    named = tuple(handle for handle in naming.known_in(statement.text) if handle != statement.subject.reference)
    return model.CreateAttribute(
        entity=statement.subject.reference or statement.subject.name, aspect=statement.aspect,
        content=statement.text, confidence=statement.confidence, session=session.key, turns=statement.turns,
        quote=statement.text, known_at=session.at, mentions=named, reason="said in a session",
        **time_told(statement.text, session.at, [naming.languages.of(statement.text)]),
    )  # fmt: skip


def _statements(session: SeenSession, naming: Naming, homes: _Homes) -> tuple[list[_Statement], int]:
    """The statements of a session, and the number of sentences that are about nobody known."""
    turns = Turns(session.turns)
    found = []
    for item in session.observations:
        if canonical_text(item.content):
            about = naming.subject(item.content) or naming.speaker(item.speaker)
            about, aspect = _place(about, item.content, naming, homes) or (naming.folder(), GENERAL)
            evidence = item.turns or turns.under(item.content)
            found.append(_Statement(item.content, about, evidence, CONFIDENCE_HANDED_OVER, aspect))
    left = 0
    for text, turn, confidence in _texts(session):
        pointed = Pointed(naming)
        for sentence in sentences(text):
            kept = asked_to_keep(sentence)
            told = kept or sentence
            about = pointed.subject(told)
            if not _is_statement(sentence):
                continue
            if is_supposed(told, naming.languages.of(told)) and not kept:
                left += 1
                continue
            place = _place(about, told, naming, homes, spoken=turn is not None and not kept)
            if place is None and not kept:
                left += 1
            else:
                about, aspect = place or (naming.folder(), GENERAL)
                sure = CONFIDENCE_HANDED_OVER if kept else confidence
                found.append(_Statement(told, about, _under(sentence, turn, turns), sure, aspect))
    return found, left


def _place(
    about: Subject | None, sentence: str, naming: Naming, homes: _Homes, *, spoken: bool = False
) -> tuple[Subject, str] | None:
    """Where a sentence goes: to whom it is about; where nobody is known by that name, to where the memory speaks of
    it; what holds of the user, or of what nobody spoke of yet, to the folder of what is said of nobody; None: nowhere.
    What was said in passing holds for the moment: `the build fails on port 80`. What is so on a condition is a fact of
    somebody known, or none.
    """
    language = naming.languages.of(sentence)
    if is_conditional(sentence, language):
        return (about, GENERAL) if about is not None and about.reference is not None else None
    if _is_unknown(about) and canonical(_name_of(about)) not in homes.made:
        home = home_of(sentence, homes.known, language, _name_of(about), spoken=spoken)
        if home is not None:
            return Subject(home.place.entity, f"e{home.entity_id}", home.place.type), home.place.aspect
        told = homes.before.place_of(clues_in(sentence, language, _name_of(about), spoken=spoken))
        if told is not None:
            return told
    of_user = _is_unknown(about) and is_of_user(sentence, language)
    if of_user or (about is None and not spoken and tells_what_holds(sentence, language)):
        about = naming.folder()
    return (about, GENERAL) if about is not None else None


def _name_of(about: Subject | None) -> str:
    return about.name if about is not None else ""


def _is_unknown(about: Subject | None) -> bool:
    return about is None or about.reference is None


def _texts(session: SeenSession) -> Iterator[tuple[str, SeenTurn | None, float]]:
    """What a session states, its summaries or what was said in it: a text, the turn that it is, and how sure it is."""
    for _, summary in session.summaries:
        yield summary, None, CONFIDENCE
    for turn in session.told:
        yield turn.content, turn, CONFIDENCE_SPOKEN


def _under(sentence: str, turn: SeenTurn | None, turns: Turns) -> tuple[str, ...]:
    """The turns that a sentence rests on: that in which it was said, or those that share its words."""
    if turn is None:
        return turns.under(sentence)
    return (turn.uid,) if turn.uid else ()


def _is_statement(sentence: str) -> bool:
    return len(sentence) <= LONGEST_SENTENCE and not sentence.endswith(_QUESTION)
