"""Memories whose truth is known, for training and measurement only: generated graphs, and histories of real notes.

A history is what git tells of notes under version control: lines that stood together in one commit were all true then,
a line edited in place replaced the one before, and what stands at the end is current.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from graphdream.facts.answers import Sentences
from graphdream.facts.labelledgraphs import GraphSource
from graphdream.facts.labelledhistories import HistorySource
from graphdream.facts.labelledsets import Asked, LabelledFacts
from graphdream.facts.wordweights import WordWeights, unknown


def read_labelled(path: Path, one_answer: WordWeights | None = None) -> list[LabelledFacts]:
    """A memory with its truth beside it, and small memories made of parts of it.

    What a memory shows of its sentences hangs on its size, and everybody begins with a small one.

    Args:
        path: `PREFIX.jsonl.gz`, with `PREFIX.gold.jsonl.gz` (a generated graph) or `PREFIX.gold.json` (a history).
        one_answer: tells which sentences have one answer at a time; it should not have seen this memory's family.

    Raises:
        FileNotFoundError: the truth is missing.
    """
    history = path.with_name(path.name.replace(".jsonl.gz", ".gold.json"))
    source = HistorySource(path, history, one_answer) if history.exists() else GraphSource(path, one_answer)
    entities = sorted({fact.entity for fact in source.facts})
    out = [source.labelled(source.facts, source.name)]
    for size, count in PARTS:
        if len(entities) >= 2 * size:
            drawn = np.random.default_rng(size).permutation(entities)
            parts = [set(drawn[at * size : (at + 1) * size].tolist()) for at in range(min(count, len(drawn) // size))]
            pieces = [source.labelled([f for f in source.facts if f.entity in part], "") for part in parts]
            out.append(_together(pieces, f"{source.name}/{size}"))
    if isinstance(source, GraphSource) and (few := source.of_few(MEMORIES_OF_FEW)):
        out.append(_together(few, f"{source.name}{OF_FEW}"))
    return out


OF_FEW = "/few"
"""What the name of a set ends with whose memories are of a few tellings."""
MEMORIES_OF_FEW = 400
PARTS = ((4, 24), (15, 8), (60, 2))
"""Entities of a small memory, and how many such are made of one that is large enough."""


def _together(pieces: Sequence[LabelledFacts], name: str) -> LabelledFacts:
    asked = {
        question: Asked(
            np.concatenate([one.asked[question].table for one in pieces]),
            np.concatenate([one.asked[question].truth for one in pieces]),
        )
        for question in pieces[0].asked
    }
    memories = tuple(memory for one in pieces for memory in one.memories)
    return LabelledFacts(name, pieces[0].family, pieces[0].generated, asked, memories)


def read_sentences(path: Path) -> Sentences:
    """The sentences of a generated graph (`read_labelled`)."""
    source = GraphSource(path, unknown())
    return source.sentences()
