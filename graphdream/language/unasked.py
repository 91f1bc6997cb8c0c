"""Words that a question in a language other than English is not about: function words and interrogatives.

They are the closed classes of classes.yaml as `tools/unasked_words.py` writes them to unasked.json, so that a question
is read without a library for YAML.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

_LEAST_OF_A_LANGUAGE = 2
"""Function words that tell the language of a question; one is of several by chance (`die`)."""


def unasked(words: Sequence[str]) -> frozenset[str]:
    """The words of its language that a question is not about; of several languages that it may be in as well, those
    that are such words in each. None where it has fewer than two, or as many of English.

    Args:
        words: of the question, in small letters.
    """
    known = _by_language()
    counted = {code: sum(word in closed for word in words) for code, closed in known.items()}
    most = max(counted.values())
    if most < _LEAST_OF_A_LANGUAGE or counted["en"] == most:
        return frozenset()
    return frozenset.intersection(*(known[code] for code, count in counted.items() if count == most))


@lru_cache(maxsize=1)
def _by_language() -> dict[str, frozenset[str]]:
    text = resources.files("graphdream.language").joinpath("unasked.json").read_text(encoding="utf-8")
    return {code: frozenset(words.split()) for code, words in json.loads(text).items()}
