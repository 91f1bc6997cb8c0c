"""Why two facts are, or are not, taken for one; also where one of them is by now the other, or has replaced it."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from graphdream.dream.evidence_words import in_words
from graphdream.dream.gather import gather
from graphdream.dream.replay import wound_back
from graphdream.dreamers.diary import DiaryLines, told_in_diary
from graphdream.dreamers.folders import told_apart
from graphdream.dreamers.gathered import Gathered
from graphdream.dreamers.judged import JudgedFacts, subjects_of
from graphdream.errors import NotFoundError, UsageError
from graphdream.facts import Fact, FactFindings, Subject, consolidate
from graphdream.facts.explain import Answered, FactExplanation, explain_facts
from graphdream.graph.rows import handle, parse_handle
from graphdream.graph.served import confirm_served
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE
from graphdream.mutations.context import TOLD

_DECIDED = ("one fact", "the first replaced", "the second replaced")  # how a verdict begins by which one of two goes
_TWO = "two facts, not likely enough to be one"
_OF_TWO = "never compared, they are told of two entities"
_OF_A_PAGE = "undecided, a page of a diary may have replaced a lasting line, and somebody is asked"
_EACH_ITS_OWN = "each says something that the other does not"
_BY_A_PERSON = "what a person told no pass takes away unasked"
_ONE_SENTENCE = "  no evidence was weighed: they say the same, word by word"
_MOST = 3  # pieces of evidence of each side that are told of the most telling answer
_MOST_BESIDE = 2  # the same of an answer that stands beside it


@dataclass(frozen=True, slots=True)
class FactPairExplanation:
    """How two facts were judged, and when that was.

    Attributes:
        explanation: what was asked of them, with the signals of each answer.
        verdict: what came of it, in words.
        before_pass: the pass that took one of them away, if one did: the judgement is about the graph before it.
        happened: what that pass did, in words.
    """

    explanation: FactExplanation
    verdict: str
    before_pass: int | None = None
    happened: str = ""

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self.explanation) | {
            "verdict": self.verdict, "before_pass": self.before_pass, "happened": self.happened,
        }  # fmt: skip

    def lines(self) -> list[str]:
        """The evidence in three lines, in words: the verdict, what speaks for it and against it, how likely that makes
        it and what else was asked; one line more where nothing brought the two together and one of them says nothing.
        """
        found = self.explanation
        head = f"{found.first!r} and {found.second!r}: {self.verdict}"
        when = f"judged before pass {self.before_pass}, in which {self.happened}" if self.before_pass else ""
        pair = _of_both(found)
        if not pair:
            same = self.verdict.startswith(_DECIDED[0])
            why = _ONE_SENTENCE if same else "  no evidence was weighed: nothing brought them together"
            empty = [f"  {_in_one_breath(one)}" for one in found.answers if _is_yes(one)]
            return [head, why, *([f"  {when}"] if when else []), *empty]
        telling = max(pair, key=lambda answer: answer.probability)
        likely = f"{telling.question} probability {telling.probability:.4f}, yes from {telling.cut:.4f}"
        if telling.probability < telling.cut and self.verdict.startswith(_DECIDED):
            likely += ", so not by these two alone: by way of another fact, which says what one of them does"
        held = f"but {telling.held}" if telling.held and _is_yes(telling) else ""
        others = [one for one in found.answers if one is not telling]
        also = [_in_one_breath(one) for one in others if _is_yes(one)]
        if others and not also:
            also = ["to every other question the answer is no"]
        sides = f"  for: {_evidence(telling, 1)}; against: {_evidence(telling, -1)}"
        return [head, sides, "  " + "; ".join(filter(None, (likely, when, held, *also)))]

    def table(self) -> list[str]:
        """Every question with its answer, and the most telling signals of each: name, value, nats that it moved by."""
        lines = []
        for answer in self.explanation.answers:
            lines.append(f"  {answer.question} {answer.probability:.4f}, yes from {answer.cut:.4f}")
            lines += [f"  {name:>20}  {value:8.3f}  {nats:+.3f}" for name, value, nats in answer.signals]
        return lines


class _Made(NamedTuple):
    """Facts that a pass made, and the entities that they are about."""

    facts: tuple[Fact, ...]
    subjects: tuple[Subject, ...]


_NOTHING_MADE = _Made((), ())


def explain_fact_pair(store: Store, first: str, second: str) -> FactPairExplanation:
    """Explain a pair of facts by handle.

    Where one of them was taken away (absorbed, replaced, archived), the pair is judged as it was before that pass.

    Raises:
        NotFoundError: there is no such fact, or one was gone before the other was there.
        UsageError: both are one fact.
    """
    with store.reading():
        one, other = (_row(store.connection, reference) for reference in (first, second))
        confirm_served(store, [handle(ATTRIBUTE, row["id"]) for row in (one, other)])
    if one["id"] == other["id"]:
        raise UsageError(f"{first} and {second} are one fact", "give two facts: graphdream explain a1 a2")
    gone = [row for row in (one, other) if row["status"] != "active"]
    if not gone:
        return _judged(store, one["id"], other["id"])
    last = min(gone, key=lambda row: row["version"])
    with store.reading():
        merged = _merged_by(store.connection, last["version"])
        came = _made_by(store.connection, last["version"], [row["id"] for row in (one, other)])
    made = _as_left(store, last["version"], came) if came else _NOTHING_MADE
    with wound_back(store, last["version"]) as before:
        return _judged(before, one["id"], other["id"], last["version"], _what_happened(last), merged, made)


def _made_by(connection: sqlite3.Connection, pass_id: int, facts: Sequence[int]) -> list[int]:
    """Those of some facts that a dream made, which read the sessions that told them and judged them in one pass."""
    marks = ", ".join("?" * len(facts))
    rows = connection.execute(
        "SELECT row_id FROM change JOIN pass ON pass.id = pass_id WHERE pass_id = ? AND pass.kind = 'dream'"
        f" AND change.kind = ? AND op = '+' AND row_id IN ({marks})",
        (pass_id, ATTRIBUTE.kind, *facts),
    )
    return [row[0] for row in rows]


def _as_left(store: Store, pass_id: int, made: Collection[int]) -> _Made:
    """Facts that a pass made, as it left them."""
    with wound_back(store, pass_id + 1) as after:
        gathered = gather(after, mode="compact", now="")
        found = (fact for fact in JudgedFacts(gathered).of(gathered) if fact.id in made)
        facts = tuple(replace(fact, successor=False, status="active") for fact in found)  # as they were judged
        about = {fact.entity for fact in facts}
        return _Made(facts, tuple(one for one in subjects_of(gathered) if one.id in about))


def _merged_by(connection: sqlite3.Connection, pass_id: int) -> dict[int, int]:
    """Entity that a pass merged -> the one that it is part of since; it judged their facts as of one."""
    rows = connection.execute(
        "SELECT id, absorbed_into FROM entity WHERE absorbed_into IS NOT NULL AND version = ?", (pass_id,)
    )
    into: dict[int, int] = dict(rows.fetchall())
    for entity in into:
        while into[entity] in into:
            into[entity] = into[into[entity]]
    return into


def _row(connection: sqlite3.Connection, reference: str) -> sqlite3.Row:
    parsed = parse_handle(reference)
    found = None
    if parsed is not None and parsed[0] is ATTRIBUTE:
        found = connection.execute("SELECT * FROM attribute WHERE id = ?", (parsed[1],)).fetchone()
    if found is None:
        raise NotFoundError(f"there is no fact {reference}", "graphdream entity NAME --history shows the handles")
    row: sqlite3.Row = found
    return row


def _what_happened(row: sqlite3.Row) -> str:
    mine = handle(ATTRIBUTE, row["id"])
    if row["absorbed_into"]:
        return f"{mine} went into {handle(ATTRIBUTE, row['absorbed_into'])}"
    if row["superseded_by"]:
        return f"{mine} was replaced by {handle(ATTRIBUTE, row['superseded_by'])}"
    return f"{mine} was archived ({row['status_reason'] or 'no reason given'})"


def _judged(
    store: Store, first: int, second: int, before_pass: int | None = None, happened: str = "",
    merged: Mapping[int, int] = MappingProxyType({}), made: _Made = _NOTHING_MADE,
) -> FactPairExplanation:  # fmt: skip
    gathered = gather(store, mode="compact", now="")
    seen = [*JudgedFacts(gathered).of(gathered), *made.facts]
    facts = [replace(fact, entity=merged.get(fact.entity, fact.entity)) for fact in seen]
    subjects = subjects_of(gathered)
    known = {subject.id for subject in subjects}
    subjects = _as_merged([*subjects, *(one for one in made.subjects if one.id not in known)], merged)
    there = {fact.id for fact in facts}
    for fact_id in (first, second):
        if fact_id not in there:
            raise NotFoundError(
                f"{handle(ATTRIBUTE, fact_id)} was not there yet when {happened} in pass {before_pass}",
                f"graphdream show {before_pass} tells more",
            )
    told = told_in_diary(gathered, facts)
    if _has(told, first, second):
        explanation = explain_facts([*told.lasting, *told.lines], told.subjects, first, second)
        verdict = _OF_A_PAGE if any({one.first, one.second} == {first, second} for one in told.asked()) else _TWO
        return FactPairExplanation(explanation, verdict, before_pass, happened)
    explanation = explain_facts(facts, subjects, first, second, corpus=gathered.summaries)
    authority = {fact.id: fact.authority for fact in facts}
    findings = consolidate(facts, subjects, corpus=gathered.summaries, most_rounds=1)
    held = _held(explanation, {word for one, word in _words(first, second).items() if authority[one] == TOLD})
    verdict = _verdict(findings, gathered, held, first, second)
    explanation = explanation if verdict.startswith(_DECIDED) else held
    if not explanation.compared and len({fact.entity for fact in facts if fact.id in (first, second)}) == 2:
        verdict = _OF_TWO
    return FactPairExplanation(explanation, verdict, before_pass, happened)


def _as_merged(subjects: Sequence[Subject], merged: Mapping[int, int]) -> list[Subject]:
    """The subjects with the names of those that were merged into them."""
    names: dict[int, list[str]] = {}
    for subject in subjects:
        names.setdefault(merged.get(subject.id, subject.id), []).extend(subject.names)
    return [
        replace(subject, names=tuple(dict.fromkeys((*subject.names, *names[subject.id]))))
        for subject in subjects
        if subject.id not in merged
    ]


def _words(first: int, second: int) -> dict[int, str]:
    """What questions call two facts."""
    return {first: "the first", second: "the second"}


def _held(found: FactExplanation, by_a_person: Collection[str]) -> FactExplanation:
    """The same, each answer held by which one would go that a person told.

    Args:
        by_a_person: what questions call those that a person told.
    """
    return replace(found, answers=tuple(
        replace(answer, held=answer.held or _BY_A_PERSON)
        if _is_yes(answer) and answer.names["a"] in by_a_person else answer
        for answer in found.answers
    ))  # fmt: skip


def _verdict(findings: FactFindings, view: Gathered, found: FactExplanation, first: int, second: int) -> str:
    pair = {first, second}
    word = _words(first, second)
    if (min(pair), max(pair)) in view.both_hold:
        return "both hold, a person says"
    if not told_apart(view)(first, second):
        for loser, survivor, _ in findings.duplicates:
            if {loser, survivor} == pair:
                return f"one fact, {word[survivor]} says all of it"
        for old, new, _, why in findings.superseded:
            if {old, new} == pair:
                return f"{word[new]} replaced {word[old]}, {why}"
    if any({a, b} == pair for a, b, _ in findings.contradictions):
        return "they contradict each other"
    for one in findings.open:
        if {one.first, one.second} == pair:
            return "undecided, " + ("may say the same" if one.question == "same" else "one may have replaced the other")
    if not found.compared:
        return "never compared, they share no word, value or sentence form that few others have, and mean nothing alike"
    held = [answer.held for answer in _of_both(found) if _is_yes(answer)]
    if held:
        return f"two facts, likely one by the score, but {held[0] if all(held) else _EACH_ITS_OWN}"
    return _TWO


def _has(told: DiaryLines, first: int, second: int) -> bool:
    """Whether one of two facts is a line of a page there, and the other a lasting line of the same place."""
    pages, lasting = ({fact.id: fact.entity for fact in facts} for facts in (told.lines, told.lasting))
    return any(one in pages and pages[one] == lasting.get(other) for one, other in ((first, second), (second, first)))


def _of_both(found: FactExplanation) -> tuple[Answered, ...]:
    """The answers about the two; the last two are about each alone."""
    return found.answers[:-2]


def _in_one_breath(answer: Answered) -> str:
    """An answer that is yes."""
    held = f", but {answer.held}" if answer.held else ""
    why = _evidence(answer, 1, _MOST_BESIDE)
    return f"{answer.question} yes, probability {answer.probability:.4f}{held}, since {why}"


def _is_yes(answer: Answered) -> bool:
    return answer.probability >= answer.cut


def _evidence(answer: Answered, side: int, most: int = _MOST) -> str:
    """The most telling evidence of a side in words, each once; what sounds alike was measured in two ways."""
    names, alone = answer.names, answer.alone
    told = (in_words(name, value, names, alone=alone) for name, value, nats in answer.signals if nats * side > 0)
    return ", ".join(list(dict.fromkeys(told))[:most]) or "nothing"
