"""Reading sessions without a model: what they say becomes facts of the entities that they speak of.

Conservative: a sentence becomes a fact only where it says whom it is about, by a known name or alias, or by a name that
opens it and that the evidence calls one; anything else stays what it is, recallable as the session's text, and is left
open for a model. What was handed over ready-made as an observation is always taken: where it
names nobody, into the general folder.
"""

from graphdream.dreamers.reading.corpus import usage_in
from graphdream.dreamers.reading.names import names_in, openings_in
from graphdream.dreamers.reading.sentences import sentences
from graphdream.dreamers.reading.statements import read_sessions, subject_of

__all__ = ["names_in", "openings_in", "read_sessions", "sentences", "subject_of", "usage_in"]
