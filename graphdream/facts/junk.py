"""Junk: texts that state nothing: pieces cut out of sentences, broken index entries, chat noise, log scraps.

A short fact may be perfectly good (`tabs.`, `TTL = 60s`, `birthday May 8`), so shortness is no evidence. A text is
junk only for a fault that can be named, and never when a sentence form of this memory, or another statement of the
same fact, shows that it is whole.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphdream.facts.edges import Ends, SentenceEnds
from graphdream.facts.model import Subject
from graphdream.facts.pieces import NamePieces, Pieces
from graphdream.facts.reading import DATE, NAME, SUBJECT, TIME, TYPED, Reading, bare
from graphdream.facts.statements import Statement
from graphdream.facts.told import former_places
from graphdream.facts.words import (
    AUXILIARIES,
    CONJUNCTIONS,
    DANGLING,
    FUNCTION_WORDS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
)

_MACHINE = re.compile(
    r"""^\W*(?:
        # of programs: traces, exit and HTTP codes, log lines, empty values, tags, entities, hashes, progress bars
        traceback\b.* | stack\ trace.* | exit\ (?:code|status)\ \d+ | http(?:/\d(?:\.\d)?)?\ \d{3}\b.*
      | npm\ (?:warn|err)\b.* | (?:warn|warning|err|error|info|debug|fatal)\b\W*(?:\[|\d\d:\d\d).*
      | undefined | null | none | nan | n/?a | tbd | tbc | todo | fixme | \[object\ \w+\]
      | <\|.*\|>? | <@?[!/\#]?[\w-]+/?> | &\#?\w+; | (?:\\[nrt])+ | \]\(\w+:?//.*
      | (?:sha\d+|md5)\W*[0-9a-f]+ | (?:\w+=\S+\s+)+\w+=\S+ | .*\b0x[0-9a-f]{3,}\b.* | \d+%\s*[|\[].*
        # of chat transcripts
      | (?:system|user|assistant|human|ai)\ *:.* | \(?continued\)? | etc
        # index entries: a word for a place in a text, numbers, nothing else
      | (?:chunk|line|row|slot|entry|idx|index|ref|pp?|ff?|fol|§|frame|msg|took)[\s.:§]*\d[\d\s.,:/s-]*
        (?:\W*(?:see|also|cf|at|unexpected|error|token)\b[\W\d]*)*
      | §[\d.]+ | (?:at|by)\ \d+:\d+\ \w+ | \[?\d+\]?\s*->.*
    )\W*$""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_CHAT = re.compile(
    r"""^\W*(?:(?:lol|lmao|rofl|omg|brb|gg|idk|ok|okay|k|yes|yep|yeah|no|nope|way|what|wait|hmm+|haha\w*|thanks|thx|ty|
        sure|sounds|good|great|nice|cool|same|here|please|pls|hi|hey|hello|bye|welcome|you're|np|worries|sorry|wow|done
    )[\s!?.,…]*)+$|^\s*[+-]1\W*$""",
    re.VERBOSE | re.IGNORECASE,
)
_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s*\S.*|\|.*\|.*\||\*\*[^*]+:\*\*|[-*]\s+\*\*[^*]+\*\*:?|[-*]\s+\[[ x]?\])\s*$", re.IGNORECASE
)
_UNFINISHED = re.compile(r"[,;:(][\s\"'`*_]*$")
_SEAM = re.compile(r"[^\W\d_]{3,}\.\s+[a-zß-ÿ]|^[^(]*[\w.]\)\s+\S")
_POINTERS = frozenset("it they them that those these this him her she he".split())
_LONGEST_TEXT = 300
"""Characters that are looked at for machine text; a page of it begins with it."""
_REPEATED = 3
"""Unrelated entities on which a text without form recurs word for word before it counts as noise."""
_SAYS_LITTLE = 2
"""Free words up to which such a text says too little to be true of several things (`crashes on paths with umlauts`)."""
_OPENERS = frozenset("if when while although though unless".split())
_DIGITS = re.compile(r"\d+(?:\.\d+)*")
_LINE_NUMBER = re.compile(r"\W*\d{1,3}[.)]\W*")
_GOES_ON = 3
"""Different statements elsewhere that begin with a text and go on, before the text is but a beginning."""
_PHRASE = 5
"""Tokens below which a text on a name that names nothing is a scrap, unless something shows that it is whole."""
_PASSED_BY = 2
"""Other entities on which two words stand together in mid-sentence before ending or beginning there is a fault."""


@dataclass(frozen=True, slots=True)
class TextSigns:
    """What a text shows by itself, whoever it is about.

    Attributes:
        noise: what it is that no person wrote as a fact; None if it may be one.
        unfinished: it ends in a mark after which a sentence goes on.
        seam: a sentence ends in it, and what goes on behind begins none.
        capital: it begins with one.
        cut_brackets: a bracket is opened or closed alone.
        joined: two clauses stand side by side.
    """

    noise: str | None
    unfinished: bool
    seam: bool
    capital: bool
    cut_brackets: bool
    joined: bool


@lru_cache(maxsize=200_000)
def text_signs(content: str) -> TextSigns:
    """The signs of a text, of which the beginning is looked at. Kept: every look of a pass asks again."""
    text = content[:_LONGEST_TEXT]
    return TextSigns(
        noise=_noise_of(text),
        unfinished=_UNFINISHED.search(text) is not None,
        seam=_SEAM.search(text) is not None,
        capital=bare(content)[:1].isupper(),
        cut_brackets=text.count("(") != text.count(")"),
        joined="; " in text,
    )


def _noise_of(text: str) -> str | None:
    if _MACHINE.match(text) or _HEADING.match(text):
        return "machine text"
    return "chat noise" if _CHAT.match(text) else None


@lru_cache(maxsize=200_000)
def has_words(words: tuple[str, ...]) -> bool:
    """Whether there is a letter anywhere, the subject aside."""
    return any(c.isalpha() for word in words if word not in (SUBJECT, "'s") for c in word)


@lru_cache(maxsize=200_000)
def is_reference(reading: Reading) -> bool:
    """Whether it is nothing but two or more numbers and short words: a place in a text."""
    if reading.named or NAME in reading.shape:
        return False
    places = list(zip(reading.shape, reading.words, strict=True))
    numbers = sum(len(_DIGITS.findall(word)) for kind, word in places if kind != DATE)
    return numbers >= 2 and max((len(word) for kind, word in places if kind not in TYPED), default=0) < 4


class JunkJudge:
    """Judges statements by what the whole graph shows of sentence forms.

    Args:
        said: all statements.
        whole: positions of statements that a sentence form or a paraphrase shows to be whole.
        formed: positions of statements that have a productive skeleton.
        faulty: entities whose names name nothing.
        subjects: the entities; words of their names are whole, however rare.
        whole_words: further whole words.
    """

    def __init__(
        self,
        said: Sequence[Statement],
        *,
        whole: Collection[int],
        formed: Collection[int],
        faulty: Collection[int],
        subjects: Sequence[Subject],
        whole_words: Collection[str] = (),
    ) -> None:
        self._whole, self._formed, self._faulty = whole, formed, faulty
        self._names = NamePieces(subjects, whole_words)
        self._ends = SentenceEnds(said, self._names.words)
        self._pieces = Pieces(said)
        self._homes: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for statement in said:
            self._homes[statement.reading.words].add(statement.entity)
        self._tails: dict[tuple[str, ...], int] = defaultdict(int)
        for words in self._homes:
            for at in range(1, len(words) - 1):
                self._tails[words[at:]] += 1

    def fault(self, statement: Statement) -> str | None:
        """Why a statement is junk, in a few words; None if nothing can be held against it."""
        signs = text_signs(statement.facts[0].content)
        if signs.noise is not None:
            return signs.noise
        if not has_words(statement.reading.words):
            return None if self._is_value(statement) else "no words"
        if self._index_entry(statement):
            return "index entry"
        if signs.unfinished:
            return "ends in mid-clause"
        if self._names.is_piece(statement):
            return "a piece of a name"
        ends = self._ends.of(statement)
        # A text that begins with a capital was not cut there: Ana is no piece of Hana.
        if (ends.cut_begin and not signs.capital) or ends.cut_end:
            return "cut inside a word"
        if statement.at in self._whole:
            return None
        return self._fragment(statement, ends, signs) or self._noise(statement, ends)

    def _is_value(self, statement: Statement) -> bool:
        """Whether a text without words is a value of its entity, and not the number of a line in a list."""
        content = statement.facts[0].content[:_LONGEST_TEXT]
        if not statement.values or statement.entity in self._faulty or _LINE_NUMBER.fullmatch(content):
            return False
        shape = statement.reading.shape
        return len(_DIGITS.findall(content)) == 1 or DATE in shape or TIME in shape

    def _index_entry(self, statement: Statement) -> bool:
        """Two or more numbers and no word of four letters: a reference, not a sentence."""
        return statement.at not in self._whole and is_reference(statement.reading)

    def _fragment(self, statement: Statement, ends: Ends, signs: TextSigns) -> str | None:
        """Whether it was cut out of other sentences."""
        words, shape = statement.reading.words, statement.reading.shape
        if not words:
            return "says nothing of its subject"
        open_end = ends.ends == 0 or ends.ends * 5 < ends.ends_inside
        open_begin = ends.begins == 0 or ends.begins * 5 < ends.begins_inside
        if len(words) == 1:
            return "one word of a sentence" if shape[0] in FUNCTION_WORDS or statement.entity in self._faulty else None
        last = words[-1]
        if last in FUNCTION_WORDS and last not in PRONOUNS and last != "'s" and open_end:
            if last in DANGLING or (last in CONJUNCTIONS and ends.ends == 0):
                return "ends in mid-clause"
            if last in PREPOSITIONS and last not in PARTICLES and ends.ends == 0 and not statement.values:
                return "ends in mid-clause"
            value = words[-2] == ":" or words[-2] in FUNCTION_WORDS
            if ends.ends_inside >= _PASSED_BY and not value and ends.goes_on:
                return "ends in mid-clause"
        if not statement.values and ends.goes_on >= _GOES_ON and ends.ends * 5 < ends.goes_on:
            return "the beginning of a sentence form, without its value"
        goes_on = words[0] in CONJUNCTIONS and words[0] not in _OPENERS and not self._joins_subject(statement)
        if goes_on and open_begin and not statement.reading.named:
            return "begins in mid-clause"
        if signs.seam and (open_end or open_begin):
            return "runs across two sentences"
        formless = statement.at not in self._formed and not statement.reading.named
        if signs.joined and open_end and open_begin and formless and not former_places(statement.reading):
            return "runs across two sentences"
        if shape[0] == ":" and not statement.reading.named:
            return "begins in mid-entry"
        if signs.cut_brackets and (open_end or open_begin):
            return "cut inside brackets"
        if self._pieces.is_piece(statement):
            return "a piece of another statement"
        seen_inside = (open_begin and ends.begins_inside) or (open_end and ends.ends_inside)
        if statement.entity in self._faulty and not statement.reading.named and (seen_inside or len(words) < _PHRASE):
            return "cut out of a sentence, on a name that names nothing"
        return None

    @staticmethod
    def _joins_subject(statement: Statement) -> bool:
        """Whether the subject is what stands before the text: `and Bo meet on July 29` of Ada."""
        words, shape = statement.reading.words, statement.reading.shape
        return words[0] == "and" and shape[1] == NAME and statement.values.total() > 1

    def _noise(self, statement: Statement, ends: Ends) -> str | None:
        """Whether it points at things it does not name, or recurs on unrelated entities without any form."""
        reading = statement.reading
        if statement.values or statement.at in self._formed or reading.named:
            return None
        pointing = self._points(statement)
        unlike = not ends.begins and not self._is_tail(reading.words)
        vague = pointing or len(statement.content) <= _SAYS_LITTLE
        if vague and len(self._homes[reading.words]) >= _REPEATED and unlike and ends.opens < 2:
            return "recurs on unrelated entities"
        if statement.entity in self._faulty:
            return "states nothing, on a name that names nothing"
        if pointing and unlike and len(statement.content) <= 3:
            return "points at what it does not name"
        return None

    @staticmethod
    def _points(statement: Statement) -> bool:
        """Whether a pronoun, or the subject itself, stands where nothing was named yet that it could mean.

        `kubectl is overpriced for what it does` names it: a noun stands before a verb of its own.
        """
        noun = subject = False
        for word in statement.reading.words:
            if (word in _POINTERS or word == SUBJECT) and not subject:
                return True
            noun = noun or word in statement.content
            subject = subject or (noun and word in AUXILIARIES)
        return False

    def _is_tail(self, words: tuple[str, ...]) -> bool:
        """Whether the text, or what follows its first words, is how some other statement ends."""
        return words in self._tails or any(self._tails[words[at:]] > 1 for at in range(1, len(words) - 1))
