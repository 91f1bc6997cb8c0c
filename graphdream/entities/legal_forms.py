"""Legal forms in names of organizations: what a name is without one, and when two forms tell two companies apart.

`Brightwater Analytics Inc.` is spoken of as `Brightwater Analytics`, so a form that only one of two names has says
nothing. Two forms do: an AG and a GmbH of one name are two companies (a holding and its subsidiary, as a rule), while
`Ltd` and `Limited` are one form, written short and in full.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from graphdream.entities.forms import words
from graphdream.language.naming import naming_class

MOST_FORMS = 3
"""Forms that follow one another in a name (`Co., Ltd.`)."""
FEW_LETTERS = 2
"""Letters of a form that may be anything else."""
SHORT = 5
"""Letters of the longest form that is an abbreviation."""


@lru_cache(maxsize=200_000)
def split_form(name: str, *, telling: bool = False) -> tuple[str, str]:
    """A name without its legal form, and the form in lower-case letters ("" for none).

    A form before the name, or written without a blank, is known where language/naming.yaml has it; one after the name
    where `cleanco` does.

    Args:
        name: as it is written; one that is nothing but a form keeps it.
        telling: whether to leave out only what is hardly anything else. Two letters without full stops are many things
            (`Watch SE`, `Model AG`), so of a name of which no type says that it is an organization's they are a word.
    """
    from cleanco import basename

    bare = unicodedata.normalize("NFKC", name).strip("*_~'\"\\|` .,;:!?")
    forms: list[str] = []
    for _ in range(MOST_FORMS):
        rest = _unjoined(bare) or _unled(bare) or (basename(bare) if " " in bare else "") or bare
        if rest == bare or not words(rest):
            break
        form = bare.replace(rest, " ", 1)
        if telling and len(form.strip(" ,")) <= FEW_LETTERS:
            break
        forms.append("".join(words(form)))
        bare = rest
    return bare, " ".join(reversed(forms))


def _unjoined(name: str) -> str:
    for form in sorted(naming_class("joined"), key=len, reverse=True):
        for rest in (name.removesuffix(form), name.removeprefix(form)):
            if rest.strip() and rest != name:
                return rest.strip()
    return ""


def _unled(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest.strip() if first.casefold() in naming_class("before") else ""


@lru_cache(maxsize=65_536)
def forms_differ(first: str, second: str) -> bool:
    """Whether two names have legal forms, and not the same one written short and in full.

    `GmbH & Co. KG` is spoken of as a GmbH, so a form that is a part of the other is no other one.
    """
    ours, theirs = (set(split_form(name)[1].split()) for name in (first, second))
    if not ours or not theirs or ours <= theirs or theirs <= ours:
        return False
    return not any(_abbreviates(a, b) or _abbreviates(b, a) for a in ours for b in theirs)


def _abbreviates(short: str, long: str) -> bool:
    """Whether a form is another one, or its letters are those of a longer one in their order (`ltd`, `limited`)."""
    if short == long:
        return True
    letters = iter(long)
    return len(short) <= SHORT < len(long) and short[:1] == long[:1] and all(letter in letters for letter in short)
