"""Whether what a sentence says has one answer at a time: people live in one town, and like many things.

A memory of thousands of facts shows it by itself (asked.py); in a small one only the words can tell. Some tell by
themselves (`has been to`, `currently`); each of these has a weight. Others tell by what they mean, so each direction in
which words point (language/senses.py) has one, too. Both were learned together, from sentences of generated graphs
whose truth says which questions have one answer, and from openings of sentences in fourteen languages
(fixtures/questions.txt). `one_answer.json` holds these weights and nothing else; it is one signal among others.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources

from graphdream.facts.wordweights import WordWeights


@lru_cache(maxsize=1)
def shipped() -> WordWeights:
    """The weights that come with the program."""
    text = resources.files("graphdream.facts").joinpath("one_answer.json").read_text(encoding="utf-8")
    return WordWeights.from_json(json.loads(text))
