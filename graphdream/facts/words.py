"""Words that are no part of what is said: classes, which are data (language/classes.yaml), and a list of English.

A word that stands here is a signal among others, and never a reason by itself.
"""

from __future__ import annotations

from graphdream.language.classes import closed_class

PRONOUNS = closed_class("pronouns")
CONJUNCTIONS = closed_class("conjunctions")
NEGATIONS = closed_class("denies")
_OF_ALL = ("en", "de", "es", "fr", "it", "pt", "ru", "zh", "ja", "ko")
"""Languages whose words of where something came from are hardly words of another kind in others (Dutch `van`, Swedish
`din`)."""
LEADS_FROM = closed_class("from", of=_OF_ALL) | closed_class("denies", but="en")
"""Words that may stand before a value that no longer holds, in a sentence that also names what does."""
FUNCTION_WORDS = (PRONOUNS | CONJUNCTIONS | closed_class("grammar")) - NEGATIONS
QUANTIFIERS = closed_class("quantifies")
"""Words that say how much of something is meant: a number behind one counts (`all 40 tests`)."""
DANGLING = closed_class("unfinished")
"""Words a finished English clause hardly ever ends with."""
PARTICLES = closed_class("particles")
"""Function words that may well end a clause: `telemetry: on`, `three clients sat in`."""
RESTRICTIONS = NEGATIONS | closed_class("restricts")
"""Words that narrow or turn round what stands before them: `on` is not `on for new modules only`."""
JOINS = closed_class("joins")
"""The word for *and*."""
ADDS = closed_class("adds")
"""Additive adverbs: what they stand in comes on top."""
IS, IN_DATES = closed_class("is"), closed_class("dates")
"""The copula, and what stands between it and a day: `is the 3rd of May`, `es el 3 de mayo`."""
WAS, FORMERLY = closed_class("was"), closed_class("formerly")
"""The copula of what something was, and adverbs that say so."""
OF = IN_DATES | closed_class("from", of=_OF_ALL)
"""What stands between a thing and what it is of: `the client of Atlas`, `die Tante von Ondrea`."""
LIMITS = closed_class("limits")
"""Words that leave a denial true of a part alone: `not open before 9` denies no `open at 9`."""
ALWAYS = closed_class("always")
"""Adverbs that mean every time or no time."""
NARROWS = LIMITS | RESTRICTIONS - NEGATIONS | QUANTIFIERS | ALWAYS
"""Words that leave some of what is said or denied true: `not only Oslo`, `not every Monday`."""
CHANGE = closed_class("changes")
"""Words of change; a sentence needs one before two of its values are read as old and new."""
_OF_CHANGE = CHANGE | closed_class("replaces") | closed_class("passes")
NOW = closed_class("now")
FROM_NOW_ON = CHANGE | NOW
"""Words of change, and adverbs of what holds from now on; beside other evidence only."""
TIMES = FROM_NOW_ON | FORMERLY | LEADS_FROM - NEGATIONS | {"any", "more"}
"""Words that say when something holds, or held (`not in Oslo any more`)."""
INTENT = closed_class("intends")
"""Words that say something is meant to happen; with and without one, a sentence is not the same claim."""


def is_of_change(word: str) -> bool:
    """Whether a word tells a change: one of that class, or a form of a verb that puts one thing in another's place."""
    return word in _OF_CHANGE
