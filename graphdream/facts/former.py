"""Whether a newer statement says of what an older one holds that it was, beside what is: `309 staff, 200 before`.

It is told by grammar and by no list of verbs: what the older says stands behind a word that leads in what was (`was`,
`once`, `no longer`, `instead of`) or before one that ends a clause with it (`200 before`), and something else of the
same kind stands outside of that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from graphdream.facts.besides import comes_on_top
from graphdream.facts.clauses import clause_of
from graphdream.facts.nolonger import denies_what_was
from graphdream.facts.ownwords import is_led_in, is_own
from graphdream.facts.reading import NAME, TYPED, Reading
from graphdream.facts.subjects import are_of_two_subjects
from graphdream.facts.telling import has_form_of, kind_told, places, tells, tells_what
from graphdream.facts.words import (
    CHANGE,
    FORMERLY,
    FROM_NOW_ON,
    FUNCTION_WORDS,
    INTENT,
    LEADS_FROM,
    NARROWS,
    NEGATIONS,
    WAS,
)

_REACH = 3
"""Words between one that leads in and what it leads in, at most: `no longer in Oslo`."""
_INSTEAD = frozenset((("instead", "of"), ("rather", "than")))
"""English prepositions of two words that lead in what is not so."""
_WHOLE = NEGATIONS | WAS
"""Words whose whole clause says nothing of what is."""
_ADVERBS = LEADS_FROM - FUNCTION_WORDS - NEGATIONS
"""Adverbs of what was (`once`, `bisher`); a preposition (`from Oslo`) leads it in beside a word of change."""
_ENDS = FORMERLY | {"before"}
"""Adverbs that end a clause with what was."""


def tells_former(before: Reading, after: Reading) -> bool:
    """Whether the newer says that what the older says was so, and something else is.

    All that the older says and the newer does not say of now is in what the newer says of before; and outside of that
    the newer has a value of one of its kinds in its place, or, where no value is over, a word. What denies is not
    known to be over by that.
    """
    said = bool(_leads(after)) and NEGATIONS.isdisjoint(before.words) and _tells_former(before, after)
    return said and not are_of_two_subjects(before, after)


@lru_cache(maxsize=50_000)
def _tells_former(before: Reading, after: Reading) -> bool:
    former, now = _parts(after, before)
    meant = not INTENT.isdisjoint(frozenset(after.words) - frozenset(before.words))
    if not former or meant or comes_on_top(before, after):
        return False
    was, is_now, known = (_words_of(said) for said in (_at(after, former), _at(after, now), places(before)))
    said = [one for one in _at(before, _present(before, was)) if tells_what(*one)]
    of_now = is_now | _still_said(before, after, former | now)
    over = [one for one in said if not _is_among(one, of_now)]
    anew = [one for one in _at(after, now) if tells_what(*one) and not _is_among(one, known)]
    kinds = TYPED.intersection(kind for kind, _ in over)
    ended = [one for one in over if one[0] in kinds] if kinds else over
    in_place = [one for one in anew if one[0] in TYPED] if kinds else anew
    if not ended or not in_place or not all(_is_among(one, was) for one in ended):
        return False
    if _denies(after) and not _denies_all(before, after, former):
        return False
    if all(_is_among(one, was) for one in said) and (len(anew) <= len(over) or not _denies(after)):
        return not kinds or any(kind in kinds for kind, _ in in_place)  # it says the whole of it, as what was
    # In other words it may be of something else: `the spare key is in the shed, not under the mat`.
    others = [word for kind, word in anew if kinds and kind not in TYPED and not has_form_of(before, (word,))]
    return len(in_place) <= len(ended) and not others and (not kinds or all(kind in kinds for kind, _ in in_place))


def _still_said(before: Reading, after: Reading, others: Collection[int]) -> frozenset[str]:
    """What a denial of what was so is about: the words before it (`the fence is no longer ochre but teal`). With an
    adverb that says that it was so, it denies what stands behind it, and no more."""
    if not denies_what_was(before, after):
        return frozenset()
    denial = next((at for at in _leads(after) if after.words[at] in NEGATIONS), 0)
    return _words_of(_at(after, (at for at in range(denial) if at not in others)))


def _denies(one: Reading) -> bool:
    """Whether it denies anything; what is denied may be denied of somebody else (`her sister works at a school, not at
    the bank`)."""
    return any(one.words[lead] in NEGATIONS for lead in _leads(one))


def _denies_all(before: Reading, after: Reading, former: Collection[int]) -> bool:
    """Whether a denial is of what the older is about, and of all of that: not of it in a part alone (`on Sundays it is
    not 4 euros but 6`), and of nothing else (`the hall is grey and not blue like room 2`).

    What comes in place stands behind what is denied, and up to there are words of the older and perhaps a verb; or it
    stands before it, in one piece, beside a word of the older.
    """
    own = [at for at, said in enumerate(places(after)) if at not in former and is_own(*said, before)]
    until = max(former)
    ahead = [at for at in own if at < until]
    if len(ahead) < len(own):
        return len(ahead) <= 1 and not any(after.shape[at] == NAME or is_led_in(after, at) for at in ahead)
    outside = [word for at, (kind, word) in enumerate(places(after)) if at not in former and tells(kind, word)]
    between = after.words[ahead[0] : ahead[-1]] if ahead else ()
    apart = any(word not in FUNCTION_WORDS and has_form_of(before, (word,)) for word in between)
    return not apart and has_form_of(before, outside)


def _parts(one: Reading, before: Reading) -> tuple[frozenset[int], frozenset[int]]:
    """Places of a statement at which it says what was, of what one before it says; and those at which it says what is.

    What tells a change is not over by a denial, nor what says itself what was by another word of that.
    """
    former, apart, known = set[int](), set[int](), _words_of(places(before))
    changed, said_was = (not words.isdisjoint(before.words) for words in (CHANGE, WAS))
    for lead in _leads(one):
        if (changed and one.words[lead] in NEGATIONS) or (said_was and one.words[lead] in WAS):
            continue
        start, end = clause_of(one, lead)
        word = one.words[lead]
        if word in _ENDS and lead + 1 == end:
            former.update(_run(one, range(lead - 1, start - 1, -1), known))
            continue
        run = _run(one, range(lead + 1, end), known)
        if changed and not CHANGE.isdisjoint(one.words[place] for place in run):
            continue  # the change is what the older tells, too: `since a lamb was left`, `from when one was left`
        if run and word in NEGATIONS and any(tells_what(*far) for far in _at(one, range(max(run) + 1, end))):
            continue  # it denies a part alone: `does not open at 9 on Sundays`
        if run and word in _WHOLE:
            apart.update(range(start, end))
        former.update(run)
    return frozenset(former), frozenset(range(len(one.words))) - former - apart


def _present(one: Reading, of_now: Collection[str]) -> Iterator[int]:
    """The places of a statement that are not what it says itself of before: `went from 5 to 8` says 8.

    Args:
        one: the statement.
        of_now: words that are known to be what it says of its own time.
    """
    leads, past = frozenset(_leads(one)), False
    for at, (kind, word) in enumerate(places(one)):
        past = (
            (past or at in leads)
            and at not in one.marks
            and not (tells_what(kind, word) and _is_among((kind, word), of_now))
        )
        if not past:
            yield at


@lru_cache(maxsize=200_000)
def _leads(one: Reading) -> tuple[int, ...]:
    """Places of words that lead in, or end a clause with, what was."""
    moves = not FROM_NOW_ON.isdisjoint(one.words)
    values = not TYPED.isdisjoint(one.shape)
    words = one.words
    return tuple(
        at
        for at, (kind, word) in enumerate(places(one))
        if kind not in TYPED
        and (
            word in _WHOLE
            or (word in LEADS_FROM and (moves or (values and word in _ADVERBS)))
            or words[at - 1 : at + 1] in _INSTEAD
            or (word in _ENDS and clause_of(one, at)[1] == at + 1)
        )
    )


def _run(one: Reading, at: range, known: Collection[str]) -> list[int]:
    """The places of a row of known words, and function words; before it stand a few others that narrow nothing."""
    out: list[int] = []
    for skipped, place in enumerate(at):
        kind, word = kind_told(one.shape[place], one.words[place]), one.words[place]
        if tells(kind, word) and _is_among((kind, word), known):
            out.append(place)
            continue
        narrows = kind in TYPED or word in NARROWS or skipped >= _REACH
        if (word not in FUNCTION_WORDS) if out else narrows:
            break
    return out


def _at(one: Reading, at: Iterable[int]) -> Iterator[tuple[str, str]]:
    return ((kind_told(one.shape[place], one.words[place]), one.words[place]) for place in at)


def _words_of(said: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Words, and the parts of names."""
    return frozenset(part for kind, word in said for part in _names(kind, word))


def _is_among(one: tuple[str, str], known: Collection[str]) -> bool:
    """Whether a word is known, or any part of a name: `Ada` and `Ada Lovelace` may be one."""
    return any(part in known for part in _names(*one))


@lru_cache(maxsize=50_000)
def _names(kind: str, word: str) -> tuple[str, ...]:
    return (word, *word.partition("@")[0].split()) if kind == NAME else (word,)
