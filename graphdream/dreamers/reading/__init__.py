"""Reading sessions without a model: what they say becomes facts of the entities that they speak of.

Conservative: a sentence becomes a fact only where it says whom it is about, by a known name or alias, by a name that
opens it and that the evidence calls one, or by beginning with what the memory speaks of in one place; anything else
stays what it is, recallable as the session's text, and is left open for a model. What was handed over ready-made as an
observation is always taken: where it names nobody, into the general folder.
"""

from graphdream.dreamers.reading.called import firsts_in
from graphdream.dreamers.reading.corpus import usage_in
from graphdream.dreamers.reading.homes import clues_in, home_of
from graphdream.dreamers.reading.names import names_in, openings_in
from graphdream.dreamers.reading.sentences import sentences
from graphdream.dreamers.reading.statements import open_clues, read_sessions, subject_of
from graphdream.dreamers.reading.states import folders_in
from graphdream.dreamers.reading.times import time_told

__all__ = [
    "clues_in",
    "firsts_in",
    "folders_in",
    "home_of",
    "names_in",
    "open_clues",
    "openings_in",
    "read_sessions",
    "sentences",
    "subject_of",
    "time_told",
    "usage_in",
]
