"""How the unread sentences write their words, taken together: what recurs as a name, what stands without a capital."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from graphdream.dreamers.gathered import Usage
from graphdream.dreamers.reading.bearers import may_be_first_name
from graphdream.dreamers.reading.runs import capital_runs
from graphdream.dreamers.reading.sentences import OWNER, words
from graphdream.graph.name_gate import name_fault
from graphdream.graph.names import canonical
from graphdream.language.lexicon import Languages

RECURS = 2  # sentences that hold a name before it counts also where it does not open one

_OWES = '.:?!|"“„«'  # what a capital behind may be owed to


def usage_in(told: Iterable[str], before: Mapping[str, Usage]) -> dict[str, Usage]:
    """How words are written in some sentences, added to what is known of them already.

    Args:
        before: word in lower case -> how it is written elsewhere.
    """
    lower: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for sentence in told:
        found = words(sentence)
        if 2 * sum(word.is_capital for word in found) > len(found) + 1:
            continue  # a title, where every word has one
        for at, word in enumerate(found):
            if not word.is_capital:
                lower[OWNER.sub("", word.text)] += 1
            elif at and sentence[: word.start].rstrip()[-1:] not in _OWES:
                inside[OWNER.sub("", word.text).casefold()] += 1
    usage = dict(before)
    for key in {*lower, *inside}:
        past = before.get(key, Usage(0, 0))
        usage[key] = Usage(past.lower + lower[key], past.inside + inside[key])
    return usage


def recurring(told: Iterable[str]) -> frozenset[str]:
    """Names that several sentences hold, one of them where the capital is not owed to opening the sentence: within it,
    or behind a first word that is no first name (`Later Tobiah`)."""
    told = list(told)
    languages = Languages(told)
    counts: Counter[str] = Counter()
    certain: set[str] = set()
    for sentence in told:
        names = list(capital_runs(sentence))
        counts.update({canonical(name) for name, _ in names})
        certain.update(canonical(name) for name, opens in names if not opens or _is_surely_a_name(name))
        first, _, rest = names[0][0].partition(" ") if names and names[0][1] else ("", "", "")
        if rest and not may_be_first_name(first, languages.of(sentence)):
            certain.add(canonical(rest))
    return frozenset(name for name, number in counts.items() if number >= RECURS and name in certain)


def _is_surely_a_name(opening: str) -> bool:
    """Whether capitals that open a sentence are a name's all the same: several of them, or one that owns something."""
    owns = OWNER.search(opening)
    return " " in opening or (owns is not None and name_fault(opening[: owns.start()]) is None)
