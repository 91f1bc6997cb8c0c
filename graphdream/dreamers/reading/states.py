"""What a session says of things that the memory does not know yet: `The API listens on port 8080`.

Most of a summary is what happened (`Fixed two tests`), and stays text of its session. What holds is worth a fact even
where it names nobody, since a later session may say that it holds no more. It is told by grammar: what it is about
opens the sentence, and a verb in the present comes next. It must have something of its own to be found again by, a
number, a time, a name or a word that no dictionary has; the rest (`Padlocks are cheap`) stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from graphdream.dreamers.gathered import SeenSession
from graphdream.dreamers.reading.gist import is_sign
from graphdream.dreamers.reading.sentences import Word, sentences, writes_without_blanks
from graphdream.dreamers.reading.toldwords import leads_in, parted
from graphdream.dreamers.reading.unread import texts_of
from graphdream.dreamers.reading.user import MAY, PAST
from graphdream.facts.words import CONJUNCTIONS, NEGATIONS, PRONOUNS, QUANTIFIERS
from graphdream.graph.categories import GENERAL
from graphdream.language.calendar import is_weekday
from graphdream.language.classes import function_words, words_of
from graphdream.language.lexicon import Languages, capitalises_nouns, written
from graphdream.language.present import may_be_present

_OPENS_NONE = (PRONOUNS | CONJUNCTIONS | QUANTIFIERS | NEGATIONS | {"there"}) - {"our"}
_MOST_BEFORE = 2  # words that lead in to it: `the user's`
_LONGEST = 5  # words before the verb
_BEEN = "been"
"""What makes an English verb of what happened."""
_VERB_BEHIND_NOUN = "de"
"""A language in which the noun that ends what a sentence is about has a capital, and the verb behind it none."""
_ONLY_HAVE = ("es", "pt")
"""Languages in which the verb of having makes no perfect."""
_ADPOSITIONS = ("where", "towards", "from", "by")
_DASH = re.compile(r"\s[–—]\s*")
_QUOTED = '«»„“”"'
_WITHOUT_COPULA = frozenset(("ru", "uk"))
"""Languages in which the present has no copula: a dash stands there, or nothing (World Atlas of Language Structures,
feature 120A)."""
_OVER = {"zh": ("了", "过"), "ja": ("た。", "た")}
"""What says in scripts without blanks that something happened: anywhere, and at the end."""
_COMES_TO = {
    "zh": re.compile(r"[改变换调升降涨][为成到至]了?\d"),
    "ja": re.compile(r"\d[^\s、。]{0,4}に(?:変|な[っり]|上が|下が)"),
}
"""What says in them that a value is another since: what happened is over, and the value holds."""


def tells_what_holds(sentence: str, language: str | None) -> bool:
    """Whether a sentence that names nobody says what holds of something, and can be found again by it.

    Args:
        sentence: the sentence.
        language: code of its language; where it is not known, nothing is told.
    """
    found = parted(sentence)
    if not found or language is None:
        return False
    if writes_without_blanks(found[0].text[0]):
        return _is_specific(found, language) and _holds_unspaced(sentence, language)
    opens = found[0].text.casefold()
    if _says_what_is_used(found, language):
        return True
    if opens in _OPENS_NONE or any(opens in words_of(name, language) for name in _ADPOSITIONS):
        return False
    verb = _verb(sentence, found, language)
    about = next((at for at, word in enumerate(found[:verb]) if not leads_in(word)), verb)
    return about < verb and _is_specific(found[about + 1 :], language)


def _says_what_is_used(found: list[Word], language: str) -> bool:
    """Whether who speaks says what he and others use, or tells to use it: `We use Gradle`, `Use tabs in 3 files`."""
    at = int(found[0].text.casefold() in words_of("we", language))
    said = [word.text.casefold() for word in found[at : at + 2]]
    is_verb = len(said) > 1 and said[0] in words_of("uses", language) and said[1] not in words_of("of", language)
    return is_verb and _is_specific(found[at + 1 :], language)


def folders_in(sessions: Iterable[SeenSession]) -> set[str]:
    """The folder where what summaries say of things is filed, if they do: what to look up."""
    for session in sessions:
        languages = Languages(sentence for text in texts_of(session) for sentence in sentences(text))
        told = [sentence for _, summary in session.summaries for sentence in sentences(summary)]
        if any(tells_what_holds(sentence, languages.of(sentence)) for sentence in told):
            return {GENERAL}
    return set()


def _verb(sentence: str, found: list[Word], language: str) -> int:
    """The place of the verb in the present, behind what a sentence is about; 0 where another one comes first."""
    about = next((at for at, word in enumerate(found) if not leads_in(word)), len(found))
    if about > _MOST_BEFORE or (about == 0 and language == "en" and not _may_be_noun(found[0].text)):
        return 0
    is_verb = _is_english_verb if language == "en" else partial(_is_verb, language=language)
    led_on = False
    for at in range(about + 1, min(len(found), about + _LONGEST + 1)):
        between, word = sentence[found[at - 1].end : found[at].start], found[at].text.casefold()
        if is_said_to_be(sentence, found, at, language):
            return at
        if language in _WITHOUT_COPULA and word in words_of("now", language):
            return at
        if between.strip().strip(_QUOTED):
            return 0
        if led_on and language == _VERB_BEHIND_NOUN and found[at - 1].is_capital and _may_be_verb(found[at]):
            return at if is_verb(found, at) else 0
        if word in words_of("is", language) or (not led_on and is_verb(found, at)):
            return at
        if any(word in words_of(name, language) for name in ("was", "has")) or (language == "en" and _is_past(word)):
            return 0
        # Behind what leads in to another thing, a noun may look like a verb (`comprou uma casa`); English is told else.
        led_on = led_on or (language != "en" and leads_in(found[at]) and not _goes_with(word, language))
    return 0


def is_said_to_be(sentence: str, found: list[Word], at: int, language: str | None) -> bool:
    """Whether a dash stands before a word in place of the copula: `Тимур — ученик`."""
    between = sentence[found[at - 1].end : found[at].start]
    return language in _WITHOUT_COPULA and _DASH.fullmatch(between) is not None


def _may_be_verb(word: Word) -> bool:
    """Whether a word is neither a noun, which has a capital where this is asked, nor one of grammar."""
    return not word.is_capital and not leads_in(word)


def _is_english_verb(found: list[Word], at: int) -> bool:
    """Whether an English word is a verb in the present, by itself and by the words around it."""
    word = found[at].text.casefold()
    if word in words_of("has", "en"):
        return at + 1 < len(found) and not _is_past(found[at + 1].text.casefold())
    return word in MAY or (_goes_on(found[at + 1 :]) and _agrees(found[at - 1].text, found[at].text))


def _is_verb(found: list[Word], at: int, *, language: str) -> bool:
    """Whether a word of another language is a verb in the present: by its ending; where it says what something has, by
    a number behind it; in German, where a noun of several comes before it, by its infinitive, which is a noun, too."""
    word = found[at].text
    if word.casefold() in words_of("has", language):
        behind, last = found[at + 1 : at + 2], found[-1].text
        counts = bool(behind) and behind[0].text.isdigit() and not (language == "de" and last.islower())
        return counts or language in _ONLY_HAVE
    if word.casefold() in function_words().get(language, ()):  # of its own: `come` is one in Italian
        return False
    if may_be_present(word, language):
        return True
    is_several = language == "de" and found[at - 1].is_capital and word.islower() and word.endswith("en")
    return is_several and written(word, language) == "both"


def _is_past(word: str) -> bool:
    """Whether an English word tells what happened: `fixed`, `been`."""
    return word.endswith(PAST) or word == _BEEN


def _goes_with(word: str, language: str) -> bool:
    """Whether a word leads in to more of what a sentence is about: the word for *of*, or for *and*."""
    return word in words_of("of", language) or word in words_of("joins", language)


def _agrees(noun: str, verb: str) -> bool:
    """Whether an English word may be the verb of the one before it: `backup runs`, `backups run`."""
    if may_be_present(verb, "en"):
        return True
    if not (noun.endswith("s") and noun.isalpha()) or verb.endswith(("s", PAST)):
        return False
    of_one = f"{verb}es" if verb.endswith("o") else f"{verb}s"
    return verb not in function_words()["en"] and may_be_present(of_one, "en")


def _goes_on(behind: list[Word]) -> bool:
    """Whether what stands behind an English word lets it be a verb: behind a noun of several comes another verb."""
    return bool(behind) and not any(behind[0].text.casefold() in words_of(name, "en") for name in ("is", "has", "was"))


def _may_be_noun(word: str) -> bool:
    """Whether an English word may be a noun: there is one of several of it, or it is that, or nobody knows it. `Ran`
    and `Wrote` are none."""
    folded = word.casefold()
    if folded.endswith(PAST) or not folded.isalpha():
        return not folded.isalpha()
    if written(folded, "en") == "absent":
        return True
    several = (folded + "s", folded + "es", folded[:-1] + "ies")
    return folded.endswith("s") or any(written(one, "en") != "absent" for one in several)


def _is_specific(found: Iterable[Word], language: str) -> bool:
    """Whether words have a number, a weekday, a name, or a word that no dictionary has; a relative day passes."""
    for word in found:
        if any(sign.isdigit() for sign in word.text) or is_sign(word.text, language):
            return True
        if is_weekday(word.text.casefold()) or is_weekday(word.text.casefold().removesuffix("s")):
            return True
        if word.is_capital and not capitalises_nouns(language) and not leads_in(word):
            return True
    return False


def _holds_unspaced(sentence: str, language: str) -> bool:
    comes_to = _COMES_TO.get(language)
    if comes_to is not None and comes_to.search(sentence, 1):
        return True
    over = _OVER.get(language, ())
    happened = any(mark in sentence for mark in over) if language == "zh" else sentence.endswith(tuple(over))
    told = words_of("is", language) | words_of("recurs", language)  # a habit holds: `每月订购20斤`
    return not happened and any(sentence.find(word) > 0 for word in told)
