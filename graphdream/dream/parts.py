"""Parts of a graph that is too large to be thought about at once.

What a pass holds in memory while it thinks grows with what it is shown, some 20 KB a fact. Above `MOST_FACTS` it is
therefore shown one part after the other, two at a time where there are two cores. A part is the entities whose names
begin alike in the word that is rarest in the graph: "Dr. Ada Lovelace", "A. Lovelace" and "Lovelace" lie under "love".
Time and memory then grow with the number of parts. Two that are the same and lie in two parts are not compared;
whatever is found is as sure as ever, because each part is judged by itself.

The parts follow from rows that no pass removes, so the same graph falls into the same parts before a pass and after it.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from graphdream.dreamers.base import Thought
from graphdream.dreamers.openpairs import OPEN
from graphdream.entities.beside import OPEN_PAIRS

MOST_FACTS = 48_000
"""Of a part, about: two of them are in memory at a time, .9 GiB each, and what the parts before have proposed comes on
top: reckoned from parts of 60,000, with which a million facts took 4.1 GiB (docs/measured.md)."""
_LETTERS = 4  # of the rarest word that decide: a slip of the pen comes later in a word more often than that
_NAMES = "SELECT id, canonical FROM entity ORDER BY id"
_WORD = re.compile(r"\w+")
_ASKED = 400  # entities from which the questions of the proof are drawn
_FEW = 3  # entities that a name leads to, for it to say where its bearer belongs


def parts_of(connection: sqlite3.Connection, most_facts: int | None = None) -> list[tuple[int, ...]]:
    """The ids of all entities in parts of about so many facts; [] where one part holds them all.

    Counted are all rows, also those that are history: they are shown, too.
    """
    most_facts = most_facts or MOST_FACTS
    if (connection.execute("SELECT max(id) FROM attribute").fetchone()[0] or 0) <= most_facts:
        return []
    facts: int = connection.execute("SELECT count(*) FROM attribute").fetchone()[0]
    count = -(-facts // most_facts)
    if count < 2:
        return []
    ordered = sorted(_keys(connection).items(), key=lambda item: (item[1], item[0]))
    parts: list[list[int]] = [[]]
    for place, (entity, key) in enumerate(ordered):
        is_full = place * count >= len(ordered) * len(parts)
        if is_full and parts[-1] and key != ordered[place - 1][1]:
            parts.append([])
        parts[-1].append(entity)
    return [tuple(sorted(part)) for part in parts]


def _keys(connection: sqlite3.Connection) -> dict[int, str]:
    """Entity -> the beginning of the word under which it lies.

    A name of several words lies under the rarest of them that others share. One of a single word lies where the most
    names are that have this word, begin a word as it does, or have it for initials.
    """
    words = {entity: _WORD.findall(name) or [name] for entity, name in connection.execute(_NAMES)}
    frequency = Counter(word for found in words.values() for word in set(found))
    keys = {entity: _rarest(found, frequency)[:_LETTERS] for entity, found in words.items()}
    leads: dict[str, Counter[str]] = defaultdict(Counter)
    for entity, found in words.items():
        if len(found) > 1:
            initials = "".join(word[0] for word in found)
            for lead in {*found, *(word[:_LETTERS] + "*" for word in found), initials + "."}:
                leads[lead][keys[entity]] += 1
    for entity, found in words.items():
        if len(found) == 1:
            word = found[0]
            led = leads.get(word) or leads.get(word[:_LETTERS] + "*") or leads.get(word + ".")
            keys[entity] = min(led, key=lambda key: (-led[key], key)) if led else keys[entity]
    bearers: dict[str, list[int]] = defaultdict(list)
    for entity, alias in connection.execute("SELECT entity_id, canonical FROM alias ORDER BY id"):
        bearers[alias].append(entity)
    for entity, name in connection.execute(_NAMES).fetchall():
        if 0 < len(bearers.get(name, ())) <= _FEW:
            keys[entity] = keys[min(bearers[name])]
    return keys


def _rarest(words: Sequence[str], frequency: Counter[str]) -> str:
    """The word that the fewest other names have. One that none has may be misspelt; it comes last, as short ones do."""
    return min(words, key=lambda word: (frequency[word] < 2 or len(word) < _LETTERS, frequency[word], word))


def drawn(parts: Iterable[Iterable[int]], named: Collection[int]) -> set[int]:
    """Entities about which the proof asks, of all parts: half of them among those that proposals name. The choice
    follows a hash of the id, so the same graph asks the same questions."""
    chosen = set(sorted(named, key=_lot)[: _ASKED // 2])
    others = (entity for part in parts for entity in part if entity not in chosen)
    return chosen | set(sorted(others, key=_lot)[: _ASKED - len(chosen)])


def _lot(entity: int) -> bytes:
    return blake2b(str(entity).encode(), digest_size=8).digest()


def figures_of(thoughts: Sequence[Thought]) -> dict[str, Any]:
    """What was counted, over all parts: numbers of pairs added up, the likeliest of the open pairs, and else what is
    the same of each part."""
    if len(thoughts) == 1:
        return thoughts[0].figures
    out: dict[str, Any] = {}
    for figures in (thought.figures for thought in thoughts):
        for name, value in figures.items():
            if name in OPEN:
                out[name] = sorted([*out.get(name, ()), *value], key=_likeliest)[:OPEN_PAIRS]
            elif name.endswith("_pairs"):
                out[name] = out.get(name, 0) + value
            else:
                out.setdefault(name, value)
    return out


def _likeliest(pair: Mapping[str, Any]) -> float:
    return -float(pair["probability"])
