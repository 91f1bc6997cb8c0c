"""Wrappers: what says where a statement came from, not what it states (`FYI:`, `(as of June 2025)`).

They are learned from the corpus by two properties. A wrapper is optional: what remains when it is taken off is, over
and over and for many different remains, itself a statement that somebody else made without it. And it changes nothing:
where the same was said of the same entity without it, it was said with the same values (`on Sundays` is optional too,
but the hours are others then).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from graphdream.facts.reading import LABEL, NAME, NUMBER, SUBJECT, Reading
from graphdream.facts.words import FUNCTION_WORDS, INTENT, NEGATIONS

_LONGEST = 7
"""Tokens in a wrapper, at most."""
_MIN_OPTIONAL = 3
"""Different remains that must be statements of their own, in a small corpus ..."""
_OPTIONAL_PER_SHAPE = 0.001
"""... and per different statement in a large one, where chance finds a few for anything."""
_MIN_SHARE = 0.3
"""... and their share of all remains. Measured: learned wrappers lie at 0.3 to 0.9, sentence parts below 0.2."""
_MIN_ALIKE = 0.15
"""Of the times that an entity has a statement in the same form without it, the share in which that says the same.
Measured in nine graphs of seven vocabularies: wrappers without a label 0.2 to 1, where there are more than four such
times; of some forty phrases that tell when, where or for whom something is so, in memories of two languages: none, of
up to six times."""
_UNSURE = INTENT | frozenset(("if", "maybe", "perhaps"))
"""Words that change what is claimed, so that leaving them off is not the same statement."""


_CARRIES = NEGATIONS | _UNSURE | {NUMBER, SUBJECT}
"""What no part that may be left off has: a number, the subject, a negation, a doubt."""


@lru_cache(maxsize=200_000)
def _lexical(reading: Reading) -> tuple[str, ...]:
    """The shape with names spelled out: `Tessa said` may be a wrapper, `<name> said` may not."""
    return tuple(word if kind == NAME else kind for kind, word in zip(reading.shape, reading.words, strict=True))


class Wrappers:
    """The learned prefixes and suffixes of a corpus.

    Attributes:
        prefixes, suffixes: token sequences, dates as `<date>`.
    """

    def __init__(self, prefixes: Iterable[tuple[str, ...]], suffixes: Iterable[tuple[str, ...]]) -> None:
        self.prefixes, self.suffixes = frozenset(prefixes), frozenset(suffixes)
        self._first = {prefix[0] for prefix in self.prefixes}
        self._last = {suffix[-1] for suffix in self.suffixes}
        self._stripped: dict[Reading, Reading] = {}

    def same_as(self, other: Wrappers | None) -> bool:
        """Whether the other ones leave off the same."""
        return other is not None and (self.prefixes, self.suffixes) == (other.prefixes, other.suffixes)

    @classmethod
    def learn(cls, said: Sequence[tuple[int, Reading]], past: Sequence[tuple[int, Reading]] = ()) -> Wrappers:
        """Learn from readings, each with its entity; linear in the number of tokens.

        Suffixes must in addition not leave a remain that ends in mid-clause.

        Args:
            said: what holds; what is optional shows in it.
            past: what was said before; whether a wrapper changes something shows in both, or what a pass has left
                would show that all do.
        """
        shapes: dict[tuple[str, ...], tuple[str, ...]] = {}
        names: set[str] = set()
        for _, reading in said:
            shapes[reading.shape] = _lexical(reading)
            names.update(w for k, w in zip(reading.shape, reading.words, strict=True) if k == NAME)
        front: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
        back: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
        for shape, lexical in shapes.items():
            longest = min(_LONGEST, len(shape) - 2)
            for size in range(1, longest + 1):
                if lexical[size - 1] in _CARRIES:
                    break
                front[lexical[:size]].add(_headless(shape[size:]))
            for size in range(1, longest + 1):
                if lexical[-size] in _CARRIES:
                    break
                back[lexical[-size:]].add(shape[:-size])
        least = max(_MIN_OPTIONAL, round(_OPTIONAL_PER_SHAPE * len(shapes)))

        def optional(part: tuple[str, ...], remains: Collection[tuple[str, ...]]) -> bool:
            needed = least * 2 if any(t in names for t in part) else least
            if len(remains) < needed:
                return False
            held = [remain for remain in remains if remain[-1] not in FUNCTION_WORDS]
            stated = sum(1 for remain in held if len(remain) > 1 and remain in shapes)
            return stated >= needed and stated >= _MIN_SHARE * len(held)

        found = cls(
            (p for p, remains in front.items() if not FUNCTION_WORDS.issuperset(p) and optional(p, remains)),
            (p for p, remains in back.items() if len(p) > 1 and optional(p, remains)),
        )
        changing = _changing([*said, *past], found)
        return cls(found.prefixes - changing, found.suffixes - changing)

    def may_strip(self, lexical: tuple[str, ...]) -> bool:
        """Whether a text begins or ends as any of them does."""
        return bool(lexical) and (lexical[0] in self._first or lexical[-1] in self._last)

    def strip(self, reading: Reading) -> Reading:
        """The reading without its wrappers; two of either kind at most. Worked out once for each reading."""
        known = self._stripped.get(reading)
        if known is None:
            known = self._stripped[reading] = self._strip(reading)
        return known

    def _strip(self, reading: Reading) -> Reading:
        lexical = _lexical(reading)
        if not self.may_strip(lexical):
            return reading
        low, high = 0, len(lexical)
        for _ in range(2):
            for size in range(min(_LONGEST, high - low - 2), 0, -1):
                if lexical[low : low + size] in self.prefixes:
                    low += size
                    break
            for size in range(min(_LONGEST, high - low - 2), 0, -1):
                if lexical[high - size : high] in self.suffixes:
                    high -= size
                    break
        if (low, high) == (0, len(lexical)):
            return reading
        if low and reading.shape[low] == SUBJECT and high - low > 1:
            low += 1
        return reading.between(low, high)


def _changing(said: Iterable[tuple[int, Reading]], found: Wrappers) -> frozenset[tuple[str, ...]]:
    """Wrappers beside which other values were said of an entity than without them, and hardly ever the same. A label
    (`nb:`, `from the minutes:`) tells no time, place or person for which something is so."""
    of_entity: dict[int, dict[tuple[str, ...], set[tuple[str, ...]]]] = defaultdict(lambda: defaultdict(set))
    for entity, reading in said:
        of_entity[entity][_headless(reading.shape)].add(_headless(reading.words))
    times: Counter[tuple[str, ...]] = Counter()
    alike: Counter[tuple[str, ...]] = Counter()
    for entity, reading in said:
        lexical, known = _lexical(reading), of_entity[entity]
        if not found.may_strip(lexical):
            continue
        for size in range(1, min(_LONGEST, len(lexical) - 2) + 1):
            for part, parts, rest in (
                (lexical[:size], found.prefixes, slice(size, None)),
                (lexical[-size:], found.suffixes, slice(0, -size)),
            ):
                without = known.get(_headless(reading.shape[rest])) if part in parts else None
                if without:
                    times[part] += 1
                    alike[part] += _headless(reading.words[rest]) in without
    return frozenset(part for part, count in times.items() if LABEL not in part and alike[part] < _MIN_ALIKE * count)


def _headless(places: tuple[str, ...]) -> tuple[str, ...]:
    """Shape or words without the subject that they begin with."""
    return places[1:] if places[:1] == (SUBJECT,) else places
