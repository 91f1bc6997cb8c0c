"""Settings: a few words that say what something is or is set to (`safe mode = on`), as scraps of a text do not."""

from __future__ import annotations

import re

from graphdream.facts.severed import dangles, text_of
from graphdream.facts.statements import Statement
from graphdream.language.senses import has_sense

_SETTING = re.compile(r"([^\W\d_]+(?: [^\W\d_]+)*)(?: =|:) ([^\W\d_]+(?: [^\W\d_]+)*)[.!]?")
_LONGEST = 5
"""Words, at most."""


def is_setting(statement: Statement) -> bool:
    """Whether it says in a few whole words what something is or is set to."""
    found = _SETTING.fullmatch(text_of(statement))
    words = [word for side in found.groups() for word in side.split()] if found else []
    return 0 < len(words) <= _LONGEST and not dangles(statement.reading) and all(map(has_sense, words))
