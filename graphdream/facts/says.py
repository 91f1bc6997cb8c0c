"""Which statements say all that others say: sure enough by the scorer, and not ruled out by what they lack."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import signals
from graphdream.facts.calibration import PairJudge
from graphdream.facts.compounds import is_of_another_thing
from graphdream.facts.counted import count_otherwise
from graphdream.facts.cover import breaks_off, covers
from graphdream.facts.cuts import Cuts
from graphdream.facts.evidence import Evidence, Table, as_if_later
from graphdream.facts.exchanged import turn_round_figures, turn_round_names
from graphdream.facts.groups import Says
from graphdream.facts.model import Open
from graphdream.facts.severed import KnownWords, Names, dangles, is_cut_out, is_long_enough, stops_short
from graphdream.facts.statements import Statement, sides_of_names
from graphdream.facts.whose import is_of_another, may_be_of_another
from graphdream.scoring.trees import Floats

REJECT = 0.35
"""Calibrated probability below which a pair is offered to nobody."""
CUT_OFF = 0.99
"""What is known of a text that was cut off, and of the whole one."""
_ENDED, _NEAR = 0.5, 0.0
"""Probability that one ended the other from which they are not taken for one thing, and by how much less than that of
being one it may be."""
_COVERED = 0.4
"""Share of the weight of a statement that one which says the same has at least, where no sentence forms are linked."""
_EXCHANGED = 0.97
"""Probability from which two statements with different words say the same that have a value in common."""
_BEYOND_DOUBT = 0.99
"""Probability from which two statements with different words and no value in common say the same all the same."""
_FRAMES, _TELLS = 0.6, 0.3
"""Share of frame votes from which a word is a way of saying it (links.py), and up to which it is what is said."""
_HALF = 0.5
"""Share of the weight of a statement from which another that lacks what it says may be a way of saying it."""
_SIGNAL = {name: at for at, name in enumerate(signals.SIGNALS)}


def find_says(
    evidence: Evidence,
    same: PairJudge,
    replaces: PairJudge,
    odds: Floats,
    cuts: Cuts,
    names: Mapping[int, tuple[str, ...]],
    over: NDArray[np.bool_] | None = None,
) -> tuple[list[Says], list[Open]]:
    """Which statements say all that others say, and what is open.

    Args:
        evidence: what was measured.
        same, replaces: the scorers.
        odds: shape (2 * pairs,), what `same` says of the rows of `evidence.both_ways`.
        cuts: where the questions are cut.
        names: entity -> its names.
        over: shape (2 * pairs,), rows of which the one says, or was edited so, that the other is over, or the other of
            the one (`pairsjudged.edited_into`, `PairsJudged.over`).
    """
    one, other, table = evidence.both_ways()
    worth = same.worth(odds, table)
    worth = np.where(table[:, _SIGNAL["same_reading"]] > 0, 1.0, worth)  # but for what wraps them they read the same
    written = table[:, _SIGNAL["written"]] > 0
    sure = ~written & (worth >= cuts.certain) & _share_enough(table)
    apart = _ruled_out(table) | _lacks_words(table) | _tells_an_end(table, worth, replaces)
    apart |= (_not_two_ways(table, worth) & ~sure) | _two_values(table)
    if over is not None:
        apart |= over
    cut_off = _cut_off(evidence, table, names)
    # What breaks off speaks for nobody.
    apart |= np.isin(other, list(evidence.broken)) & (table[:, _SIGNAL["same_reading"]] == 0)
    cut = np.where(written, cuts.copied, cuts.same)
    same_words = (table[:, _SIGNAL["word_a"]] == 0) & (table[:, _SIGNAL["word_b"]] == 0)
    longer = (table[:, _SIGNAL["word_a"]] == 0) & ~_joined(table)
    said, out, left = evidence.said, list[Says](), list[Open]()
    out += [Says(int(one[row]), int(other[row]), max(CUT_OFF, float(worth[row]))) for row in np.flatnonzero(cut_off)]
    for row in np.flatnonzero((worth >= REJECT) & ~apart & ~cut_off).tolist():
        a, b = said[int(one[row])], said[int(other[row])]
        if a.heading and b.heading and a.heading != b.heading:
            continue
        names_of = names.get(a.entity, ())
        if longer[row] and is_of_another(b.reading, a.reading, names_of):
            continue
        if count_otherwise(a.reading, b.reading):
            continue
        of_another = longer[row] and (
            may_be_of_another(b.reading, a.reading) or is_of_another_thing(a.reading, b.reading)
        )
        if worth[row] < cut[row] or of_another:
            if a.values.keys() <= b.values.keys():  # else it is plain that it does not say all of it
                left.append(Open("same", a.facts[0].id, b.facts[0].id, float(worth[row])))
        elif _holds(b, a, names_of) and (_in_one_order(b, a) or (sure[row] and not same_words[row])):
            out.append(Says(a.at, b.at, float(worth[row])))
    return out, left


def _cut_off(evidence: Evidence, table: Table, names: Names) -> NDArray[np.bool_]:
    """Rows of `Evidence.both_ways`, whose table is given, of which the one is the other, cut off inside a word, or
    behind one that nothing ends with; of whole texts there must be one only."""
    one, other = evidence.ends_both_ways()
    out = np.zeros(len(table), dtype=np.bool_)
    begins = table[:, _SIGNAL["begins_a"]] > 0
    known = KnownWords(evidence.said, names)
    wholes: dict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(begins).tolist():
        less, more = evidence.said[int(one[row])], evidence.said[int(other[row])]
        if table[row, _SIGNAL["cut_a"]] > 0:
            out[row] = is_cut_out(less, more, known)
        elif dangles(less.reading) and is_long_enough(less):
            wholes[less.at].append(row)
    out[[rows[0] for rows in wholes.values() if len(rows) == 1]] = True
    return out


def may_say(table: Table) -> NDArray[np.bool_]:
    """Pairs of which the other may say what the one says, whatever the scorer holds of it."""
    return ~(_ruled_out(table) | _lacks_words(table) | (_too_little(table) & ~_joined(table)))


def _ruled_out(table: Table) -> NDArray[np.bool_]:
    """Pairs of which the other does not say what the one says, however alike they are."""
    fresh = table[:, _SIGNAL["same_reading"]] == 0
    out = (table[:, _SIGNAL["marks_differ"]] > 0) | (table[:, _SIGNAL["beside_differs"]] > 0)
    # One denies or narrows what the other says: `on` is not `on for new modules only`.
    out |= (table[:, _SIGNAL["negation_a"]] > 0) | (table[:, _SIGNAL["negation_b"]] > 0)
    # One is meant to happen, the other did.
    out |= (table[:, _SIGNAL["intent_a"]] > 0) | (table[:, _SIGNAL["intent_b"]] > 0)
    # The other is a part of it.
    out |= ((table[:, _SIGNAL["inside_b"]] > 0) | (table[:, _SIGNAL["begins_b"]] > 0)) & fresh
    return np.asarray(out)


def _lacks_words(table: Table) -> NDArray[np.bool_]:
    """Pairs of which the other lacks words that are not known to be only a way of saying it.

    Where it has words of its own instead, these may be another way of saying the same: not so where it has less than
    half of what is said, and the memory shows that what it lacks is said rather than a way of saying it.
    """
    has, fresh = table[:, _SIGNAL["word_b"]] > 0, table[:, _SIGNAL["same_reading"]] == 0
    frame = table[:, _SIGNAL["frame_a"]]
    less = (frame <= _TELLS) & (table[:, _SIGNAL["cover_a"]] < _HALF)
    return np.asarray((table[:, _SIGNAL["word_a"]] > 0) & np.where(has, less, frame < _FRAMES) & fresh)


def _two_values(table: Table) -> NDArray[np.bool_]:
    """Pairs of which each has words that the other lacks, and the memory shows of both that they are what is said: `the
    lease runs for a decade`, `by the papers the lease runs for a summer`."""
    said = [(table[:, _SIGNAL[f"word_{side}"]] > 0) & (table[:, _SIGNAL[f"frame_{side}"]] <= _TELLS) for side in "ab"]
    return np.asarray(said[0] & said[1] & (table[:, _SIGNAL["same_reading"]] == 0))


def _tells_an_end(table: Table, worth: Floats, replaces: PairJudge) -> NDArray[np.bool_]:
    """A sentence that tells of a change has all words of what is over, and does not say it."""
    ended, likely = np.zeros(len(table)), worth >= REJECT
    ended[likely] = replaces.probability(as_if_later(table[likely]))
    return np.asarray((ended >= _ENDED) & (ended >= worth - _NEAR))


def _joined(table: Table) -> NDArray[np.bool_]:
    """Pairs of two sentence forms that the memory shows to say one thing."""
    return np.asarray((table[:, _SIGNAL["linked"]] > 0) | (table[:, _SIGNAL["one_relation"]] > 0))


def _too_little(table: Table) -> NDArray[np.bool_]:
    """Pairs that have too little in common, or two labels."""
    return np.asarray((table[:, _SIGNAL["cover_a"]] < _COVERED) | (table[:, _SIGNAL["same_label"]] == 0))


def _not_two_ways(table: Table, worth: Floats) -> NDArray[np.bool_]:
    """Pairs that are no two ways of saying one thing: nothing is known to join them, and too little is in both."""
    # Each has words that the other lacks, and no value in common: these words may be two values (purple is not cyan).
    # Beside a value that both have, the words exchanged may be the verb: who booked the ferry, and who cancelled it.
    valued = (_share_a_value(table) & (worth >= _EXCHANGED)) | (worth >= _BEYOND_DOUBT)
    apart = (table[:, _SIGNAL["word_a"]] > 0) & (table[:, _SIGNAL["word_b"]] > 0) & ~valued
    return np.asarray((_too_little(table) | apart) & ~_joined(table))


def _share_enough(table: Table) -> NDArray[np.bool_]:
    """Pairs that share a value, or half of what the one says, or the one breaks off where the other goes on. Of all
    others, the little that they share may be what is asked (`colour`), and the rest two answers."""
    pieces = (table[:, _SIGNAL["begins_a"]] > 0) | (table[:, _SIGNAL["inside_a"]] > 0)
    return np.asarray(_share_a_value(table) | pieces | (table[:, _SIGNAL["cover_a"]] >= _HALF))


def _share_a_value(table: Table) -> NDArray[np.bool_]:
    """Pairs that have a number, a date, a time or a name in common."""
    shared = [_SIGNAL[f"{kind}_both"] for kind in ("number", "date", "time", "name")]
    return np.asarray((table[:, shared] > 0).any(axis=1))


def _holds(more: Statement, less: Statement, names: tuple[str, ...]) -> bool:
    """Whether a statement has every value, name and piece of code of another."""
    if breaks_off(more.reading.words, less.reading.words) or stops_short(more.reading, less.reading):
        return False
    said = covers(more.facts[0].content, less.facts[0].content, names)
    whole = less.values.keys() <= more.values.keys() and _has_code(less, more)
    return said and whole


def _in_one_order(one: Statement, other: Statement) -> bool:
    """Whether names stand on the same side of the subject, and of each other: `Ada reports to Bo` is not `Bo reports to
    Ada`; and figures behind the same words: `gate 4 opens at 7` is not `gate 7 opens at 4`."""
    sides = sides_of_names(other).items() <= sides_of_names(one).items()
    turned = turn_round_names(one.reading, other.reading) or turn_round_figures(one.reading, other.reading)
    return sides and not turned


_CODE = re.compile(r"`([^`]+)`")


def _has_code(one: Statement, other: Statement) -> bool:
    """Whether a statement has all that another quotes as code: `run a.py` is not `run b.py`, nor `run a.py --fast`."""
    held, mine = other.facts[0].content, _quoted(one.facts[0].content)
    quoted = _quoted(held)
    return mine <= quoted if quoted else all(code in " ".join(held.casefold().split()) for code in mine)


def _quoted(text: str) -> set[str]:
    return {" ".join(code.casefold().split()) for code in _CODE.findall(text)}
