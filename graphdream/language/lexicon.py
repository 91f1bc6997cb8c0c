"""How the dictionary of a language writes a word: the evidence for a capital at the head of a sentence.

`Lunch was late` and `Avery was late` look alike. What tells them apart is that English has a word *lunch* and none
*avery*. The dictionaries are those of simplemma, which ship with it (some fifty languages, no download, no model); they
are loaded when a text calls for one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal

from graphdream.language.classes import function_words

Written = Literal["absent", "lower", "proper", "both"]

# Languages that are asked whether they know a text's words, those first that it speaks for. Left out are those whose
# dictionaries take a gigabyte to load (Polish, Finnish, Hungarian): there, as in languages without a dictionary, a
# single new name needs other evidence.
_LATIN = ("en", "fr", "es", "pt", "de", "it", "nl", "sv", "da", "nb", "cs", "ro", "tr")
_CYRILLIC = ("ru", "uk", "bg")
_LETTERS = {
    "fr": "èêëàçœùîô", "es": "ñáíóú¿¡", "pt": "ãõâêç", "de": "äöüß", "it": "òìù", "sv": "åäö", "da": "æøå",
    "nb": "æøå", "cs": "ěřů", "ro": "ășț", "tr": "ğış", "uk": "іїєґ", "bg": "ъ",
}  # fmt: skip
_WITHOUT_CAPITALS = frozenset(("ja", "zh", "ko"))  # nor dictionaries; they are told by their script
_WITHOUT_DICTIONARY = ("pl", "fi", "hu")  # told by their words, so that no dictionary is asked for them
_CAPITALISED_NOUNS = frozenset(("de", "lb"))  # German and Luxembourgish write every noun with a capital
# Germanic but for English, and Finno-Ugric: they write compounds as one word, which no dictionary holds all of.
_JOINED_COMPOUNDS = frozenset(("de", "lb", "nl", "sv", "da", "nb", "nn", "is", "fi", "et", "hu"))

# Share of a text's plain words. Of single sentences in their own language 0.8 and more are known, of others 0.67 and
# less, as measured on fixtures/summary_sentences.jsonl.
_KNOWN_WELL, _KNOWN_ENOUGH = 0.8, 0.7
_LEAST_TOLD = 0.15  # words of closed classes for each plain word of a text; in a language of its own it is some 0.4
_MOST_ASKED, _MOST_ASKED_OF_FEW_WORDS = 2, 4  # dictionaries beside the first; few words speak for several languages
_FEW_WORDS = 5  # plain words; fewer may be words of two languages by chance, and then neither is taken
_READ_CHARACTERS = 4_000
_PLAIN = re.compile(r"(?<![\w'’.@/-])[^\W\d_]+(?![\w'’@/-])")
_LEAST_PART, _LEAST_REST = 5, 3  # letters of a compound's known end, and of what stands before it
_LEAST_STEM, _LONGEST_ENDING = 5, 2  # letters of a known word, and of the ending that makes another form of it


@lru_cache(maxsize=64)
def language_of(text: str) -> str | None:
    """Code of the language that a text is written in; None where no dictionary knows most of its words.

    Only words without a capital count, as names are in no dictionary.
    """
    script = _script(text)
    if script in _WITHOUT_CAPITALS:
        return script
    plain = _plain_words(text)
    if not plain:
        return None
    found: dict[str, float] = {}
    told = _told(text, plain, _CYRILLIC if script == "cyrillic" else _LATIN)
    # The English dictionary has many words of others: few words are English where no other language is spoken for more.
    enough = len(plain) >= _FEW_WORDS or told.get("en", 0.0) >= max(told.values(), default=0.0)
    asked = _asked(told, plain, _CYRILLIC if script == "cyrillic" else _LATIN)
    for at, language in enumerate(asked):
        found[language] = _known_share(plain, language)
        rivals = any(told[other] >= told.get(language, 0.0) for other in asked[at + 1 :])
        spoken = language == "en" and language in told
        alone = spoken or (len(plain) >= _FEW_WORDS and not rivals)
        if found[language] >= _KNOWN_WELL and enough and alone:
            return language
    well = [language for language, share in found.items() if share >= _KNOWN_WELL]
    if len(well) > 1:
        worth = {language: (told.get(language, 0.0), found[language]) for language in well}
        first, second = sorted(well, key=lambda language: worth[language], reverse=True)[:2]
        return first if worth[first] > worth[second] else None
    best = max(found, key=lambda language: found[language], default="")
    return best if best and found[best] >= _KNOWN_ENOUGH else None


def spoken_in(text: str) -> tuple[str, ...]:
    """Codes of the languages that a text speaks for most, by its script, letters and closed-class words alone; none
    where it speaks for none. Nothing is loaded for it, where `language_of` may load four dictionaries."""
    script, plain = _script(text), _plain_words(text)
    if script in _WITHOUT_CAPITALS:
        return (script,)
    told = _told(text, plain, _CYRILLIC if script == "cyrillic" else _LATIN) if plain else {}
    most = max(told.values(), default=0.0)
    return tuple(language for language, share in told.items() if share == most)


class Languages:
    """The language of each sentence of a session.

    One sentence is often too short to tell it by: it is in the language of all that is in its script, unless its own
    words speak clearly of another one.
    """

    def __init__(self, sentences: Iterable[str] = ()) -> None:
        told: dict[str, list[str]] = defaultdict(list)
        for sentence in sentences:
            told[_writing(sentence)].append(sentence)
        self._by_script = {script: language_of("\n".join(found)) for script, found in told.items()}

    def of(self, text: str) -> str | None:
        """Code of the language of a part of it; None where that is not known."""
        around = self._by_script.get(_writing(text))
        return around if around in _WITHOUT_CAPITALS else _language_among(text, around)


@lru_cache(maxsize=4_096)
def _language_among(sentence: str, around: str | None) -> str | None:
    """The language of a sentence among others in a language, or in one that nobody knows."""
    plain = _plain_words(sentence)
    if not plain:
        return around
    if around is None:
        return language_of(sentence) if len(plain) >= _FEW_WORDS else None
    told = _told(sentence, plain, _CYRILLIC if around in _CYRILLIC else _LATIN)
    others = [language for language in told if told[language] > told.get(around, 0.0)]
    if not others:
        return around
    known = _known_share(plain, around)
    for language in sorted(others, key=lambda one: -told[one])[:_MOST_ASKED]:
        share = _known_share(plain, language)
        if share > known and share >= _KNOWN_WELL:
            return language
    return around


def _plain_words(text: str) -> list[str]:
    return [word for word in _PLAIN.findall(text[:_READ_CHARACTERS]) if word.islower()]


def _known_share(plain: Sequence[str], language: str) -> float:
    """Share of plain words that the dictionary of a language has."""
    dictionary = _dictionary(language)
    return sum(word in dictionary for word in plain) / len(plain)


def _told(text: str, plain: Sequence[str], languages: Sequence[str]) -> dict[str, float]:
    """How much of a text speaks for each language before any dictionary is loaded: words of its closed classes and
    letters of its own, for each plain word."""
    letters = Counter(text.lower())
    words = function_words()
    told = {
        language: (
            sum(word in words.get(language, ()) for word in plain)
            + sum(letters[letter] > 0 for letter in _LETTERS.get(language, ""))
        )
        / len(plain)
        for language in (*languages, *_WITHOUT_DICTIONARY)
    }
    return {language: share for language, share in told.items() if share > 0}


def _asked(told: Mapping[str, float], plain: Sequence[str], languages: Sequence[str]) -> list[str]:
    """The languages whose dictionaries are asked: the first of its script, then those that the text speaks for most,
    and few of them: to load all takes ten seconds. Where it speaks for a language without a dictionary, none."""
    best = max(told, key=lambda language: told[language], default="")
    if best in _WITHOUT_DICTIONARY:
        return []
    least, most = (_LEAST_TOLD, _MOST_ASKED) if len(plain) >= _FEW_WORDS else (0.0, _MOST_ASKED_OF_FEW_WORDS)
    likely = [language for language in languages[1:] if told.get(language, 0.0) > least]
    likely.sort(key=lambda language: -told[language])
    return [languages[0], *likely[:most]]


def capitalises_nouns(language: str | None) -> bool:
    """Whether a capital says only that a word is a noun; also where the language is not known."""
    return language is None or language in _CAPITALISED_NOUNS


def has_dictionary(language: str | None) -> bool:
    """Whether a dictionary can say how this language writes a word, which `written` and what follows it need."""
    return language is not None and language not in _WITHOUT_CAPITALS


def written(word: str, language: str) -> Written:
    """How the dictionary of a language writes a word: not at all, only without a capital, only with one, or both.

    A word with a hyphen is as its parts are, plain where each of them is.
    """
    dictionary = _dictionary(language)
    parts = word.split("-")
    if len(parts) > 1 and word.lower() not in dictionary:
        found = {written(part, language) for part in parts if part}
        return "lower" if found <= {"lower", "both"} else "absent"
    lower, capital = word.lower() in dictionary, word[:1].upper() + word[1:].lower() in dictionary
    if lower:
        return "both" if capital else "lower"
    return "proper" if capital or word in dictionary else "absent"


def is_compound(word: str, language: str) -> bool:
    """Whether a word ends in another one, as compounds do: `U-Bahn`, and in some languages `Montagsbesprechung`."""
    head, hyphen, last = word.rpartition("-")
    if hyphen and head:
        known = written(last, language)
        return known in ("lower", "both") or (known == "proper" and capitalises_nouns(language))
    if language not in _JOINED_COMPOUNDS:
        return False
    dictionary = _dictionary(language)
    ends = (word[at:].lower() for at in range(_LEAST_REST, len(word) - _LEAST_PART + 1))
    return any(end in dictionary or end.capitalize() in dictionary for end in ends)


def is_inflected(word: str, language: str) -> bool:
    """Whether a word is a plain one with an ending: dictionaries lack forms of younger words (`Standups`)."""
    dictionary = _dictionary(language)
    stems = (word[: len(word) - ending].lower() for ending in range(1, _LONGEST_ENDING + 1))
    return any(len(stem) >= _LEAST_STEM and stem in dictionary for stem in stems)


def _script(text: str) -> str:
    head = text[:_READ_CHARACTERS]
    if re.search(r"[\u3040-\u30ff]", head):
        return "ja"
    if re.search(r"[\uac00-\ud7a3]", head):
        return "ko"
    if re.search(r"[\u3400-\u9fff]", head):
        return "zh"
    cyrillic = len(re.findall(r"[\u0400-\u04ff]", head))
    return "cyrillic" if cyrillic > len(re.findall(r"[a-zA-Z]", head)) else "latin"


def _writing(text: str) -> str:
    """Its script, Japanese and Chinese taken for one: a Japanese sentence may have none but Chinese signs."""
    script = _script(text)
    return "ja" if script == "zh" else script


class _Dictionary:
    """The words of a language as 64-bit hashes: a tenth of the memory of the words themselves."""

    def __init__(self, words: Iterable[str]) -> None:
        import numpy as np

        self._hashes = np.unique(np.fromiter((hash(word) for word in words), dtype=np.int64))

    def __contains__(self, word: str) -> bool:
        at = int(self._hashes.searchsorted(hash(word)))
        return at < len(self._hashes) and int(self._hashes[at]) == hash(word)


@cache
def _dictionary(language: str) -> _Dictionary:
    """Takes up to a second and, while it is loaded, up to 300 MB; what stays is below 11 MB."""
    from simplemma.strategies.dictionaries import DefaultDictionaryFactory

    return _Dictionary(DefaultDictionaryFactory(cache_max_size=1).get_dictionary(language))
