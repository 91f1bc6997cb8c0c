"""Where the questions are cut: the probability from which each is answered yes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cuts:
    """Calibrated probability from which each question is answered yes; one wrong in so many is the budget.

    Attributes:
        same: another says all that this says, of what was told.
        certain: the same in words of which nothing else shows that they are two ways of saying it.
        copied: a line of a file says all that another line says.
        edited: a line of a file was edited into a newer one, in much the same words.
        unlike: a line of a file was replaced by a newer one in other words.
        of_a_list: the same of a line under a label, of which other earlier lines stay (listedlines.py).
        told: what was told in a session was replaced by what was told later.
        again: the same where only the second opinion is sure (secondopinion.py).
        denied: what the second opinion holds for less likely than this is only asked about, however sure the first one
            is, unless the newer tells itself what it ends.
        assured: where both opinions are as sure as this, rules of caution give way (`holds.give_way`).
        worded: the same where no number, date or name differs, but words.
        shown: the same where the memory tells changes of the question that both answer (slots.py).
        listed: the same where it never does, however often the question was answered in several ways.
        doubtful: what was told in a session was replaced, where a number that differs may be a name, a day had passed,
            the words ask a question with several answers, or what was replaced says less than its group.
        dated: the same of two days, where the words ask a question with several answers.
        cut_out: it says nothing, and something shows that it was cut out of another text.
        empty: it says nothing, though nothing shows so; every value in it is said elsewhere of its entity, and what it
            says is said of no other.
        lone: it says nothing, though nothing shows so, and it holds a number, date or name that nothing else of its
            entity says, or is said of several entities; or it is a line of notes.
    """

    same: float = 0.94
    certain: float = 0.985
    copied: float = 0.96
    edited: float = 0.92
    unlike: float = 0.98
    of_a_list: float = 0.95
    told: float = 0.97
    again: float = 0.98
    denied: float = 0.7
    assured: float = 0.97
    worded: float = 0.95
    shown: float = 0.9
    listed: float = 0.995
    doubtful: float = 0.985
    dated: float = 0.995
    cut_out: float = 0.98
    empty: float = 0.99
    lone: float = 0.995
