"""Hold one conversation: ask, let the model look around, read its answer, send back once what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from graphdream.dreamers.asking.agenda import Limits, PlannedCall
from graphdream.dreamers.asking.exchange import Ending, Exchange, digest_of, total
from graphdream.dreamers.asking.looks import Looks
from graphdream.dreamers.asking.tools import TOOLS
from graphdream.dreamers.client.base import Client, Message, Reply, Usage
from graphdream.dreamers.client.errors import ClientError
from graphdream.dreamers.prompt.answer_form import answer_schema
from graphdream.mutations.applier import Proposal
from graphdream.mutations.outcome import Outcome
from graphdream.mutations.parse import parse_proposals

Judge = Callable[[Sequence[Proposal]], Sequence[Outcome]]

# What a model can mend once it is told: the form, an address, a text that lost or invented something (FEATURES E8).
MENDABLE = frozenset({"invalid", "not_found", "ambiguous", "bad_name", "coverage", "grounding"})
MOST_FAULTS_TOLD = 40
ENOUGH_LOOKS = "You have looked enough. Answer now with the JSON object."


def hold_conversation(
    client: Client, call: PlannedCall, limits: Limits, *, looks: Looks | None, judge: Judge | None
) -> Exchange:
    """Ask a planned call.

    Args:
        looks: answers what the model looks up; None: it may not.
        judge: says what would become of proposals, without applying them; None: only their form is checked.

    Raises:
        ClientError: there is no answer, or the budget has no room for it.
    """
    return _Conversation(client, call, limits, looks, judge).held()


class _Conversation:
    def __init__(
        self, client: Client, call: PlannedCall, limits: Limits, looks: Looks | None, judge: Judge | None
    ) -> None:
        self._client, self._call, self._limits, self._judge = client, call, limits, judge
        self._looks = looks if call.looks and limits.looks else None
        self._messages = list(call.messages)
        self._usages: list[Usage] = []
        self._looked = 0

    def held(self) -> Exchange:
        reply = self._asked()
        ended, bodies, summary, fault = _read(reply)
        faults = 0
        if ended in ("answered", "unreadable"):
            wrong = [fault] if fault else self._faults(bodies)
            faults = len(wrong)
            if wrong:
                self._messages.append(Message("user", repair_request(wrong)))
                again, corrected, new_summary, _ = _read(self._asked(may_look=False))
                if again == "answered":
                    bodies, summary, ended = [*bodies, *corrected], summary or new_summary, "answered"
        return Exchange(
            digest=digest_of(self._client.model, self._call),
            what=self._call.what,
            model=reply.model or self._client.model,
            messages=tuple(self._messages),
            prompt_messages=len(self._call.messages),
            bodies=tuple(bodies),
            summary=summary,
            usage=total(self._usages),
            ended=ended,
            attempts=len(self._usages),
            faults=faults,
        )

    def _asked(self, *, may_look: bool = True) -> Reply:
        """Ask, and again for as long as the model looks around; what is said becomes part of the conversation."""
        while True:
            may = may_look and self._looks is not None and self._looked < self._limits.looks
            reply = self._client.complete(
                self._messages,
                schema=answer_schema(self._call.ops),
                tools=TOOLS if may else (),
                max_tokens=self._limits.max_output,
            )
            self._usages.append(reply.usage)
            self._messages.append(Message("assistant", reply.text, reply.tool_calls))
            if reply.finish != "tools" or not reply.tool_calls:
                return reply
            self._look(reply)

    def _look(self, reply: Reply) -> None:
        for asked in reply.tool_calls:
            allowed = self._looks is not None and self._looked < self._limits.looks
            shown = self._looks.answer(asked) if self._looks is not None and allowed else ENOUGH_LOOKS
            self._looked += 1
            self._messages.append(Message("tool", shown, tool_call_id=asked.id))
        if self._looked > 2 * self._limits.looks:
            # A model that goes on asking for tools it is not given would go on forever.
            raise LoopingError(self._client.model, self._looked)

    def _faults(self, bodies: Sequence[Any]) -> list[str]:
        """What is wrong with the items of an answer, in words, that the model can mend."""
        proposals = parse_proposals(bodies)
        if self._judge is None:
            outcomes = [Outcome("failed", "invalid", p.fault) if p.mutation is None else None for p in proposals]
        else:
            outcomes = list(self._judge(proposals))
        return [
            f"#{position} {str(proposal.body.get('op', ''))[:40]}: {outcome.message[:400]}"
            for position, (proposal, outcome) in enumerate(zip(proposals, outcomes, strict=True))
            if outcome is not None and outcome.status != "applied" and outcome.code in MENDABLE
        ]


class LoopingError(ClientError):
    """A model only ever looks around and never answers."""

    def __init__(self, model: str, looks: int) -> None:
        super().__init__(f"{model} asked for {looks} looks and gave no answer")


def repair_request(faults: Sequence[str]) -> str:
    """What is sent back once: each fault in a line, and what to do."""
    shown = list(faults[:MOST_FAULTS_TOLD])
    if len(faults) > MOST_FAULTS_TOLD:
        shown.append(f"... and {len(faults) - MOST_FAULTS_TOLD} more of the kind")
    return (
        "These items of your answer cannot be taken as they are; the others are taken:\n"
        + "\n".join(shown)
        + '\n\nAnswer with the same JSON object, with only the corrected items in "mutations". Leave out what cannot be'
        " corrected."
    )


def _read(reply: Reply) -> tuple[Ending, list[Any], str, str]:
    """How a reply ended, its items, its summary, and why it cannot be read."""
    if reply.finish == "refusal":
        return "refused", [], reply.text, ""
    start, end = reply.text.find("{"), reply.text.rfind("}")
    try:
        found = json.loads(reply.text[start : end + 1])
        items = found["mutations"]
        if not isinstance(items, list):
            raise TypeError("`mutations` is no list")
    except (ValueError, KeyError, TypeError) as fault:
        if reply.finish == "length":
            return "cut", [], "", ""
        return "unreadable", [], "", f"the answer is no JSON object with `mutations` and `summary`: {fault}"
    return "cut" if reply.finish == "length" else "answered", items, str(found.get("summary", "")), ""
