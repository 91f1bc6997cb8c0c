"""Closed classes of words, by language: read once from `classes.yaml`, which names where they are from."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=1)
def _classes() -> dict[str, frozenset[str]]:
    import yaml

    text = resources.files("graphdream.language").joinpath("classes.yaml").read_text(encoding="utf-8")
    out: dict[str, set[str]] = {}
    for language in yaml.safe_load(text).values():
        for name, words in language.items():
            out.setdefault(name, set()).update(str(words).split())
    return {name: frozenset(words) for name, words in out.items()}


def closed_class(name: str) -> frozenset[str]:
    """The words of a class: "always" in all languages; "grammar", "denies", "from", "now" in all but English, whose are
    in facts/words.py.

    Raises:
        KeyError: there is no such class.
    """
    return _classes()[name]
