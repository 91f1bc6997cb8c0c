"""Learns which sentences have one answer at a time (oneanswer.py), from sentences of which that is known.

Two sources: generated graphs, whose truth says to which questions a later answer ended the former one, and to which
somebody has two answers at once; and openings of sentences (fixtures/questions.txt), each marked by hand. Of a birthday
a graph shows neither: it is the openings that teach it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import sparse

from graphdream.facts.wordweights import WordWeights, counted
from graphdream.language.scripts import units
from graphdream.language.senses import WIDTH, Vectors, sense_hash, senses_of, senses_of_characters
from graphdream.mutations.specifics import read_tokens

_FIRMNESS = 3.0
"""How freely weights may be learned, for each question: the larger, the freer. On vocabularies left out, .868 of pairs
of questions stand in the right order with 3, .851 with 1."""
_DIRECTIONS = 3.0
"""How much longer a direction is than one word, for the learner."""
_OPENING = 0.2
"""What an opening counts beside a question of a vocabulary, which is asked in many sentences. With 1, English questions
of vocabularies left out are in the right order in .913 of cases, with .2 in .925; with .1, openings that were left out
are so less often (Italian .77, with .3 .84)."""
_WIDESPREAD = 3
"""Vocabularies in which a word must stand; what stands in fewer is a matter, and no way of speaking."""
_HEADING = re.compile(r"\[(\w+) (one|many)\]")


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences, and whether what they say has one answer at a time.

    Attributes:
        family: the vocabulary, or the language of openings.
        words: per sentence, its words that are no values.
        relation: per sentence, which question it answers.
        changing: the questions to which a later answer ended the former one.
        several: the questions to which somebody has two answers at once, or that ask what happened.
        openings: written for this by hand: each of their words is a way of speaking.
    """

    family: str
    words: tuple[tuple[str, ...], ...]
    relation: tuple[str, ...]
    changing: frozenset[str]
    several: frozenset[str]
    openings: bool = False


def read_openings(path: Path) -> list[Sentences]:
    """Openings of sentences by language, each a question of its own.

    Raises:
        ValueError: a line stands under no heading such as `[en one]`.
    """
    found: dict[str, dict[str, bool]] = {}
    under: re.Match[str] | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        if heading := _HEADING.fullmatch(text):
            under = heading
        elif text and not text.startswith("#"):
            if under is None:
                raise ValueError(f"{path}, line {number}: stands under no heading such as [en one]")
            found.setdefault(under[1], {})[text] = under[2] == "one"
    return [
        Sentences(
            f"openings {language}",
            tuple(tuple(units([token.text for token in read_tokens(one) if token.kind != "mark"])) for one in texts),
            tuple(texts),
            frozenset(one for one, has_one in texts.items() if has_one),
            frozenset(),
            openings=True,
        )
        for language, texts in found.items()
    ]


def learn_one_answer(sentences: Sequence[Sentences]) -> WordWeights:
    """Learn which sentences have one answer at a time, each question of each vocabulary counting the same, and those
    with one answer all together as much as those with many: a source may have more of either."""
    from sklearn.linear_model import LogisticRegression

    sentences = _that_teach(sentences)
    asked = [(one.family, relation) for one in sentences for relation in one.relation]
    has_one = np.array([relation in one.changing for one in sentences for relation in one.relation])
    _, question, count = np.unique([" ".join(one) for one in asked], return_inverse=True, return_counts=True)
    telling = _ways_of_speaking(sentences)
    place = {word: at for at, word in enumerate(telling)}
    table, senses = _tables([words for one in sentences for words in one.words], place)
    openings = np.array([one.openings for one in sentences for _ in one.relation])
    weight = np.where(openings, _OPENING, 1.0) / count[question]
    weight /= np.where(has_one, weight[has_one].sum(), weight[~has_one].sum())
    learner = LogisticRegression(C=_FIRMNESS * len(count) / len(asked), max_iter=3000)
    seen = sparse.hstack([sparse.csr_matrix(_DIRECTIONS * senses), table]).tocsr()
    learner.fit(seen, has_one, sample_weight=weight / weight.mean())
    learned = learner.coef_[0].astype(np.float32)
    word_weights = {sense_hash(word): float(learned[WIDTH + at]) for word, at in place.items()}
    return WordWeights(_DIRECTIONS * learned[:WIDTH], float(learner.intercept_[0]), word_weights)


def _that_teach(sentences: Sequence[Sentences]) -> list[Sentences]:
    """Sentences without those of questions that have one answer for each of several things (the settings of a tool), as
    all graphs of a vocabulary together show.

    What never changed and nobody has twice counts among what has many. That it cannot be told is truer, and without it
    .860 of pairs of questions of vocabularies left out stand in the right order, with it .855; but the scorers of
    calibration.json, which were trained with it, then call a current fact replaced in two of eight graphs in which they
    had called none.
    """
    changing, several = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for one in sentences:
        changing[one.family] |= one.changing
        several[one.family] |= one.several
    found = list[Sentences]()
    for one in sentences:
        both = changing[one.family] & several[one.family]
        kept = [at for at, relation in enumerate(one.relation) if relation not in both]
        words = tuple(one.words[at] for at in kept)
        relation = tuple(one.relation[at] for at in kept)
        found.append(replace(one, words=words, relation=relation, changing=frozenset(changing[one.family] - both)))
    return found


def _ways_of_speaking(sentences: Sequence[Sentences]) -> list[str]:
    families: dict[str, set[str]] = {}
    known = set[str]()
    for one in sentences:
        for words in one.words:
            if one.openings:
                known.update(words)
            else:
                for word in words:
                    families.setdefault(word, set()).add(one.family)
    return sorted(known | {word for word, found in families.items() if len(found) >= _WIDESPREAD})


def _tables(texts: Sequence[Sequence[str]], place: dict[str, int]) -> tuple[sparse.csr_matrix, Vectors]:
    """Shape (texts, words), 1.0 where a text has a word; and shape (texts, WIDTH), where its words point together."""
    words, full = counted(texts)
    at = {word: number for number, word in enumerate(words)}
    known, characters = (np.asarray(full @ of(words)) for of in (senses_of, senses_of_characters))
    sums = np.where(known.any(axis=1, keepdims=True), known, characters)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    telling = [at[word] for word in sorted(place, key=place.__getitem__)]
    return full[:, telling], np.where(length > 0, sums / np.maximum(length, 1e-6), np.float32(0))
