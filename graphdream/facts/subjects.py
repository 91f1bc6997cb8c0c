"""Whether two statements of an entity are about two things of it, each told by name: `rent: 870 euros`, `the insurance
costs 460 euros now`."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.reading import LABEL, NAME, TYPED, Reading
from graphdream.facts.telling import has_form_of, places, tells
from graphdream.facts.words import ADDS, CHANGE, FROM_NOW_ON, FUNCTION_WORDS, IS, NEGATIONS, NOW
from graphdream.language.forms import share_stem

_POSSESSIVE = "'s"
_ADVERBIAL = "ly"
"""What most English adverbs end in: `currently lives in Husum`."""
_ADVERBS = FROM_NOW_ON | ADDS | NEGATIONS
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
    may_be_name = [word for word in telling if not word.endswith(_ADVERBIAL) and word not in before.words]
    return stands[0][0] == NAME or bool(may_be_name and (len(stands) == 1 or stands[0][1] in FUNCTION_WORDS))


def _opens_with(reading: Reading) -> frozenset[str]:
    """The telling words that a statement opens with: its label, what stands before its copula, or its first one where
    that is led in to (`the insurance costs`) or another word follows (`parking costs 45 euros`)."""
    words, shape = reading.words, reading.shape
    if reading.named and words[:1] != (_POSSESSIVE,):
        return frozenset()
    telling = [at for at, both in enumerate(places(reading)) if tells(*both) and both[1] not in NOW]
    if not telling or words[telling[0]] in CHANGE:
        return frozenset()
    end = next((at for at, word in enumerate(words[:-1]) if word == LABEL or word in IS), len(words))
    first, about = telling[0], [at for at in telling if at < end]
    if end == len(words) or not 0 < len(about) <= _LONGEST:
        behind = next((at for at in range(first + 1, len(words)) if words[at] not in NOW), first)
        goes_on = behind in telling[1:] and shape[behind] not in TYPED and words[behind] not in CHANGE
        led_in = first > 0 and NOW.isdisjoint(words[:first])
        about = [first] if first < end and (led_in or goes_on) else []
    said = TYPED.intersection(shape[at] for at in about) - {NAME}  # which is said of something and names nothing
    return frozenset() if said else frozenset(part for at in about for part in words[at].split())
