"""Verbs in the present: whether a word is the third person of one, told by its ending and by the infinitive that the
dictionary of its language has for it."""

from __future__ import annotations

from functools import lru_cache

from graphdream.language.lexicon import written

_ENDINGS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "en": (("ies", ("y",)), ("es", ("", "e")), ("s", ("",))),
    "de": (("et", ("en",)), ("t", ("en",))),
    "es": (("iene", ("enir", "ener")), ("a", ("ar",)), ("e", ("er", "ir")), ("an", ("ar",)), ("en", ("er", "ir"))),
    "pt": (("a", ("ar",)), ("e", ("er", "ir")), ("am", ("ar",)), ("em", ("er", "ir"))),
    "it": (
        ("iene", ("enire", "enere")), ("a", ("are",)), ("e", ("ere", "ire")), ("ano", ("are",)),
        ("ono", ("ere", "ire")),
    ),
    "fr": (
        ("ient", ("enir",)), ("end", ("endre",)), ("e", ("er", "ir")), ("ent", ("er", "ir")), ("it", ("ir",)),
        ("issent", ("ir",)),
    ),
    "nl": (("t", ("en",)),),
    "sv": (("ar", ("a",)), ("er", ("a",)), ("r", ("a", ""))),
    "da": (("er", ("e",)), ("r", ("",))),
    "nb": (("er", ("e",)), ("r", ("",))),
    "ru": (
        ("ает", ("ать",)), ("яет", ("ять",)), ("еет", ("еть",)), ("ует", ("овать",)), ("ит", ("ить", "еть", "ять")),
        ("ают", ("ать",)), ("яют", ("ять",)), ("уют", ("овать",)), ("ят", ("ить", "еть", "ять")),
        ("ается", ("аться",)), ("яется", ("яться",)), ("ится", ("иться",)), ("уется", ("оваться",)),
    ),
}  # fmt: skip
"""Ending of the third person of the present -> those of the infinitive: the conjugations (Universal
Dependencies: Mood=Ind, Tense=Pres, Person=3). Verbs that follow none are not told by them, and stay untold."""
_STEM_CHANGES: dict[str, tuple[tuple[str, str], ...]] = {
    "de": (("ä", "a"), ("ö", "o"), ("ie", "e"), ("i", "e")),
    "es": (("ie", "e"), ("ue", "o")),
    "fr": (("è", "e"), ("è", "é")),
    "nl": (("aa", "a"), ("ee", "e"), ("oo", "o"), ("uu", "u")),
}
"""What the stem of a verb has in the present -> what it has in the infinitive: `fährt`, `empieza`, `loopt`."""
_DOUBLES = "nl"
"""The language in which the infinitive may have the last letter of the stem twice: `vertrekt`, `vertrekken`."""
_SHORTEST = 2
"""Letters of a stem."""


@lru_cache(maxsize=10_000)
def may_be_present(word: str, language: str | None) -> bool:
    """Whether a word in small letters may be a verb in the third person of the present. English nouns of several are
    written alike (`tests`), so who asks looks at its place, too; languages without an entry are told nothing of."""
    if not word.islower() or not word.isalpha():
        return False
    for ending, infinitives in _ENDINGS.get(language or "", ()):
        stem = word[: -len(ending)]
        if len(stem) < _SHORTEST or not word.endswith(ending) or (language == "en" and stem.endswith("s")):
            continue
        stems = {stem} | {stem.replace(*change) for change in _STEM_CHANGES.get(language or "", ())}
        stems |= {stem + stem[-1]} if language == _DOUBLES else set()
        if any(
            written(one + infinitive, language or "") in ("lower", "both")
            for one in stems
            for infinitive in infinitives
        ):
            return True
    return False
