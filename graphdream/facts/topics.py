"""Topics: words that name a question which some sentence shows to have one answer at a time.

`His go-to lunch is bibimbap, not falafel wraps` says that falafel is over, and shows besides that one has one go-to
lunch: the words that it shares with `go-to lunch: falafel wraps`, apart from the value, are what both are about.
Whoever else has two of those, one after the other, has the later one. In a small graph this is all there is for values
in free words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphdream.facts.changes import Change
from graphdream.facts.groups import PARTIAL, Group
from graphdream.facts.reading import SUBJECT, TYPED, Reading, bare
from graphdream.facts.statements import Statement
from graphdream.facts.words import CHANGE, FUNCTION_WORDS, NEGATIONS

_LENGTHS = range(2, 4)
"""Words of a topic: one alone (`choice`, `days`) stands in too many questions."""
_LONGEST_VALUE = 4
"""Words besides the topic, at most: more is a story that the topic stands in."""

_OF = frozenset(("of", "for", "in", "on"))
"""What leads from a topic to whose it is ..."""
_ANSWERS = frozenset((":", "is", "are", "was", "at", "to", "as"))
"""... and from there to the answer."""
_NO_VALUE = FUNCTION_WORDS | CHANGE | {":", SUBJECT}


@dataclass(frozen=True, slots=True)
class OnTopic:
    """What one group says on a topic.

    Attributes:
        place: position of the group.
        topic: the words that name the question, as they stand.
        value: the other words that carry something, sorted.
    """

    place: int
    topic: tuple[str, ...]
    value: tuple[str, ...]


def on_topics(groups: Sequence[Group], told: Mapping[int, int], changes: Iterable[Change]) -> list[OnTopic]:
    """What groups say on the topics of changes that were told.

    Args:
        groups: what is said; partial statements do not count.
        told: group whose value is over -> group that tells.
        changes: the changes behind them.
    """
    said = {statement.at: (place, statement) for place, one in enumerate(groups) for statement in one.members}
    topics: set[tuple[str, ...]] = set()
    tellers = set()
    for change in changes:
        tellers.add(change.teller)
        if change.former in said and change.teller in said and said[change.former][0] in told:
            topics.update(_shared(said[change.teller][1], said[change.former][1], change))
    if not topics:
        return []
    by_first: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for topic in topics:
        by_first[topic[0]].append(topic)
    found: dict[int, list[tuple[Statement, OnTopic]]] = defaultdict(list)
    for place, one in enumerate(groups):
        for statement in one.members:
            # A change whose former value is nobody's is a story: `left her go-to lunch on the train`.
            tells = statement.at in tellers or CHANGE.isdisjoint(statement.reading.words)
            if tells and one.how.get(statement.at) not in PARTIAL:
                found[one.entity] += [(statement, entry) for entry in _on(place, statement.reading, by_first)]
    return [entry for said_of in found.values() for entry in _whole(said_of)]


def _whole(found: Sequence[tuple[Statement, OnTopic]]) -> Iterator[OnTopic]:
    """What was not cut: a text that another one of the entity begins with and goes on may lack its value."""
    texts = {bare(statement.facts[0].content).casefold() for statement, _ in found}
    for statement, entry in found:
        text = bare(statement.facts[0].content).casefold()
        if not any(other != text and other.startswith(text) for other in texts):
            yield entry


def _shared(teller: Statement, former: Statement, change: Change) -> Iterator[tuple[str, ...]]:
    """The runs of free words that a teller and the former statement share, apart from the value."""
    words = teller.reading.words
    over = set(teller.former) or {words[at] for at in change.places if at < len(words)}
    about = {word for word in teller.content & former.content if word not in over and word not in CHANGE}
    held, run = former.reading.words, list[str]()
    for word in (*words, ""):
        if word in about:
            run.append(word)
            continue
        if len(run) in _LENGTHS and _place(held, tuple(run)) is not None:
            yield tuple(run)
        run.clear()


def _place(words: Sequence[str], topic: tuple[str, ...]) -> int | None:
    size = len(topic)
    return next((at for at in range(len(words) - size + 1) if tuple(words[at : at + size]) == topic), None)


def _on(place: int, reading: Reading, topics: Mapping[str, Sequence[tuple[str, ...]]]) -> Iterator[OnTopic]:
    """What one statement says on topics, which are given by their first words."""
    words, shape = reading.words, reading.shape
    if topics.keys().isdisjoint(words) or not NEGATIONS.isdisjoint(words):
        return
    for topic in sorted(topic for word in set(words) for topic in topics.get(word, ())):
        at = _place(words, topic)
        if at is None:
            continue
        end = at + len(topic)
        whose = _whose(reading, end)
        value = sorted(
            word
            for index, (kind, word) in enumerate(zip(shape, words, strict=True))
            if not at <= index < whose and (kind in TYPED or kind not in _NO_VALUE)
        )
        stops_there = end < whose == len(words)
        if (2 if stops_there else 1) <= len(value) <= _LONGEST_VALUE:
            yield OnTopic(place, topic, tuple(value))


def _whose(reading: Reading, end: int) -> int:
    """Place behind what a topic is said to be of (`the grace period for bil` may have been cut there)."""
    words = reading.words
    if end < len(words) and words[end] in _OF:
        return next((at for at in range(end, len(words)) if words[at] in _ANSWERS), len(words))
    return end
