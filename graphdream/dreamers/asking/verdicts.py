"""What a model answers to the questions of a call: lists of their numbers, and the mutations that these come to.

A verdict is a number in a list, so it takes two or three tokens whatever it says, and what an answer takes hangs little
on what is decided, and an estimate is right within a tenth. The mutations are made here: which of
two entities survives is the resolver's rule (`resolve.resolver`: a pinned one, else the one with more facts).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphdream.dreamers.client.salvage import MOST_ITEMS, NUMBER_LISTS
from graphdream.dreamers.prompt.questions import VERDICTS, Question
from graphdream.errors import quoted

OP = "verdict"  # of a verdict that counts for nothing, among the items of an exchange
_REASON = "answer to question"
SCHEMA: Mapping[str, Any] = {name: {"type": "array", "items": {"type": "integer"}} for name in NUMBER_LISTS}
_SAYS = {
    "same": "one and the same",
    "different": "not the same",
    "first": "the first holds",
    "second": "the second holds",
    "both": "both hold",
}
_LONGEST_NUMBER = 40  # characters of what was written in place of a number that are kept

Item = tuple[dict[str, Any], str]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the lists of an answer say.

    Attributes:
        given: number of a question -> its verdict, a key of `SCHEMA`.
        refused: entries that count for nothing, as items, each with its fault.
        told: what a repair round says about those that the model can mend.
    """

    given: Mapping[int, str]
    refused: tuple[Item, ...] = ()
    told: tuple[str, ...] = ()

    def corrected(self, later: Verdicts) -> Verdicts:
        """These and those of the repair round; what is wrong in both is refused once. A question whose verdict was kept
        and that is given another one then has none: which of the two is meant would be a guess."""
        both = self.given.keys() & later.given.keys()
        torn = {number for number in both if self.given[number] != later.given[number]}
        given = {number: name for number, name in {**self.given, **later.given}.items() if number not in torn}
        known = {(body["question"], body["verdict"], fault) for body, fault in self.refused}
        refused = [item for item in later.refused if (item[0]["question"], item[0]["verdict"], item[1]) not in known]
        refused += [_torn(number, (self.given[number], later.given[number])) for number in sorted(torn)]
        return Verdicts(given, (*self.refused, *refused), later.told)


NO_VERDICTS = Verdicts({})


def read_verdicts(told: Mapping[str, Any], questions: Mapping[int, Question]) -> Verdicts:
    """The verdicts of an answer; never raises.

    Args:
        told: what the answer holds beside its mutations, whatever it is.
        questions: those of the call, by their numbers (`numbered`).
    """
    found: dict[int, list[str]] = defaultdict(list)
    refused, faults = list[Item](), list[str]()
    room = MOST_ITEMS
    for name in NUMBER_LISTS:
        entries = told.get(name)
        if entries is None:
            continue
        if not isinstance(entries, list):
            refused.append(_refused(entries, name, f"{name} is no list of numbers"))
            faults.append(f"{name}: expected a list of numbers")
            continue
        for place, entry in enumerate(entries[:room]):
            number = _number(entry)
            fault = _fault(entry, number, name, questions)
            if fault:
                refused.append(_refused(entry, name, fault))
                faults.append(f"{name}[{place}]: {fault}")
            elif number is not None and name in found[number]:
                refused.append(_refused(number, name, f"question {number} stands in `{name}` already"))
            elif number is not None:
                found[number].append(name)
        if len(entries) > room:
            fault = f"{len(entries) - room} numbers beyond the first {MOST_ITEMS} were not read"
            refused.append(_refused("", name, fault))
            faults.append(f"{name}: {fault}")
        room = max(0, room - len(entries))
    for number, names in sorted(found.items()):
        if len(names) > 1:
            refused.append(_torn(number, names))
            faults.append(refused[-1][1])
    given = {number: names[0] for number, names in sorted(found.items()) if len(names) == 1}
    return Verdicts(given, tuple(refused), tuple(faults))


def _number(entry: Any) -> int | None:
    """The number that an entry is, also where it was written as a text; None where it is none."""
    if isinstance(entry, str) and entry.isascii() and entry.isdigit() and len(entry) < _LONGEST_NUMBER:
        return int(entry)
    return entry if isinstance(entry, int) and not isinstance(entry, bool) else None


def _fault(entry: Any, number: int | None, name: str, questions: Mapping[int, Question]) -> str:
    if number is None:
        return f"{_written(entry)} is not the number of a question"
    if number not in questions:
        numbers = f"they are numbered 1 to {len(questions)}" if questions else "none was put"
        return f"there is no question {_written(number)}; {numbers}"
    fitting = VERDICTS[questions[number].kind]
    if name not in fitting:
        return f"question {number} is answered by {' or '.join(f'`{one}`' for one in fitting)}, not by `{name}`"
    return ""


def _torn(number: int, names: Sequence[str]) -> Item:
    fault = f"question {number} stands in {' and '.join(f'`{name}`' for name in names)}, so none of them counts"
    return _refused(number, names[-1], fault)


def _refused(entry: Any, name: str, fault: str) -> Item:
    return {"op": OP, "question": _written(entry), "verdict": name}, fault


def _written(entry: Any) -> str:
    if isinstance(entry, int) and not -(10**_LONGEST_NUMBER) < entry < 10**_LONGEST_NUMBER:
        return "a number without end"  # Python itself writes none of more than 4,300 digits
    if isinstance(entry, list | dict):
        return f"a {'list' if isinstance(entry, list) else 'object'}"
    return quoted(entry)[:_LONGEST_NUMBER] if isinstance(entry, str) else str(entry)


# ---------------------------------------------------------------------- what they come to


def items_of(verdicts: Verdicts, questions: Mapping[int, Question], what: str) -> list[Item]:
    """Verdicts as the items of an exchange: a mutation for each that counts, and those that count for nothing.

    What is different is said before anything is merged, so that no chain of merges joins it.

    Args:
        what: the planned call, in words; with the number it names the question in the reason of each mutation.
    """
    reasons = {number: f"{_REASON} {number} ({what}): {_SAYS[verdict]}" for number, verdict in verdicts.given.items()}
    made = [
        body
        for number, verdict in sorted(verdicts.given.items())
        for body in _decided(questions[number], verdict, reasons[number])
    ]
    pairs = {
        number: questions[number]
        for number, verdict in sorted(verdicts.given.items())
        if verdict == "same" and questions[number].kind == "same"
    }
    made += [
        {"op": "merge_entities", "source": [f"e{source}"], "target": f"e{target}", "reason": reasons[number]}
        for number, source, target in _merges(pairs)
    ]
    return [*((body, "") for body in made), *verdicts.refused]


def told_of(items: Iterable[Item]) -> list[str]:
    """What came of the verdicts among the items of an exchange, a line each, for people."""
    lines = []
    for body, fault in items:
        reason = str(body.get("reason", ""))
        if body.get("op") == OP:
            lines.append(f"refused: {fault}")
        elif reason.startswith(_REASON):
            rows = (value if isinstance(value, str) else ", ".join(value)
                    for name, value in body.items() if name not in ("op", "reason"))  # fmt: skip
            lines.append(f"{reason}: {body['op']} {' '.join(rows)}")
    return lines


def _decided(question: Question, verdict: str, reason: str) -> Iterable[dict[str, Any]]:
    """The mutations of any verdict but that two entities are the same."""
    if verdict == "different":
        first, second = (f"e{number}" for number in question.entities)
        yield {"op": "mark_distinct", "first": first, "second": second, "reason": reason}
    if question.kind == "same":
        return
    first, second = (f"a{number}" for number in question.facts)
    if question.kind == "contradiction":
        keep = {"first": {"keep": first}, "second": {"keep": second}}.get(verdict, {})
        yield {"op": "resolve_contradiction", "first": first, "second": second, **keep, "reason": reason}
    elif verdict == "same":
        yield {"op": "merge_attributes", "source": [first], "target": second, "reason": reason}
    elif verdict == "both":  # on record as a contradiction that is settled, so that nobody is asked again
        yield {"op": "flag_contradiction", "first": first, "second": second, "reason": reason}
        yield {"op": "resolve_contradiction", "first": first, "second": second, "reason": reason}
    else:
        old, new = (second, first) if verdict == "first" else (first, second)
        yield {"op": "supersede_attribute", "old": old, "new": new, "reason": reason}


def _merges(pairs: Mapping[int, Question]) -> Iterable[tuple[int, int, int]]:
    """Number of a question, who is merged, and into whom: from the best known entity of each group outwards, so that
    each is merged away once (a target that is gone by then leads to what took it in); what others imply comes last."""
    near: dict[int, list[tuple[int, int]]] = defaultdict(list)
    known: dict[int, tuple[bool, int, int]] = {}
    for number, question in pairs.items():
        first, second = question.entities
        near[first].append((number, second))
        near[second].append((number, first))
        for entity, (pinned, facts) in zip(question.entities, question.known, strict=True):
            known[entity] = (pinned, facts, -entity)
    reached, used, implied = set[int](), set[int](), list[tuple[int, int, int]]()
    for head in sorted(known, key=known.__getitem__, reverse=True):
        waiting = [] if head in reached else [head]
        reached.add(head)
        for target in waiting:  # grows while it is walked
            for number, source in near[target]:
                if number in used:
                    continue
                used.add(number)
                if source in reached:
                    lesser, better = sorted((source, target), key=known.__getitem__)
                    implied.append((number, lesser, better))
                else:
                    reached.add(source)
                    waiting.append(source)
                    yield number, source, target
    yield from implied
