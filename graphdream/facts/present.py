"""Whether a newer statement says what holds now: not what was, what may be, what is asked, or what is not."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.clauses import clause_of
from graphdream.facts.pairreadings import led_in
from graphdream.facts.reading import LABEL, MEASURED, NUMBER, TYPED, Reading
from graphdream.facts.statements import Statement
from graphdream.facts.telling import leads_from, leads_to, places, tells, value_places
from graphdream.facts.words import FORMERLY, FROM_NOW_ON, FUNCTION_WORDS, INTENT, IS, NEGATIONS, WAS, is_of_change
from graphdream.language.calendar import is_time_unit
from graphdream.language.classes import closed_class, spoken_class
from graphdream.language.scripts import is_unspaced

_ASKS = ("?", "？")
_COUNTS = closed_class("numerals") | closed_class("indefinite") | closed_class("quantifies") | {"one"}
"""What counts, written as a word: `for two weeks`, `for a month`, `for some days`."""
_NEAR = 3
"""Words before a value that may lead in to it as over."""
_BEFORE_A_VERB = frozenset(("be", "have", "not", "to"))
"""What stands between an English word of intent and the verb, which tells something."""


def tells_no_present(before: Statement, after: Statement) -> bool:
    """Whether the newer says nothing of what holds now, where the older does."""
    one, other = before.reading, after.reading
    return (asks(after) and not asks(before)) or did_not_stay(one, other) or _tells_no_present(one, other)


@lru_cache(maxsize=50_000)
def did_not_stay(before: Reading, after: Reading) -> bool:
    """Whether what the newer tells holds no more: it says how long it lasts, as the older does not (`moved from Oslo to
    Bergen for two weeks`), or names again what it tells to be over (`from Kofi to Mina and back to Kofi`)."""
    return _comes_back(before, after) or _lasts_a_while(before, after)


def _comes_back(before: Reading, after: Reading) -> bool:
    """Whether a value of the older stands in the newer as over, and once more behind that; units do, and are none
    (`from 24 fps to 30 fps`)."""
    over = set[str]()
    for at, (kind, word) in enumerate(places(after)):
        if kind in TYPED and word in before.words and after.shape[max(at - 1, 0)] not in MEASURED:
            if word in over:
                return True
            over.update({word} & led_in(after.words[max(at - _NEAR, 0) : at + 1]))
    return False


def _lasts_a_while(before: Reading, after: Reading) -> bool:
    lasting = spoken_class("lasting", after.words) if any(map(is_time_unit, after.words)) else frozenset[str]()
    return any(
        word in lasting
        and (after.shape[at + 1] == NUMBER or after.words[at + 1] in _COUNTS)
        and is_time_unit(after.words[at + 2])
        for at, word in enumerate(after.words[:-2])
    ) and not any(map(is_time_unit, before.words))


def asks(one: Statement) -> bool:
    """Whether a statement is a question."""
    return one.facts[0].content.rstrip().endswith(_ASKS)


@lru_cache(maxsize=50_000)
def _tells_no_present(before: Reading, after: Reading) -> bool:
    if _is_meant(after) and not _is_meant(before):
        return True  # `may rise to 910 euros`
    if _tells_only_what_was(before, after):
        return True
    mine, theirs = _plain(before), _plain(after)
    values = value_places(after)
    anew = set(after.values).isdisjoint(before.values)
    denied = not NEGATIONS.isdisjoint(theirs) and NEGATIONS.isdisjoint(mine)
    if values and before.values and denied and (anew or _denies_what_is_new(before, after)):
        return True  # `is not 910 euros`, `did not rise from 870 to 910 euros`
    if not (FROM_NOW_ON - FORMERLY).isdisjoint(theirs):
        return False
    was = WAS.isdisjoint(mine) and IS.isdisjoint(theirs) and any(_leading(after, at) in WAS for at in values)
    return was or (bool(values) and anew and _says_formerly(after) and not _says_formerly(before))


def _tells_only_what_was(before: Reading, after: Reading) -> bool:
    """Whether all values of a telling of a change are of before it, and none is the older's: `moved from Narva`."""
    if not after.values or not set(after.values).isdisjoint(before.values):
        return False
    if not any(map(is_of_change, after.words)) or any(map(is_of_change, before.words)):
        return False
    leaves = leads_from(after.words)
    leads = leaves | leads_to(after.words)
    before_it = ([word for word in after.words[:at] if word in leads][-1:] for at in value_places(after))
    return all(found and found[0] in leaves for found in before_it)


def _denies_what_is_new(before: Reading, after: Reading) -> bool:
    """Whether a denial stands before all values that the older has not, in their clause: not `is Bergen, not Oslo`."""
    fresh = [at for at, kind in enumerate(after.shape) if kind in TYPED and after.words[at] not in before.words]
    denials = (at for at, (kind, word) in enumerate(places(after)) if kind not in TYPED and word in NEGATIONS)
    first = next(denials, len(after.words))
    if not fresh or not first < fresh[0]:
        return False
    end = clause_of(after, first)[1]
    return fresh[-1] < end and LABEL not in after.words[first:end]


def _is_meant(reading: Reading) -> bool:
    """Whether a word of intent has a verb behind it; `came up again in May` has none."""
    words = reading.words
    meant = (at for at, (kind, word) in enumerate(places(reading)) if kind not in TYPED and word in INTENT)
    return any(
        at + 1 < len(words)
        and at + 1 not in reading.marks
        and (words[at + 1] in _BEFORE_A_VERB or tells(reading.shape[at + 1], words[at + 1]))
        for at in meant
    )


def _plain(reading: Reading) -> frozenset[str]:
    """The words that are no values."""
    return frozenset(word for kind, word in places(reading) if kind not in TYPED)


def _leading(reading: Reading, at: int) -> str:
    """The word before a value that is its copula, or else tells something; "" where there is none."""
    for word in reversed(reading.words[:at]):
        if word in WAS or word not in FUNCTION_WORDS:
            return word
    return ""


def _says_formerly(reading: Reading) -> bool:
    """Whether an adverb says that it held before; in a script without blanks it is signs in a row."""
    if not FORMERLY.isdisjoint(reading.words):
        return True
    signs = "".join(word for word in reading.words if is_unspaced(word))
    return any(word in signs for word in FORMERLY if is_unspaced(word[0])) if signs else False
