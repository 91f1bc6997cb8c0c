"""Subjects that are nothing: names that name nothing, and headings under which copied notes came in.

Both go only when no fact goes with them: every fact they hold is junk, or is said of the entity it is about.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from graphdream.facts.model import Fact, Subject
from graphdream.facts.reading import LABEL
from graphdream.facts.statements import StatementMaker
from graphdream.facts.words import FUNCTION_WORDS
from graphdream.graph.name_gate import name_fault
from graphdream.graph.names import canonical_text
from graphdream.language.formatting import bare
from graphdream.mutations.specifics import tokens

_LONGEST_NAME = 8
_LONGEST_WORD = 40
_COMMON = 3
"""Texts with a word, at least, before the beginning of it at the end of a name is a cut."""
_MAX_OWNERS = 3
"""Subjects of one name, at most, that a guest fact is tried on."""


class NameIndex:
    """Which subjects bear a name, for finding whom a fact is about that hangs on something else."""

    def __init__(self, subjects: Iterable[Subject]) -> None:
        self._owners: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for subject in subjects:
            for name in subject.names:
                words = _name_words(name)
                if 0 < len(words) <= _LONGEST_NAME and name_fault(name) is None:
                    self._owners[words].add(subject.id)
        self._first = {words[0] for words in self._owners}

    def named_in(self, content: str) -> list[int]:
        """Subjects that a text names, those of the longest name first."""
        words = _name_words(bare(content))
        begins = [at for at, word in enumerate(words) if word in self._first]
        out: dict[int, None] = {}
        for size in range(min(_LONGEST_NAME, len(words)), 0, -1):
            for at in (at for at in begins if at + size <= len(words)):
                owners = self._owners.get(words[at : at + size], ())
                if len(owners) <= _MAX_OWNERS:
                    out.update(dict.fromkeys(sorted(owners)))
        return list(out)


@lru_cache(maxsize=200_000)
def _name_words(text: str) -> tuple[str, ...]:
    return tuple(t.text for t in tokens(text) if t.kind != "mark" and t.text != "'s")


@lru_cache(maxsize=200_000)
def word_set(text: str) -> frozenset[str]:
    """The different words of a text."""
    return frozenset(token.text for token in tokens(text) if token.kind == "word")


class WordStock:
    """The words of the texts of a graph, for telling names that stop inside one."""

    def __init__(self, contents: Iterable[str], names: Iterable[str]) -> None:
        self._count: Counter[str] = Counter()
        for text in contents:
            self._count.update(word_set(text))
        self._named: Counter[str] = Counter()
        for name in names:
            self._named.update(word_set(name))
        self._longer: set[str] = set()
        for word, count in self._count.items():
            if count >= _COMMON:
                self._longer.update(word[:size] for size in range(2, min(len(word), _LONGEST_WORD)))

    def fault(self, name: str) -> str | None:
        """The fault of a name that opens with a function word and ends in a piece of a word of the graph, or None."""
        words = [t.text for t in tokens(name) if t.kind != "mark"]
        if len(words) < 2 or words[0] not in FUNCTION_WORDS or not words[-1].isalpha():
            return None
        last = words[-1]
        piece = self._count[last] < 2 and self._named[last] < 2 and last in self._longer
        return "cut inside a word" if piece else None


def anchored(facts: Iterable[Fact], subjects: Iterable[Subject], maker: StatementMaker) -> frozenset[int]:
    """Entities that are the subject of some sentence of theirs, or pinned; a heading never is."""
    named = set()
    for fact in facts:
        reading = maker.reading(fact)
        if reading.named and reading.shape[:1] != (LABEL,):
            named.add(fact.entity)
    return frozenset(named | {subject.id for subject in subjects if subject.pinned})


def guests(facts: Iterable[Fact], subjects: Iterable[Subject], anchors: Collection[int]) -> list[Fact]:
    """Facts that hang on what is never their subject, once for every subject that they name.

    Returns:
        Copies of the facts under the entity they may be about, their ids complemented (negative).
    """
    strangers = [fact for fact in facts if fact.entity not in anchors and not fact.protected]
    if not strangers:
        return []
    index = NameIndex(subjects)
    out = []
    for fact in strangers:
        owners = [owner for owner in index.named_in(fact.content) if owner in anchors][:_MAX_OWNERS]
        out += [replace(fact, id=~fact.id, entity=owner) for owner in owners]
    return out


def find_empty(
    facts: Iterable[Fact],
    subjects: Iterable[Subject],
    gone: Collection[int],
    elsewhere: Mapping[int, int],
    anchors: Collection[int],
    words: WordStock,
) -> tuple[list[tuple[int, str]], dict[int, int]]:
    """Subjects that may go, and which of their facts are copies of facts elsewhere.

    Args:
        facts: all active facts.
        subjects: all subjects.
        gone: facts that are junk.
        elsewhere: fact -> fact that says the same of the entity it is about.
        anchors: entities that are the subject of some sentence.
        words: the words of the graph, for names that were cut inside a word.

    Returns:
        (subject, why) in order of id, and fact -> survivor for the facts that go with them as copies.
    """
    held: dict[int, list[Fact]] = defaultdict(list)
    for fact in facts:
        held[fact.entity].append(fact)
    copied = dict(elsewhere)
    for copy, target in _same_notes(held, anchors).items():
        copied.setdefault(copy, target)
    empty: list[tuple[int, str]] = []
    copies: dict[int, int] = {}
    for subject in sorted(subjects, key=lambda s: s.id):
        mine = held.get(subject.id, [])
        if subject.id in anchors or any(fact.protected for fact in mine):
            continue
        left = [fact for fact in mine if fact.id not in gone]
        if any(fact.id not in copied for fact in left):
            continue
        faults = [name_fault(name) or words.fault(name) for name in subject.names]
        if all(faults):
            empty.append((subject.id, str(faults[0])))
        elif any(fact.id in elsewhere for fact in left) and all(fact.source.startswith("file:") for fact in left):
            empty.append((subject.id, "a heading that holds only copies of other entities' facts"))
        else:
            continue
        copies.update((fact.id, copied[fact.id]) for fact in left)
    return empty, copies


def _same_notes(held: Mapping[int, Sequence[Fact]], anchors: Collection[int]) -> dict[int, int]:
    """Fact -> the fact of an anchored entity that came out of notes with the same words."""
    by_text: dict[str, list[Fact]] = defaultdict(list)
    for facts in held.values():
        for fact in facts:
            if fact.source.startswith("file:"):
                by_text[canonical_text(fact.content)].append(fact)
    out: dict[int, int] = {}
    for same in by_text.values():
        kept = [fact for fact in same if fact.entity in anchors]
        if kept:
            target = min(kept, key=lambda fact: (fact.known_at, fact.id)).id
            out.update((fact.id, target) for fact in same if fact.entity not in anchors)
    return out
