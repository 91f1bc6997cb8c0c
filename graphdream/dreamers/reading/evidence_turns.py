"""Which turns of a transcript a sentence rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from graphdream.dreamers.gathered import SeenTurn
from graphdream.facts.words import FUNCTION_WORDS
from graphdream.mutations.specifics import tokens

MOST_TURNS = 3  # of the transcript, that a fact is linked to
SHARED_WORDS = 2  # content words that a turn has to share with a fact that rests on it


class Turns:
    """Which turns of a transcript a sentence rests on: those that share its rarest words."""

    def __init__(self, turns: Sequence[SeenTurn]) -> None:
        self._turns = [(turn.uid, content_words(f"{turn.speaker} {turn.content}")) for turn in turns if turn.uid]
        self._spread = Counter(word for _, words in self._turns for word in words)

    def under(self, sentence: str) -> tuple[str, ...]:
        """Uids of the turns, best first; at most `MOST_TURNS`."""
        wanted = content_words(sentence)
        scored = []
        for position, (uid, words) in enumerate(self._turns):
            shared = wanted & words
            if len(shared) >= SHARED_WORDS:
                scored.append((-sum(1 / self._spread[word] for word in shared), position, uid))
        return tuple(uid for _, _, uid in sorted(scored)[:MOST_TURNS])


def content_words(text: str) -> frozenset[str]:
    """Words that carry content, cut to their first five letters: a stem good enough to meet its other forms."""
    found: Mapping[str, None] = dict.fromkeys(token.text for token in tokens(text) if token.kind != "mark")
    return frozenset(word[:5] for word in found if word not in FUNCTION_WORDS and len(word) > 2)
