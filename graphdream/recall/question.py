"""What a question asks for: its subject words, whose words are wanted, and when."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graphdream.language.folding import signs_as_words, unpointed
from graphdream.language.unasked import unasked
from graphdream.recall.when import Window, names_month, windows
from graphdream.recall.words import STEMMER, STOP_WORDS, sign_pairs, split

# The roles that stand in transcripts instead of a name. Source: the message roles of Claude Code, Codex and Copilot.
USER_ROLES = frozenset({"user", "human"})
_FIRST_PERSON = frozenset("i my me mine myself we our ours us".split())
_NOW = frozenset("now currently current nowadays latest today newest".split())
# "On which day": a word for what the answer is, not for what the question is about.
_TIME_UNITS = frozenset("day date time week month year".split())
MAX_TERMS = 64  # of a question as long as a document only the first words count
# Words that the index cannot tell from a function word: it cuts the `s` of `his` and `has`, and `hi` would find both.
_AS_FUNCTION_WORDS = frozenset(word.removesuffix("s") for word in STOP_WORDS)
_SURELY_ENGLISH = 4
"""English function words with which no other language is looked for; German has `was`, `in` and `so`, too."""
_SHORTEST_NICKNAME = 3
_CAPITALIZED = re.compile(r"\b[^\W\d_a-z][^\W_]*")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read.

    Attributes:
        text: as it was asked.
        terms: index terms of its subject words, once each, in order.
        pairs: pairs of signs of scripts without blanks.
        names: speakers of the memory that it names, in lower case.
        windows: times it names.
        first_person: it asks of the one who asks ("what did I say ...").
        asks_when: its answer is a time.
        asks_count: its answer is a number.
        asks_now: it wants the newest of several answers.
    """

    text: str
    terms: tuple[str, ...]
    pairs: tuple[str, ...]
    names: frozenset[str]
    windows: tuple[Window, ...]
    first_person: bool
    asks_when: bool
    asks_count: bool
    asks_now: bool


def read_question(text: str, *, speakers: Iterable[str] = (), years: Sequence[int] = ()) -> Question:
    """Read a question; any text is one, and none raises.

    Args:
        text: the question.
        speakers: names of everyone whose turns are on record.
        years: years the memory reaches over.
    """
    text = text.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair cannot be bound to a statement
    pointed, text = text, unpointed(text)
    words = split(text)[: 4 * MAX_TERMS]
    who = _named(words, {found.lower() for found in _CAPITALIZED.findall(text)}, speakers)
    times, time_words = windows(text, years) if len(words) < 4 * MAX_TERMS else ([], set())
    answer_words = {unit for asked, unit in pairwise(words) if asked in ("what", "which") and unit in _TIME_UNITS}
    # A month stays a subject, too: a fact may be told in any month, and say what is in August.
    beside = STOP_WORDS.union(
        _of_another_language(words), who, (word for word in time_words if not names_month(word)), answer_words
    )
    subject = [word for word in words if word not in beside] + signs_as_words(text)
    pairs = sign_pairs(text)[:MAX_TERMS]
    if not subject and not pairs:
        subject = [word for word in words if word not in STOP_WORDS] or words
    if pointed != text:  # what was said before may be in an index that cuts words at their points
        subject += [part for part in split(pointed)[: 4 * MAX_TERMS] if part not in words]
    heard = set(words)
    first = words[0] if words else ""
    return Question(
        text=pointed,
        terms=tuple(dict.fromkeys(STEMMER.stems(subject)))[:MAX_TERMS],
        pairs=tuple(pairs),
        names=frozenset(name for names in who.values() for name in names),
        windows=tuple(times),
        first_person=not who and not heard.isdisjoint(_FIRST_PERSON),
        asks_when=first == "when" or (not times and (bool(answer_words) or "how long" in text.lower())),
        asks_count="how" in heard and not heard.isdisjoint({"many", "much", "often"}),
        asks_now=not heard.isdisjoint(_NOW) or "these days" in text.lower(),
    )


def has_subject(text: str) -> bool:
    """Whether a message says what it is about: not so `hi`, and not so what consists of function words alone."""
    said = split(unpointed(text))
    return any(word not in STOP_WORDS | _AS_FUNCTION_WORDS for word in said) or bool(signs_as_words(text))


def _of_another_language(words: Sequence[str]) -> frozenset[str]:
    """Words that carry no subject in the language of a question that is not in English: `Wie hoch ist der Beitrag?`"""
    is_english = sum(word in STOP_WORDS for word in words) >= _SURELY_ENGLISH
    return frozenset() if is_english else unasked(words)


def _named(words: Sequence[str], capitalized: set[str], speakers: Iterable[str]) -> dict[str, set[str]]:
    """Words of a question that name a speaker, in full or by the beginning of the name (`Mel` for `Melanie`).

    A beginning must be written like a name: the car of "what car did Caroline buy?" is not Caroline.
    """
    found: dict[str, set[str]] = {}
    for speaker in speakers:
        folded = speaker.lower()
        if folded in USER_ROLES:
            continue
        for part in split(folded):
            for word in words:
                short = len(word) >= _SHORTEST_NICKNAME and word in capitalized and word not in STOP_WORDS
                if word == part or (short and part.startswith(word)):
                    found.setdefault(word, set()).add(folded)
    return found
