"""How sentences of this memory begin and end: whether a text is a whole sentence or cut out of others.

Every statement of the graph shows with what words a sentence may begin and end, and which words follow each other
only in its middle. A fragment starts or stops at a place where nothing else does, often inside a word.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graphdream.resolve.facts.statements import Statement
from graphdream.resolve.facts.words import FUNCTION_WORDS

_SHORTEST_PIECE = 3
"""Letters in a piece of a word, at least; shorter ones are initials and syllables of any language."""
_ENDINGS = frozenset("s es ed d n r y ing er ers ly".split())
"""Endings that make another form of the same English word."""
_RARE = 2
"""Statements with a word, at most, for it to be a piece of a longer one."""


@dataclass(frozen=True, slots=True)
class Ends:
    """How one statement begins and ends, against the different statements of other entities.

    Attributes:
        begins, begins_inside: how many begin with the same two tokens, and how many have them in the middle.
        ends, ends_inside: the same for the last two tokens.
        opens: how many begin with the same first token, if that is no function word.
        goes_on: how many begin with the whole of it and go on.
        cut_begin, cut_end: the first (last) token is known only as the end (beginning) of a longer word that
            stands before (after) the same two neighbours elsewhere.
    """

    begins: int = 0
    begins_inside: int = 0
    ends: int = 0
    ends_inside: int = 0
    opens: int = 0
    goes_on: int = 0
    cut_begin: bool = False
    cut_end: bool = False


class _Tally:
    """How many different texts have a thing, in all and on one entity.

    Args:
        seen: (thing, the entities on which a text with it is said), once a text.
    """

    def __init__(self, seen: Iterable[tuple[tuple[str, ...], Collection[int]]]) -> None:
        seen = list(seen)
        self._all = Counter(thing for thing, _ in seen)
        self._at = Counter((thing, entity) for thing, entities in seen for entity in entities)

    def elsewhere(self, thing: tuple[str, ...], entity: int) -> int:
        """Different texts that have the thing and are not said of `entity`."""
        return self._all[thing] - self._at[thing, entity]


class SentenceEnds:
    """First and last token pairs, and beginnings, of the statements of a graph.

    Args:
        said: all statements.
        known: words that are whole although rare: those of entity names.
    """

    def __init__(self, said: Sequence[Statement], known: Collection[str] = ()) -> None:
        self._known = known
        self._words: Counter[str] = Counter()
        self._before: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self._after: dict[tuple[str, ...], set[str]] = defaultdict(set)
        texts: dict[tuple[str, ...], tuple[tuple[str, ...], set[int]]] = {}
        for statement in said:
            words = statement.reading.words
            texts.setdefault(words, (statement.reading.shape, set()))[1].add(statement.entity)
            self._words.update(set(words))
        wholes = {shape for shape, _ in texts.values()}
        self._beginnings = _Tally(
            (shape[:size], entities)
            for shape, entities in texts.values()
            for size in range(1, len(shape))
            if size == 1 or shape[:size] in wholes
        )
        pairs = [(list(pairwise(shape)), entities) for shape, entities in texts.values() if len(shape) > 1]
        self._first = _Tally((found[0], entities) for found, entities in pairs)
        self._last = _Tally((found[-1], entities) for found, entities in pairs)
        self._inside_first = _Tally((pair, entities) for found, entities in pairs for pair in set(found[1:]))
        self._inside_last = _Tally((pair, entities) for found, entities in pairs for pair in set(found[:-1]))
        for words, (shape, _) in texts.items():
            for at in range(len(shape) - 1):
                self._before[shape[at + 1 : at + 3]].add(words[at])
                self._after[shape[max(0, at - 1) : at + 1]].add(words[at + 1])

    def of(self, statement: Statement) -> Ends:
        """How a statement begins and ends; what is said of its own entity does not count."""
        shape, words, entity = statement.reading.shape, statement.reading.words, statement.entity
        if not shape:
            return Ends()
        goes_on = self._beginnings.elsewhere(shape, entity)
        opens = 0 if shape[0] in FUNCTION_WORDS else self._beginnings.elsewhere(shape[:1], entity)
        if len(shape) < 2:
            return Ends(opens=opens, goes_on=goes_on)
        return Ends(
            begins=self._first.elsewhere(shape[:2], entity),
            begins_inside=self._inside_first.elsewhere(shape[:2], entity),
            ends=self._last.elsewhere(shape[-2:], entity),
            ends_inside=self._inside_last.elsewhere(shape[-2:], entity),
            opens=opens,
            goes_on=goes_on,
            cut_begin=self._is_piece(words[0])
            and any(len(w) > len(words[0]) and w.endswith(words[0]) for w in self._before.get(shape[1:3], ())),
            cut_end=self._is_piece(words[-1])
            and any(_goes_on(words[-1], word) for word in self._after.get(shape[-3:-1], ())),
        )

    def _is_piece(self, word: str) -> bool:
        """Whether a word may be a piece of another: rare, and no name."""
        return (
            len(word) >= _SHORTEST_PIECE and word.isalpha() and self._words[word] <= _RARE and word not in self._known
        )


def _goes_on(piece: str, word: str) -> bool:
    """Whether a word begins with the piece and is more than another form of it (`white`, `whites`)."""
    rest = word[len(piece) :]
    return word.startswith(piece) and rest[:1].isalnum() and rest not in _ENDINGS
