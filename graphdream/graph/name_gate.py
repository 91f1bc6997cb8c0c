"""The gate that names of new entities must pass.

A naive extraction makes an entity of everything: pronouns, headings, log lines, halves of sentences. The gate
refuses what cannot be a name in any domain; what merely looks odd passes, because names do look odd.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_DECORATION = " \t\r\n\"'“”‘’`*_~#>|\\[](){}<>.,;:!?-–—+=/"
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_COUNTED = re.compile(
    r"(?:line|lines|row|step|page|p|chunk|item|note|frame|figure|fig|part|option|section|msg|message|ref|index|idx|"
    r"commit|entry|chapter|column|col|exit code|version|v|no|nr|number)"
    r"(?:\.?\s*[#:]?\s*(?:\d[\d./:]*|[0-9a-f]*\d[0-9a-f]*)|[.\s#:]+[a-z])",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"\d[\d.,:/]*\s*(?:%|ms|s|sec|seconds?|min|minutes?|hours?|days?|weeks?|months?|years?|results?|unread|items?|"
    r"messages?|vulnerabilities|ok|ago|am|pm|x|gb|mb|kb)?(?:\s+ago)?",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"[a-z]+\s+\d+/\d+|\d+\s+[a-z]+s", re.ASCII)
_OWNED = frozenset("my your his her its our their this that these those".split())
_MACHINE = re.compile(
    r"0x[0-9a-f]+|[0-9a-f]{6,}|id=\S+|<[^<>]*>|&\w+;|\d+%\|.*|\[object \w+\]|@?\d[\d:]*|[\w-]+=\S*|#\d+|\[\d+\]",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(r"'(?:m|re|ve|ll|d|s)$")  # `I'm`, `they've`; a typewriter's apostrophe
_CLOCK = re.compile(r"(?:[a-z]{3,9}\s+)?\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]m)?", re.IGNORECASE)

_ALONE = frozenset(
    # pronouns and pointing words
    "i me my mine myself you your yours we us our ours he him his she her hers it its they them their theirs this that "
    "these those who whom whose which what someone somebody anyone anybody everyone everybody something anything "
    "everything nothing nobody one ones other others another same both all none here there now then such "
    # answers, thanks and exclamations
    "yes yeah yep yup no nope nah ok okay thanks thank thx ta cheers please pls sorry hello hi hey bye wow hmm huh erm "
    "oops lol lmao rofl haha omg brb idk gg wtf btw fyi asap imo imho tbh sure cool nice great "
    # days and times
    "monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday tonight morning afternoon "
    "evening noon midnight weekend "
    # empty values and words of programs
    "null none nil nan undefined true false void todo tbd tba wip fixme xxx na etc eg ie function const let var import "
    "export return class def yield async await lambda elif else endif print stdin stdout stderr traceback segfault "
    "panic exception error warning warn info debug untitled unnamed unknown usw ff ie "
    # form fields
    "key value name title note notes item items type status field label id human assistant system bot stack "
    .split()
)  # fmt: skip
_NEVER_FIRST = frozenset(
    "of than because which whose and or but so nor as if when while until since is are was were be been being am has "
    "have had do does did will would can could should must to at by from into onto with per via not".split()
)
_NEVER_LAST = frozenset(
    "a an the of for to in on at by from into onto with per via and or but nor because which whose that than as if "
    "when while is are was were be been being am has have had will would can could should must my your our their "
    "his its about before after over not".split()
)
_POINTING = frozenset(
    "that this those these the his her their its my your our some another each every next last previous same other "
    "as see".split()
)
_VAGUE = frozenset(
    "thing things stuff one ones guy guys way ways time times usual other others meeting call laptop server cousin "
    "repo week month year day morning afternoon evening night below above discussed mentioned said info question "
    "questions same first second last pass client client's it them".split()
)


@lru_cache(maxsize=100_000)
def name_fault(name: str) -> str | None:
    """Why a text cannot be the name of an entity, in a few words; None for a name that passes.

    Linear in the length of the text.
    """
    folded = unicodedata.normalize("NFKC", name).strip()
    bare = folded.strip(_DECORATION)
    if not any(c.isalnum() for c in bare):
        return "punctuation"
    if _MACHINE.fullmatch(folded) or _CLOCK.fullmatch(bare):
        return "machine text"
    if _QUANTITY.fullmatch(bare) or _FRACTION.fullmatch(bare) or _COUNTED.fullmatch(bare):
        return "a count or a place in a text"
    words = [word.casefold().replace("’", "'") for word in bare.split()]
    plain = [word.strip(_DECORATION) for word in words]
    plain = [word for word in plain if word]
    letters = [word for word in plain if _LETTERS.search(word)]
    if not letters:
        return "punctuation"
    if all(_CONTRACTED.sub("", re.sub(r"[./]", "", word)) in _ALONE for word in letters):
        return "a word that names nothing"
    return _fragment(bare, plain)


def _fragment(bare: str, words: list[str]) -> str | None:
    """Why several words are a piece of a sentence and not a name."""
    if len(words) < 2:
        return None
    if words[0] in _NEVER_FIRST and not bare[0].isupper():
        return "begins in mid-sentence"
    if words[-1] in _NEVER_LAST and not bare[-1:].isupper():
        return "ends in mid-sentence"
    if re.search(r"\w; \w|[^\W\d_]{5,}\. \w|^[^(]*\w\) [^\W\d_A-Z]", bare):
        return "runs across two sentences"
    if words[0] in _OWNED and bare == bare.lower() and len(words) < 4:
        return "points at something"
    if words[0] in ("a", "an") and bare == bare.lower():
        return "describes something, and names nothing"
    if words[0] in _POINTING and all(word in _VAGUE or word in _ALONE or word in _POINTING for word in words[1:]):
        return "points at something"
    return None
