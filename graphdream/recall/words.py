"""Words of questions and texts, cut and stemmed exactly as the full-text index does it."""

from __future__ import annotations

import re
import sqlite3
import threading
import unicodedata
from collections.abc import Iterable

from graphdream.language.folding import other_spellings

# Words that carry no subject. A question made of nothing else is searched with all of its words.
# Source: the English function words of the Snowball project's stop list (snowballstem.org), without contractions'
# apostrophes, because the tokenizer cuts there. The closed classes of language/classes.yaml tell how a sentence is
# built, and hold words that a question may be about (`inside`, `without`, `every`); the words that carry no identity in
# a name (entities/forms.py) are fewer.
STOP_WORDS = frozenset(
    """a about above after again against all am an and any are aren as at be because been before being below between
    both but by can cannot could couldn d did didn do does doesn doing don down during each few for from further had
    hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just
    let ll m me more most mustn my myself no nor not of off on once only or other ought our ours ourselves out over own
    re s same shan she should shouldn so some such t than that the their theirs them themselves then there these they
    this those through to too under until up ve very was wasn we were weren what when where which while who whom why
    will with won would wouldn you your yours yourself yourselves""".split()
)

_WORD = re.compile(r"[^\W_]+")
# Scripts without blanks between words; the same signs as in migrations/0003_recall.sql.
_UNSPACED = re.compile("[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]+")

_WORDS_AND_RUNS = re.compile(rf"{_UNSPACED.pattern}|(?:(?!{_UNSPACED.pattern})\w)+")


def split(text: str) -> list[str]:
    """Words of a text in lower case, in order; digits are words, underscores are not."""
    if not text.isascii():  # marks that stand by themselves would cut a word; `İ` in lower case is two signs
        text = unicodedata.normalize("NFC", text).replace("İ", "i")
    return _WORD.findall(text.lower())


def sign_pairs(text: str) -> list[str]:
    """Each two neighbouring signs of scripts without blanks, once each, in order; a lone sign stands for itself."""
    pairs: dict[str, None] = {}
    for run in _UNSPACED.findall(text.lower()):
        for start in range(max(1, len(run) - 1)):
            pairs[run[start : start + 2]] = None
    return list(pairs)


def parts(text: str) -> list[str]:
    """Words of a text as they are written, in order; of scripts without blanks each next two signs, as an index has
    them, since nothing shows where a word ends."""
    out: list[str] = []
    for word in _WORDS_AND_RUNS.findall(text):
        out += [word[at : at + 2] for at in range(0, len(word), 2)] if _UNSPACED.match(word) else [word]
    return out


_PLAIN = {
    "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ё": "е",
    "ά": "α", "έ": "ε", "ή": "η", "ί": "ι", "ϊ": "ι", "ΐ": "ι", "ό": "ο", "ύ": "υ", "ϋ": "υ", "ΰ": "υ", "ώ": "ω",
}  # fmt: skip
_MARKED = {plain: letter for letter, plain in reversed(_PLAIN.items())}
_TO_PLAIN = str.maketrans(_PLAIN)
_TO_MARK = re.compile("|".join(sorted(_MARKED, key=len, reverse=True)))


def spellings(term: str) -> tuple[str, ...]:
    """How an index term is written, too, by who leaves out marks, or does not: `лёд` and `лед`, `ελένη` and `ελενη`,
    `lodz` and `łodz`. The index leaves out the accents of Latin letters, and of no others.

    Returns:
        Without any of these marks or typographic variants, with each mark, and with all of one letter, so far as that
        is another spelling.
    """
    plain, further = term.translate(_TO_PLAIN), STEMMER.stems(other_spellings(term))
    places = list(_TO_MARK.finditer(plain))
    marked = [plain[: at.start()] + _MARKED[at[0]] + plain[at.end() :] for at in places]
    of_a_letter = [plain.replace(letter, _MARKED[letter]) for letter in dict.fromkeys(at[0] for at in places)]
    return tuple(spelling for spelling in dict.fromkeys((plain, *further, *marked, *of_a_letter)) if spelling != term)


class Stemmer:
    """Stems of words, from the tokenizer of the index itself, so that the two can never disagree."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, str] = {}
        self._scratch: sqlite3.Connection | None = None

    def stems(self, words: Iterable[str]) -> list[str]:
        """The index term of each word, in order. A word that the index cuts in several gives the first of them."""
        wanted = list(words)
        fresh = [word for word in dict.fromkeys(wanted) if word not in self._known]
        if fresh:
            with self._lock:
                self._learn(fresh)
        return [self._known[word] for word in wanted]

    def _learn(self, words: list[str]) -> None:
        if self._scratch is None:
            self._scratch = sqlite3.connect(":memory:", check_same_thread=False)
            self._scratch.execute(
                'CREATE VIRTUAL TABLE word USING fts5 (spelling, tokenize = "porter unicode61 remove_diacritics 2")'
            )
            self._scratch.execute("CREATE VIRTUAL TABLE term USING fts5vocab (word, instance)")
        self._scratch.executemany("INSERT INTO word (rowid, spelling) VALUES (?, ?)", enumerate(words))
        found = dict(self._scratch.execute("SELECT doc, term FROM term ORDER BY offset DESC"))
        self._scratch.execute("DELETE FROM word")
        if len(self._known) > _KNOWN_WORDS:
            self._known.clear()
        self._known.update((word, found.get(number, word)) for number, word in enumerate(words))


_KNOWN_WORDS = 100_000  # some 10 MB; beyond that the memory of stems starts anew
STEMMER = Stemmer()
