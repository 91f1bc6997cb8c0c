"""What is asked of a model about the graph: what the resolver leaves open of entities and of facts, and facts that
contradict each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from graphdream.dreamers.gathered import Gathered, SeenEntity, SeenFact
from graphdream.dreamers.prompt.graph_text import fact_line
from graphdream.facts.model import Open

MOST_FACTS = 3  # of each entity that a question shows; the model can look at more
VERDICTS: Mapping[str, tuple[str, ...]] = {
    "same": ("same", "different"),
    "contradiction": ("first", "second", "both"),
    "facts": ("same", "first", "second", "both"),
}
"""Kind of question -> the verdicts that it can be given, each a list of numbers in an answer."""
NUMBER_TOKENS = 3  # of a question's line besides its words: its number, a colon, the line's end
_PUT = {
    "same": "Are these one and the same?",
    "contradiction": "Which holds?",
    "facts": "Do these say the same, has one of them replaced the other, or do both hold beside each other?",
}


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to decide.

    Attributes:
        kind: "same" (are two entities one), "contradiction" (which of two facts holds) or "facts" (may one of two facts
            say the other, or replace it).
        entities: the entities it is about: two, or one where both facts hang on it.
        text: the question in one line, of handles only, so that nothing in the graph can speak through it.
        data: the facts that it is about, a line each; they are shown among the data of the graph.
        known: of each entity, whether it is pinned, and how many facts it has: the best known one survives a merge.
        weight: how much asking promises: the probability that the answer changes something, 1.0 for a contradiction.
        fingerprint: of the content it rests on; an answered question stays closed while that is the same.
    """

    kind: str
    entities: tuple[int, ...]
    text: str
    weight: float
    fingerprint: str
    facts: tuple[int, ...] = ()
    data: str = ""
    known: tuple[tuple[bool, int], ...] = ()


def open_questions(
    gathered: Gathered, band: Iterable[tuple[str, str, float]], facts: Iterable[Open] = ()
) -> list[Question]:
    """The questions that a view raises and that were not answered before, the most promising first.

    Args:
        gathered: the view, as it will be once what is certain was done.
        band: pairs of entity ids, as text, that the resolver leaves open, with their probabilities.
        facts: pairs of facts that are open.
    """
    entities = {entity.id: entity for entity in gathered.entities}
    said = Counter(fact.entity_id for fact in gathered.facts)
    found = [
        _same(entities[int(first)], entities[int(second)], probability, said)
        for first, second, probability in band
        if int(first) in entities and int(second) in entities
    ]
    found += [*_contradictions(gathered), *_open_facts(gathered, facts)]
    return sorted(
        (question for question in found if question.fingerprint not in gathered.declined),
        key=lambda question: (-question.weight, question.entities, question.facts),
    )


def _same(first: SeenEntity, second: SeenEntity, probability: float, said: Counter[int]) -> Question:
    low, high = sorted((first, second), key=lambda entity: entity.id)
    return Question(
        kind="same",
        entities=(low.id, high.id),
        text=f"e{low.id} ? e{high.id}",
        weight=probability,
        fingerprint=_fingerprint("same", *(_about(entity, said[entity.id]) for entity in (low, high))),
        known=tuple((entity.pinned, said[entity.id]) for entity in (low, high)),
    )


def _about(entity: SeenEntity, facts: int) -> str:
    """What a decision about an entity rests on. Facts count by the bits of their number: the question opens again when
    about twice as much is known, not with every fact: after a growing delay."""
    return "\x1f".join((str(entity.id), entity.type, *sorted({entity.name, *entity.aliases}), str(facts.bit_length())))


def _contradictions(gathered: Gathered) -> Iterable[Question]:
    facts = {fact.id: fact for fact in gathered.facts}
    for first, second in sorted(gathered.contradictions - gathered.both_hold):
        if first in facts and second in facts:
            yield _of_facts("contradiction", facts[first], facts[second], f"a{first} or a{second}", 1.0)


def _open_facts(gathered: Gathered, found: Iterable[Open]) -> Iterable[Question]:
    facts = {fact.id: fact for fact in gathered.facts}
    for pair in found:
        if pair.first in facts and pair.second in facts:
            text = f"a{pair.first} ? a{pair.second}"
            yield _of_facts("facts", facts[pair.first], facts[pair.second], text, pair.probability)


def _of_facts(kind: str, one: SeenFact, other: SeenFact, text: str, weight: float) -> Question:
    return Question(
        kind=kind,
        entities=tuple(sorted({one.entity_id, other.entity_id})),
        text=text,
        data=f"{fact_line(one)}\n{fact_line(other)}\n",
        weight=weight,
        fingerprint=_fingerprint(kind, f"a{one.id}", one.content, f"a{other.id}", other.content),
        facts=(one.id, other.id),
    )


def facts_shown(questions: Iterable[Question]) -> dict[int, int]:
    """Entity that questions are about -> how many of its facts they show: whose facts are in question is only named."""
    shown: dict[int, int] = {}
    for question in questions:
        for entity in question.entities:
            shown[entity] = max(shown.get(entity, 0), 0 if question.facts else MOST_FACTS)
    return shown


def _fingerprint(*parts: str) -> str:
    return blake2b("\x1e".join(parts).encode(), digest_size=16).hexdigest()


def facts_in_question(questions: Iterable[Question]) -> str:
    """The facts that questions are about, each once."""
    lines = dict.fromkeys(line for question in questions for line in question.data.splitlines())
    return "".join(f"{line}\n" for line in lines)


def numbered(questions: Sequence[Question]) -> dict[int, Question]:
    """The questions of a call by the numbers that they are put under, from 1 on, kind by kind."""
    return dict(enumerate((one for kind in VERDICTS for one in questions if one.kind == kind), 1))


def asked(questions: Sequence[Question]) -> str:
    """The questions as they are put, a number first; "" where there are none."""
    put, lines = numbered(questions), list[str]()
    for kind, verdicts in VERDICTS.items():
        own = [f"{number}: {question.text}" for number, question in put.items() if question.kind == kind]
        if own:
            named = " or ".join(f"`{verdict}`" for verdict in verdicts)
            lines += [f"{_PUT[kind]} (each number into {named}; leave out what you cannot tell)", *own]
    return "".join(f"{line}\n" for line in lines)


def answered(questions: Iterable[Question], bodies: Collection[dict[str, object]]) -> set[str]:
    """Fingerprints of the questions that some proposal is about: it names a row of each side."""
    named = [_handles(body) for body in bodies]
    return {question.fingerprint for question in questions if any(_sides(question) <= handles for handles in named)}


def _sides(question: Question) -> set[str]:
    if question.facts:
        return {f"a{number}" for number in question.facts}
    return {f"e{number}" for number in question.entities}


def _handles(value: object) -> set[str]:
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set[str]().union(*map(_handles, value.values()))
    if isinstance(value, list | tuple):
        return set[str]().union(*map(_handles, value))
    return set()
