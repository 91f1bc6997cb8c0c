"""Why two facts were judged as they were, for a person: the judgement, the most telling evidence in words, how sure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphdream.interfaces.evidence_words import in_words

if TYPE_CHECKING:
    from graphdream.dream.explained_facts import FactPairExplanation
    from graphdream.facts.explain import Answered

_MOST = 3
"""Pieces of evidence of each side that are told."""
_MOST_ALONE = 2
"""The same of an answer about one fact, which stands beside the others."""
_ALONE = 2
"""The last answers are about either fact by itself."""


def facts_text(found: FactPairExplanation) -> list[str]:
    """The judgement, what speaks for it and against it, how likely that makes it and what else was asked.

    As `FactPairExplanation.lines`, with each signal in words; one line more where nothing brought the two together and
    one of them says nothing.
    """
    lines, answers = found.lines(), found.explanation.answers
    pair = answers[:-_ALONE]
    if not pair:
        return [*lines, *(f"  {_told(one)}" for one in answers if _is_yes(one))]
    telling = max(pair, key=lambda answer: answer.probability)
    lines[1] = f"  for: {_evidence(telling, 1)}; against: {_evidence(telling, -1)}"
    if telling.held and _is_yes(telling):
        lines[2] += f"; but {telling.held}"
    others = [one for one in answers if one is not telling]
    also = [_told(one) for one in others if _is_yes(one)]
    if also:
        lines[2] += "".join(f"; {one}" for one in also)
    elif others:
        lines[2] += "; to every other question the answer is no"
    return lines


def _told(answer: Answered) -> str:
    """An answer that is yes, in one breath."""
    held = f", but {answer.held}" if answer.held else ""
    why = _evidence(answer, 1, _MOST_ALONE)
    return f"{answer.question} yes, probability {answer.probability:.4f}{held}, since {why}"


def _is_yes(answer: Answered) -> bool:
    return answer.probability >= answer.cut


def _evidence(answer: Answered, side: int, most: int = _MOST) -> str:
    """The strongest evidence of a side in words, each once; what sounds alike was measured in two ways."""
    names, alone = answer.names, answer.alone
    told = (in_words(name, value, names, alone=alone) for name, value, nats in answer.signals if nats * side > 0)
    return ", ".join(list(dict.fromkeys(told))[:most]) or "nothing"
