"""Whether a newer statement says what holds now: not what was, what may be, what is asked, or what is not."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.clauses import clause_of
from graphdream.facts.pairreadings import led_in
from graphdream.facts.reading import LABEL, MEASURED, NAME, NUMBER, SUBJECT, TYPED, Reading
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
_ENDS_A_LEAD = FROM_NOW_ON | {LABEL}
"""What stands between a word that leads in to where something came from and a value of now."""
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
        if kind in TYPED and word in before.words and not _is_unit(after, at):
            if word in over:
                return True
            over.update({word} & led_in(after.words[max(at - _NEAR, 0) : at + 1]))
    return False


def _is_unit(one: Reading, at: int) -> bool:
    """Whether a value stands beside a number as its unit does: `24 fps`, `R$ 24`."""
    beside = (*one.shape[max(at - 1, 0) : at], *(one.shape[at + 1 : at + 2] if one.shape[at] == NAME else ()))
    return not MEASURED.isdisjoint(beside)


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
    if values and before.values and denied and _denies_what_is_new(before, after):
        return True  # `is not 910 euros`, `did not rise from 870 to 910 euros`
    if not (FROM_NOW_ON - FORMERLY).isdisjoint(theirs):
        return False
    was = WAS.isdisjoint(mine) and IS.isdisjoint(theirs) and any(_leading(after, at) in WAS for at in values)
    return was or (bool(values) and anew and _says_formerly(after) and not _says_formerly(before))


def _tells_only_what_was(before: Reading, after: Reading) -> bool:
    """Whether all values of a telling of a change are of before it, and none is the older's: `moved from Narva`. What
    leads in to a value stands in its clause and leads in to nothing else: not `from now on it opens at nine`."""
    if not after.values or not set(after.values).isdisjoint(before.values):
        return False
    if not any(map(is_of_change, after.words)) or any(map(is_of_change, before.words)):
        return False
    leaves = leads_from(after.words)
    leads = leaves | leads_to(after.words)
    for at in value_places(after):
        lead = max((place for place in range(at) if after.words[place] in leads), default=-1)
        if lead < 0 or after.words[lead] not in leaves or not _ENDS_A_LEAD.isdisjoint(after.words[lead:at]):
            return False
        if SUBJECT in after.shape[lead:at] or not after.marks.isdisjoint(range(lead + 1, at + 1)):
            return False
    return True


def _denies_what_is_new(before: Reading, after: Reading) -> bool:
    """Whether a denial is of all values that the older has not: not `is Bergen, not Oslo`, nor `n'est plus à 23 euros
    mais à 16 euros`, where a value of the older stands between, led in to as the new one is."""
    fresh = [at for at in value_places(after) if after.words[at] not in before.words]
    if not fresh:
        return False
    shared = [at for at in value_places(after) if after.words[at] in before.words]
    lead = after.words[fresh[0] - 1]
    for at, (kind, word) in enumerate(places(after)):
        if kind in TYPED or word not in NEGATIONS:
            continue
        low, high = clause_of(after, at)
        is_of_shared = any(at < near < fresh[0] and after.words[near - 1] == lead for near in shared)
        if (shared and fresh[0] < at) or is_of_shared or LABEL in after.words[at:high]:
            continue
        if low <= fresh[0] and fresh[-1] < high:
            return True
    return False


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
