"""What a measured signal of two entities says, in words: a phrase for much of it, and one for little.

The shorter name is the one whose words weigh less, the longer one the other (entities/names.py).
"""

from __future__ import annotations

from graphdream.dream.evidence_words import Phrase

_NAMES = {
    "ratio": Phrase("their names are spelled much alike", "their names are spelled unlike", 0.6),
    "winkler": Phrase("their names begin much alike", "their names begin unlike", 0.8),
    "sorted": Phrase("the words of their names are much alike", "the words of their names are unlike", 0.6),
    "grams": Phrase("their names are written much alike", "their names are written unlike"),
    "overlap": Phrase("their names share most of their telling words", "their names share few telling words"),
    "covered": Phrase(
        "one name has all telling words of the other", "neither name has all telling words of the other", 0.95
    ),
    "missing_small": Phrase("the shorter name has a rare word alone", "the shorter name has no rare word alone", 1.0),
    "missing_large": Phrase("the longer name has a rare word alone", "the longer name has no rare word alone", 1.0),
    "soft": Phrase("words that differ look like spellings of one", "words that differ look like two"),
    "soft_known": Phrase(
        "the words that differ are both used elsewhere", "the words that differ are used nowhere else"
    ),
    "squash": Phrase("their names are the same but for case and signs", "their names are not the same"),
    "core": Phrase("without brackets and folders their names are the same", "their names differ in more than brackets"),
    "initials": Phrase("one name has the initials of the other", "neither name has the initials of the other"),
    "numbers": Phrase("their names have the same numbers", "their names do not have the same numbers"),
    "codes": Phrase("their names share an identifier", "their names share no identifier"),
    "ambiguous": Phrase("other names hold the shorter one as well", "no other name holds the shorter one"),
    "base": Phrase("one name is a path that ends with the other", "neither name is a path that ends with the other"),
    "slash": Phrase("a slash stands in their names", "no slash stands in their names"),
    "codes_apart": Phrase("each name has an identifier of its own", "not each name has an identifier of its own"),
    "known_apart": Phrase(
        "the words that differ name other things here", "the words that differ are hardly used elsewhere", 1.0
    ),
    "told": Phrase("their names share telling words", "their names share hardly a telling word", 1.0),
}
"""Of the names (entities/names.py, entities/differences.py)."""

_SAID = {
    "same_key": Phrase("their names have the same words", "their names have other words"),
    "type": Phrase("they are of one type", "they are not of one telling type"),
    "bag": Phrase("what is said of them is much alike", "what is said of them is unlike", 0.3),
    "bag_info": Phrase("what is said of both shares telling words", "what is said of both shares few words", 1.5),
    "bag_rarest": Phrase("what is said of both shares a rare word", "what is said of both shares no rare word", 2.0),
    "fact": Phrase("two of their facts are much alike", "no two of their facts are much alike"),
    "fact_info": Phrase("two of their facts share telling words", "no two of their facts share telling words", 1.0),
    "same_facts": Phrase("a fact is said of both word by word", "no fact is said of both word by word"),
    "clash": Phrase("two of their facts differ in figures", "no two of their facts differ in figures alone"),
    "call_up": Phrase("facts of one call it by the longer name", "no fact calls it by the longer name", 0.05),
    "call_down": Phrase("facts of one call it by the shorter name", "no fact calls it by the shorter name", 0.05),
    "call_rival": Phrase("facts of one use a third name for it", "facts of neither use a third name", 0.05),
    "subject": Phrase("their facts begin with the same names", "their facts begin with other names"),
    "wider": Phrase("several names hold the words of both", "no other name holds the words of both"),
    "neighbor": Phrase("they are linked to the same things", "they are not linked to the same things", 0.3),
    "fields": Phrase("their fields have the same values", "their fields have other values"),
    "field_long": Phrase("the texts of their fields are alike", "the texts of their fields are unlike"),
    "field_clash": Phrase("a telling field of theirs differs", "no telling field of theirs differs", 0.3),
    "field_best": Phrase("a field of theirs has one rare value", "no field of theirs has one rare value", 1.0),
    "field_number": Phrase("the numbers of their fields agree", "the numbers of their fields do not agree"),
    "rank": Phrase("each has others that are nearer to it", "one is the nearest to the other"),
    "rank_far": Phrase("one has others that are nearer to it", "each is the nearest to the other"),
    "margin": Phrase("no other name comes near", "other names come as near", 0.1),
    "margin_facts": Phrase("the facts of no other come near", "the facts of others come as near", 0.1),
    "mutual": Phrase("each is the nearest to the other", "not each is the nearest to the other"),
    "common": Phrase("the same others are like both", "others are like one of them only"),
    "bag_twins": Phrase("they share what those of one name share here", "they share less than those of one name here"),
    "fact_twins": Phrase("a fact is shared as among those of one name", "no fact is shared as among those of one name"),
    "fields_twins": Phrase("fields agree as among those of one name", "fields agree less than among those of one name"),
    "long_twins": Phrase("texts agree as among those of one name", "texts agree less than among those of one name"),
    "neighbor_twins": Phrase("links agree as among those of one name", "links agree less than among those of one name"),
    "vouched": Phrase("here facts bear out names as alike as these", "here facts do not bear out names like these"),
    "rest": Phrase("the rest of the memory speaks for it", "the rest of the memory speaks against it", 0.0),
}
"""Of what is said of the two, and of the rest of the graph (entities/signals.py, entities/telling.py)."""

_KINDS = {
    "weakest": Phrase("the words of their names fit each other", "a word of one name fits none of the other", 0.85),
    "nickname": Phrase("a name is a nickname of the other", "no name is a nickname of the other"),
    "written": Phrase("their names are written the same", "their names are not written the same"),
    "lone": Phrase("the shorter name is one word", "the shorter name is more than one word"),
    "extra": Phrase("the longer name has words more", "the longer name has no word more"),
    "ordered": Phrase("the words of their names stand in one order", "the words of their names stand in two orders"),
    "shared": Phrase("what is said of both has words that few have", "what is said of both has no word that few have"),
    "shared_part": Phrase("much that is said of one is said of the other", "little is said of both", 0.3),
    "specific": Phrase("what is said of both has a name or figure", "what is said of both has no name or figure", 0.3),
    "names_told": Phrase("facts of one tell the longer name", "facts of one do not tell the longer name"),
    "other_name": Phrase("facts of one tell another name", "facts of one tell no other name"),
    "rivals": Phrase("the shorter name fits several others", "the shorter name fits nobody else", 1.5),
    "kind_same": Phrase("their names fit word by word", "their names do no more than fit word by word", 0.0),
    "kind_part": Phrase("one name is a part of the other", "one name is only a part of the other", 0.0),
    "kind_brackets": Phrase(
        "their names differ in brackets or folders", "their names are the same but for brackets or folders alone", 0.0
    ),
    "identified": Phrase("they share an identifier that few have", "they have two identifiers of one kind", 0.0),
}
"""Of kinds of evidence, in small memories (entities/evidence.py)."""

PHRASES = {**_NAMES, **_SAID, **_KINDS}


def in_words(signal: str, value: float) -> str:
    """What a measured signal says. Raises KeyError where it has no phrase."""
    phrase = PHRASES[signal]
    return phrase.much if value >= phrase.least else phrase.little
