"""Whether a newer statement tells what was done to something else: `Hosting: AWS`, then `Moved hosting bills to Bo`."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.pairreadings import led_in
from graphdream.facts.reading import LABEL, MEASURED, NAME, TYPED, Reading
from graphdream.facts.telling import POSSESSIVE, has_form_of, leads_from, leads_to, places, tells, value_places
from graphdream.facts.words import FUNCTION_WORDS, LEADS_FROM, NOW, WAS, is_of_change
from graphdream.language.classes import closed_class

_SETS = closed_class("sets")
_BEFORE = 2
"""Words before a verb that opens a sentence, at most: `we have moved`."""


@lru_cache(maxsize=50_000)
def is_done_to_another(before: Reading, after: Reading) -> bool:
    """Whether the newer opens with a verb of change, or with who did it and that, and the object right behind is
    something else than the older speaks of: its last word, which says what it is, is not among the older's (`the
    Jenkins docs`), though others are, or the older's value follows as where it came from (`moved the invoices from AWS
    to Xero`)."""
    words = after.words
    low, high = _object(after)
    behind, further = words[high : high + 1], words[high + 1 : high + 2]
    if low == high:
        return False
    if behind == (POSSESSIVE,):  # `Kofi's bike`
        return not has_form_of(before, further)
    if has_form_of(before, (words[high - 1],)):
        return False
    if has_form_of(before, words[low : high - 1]):
        return True
    came_from = bool(further) and not LEADS_FROM.isdisjoint(behind) and after.shape[high + 1] not in MEASURED
    return came_from and has_form_of(before, further)


def object_of(one: Reading) -> tuple[str, ...]:
    """The words of the object of the verb of change that a statement opens with; none where it has none."""
    low, high = _object(one)
    return one.words[low:high]


@lru_cache(maxsize=200_000)
def _object(one: Reading) -> tuple[int, int]:
    """Where the object begins and ends that stands right behind the verb of change which opens a statement, alone or
    behind one word; twice the same where there is none, or the verb leaves something (`moved from`), or the subject of
    the memory did it."""
    words = one.words
    telling = [at for at, word in enumerate(words) if word not in FUNCTION_WORDS][:2]
    verb = next((at for at in telling if _is_verb(words[at])), -1)  # `Bo replaced`
    if one.named or verb < 0 or verb > _BEFORE:
        return 0, 0
    low = next((at for at in range(verb + 1, len(words)) if tells(one.shape[at], words[at])), len(words))
    high = next((at for at in range(low, len(words)) if not _names_it(one, at) or at in one.marks), len(words))
    return (low, high) if LEADS_FROM.isdisjoint((LABEL, *words[verb + 1 : low])) else (0, 0)


@lru_cache(maxsize=50_000)
def is_done_by_another(before: Reading, after: Reading) -> bool:
    """Whether the newer opens with the name of somebody whom the older does not know, and tells from what to what he
    went: `Bo's team switched from Kofi to Mina` says nothing of `Trainer: Kofi`."""
    words = after.words
    first = next((at for at, both in enumerate(zip(after.shape, words, strict=True)) if tells(*both)), -1)
    if first < 0 or LABEL not in before.words or has_form_of(before, (words[first],)) or not _is_left(before, after):
        return False
    anew = (word for kind, word in places(after, first + 1) if kind in TYPED)
    if all(has_form_of(before, (word,)) for word in anew):
        return False  # `Bo took over from Kofi`
    behind = words[first + 1 : first + 2]
    return behind == (POSSESSIVE,) or (after.shape[first] == NAME and FUNCTION_WORDS.isdisjoint(behind))


@lru_cache(maxsize=50_000)
def is_another_change(before: Reading, after: Reading) -> bool:
    """Whether the newer tells that something went from one value to another, and the older knows neither where it came
    from nor what it was: what both have is the new value alone (`went from drying to stacked` says nothing of `has to
    be stacked by July 28`), or the older has all of that already."""
    words = after.words
    was, is_now = ([words[at] for at in value_places(after) if _is_former(after, at) == led] for led in (True, False))
    if was and is_now and not {*was} & {*before.words} and {*is_now} <= {*before.words}:
        return True  # `moved to 4 June (it was 14 January)` is not over by `moved to 14 January (it was 31 December)`
    leaves, arrives = leads_from(words), leads_to(words)
    low = next((at for at, word in enumerate(words) if word in leaves), len(words))
    high = next((at for at in range(low + 2, len(words)) if words[at] in arrives), len(words))
    if high == len(words) or not any(map(is_of_change, words[:low])):
        return False
    came_from, anew = (
        [word for kind, word in places(after, *ends) if tells(kind, word)]
        for ends in ((low + 1, high), (high + 1, None))
    )
    if not came_from or not anew or has_form_of(before, came_from):
        return False
    has_it_all = all(has_form_of(before, (word,)) for word in anew)
    about = [word for kind, word in places(after, 0, low) if tells(kind, word) and not is_of_change(word)]
    return has_it_all or (has_form_of(before, anew) and not has_form_of(before, about))


def _is_former(one: Reading, at: int) -> bool:
    """Whether the copula of what was stands right before a value; elsewhere it is a passive (`was set to 5`)."""
    return at > 0 and one.words[at - 1] in WAS


def _is_left(before: Reading, after: Reading) -> bool:
    return not led_in(after.words).isdisjoint(before.words)


def _is_verb(word: str) -> bool:
    return (is_of_change(word) and word not in NOW) or word in _SETS


def _names_it(after: Reading, at: int) -> bool:
    return after.shape[at] not in MEASURED and after.words[at] != LABEL and tells(after.shape[at], after.words[at])
