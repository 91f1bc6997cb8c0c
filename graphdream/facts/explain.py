"""Why two facts were judged as they were: what was measured of them, and what it was worth."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from graphdream.facts import changes, emptiness, secondopinion, signals
from graphdream.facts.calibration import Calibration, shipped
from graphdream.facts.cuts import Cuts
from graphdream.facts.evidence import Evidence
from graphdream.facts.groups import group
from graphdream.facts.holds import Hold
from graphdream.facts.judge import find_worthless, weigh
from graphdream.facts.model import Fact, Subject
from graphdream.facts.odds import odds_of
from graphdream.facts.pairsjudged import TOLD_OVER, cut_of_lines, edited_into, judge_pairs
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.says import find_says
from graphdream.facts.sittings import in_sittings
from graphdream.mutations.specifics import tokens

_SAYS_NOTHING = "say nothing?"
_KEPT = "it answers its heading, is a setting or protected, or several things of a small memory share it, so it stays"
"""Why a statement is not archived that says nothing by its score (`judge.find_worthless`)."""
_TELLING = 8
"""Signals that are shown of an answer: those without which it would be most another."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One question about one or two facts.

    Attributes:
        question: in words.
        probability: calibrated, 0..1, of yes.
        cut: probability from which the answer is yes.
        signals: (name, value, nats that it moves the score by), the most telling first.
        held: why it is not done even so; "" where nothing holds it.
    """

    question: str
    probability: float
    cut: float
    signals: tuple[tuple[str, float, float], ...]
    held: str = ""

    @property
    def alone(self) -> bool:
        """Whether it is about one fact by itself: its signals are those of `emptiness`."""
        return self.question.endswith(_SAYS_NOTHING)

    @property
    def names(self) -> dict[str, str]:
        """What the question calls the facts that the signals call `a` and `b`: of a pair `a` is named last, since it is
        the one that may go; what is by itself is `a`."""
        first = "the first" in self.question if self.alone else self.question.endswith("the first?")
        return {"a": "the first", "b": "the second"} if first else {"a": "the second", "b": "the first"}


@dataclass(frozen=True, slots=True)
class FactExplanation:
    """How facts were judged. `compared`: whether the two were compared at all; `answers`: what was asked of them."""

    first: str
    second: str
    compared: bool
    answers: tuple[Answered, ...]

    def as_json(self) -> dict[str, Any]:
        """The explanation as plain values."""
        return asdict(self)

    def as_text(self) -> str:
        """The explanation as lines of text."""
        lines = [repr(self.first), repr(self.second)]
        if not self.compared:
            lines.append("  never compared: they share no word, value or sentence form that few others have")
        for answer in self.answers:
            sure = "yes" if answer.probability >= answer.cut else "no"
            held = f", but {answer.held}" if answer.held and sure == "yes" else ""
            lines.append(f"  {answer.question} {sure}: {answer.probability:.3f} (yes from {answer.cut:.3f}){held}")
            told = [f"{name} {value:.2f} ({nats:+.2f})" for name, value, nats in answer.signals]
            lines.append("    " + ", ".join(told))
        return "\n".join(lines)


def explain_facts(
    facts: Sequence[Fact], subjects: Sequence[Subject], first: int, second: int, *, corpus: Collection[str] = (),
    calibration: Calibration | None = None, cuts: Cuts | None = None,
) -> FactExplanation:  # fmt: skip
    """Explain what was judged of two facts of one entity, among all facts of the graph; those that are history are
    learned from and not judged, as in `consolidate`.

    Raises:
        KeyError: `first` or `second` is not the id of a fact.
    """
    facts = in_sittings(facts)
    by_id = {fact.id: fact for fact in facts}
    texts = by_id[first].content, by_id[second].content
    known, cuts = calibration or shipped(), cuts or Cuts()
    whole = frozenset(token.text for text in corpus for token in tokens(text))
    asked_of = (first, second)
    active = [fact for fact in facts if fact.status == "active" or fact.id in asked_of]
    past = [fact for fact in facts if fact.status != "active" and fact.id not in asked_of]
    evidence, _ = weigh(active, subjects, whole, ReadingMemory(), past)
    place = {fact.id: statement.at for statement in evidence.said for fact in statement.facts}
    a, b = place[first], place[second]
    answers = []
    one, other, both = evidence.both_ways()
    asked = ((a, b, "does the second say all of the first?"), (b, a, "does the first say all of the second?"))
    for x, y, words in asked:
        for row in np.flatnonzero((one == x) & (other == y)).tolist():
            answers.append(_answered(words, known.same.of(both[row]), both[row], signals.SIGNALS, cuts.same))
    worthless = find_worthless(evidence, known, cuts)
    answers += _replaced(evidence, known, cuts, {one.id: one.names for one in subjects}, worthless, a, b)
    compared = bool(answers)
    for at, words in ((a, f"does the first {_SAYS_NOTHING}"), (b, f"does the second {_SAYS_NOTHING}")):
        cut = float(emptiness.cuts_of(evidence.said[at : at + 1], evidence.alone[[at]], cuts)[0])
        alone = _answered(words, known.empty, evidence.alone[at], emptiness.SIGNALS, cut)
        kept = alone.probability >= cut and at not in worthless
        answers.append(replace(alone, held=_KEPT) if kept else alone)
    return FactExplanation(*texts, compared, tuple(answers))


def _replaced(
    evidence: Evidence,
    known: Calibration,
    cuts: Cuts,
    names: Mapping[int, tuple[str, ...]],
    worthless: Collection[int],
    a: int,
    b: int,
) -> Iterator[Answered]:
    """Whether either of two statements replaced the other: lines by themselves, what was told with all that says it."""
    older, newer, table = evidence.in_time()
    odds = odds_of(evidence, known.same, known.replaces, known.second.replaces)
    pairs = judge_pairs(evidence, known, odds, cuts)
    over = edited_into(evidence, pairs, cuts)
    says, _ = find_says(evidence, known.same, known.replaces, odds.same, cuts, names, over)
    groups = group(evidence.said, says, names, worthless)
    place = {statement.at: at for at, one in enumerate(groups) for statement in one.members}
    if not {a, b} <= place.keys():  # what says nothing replaces nothing
        return
    told = changes.told_of(groups, evidence)
    found = changes.find_candidates(groups, told, evidence, odds.replaces, odds.timeless, odds.same, pairs.over)
    of_lines = cut_of_lines(evidence, cuts)
    again = secondopinion.find_candidates(groups, told, evidence, odds, known.second.own_words, pairs.over)
    for x, y, words in ((a, b, "did the second replace the first?"), (b, a, "did the first replace the second?")):
        for row in np.flatnonzero((older == x) & (newer == y)).tolist():
            if table[row, signals.SIGNALS.index("written")]:
                cut = float(of_lines[row])
                answer = _answered(words, known.replaces.written, table[row], signals.SIGNALS, cut)
                yield replace(answer, probability=round(float(pairs.worth[row]), 4))
        for at in np.flatnonzero((found.old == place[x]) & (found.new == place[y])).tolist():
            if not found.table[at, changes.SIGNALS.index("written")]:
                row = int(found.row[at])
                cut = float(pairs.cut_of(table, found.row[[at]], cuts)[0])
                answer = _answered(words, known.changes, found.table[at], changes.SIGNALS, cut)
                says_it = bool(pairs.over[row])
                denied, assured = not says_it, False
                for other in np.flatnonzero((again.old == place[x]) & (again.new == place[y])).tolist():
                    second = _answered(words, known.second.changes, again.table[other], secondopinion.SIGNALS, cut)
                    denied = second.probability < cuts.denied and not says_it
                    first, again_worth = (np.array([one.probability]) for one in (answer, second))
                    assured = bool(pairs.assured(found.row[[at]], first, again_worth, cuts)[0])
                    answer = _surer(answer, second, cuts, told_over=says_it)
                least = 0.0 if pairs.records[row] else max(answer.probability, TOLD_OVER * says_it)
                before, after = evidence.said[x], evidence.said[y]
                holds = pairs.holds_of(row, groups[place[x]], before, after, says_it=says_it, assured=assured)
                holds |= {Hold.DENIED} if denied else set()
                held = next((hold.value for hold in Hold if hold in holds), "")
                yield replace(answer, probability=least, held=held)


def _surer(first: Answered, second: Answered, cuts: Cuts, *, told_over: bool) -> Answered:
    """The answer of the surer scorer; where it is the second's alone, it is cut otherwise."""
    if second.probability <= first.probability:
        return first
    worth, again, cut = (np.array([one]) for one in (first.probability, second.probability, first.cut))
    cut_again = first.cut if told_over else float(secondopinion.cut_of_second(worth, again, cut, cuts)[0])
    return replace(second, cut=cut_again)


def _answered(question: str, judge: Any, row: np.ndarray, names: Sequence[str], cut: float) -> Answered:
    """An answer with its most telling signals: what the score would be if a signal were not known."""
    table = np.repeat(row[None, :], len(names) + 1, axis=0)
    for at in range(len(names)):
        table[at, at] = np.nan
    scores = judge.trees.log_odds(table, names)
    moved = scores[-1] - scores[:-1]
    order = sorted(range(len(names)), key=lambda at: -abs(moved[at]))[:_TELLING]
    told = tuple(
        (names[at], round(float(row[at]), 4), round(float(moved[at]), 3))
        for at in order
        if moved[at] and not math.isnan(row[at])
    )
    return Answered(question, round(float(judge.calibrated.at(scores[-1:])[0]), 4), cut, told)
