"""What a measured signal of facts says, in words: a phrase for much of it, and one for little.

A signal of one of two statements is written once, for `x` beside `y`; one of a question is put together from what was
counted and how the question was told apart. `{a}` and `{b}` are the statements in the order of the table, `{x}` and
`{y}` the one that a signal is of and the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

_COUNTED = 0.5
"""Signals that are logarithms of a count, of 1 + it: below one thing and above none."""
_SEVERAL = 1.0
"""The same, between one thing and two."""


class Phrase(NamedTuple):
    """What a signal says.

    Attributes:
        much: where its value is at least `least`.
        little: where it is less.
        least: in the unit of the signal.
    """

    much: str
    little: str
    least: float = 0.5


_KIND_NOUNS = {
    "number": "a number", "date": "a date", "time": "a time of day", "name": "a name", "word": "a telling word",
    "function": "a function word", "negation": "a word that denies or restricts", "change": "a word of change",
    "intent": "a word of intent",
}  # fmt: skip

_PAIR = {
    "ratio": Phrase("they are spelled much alike", "they are spelled unlike", 0.6),
    "cover_x": Phrase("{y} has most of the telling words of {x}", "{y} lacks telling words of {x}", 0.8),
    "shared": Phrase("they share words that are rare here", "they share few words that are rare here", 1.0),
    "shared_top": Phrase("a word that they share is rare here", "no word that they share is rare here", 1.0),
    "only_x": Phrase("{x} has rare words that {y} has not", "{x} has hardly a rare word for itself", 1.0),
    "only_top_x": Phrase(
        "a word that {x} has for itself is rare here", "no word that {x} has for itself is rare here", 1.0
    ),
    "prefix": Phrase("they begin with the same words", "they begin with other words"),
    "suffix": Phrase("they end with the same words", "they end with other words"),
    "span_x": Phrase("{x} has several words in the place where they differ", "{x} has hardly a word there", 1.5),
    "one_span": Phrase("they differ in one place", "they differ in more than one place"),
    "one_value": Phrase("they differ in one value", "they do not differ in one value alone"),
    "begins_x": Phrase("{y} begins with the whole of {x}", "{y} does not begin with {x}"),
    "cut_x": Phrase("{x} stops inside a word of {y}", "{x} is not {y} cut off inside a word"),
    "inside_x": Phrase("{x} stands in {y} as it is", "{x} does not stand in {y} as it is"),
    "size_x": Phrase("{x} is long", "{x} is short", 2.2),
    "same_reading": Phrase("they read as the same words", "they do not read as the same words"),
    "marks_differ": Phrase(
        "their marks (ticked or struck out) differ", "their marks (ticked or struck out) are the same"
    ),
    "beside_differs": Phrase("they differ in signs beside the words", "the signs beside the words are the same"),
    "same_label": Phrase("they have one label", "their labels differ"),
    "same_numbered": Phrase("their labels differ in a number alone", "their labels do not differ in a number alone"),
    "linked": Phrase("the memory shows that such sentences say the same", "the memory does not link such sentences"),
    "one_relation": Phrase("the memory shows that they tell one relation", "they tell no one known relation"),
    "frame_x": Phrase(
        "what {x} has for itself is no more than wording", "what {x} has for itself is more than wording"
    ),
    "carries_x": Phrase(
        "what {x} has for itself carries values elsewhere", "what {x} has for itself carries no known value"
    ),
    "led_x": Phrase("{x} speaks of what {y} says as over", "{x} does not speak of what {y} says as over"),
    "holders": Phrase("many entities have what they share", "few entities have what they share", 5.0),
    "kind_meets": Phrase("they differ in values of one kind", "they differ in values of no one kind"),
    "kind_lacks_x": Phrase(
        "{x} has a value of a kind that {y} has none of", "{x} has no value of a kind that {y} has none of"
    ),
    "form_meets": Phrase("the values that differ are written alike", "the values that differ are written unlike"),
    "company": Phrase(
        "the words that differ stand between the same words elsewhere",
        "the words that differ do not stand between the same words elsewhere",
    ),
    "type_meets": Phrase("they name other entities of one type", "they name entities of other types"),
    "values_least": Phrase("each has a value that the other has not", "not each has a value of its own"),
    "numbered": Phrase(
        "each goes by a number that the other has not", "they are not told apart by numbers that are names"
    ),
    "due_x": Phrase(
        "the day that {x} names lies after {y} was told", "the day that {x} names lies before {y} was told", 0.0
    ),
    "due_between": Phrase("the day that {b} names is the later one", "the day that {b} names is no later one", 0.0),
    "sense": Phrase("their words mean much the same", "their words mean little alike"),
    "sense_free": Phrase("their words without values mean much the same", "without values they mean little alike"),
    "sense_only": Phrase("the words that differ mean something alike", "the words that differ mean nothing alike", 0.4),
    "sense_value": Phrase(
        "the names that differ mean something alike", "the names that differ mean nothing alike", 0.4
    ),
    "one_x": Phrase(
        "what {x} says mostly has one answer at a time", "what {x} says may have several answers at a time", 0.0
    ),
    "one_both": Phrase(
        "what they share mostly has one answer at a time", "what they share may have several answers at a time", 0.0
    ),
    "same_aspect": Phrase("they stand in one place", "they stand in two places"),
    "aspect_bare": Phrase("their places differ in digits at most", "their places differ in more than digits"),
    "aspect_dated": Phrase("a place of theirs has digits in its name", "neither place has digits in its name"),
    "aspect_size": Phrase("their place holds much", "their place holds little", 2.4),
    "same_source": Phrase("they come from one source", "they come from two sources"),
    "written": Phrase("both are lines of files", "not both are lines of files"),
    "gap": Phrase("{b} was told well after {a}", "{b} was told no long time after {a}", 1.0),
    "after": Phrase("{b} was first told after {a} was told last", "{b} was not first told after {a} was told last"),
    "one_occasion": Phrase("they were told on one occasion", "they were told on two occasions"),
    "one_day": Phrase("they were first told on one day", "they were first told on two days"),
    "times_x": Phrase("{x} was told several times", "{x} was told once", 1.5),
    "apart": Phrase("one was over before the other was told", "the times at which they were told overlap"),
    "named_both": Phrase("some sentence names both of their answers", "no sentence names both of their answers"),
    "siblings": Phrase(
        "other pairs differ in the same place of the same sentence", "no other pair differs in the same place", _SEVERAL
    ),
    "siblings_together": Phrase(
        "answers to this sentence are told on one occasion", "answers to this sentence are told on several occasions"
    ),
    "siblings_turns": Phrase(
        "answers to this sentence come back in turns", "answers to this sentence do not come back in turns"
    ),
    "alike_together_x": Phrase(
        "something like {x} was told along with it", "nothing like {x} was told along with it", _COUNTED
    ),
    "alike_apart_x": Phrase(
        "something like {x} was told at another time", "nothing like {x} was told at another time", _COUNTED
    ),
    "nearer_x": Phrase("a third sentence is nearer to {x}", "no third sentence is nearer to {x}", 0.0),
    "burst_x": Phrase("{x} was told along with much else", "{x} was told along with little else", 1.5),
}
"""Of two statements (facts/signals.py)."""

_CHANGE = {
    "best": Phrase("by themselves they look like a change", "by themselves they do not look like a change", 0.0),
    "second": Phrase(
        "a second pair of sentences shows the same change", "no second pair of sentences shows the same change", 0.0
    ),
    "pairs": Phrase("several sentences tell of both", "one sentence tells of either", _SEVERAL),
    "timeless": Phrase(
        "they look like a change whenever they were told", "their words alone do not look like a change", 0.0
    ),
    "same_forth": Phrase("{b} likely says all of {a}", "{b} hardly says all of {a}", 0.0),
    "same_back": Phrase("{a} likely says all of {b}", "{a} hardly says all of {b}", 0.0),
    "gap_told": Phrase("{b} came well after {a}", "{b} came soon after {a}", 2.0),
    "gap_last": Phrase("{b} was still told long after {a}", "{b} was not told long after {a}", 2.0),
    "told_x": Phrase("what {x} says was told several times", "what {x} says was told once", _SEVERAL),
    "ways_x": Phrase("what {x} says is told in several ways", "what {x} says is told in one way", _SEVERAL),
    "rival": Phrase("something else may have replaced {a}", "nothing else looks like what replaced {a}", 0.0),
    "rivals": Phrase("others likely replaced {a}", "no other likely replaced {a}", _COUNTED),
    "sooner": Phrase(
        "others that may have replaced {a} came sooner", "no other that may have replaced {a} came sooner"
    ),
    "others_old": Phrase("{b} likely replaced something else", "{b} likely replaced nothing else", _COUNTED),
    "best_other_old": Phrase("{b} may have replaced something else", "{b} hardly replaced anything else", 0.0),
    "beside_x": Phrase(
        "what was told along with {x} looks like its change", "nothing told along with {x} looks like its change", 0.0
    ),
    "next": Phrase("{b} was replaced in turn", "{b} was not replaced in turn", 0.0),
    "before": Phrase("{a} had replaced something itself", "{a} had replaced nothing itself", 0.0),
}
"""Of what stands around an earlier and a later thing (facts/changes.py)."""

_OWN = {
    "led_in_x": Phrase(
        "{x} has a word of its own behind a function word", "{x} has no word of its own behind a function word"
    ),
    "free_x": Phrase("{x} has a word of its own that nothing leads in", "{x} has no such word of its own"),
    "first_x": Phrase("{x} opens with a word of its own", "{x} opens with no word of its own"),
    "two_subjects": Phrase("they are about two subjects", "they are about no two subjects"),
    "swapped": Phrase("one tells something where the other tells something else", "no word stands in another's place"),
    "left_out": Phrase("{b} leaves out what {a} tells", "{b} leaves out nothing that {a} tells"),
    "put_in": Phrase("{b} puts in what {a} does not tell", "{b} puts in nothing that {a} does not tell"),
    "now_x": Phrase("{x} says that it holds now", "{x} does not say that it holds now"),
    "adds_x": Phrase("{x} says that it holds besides", "{x} does not say that it holds besides"),
    "was_x": Phrase("{x} says that it was so", "{x} does not say that it was so"),
    "narrows_x": Phrase("{x} says when or for whom it holds", "{x} does not say when or for whom it holds"),
    "means_x": Phrase("{x} says what somebody means to do", "{x} does not say what somebody means to do"),
    "changes_x": Phrase("{x} tells a change", "{x} does not tell a change"),
    "opens_alike": Phrase("they open with one word or a form of it", "they do not open with one word", 0.4),
    "words_x": Phrase("the own words of {x} speak for a change", "the own words of {x} do not speak for a change", 0.0),
}
"""Of what two statements say of their own (facts/ownwords.py, facts/ownweights.py)."""

_ALONE = {
    "size": Phrase("{a} has several words", "{a} has few words", 1.7),
    "characters": Phrase("{a} is long", "{a} is short", 3.4),
    "letters": Phrase("{a} is made of letters", "{a} is hardly made of letters", 0.6),
    "digits": Phrase("{a} has many digits", "{a} has few digits", 0.1),
    "signs": Phrase("{a} has many signs", "{a} has few signs", 0.1),
    "free": Phrase("{a} has words that tell something", "no word of {a} tells something", 1.0),
    "weight_top": Phrase("{a} has a word that is rare here", "no word of {a} is rare here", 1.0),
    "weight_mean": Phrase("the words of {a} are rare here", "the words of {a} are common here", 1.0),
    "opens_closed": Phrase("{a} opens with a function word", "{a} opens with no function word"),
    "opens_joining": Phrase("{a} opens with a word that joins", "{a} opens with no word that joins"),
    "ends_closed": Phrase("{a} ends with a function word", "{a} ends with no function word"),
    "ends_dangling": Phrase("{a} ends with a word that wants another", "{a} ends with no word that wants another"),
    "ends_open": Phrase("{a} ends with a sign that more follows", "{a} ends with no sign that more follows"),
    "capital": Phrase("{a} begins with a capital", "{a} begins with no capital"),
    "ends_stop": Phrase("{a} ends as a sentence does", "{a} has no full stop at its end"),
    "brackets": Phrase("{a} leaves a bracket open", "{a} leaves no bracket open"),
    "seam": Phrase("a sentence inside {a} begins small", "no sentence inside {a} begins small"),
    "pronouns": Phrase("{a} has a pronoun", "{a} has no pronoun"),
    "begins": Phrase("others begin as {a} does", "no other begins as {a} does", _COUNTED),
    "begins_inside": Phrase("others have its beginning in the middle", "no other has its beginning inside", _COUNTED),
    "ends": Phrase("others end as {a} does", "no other ends as {a} does", _COUNTED),
    "ends_inside": Phrase("others have its end in the middle", "no other has its end in the middle", _COUNTED),
    "opens": Phrase("others open with its first word", "no other opens with its first word", _COUNTED),
    "goes_on": Phrase("others begin with all of {a} and go on", "no other begins with all of {a}", _COUNTED),
    "cut_begin": Phrase("{a} begins inside a word", "{a} does not begin inside a word"),
    "cut_end": Phrase("{a} stops inside a word", "{a} does not stop inside a word"),
    "piece": Phrase("{a} is a piece of another text", "{a} is no piece of another text"),
    "name_piece": Phrase("{a} is a piece of a name", "{a} is no piece of a name"),
    "held": Phrase("another text has most of {a}", "no other text has most of {a}", 0.8),
    "held_same": Phrase("another text is spelled much as {a} is", "no other text is spelled much as {a} is", 0.8),
    "begun": Phrase("another text begins with the whole of {a}", "no other text begins with the whole of {a}"),
    "recurs": Phrase("{a} is said of several entities", "{a} is said of one entity", _SEVERAL),
    "tail": Phrase("other texts end with the whole of {a}", "no other text ends with the whole of {a}", _COUNTED),
    "faulty": Phrase("its entity has a name that is none", "its entity has a proper name"),
    "crowd": Phrase("much is said of its entity", "little is said of its entity", 2.4),
    "subject_named": Phrase("what is said of its entity names it", "what is said of its entity seldom names it"),
    "named": Phrase("{a} names its entity", "{a} does not name its entity"),
    "formed": Phrase("{a} has a form that many sentences have", "{a} has no form that many sentences have"),
    "linked": Phrase("the memory has other words for {a}", "the memory has no other words for {a}"),
    "marks": Phrase("{a} is ticked or marked", "{a} is not ticked or marked"),
    "told": Phrase("{a} was told several times", "{a} was told once", _SEVERAL),
    "word_known": Phrase("its first word is known from elsewhere", "its first word is known from nowhere", _SEVERAL),
    "last_known": Phrase("its last word is known from elsewhere", "its last word is known from nowhere", _SEVERAL),
    "lone": Phrase("{a} holds a value that nothing else says", "{a} holds no value that nothing else says", _COUNTED),
}
"""Of one statement by itself (facts/emptiness.py)."""

_SOURCES = {
    "relation": "their question",
    "template": "this form of sentence",
    "frame": "what stands around their values",
    "label": "their label",
}
_ASKED = {
    "holders": Phrase("several entities answer {q}", "hardly another entity answers {q}", _SEVERAL),
    "several": Phrase("who answers {q} mostly gives several answers", "who answers {q} mostly gives one answer"),
    "together": Phrase("answers to {q} are mostly told at once", "answers to {q} are mostly not told at once"),
    "turns": Phrase("answers to {q} mostly come in turns", "answers to {q} mostly do not come in turns"),
    "tests": Phrase("answers to {q} follow each other often", "answers to {q} seldom follow each other", _SEVERAL),
    "told": Phrase("sentences name two answers to {q} together", "sentences seldom name two answers to {q} together"),
    "answers": Phrase("{q} is often answered anew", "{q} is seldom answered anew", 1.5),
}
_BOUNDED = {
    "turned": "answers to {q} {how} come back after another",
    "beside": "answers to {q} are {how} told at once",
    "told": "two answers to {q} are {how} named in one sentence",
}
_BOUNDS = {"least": ("surely often", "perhaps seldom"), "most": ("perhaps often", "surely seldom")}


def phrase_of(signal: str, *, alone: bool = False) -> Phrase:
    """What a signal says; `alone`: whether it is of one statement by itself.

    Raises:
        KeyError: it has no phrase.
    """
    if alone:
        kind = _KIND_NOUNS.get(signal.removeprefix("n_"), "") if signal.startswith("n_") else ""
        return Phrase(f"{{a}} has {kind}", f"{{a}} has no {kind.removeprefix('a ')}") if kind else _ALONE[signal]
    stem, _, side = signal.rpartition("_")
    if stem in _KIND_NOUNS:
        return _of_kind(_KIND_NOUNS[stem], side)
    for table in (_PAIR, _CHANGE, _OWN):
        if signal in table:
            return table[signal]
        if side in ("a", "b") and f"{stem}_x" in table:
            x, y = ("{a}", "{b}") if side == "a" else ("{b}", "{a}")
            much, little, least = table[f"{stem}_x"]
            return Phrase(_put(much, x=x, y=y), _put(little, x=x, y=y), least)
    return _of_question(signal)


def _of_kind(noun: str, side: str) -> Phrase:
    """Of a kind of words: who of the two has one that the other has not, or that both have one."""
    if side == "both":
        return Phrase(f"they share {noun}", f"they share no {noun.removeprefix('a ')}")
    x, y = ("{a}", "{b}") if side == "a" else ("{b}", "{a}")
    return Phrase(f"{x} has {noun} that {y} has not", f"{x} has no {noun.removeprefix('a ')} for itself")


def _of_question(signal: str) -> Phrase:
    """Of a question that both answer (facts/asked.py): `template_any_turned_least`."""
    source, _, measure = signal.partition("_")
    question = _SOURCES[source]
    if measure.startswith("any_"):
        measure, question = measure.removeprefix("any_"), f"{question} (on anything)"
    stem, _, bound = measure.rpartition("_")
    if bound in _BOUNDS and stem in _BOUNDED:
        much, little = (_put(_BOUNDED[stem], q=question, how=how) for how in _BOUNDS[bound])
        return Phrase(much, little)
    much, little, least = _ASKED[measure]
    return Phrase(_put(much, q=question), _put(little, q=question), least)


def in_words(signal: str, value: float, names: Mapping[str, str], *, alone: bool = False) -> str:
    """What a measured signal says.

    Args:
        signal: its name.
        value: what was measured.
        names: what `a` and `b` are called.
        alone: whether it is of one statement by itself.
    """
    phrase = phrase_of(signal, alone=alone)
    return _put(phrase.much if value >= phrase.least else phrase.little, **names)


def _put(text: str, **parts: str) -> str:
    """The text with parts in the places that are named for them; other places stay."""
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return text
