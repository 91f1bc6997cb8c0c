"""Which turns of a transcript are new, where it is told again whole, in pieces, or rewritten."""

from __future__ import annotations

from collections.abc import Sequence

from graphdream.events.transcripts import Turn


def new_turns(known: Sequence[Turn], told: Sequence[Turn]) -> list[Turn]:
    """Those turns of a transcript that are not on record.

    Where every turn told has an id, the ids decide. Otherwise the turns' words do: the transcript may be the one on
    record or any stretch of it (nothing is new), go on from it, or repeat its end and go on; one that was rewritten is
    taken from where it parts from the record.

    Returns:
        The new turns in their order. Time is linear in the number of turns.
    """
    if all(turn.uid is not None for turn in told):
        ids = {turn.uid for turn in known}
        fresh = []
        for turn in told:
            if turn.uid not in ids:
                ids.add(turn.uid)
                fresh.append(turn)
        return fresh
    record = [(turn.speaker, turn.content) for turn in known]
    words = [(turn.speaker, turn.content) for turn in told]
    overlap = _overlap(record, words)
    common = next((i for i, pair in enumerate(zip(record, words, strict=False)) if pair[0] != pair[1]), None)
    if common is None:
        common = min(len(record), len(words))
    return list(told[max(overlap, common) :])


def _overlap(record: Sequence[tuple[str, str]], words: Sequence[tuple[str, str]]) -> int:
    """How many turns from the start of `words` the record has: all where it holds them in a row, else what it ends in.

    Source: Knuth, Morris and Pratt, "Fast pattern matching in strings", SIAM J. Comput. 6, 1977.
    """
    fallback = [0] * len(words)
    length = 0
    for i in range(1, len(words)):
        while length and words[i] != words[length]:
            length = fallback[length - 1]
        length += words[i] == words[length]
        fallback[i] = length
    matched = 0
    for turn in record:
        while matched and turn != words[matched]:
            matched = fallback[matched - 1]
        matched += turn == words[matched]
        if matched == len(words):
            return matched
    return matched
