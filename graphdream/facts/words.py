"""Closed-class words of English: what grammar adds to a sentence, apart from what it says.

Only closed classes are listed (articles, prepositions, pronouns, auxiliaries, conjunctions), never names or
nouns of any domain. In other languages the lists match nothing, and the statistics of the corpus alone decide.
"""

from __future__ import annotations

from collections.abc import Iterable

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
)
FUNCTION_WORDS = (ARTICLES | PREPOSITIONS | PRONOUNS | AUXILIARIES | CONJUNCTIONS | frozenset("there here".split())) - (
    NEGATIONS
)
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
FORMER = frozenset("from replaced replacing replaces dropped dropping left previously formerly not".split())
"""Words that may stand before a value that no longer holds, in a sentence that also names what does."""
CHANGE = frozenset(
    "now anymore moved moves move changed changes switched switches went replaced replaces replacing "
    "dropped dropping left took handed hands passed upgraded downgraded updated raised lowered increased "
    "decreased cut pushed pulled slipped postponed rescheduled relocated transferred migrated swapped traded became "
    "turned renamed relicensed promoted demoted succeeded shifted bumped extended shortened grew shrank fell rose "
    "previously formerly longer instead rather new revised corrected".split()
)
"""Words of change; a sentence needs one before two of its values are read as old and new."""
INTENT = frozenset(
    "will shall would should may might could plan plans planned planning intend intends hope hopes want wants".split()
)
"""Words that say something is meant to happen; with and without one, a sentence is not the same claim."""
_STANCES = {
    "refuses": "reject refuse declin cancel abandon avoid forbid ban oppos against deny denie veto block prevent",
    "dislikes": "hate dislik loath detest regret complain fear afraid worr",
    "loses": "lose lost losing sell sold quit fail miss forget forgot remov delet disabl end",
    "begins": "start begin began begun join",
    "finishes": "finish complet done clos solv fix",
    "proposes": "propos suggest consider ask request wonder discuss debat wish try tries tried attempt offer",
    "asserts": "claim believ think thought guess doubt suspect assum",
}
"""Stems of common English verbs by the stance they take to what follows them."""
_STANCE_OF = {stem: stance for stance, stems in _STANCES.items() for stem in stems.split()}
_LONGEST_ENDING = 4  # `rejected`, `proposing`, `blockers`


def stances(words: Iterable[str]) -> frozenset[str]:
    """The stances that words take to what follows them: `refused to`, `started to`; empty for most."""
    found = set()
    for word in words:
        for size in range(max(2, len(word) - _LONGEST_ENDING), len(word) + 1):
            if word[:size] in _STANCE_OF:
                found.add(_STANCE_OF[word[:size]])
    return frozenset(found)
