"""Whether a sentence is another one denied, in the ways in which languages deny.

Many put a word of a closed class (classes.yaml) into a sentence and leave the rest as it is. Others also change what
stands there: the verb (English `doesn't`, Japanese, Korean), or the case of what is denied (Polish, Russian). What
comes out must be the other sentence to the letter, so that `wants to eat` and `does not eat` are no such pair.

Sources: Miestamo, "Standard Negation", 2005 (symmetric and asymmetric negation); Kaiser and others, "Japanese: A
Comprehensive Grammar", 2013 (the endings); Li and Thompson, "Mandarin Chinese", 1981 (不 denies states and habits, 没
that of 有 alone; 没 and 未 before other verbs, and 别, deny one event or forbid it, which leaves the habit as it is).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from graphdream.language.scripts import is_unspaced

_NOT_ON_CHARACTERS = frozenset("不無无非")
_NOT_HAVING, _HAVING = frozenset("没沒"), "有"
_TOPICS = str.maketrans("がは", "をを")  # what is denied becomes the topic: 肉を食べる, 肉は食べない
# The last letter of the stem before ない -> the plain form, and the form of what is past.
_GODAN = dict(zip("わかがさたなばまら", "うくぐすつぬぶむる", strict=True))
_PAST = dict(zip("わかがさたなばまら", "った いた いだ した った んだ んだ んだ った".split(), strict=True))
_ENDINGS = (
    ("ではありません", ("です",)), ("じゃありません", ("です",)), ("ではない", ("だ", "である")),
    ("でない", ("だ", "である")), ("じゃない", ("だ",)), ("ではないです", ("です",)), ("じゃないです", ("です",)),
    ("ではなかった", ("だった",)), ("じゃなかった", ("だった",)), ("ではありませんでした", ("でした",)),
    ("じゃありませんでした", ("でした",)), ("ません", ("ます",)), ("ませんでした", ("ました",)),
    ("くない", ("い",)), ("くないです", ("いです",)), ("くなかった", ("かった",)), ("がない", ("がある",)),
    ("はない", ("がある",)), ("もない", ("もある",)), ("がなかった", ("があった",)), ("はなかった", ("があった",)),
)  # fmt: skip
"""Endings that deny -> what ends the sentence denied: of copulas, of polite verbs, of adjectives, of being there."""
_KOREAN_NOT, _KOREAN_STEM = "않", "지"
_KOREAN_NONE, _KOREAN_SOME = "없", "있"
_CONTRACTED = {"can't": "can", "cannot": "can", "won't": "will"}
_FRENCH_NOT, _FRENCH_BEHIND = "n'", frozenset(("pas", "plus", "jamais"))  # before a vowel `ne` is part of the verb
_CASED = frozenset(("nie", "не"))  # what they deny may stand in another case
_LEAST_STEM, _LONGEST_ENDING = 3, 2


def is_denial(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one of two sentences is the other one denied.

    Args:
        one, other: their words as they are compared (language/folding.py), characters of scripts without spaces by
            themselves, without punctuation.
    """
    return one != other and (_denies(tuple(one), tuple(other)) or _denies(tuple(other), tuple(one)))


def _denies(denied: tuple[str, ...], plain: tuple[str, ...]) -> bool:
    if any(map(is_unspaced, denied)):
        said = "".join(plain).translate(_TOPICS)
        return plain in _without_a_character(denied) or said in _affirmed_japanese("".join(denied))
    affirmed = (_affirmed_english, _affirmed_french, _affirmed_korean)
    return any(plain in found(denied) for found in affirmed) or _denies_in_a_case(denied, plain)


def _without_a_character(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for at, word in enumerate(words):
        if word in _NOT_ON_CHARACTERS or (word in _NOT_HAVING and words[at + 1 : at + 2] == (_HAVING,)):
            yield words[:at] + words[at + 1 :]


@lru_cache(maxsize=10_000)
def _affirmed_japanese(text: str) -> frozenset[str]:
    """What a sentence says without the denial at its end; empty where there is none."""
    out: set[str] = set()
    for ending, forms in _ENDINGS:
        if text.endswith(ending):
            out |= {text.removesuffix(ending) + form for form in forms}
    for ending, ichidan, godan in (("ない", "る", _GODAN), ("なかった", "た", _PAST)):
        stem = text.removesuffix(ending)
        if stem and stem != text:
            out.add(stem + ichidan)
            if stem[-1] in godan:
                out.add(stem[:-1] + godan[stem[-1]])
            if stem[-1] == "し" and ending == "ない":
                out.add(stem[:-1] + "する")
    return frozenset(one.translate(_TOPICS) for one in out)


def _affirmed_english(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for at, word in enumerate(words):
        helps, size = word, 1
        if words[at + 1 : at + 2] == ("not",):
            size = 2
        elif word in _CONTRACTED:
            helps = _CONTRACTED[word]
        elif word.endswith("n't"):
            helps = word.removesuffix("n't")
        else:
            continue
        before, rest = words[:at], words[at + size :]
        if helps not in ("do", "does", "did"):
            yield (*before, helps, *rest)
        elif rest:
            for form in _forms(rest[0], helps):
                yield (*before, form, *rest[1:])


def _forms(verb: str, helps: str) -> Iterator[str]:
    """The forms of a verb where nothing helps it: with `does` that of a third person, with `did` the regular past."""
    if helps == "do":
        yield verb
    elif helps == "does":
        yield from {"have": ("has",), "do": ("does",), "be": ("is",)}.get(verb, (verb + "s", verb + "es"))
    else:
        yield from (verb + "ed", verb + "d")
    if verb.endswith("y"):
        yield verb[:-1] + ("ied" if helps == "did" else "ies")


def _affirmed_french(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for at, word in enumerate(words):
        if word.startswith(_FRENCH_NOT) and words[at + 1 : at + 2] and words[at + 1] in _FRENCH_BEHIND:
            yield (*words[:at], word.removeprefix(_FRENCH_NOT), *words[at + 2 :])


def _affirmed_korean(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for at, word in enumerate(words):
        if _KOREAN_NONE in word:
            yield (*words[:at], word.replace(_KOREAN_NONE, _KOREAN_SOME, 1), *words[at + 1 :])
        if word.startswith(_KOREAN_NOT) and at and words[at - 1].endswith(_KOREAN_STEM):
            stem, ending = words[at - 1].removesuffix(_KOREAN_STEM), word.removeprefix(_KOREAN_NOT)
            for form in {ending, ending.replace("아", "어", 1)}:
                yield (*words[: at - 1], stem + form, *words[at + 1 :])


def _denies_in_a_case(denied: tuple[str, ...], plain: tuple[str, ...]) -> bool:
    """Whether a word denies and what stands behind the verb has at most other endings (`je mięso`, `nie je mięsa`)."""
    at = next((place for place, word in enumerate(denied) if word in _CASED), -1)
    if at < 0:
        return False
    rest = denied[:at] + denied[at + 1 :]
    return (
        len(rest) == len(plain)
        and rest[: at + 1] == plain[: at + 1]
        and all(_is_one_word(one, other) for one, other in zip(rest[at + 1 :], plain[at + 1 :], strict=True))
    )


def _is_one_word(one: str, other: str) -> bool:
    """Whether two words differ in nothing but a short ending."""
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one == other or (shared >= _LEAST_STEM and max(len(one), len(other)) - shared <= _LONGEST_ENDING)
