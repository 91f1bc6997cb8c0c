"""What forbids a merge, however alike two names look.

The scorer has learned most of this; a guard holds on graphs that are unlike any it saw. Hard guards hold always. The
others forbid a merge without asking: inside an error budget such a pair is offered to a model or a person instead.
Source: what users of other agent memories complained of: wrong merges of similar but distinct items, by numbers,
dates, versions, negation, a plan and what was done. What each costs and saves is measured by `bench/resolve.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphdream.entities.blocking import Candidates
from graphdream.entities.corpus import CALENDAR, Corpus, Floats, Ints
from graphdream.entities.forms import NameForm
from graphdream.entities.nicknames import is_given_name
from graphdream.entities.records import Record
from graphdream.entities.relations import names_other, tells_relation
from graphdream.entities.scorer import Compared
from graphdream.entities.signals import SIGNALS, PairTable
from graphdream.entities.spelled import spells_otherwise
from graphdream.language.naming import naming_class

_COLUMN = {name: i for i, name in enumerate(SIGNALS)}
GUARDED = -6.0
"""Log-odds that a pair under a hard guard has at most."""
NEGATIONS = frozenset({"not", "no", "non", "never", "without", "anti", "un", "dis", "disable", "disabled", "off"})
"""English words that turn what they stand beside into its opposite."""
CLASH = 0.3
"""Likeness of two facts with different figures (`born 1959`, `born 1987`) from which two first names are two people's,
though the one may be a form of the other (Anna, Anne)."""
INTENTIONS = frozenset({"plan", "plans", "planned", "planning", "proposal", "proposed", "draft", "todo", "wish"})
"""English words for what is not done yet."""


def hard_guards(pairs: PairTable) -> dict[str, NDArray[np.bool_]]:
    """Guards that always hold, as masks of shape (pairs,)."""
    signal = {name: pairs.table[:, at] for name, at in _COLUMN.items()}
    other = signal["squash"] == 0
    return {
        "identifiers differ": other & (signal["codes"] == -1),
        "numbers differ": other & (signal["numbers"] == -2) & (signal["codes"] < 1),
        "one file name, two folders": signal["base"] == -1,
    }


def _held(pairs: PairTable) -> NDArray[np.bool_]:
    held = np.zeros(len(pairs.table), dtype=np.bool_)
    for mask in hard_guards(pairs).values():
        held |= mask
    return held


def guard_scores(pairs: PairTable, log_odds: Floats) -> Floats:
    """Log-odds with pairs under a hard guard held down to `GUARDED`."""
    return np.where(_held(pairs), np.minimum(log_odds, GUARDED), log_odds)


def hard_pairs(candidates: Candidates, pairs: PairTable) -> list[tuple[int, int]]:
    """Pairs of records under a hard guard: they never share a cluster, whatever else is in it."""
    held = _held(pairs)
    return list(zip(candidates.left[held].tolist(), candidates.right[held].tolist(), strict=True))


def find_guards(compared: Compared, rows: Ints) -> dict[int, tuple[str, ...]]:
    """All guards that forbid merging pairs without asking, of names and of facts.

    Args:
        compared: the graph.
        rows: pairs to look at.

    Returns:
        By pair, the guards that hold; pairs without any are absent.
    """
    out = guard_pairs(compared.corpus, compared.candidates, compared.pairs, rows)
    left, right = compared.candidates.left, compared.candidates.right
    for row in rows.tolist():
        found = _fact_guards(compared.records[left[row]], compared.records[right[row]])
        if found:
            out[row] = out.get(row, ()) + found
    return out


def _fact_guards(a: Record, b: Record) -> tuple[str, ...]:
    found: list[str] = []
    if names_other(a, b) or names_other(b, a):
        found.append("a fact of one names the other as another")
    if tells_relation(a, b) or tells_relation(b, a):
        found.append("the name of one says what it is to the other")
    if spells_otherwise(a, b) or spells_otherwise(b, a):
        found.append("an initial stands for another name")
    return tuple(found)


def guard_pairs(corpus: Corpus, candidates: Candidates, pairs: PairTable, rows: Ints) -> dict[int, tuple[str, ...]]:
    """The guards of names that forbid merging pairs without asking.

    Args:
        corpus: the records.
        candidates: the pairs.
        pairs: their signals.
        rows: pairs to look at.

    Returns:
        By pair, the guards that hold; pairs without any are absent.
    """
    hard = hard_guards(pairs)
    out: dict[int, tuple[str, ...]] = {}
    for row in rows.tolist():
        a = corpus.forms[int(corpus.of_key[candidates.left[row]])]
        b = corpus.forms[int(corpus.of_key[candidates.right[row]])]
        found = tuple(name for name, mask in hard.items() if mask[row])
        if a.squash != b.squash:
            found += _soft_guards(a, b, pairs.table[row].tolist())
        if found:
            out[row] = found
    return out


def _soft_guards(a: NameForm, b: NameForm, signals: Sequence[float]) -> tuple[str, ...]:
    found: list[str] = []
    if signals[_COLUMN["numbers"]] == -1 and not _evidence(signals):
        found.append("a number added")
    only_a, only_b = set(a.tokens) - set(b.tokens), set(b.tokens) - set(a.tokens)
    if only_a & CALENDAR and only_b & CALENDAR:
        found.append("dates differ")
    if bool(only_a & _generations(a)) != bool(only_b & _generations(b)):
        found.append("a generation added")
    if _are_given_names(only_a, only_b) and signals[_COLUMN["clash"]] >= CLASH:
        found.append("two first names, and figures differ")
    if bool(only_a & _negations(a)) != bool(only_b & _negations(b)):
        found.append("negation")
    if bool(only_a & INTENTIONS) != bool(only_b & INTENTIONS) and only_a and only_b:
        found.append("plan and done")
    return tuple(found)


def _generations(form: NameForm) -> set[str]:
    """The words of a name that tell two people of one name from each other (`Jr.`, `der Ältere`); never its first."""
    return set(form.tokens[1:]) & naming_class("generations")


def _negations(form: NameForm) -> set[str]:
    """The words of a name that deny; `no` before a figure stands for a number (`No. 14`, `№ 14`)."""
    return {
        word
        for word, after in pairwise((*form.tokens, ""))
        if word in NEGATIONS and not (word == "no" and after[:1].isdigit())
    }


def _are_given_names(one: set[str], other: set[str]) -> bool:
    """Whether two names differ in a first name that people are called by, and no misspelling of one."""
    return len(one) == 1 == len(other) and all(is_given_name(word) for word in one | other)


def _evidence(signals: Sequence[float]) -> bool:
    """Whether a fact is repeated on both records, or one record's facts call the other's name."""
    values = np.nan_to_num([signals[_COLUMN[s]] for s in ("same_facts", "call_up", "call_down")])
    return bool(values.max() > 0)
