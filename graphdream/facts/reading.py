"""Facts as the rest of the room reads them: the subject masked, values typed, residue of formatting gone.

`Maya Okafor lives in Lisbon.`, `lives in Lisbon` and `> She lives in **Lisbon**` on one entity read the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Self

from graphdream.facts.kept import PairMemory
from graphdream.facts.model import Fact, Subject
from graphdream.facts.words import FUNCTION_WORDS
from graphdream.language.formatting import bare
from graphdream.mutations.specifics import Token, read_tokens, tokens

if TYPE_CHECKING:
    from graphdream.facts.statements import Statement
    from graphdream.facts.wrappers import Wrappers

SUBJECT = "§"
NUMBER, DATE, TIME, NAME = "<number>", "<date>", "<time>", "<name>"
MEASURED = frozenset((NUMBER, DATE, TIME))
TYPED = MEASURED | {NAME}
_TYPE_OF = {"number": NUMBER, "date": DATE, "time": TIME, "url": NAME, "id": NAME}

_SUBJECT_PRONOUNS = frozenset(("he", "she", "him"))
_SUBJECT_POSSESSIVES = frozenset(("his", "her", "their"))
LABEL = ":"
"""What sets a label off."""
_MAX_NAME_TOKENS = 8
_MAX_TOKENS = 600
"""Statements are read up to this many tokens."""

_DIGITS_OF_A_YEAR = 4


@dataclass(frozen=True, slots=True)
class Reading:
    """One statement, read.

    Attributes:
        shape: what kind of thing stands at each place: a folded word, `§` for the subject, `<number>`,
            `<date>`, `<time>` or `<name>`.
        words: the same places with their values; shape and words differ only where the shape is typed.
        marks: places before which a clause mark (comma, bracket, full stop) stands.
        named: the text calls its subject by name or pronoun.
    """

    shape: tuple[str, ...]
    words: tuple[str, ...]
    marks: frozenset[int]
    named: bool
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.shape, self.words, self.marks, self.named)))

    def __hash__(self) -> int:
        """Worked out once: what is derived from a reading is looked up by it, many times in a look."""
        return self._hash

    @property
    def values(self) -> tuple[str, ...]:
        """The typed values in order."""
        return tuple(w for s, w in zip(self.shape, self.words, strict=True) if s in TYPED)

    def is_year(self, at: int) -> bool:
        """Whether a place is the year of the day before it: a number of four digits."""
        return at > 0 and self.shape[at - 1 : at + 1] == (DATE, NUMBER) and len(self.words[at]) == _DIGITS_OF_A_YEAR

    def between(self, low: int, high: int) -> Reading:
        """The places low..high-1, read as a statement of their own."""
        marks = frozenset(mark - low for mark in self.marks if low <= mark < high)
        return Reading(self.shape[low:high], self.words[low:high], marks, self.named)


@lru_cache(maxsize=200_000)
def _bare_tokens(content: str) -> tuple[Token, ...]:
    """The tokens of a text without its formatting. Kept: each round of a pass reads the same facts again."""
    return read_tokens(bare(content))


@lru_cache(maxsize=200_000)
def _texts(content: str) -> frozenset[str]:
    """The different tokens of a text without its formatting."""
    return frozenset(token.text for token in _bare_tokens(content))


class _Names:
    """The ways one subject may be called inside its own facts."""

    def __init__(self, names: Iterable[str]) -> None:
        whole: set[tuple[str, ...]] = set()
        parts: set[tuple[str, ...]] = set()
        for name in names:
            found = [t for t in tokens(name) if t.kind != "mark" and t.text != "'s"]
            words = tuple(t.text for t in found)
            if not words or len(words) > _MAX_NAME_TOKENS:
                continue
            whole.add(words)
            initials = [c[0] for c in re.findall(r"[^\W\d_][\w'’-]*", name)]
            if len(words) > 1 and all(t.kind == "word" for t in found) and all(c.isupper() for c in initials):
                for cut in range(1, len(words)):
                    parts.update(p for p in (words[:cut], words[cut:]) if not FUNCTION_WORDS.issuperset(p))
        self.whole, self.parts = whole, parts
        self._longest = max(map(len, whole), default=0)
        self._first = {words[0] for words in (*whole, *parts)}

    @classmethod
    @lru_cache(maxsize=50_000)
    def of(cls, names: tuple[str, ...]) -> Self:
        """Made once for each set of names, however many facts and looks there are."""
        return cls(names)

    def places(self, words: Sequence[str], proper: Sequence[bool]) -> dict[int, int]:
        """Start -> length of each mention.

        Part of a proper name counts where no whole name stands, and beside one where no other name goes on with it
        (`Maya Okafor: at Tern, Maya holds ...`, but not `Maya Okafor met Maya Lindqvist`).

        Args:
            words: folded tokens.
            proper: whether each is written as a name.
        """
        if self._first.isdisjoint(words):
            return {}
        whole = self._scan(words, self.whole)
        parts = self._scan(words, self.parts)
        if not whole:
            return parts
        covered = {place for at, size in whole.items() for place in range(at, at + size)}
        for at, size in parts.items():
            beside = [place for place in (at - 1, at + size) if 0 <= place < len(words) and place not in covered]
            if covered.isdisjoint(range(at, at + size)) and not any(proper[place] for place in beside):
                whole[at] = size
        return whole

    def _scan(self, words: Sequence[str], forms: set[tuple[str, ...]]) -> dict[int, int]:
        found: dict[int, int] = {}
        at = 0
        while at < len(words):
            step = 1
            longest = min(self._longest, len(words) - at) if words[at] in self._first else 0
            for size in range(longest, 0, -1):
                if tuple(words[at : at + size]) in forms:
                    found[at] = step = size
                    break
            at += step
        return found


class _Gazetteer:
    """Proper names that mean exactly one subject of the graph, whatever entity a fact hangs on.

    A name in ordinary words (`token budget`, or a fragment that was taken for an entity) is not looked for:
    it would swallow the words of other sentences. Neither is a single word that is part of a longer name: `Maya` may
    be any Maya.
    """

    def __init__(self, subjects: Iterable[Subject], proper: frozenset[str]) -> None:
        owners: dict[tuple[str, ...], str | None] = {}
        for subject in subjects:
            best = ""
            for name in subject.names:
                found = [t for t in tokens(name) if t.kind != "mark" and t.text != "'s"]
                words = tuple(t.text for t in found)
                if not 0 < len(words) <= _MAX_NAME_TOKENS:
                    continue
                if not all(t.kind in ("id", "url", "number") or t.text in proper for t in found):
                    continue
                if all(t.kind == "number" for t in found):
                    continue
                best = best or f"{' '.join(words)}@{subject.id}"
                owners[words] = best if owners.get(words, best) == best else None
        part_of_longer = {name[at] for name in owners if len(name) > 1 for at in (0, -1)}
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for words, owner in sorted(owners.items(), key=lambda item: (-len(item[0]), item[0])):
            if owner is not None and (len(words) > 1 or words[0] not in part_of_longer):
                self._by_first.setdefault(words[0], []).append((words, owner))

    def differing(self, other: _Gazetteer) -> set[str]:
        """The words with which a name begins that means something else, or nothing, in the other one."""
        mine, theirs = self._by_first, other._by_first
        return {word for word in mine.keys() | theirs.keys() if mine.get(word) != theirs.get(word)}

    def at(self, words: Sequence[str], place: int) -> tuple[int, str] | None:
        """(length, value) of the longest name that starts at a place; the value is `best name@subject`."""
        for name, owner in self._by_first.get(words[place], ()):
            if tuple(words[place : place + len(name)]) == name:
                return len(name), owner
        return None


def _proper_words(texts: Iterable[str], subjects: Iterable[Subject]) -> frozenset[str]:
    """Words that the corpus writes with a capital, mid-sentence, more often than without.

    A person's whole name counts as one more time: in a small graph somebody may never be named in mid-sentence.
    """
    seen: dict[str, int] = {}
    for content in texts:
        for word, balance in _cased(content):
            seen[word] = seen.get(word, 0) + balance
    people = {name for subject in subjects if subject.type == "person" for name in subject.names}
    for word in {word for name in people for word in _whole_name(name)}:
        seen[word] = seen.get(word, 0) + 1
    return frozenset(word for word, balance in seen.items() if balance > 0 and word not in FUNCTION_WORDS)


def _whole_name(name: str) -> tuple[str, ...]:
    """The words of a name of two words or more, each of them written with a capital and none all in capitals."""
    words = re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", name)
    titled = len(words) > 1 and all(word[:1].isupper() and not word.isupper() for word in words)
    return tuple(t.text for t in tokens(name) if t.kind == "word") if titled else ()


@lru_cache(maxsize=200_000)
def _cased(content: str) -> tuple[tuple[str, int], ...]:
    """Each word of a text and +1 if it is written with a capital, -1 if not; none where a capital says nothing."""
    if content.isupper():
        return ()
    out = []
    fresh = True
    for token in _bare_tokens(content):
        if token.kind == "mark":
            fresh = token.text in ".:?!|"
            continue
        if token.kind == "word" and not (fresh and not token.proper):
            out.append((token.text, 1 if token.proper else -1))
        fresh = False
    return tuple(out)


@dataclass
class ReadingMemory:
    """Readings of the look before at nearly the same graph, for as long as what they hang on is the same.

    A reading hangs on its text, on the names of its subject and, word by word, on whether the graph writes the word
    as a name and on which names begin with it. So it is as if nothing were remembered, but sooner.

    Attributes:
        readings: by text and names.
        statements: by entity and first fact.
        wrappers: what was left off of readings.
        pairs: what pairs of statements showed by themselves.
    """

    readings: dict[tuple[str, tuple[str, ...]], Reading] = field(default_factory=dict)
    statements: dict[tuple[int, int], Statement] = field(default_factory=dict)
    wrappers: Wrappers | None = None
    pairs: PairMemory = field(default_factory=PairMemory)
    _proper: frozenset[str] = frozenset()
    _gazetteer: _Gazetteer | None = None

    def renew(self, proper: frozenset[str], gazetteer: _Gazetteer) -> None:
        """Forget the readings of texts with a word that means something else by now."""
        if self._gazetteer is not None:
            moved = (proper ^ self._proper) | gazetteer.differing(self._gazetteer)
            for key in [key for key in self.readings if not moved.isdisjoint(_texts(key[0]))]:
                del self.readings[key]
        self._proper, self._gazetteer = proper, gazetteer

    def keep(self, keys: Collection[tuple[str, tuple[str, ...]]]) -> None:
        """Forget all other readings, and what was left off of them; they are of another part of the graph."""
        self.readings = {key: self.readings[key] for key in keys if key in self.readings}
        self.wrappers = None


class Reader:
    """Reads facts, knowing the names of a graph and which words it writes as names.

    Args:
        facts: the facts of the graph, for what words are proper names in it.
        subjects: its entities.
        memory: what an earlier reader made of nearly the same facts.
    """

    def __init__(self, facts: Sequence[Fact], subjects: Iterable[Subject], memory: ReadingMemory) -> None:
        subjects = tuple(subjects)
        self._names_of = {subject.id: subject.names for subject in subjects}
        self._proper = _proper_words((fact.content for fact in facts), subjects)
        self._gazetteer = _Gazetteer(subjects, self._proper)
        memory.renew(self._proper, self._gazetteer)
        if len(memory.readings) > len(facts):
            memory.keep({self._key(fact) for fact in facts})
        self._readings = memory.readings

    def _key(self, fact: Fact) -> tuple[str, tuple[str, ...]]:
        return fact.content, self._names_of.get(fact.entity, ())

    def read(self, fact: Fact) -> Reading:
        """The reading of one fact, linear in the length of its text."""
        key = self._key(fact)
        known = self._readings.get(key)
        if known is None:
            found = _bare_tokens(fact.content)[:_MAX_TOKENS]
            known = self._readings[key] = _read_one(found, _Names.of(key[1]), self._gazetteer, self._proper)
        return known


def _is_letter(plain: Sequence[Token], at: int) -> bool:
    """Whether a token is a letter that stands for itself, and not the word that it is in small: `16 A`, `option A`.

    Among other words with capitals it may be the word, too, as in a title (`This Is A Test`).
    """
    token, after = plain[at], plain[at + 1 : at + 2]
    alone = len(token.text) == 1 and token.proper and token.text in FUNCTION_WORDS
    return alone and at > 0 and not plain[at - 1].proper and not (after and after[0].proper)


def _read_one(found: tuple[Token, ...], names: _Names, gazetteer: _Gazetteer, proper: frozenset[str]) -> Reading:
    plain: list[Token] = []
    marked: set[int] = set()
    for token in found:
        if token.kind == "mark" and token.text not in ":=":
            marked.add(len(plain))
        else:
            plain.append(token)
    texts = [t.text for t in plain]
    mentions = names.places(texts, [t.proper for t in plain])
    shape: list[str] = []
    words: list[str] = []
    marks: set[int] = set()
    named, at = bool(mentions), 0
    while at < len(plain):
        if at in marked:
            marks.add(len(shape))
        token = plain[at]
        text = token.text
        if at in mentions or text in _SUBJECT_PRONOUNS:
            named = True
            if not shape or shape[-1] != SUBJECT:
                shape.append(SUBJECT)
                words.append(SUBJECT)
            at += mentions.get(at, 1)
            continue
        known = gazetteer.at(texts, at)
        if known is not None:
            shape.append(NAME)
            words.append(known[1])
            at += known[0]
            continue
        at += 1
        if text in _SUBJECT_POSSESSIVES:
            shape += (SUBJECT, "'s")
            words += (SUBJECT, "'s")
        elif token.kind in _TYPE_OF:
            shape.append(_TYPE_OF[token.kind])
            words.append(text)
        elif text in proper:
            if shape and shape[-1] == NAME and len(shape) not in marks and "@" not in words[-1]:
                words[-1] += " " + text
            else:
                shape.append(NAME)
                words.append(text)
        else:
            word = LABEL if token.kind == "mark" else text.upper() if _is_letter(plain, at - 1) else text
            shape.append(word)
            words.append(word)
    if shape and shape[0] == SUBJECT:
        twice = shape[1:3] == [LABEL, SUBJECT]  # `Maya: Maya lives in Lisbon`
        cut = 3 if twice else 1
        del shape[:cut], words[:cut]
        marks = {m - cut for m in marks if m >= cut}
    return Reading(tuple(shape), tuple(words), frozenset(marks), named)
