"""Whether two statements of an entity are about two things of it, each told by name: `rent: 870 euros`, `the insurance
costs 460 euros now`."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.objects import object_of
from graphdream.facts.reading import LABEL, NAME, SUBJECT, TYPED, Reading
from graphdream.facts.telling import ADVERBIAL, POSSESSIVE, has_form_of, places, says_how_often, tells
from graphdream.facts.words import ADDS, CHANGE, FROM_NOW_ON, FUNCTION_WORDS, IS, NEGATIONS, NOW, OF
from graphdream.language.calendar import is_time_unit, is_weekday
from graphdream.language.classes import closed_class
from graphdream.language.forms import share_stem

_ADVERBS = FROM_NOW_ON | ADDS | NEGATIONS
_THAT = "that"
"""What an English clause follows that says what somebody says."""
_ANEW = closed_class("anew")
_LONGEST = 4
"""Words that tell what a statement is about, at most."""


@lru_cache(maxsize=50_000)
def are_of_two_subjects(before: Reading, after: Reading) -> bool:
    """Whether each opens with what it is about, and the other has no word of that. What is about the entity itself (`is
    based in Bergen`), or opens with a verb, is about no other thing; but then nobody else stands before that verb in
    the newer (`lives in Kiel`, `her brother lives in Husum now`)."""
    mine, theirs = _opens_with(before), _opens_with(after)
    if mine and theirs:
        return not (has_form_of(after, mine) or has_form_of(before, theirs))
    return not mine and _has_somebody_before(before, after)


@lru_cache(maxsize=50_000)
def may_be_of_two_subjects(before: Reading, after: Reading) -> bool:
    """Whether one of two statements is about something beside its subject, and the other is not; or about somebody whom
    the older names. It may be put in other words, too (`his favourite season is winter`, `named winter as his favourite
    season`), which a memory shows."""
    return _has_before(before, after) or _has_before(after, before) or _names_another(before, after)


def _names_another(before: Reading, after: Reading) -> bool:
    """Whether the older is about its subject and names somebody besides, with whom the newer opens: `Ada works with Per
    at Kiwi`, `Per works at Rema now`."""
    opens = after.shape[:1] == (NAME,) and not after.named
    return opens and before.named and after.words[0] in before.words


def _has_before(one: Reading, other: Reading) -> bool:
    """Whether a statement opens with something of its subject, or something else, and goes on with what the other
    begins with: `Kim's mother lives in Ghent`, `lives in Bruges`; `the Atlas client is in Go`, `is in Rust`; `the car
    is insured`, `is insured`. What is labelled, or has a verb of change, is put in other ways."""
    said = (*one.words, *other.words)
    if LABEL in said or not (CHANGE - NOW).isdisjoint(said):
        return False
    first = next((word for _, word in _telling(other)), "")
    at = next((at for at, word in _telling(one) if word == first or (first and share_stem(word, first))), 0)
    own = [place for place, _ in _telling(one) if place < at]
    values = TYPED.intersection(one.shape[:at])
    if not own or values or _THAT in one.words[:at] or not one.marks.isdisjoint(range(1, at + 1)):
        return False
    if one.words[0] == POSSESSIVE:
        return True
    if SUBJECT in one.shape[:at]:
        subject = one.shape.index(SUBJECT)
        return own[0] > subject or (own[-1] < subject and OF.issuperset(one.words[own[-1] + 1 : subject]))
    return not one.named and own[0] > 0 and FUNCTION_WORDS.issuperset(one.words[: own[0]])


def _telling(one: Reading) -> list[tuple[int, str]]:
    """Places and words that tell something and are no values, but for how, when and how often."""
    return [
        (at, word)
        for at, (kind, word) in enumerate(places(one))
        if kind not in TYPED and tells(kind, word) and not _is_adverbial(word)
    ]


def _is_adverbial(word: str) -> bool:
    """Whether a word tells how, when or how often, and not what it is about."""
    when = is_time_unit(word) or is_weekday(word) or says_how_often(word)
    return when or word in _ADVERBS or word in _ANEW or word.endswith(ADVERBIAL)


def _has_somebody_before(before: Reading, after: Reading) -> bool:
    """Whether the older opens with a word, and the newer has a name before it, or a word that may be one."""
    if before.named or after.named or not before.words or before.shape[0] in TYPED or before.words[0] in FUNCTION_WORDS:
        return False
    verb = before.words[0]
    at = next((at for at, word in enumerate(after.words) if word == verb or share_stem(word, verb)), 0)
    if not at or not {*range(1, at + 1)}.isdisjoint(after.marks) or LABEL in after.words[:at]:
        return False
    stands = list(places(after, 0, at))
    telling = [word for kind, word in stands if kind not in TYPED and tells(kind, word) and word not in _ADVERBS]
    may_be_name = [word for word in telling if not word.endswith(ADVERBIAL) and word not in before.words]
    return stands[0][0] == NAME or bool(may_be_name and (len(stands) == 1 or stands[0][1] in FUNCTION_WORDS))


def _opens_with(reading: Reading) -> frozenset[str]:
    """The telling words that a statement opens with: its label, what stands before its copula, or its first one where
    that is led in to (`the insurance costs`) or another word follows (`parking costs 45 euros`)."""
    words, shape = reading.words, reading.shape
    if reading.named and words[:1] != (POSSESSIVE,):
        return _of_its_own(reading)
    had = 1 if words[:1] == (POSSESSIVE,) else -1  # a noun, though it be a function word elsewhere: `Ada's son`
    telling = [at for at, both in enumerate(places(reading)) if at == had or (tells(*both) and both[1] not in NOW)]
    if not telling:
        return frozenset()
    if words[telling[0]] in CHANGE:  # `moved CI to ...` is about what was moved
        return frozenset(part for word in object_of(reading) for part in word.split())
    end = next((at for at, word in enumerate(words[:-1]) if at > had and (word == LABEL or word in IS)), len(words))
    first, about = telling[0], [at for at in telling if at < end]
    if end == len(words) or not 0 < len(about) <= _LONGEST:
        behind = next((at for at in range(first + 1, len(words)) if words[at] not in NOW), first)
        goes_on = behind in telling[1:] and shape[behind] not in TYPED and words[behind] not in CHANGE
        led_in = first > 0 and NOW.isdisjoint(words[:first])
        about = [first] if first < end and (led_in or goes_on) else []
    said = TYPED.intersection(shape[at] for at in about) - {NAME}  # which is said of something and names nothing
    return frozenset() if said else frozenset(part for at in about for part in words[at].split())


def _of_its_own(reading: Reading) -> frozenset[str]:
    """What of its subject a statement is about that opens with its name: the words between that and the copula, where
    they are nothing but a name of it (`Gannet crew size is 1`; not `Gannet lives in Husum and is 40`)."""
    end = next((at for at, word in enumerate(reading.words) if word in IS), 0)
    about = list(places(reading, 0, end))
    is_name = all(tells(*one) and one[0] not in TYPED and not _is_adverbial(one[1]) for one in about)
    return frozenset(word for _, word in about) if 0 < len(about) <= _LONGEST and is_name else frozenset()
