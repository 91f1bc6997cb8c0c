"""Which documents hold a term, and how often: read from the full-text index term by term, within a budget."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from graphdream.recall.words import STEMMER, spellings

# Documents read for all terms of a question together, some 1 ms of time, the rarest terms' first. A term beyond that is
# too common to find anything by itself; it counts where the rarer terms occur.
BUDGET = 800
# A word of the same first five letters is worth this much of the word itself: `educated` for `education` where the
# stemmer does not join them. Measured on LoCoMo (docs/recall.md).
KIN_WEIGHT = 0.6
KIN_LETTERS = 5
_KIN_DOCUMENTS = 100  # of one family
_KIN_WORDS = 500  # of all families together
_MOST_KEPT = 10_000  # common terms of one index whose counts are kept
_MOST_DOCUMENTS = 200_000  # of all pairs of signs that are kept, each counted as often as it holds one: some 20 MB
_FEW_DOCUMENTS = 5_000  # of an index; there, to read all that hold a term takes no longer than to ask for some of them
_LISTED = "group_concat(CASE col WHEN '{}' THEN doc END)"
_LAST = "\U0010ffff"  # sorts after every sign


@dataclass(frozen=True, slots=True)
class Index:
    """A full-text index: its tables, and what an occurrence in each column is worth."""

    words: str
    word_terms: str
    frequencies: str
    signs: str
    sign_terms: str
    columns: Mapping[str, float] = field(default_factory=lambda: {"content": 1.0})


TURNS = Index("turn_index", "turn_term", "turn_frequency", "turn_signs", "turn_sign")
SUMMARIES = Index("summary_index", "summary_term", "summary_frequency", "summary_signs", "summary_sign")
# A fact is found by what it says first; by its entity's name and its aspect's, too.
FACTS = Index(
    "fact_index", "fact_term", "fact_frequency", "fact_signs", "fact_sign",
    {"content": 1.0, "name": 1.0, "path": 0.5, "tags": 0.5},
)  # fmt: skip

Occurrences = dict[int, float]
"""Document id -> how often a term occurs in it, weighted by column; kin counts less."""


@dataclass(slots=True)
class Matches:
    """What an index holds of a question's terms.

    Attributes:
        documents: number of documents in the index.
        mean_length: tokens of a document on average, all columns together.
        found: for each term its occurrences; for a common term only in documents that hold a rarer one.
        frequency: for each term the number of documents that hold it.
    """

    documents: int
    mean_length: float
    found: list[Occurrences]
    frequency: list[int]


@dataclass(slots=True)
class Kept:
    """What was read of an index.

    Attributes:
        counts: very common term -> how many documents hold it; to be added to. The index does not know it: to count
            means to read all of a term's list, some 4 ms where 100,000 documents hold it.
        pairs: pair of signs -> its occurrences; nobody changes them.
        holders: term -> the documents that hold it.
        words: word -> for each column of the index, how often each document has it there; nobody changes them.
        documents: how many documents are listed in these.
    """

    counts: dict[str, int] = field(default_factory=dict)
    pairs: dict[str, Occurrences] = field(default_factory=dict)
    holders: dict[str, frozenset[int]] = field(default_factory=dict)
    words: dict[str, Sequence[Counter[int]]] = field(default_factory=dict)
    documents: int = 0

    def word(self, connection: sqlite3.Connection, index: Index, word: str) -> Sequence[Counter[int]]:
        """How often each document has a word, column by column."""
        known = self.words.get(word)
        if known is None:
            known = _listed(connection, index, word)
            size = sum(map(len, known))
            if self.documents + size <= _MOST_DOCUMENTS:
                self.words[word] = known
                self.documents += size
        return known

    def pair(self, connection: sqlite3.Connection, index: Index, pair: str) -> Occurrences:
        """Occurrences of a pair of signs."""
        known = self.pairs.get(pair)
        if known is None:
            known = _pair_occurrences(connection, index, pair)
            if self.documents + len(known) <= _MOST_DOCUMENTS:
                self.pairs[pair] = known
                self.documents += len(known)
        return known

    def holding(self, connection: sqlite3.Connection, index: Index, term: str) -> frozenset[int]:
        """The documents that hold a term."""
        known = self.holders.get(term)
        if known is None:
            rows = connection.execute(f"SELECT rowid FROM {index.words} WHERE {index.words} MATCH ?", (_quoted(term),))
            known = frozenset(row[0] for row in rows)
            if self.documents + len(known) <= _MOST_DOCUMENTS:
                self.holders[term] = known
                self.documents += len(known)
        return known


class KeptReadings:
    """What is read over and over, kept from one question to the next while an index stays as it is."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[tuple[object, ...], Kept]] = {}

    def of(self, connection: sqlite3.Connection, index: Index) -> Kept:
        """What is known of an index as it is now."""
        # Each write to an index makes its averages or the record of its segments another one (ext/fts5/fts5_index.c,
        # "Structure record"); what this connection has written and not yet put there counts as a change of its own.
        state = (
            *connection.execute(
                f"SELECT block FROM {index.words}_data WHERE id IN (1, 10)"
                f" UNION ALL SELECT block FROM {index.signs}_data WHERE id IN (1, 10)"
            ).fetchall(),
            connection.total_changes,
        )
        known = self._of.get(index.words)
        if known is None or known[0] != state:
            known = self._of[index.words] = (state, Kept())
        return known[1]


def match(
    connection: sqlite3.Connection,
    index: Index,
    terms: Sequence[str],
    pairs: Sequence[str],
    kept: KeptReadings | None = None,
) -> Matches:
    """Read what an index holds of a question's terms (as index terms) and pairs of signs, in that order.

    Args:
        connection: to the file.
        index: which of its indexes.
        terms, pairs: of the question.
        kept: what earlier questions on the same file read.
    """
    known = (kept or KeptReadings()).of(connection, index)
    # First: to look at its terms makes FTS5 write down what it still holds, and the sizes are of that.
    frequency = _frequencies(connection, index, terms, known.counts)
    documents, mean_length = size(connection, index)
    found: list[Occurrences] = [{} for _ in terms]
    if not documents:
        return Matches(0, mean_length, [*found, *({} for _ in pairs)], [0] * (len(terms) + len(pairs)))
    terms, also = _spelled(connection, index, terms, frequency)
    by_rarity = sorted((at for at in range(len(terms)) if frequency[at]), key=lambda at: frequency[at])
    rare, spent = [], 0
    for at in by_rarity:
        spent += frequency[at]
        if spent > BUDGET:
            break
        rare.append(at)
    kin = _kin(connection, index, terms, BUDGET - spent)
    words = [(at, word, 1.0) for at in rare for word in (terms[at], *also.get(at, ()))]
    _read(connection, index, words + kin, found, known)
    reached = [terms[at] for at in rare]
    # Who asks once reads no more than it needs.
    whole = known if kept is not None and documents <= _FEW_DOCUMENTS else None
    for at in by_rarity[len(rare) :]:
        found[at] = _beside(connection, index, terms[at], reached, whole)
        reached = reached or [terms[at]]  # where all are common, the least common of them stands for the rare ones
    for at, occurrences in enumerate(found):
        frequency[at] = max(frequency[at], len(occurrences))
    found += [known.pair(connection, index, pair) for pair in pairs]
    frequency += [len(occurrences) for occurrences in found[len(terms) :]]
    return Matches(documents, mean_length, found, frequency)


def size(connection: sqlite3.Connection, index: Index) -> tuple[int, float]:
    """Number of documents of an index, and its tokens a document on average (1.0 where it is empty).

    Read from the record that FTS5 itself keeps for bm25(); counting the rows would grow with the index.
    Source: "Averages Record", ext/fts5/fts5_storage.c: a varint of the rows, then one of each column's tokens.
    """
    row = connection.execute(f"SELECT block FROM {index.words}_data WHERE id = 1").fetchone()
    values = list(varints(row[0])) if row and row[0] else [0]
    documents = values[0]
    return documents, (max(1.0, sum(values[1:]) / documents) if documents else 1.0)


def rarity(documents: int, frequency: int) -> float:
    """Weight of a term that `frequency` of `documents` hold; always above 0.

    Source: the inverse document frequency of BM25 as in Lucene, log(1 + (N - n + 0.5) / (n + 0.5)).
    """
    return log(1 + max(documents - frequency + 0.5, 0.5) / (frequency + 0.5))


def _frequencies(
    connection: sqlite3.Connection, index: Index, terms: Sequence[str], common: dict[str, int]
) -> list[int]:
    """How many documents hold each term. `common`: what is known, to which the counts of common terms are added."""
    counted = {term: common[term] for term in terms if term in common}
    for term, count in connection.execute(
        f"SELECT term, doc FROM json_each(?) JOIN {index.frequencies} ON term = json_each.value",
        (json.dumps([term for term in terms if term not in counted]),),
    ):
        counted[term] = count
        if count > BUDGET and len(common) < _MOST_KEPT:
            common[term] = count
    return [counted.get(term, 0) for term in terms]


def _spelled(
    connection: sqlite3.Connection, index: Index, terms: Sequence[str], frequency: list[int]
) -> tuple[list[str], dict[int, list[str]]]:
    """Terms as the index spells them, and the further spellings of each; their documents are added to `frequency`.

    A term in plain letters that the index has is taken as it is written, so that most questions look nothing up here.
    """
    asked = {at: spellings(term) for at, term in enumerate(terms) if not (frequency[at] and term.isascii())}
    wanted = [spelling for found in asked.values() for spelling in found]
    if not wanted:
        return list(terms), {}
    there = dict(
        connection.execute(
            f"SELECT term, doc FROM json_each(?) JOIN {index.frequencies} ON term = json_each.value",
            (json.dumps(wanted),),
        )
    )
    spelled, also = list(terms), {}
    for at, found in asked.items():
        present = sorted((spelling for spelling in found if spelling in there), key=lambda each: -there[each])
        if present and not frequency[at]:
            spelled[at] = present[0]
        also[at] = [spelling for spelling in present if spelling != spelled[at]]
        frequency[at] += sum(there[spelling] for spelling in present)
    return spelled, also


def _kin(
    connection: sqlite3.Connection, index: Index, terms: Sequence[str], budget: int
) -> list[tuple[int, str, float]]:
    """Words with the same first letters as a term: its position, the word, and what the word is worth of the term.

    A beginning that very many documents have is a prefix like `inter`, and makes no family.
    """
    long = [at for at, term in enumerate(terms) if len(term) >= KIN_LETTERS]
    if not long or budget <= 0:
        return []
    # One arm a term: the vocabulary table looks a range up only where its bounds are parameters.
    arms = " UNION ALL ".join(
        f"SELECT {at}, term, doc FROM {index.frequencies} WHERE term >= ? AND term < ?" for at in long
    )
    bounds = [bound for at in long for bound in (terms[at][:KIN_LETTERS], terms[at][:KIN_LETTERS] + _LAST)]
    families: dict[int, list[str]] = {}
    size_of: dict[int, int] = {}
    for at, word, count in connection.execute(f"{arms} LIMIT {_KIN_WORDS}", bounds):
        if word not in terms:
            families.setdefault(at, []).append(word)
            size_of[at] = size_of.get(at, 0) + count
    chosen = []
    for at in sorted(families, key=lambda at: size_of[at]):
        budget -= size_of[at]
        if budget < 0 or size_of[at] > _KIN_DOCUMENTS:
            break
        chosen += [(at, word, KIN_WEIGHT) for word in families[at]]
    return chosen


def _read(
    connection: sqlite3.Connection,
    index: Index,
    wanted: Sequence[tuple[int, str, float]],
    found: list[Occurrences],
    known: Kept,
) -> None:
    """Add the occurrences of some words to those of their terms; a kin word counts only where the term is not."""
    kin: list[Occurrences] = [{} for _ in found]
    for at, word, weight in wanted:
        occurrences = found[at] if weight == 1.0 else kin[at]
        for times, worth in zip(known.word(connection, index, word), index.columns.values(), strict=True):
            _count(occurrences, times, weight * worth)
    for occurrences, related in zip(found, kin, strict=True):
        for document, weight in related.items():
            occurrences.setdefault(document, weight)


def _listed(connection: sqlite3.Connection, index: Index, word: str) -> list[Counter[int]]:
    """For each column of an index, how often each document has a word there."""
    # One row a word, a list of documents for each column: a row for each occurrence would cost twice as much.
    one_column = len(index.columns) == 1
    listed = "group_concat(doc)" if one_column else ", ".join(_LISTED.format(column) for column in index.columns)
    row = connection.execute(f"SELECT {listed} FROM {index.word_terms} WHERE term = ?", (word,)).fetchone()
    return [Counter(json.loads(f"[{documents}]")) if documents else Counter() for documents in row]


def _count(occurrences: Occurrences, times: Counter[int], worth: float) -> None:
    """Add so many occurrences of a given worth to documents."""
    if not occurrences and times.total() == len(times):
        occurrences.update(dict.fromkeys(times, worth))
        return
    for document, often in times.items():
        occurrences[document] = occurrences.get(document, 0.0) + worth * often


def _pair_occurrences(connection: sqlite3.Connection, index: Index, pair: str) -> Occurrences:
    """Occurrences of a pair of signs: of the trigrams that begin with it."""
    counted: Occurrences = {}
    (listed,) = connection.execute(
        f"SELECT group_concat(doc) FROM (SELECT doc FROM {index.sign_terms} WHERE term >= ? AND term < ? LIMIT ?)",
        (pair, pair + _LAST, BUDGET),
    ).fetchone()
    if listed:
        _count(counted, Counter(json.loads(f"[{listed}]")), 1.0)
    return counted


def _beside(
    connection: sqlite3.Connection, index: Index, term: str, rare: Sequence[str], whole: Kept | None
) -> Occurrences:
    """Where a common term occurs together with a rarer one, newest documents first; with none rarer, anywhere.

    Args:
        whole: where terms are kept with all documents that hold them; None where the index is asked for some.
    """
    if whole is not None:
        holding = whole.holding(connection, index, term)
        if rare:
            holding &= frozenset().union(*(whole.holding(connection, index, word) for word in rare))
        return dict.fromkeys(sorted(holding, reverse=True)[:BUDGET], 1.0)
    query = f"{_quoted(term)} AND ({' OR '.join(map(_quoted, rare))})" if rare else _quoted(term)
    rows = connection.execute(
        f"SELECT rowid FROM {index.words} WHERE {index.words} MATCH ? ORDER BY rowid DESC LIMIT ?", (query, BUDGET)
    )
    return {row[0]: 1.0 for row in rows}


def _quoted(term: str) -> str:
    """A term as a string of the FTS5 query language. Terms are stems, and the query stems them again: one that would
    change by that (`univers`) is asked for by its beginning, which costs more."""
    quoted = '"' + term.replace('"', '""') + '"'
    return quoted if STEMMER.stems([term]) == [term] else quoted + " *"


def varints(block: bytes) -> Iterable[int]:
    """Integers in SQLite's variable-length form (www.sqlite.org/fileformat.html#varint), up to eight bytes each."""
    value = 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            yield value
            value = 0
