"""Initials that a record's own facts spell out: a P. Quennell who is "Peter, cellist" is no Paula Quennell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from graphdream.entities.evidence import READ
from graphdream.entities.nicknames import are_nicknames, is_given_name
from graphdream.entities.records import Record
from graphdream.entities.relations import SAME, Word, folded_name, is_relation, spoken_words
from graphdream.language.lexicon import capitalises_nouns, language_of, written


def spells_otherwise(record: Record, other: Record) -> bool:
    """Whether the facts of a record spell an initial of its name in another way than the name of another record does.

    A fact spells one where it begins with a first name that stands by itself ("Peter, cellist"), has one before the
    surname ("she signs as Karla Vasquez"), or ends with what it says the name is ("his first name is Tunde").
    """
    own, name = folded_name(record.name), folded_name(other.name)
    initials = [word for word in own if len(word) == 1 and word.isalpha()]
    surnames = {word for word in own if len(word) > 1}
    if not initials or not surnames or not surnames.issubset(name):
        return False
    others = [word for word in name if len(word) > 1 and word not in own and word.startswith(tuple(initials))]
    told = set(_first_names(record, own, surnames, initials)) if others else set()
    for initial in initials:
        theirs = [word for word in others if word.startswith(initial)]
        ours = [word for word in told if word.startswith(initial)]
        if theirs and ours and not any(a == b or are_nicknames(a, b) for a in ours for b in theirs):
            return True
    return False


def _first_names(
    record: Record, own: Sequence[str], surnames: AbstractSet[str], initials: Sequence[str]
) -> Iterator[str]:
    """The first names with one of these initials that the facts of a record spell."""
    facts = record.attributes[:READ]
    for text in facts:
        spoken = spoken_words(text)
        for at, word in enumerate(spoken):
            is_spelled = len(word.folded) > 1 and word.folded.startswith(tuple(initials))
            if is_spelled and word.raw[:1].isupper() and word.folded not in surnames:
                after = spoken[at + 1].folded if at + 1 < len(spoken) else ""
                if after in surnames:
                    told = not is_relation(text, spoken, at, at + 1, own)
                elif at == 0:
                    told = _stands_alone(word, text) and _is_first_name(word, facts)
                else:
                    told = not after and not SAME.isdisjoint(before.folded for before in spoken[:at])
                if told:
                    yield word.folded


def _stands_alone(word: Word, text: str) -> bool:
    return text[word.end :].lstrip()[:1] in ("", *",;:(.–—")


def _is_first_name(word: Word, facts: Sequence[str]) -> bool:
    """Whether a word at the head of one of the facts, where any has a capital, is a name."""
    if is_given_name(word.folded):
        return True
    language = language_of(". ".join(facts))  # asked last: a dictionary takes half a second to load
    if language is None:
        return False
    known = written(word.raw, language)
    return known == "absent" or (known == "proper" and not capitalises_nouns(language))
