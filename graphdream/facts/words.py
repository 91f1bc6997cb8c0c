"""Closed-class words of English: what grammar adds to a sentence, apart from what it says.

Only closed classes are listed (articles, prepositions, pronouns, auxiliaries, conjunctions), never names or
nouns of any domain. Those of other languages are data (language/classes.yaml).
"""

from __future__ import annotations

from graphdream.language.classes import closed_class

ARTICLES = frozenset("a an the".split())
PREPOSITIONS = frozenset(
    "about above across after against along among around as at before behind below beside between beyond by despite "
    "down during except for from in inside into like near of off on onto out outside over past per since through "
    "throughout till to toward towards under until up upon via with within without".split()
)
PRONOUNS = frozenset(
    "i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours "
    "ourselves they them their theirs themselves this that these those who whom whose which what one ones".split()
)
AUXILIARIES = frozenset(
    "am is are was were be been being do does did done has have had having will would shall should can could may "
    "might must 's 're 've 'll 'd 'm".split()
)
CONJUNCTIONS = frozenset("and or but nor so because if when while although though unless than whether whereas".split())
NEGATIONS = frozenset(
    "not no never none nothing nobody neither nor without cannot can't don't doesn't didn't won't wouldn't isn't "
    "aren't wasn't weren't hasn't haven't hadn't shouldn't couldn't mustn't n't stopped off".split()
) | closed_class("denies")
LEADS_FROM = frozenset("from previously formerly not once was".split()) | closed_class("from") | closed_class("denies")
"""Words that may stand before a value that no longer holds, in a sentence that also names what does."""
FUNCTION_WORDS = (
    ARTICLES | PREPOSITIONS | PRONOUNS | AUXILIARIES | CONJUNCTIONS | {"there", "here"} | closed_class("grammar")
) - NEGATIONS
DANGLING = ARTICLES | frozenset(
    "of for to at by from into onto with than and or but nor because if whether while unless although my your "
    "our their his its whose which is was are were be will would should could must".split()
)
"""Words a finished English clause hardly ever ends with."""
PARTICLES = frozenset(
    "on off in out up down over through around along by about before after there here behind ahead above below "
    "inside outside near past".split()
)
"""Function words that may well end a clause: `telemetry: on`, `three clients sat in`."""
RESTRICTIONS = NEGATIONS | frozenset("only except but unless until if excluding besides instead otherwise".split())
"""Words that narrow or turn round what stands before them: `on` is not `on for new modules only`."""
CHANGE = frozenset(
    "now anymore moved moves move changed changes switched switches went replaced replaces replacing "
    "dropped dropping left took handed hands passed upgraded downgraded updated raised lowered increased "
    "decreased cut pushed pulled slipped postponed rescheduled relocated transferred migrated swapped traded became "
    "turned renamed relicensed promoted demoted succeeded shifted bumped extended shortened grew shrank fell rose "
    "previously formerly longer instead rather new revised corrected".split()
)
"""Words of change; a sentence needs one before two of its values are read as old and new."""
FROM_NOW_ON = CHANGE | closed_class("now")
"""Words of change, and adverbs of what holds from now on; beside other evidence only."""
INTENT = frozenset(
    "will shall would should may might could plan plans planned planning intend intends hope hopes want wants".split()
)
"""Words that say something is meant to happen; with and without one, a sentence is not the same claim."""
