"""Whether a newer statement tells where a value went: `Huur: 640 euro`, then `De huur ging van 640 naar 675 euro`."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.clauses import clause_of
from graphdream.facts.reading import LABEL, MEASURED, Reading
from graphdream.facts.relabelled import behind_label
from graphdream.facts.telling import has_form_of, places, tells
from graphdream.facts.words import INTENT, LEADS_FROM, LIMITS, NEGATIONS, WAS
from graphdream.language.classes import closed_class
from graphdream.language.scripts import is_unspaced

_LEADS = LEADS_FROM | closed_class("towards")
_NARROWS = (LIMITS | INTENT) - _LEADS | WAS  # Swedish `till` is a limit in English
_LONGEST = 4
"""Words of what is measured that tell something, at most."""
_VERB, _SIGNS = 2, 5
"""Words of the newer by itself, at most: its verb, in one word or two, and the unit in another case; and in scripts
without blanks, signs."""


@lru_cache(maxsize=50_000)
def tells_where_it_went(before: Reading, after: Reading) -> bool:
    """Whether the newer begins with what the older measures, goes on with its value and then with another of its kind,
    and tells next to nothing else.

    So it says all that the older says, and where that went; no list of verbs has to know how it is said.
    """
    measured = [at for at, kind in enumerate(before.shape) if kind in MEASURED]
    if len(measured) != 1 or not NEGATIONS.isdisjoint((*before.words, *after.words)):
        return False
    at = measured[0]
    about = [word for kind, word in places(before, 0, at) if tells(kind, word) and word != LABEL]
    behind = behind_label(after, about) if 0 < len(about) <= _LONGEST else None
    if behind is None or not _NARROWS.isdisjoint(frozenset(after.words) - frozenset(before.words)):
        return False
    went = [
        place
        for place, (kind, _) in enumerate(places(after, behind), behind)
        if kind in MEASURED and not after.is_year(place)
    ]
    if [after.shape[place] for place in went] != 2 * [before.shape[at]]:
        return False
    first, second = (after.words[place] for place in went)
    # In another clause it is of something else: `5 adults and 15 children`, `2 o'clock, at weekends 4`.
    if first != before.words[at] or second == first or clause_of(after, went[0]) != clause_of(after, went[1]):
        return False
    units = [word for kind, word in places(before, at + 1) if tells(kind, word)]
    if not all(has_form_of(after, (word,)) for word in units[1:]):
        return False
    own = [
        word
        for kind, word in places(after, behind)
        if kind not in MEASURED and tells(kind, word) and word not in _LEADS and not has_form_of(before, (word,))
    ]
    return len(own) <= (_SIGNS if all(map(is_unspaced, own)) and own else _VERB)
