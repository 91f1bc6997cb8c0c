"""What a model wrote, as proposals: every item validated by itself, every fault told with its path."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphdream.dreamers.client.base import Finish
from graphdream.dreamers.client.redaction import MARK
from graphdream.dreamers.client.salvage import Item, find_items
from graphdream.mutations.addresses import handles_in
from graphdream.mutations.applier import Proposal
from graphdream.mutations.parse import parse_proposals

MOST_ERRORS = 50  # in one repair round; a model that is wrong more often does not read on
_LONGEST_ERROR = 300  # characters


@dataclass(frozen=True, slots=True)
class Parsed:
    """What an answer says.

    Attributes:
        proposals: one for each item, in order; those that are none keep their fault and end in an outcome too.
        errors: what the model is told in a repair round: a line for each fault, with its path.
        summary: in the model's words.
        faulty: positions of the proposals that a repair round asks for again.
        extra: what else the answer holds, by name.
        cut: the answer ends before its end. What is whole in it stands; for the rest, ask in smaller parts.
    """

    proposals: tuple[Proposal, ...]
    errors: tuple[str, ...] = ()
    summary: str = ""
    faulty: frozenset[int] = frozenset()
    extra: Mapping[str, Any] = field(default_factory=dict)
    cut: bool = False

    @property
    def valid(self) -> tuple[Proposal, ...]:
        """The proposals that nothing is wrong with."""
        return tuple(
            proposal
            for place, proposal in enumerate(self.proposals)
            if proposal.mutation is not None and place not in self.faulty
        )


def read_answer(text: str, *, finish: Finish = "stop", knows: Callable[[str], bool] | None = None) -> Parsed:
    """Read an answer: JSON, or what a model makes of it with thoughts, fences, prose, a comma too many, or half of it.

    Args:
        finish: why the model stopped.
        knows: whether there is a row of a handle (`e12`); None to leave that to the applier.

    Never raises.
    """
    found = find_items(text)
    proposals: list[Proposal] = []
    errors, faulty, seen = list(found.faults), set(), dict[str, int]()
    for place, item in enumerate(found.items):
        proposal, faults = _proposal(item, knows)
        if proposal.mutation is not None:
            first = seen.setdefault(_key(proposal.body), place)
            if first != place:
                proposal = Proposal(proposal.body, None, f"the same as mutations[{first}]")
        if faults:
            faulty.add(place)
            errors += [f"mutations[{place}]{fault.removeprefix('$')}"[:_LONGEST_ERROR] for fault in faults]
        proposals.append(proposal)
    summary = found.fields.pop("summary", "")
    if not isinstance(summary, str):
        errors.append("summary: expected a text")
        summary = ""
    return Parsed(
        tuple(proposals), tuple(errors), summary, frozenset(faulty), found.fields, found.cut or finish == "length"
    )


def with_repairs(first: Parsed, repaired: Parsed) -> Parsed:
    """An answer and the one to its repair round, as one: what was wrong stays on record, what was mended follows."""
    known = {_key(proposal.body) for proposal in first.valid}
    new = [
        Proposal(proposal.body, None, "the same as an item of the first answer")
        if proposal.mutation is not None and _key(proposal.body) in known
        else proposal
        for proposal in repaired.proposals
    ]
    start = len(first.proposals)
    return Parsed(
        (*first.proposals, *new),
        repaired.errors,
        repaired.summary or first.summary,
        frozenset({*first.faulty, *(start + place for place in repaired.faulty)}),
        {**first.extra, **{name: _both(first.extra.get(name), value) for name, value in repaired.extra.items()}},
        first.cut or repaired.cut,
    )


def _both(first: Any, repaired: Any) -> Any:
    """What stands beside the mutations: of lists both, the correction behind what it corrects; else the correction."""
    return [*first, *repaired] if isinstance(first, list) and isinstance(repaired, list) else repaired


def repair_request(parsed: Parsed, *, verdicts: int = 0) -> str:
    """What to say to a model about its answer, once; "" where there is nothing to say.

    Args:
        verdicts: how many questions it has answered by their numbers with nothing wrong.
    """
    if not parsed.errors:
        return ""
    told = [f"- {error}" for error in parsed.errors[:MOST_ERRORS]]
    if len(parsed.errors) > MOST_ERRORS:
        told.append(f"- and {len(parsed.errors) - MOST_ERRORS} more")
    kept = len(parsed.valid)
    parts = [f"{kept} of the {len(parsed.proposals)} items of your answer"] if parsed.proposals else []
    parts += [f"{verdicts} of your verdicts"] if verdicts else []
    kept_and_not = f"{' and '.join(parts)} can be used and are kept. The rest cannot:"
    return "\n".join(
        [
            kept_and_not if parts else "Your answer cannot be used:",
            "",
            *told,
            "",
            "Answer once more, in the same form, with corrected versions of those items only. Leave out what is kept,"
            " and what you no longer hold right.",
        ]
    )


def _proposal(item: Item, knows: Callable[[str], bool] | None) -> tuple[Proposal, list[str]]:
    if item.fault:
        fault = f"$: {item.fault}"
        return Proposal({"op": "", "item": _text(item.text)}, None, fault), [fault]
    (proposal,) = parse_proposals([item.value])
    if proposal.mutation is None:
        return proposal, proposal.fault.split("; ")
    if MARK.search(json.dumps(proposal.body, ensure_ascii=False)):
        fault = "$: holds a redaction mark; what was taken out cannot be written back"
        return Proposal(proposal.body, None, fault), [fault]
    if knows is None:
        return proposal, []
    return proposal, [
        f"{path}: there is no {handle}" for path, handle in handles_in(proposal.body) if not knows(handle)
    ]


def _key(body: Mapping[str, Any]) -> str:
    said = {name: value for name, value in body.items() if name != "reason"}
    return json.dumps(said, sort_keys=True, ensure_ascii=False)


def _text(text: str) -> str:
    """The same text in whole characters: what was cut may end in half of one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
