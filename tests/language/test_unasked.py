"""Words that a question is not about, in the language that it is in."""

from __future__ import annotations

import unasked_words
from graphdream.language.unasked import unasked


def test_the_file_has_the_words_of_the_classes() -> None:
    assert unasked_words.FILE.read_text(encoding="utf-8") == unasked_words.text(), "run tools/unasked_words.py"


def test_words_of_one_language_are_told_by_the_others_beside_them() -> None:
    assert {"wie", "ist", "der"} <= unasked(["wie", "hoch", "ist", "der", "beitrag"])
    assert unasked(["die", "hard", "movie"]) == frozenset()
    assert unasked(["what", "is", "in", "the", "box"]) == frozenset()
    assert unasked([]) == frozenset()
