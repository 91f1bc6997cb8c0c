"""Two answers to a question that has one, of which time alone does not tell which holds.

Of two things told in turn (changes.py) the later one holds. A value that came back was told before and after the
other: `Editor: Vim`, then `Editor: Zed`, then Vim again. Zed is over, and Vim holds, if all tellings of the one lie
between two neighbouring ones of the other. What is told in turns more often, or at one time, is at odds. So are a
sentence and its denial, in whatever way a language denies.

Lines of files are left out, but for denials: of 45,000 lines of notes under version control 1,600 pairs looked like
this, and most of these stood together for good.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import signals
from graphdream.facts.cover import breaks_off
from graphdream.facts.evidence import Evidence, Table
from graphdream.facts.groups import Group
from graphdream.facts.moments import days
from graphdream.facts.reading import DATE, NAME, NUMBER, Reading
from graphdream.facts.tellings import Told
from graphdream.facts.words import FUNCTION_WORDS, IN_DATES, IS
from graphdream.language.calendar import month_called
from graphdream.language.denials import is_denial
from graphdream.language.forms import are_forms
from graphdream.language.scripts import is_unspaced
from graphdream.scoring.curve import Ints

ONE_ANSWER = 0.55
"""Log-odds (oneanswer.py) from which the words that two sentences share ask a question with one answer. Of vocabularies
left out, 54 % of questions with one answer reach it, and 8 % of those with many."""
SEVERAL_ANSWERS = -1.0
"""Log-odds below which words ask a question with several answers, whatever else speaks for one."""
_OTHER_WORDS = 6
"""Words, or pairs of characters, in which a sentence and its denial differ at most."""
_MUCH_ALIKE = 0.6
"""Likeness, letter by letter, of a sentence and its denial at least."""
_HIRAGANA = re.compile("[\u3040-\u309f]")
_SIGNAL = {name: at for at, name in enumerate(signals.SIGNALS)}


class TwoAnswers(NamedTuple):
    """Two groups that answer one question, and the row of `evidence.in_time` that shows it."""

    one: int
    other: int
    row: int


def find_two_answers(groups: Sequence[Group], place: dict[int, int], evidence: Evidence) -> Iterator[TwoAnswers]:
    """Yield pairs of groups that deny each other, or that were told in sessions and answer a question with one answer.

    Args:
        groups: what is said, each thing once.
        place: statement -> its group.
        evidence: what was measured.
    """
    older, newer, table = evidence.in_time()
    asked = _told(table) & _one_question(table)
    asked |= _exchanges(older, newer, table, evidence) | _equated(older, newer, table, evidence)
    for row in np.flatnonzero(asked & ~_listed(older, newer, asked, table)).tolist():
        a, b = int(older[row]), int(newer[row])
        one, other = place.get(a), place.get(b)
        if one is None or other is None or one == other:
            continue
        first, last = evidence.said[a].reading, evidence.said[b].reading
        piece = breaks_off(first.words, last.words) or breaks_off(last.words, first.words)  # which is no answer
        if not (piece or inflected(first, last)):
            yield TwoAnswers(one, other, row)
    for row in np.flatnonzero(_may_deny(table)).tolist():
        a, b = int(older[row]), int(newer[row])
        one, other = place.get(a), place.get(b)
        if one is None or other is None or one == other:
            continue
        if is_denial(evidence.said[a].reading.words, evidence.said[b].reading.words):
            yield TwoAnswers(one, other, row)


def inflected(first: Reading, last: Reading) -> bool:
    """Whether the names in which two sentences differ are one but for an ending: `on Mondays`, `every Monday`."""
    one, other = ([w for w, kind in zip(r.words, r.shape, strict=True) if kind == NAME] for r in (first, last))
    mine, theirs = [word for word in one if word not in other], [word for word in other if word not in one]
    if len(mine) != 1 or len(theirs) != 1:
        return False
    # Not where a sign or a digit is in it: `GPT-4o` is no form of `GPT-4`.
    return mine[0].isalpha() and theirs[0].isalpha() and are_forms(mine[0], theirs[0])


def _told(table: Table) -> NDArray[np.bool_]:
    """Shape (pairs,): whether it was told in sessions, and does not stand in files."""
    return np.asarray(table[:, _SIGNAL["written"]] == 0)


def _one_question(table: Table) -> NDArray[np.bool_]:
    """Shape (pairs,): whether both answer one question that has one answer, in the same words or under one label, and
    neither is a part of the other."""
    value = (table[:, _SIGNAL["one_value"]] > 0) & (table[:, [_SIGNAL["word_a"], _SIGNAL["word_b"]]] == 0).all(axis=1)
    value |= (table[:, _SIGNAL["same_label"]] > 0) & (table[:, _SIGNAL["one_span"]] > 0)
    parts = [_SIGNAL[f"{name}_{side}"] for name in ("begins", "inside") for side in "ab"]
    whole = ~(table[:, parts] > 0).any(axis=1)
    return np.asarray(value & whole & (table[:, _SIGNAL["one_both"]] >= ONE_ANSWER))


def _exchanges(older: Ints, newer: Ints, table: Table, evidence: Evidence) -> NDArray[np.bool_]:
    """Shape (pairs,): whether both answer one question that has one answer, where what they exchange is a value that no
    form of writing shows: characters of a script without spaces and capitals, no hiragana among them, which write
    endings and particles."""
    likely = _told(table) & (table[:, _SIGNAL["one_both"]] >= ONE_ANSWER) & (table[:, _SIGNAL["one_span"]] > 0)
    likely &= table[:, _SIGNAL["word_a"]] + table[:, _SIGNAL["word_b"]] > 0
    for row in np.flatnonzero(likely).tolist():
        one, other = (evidence.said[int(side[row])].reading for side in (older, newer))
        shorter = min(len(one.words), len(other.words))
        low, after = (round(shorter * float(table[row, _SIGNAL[end]])) for end in ("prefix", "suffix"))
        after = min(after, shorter - low)
        spans = [reading.words[low : len(reading.words) - after] for reading in (one, other)]
        likely[row] = all(spans) and all(
            is_unspaced(word) and not _HIRAGANA.match(word) for span in spans for word in span
        )
    return np.asarray(likely)


def _equated(older: Ints, newer: Ints, table: Table, evidence: Evidence) -> NDArray[np.bool_]:
    """Shape (pairs,): whether both say what day something is, in the same words (`the deadline is May 3`, but not `the
    market is on May 3`). One thing is one day, unless what the words mean speaks clearly of several."""
    likely = _told(table) & (table[:, _SIGNAL["one_span"]] > 0)
    likely &= table[:, _SIGNAL["one_both"]] >= SEVERAL_ANSWERS
    for row in np.flatnonzero(likely).tolist():
        one, other = (_day_said(evidence.said[int(side[row])].reading) for side in (older, newer))
        likely[row] = one is not None and other is not None and one.what == other.what and one.day != other.day
    return np.asarray(likely)


class _DaySaid(NamedTuple):
    """What is said to be a day, without function words, and the day: date and year."""

    what: tuple[str, ...]
    day: tuple[str, ...]


@lru_cache(maxsize=10_000)
def _day_said(reading: Reading) -> _DaySaid | None:
    """What a sentence says that ends with what day something is; None for any other one."""
    day, kinds, rest = list[str](), set[str](), len(reading.words)
    for word, kind in zip(reversed(reading.words), reversed(reading.shape), strict=True):
        if kind == word and word in IS:
            break
        rest -= 1
        if kind in (DATE, NUMBER):
            day.append(word)
            kinds.add(kind)
        elif kind != word or word not in IN_DATES:
            return None
    else:
        return None
    if DATE not in kinds or _joins_days(reading, rest):
        return None
    return _DaySaid(tuple(word for word in reading.words[:rest] if word not in FUNCTION_WORDS), tuple(day))


def _joins_days(reading: Reading, rest: int) -> bool:
    """Whether what is read as a copula stands between two days, months or numbers of days (Portuguese `2 e 3 de maio`):
    it is the word for *and* then, which joins what is alike.

    Args:
        rest: words up to it, and with it.
    """
    before = rest - 2
    return before >= 0 and (reading.shape[before] in (DATE, NUMBER) or month_called(reading.words[before]) is not None)


def _may_deny(table: Table) -> NDArray[np.bool_]:
    """Shape (pairs,): whether two may be a sentence and its denial: in much the same words, and no value differs."""
    values = [_SIGNAL[f"{kind}_{side}"] for kind in ("number", "date", "time", "name") for side in "ab"]
    words = table[:, _SIGNAL["word_a"]] + table[:, _SIGNAL["word_b"]]
    near = (words > 0) & (words <= _OTHER_WORDS) & (table[:, _SIGNAL["ratio"]] >= _MUCH_ALIKE)
    return np.asarray(near & (table[:, values] == 0).all(axis=1))


def _listed(older: Ints, newer: Ints, asked: NDArray[np.bool_], table: Table) -> NDArray[np.bool_]:
    """Shape (pairs,): whether one of the two stands in a list: a further answer to the same was told together with it.

    Args:
        older, newer: the statements of each pair.
        asked: pairs that answer one question.
        table: their signals.
    """
    together = asked & (table[:, _SIGNAL["one_occasion"]] > 0)
    beside = np.bincount(
        np.concatenate([older[together], newer[together]]),
        minlength=int(max(older.max(initial=0), newer.max(initial=0))) + 1,
    )
    return np.asarray(np.maximum(beside[older], beside[newer]) > together)


def came_back(over: Told, back: Told, group: Group) -> bool:
    """Whether a group, `back`, was told before and after all of another, `over`, and never in the time between."""
    if not over.occasions.isdisjoint(back.occasions):
        return False
    whole = (one for one in group.members if one.at in group.whole)
    times = [days(time) for statement in whole for time in statement.times]
    before, after = sum(time < over.first for time in times), sum(time > over.last for time in times)
    return before > 0 and after > 0 and before + after == len(times)
