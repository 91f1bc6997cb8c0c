"""What a whole sentence that names nobody is about: the one place whose lines have what it tells.

`We enabled harmonics_v2 in prod` opens with nothing that a line of the memory would begin with, but the memory has one
line with `harmonics_v2`. So does `Switched backups from Backblaze B2 to ...` with the line of the backups. What several
places have in common with a sentence says nothing; then it stays text of its session.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from graphdream.dreamers.gathered import Gist
from graphdream.dreamers.reading.evidence import INNER, is_time
from graphdream.dreamers.reading.sentences import OWNER, Word, writes_without_blanks
from graphdream.dreamers.reading.toldwords import changes_in, in_common, is_acronym, leads_in, parted, told_in
from graphdream.facts.words import PRONOUNS, QUANTIFIERS
from graphdream.graph.names import canonical
from graphdream.language.forms import LEAST_STEM
from graphdream.language.labels import label_of
from graphdream.language.lexicon import capitalises_nouns, has_dictionary, is_compound, is_inflected, written

_OWN = frozenset(("i", "we", "my", "our"))
"""Pronouns of who speaks; any other that opens a sentence means what stands in another one."""
_IDENTIFIER = re.compile(rf"{INNER.pattern}|[^\W\d_]-?\d|\d[^\W\d_]{{3}}")
"""What is written as a name is, or has figures and letters in one: `QX-9`."""
_CODE = re.compile(r"`([^`]{3,60})`")
_CALLED = "()"  # behind the name of a function
_SHORTEST = 3  # signs of a word that nobody else has
_HEAD = 2  # words at the head of a line that say what it is about
_SOME, _MANY = 2, 3  # words in common that are enough where one is at the head, and where none is


def gist_of(sentence: str, language: str | None, name: str = "", *, spoken: bool = False) -> Gist | None:
    """What a sentence tells by which its place may be found; None where it tells nothing.

    Args:
        sentence: the sentence.
        language: code of its language; None where it is not known, and no dictionary speaks.
        name: what opens it and is a name by the evidence.
        spoken: it was said in passing, in a turn, and nobody summed it up.
    """
    found = parted(sentence)
    telling = [word for word in found if _tells(word, language)]
    if not telling:
        return None
    signs = {canonical(word.text) for word in telling if is_sign(word.text, language)}
    signs |= {canonical(word.text) for word in telling if sentence.startswith(_CALLED, word.end)}
    opens = found[0].text.casefold()
    names = {canonical(word.text) for word in telling if _is_written_as_name(word, language)}
    names = names if changes_in(found) and not spoken else set()
    is_vague = spoken or (opens in PRONOUNS and opens not in _OWN)
    return Gist(told_in(telling), frozenset(signs), canonical(name), frozenset(names), is_vague)


def likeness(content: str, gist: Gist) -> int:
    """How much a fact has of what a sentence tells, in words; 0 where that is too little to be about the same.

    It is enough that the sentence has all words of its label, a sign of it, what stands as code in it, or several words
    of which one is at its head; and where it tells a change, the name that is the whole value, or stands in the label.
    Where a new name opens the sentence, a fact without that name is about somebody else;
    where a pronoun does, or it was said in passing, only the label counts (`They raised the rent`), or many words.
    """
    line = _read(content)
    if gist.name and not told_in(parted(gist.name)) <= line.words:
        return 0
    name = told_in(parted(gist.name)) if gist.name else frozenset()
    if name and name.isdisjoint(line.label | line.value | line.code | {*line.head}):
        # The line is about somebody else, and names this one beside (`Orla's nephew Tavi`): more must be in common.
        gist = replace(gist, words=gist.words - name, signs=gist.signs - name)
    same, label = in_common(gist.words, line.words), line.label
    long = any(len(word) >= LEAST_STEM for word in label) or not label.isdisjoint(gist.signs)
    if same >= _MANY or (long and in_common(label, gist.words) == len(label)):
        return same + 1
    if gist.is_vague:
        return 0
    if gist.signs & line.words or gist.words & line.code or _names_it(line, gist):
        return same + 1
    return same if same >= _SOME and in_common(line.head, gist.words) else 0


@dataclass(frozen=True, slots=True)
class _Line:
    """What a line tells, folded: its words, those of its label, those at its head, what stands as code in it, and the
    words of its value, without figures, where these are written as names."""

    words: frozenset[str]
    label: frozenset[str]
    value: frozenset[str]
    head: tuple[str, ...]
    code: frozenset[str]


@lru_cache(maxsize=10_000)
def _read(content: str) -> _Line:
    found = parted(content)
    head = tuple(canonical(word.text) for word in found if not leads_in(word))[:_HEAD]
    code = frozenset(canonical(one) for one in _CODE.findall(content))
    label = label_of(content)[0]
    named = [word for word in found[len(parted(label)) :] if not word.text.isdigit()]
    is_named = bool(label) and all(word.is_capital for word in named)
    return _Line(told_in(found), told_in(parted(label)), told_in(named) if is_named else frozenset(), head, code)


def _names_it(line: _Line, gist: Gist) -> bool:
    """Whether a sentence that tells a change has a label, or the name that is its value, or a part of either, as a
    name."""
    return not gist.names.isdisjoint(line.value | line.label)


def _tells(word: Word, language: str | None) -> bool:
    """Whether a word tells something that a place may be found by: no word of grammar, number or time."""
    folded = word.text.casefold()
    if leads_in(word) or folded in QUANTIFIERS or writes_without_blanks(word.text[0]):
        return False
    return any(sign.isalpha() for sign in folded) and not is_time(word.text, language)


def _is_written_as_name(word: Word, language: str | None) -> bool:
    """Whether a word is written as a name within a sentence; where nouns are, only if no dictionary has it."""
    if not word.is_capital or (not word.start and not capitalises_nouns(language)):
        return False
    return not capitalises_nouns(language) or (language is not None and _is_unknown(word.text, language))


def is_sign(word: str, language: str | None) -> bool:
    """Whether hardly anything else has a word: an acronym, an identifier, or a word that no dictionary has."""
    if is_acronym(word):
        return True
    if len(word) < _SHORTEST:
        return False
    if _IDENTIFIER.search(word):
        return True
    if language is None or not has_dictionary(language) or not OWNER.sub("", word).isalpha():
        return False
    return all(_is_unknown(OWNER.sub("", word), code) for code in (language, "en"))


def _is_unknown(word: str, language: str) -> bool:
    """Whether the dictionary of a language has neither a word nor one that it is made of."""
    return written(word, language) == "absent" and not (is_compound(word, language) or is_inflected(word, language))
