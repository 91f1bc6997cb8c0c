"""Whether two statements count two things: `the book has 300 pages`, `the book has 12 chapters now`. Both hold."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.reading import NUMBER, TYPED, Reading
from graphdream.facts.telling import has_form_of, tells
from graphdream.facts.words import FROM_NOW_ON
from graphdream.language.calendar import is_time_unit

_LEAST = 4
"""Letters of what is counted, at least; shorter ones are mostly units of measure, of which one may stand for another
(`800 g`, `1 kg`)."""


@lru_cache(maxsize=50_000)
def count_two_things(before: Reading, after: Reading) -> bool:
    """Whether each has one number of its own, and what the newer counts is in no word of the older: something else, or
    some of it (`3 deprecated endpoints`). A span of time is one value in other units (`6 hours`, `5 minutes`), and none
    of what is no span (`520 euros`, `3 weeks late`)."""
    mine, theirs = _counted(before, after), _counted(after, before)
    spans = bool(mine and theirs) and is_time_unit(mine) and is_time_unit(theirs)
    return bool(mine and theirs) and not spans and not has_form_of(before, (theirs,))


def _counted(reading: Reading, other: Reading) -> str:
    """What the one number counts that the other does not have; "" where there is none, or it is a measure."""
    own = [at for at, kind in enumerate(reading.shape) if kind in TYPED and reading.words[at] not in other.words]
    behind = own[0] + 1 if len(own) == 1 and reading.shape[own[0]] == NUMBER else len(reading.words)
    if behind >= len(reading.words) or behind in reading.marks or reading.shape[behind] in TYPED:
        return ""
    word = reading.words[behind]
    counts = tells(reading.shape[behind], word) and word not in FROM_NOW_ON
    return word if counts and (len(word) >= _LEAST or is_time_unit(word)) else ""
