"""Pieces: texts cut out of the middle of some other statement, or out of a name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import pairwise

from graphdream.facts.model import Subject
from graphdream.facts.statements import Statement
from graphdream.graph.names import canonical, canonical_text
from graphdream.mutations.specifics import tokens

_SHORTEST = 3
"""Tokens in a piece, at least; two tokens are found in the middle of too much."""
_LONGEST_NAME = 80
"""Characters of a token of a name that are looked at."""
_LARGEST_POSTING = 40
"""Statements with the rarest pair of tokens of a text, at most; beyond that the pair is grammar."""


class Pieces:
    """The statements of a graph, indexed by pairs of neighbouring tokens."""

    def __init__(self, said: Sequence[Statement]) -> None:
        self._said = said
        self._at: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        self._whole = {statement.reading.words for statement in said}
        for place, statement in enumerate(said):
            for at, pair in enumerate(pairwise(statement.reading.words)):
                self._at[pair].append((place, at))

    def is_piece(self, statement: Statement) -> bool:
        """Whether the text stands strictly inside a statement of another entity.

        Its first token is the end, or its last token the beginning of the token there; a text that is also how a
        statement begins or ends is no piece, for that may be all there is to say.
        """
        words = statement.reading.words
        if len(words) < _SHORTEST or statement.reading.named:
            return False
        pairs = range(1, len(words) - 2) if len(words) > _SHORTEST else range(len(words) - 1)
        rarest = min(pairs, key=lambda at: len(self._at[words[at], words[at + 1]]))
        postings = self._at[words[rarest], words[rarest + 1]]
        if len(postings) > _LARGEST_POSTING:
            return False
        inside = False
        for place, at in postings:
            other = self._said[place]
            low, high = at - rarest, at - rarest + len(words)
            if other.entity == statement.entity or other.reading.words == words:
                continue
            fits = low >= 0 and high <= len(other.reading.words) and self._fits(words, other.reading.words[low:high])
            if fits and (low == 0 or high == len(other.reading.words)):
                return False
            part = other.reading.words[low:high]
            inside = inside or (fits and (part[0] != words[0] or part[-1] != words[-1]))
        return inside

    @staticmethod
    def _fits(piece: tuple[str, ...], part: tuple[str, ...]) -> bool:
        return piece[1:-1] == part[1:-1] and part[0].endswith(piece[0]) and part[-1].startswith(piece[-1])


class NamePieces:
    """The names of a graph, for telling statements that are but the beginning of one.

    Attributes:
        words: every token of every name, and the other words that are known to be whole.
    """

    def __init__(self, subjects: Sequence[Subject], whole_words: Collection[str] = ()) -> None:
        named = {token.text for subject in subjects for name in subject.names for token in tokens(name)}
        self.words = named.union(whole_words)
        self._beginnings = {
            word[:size]
            for word in named
            for size in range(_SHORTEST, min(len(word), _LONGEST_NAME))
            if word[size].isalnum()
        }
        self._names = {subject.id: [canonical(name) for name in subject.names] for subject in subjects}

    def is_piece(self, statement: Statement) -> bool:
        """Whether the text is the beginning of a name of its own entity, or a token that is no word and begins one."""
        text = canonical_text(statement.facts[0].content)
        own = self._names.get(statement.entity, ())
        if any(len(text) < len(name) and name.startswith(text) for name in own):
            return True
        words = statement.reading.words
        return len(words) == 1 and text not in self.words and text in self._beginnings
