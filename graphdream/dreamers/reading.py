"""Reading sessions without a model: what a summary says becomes facts of the entities that it speaks of.

Conservative: a sentence becomes a fact only where it names whom it is about, by a known name or alias, or by a proper
name that recurs; anything else stays what it is, recallable as the session's text (FEATURES D14, D15; E10). What was
handed over ready-made as an observation is always taken: where it names nobody, into the general folder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphdream.dreamers.gathered import Gathered, SeenSession, SeenTurn
from graphdream.facts.words import FUNCTION_WORDS, PRONOUNS
from graphdream.graph.categories import FOLDER, GENERAL
from graphdream.graph.name_gate import name_fault
from graphdream.graph.names import canonical, canonical_text
from graphdream.mutations import model
from graphdream.mutations.specifics import tokens

CONFIDENCE = 0.7  # a sentence of a summary, taken as it stands; a fact handed over ready-made gets the default
LONGEST_NAME = 6  # words
FEWEST_WORDS = 4  # a shorter sentence says little that can be told apart from a heading
LONGEST_SENTENCE = 600  # characters; beyond it is a paste, not a sentence
RECURS = 2  # sentences that name somebody unknown before an entity is made of them
MOST_TURNS = 3  # of the transcript, that a fact is linked to
SHARED_WORDS = 2  # content words that a turn has to share with a fact that rests on it

_SPEAKERS_OWN = frozenset("i me my mine myself you your yours yourself we us our ours ourselves".split())
_POINTING_BACK = PRONOUNS - _SPEAKERS_OWN  # begin a sentence whose subject stands in another one
_SENTENCE = re.compile(r"(?<=[.!?。！？])[\"')\]]*\s+|\n+")
_OWNER = re.compile(r"['’]s$")
_WORD = re.compile(r"[^\W_](?:[\w.'’/+#@&-]*[\w+#])?")


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    opens: bool  # begins a sentence, where a capital letter says nothing


def read_sessions(gathered: Gathered) -> list[model.Proposable]:
    """Facts, and entities for them, from every unread session in `gathered`, in the order told."""
    naming = _Naming(gathered)
    proposals: list[model.Proposable] = []
    made: set[str] = set()
    for session in gathered.sessions:
        if session.kind != "session":
            continue
        turns = _Turns(session.turns)
        for text, subject, evidence, confidence in _statements(session, naming, turns):
            if subject.reference is None and canonical(subject.name) not in made:
                made.add(canonical(subject.name))
                proposals.append(
                    model.CreateEntity(name=subject.name, type=subject.type, reason=f"named in session {session.key}")
                )
            proposals.append(
                model.CreateAttribute(
                    entity=subject.reference or subject.name, aspect=GENERAL, content=text, confidence=confidence,
                    session=session.key, turns=evidence, quote=text, known_at=session.at, reason="said in a session",
                )
            )  # fmt: skip
    return proposals


def subject_of(gathered: Gathered, sentence: str) -> int | None:
    """Id of the known entity that a sentence is about; None where it names nobody, or several bear the name."""
    subject = _Naming(gathered).subject(sentence)
    return int(subject.reference[1:]) if subject is not None and subject.reference is not None else None


def names_in(sessions: Iterable[SeenSession]) -> set[str]:
    """Every run of words in the unread text of sessions that could be a name, in canonical form: what to look up."""
    found: set[str] = set()
    for session in sessions:
        texts = [text for _, text in session.summaries] + [item.content for item in session.observations]
        for sentence in (sentence for text in texts for sentence in sentences(text)):
            words = _words(sentence)
            for at in range(len(words)):
                for count in range(1, min(LONGEST_NAME, len(words) - at) + 1):
                    found.add(canonical(_span(sentence, words, at, count)))
        found.update(canonical(item.speaker) for item in session.observations if item.speaker)
        found.update(canonical(turn.speaker) for turn in session.turns if turn.speaker)
        found.update((GENERAL,) if session.observations else ())
    return found - {""}


def sentences(text: str) -> list[str]:
    """The sentences of a text, list marks and blanks taken off."""
    parts = (part.strip().lstrip("-*•> ").strip() for part in _SENTENCE.split(text))
    return [part for part in parts if part]


@dataclass(frozen=True, slots=True)
class _Subject:
    """Whom a sentence is about. `reference` is a handle, None for somebody new."""

    name: str
    reference: str | None
    type: str = "unknown"


class _Naming:
    """Which entities the words of the sessions can mean."""

    def __init__(self, gathered: Gathered) -> None:
        self._known = gathered.known_names
        self._speakers = {
            canonical(speaker): speaker
            for session in gathered.sessions
            for speaker in (*(turn.speaker for turn in session.turns), *(item.speaker for item in session.observations))
            if speaker and canonical(speaker) not in ("user", "assistant", "system", "tool")
        }
        self._recurring = self._count(gathered.sessions)

    def _count(self, sessions: Sequence[SeenSession]) -> frozenset[str]:
        """Names that several sentences hold, one of them where the capital is not owed to opening the sentence."""
        counts: Counter[str] = Counter()
        certain: set[str] = set()
        for session in sessions:
            texts = [text for _, text in session.summaries] + [item.content for item in session.observations]
            for sentence in (sentence for text in texts for sentence in sentences(text)):
                names = list(_proper_names(sentence))
                counts.update({canonical(name) for name, _ in names})
                certain.update(canonical(name) for name, opens in names if not opens or _is_surely_a_name(name))
        return frozenset(name for name, number in counts.items() if number >= RECURS and name in certain)

    def speaker(self, name: str) -> _Subject | None:
        """The entity of who speaks."""
        if canonical(name) not in self._speakers:
            return None
        return self._subject(name, "person")

    def folder(self) -> _Subject:
        """Where a fact hangs that names nobody, as one does that is remembered without a category."""
        known = self._known.get(GENERAL, ())
        return _Subject(GENERAL, f"e{known[0]}" if known else None, FOLDER)

    def subject(self, sentence: str) -> _Subject | None:
        """Whom a sentence is about: the first name in it; None where it begins with a pronoun or names nobody."""
        words = _words(sentence)
        if not words or words[0].text.casefold() in _POINTING_BACK:
            return None
        for at in range(len(words)):
            for count in range(min(LONGEST_NAME, len(words) - at), 0, -1):
                name = _span(sentence, words, at, count)
                if self._means(name):
                    return self._subject(name, "person" if canonical(name) in self._speakers else "unknown")
        return None

    def _means(self, name: str) -> bool:
        key = canonical(name)
        if key in self._speakers:
            return True
        if key in self._known:
            return _is_nameworthy(name)
        return key in self._recurring and _is_nameworthy(name)

    def _subject(self, name: str, kind: str) -> _Subject | None:
        known = self._known.get(canonical(name), ())
        if len(known) > 1:
            return None
        bare = _OWNER.sub("", name)
        return _Subject(bare, f"e{known[0]}" if known else None, kind)


def _is_nameworthy(name: str) -> bool:
    """Written as a name: a capital, a digit, or inner punctuation in every word that is no function word."""
    words = [word for word in name.split() if word.casefold() not in FUNCTION_WORDS]
    first, last = name.split()[0], name.split()[-1]
    if not words or first.casefold() in FUNCTION_WORDS or last.casefold() in FUNCTION_WORDS:
        return False
    return all(word[:1].isupper() or not word.isalpha() or not word.isascii() for word in words)


def _is_surely_a_name(opening: str) -> bool:
    """Whether capitals that open a sentence are a name's all the same: several of them, or one that owns something."""
    owns = _OWNER.search(opening)
    return " " in opening or (owns is not None and name_fault(opening[: owns.start()]) is None)


def _proper_names(sentence: str) -> Iterable[tuple[str, bool]]:
    """Runs of capitalised words, with whether the run opens the sentence."""
    words = _words(sentence)
    at = 0
    while at < len(words):
        count = 0
        while at + count < len(words) and _is_capital(words[at + count].text) and count < LONGEST_NAME:
            count += 1
        if count:
            yield _span(sentence, words, at, count), words[at].opens
        if count > 1 and words[at].opens:
            yield _span(sentence, words, at + 1, count - 1), False
        at += count or 1


def _is_capital(word: str) -> bool:
    return word[:1].isupper() and word.casefold() not in FUNCTION_WORDS


def _words(sentence: str) -> list[_Word]:
    found = list(_WORD.finditer(sentence))
    return [_Word(match.group(), match.start(), number == 0) for number, match in enumerate(found)]


def _span(sentence: str, words: Sequence[_Word], at: int, count: int) -> str:
    last = words[at + count - 1]
    return sentence[words[at].start : last.start + len(last.text)]


def _statements(
    session: SeenSession, naming: _Naming, turns: _Turns
) -> Iterable[tuple[str, _Subject, tuple[str, ...], float]]:
    """What a session says: text, whom it is about, the turns it rests on, and how sure it is."""
    for item in session.observations:
        if canonical_text(item.content):
            about = naming.subject(item.content) or naming.speaker(item.speaker) or naming.folder()
            yield item.content, about, item.turns or turns.under(item.content), 0.8
    for _, summary in session.summaries:
        for sentence in sentences(summary):
            if not len(sentence.split()) >= FEWEST_WORDS or len(sentence) > LONGEST_SENTENCE:
                continue
            subject = naming.subject(sentence)
            if subject is not None:
                yield sentence, subject, turns.under(sentence), CONFIDENCE


class _Turns:
    """Which turns of a transcript a sentence rests on: those that share its rarest words."""

    def __init__(self, turns: Sequence[SeenTurn]) -> None:
        self._turns = [(turn.uid, _content_words(f"{turn.speaker} {turn.content}")) for turn in turns if turn.uid]
        self._spread = Counter(word for _, words in self._turns for word in words)

    def under(self, sentence: str) -> tuple[str, ...]:
        """Uids of the turns, best first; at most `MOST_TURNS`."""
        wanted = _content_words(sentence)
        scored = []
        for position, (uid, words) in enumerate(self._turns):
            shared = wanted & words
            if len(shared) >= SHARED_WORDS:
                scored.append((-sum(1 / self._spread[word] for word in shared), position, uid))
        return tuple(uid for _, _, uid in sorted(scored)[:MOST_TURNS])


def _content_words(text: str) -> frozenset[str]:
    """Words that carry content, cut to their first five letters: a stem good enough to meet its other forms."""
    found: Mapping[str, None] = dict.fromkeys(token.text for token in tokens(text) if token.kind != "mark")
    return frozenset(word[:5] for word in found if word not in FUNCTION_WORDS and len(word) > 2)
