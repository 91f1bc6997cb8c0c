"""Facts that name another: "son of Jan Wouters senior" says that whoever it is said of is not Jan Wouters senior.

A fact that calls its own record by another name begins with that name, or tells a story in which it stands. One that
leads in to a name by what somebody is to it ("cousin of", "two rooms behind", "отец" with the name in another case)
leaves out its subject, which is the record itself, and so tells the two apart. What is looked for is how the clause is
built, not which relation it tells: a word or two that are no names, an adposition or else a case of the name, and then
the name, with which the clause ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphdream.entities.comparednames import reading_of
from graphdream.entities.evidence import PERSON, READ
from graphdream.entities.forms import FUNCTION_WORDS
from graphdream.entities.records import Record
from graphdream.entities.transcription import name_words, transcribed
from graphdream.entities.wordpairs import word_similarity
from graphdream.language.classes import closed_class, function_words, words_of
from graphdream.language.lexicon import capitalises_nouns, language_of, written
from graphdream.language.naming import naming_class

FEW = 2
"""Words that say what somebody is to another: more of them tell a story of the one who is named at its end."""
STEM_LETTERS, ENDING = 4, 3
"""Letters that a word of a name keeps in all its cases, and those of the longest ending."""
_WORD = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"[,;:.!?\n–—]|(?<!\w)[(\[]|\s-\s")
_REMARK = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_OWNS = re.compile(r"(?:['’]s|(?<=s)['’])\s+\w")
_END = re.compile(r"\s*(?:$|[,;.!)\]\n–—]|-\s)")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a fact: as it is written, as it is compared, and its place in the text."""

    raw: str
    folded: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Naming:
    """A name in a fact by the numbers of its first and last word; `cased` if all have the ending of another case."""

    first: int
    last: int
    cased: bool


def names_other(record: Record, other: Record) -> bool:
    """Whether the facts of a record name another one as somebody or something that it stands in a relation to.

    They have to do so more often than they name it in any other way.
    """
    own, name = folded_name(record.name), folded_name(other.name)
    texts = record.attributes[:READ]
    if not _may_be_named(texts, own, name) or _abbreviates(own, name) or _abbreviates(name, own):
        return False
    telling = _telling(own, name)
    if not telling and not _is_more(record.name, other.name):
        return False  # one is a misspelling of the other, or a part of it that many facts say for the whole
    person = PERSON in (record.type.strip().casefold(), other.type.strip().casefold())
    related, called = 0, 0
    for text in texts:
        if text in other.attributes:
            continue  # what is told of both tells neither from the other
        spoken = spoken_words(text)
        for naming in _namings(spoken, own, name, telling if person else frozenset()):
            if is_relation(text, spoken, naming.first, naming.last, own, cased=naming.cased):
                related += 1
            else:
                called += 1
    return related > called


def tells_relation(record: Record, other: Record) -> bool:
    """Whether the name of a record says who or what it is to a person of another one's name.

    Either the name is a clause that leads in to that one (`wife of Hamish`), or that one owns what follows (`Hamish's
    brother`), or it begins with a word for whose parent or child somebody is (`Abu Ahmed`).
    """
    if not reading_of(record, other).people:
        return False
    own, name = folded_name(record.name), folded_name(other.name)
    if len(name) >= len(own) or not set(name) < set(own):
        return False
    if own[0] in naming_class("kin") and own[0] not in name:
        return True
    spoken = spoken_words(record.name)
    for at in range(len(spoken)):
        if _stands(spoken, at, name):
            end = at + len(name) - 1
            if _OWNS.match(record.name, spoken[end].end) or is_relation(record.name, spoken, at, end, ()):
                return True
    return False


@lru_cache(maxsize=65_536)
def folded_name(name: str) -> tuple[str, ...]:
    """The words of a name as they are compared with those of facts."""
    return tuple(_folded(word) for word in name_words(name))


@lru_cache(maxsize=65_536)
def _folded(word: str) -> str:
    return "".join(sign for sign in transcribed(word).casefold() if sign.isalnum())


SAME = frozenset(map(_folded, closed_class("called")))
"""Words of a clause that tells another name of one and the same thing."""


@lru_cache(maxsize=65_536)
def spoken_words(text: str) -> tuple[Word, ...]:
    """The words of a fact in their order."""
    return tuple(Word(found[0], _folded(found[0]), *found.span()) for found in _WORD.finditer(text))


def _may_be_named(texts: Sequence[str], own: Sequence[str], name: Sequence[str]) -> bool:
    """Whether facts hold enough words of a name for a closer look, which takes far longer."""
    more = set(name).difference(own)
    if not name or (not more and set(name) == set(own)):
        return False
    for text in texts:
        said = _vocabulary(text)
        if not text.isascii() or (not more.isdisjoint(said) if more else said.issuperset(name)):
            return True  # beyond plain Latin a word may be there in another case
    return False


@lru_cache(maxsize=65_536)
def _vocabulary(text: str) -> frozenset[str]:
    return frozenset(word.folded for word in spoken_words(text))


def _is_more(longer: str, shorter: str) -> bool:
    """Whether a name of several words has another one in it, and a word beside it that is no article, figure or remark
    in brackets."""
    own, name = folded_name(longer), folded_name(shorter)
    bare = folded_name(_REMARK.sub(" ", longer))
    beside = [word for word in bare if word not in name and len(word) > 1 and word not in FUNCTION_WORDS]
    return len(name) > 1 and set(name) < set(own) and any(not word.isdigit() for word in beside)


def _abbreviates(short: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether a name of one word is made of first letters of another one's words: what is told of it is its reading."""
    firsts = iter(word[:1] for word in name)
    return len(short) == 1 and all(letter in firsts for letter in short[0])


@lru_cache(maxsize=65_536)
def _telling(own: tuple[str, ...], name: tuple[str, ...]) -> frozenset[str]:
    """Words of a name that another name has not, not even misspelled."""
    words = [word for word in name if word not in own and len(word) > 1 and word not in FUNCTION_WORDS]
    longer = [word for word in own if len(word) > 1]
    return frozenset(word for word in words if not word_similarity([word] * len(longer), longer).any())


def _namings(
    spoken: Sequence[Word], own: Sequence[str], name: Sequence[str], telling: frozenset[str]
) -> Iterator[_Naming]:
    """Where a fact names the other, in full or by a part of the name that holds one of its telling words."""
    taken = [range(at, at + len(own)) for at in range(len(spoken)) if _stands(spoken, at, own)]
    free = 0
    for at in range(len(spoken)):
        if at < free or any(at in places for places in taken if len(own) > len(name)):
            continue
        end = at
        if _stands(spoken, at, name):
            end = at + len(name)
        elif telling:
            while end < len(spoken) and spoken[end].raw[:1].isupper() and _among(spoken[end], name):
                end += 1
            if not any(_among(word, telling) for word in spoken[at:end]):
                continue
        if end > at:
            free = end
            yield _Naming(at, end - 1, all(word.folded not in name for word in spoken[at:end]))


def _among(word: Word, name: Iterable[str]) -> bool:
    return any(_is_form(word, part) for part in name)


def _stands(spoken: Sequence[Word], at: int, name: Sequence[str]) -> bool:
    words = spoken[at : at + len(name)]
    return len(words) == len(name) and all(_is_form(word, part) for word, part in zip(words, name, strict=True))


def _is_form(word: Word, part: str) -> bool:
    """Whether a word is a word of a name, or one of its cases in a script other than plain Latin."""
    if word.folded == part:
        return True
    stem = part[:-1] if part[-1:] in "aeiouy" else part
    if word.raw.isascii() or len(stem) < STEM_LETTERS or not word.raw[:1].isupper():
        return False
    return word.folded.startswith(stem) and len(word.folded) - len(stem) <= ENDING


def is_relation(
    text: str, spoken: Sequence[Word], first: int, last: int, own: Sequence[str], *, cased: bool = False
) -> bool:
    """Whether a clause without a subject leads in to a name and ends with it.

    Args:
        text: a fact.
        spoken: its words.
        first, last: numbers of the first and the last word of the name.
        own: words of the name of whoever the fact is about.
        cased: whether the name has another case, which leads in to it as an adposition does.
    """
    start, end = spoken[first].start, spoken[last].end
    if not _END.match(text, end):
        return False
    begins = max((found.end() for found in _BREAK.finditer(text, 0, start)), default=0)
    before = [word for word in spoken[:first] if word.start >= begins]
    if not before or not SAME.isdisjoint(word.folded for word in before):
        return False
    languages = _languages(tuple(word.folded for word in spoken))
    if not any(_leads_in(before, own, language, cased) for language in languages):
        return False  # asked before the dictionaries, of which each takes up to a second to load
    plain_nouns = not any(map(capitalises_nouns, languages))
    for word in before:
        named = _is_name_at_head(word, text, languages) if word.start == 0 else plain_nouns and _has_capital(word)
        if word.folded not in own and (named or any(sign.isdigit() for sign in word.raw)):
            return False
    return True


def _leads_in(before: Sequence[Word], own: Sequence[str], language: str, cased: bool) -> bool:
    """Whether words before a name are, in one language, what somebody is to it."""
    grammar = _class("grammar", language) | _class("of", language) | _class("pronouns", language)
    towards = _class("to", language)
    copulas = _class("is", language) | _class("was", language)
    words = [word for word in before if word.folded not in grammar and word.folded not in own]
    if not 0 < len(words) <= FEW or before[0].folded in towards:
        return False
    if any(word.folded in copulas for word in before if word.start > words[0].start):
        return False  # whoever is named before `is` is its subject
    return cased or before[-1].folded in grammar


@lru_cache(maxsize=512)
def _class(name: str, language: str) -> frozenset[str]:
    return frozenset(map(_folded, words_of(name, language)))


@lru_cache(maxsize=65_536)
def _languages(said: tuple[str, ...]) -> tuple[str, ...]:
    """The languages that a fact may be in: those of which most of its words are function words."""
    count = {code: sum(word in known for word in said) for code, known in function_words().items()}
    most = max(count.values())
    return tuple(code for code, number in count.items() if number == most)


def _is_name_at_head(word: Word, text: str, languages: Sequence[str]) -> bool:
    """Whether the first word of a fact is a name: it has a capital, and its language knows no such word."""
    if not _has_capital(word):
        return False
    language = language_of(text)
    if language is None and len(languages) == 1 and capitalises_nouns(languages[0]):
        language = languages[0]
    if language not in languages:
        language = None  # a few words may look like any language; each dictionary takes half a second to load
    known = written(word.raw, language) if language else "absent"
    return known == "absent" or (known == "proper" and not capitalises_nouns(language))


def _has_capital(word: Word) -> bool:
    return any(sign.isupper() for sign in word.raw)
