"""What a sentence that names nobody is about: what a fact of the memory begins with, or what a heading says.

`The next dive was put off` belongs where `next dive: 3 December` stands, and `The kelp survey has 16 transects` under
the heading `Kelp survey`. Only one place may be meant; else the sentence stays what it is, text of its session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from graphdream.dreamers.gathered import Topic
from graphdream.dreamers.reading.evidence import is_time
from graphdream.dreamers.reading.runs import SHORTEST_UNSPACED
from graphdream.dreamers.reading.sentences import OWNER, Word, span, writes_without_blanks
from graphdream.dreamers.reading.toldwords import PARTICLES, changes_in, in_common, leads_in, parted, told_in
from graphdream.facts.words import CONJUNCTIONS, FROM_NOW_ON, NEGATIONS, NOW, PRONOUNS, QUANTIFIERS
from graphdream.graph.names import canonical
from graphdream.language.classes import closed_class
from graphdream.language.forms import share_stem
from graphdream.language.labels import label_of
from graphdream.language.lexicon import capitalises_nouns

_LONGEST = 4  # words of a topic that tell something
_MOST_BEFORE = 2  # words that lead in to it: `in the next dive`
_LABEL_ENDS = (":", "：", "=", "|", "→", "-", "–", "—")
_BRACKETED = re.compile(r"^[(（][^()（）]*[)）]")  # of a label: `Milo (beagle): ...`
_PARTS = re.compile(r"[,;，；、|()（）]\s*|[:：—–]\s+|[：]")  # what sets a part of a line off
_OPENS_NONE = (PRONOUNS | CONJUNCTIONS) - {"my", "our"}  # whose memory it is, and who speaks
WITHOUT_ARTICLES = frozenset(("ru", "uk", "pl", "cs", "sk", "sl", "hr", "sr", "fi", "et", "lv", "lt", "tr"))
"""Languages in which nothing leads in to a noun, and what stands behind one is rarely a part of it (World Atlas of
Language Structures, features 37A and 38A)."""
_LONGEST_UNSPACED = 16  # signs of a topic in a script without blanks
_GOES_ON = FROM_NOW_ON | NEGATIONS | QUANTIFIERS  # behind a noun, and never in one
_SAME = 2  # words that two sentences have in common besides what opens them, where that may go on
_CHANGES = tuple(closed_class("now", of=("zh", "ja", "ko")))
_OWNS = ("的", "の", "의")  # what goes on behind these is the topic


def topics_in(sentence: str, language: str | None, name: str = "", *, spoken: bool = False) -> Iterator[Topic]:
    """What a sentence may be about by what opens it, the longest first; nothing where that is a pronoun or a time.

    Args:
        sentence: the sentence.
        language: code of its language; None where it is not known.
        name: what opens it and is a name by the evidence; then nothing that goes on is a part of it.
        spoken: it was said in passing, in a turn; then it tells no change of what lasts.
    """
    found = parted(sentence)
    is_now = len(found) > 1 and found[0].text.casefold() in NOW  # `Ahora desplegamos en ...`
    changes = not spoken and any(canonical(word.text) in NOW or changes_in([word]) for word in found)
    found = found[1:] if is_now else found
    if found and writes_without_blanks(found[0].text[0]):
        yield from _unspaced(found[0].text)
        return
    before = next((at for at, word in enumerate(found) if not leads_in(word)), len(found))
    if before > _MOST_BEFORE or any(word.text.casefold() in _OPENS_NONE for word in found[: before + 1]):
        return
    ends = list[tuple[int, int]]()
    tells = 0
    for at, word in enumerate(found[before:], before):
        if tells == _LONGEST or not all(_stand_together(sentence, *both) for both in pairwise(found[: at + 1])):
            break
        if not leads_in(word):
            tells += 1
            ends.append((at + 1, tells))
    small_goes_on = not (capitalises_nouns(language) or language in WITHOUT_ARTICLES)
    for end, count in reversed(ends):
        text, bare = (OWNER.sub("", span(sentence, found, at, end - at)) for at in (0, before))
        is_end = bare == name or _ends_at(sentence, found, end, small_goes_on)
        is_changed = changes and bare != name and not changes_in(found[:end])
        topic = Topic(text, bare, count, is_end, told_in(found[end:]), small_goes_on, is_changed)
        if (
            (topic.ends or topic.is_led_in or topic.rest)
            and not is_time(bare, language)
            and any(sign.isalpha() for sign in bare)
        ):
            yield topic


def _unspaced(run: str) -> Iterator[Topic]:
    """What a run of signs without blanks may be about: what stands before a particle, a copula, or a word of change.

    Signs alone do not show where a word ends, so each beginning counts as one word, which must be a label or a heading.
    """
    for end in range(min(_LONGEST_UNSPACED, len(run) - 1), SHORTEST_UNSPACED - 1, -1):
        if _ends_unspaced(run, end):
            yield Topic(run[:end], run[:end], 1)


def _ends_unspaced(run: str, at: int) -> bool:
    """Whether a topic may end before a sign of a run without blanks: a number, a particle or a word of change."""
    behind = run[at]
    return behind.isdigit() or (behind in PARTICLES and behind not in _OWNS) or run.startswith(_CHANGES, at)


def begins_with(content: str, topic: Topic) -> bool:
    """Whether a fact is about a topic: it has it as its label, or begins with it.

    One word says too little, unless it is the label, or a value is behind it (`rent 520 euros`), or something leads in
    to it, or the sentence tells a change of it, and what goes on is no part of it.
    Else the rest must be in part the same, and more of it where the word may
    go on (`tests need UTC`, `tests no longer need UTC`).
    """
    found = parted(content)
    if writes_without_blanks(topic.bare[0]) and found:
        run, end = found[0].text, len(topic.bare)
        if len(run) > end and run.startswith(topic.bare) and _ends_unspaced(run, end):
            return True
    for said in dict.fromkeys((topic.text, topic.bare)):
        mine = parted(said)
        count = len(mine)
        if len(found) < count or not _are_one(mine, found[:count], inflected=topic.tells > 1):
            continue
        is_set_off = topic.ends or topic.is_led_in
        same = in_common(topic.rest, told_in(found[count:]))
        if topic.tells > 1 or _is_label(content, found, count):
            return is_set_off or same >= 1
        led_in = topic.is_led_in and (said != topic.bare or _ends_at(content, found, count, topic.small_goes_on))
        return (topic.ends and (led_in or topic.changes or _has_value(found, count) or same >= 1)) or same >= _SAME
    return False


def begins_with_form(content: str, topic: Topic) -> bool:
    """Whether a fact begins with another form of a topic of one word (`Elavgiften`, `Elavgift 2,10 kr`): its label,
    with a value behind it, or where much of the rest is the same."""
    found, mine = parted(content), parted(topic.bare)
    if topic.tells > 1 or len(found) < len(mine) or not _are_one(mine, found[: len(mine)], inflected=True):
        return False
    at = len(mine)
    is_set_off = _is_label(content, found, at) or _has_value(found, at)
    return is_set_off or in_common(topic.rest, told_in(found[at:])) >= _SAME


def has_part(content: str, topic: Topic) -> bool:
    """Whether a topic of one word is what a part of a fact is about, set off from the rest of it.

    It is the whole of the part and a name there (`Gardener: Pino, Tuesdays`); or it is led in, as no part of a sentence
    is that goes on with it, and the part begins with it, or with how many there are (`14 sheep, 2 mules`), or it is the
    last word of the label (`Shed padlock: 6204`).
    """
    if topic.tells > 1:
        return False
    mine = parted(topic.bare)
    label = label_of(content)[0].split()
    if topic.is_led_in and topic.ends and label and canonical(label[-1]) == canonical(topic.bare):
        return True
    for part in _PARTS.split(content):
        found = parted(part)
        while found and found[0].text.isdigit():
            found = found[1:]
        if len(found) < len(mine) or not _are_one(mine, found[: len(mine)], inflected=False):
            continue
        is_name = len(found) == len(mine) and found[0].is_capital and mine[0].is_capital
        if is_name or (topic.is_led_in and topic.ends and _ends_at(part, found, len(mine), True)):
            return True
    return False


def speaks_of(content: str, topic: Topic) -> bool:
    """Whether a fact has all words of a topic of several, wherever they stand: `drysuit: zipper sticks`, `the zipper of
    the drysuit`."""
    if topic.tells < 2 or not (topic.ends or topic.is_led_in):
        return False
    mine = told_in(parted(topic.bare))
    return in_common(mine, told_in(parted(content))) == len(mine)


def is_heading(aspect: str, topic: Topic) -> bool:
    """Whether the last heading of a path is a topic: `Projects / Kelp survey`."""
    return canonical(aspect.rsplit(" / ", 1)[-1]) in (canonical(topic.bare), canonical(topic.text))


def telling_words(topic: Topic) -> list[str]:
    """The words of a topic that tell something, as they are written."""
    return [word.text for word in parted(topic.bare) if not leads_in(word)]


def _stand_together(sentence: str, one: Word, other: Word) -> bool:
    return sentence[one.end : other.start] in ("", " ")


def _has_value(found: list[Word], at: int) -> bool:
    """Whether word number `at` is a number, or has one."""
    return at < len(found) and any(sign.isdigit() for sign in found[at].text)


def _ends_at(sentence: str, found: list[Word], at: int, small_goes_on: bool) -> bool:
    """Whether what a sentence begins with ends before its word number `at`.

    Args:
        small_goes_on: a word in small letters may be a part of it, as an English noun may.
    """
    if at >= len(found) or not _stand_together(sentence, found[at - 1], found[at]):
        return True
    behind = found[at]
    if leads_in(behind) or behind.text.casefold() in _GOES_ON or changes_in([behind]) or _has_value(found, at):
        return True
    return not small_goes_on and not behind.is_capital


def _are_one(mine: list[Word], theirs: list[Word], *, inflected: bool) -> bool:
    """Whether words are the same, or forms of the same (`nächster Markt`, `der nächste Markt`)."""
    pairs = zip((canonical(word.text) for word in mine), (canonical(word.text) for word in theirs), strict=True)
    return all(one == other or (inflected and share_stem(one, other)) for one, other in pairs)


def _is_label(content: str, found: list[Word], at: int) -> bool:
    """Whether the first words of a fact are set off from the rest, also behind brackets (`Milo (beagle): ...`)."""
    behind = _BRACKETED.sub("", content[found[at - 1].end :].lstrip(" *_`"))
    return behind.lstrip(" *_`").startswith(_LABEL_ENDS)
