"""What is known of a pair whatever the size of the graph: the kinds of evidence that people go by.

The other signals measure how rare a word or a fact is *in this graph*, and of a graph of ten records nothing of the
kind can be said. Here is asked what can be said of two records alone. Their names are of a kind: the same words
(accents, scripts, legal forms and nicknames apart), the whole and a part of a person's name, the same but for
brackets or outer folders. Within a kind, what is said of the two decides: words and figures that both hold, an
identifier that hardly anyone shares, two types. What each is worth was learned from small pieces of labelled graphs
(prior.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphdream.entities.blocking import Candidates
from graphdream.entities.comparednames import UNSPACED, Names, Reading, compare_names, reading_of
from graphdream.entities.corpus import Corpus, Ints
from graphdream.entities.forms import FUNCTION_WORDS, word_runs
from graphdream.entities.identifiers import MOST_OWNERS, find_identifiers, identifiers_of
from graphdream.entities.records import Record
from graphdream.entities.signals import SIGNALS, PairTable
from graphdream.entities.transcription import name_words, script_of, transcribed
from graphdream.graph.names import canonical

KINDS = ("same words", "part of a person's name", "same but for brackets or outer folders")
"""How two names may hang together so that facts can say the rest."""
APART = -2
"""Kind of two names that each hold a word in the place where the other holds another one: two things, as a rule."""
PERSON = "person"
"""The type of those whose names are used in parts; a thing with a word more is another thing (an app and its tests)."""
READ = 24
"""Facts of a record that are read."""
STEM = 5
"""Letters by which words of facts are compared, so that inflections meet. Source: prefix truncation as a stemmer of no
language in particular (McNamee and Mayfield 2004, Information Retrieval 7:73)."""
WORD_LETTERS = 4
"""Letters of the shortest word of a fact that counts, unless it has a digit: shorter ones join, they do not tell."""
MOST_NAMES = 8
"""Further names of a record that are held against another one's."""
MOST_RIVALS = 4
"""Things that one name may be a part of which are counted."""
INITIALS = 3
"""Letters of the shortest name that is asked about because it is another one's initials."""

EVIDENCE = (
    "weakest", "nickname", "written", "lone", "extra", "ordered", "shared", "shared_part", "specific", "said",
    "names_told", "other_name", "rivals", "type", "clash", "call_rival",
)  # fmt: skip
"""In order: likeness of the words of the two names that are least alike, a nickname among them, both written letter by
letter the same (two rows that nothing told apart when they were written are often two of one name), the shorter is
one word, words that the longer has more, the words stand in one order; words that both hold in what is said of them,
each counted as a part of those who hold it, the same as a share of the shorter one's, the same of names and figures
alone; something is said of both; words of the longer name that facts of the shorter tell; a word written like a name
that they tell beside it and the longer one has not; how many things, told apart by their names, have names of which
the shorter is a part; and three of the other signals that say the same in a graph of any size."""
EVIDENCE_DIRECTION = (1, -1, -1, -1, -1, 1, 1, 1, 1, 0, 1, -1, -1, 1, -1, -1)
"""Which way each speaks: +1 for the pair, -1 against, 0 depends."""
_OTHERS = ("type", "clash", "call_rival")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for each pair.

    Attributes:
        kind: shape (pairs,), index into `KINDS`, `APART`, or -1 where the names are of no kind.
        table: shape (pairs, len(EVIDENCE)).
        identified: shape (pairs,), 1 an identifier that hardly anyone else holds, -1 other ones of one kind, 0 else.
        doubtful: shape (pairs,), whether the names fit in a way in which those of two things do, too, whatever is said
            of them: a surname with Mr or Mrs, a part of a name that a hyphen joins, the words of a thing in another
            order.
        named: shape (pairs,), whether one name is an identifier that is made of a word of the other, or a name is
            written in signs that have several readings: the words of such names say nothing against an identifier that
            both hold.
        spelled: shape (pairs,), whether one name is the initials of the other (`CLRB`), their types allow it and
            something that is said of both is the same: nobody can be sure, for initials are those of many names.
    """

    kind: Ints
    table: NDArray[np.float32]
    identified: Ints
    doubtful: NDArray[np.bool_]
    named: NDArray[np.bool_]
    spelled: NDArray[np.bool_]

    @property
    def opposed(self) -> NDArray[np.bool_]:
        """Whether something speaks against the pair that no fact outweighs, shape (pairs,)."""
        return self.doubtful | (self.identified < 0)

    def signal(self, name: str) -> NDArray[np.float32]:
        """One column of `table`."""
        return self.table[:, EVIDENCE.index(name)]

    def rows(self, mask: NDArray[np.bool_]) -> Evidence:
        """Of some of the pairs."""
        return Evidence(
            self.kind[mask],
            self.table[mask],
            self.identified[mask],
            self.doubtful[mask],
            self.named[mask],
            self.spelled[mask],
        )


def hear_evidence(records: Sequence[Record], corpus: Corpus, candidates: Candidates, pairs: PairTable) -> Evidence:
    """Evidence of every candidate pair.

    Args:
        records: in the corpus's order.
        corpus, candidates, pairs: of the same call.
    """
    count = len(candidates.left)
    table = np.zeros((count, len(EVIDENCE)), dtype=np.float32)
    kind, identified = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.int64)
    doubtful, named = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    said = [_Said.of(record) for record in records]
    holders = Counter(word for one in said for word in one.words)
    owners = Counter(found for one in said for found in one.identifiers)
    brackets = (pairs.signal("core") > 0) & (pairs.signal("base") == 0)
    same_but = brackets | _outer_folders(records, candidates, pairs)
    rivals_of = count_rivals(records, corpus)[corpus.of_key]
    called = [_names(record) for record in records]
    rows: list[tuple[float, ...]] = []
    for at, (a, b) in enumerate(zip(candidates.left.tolist(), candidates.right.tolist(), strict=True)):
        reading = reading_of(records[a], records[b])
        names, apart = _best_names(called[a], called[b], reading)
        written = records[a].name == records[b].name
        by_name = names.weakest, names.nickname, written, names.lone, names.extra, names.ordered
        rows.append(by_name + _in_common(said[a], said[b], holders))
        identified[at] = _identified(said[a], said[b], owners)
        named[at] = (names.scripts and "CJK" in (said[a].script, said[b].script)) or _made_of(said[a], said[b])
        kind[at] = APART if apart else _kind(names, reading.people, bool(same_but[at]))
        doubtful[at] = _is_doubtful(names, reading.people)
    if rows:
        table[:, :12] = rows
    table[:, 12] = np.maximum(rivals_of[candidates.left], rivals_of[candidates.right])
    for at, name in enumerate(_OTHERS, start=len(EVIDENCE) - len(_OTHERS)):
        table[:, at] = pairs.table[:, SIGNALS.index(name)]
    told = table[:, EVIDENCE.index("shared")] > 0
    spelled = (pairs.signal("initials") > 0) & (pairs.signal("length") > np.log1p(INITIALS - 0.5)) & told
    spelled &= pairs.signal("type") >= 0
    return Evidence(kind, table, identified, doubtful, named, spelled)


def _outer_folders(records: Sequence[Record], candidates: Candidates, pairs: PairTable) -> NDArray[np.bool_]:
    """Whether one name is a path and the other its end, outer folders left out; shape (pairs,)."""
    out: NDArray[np.bool_] = np.asarray(pairs.signal("base") == 1)
    for at in np.flatnonzero(out).tolist():
        ends = [
            tuple(canonical(records[side[at]].name).strip("./~").split("/"))
            for side in (candidates.left, candidates.right)
        ]
        short, long = sorted(ends, key=len)
        out[at] = long[-len(short) :] == short
    return out


def _names(record: Record) -> tuple[str, ...]:
    return (record.name, *record.aliases[:MOST_NAMES])


@lru_cache(maxsize=100_000)
def _best_names(ours: tuple[str, ...], theirs: tuple[str, ...], reading: Reading) -> tuple[Names, bool]:
    """The two names that fit best, and whether any two are those of two things. Kept: later looks ask it again."""
    found = [compare_names(a, b, reading) for a in ours for b in theirs]
    apart = any(names.apart for names in found)
    return max(found, key=lambda names: (names.matched, -names.extra, names.weakest)), apart


def count_rivals(records: Sequence[Record], corpus: Corpus) -> Ints:
    """Of how many things, told apart by their names, each name may be a part, shape (keys,)."""
    names = [""] * len(corpus.forms)
    for record, key in zip(reversed(records), reversed(corpus.of_key.tolist()), strict=True):
        names[key] = record.name
    size = np.diff(corpus.name_words.indptr)
    out = np.zeros(len(names), dtype=np.int64)
    found: dict[int, list[str]] = {}
    for inner, outer in zip(corpus.inner.tolist(), corpus.outer.tolist(), strict=True):
        if size[inner] < size[outer]:
            others = found.setdefault(inner, [])
            if len(others) < MOST_RIVALS and all(compare_names(names[outer], other).apart for other in others):
                others.append(names[outer])
    for inner, others in found.items():
        out[inner] = len(others)
    return out


def _is_doubtful(names: Names, people: bool) -> bool:
    turned = names.matched == 1.0 and names.extra == 0 and names.turned
    return names.titled or names.split or (turned and not people)


def _kind(names: Names, person: bool, same_but: bool) -> int:
    if names.matched == 1.0 and names.extra == 0:
        return 0
    if same_but:
        return 2
    return 1 if person and names.matched == 1.0 else -1


@dataclass(frozen=True, slots=True)
class _Said:
    """What is said of one record.

    Attributes:
        words: stems of the words of its facts.
        specific: those of them that are written as names or hold figures.
        identifiers: of its name and facts.
        name: stems of its name.
        names: stems of its name and of its further ones.
        companions: stems of words, written like names, that follow a word of its name in its facts.
        script: of its name; "CJK" if any of its signs is a Han character.
        own: identifiers in its name, as letters and digits.
        type: folded.
    """

    words: frozenset[str]
    specific: frozenset[str]
    identifiers: frozenset[tuple[int, str]]
    name: frozenset[str]
    names: frozenset[str]
    companions: frozenset[str]
    script: str
    own: tuple[str, ...]
    type: str

    @classmethod
    @lru_cache(maxsize=4_096)
    def of(cls, record: Record) -> _Said:
        """Read a record. Kept: most records are the same in each look of a pass."""
        read = [fact_stems(text) for text in record.attributes[:READ]]
        name = frozenset(_stem(word) for word in name_words(record.name))
        names = name.union(*(map(_stem, name_words(alias)) for alias in record.aliases[:MOST_NAMES]))
        return cls(
            words=frozenset().union(*(words for words, _ in read)),
            specific=frozenset().union(*(specific for _, specific in read)),
            identifiers=identifiers_of(record, READ),
            name=name,
            names=names,
            companions=frozenset().union(*(_companions(text, name) for text in record.attributes[:READ])),
            script="CJK" if "CJK" in map(script_of, record.name) else script_of(record.name),
            own=tuple(sorted(value.partition("@")[0] for _, value in find_identifiers(record.name))),
            type=record.type.strip().casefold(),
        )


def _stem(word: str) -> str:
    return transcribed(word).casefold()[:STEM]


def _companions(text: str, name: frozenset[str]) -> set[str]:
    spoken = word_runs(text)
    if text.isupper():
        return set()
    return {
        _stem(after)
        for word, after in pairwise(spoken)
        if after[:1].isupper() and len(after) > 1 and _stem(word) in name and f"{word} {after}" in text
    }


@lru_cache(maxsize=65_536)
def fact_stems(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a fact that tell, as stems; and those of them that are written as names or hold figures.

    Scripts that write no spaces are read by twos of their signs.
    """
    words: set[str] = set()
    specific: set[str] = set()
    first = True
    for raw in word_runs(text):
        digit = any(sign.isdigit() for sign in raw)
        if script_of(raw) in UNSPACED:
            words.update(raw[at : at + 2] for at in range(len(raw) - 1))
        else:
            plain = transcribed(raw)
            stem = plain.casefold()[:STEM]
            if (digit and len(stem) > 1) or (len(stem) >= WORD_LETTERS and plain.casefold() not in FUNCTION_WORDS):
                words.add(stem)
                if digit or (not first and raw[0].isupper()):
                    specific.add(stem)
        first = False
    return frozenset(words), frozenset(specific)


def _in_common(a: _Said, b: _Said, holders: Counter[str]) -> tuple[float, ...]:
    both_names = a.names | b.names
    ours, theirs = a.words - both_names, b.words - both_names
    common = sorted(ours & theirs)
    part = {word: MOST_OWNERS / max(MOST_OWNERS, holders[word]) for word in common}
    shared = sum(part.values())
    specific = sum(part[word] for word in common if word in a.specific or word in b.specific)
    least = min(len(ours), len(theirs))
    few, many = (a, b) if len(a.name) <= len(b.name) else (b, a)
    more = many.name - few.name
    told = len(more & few.words) / max(1, len(more))
    other = bool(few.companions - both_names)
    return shared, shared / least if least else 0.0, specific, float(least > 0), told, float(other)


def _made_of(a: _Said, b: _Said) -> bool:
    """Whether the name of one is an identifier that holds a word of the other's name."""
    return any(
        len(word) >= WORD_LETTERS and word in own
        for one, other in ((a, b), (b, a))
        for own in one.own
        for word in other.name
    )


def _identified(a: _Said, b: _Said, owners: Counter[tuple[int, str]]) -> int:
    both = a.identifiers & b.identifiers
    if any(owners[found] <= MOST_OWNERS for found in both):
        return 1
    kinds = {kind for kind, _ in a.identifiers} & {kind for kind, _ in b.identifiers}
    return -1 if kinds and not both else 0
