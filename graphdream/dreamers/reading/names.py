"""Whom a sentence is about: a name that is known, or what opens the sentence where the evidence says it is a name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from graphdream.dreamers.gathered import Gathered, SeenSession
from graphdream.dreamers.reading.bearers import Bearers, may_be_noun
from graphdream.dreamers.reading.called import is_first_of, may_be_owned, without_genitive
from graphdream.dreamers.reading.corpus import recurring, usage_in
from graphdream.dreamers.reading.evidence import Opening, is_month, is_name, is_time, is_title
from graphdream.dreamers.reading.qualifiers import qualifies
from graphdream.dreamers.reading.runs import is_afterthought, is_nameworthy, run, says_more, spans
from graphdream.dreamers.reading.sentences import OWNER, Word, sentences, span, words, writes_without_blanks
from graphdream.dreamers.reading.supposed import main_clause
from graphdream.dreamers.reading.topics import WITHOUT_ARTICLES
from graphdream.dreamers.reading.unread import texts_of
from graphdream.dreamers.reading.user import speaks_of_user
from graphdream.events.transcripts import MACHINES
from graphdream.facts.words import PRONOUNS, is_of_change
from graphdream.graph.categories import FOLDER, GENERAL
from graphdream.graph.names import canonical
from graphdream.language.calendar import calendar_of
from graphdream.language.classes import function_words, words_of
from graphdream.language.forms import ELIDED
from graphdream.language.lexicon import Languages, has_dictionary, written
from graphdream.language.present import may_be_present
from graphdream.mutations.entities import UNTYPED

NEAR_HEAD = 3  # words before a name that recurs, up to which it may be what a sentence is about
NAMELESS_SPEAKERS = frozenset(("user", "human", *MACHINES))

_SPEAKERS_OWN = frozenset("i me my mine myself you your yours yourself we us our ours ourselves".split())
_POINTING_BACK = PRONOUNS - _SPEAKERS_OWN  # begin a sentence whose subject stands in another one
_LONGEST_TIME = 4  # words before the end of what says when: `On the third of May`
_UP_TO_VERB = 2  # words behind a name, up to its verb
_TOPIC = re.compile(r"(?:さん|様|氏|君|씨|님)?[はがも은는이가]")
"""What marks a topic or subject in Japanese and Korean, behind a title of politeness."""
_SET_OFF = re.compile(r"""[`"“„«「'‘]([^`"”“«»」'’]{1,60})[`"”“»」'’]""")


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a sentence is about. `reference` is a handle, None for somebody new."""

    name: str
    reference: str | None
    type: str = "unknown"


class Ambiguous(Exception):
    """A name fits several entities: the sentence hangs on none of them."""


def names_in(sessions: Iterable[SeenSession]) -> set[str]:
    """Every run of words in the unread text of sessions that could be a name, in canonical form: what to look up."""
    found: set[str] = set()
    for session in sessions:
        for sentence in (sentence for text in texts_of(session) for sentence in sentences(text)):
            found.update(canonical(name) for _, name in spans(sentence))
            found.update(canonical(without_genitive(word.text)) for word in words(sentence) if word.is_capital)
            found.update((GENERAL,) if speaks_of_user(sentence) else ())
        found.update(canonical(item.speaker) for item in session.observations if item.speaker)
        found.update(canonical(turn.speaker) for turn in session.turns if turn.speaker)
        found.update((GENERAL,) if session.observations else ())
    return found - {""}


def openings_in(sessions: Iterable[SeenSession]) -> set[str]:
    """Words that open sentences with a capital, in lower case: how the memory writes them elsewhere is evidence."""
    found: set[str] = set()
    for session in sessions:
        for sentence in (sentence for text in texts_of(session) for sentence in sentences(text)):
            capitals = run(sentence, words(sentence), 0)
            found.update(OWNER.sub("", word.text).casefold() for word in capitals)
    return found


def _is_article(word: str, language: str | None) -> bool:
    """Whether a word of one letter is one of grammar in its language, as Portuguese has them before names of people
    (`O Davi`, `A Carla`); in English `A` and `I` are. Where there are no articles, one that joins (`А Тимур`)."""
    if language in WITHOUT_ARTICLES:
        return word.casefold() in words_of("coordinates", language)
    return len(word) == 1 and word.casefold() in function_words().get(language or "", ())


def _names_a_kind(word: str, language: str | None) -> bool:
    """Whether a word with a capital that begins a name is one of the dictionary, as in `Castle Hotel`."""
    return language is not None and has_dictionary(language) and written(word, language) == "lower"


def _is_of_change(word: str, language: str | None) -> bool:
    """Whether a word tells a change in a language, in any where it is not known: French `Rose` is no English verb."""
    told = (words_of(name, language) for name in ("changes", "replaces", "passes"))
    return is_of_change(word) if language is None else any(word in known for known in told)


def _tells_of(sentence: str, at: int, language: str | None) -> bool:
    """Whether a verb comes next in a sentence, the first word behind a place or the second: `moved`, `now works`."""
    behind = [word.text.casefold() for word in words(sentence[at:])[:_UP_TO_VERB]]
    verbs = frozenset().union(*(words_of(name, language) for name in ("is", "was", "has", "dwells")))
    return any(word in verbs or is_of_change(word) or may_be_present(word, language) for word in behind)


class Naming:
    """Which entities the words of the sessions can mean."""

    def __init__(self, gathered: Gathered) -> None:
        self._known = gathered.known_names
        around = gathered.around.entities if gathered.around is not None else ()
        self._types = {
            f"e{entity.id}": "" if entity.type in UNTYPED else entity.type for entity in (*gathered.entities, *around)
        }
        self._speakers = {
            canonical(speaker)
            for session in gathered.sessions
            for speaker in (*(turn.speaker for turn in session.turns), *(item.speaker for item in session.observations))
            if speaker and canonical(speaker) not in NAMELESS_SPEAKERS
        }
        told = [sentence for s in gathered.sessions for text in texts_of(s) for sentence in sentences(text)]
        self._usage = usage_in(told, gathered.usage)
        self._recurring = recurring(told)
        borne = [name for entity in (*gathered.entities, *around) for name in (entity.name, *entity.aliases)]
        self._bearers = Bearers(told, borne, self._usage)
        self._whole = gathered.whole_names
        self._full_names: Mapping[str, frozenset[str]] = {}
        self._full_before: dict[str, set[str]] = defaultdict(set)
        self.languages = Languages()

    def enter(self, session: SeenSession) -> None:
        """Read on in the next session: its languages, and who is called by a whole name in it, or in one before it."""
        told = [sentence for text in texts_of(session) for sentence in sentences(text)]
        self.languages = Languages(told)
        self._full_names = {}
        full: dict[str, set[str]] = defaultdict(set)
        for sentence in told:
            with suppress(Ambiguous):
                clause = main_clause(sentence, self.languages.of(sentence))
                subject = self._opening(clause, words(clause))
                if subject is not None and " " in subject.name:
                    full[canonical(subject.name.split()[0])].add(subject.name)
        self._full_names = {first: frozenset(names) for first, names in {**self._full_before, **full}.items()}
        for first, names in full.items():
            self._full_before[first] |= names

    def type_of(self, handle: str) -> str:
        """The type of a known entity; "" where the memory does not say it."""
        return self._types.get(handle, "")

    def speaker(self, name: str) -> Subject | None:
        """The entity of who speaks."""
        return self._subject(name, "person") if canonical(name) in self._speakers else None

    def folder(self) -> Subject:
        """Where a fact hangs that names nobody, as one does that is remembered without a category."""
        known = self._known.get(GENERAL, ())
        return Subject(GENERAL, f"e{known[0]}" if known else None, FOLDER)

    def subject(self, sentence: str) -> Subject | None:
        """Whom a sentence is about: who opens it, else the first known name in it.

        Returns:
            None where it begins with a pronoun, names nobody, says nothing beside a name, or a name fits several.
        """
        sentence = main_clause(sentence, self.languages.of(sentence))
        found = words(sentence)
        if not found or found[0].text.casefold() in _POINTING_BACK:
            return None
        try:
            return self._opening(sentence, found) or self._within(sentence)
        except Ambiguous:
            return None

    def known_in(self, sentence: str) -> tuple[str, ...]:
        """Handles of the known entities that a sentence names; a name that fits several names none of them."""
        ids = (self._known.get(canonical(name), ()) for _, name in self._places(sentence))
        return tuple(dict.fromkeys(f"e{found[0]}" for found in ids if len(found) == 1))

    def _opening(self, sentence: str, found: list[Word]) -> Subject | None:
        """Who opens a sentence, at its very head or behind what says when."""
        set_off = _SET_OFF.match(sentence)
        if set_off is not None and says_more(sentence, set_off.end()):
            return self._judged(sentence, Opening((set_off[1].strip(),), set_off=True))
        opening = self._at(sentence, found, 0) or self._at(sentence, found, self._after_time(sentence, found))
        return opening or self._at(sentence, found, self._after_title(sentence, found))

    def _at(self, sentence: str, found: list[Word], first: int) -> Subject | None:
        """The name that starts with a word: a longer new one goes before a shorter known one."""
        language = self.languages.of(sentence)
        capitals = run(sentence, found, first, language)
        owner = self._owner(found[first : first + 2], language) if capitals else None
        if owner is not None or not capitals or not says_more(sentence, capitals[-1].end):
            return owner
        bare = self._unelided(sentence, capitals, language)
        if bare is not None:
            capitals = [bare, *capitals[1:]]
            found = [*found[:first], bare, *found[first + 1 :]]
        if self._is_led_in(sentence, capitals):
            first, capitals = first + 1, capitals[1:]
        is_new = self._is_new(sentence, capitals, opens=first == 0)
        for count in range(len(capitals), 0, -1):
            name = span(sentence, found, first, count)
            if self._is_known(name) and (count == len(capitals) or not is_new):
                return self._subject(name)
        called = self._called(capitals[0].text, language) if len(capitals) == 1 else None
        if called is not None:
            return called
        return self._subject(span(sentence, found, first, len(capitals))) if is_new else None

    def _called(self, first: str, language: str | None) -> Subject | None:
        """Who is called by a first name: the one whose whole name the session has, or else the memory."""
        full = self._full_names.get(canonical(first), frozenset())
        if full:
            return self._subject(next(iter(full))) if len(full) == 1 else None
        known = self._whole.get(canonical(OWNER.sub("", first)), ())
        if len(known) != 1 or not is_first_of(OWNER.sub("", first), known[0][1], language):
            return None
        return Subject(known[0][1], f"e{known[0][0]}", "unknown")

    def _owner(self, found: list[Word], language: str | None) -> Subject | None:
        """Somebody known, whose name in the genitive is the first of two words: `Kerstins Schwester`."""
        bare = without_genitive(found[0].text, language)
        first = canonical(found[0].text)
        is_borne = self._means(found[0].text) or first in self._whole or first in self._full_names
        if not bare or is_borne or not may_be_owned(found[1:], language):
            return None
        return self._subject(bare) if self._is_known(bare) else self._called(bare, language)

    def _unelided(self, sentence: str, capitals: list[Word], language: str | None) -> Word | None:
        """The first word of a name of several without the article elided before it (`L'Hôtel du Port`); None where
        there is none, or the name is known with it."""
        word = capitals[0]
        elided = ELIDED.match(word.text)
        if elided is None or len(capitals) == 1 or self._is_known(sentence[word.start : capitals[-1].end]):
            return None
        rest = Word(word.text[elided.end() :], word.start + elided.end(), word.end)
        is_article = elided.group()[:-1].casefold() in words_of("elides", language)
        return rest if is_article and rest.is_capital and _names_a_kind(rest.text, language) else None

    def _judged(self, sentence: str, opening: Opening) -> Subject | None:
        is_phrase = " " in opening.name and not is_nameworthy(opening.name)
        if canonical(opening.name) in self._known:
            return self._subject(opening.name)
        if is_phrase or not is_name(opening, self._usage, self.languages.of(sentence)):
            return None
        return self._subject(opening.name)

    def _is_new(self, sentence: str, capitals: list[Word], *, opens: bool) -> bool:
        texts = tuple(word.text for word in capitals)
        language = self.languages.of(sentence)
        if opens and len(texts) > 1 and language != "en" and _is_of_change(texts[0].casefold(), language):
            return False  # a verb: `Reemplazamos MySQL`
        if language in WITHOUT_ARTICLES and texts[0].casefold() in function_words().get(language or "", ()):
            return False  # what leads in to another case of a name, or to a clause: `У Тимура`, `Когда Тимур`
        recurs = len(texts) > 1 and canonical(" ".join(texts)) in self._recurring
        if len(texts) == 1:
            behind = next(iter(words(sentence[capitals[0].end :])), None)
            is_kind = opens and qualifies(texts[0], behind, language)
            return not is_kind and is_name(Opening(texts, opens=opens), self._usage, language)
        is_named = may_be_noun(texts[0], language) and _tells_of(sentence, capitals[-1].end, language)
        last = " ".join(texts[1:])
        is_shared = self._bearers.is_shared(last, texts[0]) and not self._means(last)
        opening = Opening(texts, opens=opens, recurs=recurs, is_named=is_named, is_shared=is_shared)
        return is_name(opening, self._usage, language)

    def _is_led_in(self, sentence: str, capitals: list[Word]) -> bool:
        """Whether the first capital is owed to the sentence, and a name that is met elsewhere too comes behind."""
        if len(capitals) < 2 or self._means(sentence[capitals[0].start : capitals[-1].end]):
            return False
        language = self.languages.of(sentence)
        if _is_article(capitals[0].text, language):
            return True
        is_definite = capitals[0].text.casefold() in words_of("definite", language)
        if is_definite and len(capitals) > 2 and _names_a_kind(capitals[1].text, language):
            return True  # `El Hotel Londres`
        rest = sentence[capitals[1].start : capitals[-1].end]
        return self._means(rest) and self._bearers.is_apart(capitals[0].text, rest, language)

    def _after_time(self, sentence: str, found: list[Word]) -> int:
        """Place of the first word behind what says when, and a verb behind that: `Gestern hat Jonas`."""
        language = self.languages.of(sentence)
        calendar = calendar_of(language) if language is not None else None
        if calendar is None:
            return 0
        times = [at for at, word in enumerate(found[:_LONGEST_TIME]) if word.text.lower() in calendar.words]
        if not times or any(
            word.is_capital and word.text.lower() not in calendar.words for word in found[1 : times[-1]]
        ):
            return 0
        behind = times[-1] + 1
        if behind == 1 and is_month(found[0].text, language) and found[1:] and found[1].is_capital:
            return 0  # somebody's first name: `May Quill`
        if behind + 1 < len(found) and not found[behind].is_capital and found[behind + 1].is_capital:
            behind += 1
        return behind if behind < len(found) else 0

    def _after_title(self, sentence: str, found: list[Word]) -> int:
        """Place of a name behind an article and a title in small letters: `El señor Arrieta`; 0 where there is none."""
        language = self.languages.of(sentence)
        if len(found) < 3 or found[0].text.casefold() not in words_of("definite", language):
            return 0
        return 2 if found[1].text.islower() and is_title(found[1].text, language) and found[2].is_capital else 0

    def _within(self, sentence: str) -> Subject | None:
        """The first name in a sentence that is known, or recurs and stands near its head; in scripts that mark the
        topic, the marked one. What a comma sets off at the end tells something beside it (`..., according to Noor`)."""
        places = [
            (at, name)
            for at, name in self._places(sentence)
            if says_more(sentence, at + len(name), at) and not is_afterthought(sentence, at)
        ]
        marked = [
            name
            for at, name in places
            if writes_without_blanks(name[-1]) and _TOPIC.match(sentence, at + len(name)) is not None
        ]
        if marked:
            return self._subject(marked[0])
        for at, name in places:
            if self._is_known(name) or len(words(sentence[:at])) <= NEAR_HEAD:
                return self._subject(name)
        return None

    def _places(self, sentence: str) -> Iterator[tuple[int, str]]:
        """Names that are known or recur, the longest at each place, with the place where each starts."""
        end = 0
        for at, name in spans(sentence):
            if at >= end and self._means(name) and not self._ends_another(sentence, at, name):
                end = at + len(name)
                yield at, name

    def _ends_another(self, sentence: str, at: int, name: str) -> bool:
        """Whether a name is the end of a longer one that stands there: `Hill` of `Grace Hill`."""
        before = words(sentence[:at])
        if not before or not before[-1].is_capital or sentence[before[-1].end : at] != " " or " " in name:
            return False
        return not self._bearers.is_apart(before[-1].text, name, self.languages.of(sentence))

    def _means(self, name: str) -> bool:
        if self._is_known(name):
            return True
        return canonical(name) in self._recurring and is_nameworthy(name) and not is_time(name, self.languages.of(name))

    def _is_known(self, name: str) -> bool:
        key = canonical(name)
        return key in self._speakers or (key in self._known and is_nameworthy(name))

    def _subject(self, name: str, kind: str = "unknown") -> Subject:
        known = self._known.get(canonical(name), ())
        if len(known) > 1:
            raise Ambiguous
        if canonical(name) in self._speakers:
            kind = "person"
        return Subject(OWNER.sub("", name), f"e{known[0]}" if known else None, kind)
