"""Whether a text looks like an answer: it states something, and something of the kind that is asked for."""

from __future__ import annotations

import re
from functools import cache

from graphdream.language.calendar import MONTHS, WEEKDAYS
from graphdream.recall.question import Question
from graphdream.recall.words import STEMMER, split

# Shares of the question's whole weight; set with those of graphdream/recall/talk.py.
TELLS_WHEN = 0.3
TELLS_COUNT = 0.1
TELLS_MUCH = 0.2  # a turn that states something rather than asks or greets
MUCH_CHARS = 140  # of statements; more says no more

_TIME_WORDS = (
    *WEEKDAYS, *MONTHS,
    *"""yesterday today tonight tomorrow week weekend month year ago last next recently soon since morning night day
    summer winter spring fall autumn""".split(),
)  # fmt: skip
_NUMBER_WORDS = tuple(
    """one two three four five six seven eight nine ten dozen couple few several once twice first second third half
    hundred""".split()
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\[")


def tells(question: Question, content: str) -> float:
    """How much a text states, and whether it states what is asked for, a time or a number: 0 to 0.6, as a share."""
    if "?" in content:
        stated = sum(len(part) for part in _SENTENCE_END.split(content) if not part.rstrip().endswith("?"))
    else:
        stated = len(content)
    told = TELLS_MUCH * min(stated, MUCH_CHARS) / MUCH_CHARS
    if question.asks_when or question.asks_count:
        stems = STEMMER.stems(split(content))
        time_words, number_words = _answer_words()
        if question.asks_when and any(stem in time_words or (stem.isdigit() and len(stem) == 4) for stem in stems):
            told += TELLS_WHEN
        if question.asks_count and any(stem in number_words or stem.isdigit() for stem in stems):
            told += TELLS_COUNT
    return told


@cache
def _answer_words() -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(STEMMER.stems(_TIME_WORDS)), frozenset(STEMMER.stems(_NUMBER_WORDS))
